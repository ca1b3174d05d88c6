"""The program hands every option that 1.x documents to a call that sets or reads it, by the header's name.

uses_options.py OPTIONS HEADER SOURCE...: OPTIONS has a name a line.
"""

import re
import sys
from pathlib import Path


def used(sources):
    """Those that stand in a call or in a row of a table, not in a remark."""
    text = "".join(re.sub(r"/\*.*?\*/", "", Path(source).read_text(encoding="utf-8"), flags=re.DOTALL) for source in sources)
    return set(re.findall(r"(?:(?:set|get)sockopt \([*\w.>-]+, |\{\"[\w ]+\", |try_context_option \(context, \"\w+\", )ZLINK_(\w+)", text))


def main():
    listed, header, *sources = sys.argv[1:]
    wanted = Path(listed).read_text(encoding="utf-8").split()
    defined = set(re.findall(r"^#define ZLINK_(\w+) \d+", Path(header).read_text(encoding="utf-8"), re.MULTILINE))
    found = used(sources)
    missing = [f"not in the header: {name}" for name in wanted if name not in defined]
    missing += [f"never used: {name}" for name in wanted if name not in found]
    print("\n".join([*missing, f"{len(wanted)} options, {len(missing)} missing"]))
    return 0 if wanted and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
