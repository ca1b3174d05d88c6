"""lacks.txt gives a reason for everything that a peer has not, and says nothing that no test asks for."""

import re
import sys
from pathlib import Path

from listed import entries, text_of

HERE = Path(__file__).parent
WORDS_MIN = 4


def words_of_tests():
    tests = [each.read_text(encoding="utf-8") for each in HERE.glob("*.py") if each.name != Path(__file__).name]
    return set(re.findall(r"\b[A-Z][A-Z_]+\b", "".join(tests)))


def wrong_with(text):
    asked = words_of_tests()
    seen = set()
    for lines, why in entries(text):
        if len(why.split()) < WORDS_MIN:
            yield f"{lines[0]}: no reason"
        for peer, name in ((line.split()[0], name) for line in lines for name in line.split()[1:]):
            if name not in asked:
                yield f"{peer} {name}: no test asks for it"
            if (peer, name) in seen:
                yield f"{peer} {name}: twice"
            seen.add((peer, name))


def main():
    text = text_of("lacks.txt")
    planted = [text + "\npeer PAIR\n", text + "\npeer PAIRED\n  Its manual says so.\n", text + "\npeer PAIR PAIR\n  Its manual says so.\n"]
    if not all(list(wrong_with(each)) for each in planted):
        sys.exit("what is wrong is not found")
    wrong = list(wrong_with(text))
    print("\n".join(wrong) or "\n".join(f"{' / '.join(lines)}: {why}" for lines, why in entries(text)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
