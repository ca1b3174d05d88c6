"""Every option names a test of what it does, or the part of the library that it waits for.

option_tests.txt has a line for each row of the tables in options.cpp that is
built: its name and a test, as suite.case. A row of a part that is not built
has none.
"""

import re

from guarantees import DEFINED

TABLE = "src/socket/options.cpp"
TESTS = "tests/lint/option_tests.txt"
ROW = re.compile(r'^  (?:[a-z_0-9]+ \()+"([A-Z0-9_]+)", ')
CONTEXT_ROW = re.compile(r'^  context_option_row\{"([A-Z0-9_]+)"')


def rows(text):
    """The names of what is built and of what is not."""
    built, absent = [], []
    for line in text.splitlines():
        if (context := CONTEXT_ROW.match(line)) is not None:
            built.append("context:" + context[1])
        elif (row := ROW.match(line)) is not None:
            (absent if re.search(r"\babsent\w* \(\"", line) else built).append(row[1])
    return built, absent


def check(tree):
    if TABLE not in tree.files:
        return []
    built, absent = rows(tree.text(TABLE))
    defined = set()
    for file in tree.files:
        if file.endswith(".cpp") and (file.startswith("tests/") or file.endswith("_test.cpp")):
            defined.update(".".join(found) for found in DEFINED.findall(tree.text(file)))
    named, found = {}, []
    for line in tree.listed(TESTS):
        option, _, test = line.partition(" ")
        named[option] = test.strip()
    for option in built:
        if option not in named:
            found.append(f"{TESTS}: {option} names no test of what it does")
    for option, test in named.items():
        if option not in built:
            why = "waits for a part that is not built" if option in absent else "is no option"
            found.append(f"{TESTS}: {option} {why}; remove its line")
        elif test not in defined:
            found.append(f"{TESTS}: {option}: no test is called {test}")
    return found


CLEAN = {
    TABLE: '  integer ("A", 1, x),\n  with_type (integer ("B", 2, x)),\n  with_type (absent ("C", 3, x)),\n'
           '  context_option_row{"A", 1},\n',
    TESTS: "A  a_suite.a_case\nB  a_suite.a_case\ncontext:A  a_suite.a_case\n",
    "tests/x.cpp": "TEST_F (a_suite, a_case)\n",
}
PLANTED = [
    ("a row without a test", {TESTS: "A  a_suite.a_case\ncontext:A  a_suite.a_case\n"}),
    ("a context's row without one", {TESTS: "A  a_suite.a_case\nB  a_suite.a_case\n"}),
    ("a test that is gone", {"tests/x.cpp": "TEST (a_suite, another_case)\n"}),
    ("a line for what is not built", {TESTS: CLEAN[TESTS] + "C  a_suite.a_case\n"}),
    ("a line for nothing", {TESTS: CLEAN[TESTS] + "D  a_suite.a_case\n"}),
]
