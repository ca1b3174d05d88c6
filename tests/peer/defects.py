"""defects.txt holds five defects at most, each with the octets and the line of the RFC or the manual that it breaks.

defects.py: the list alone; that they happen against libzmq, too, is run by --defects of the other scripts.
"""

import re
import sys
from pathlib import Path

DEFECTS_MAX = 5
OCTETS = re.compile(r"\b[0-9a-f]{2}( [0-9a-f]{2}){2,}\b")
SOURCE = re.compile(r"\bRFC \d+\b|\bzmq_\w+\(3\)")
WORDS_MIN = 20


def defects(text):
    """[(the tests that are left out, why)]."""
    found = []
    for line in text.splitlines():
        if line.startswith("#") or not line:
            continue
        if line.startswith(" "):
            tests, why = found[-1]
            found[-1] = (tests, f"{why} {line.strip()}")
        elif found and not found[-1][1]:
            found[-1][0].append(line)
        else:
            found.append(([line], ""))
    return found


def wrong_with(text):
    listed = defects(text)
    if len(listed) > DEFECTS_MAX:
        yield f"{len(listed)} defects, and there may be {DEFECTS_MAX}"
    for tests, why in listed:
        for what, holds in (("octets", OCTETS.search(why)), ("source", SOURCE.search(why)),
                            ("words", len(why.split()) >= WORDS_MIN)):
            if not holds:
                yield f"{tests[0]}: no {what}"


def main():
    text = (Path(__file__).parent / "defects.txt").read_text(encoding="utf-8")
    sixth = "\npeer test ours\n  RFC 28 says that 01 02 03 is not what it should be, and here are many words about it, so many that they are enough."
    planted = [text + sixth * (DEFECTS_MAX + 1 - len(defects(text))), text.replace("RFC", ""), text + "\npeer test ours\n  why"]
    if not all(list(wrong_with(each)) for each in planted):
        sys.exit("what is wrong is not found")
    wrong = list(wrong_with(text))
    print("\n".join(wrong) or f"{len(defects(text))} defects, each with its octets and its source")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
