"""defects.txt holds five defects at most, each with the octets and the line of the RFC or the manual that it breaks.

defects.py: the list alone; that they happen against libzmq, too, is run by --defects of the other scripts.
"""

import re
import sys

from listed import entries, text_of

DEFECTS_MAX = 5
OCTETS = re.compile(r"\b[0-9a-f]{2}( [0-9a-f]{2}){2,}\b")
SOURCE = re.compile(r"\bRFC \d+\b|\bzmq_\w+\(3\)")
WORDS_MIN = 20


def wrong_with(text):
    all_of_them = entries(text)
    if len(all_of_them) > DEFECTS_MAX:
        yield f"{len(all_of_them)} defects, and there may be {DEFECTS_MAX}"
    for tests, why in all_of_them:
        for what, holds in (("octets", OCTETS.search(why)), ("source", SOURCE.search(why)),
                            ("words", len(why.split()) >= WORDS_MIN)):
            if not holds:
                yield f"{tests[0]}: no {what}"


def main():
    text = text_of("defects.txt")
    sixth = "\npeer test ours\n  RFC 28 says that 01 02 03 is not what it should be, and here are many words about it, so many that they are enough."
    planted = [text + sixth * (DEFECTS_MAX + 1 - len(entries(text))), text.replace("RFC", ""), text + "\npeer test ours\n  why"]
    if not all(list(wrong_with(each)) for each in planted):
        sys.exit("what is wrong is not found")
    wrong = list(wrong_with(text))
    print("\n".join(wrong) or f"{len(entries(text))} defects, each with its octets and its source")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
