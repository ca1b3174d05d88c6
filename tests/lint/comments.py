"""A header is a contract: it opens with prose, and prose keeps up with the code."""

import re

from tree import without_comments

# Comment lines per hundred lines of code.
FLOOR_PERCENT = 10
# Below so many lines of code the opening comment is contract enough.
SMALL_LINES = 12


def _count(text):
    code = [line for line in without_comments(text).split("\n") if line.strip()]
    written = [line for line in text.split("\n") if line.strip()]
    pure_comments = len(written) - len(code)
    trailing = sum(1 for line in text.split("\n") if re.search(r"\S.*(//|/\*)", line) and line.strip()[:2] not in ("//", "/*"))
    return pure_comments + trailing, len(code)


def check(tree):
    found = []
    for file in tree.code_files("src", "include"):
        if not file.endswith((".h", ".hpp")):
            continue
        text = tree.text(file)
        if not text.lstrip().startswith(("//", "/*")):
            found.append(f"{file} does not open with what it is for")
            continue
        comments, code = _count(text)
        if code > SMALL_LINES and comments * 100 < code * FLOOR_PERCENT:
            found.append(f"{file}: {comments} lines of comment to {code} of code; the floor is {FLOOR_PERCENT} %")
    return found


CLEAN = {
    "src/base/a.hpp": "// What it is.\n#pragma once\n",
    "src/base/b.hpp": "// What it is.\n#pragma once\n// Twice.\n" + "int f ();\n" * 19,
}
PLANTED = [
    ("no opening", {"src/base/c.hpp": "#pragma once\n"}),
    ("too little prose", {"src/base/c.hpp": "// What it is.\n#pragma once\n" + "int f ();\n" * 19}),
    ("in a public header", {"include/zlink/c.h": "int f ();\n"}),
]
