"""Nothing that programs were built against has changed or gone; what has come since does no harm.

abi.py --abidiff PROGRAM --before DESCRIPTION --now LIBRARY

Of a description in XML it sees first that the comparison finds a function that has gone and a structure that has grown.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def differences(given, before):
    done = subprocess.run([given.abidiff, "--no-added-syms", str(before), given.now], capture_output=True, text=True,
                          check=False)
    return f"{done.stdout}{done.stderr}" if done.returncode != 0 else ""


def spoilt(text):
    yield "a function that has gone", re.sub(r"\bzlink_send\b", "zlink_sent", text)
    yield "a structure of another size", re.sub(r"(name='zlink_event_t' size-in-bits=')\d+", r"\g<1>64", text)


def main():
    parser = argparse.ArgumentParser()
    for name in ("abidiff", "before", "now"):
        parser.add_argument(f"--{name}", required=True)
    given = parser.parse_args()
    text = Path(given.before).read_text(encoding="utf-8") if given.before.endswith(".xml") else ""
    with tempfile.TemporaryDirectory() as folder:
        for what, changed in spoilt(text) if text else ():
            other = Path(folder) / "other.xml"
            other.write_text(changed, encoding="utf-8")
            if changed == text or not differences(given, other):
                sys.exit(f"the comparison does not find {what}")
    found = differences(given, given.before)
    if found:
        sys.exit(f"programs that are built already would break:\n{found}")


if __name__ == "__main__":
    main()
