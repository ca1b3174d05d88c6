"""Every test that docs/guarantees.md names is there, and every promise names one.

A promise is a bullet; tests stand in it as `suite.case`.
"""

import re

PAGE = "docs/guarantees.md"
NAMED = re.compile(r"`(\w+)\.(\w+)`")
DEFINED = re.compile(r"^TEST(?:_[FP])? \((\w+), (\w+)\)", re.MULTILINE)
BULLET = re.compile(r"^- .*(?:\n {2}.*)*", re.MULTILINE)
UNPROMISED = "## Not promised"


def check(tree):
    if PAGE not in tree.files:
        return [f"{PAGE}: is not there"]
    text = tree.text(PAGE)
    defined = set()
    for file in tree.files:
        if file.startswith(("tests/", "src/", "tools/")) and file.endswith(".cpp"):
            defined.update(DEFINED.findall(tree.text(file)))
    found = [
        f"{PAGE}: no test is called {suite}.{case}"
        for suite, case in NAMED.findall(text)
        if (suite, case) not in defined
    ]
    for bullet in BULLET.finditer(text.partition(UNPROMISED)[0]):
        if not NAMED.search(bullet[0]):
            line = text.count("\n", 0, bullet.start()) + 1
            found.append(f"{PAGE}:{line}: a promise that names no test")
    return found


CLEAN = {
    "tests/a/x.cpp": "TEST_F (suite, holds)\n{\n}\n",
    PAGE: "- It holds,\n  always. `suite.holds`\n\n## Not promised yet\n\n- the rest\n",
}
PLANTED = [
    ("a test that is gone", {PAGE: "- It holds. `suite.held`\n"}),
    ("a promise without a test", {PAGE: "- It holds. `suite.holds`\n- So does this.\n"}),
    ("tests that are gone", {"tests/a/x.cpp": "\n"}),
]
