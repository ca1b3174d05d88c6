"""What a shared library exports is what its header declares: no name less, none more.

exports.py LIBRARY HEADER PREFIX [COUNT]
"""

import re
import subprocess
import sys
from pathlib import Path


def declared(header, prefix):
    text = re.sub(r"/\*.*?\*/", "", Path(header).read_text(encoding="utf-8"), flags=re.DOTALL)
    calls = re.findall(rf"{prefix.upper()}EXPORT\b[^;]*?\b({prefix}\w+)\s*\(", text)
    return set(calls)


def exported(library):
    table = subprocess.run(["nm", "--dynamic", "--defined-only", library], check=True, capture_output=True, text=True)
    rows = [line.split() for line in table.stdout.splitlines()]
    # "A" are the names of versions.
    return {row[-1].split("@")[0] for row in rows if row[-2] != "A"}


def main():
    library, header, prefix, *count = sys.argv[1:]
    wanted, found = declared(header, prefix), exported(library)
    for name in sorted(wanted - found):
        print(f"declared, not exported: {name}")
    for name in sorted(found - wanted):
        print(f"exported, not declared: {name}")
    print(f"{len(found)} names exported, {len(wanted)} declared")
    if count and len(found) != int(count[0]):
        print(f"there should be {count[0]}")
        return 1
    return 0 if wanted == found and wanted else 1


if __name__ == "__main__":
    sys.exit(main())
