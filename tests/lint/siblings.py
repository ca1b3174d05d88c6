"""A source has its test beside it, or a line in untested.txt that says why not."""

from tree import is_test

WAIVERS = "tests/lint/untested.txt"


def check(tree):
    files = set(tree.files)
    waived, found = {}, []
    for line in tree.listed(WAIVERS):
        file, _, why = line.partition(" ")
        waived[file] = why.strip()
        if not why.strip():
            found.append(f"{WAIVERS}: {file} gives no reason")
    for file in tree.code_files("src"):
        if not file.endswith(".cpp") or is_test(file):
            continue
        tested = file[:-4] + "_test.cpp" in files
        if not tested and file not in waived:
            found.append(f"{file} has no test beside it")
        if tested and file in waived:
            found.append(f"{WAIVERS}: {file} has a test; remove its line")
    found += [f"{WAIVERS}: {file} is gone; remove its line" for file in waived if file not in files]
    return found


CLEAN = {
    "src/base/a.cpp": "",
    "src/base/a_test.cpp": "",
    "src/base/b.cpp": "",
    WAIVERS: "src/base/b.cpp  a table of names\n",
}
PLANTED = [
    ("no test", {"src/base/c.cpp": ""}),
    ("a waiver too many", {"src/base/b_test.cpp": ""}),
    ("a waiver for nothing", {WAIVERS: "src/base/b.cpp x\nsrc/base/z.cpp x\n"}),
    ("a waiver without a reason", {WAIVERS: "src/base/b.cpp\n"}),
]
