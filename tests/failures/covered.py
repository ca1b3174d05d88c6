"""Every function that the headers declare is called by the scripts: their objects ask for it.

covered.py HEADER... -- OBJECT...
"""

import subprocess
import sys

from functions import declared


def called(objects):
    table = subprocess.run(["nm", "--undefined-only", *objects], check=True, capture_output=True, text=True)
    return {line.split()[-1] for line in table.stdout.splitlines() if line}


def main():
    split = sys.argv.index("--")
    headers, objects = sys.argv[1:split], sys.argv[split + 1 :]
    wanted = set().union(*(declared(header) for header in headers))
    missing = sorted(wanted - called(objects))
    for name in missing:
        print(f"never called: {name}")
    print(f"{len(wanted)} functions declared, {len(missing)} of them left out")
    return 0 if wanted and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
