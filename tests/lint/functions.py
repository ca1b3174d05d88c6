"""Functions stay within 70 lines and a cyclomatic complexity of 15.

functions_ratchet.txt lists those that do not: "path function lines branches".
A listed function may only shrink, and its line has to follow it down.
"""

LINES_MAX = 70
BRANCHES_MAX = 15
RATCHET = "tests/lint/functions_ratchet.txt"


def _measured(tree):
    """{(file, function): (lines, branches)}; of overloads the worst counts."""
    import lizard  # from requirements.txt; ./dev lint and ./dev test install it

    found = {}
    for file in tree.files:
        if not file.endswith((".cpp", ".hpp", ".c", ".h", ".py")):
            continue
        for function in lizard.analyze_file(str(tree.path(file))).function_list:
            key = (file, function.name.replace(" ", ""))
            lines = function.end_line - function.start_line + 1
            worst = found.get(key, (0, 0))
            found[key] = (max(worst[0], lines), max(worst[1], function.cyclomatic_complexity))
    return found


def _ratchet(tree):
    listed = {}
    for line in tree.listed(RATCHET):
        file, function, lines, branches = line.split()
        listed[file, function] = (int(lines), int(branches))
    return listed


def check(tree):
    try:
        measured = _measured(tree)
    except ImportError:
        return ["the parser (lizard) is not here: ./dev lint installs it"]
    listed = _ratchet(tree)
    found = []
    for key, (lines, branches) in sorted(measured.items()):
        if lines <= LINES_MAX and branches <= BRANCHES_MAX:
            continue
        name = f"{key[0]}: {key[1]} has {lines} lines and {branches} branches"
        if key not in listed:
            found.append(f"{name}; the limits are {LINES_MAX} and {BRANCHES_MAX}")
        elif lines > listed[key][0] or branches > listed[key][1]:
            found.append(f"{name}; it grew from {listed[key][0]} and {listed[key][1]}")
        elif (lines, branches) != listed[key]:
            found.append(f"{name}; well done, now lower its line in {RATCHET}")
    for key in sorted(listed):
        lines, branches = measured.get(key, (0, 0))
        if lines <= LINES_MAX and branches <= BRANCHES_MAX:
            found.append(f"{RATCHET}: {key[0]} {key[1]} is within the limits or gone; remove its line")
    return found


def _long(lines):
    return "int f ()\n{\n" + "    ++a;\n" * (lines - 4) + "    return 0;\n}\n"


def _branchy(branches):
    return "int f (int x)\n{\n" + "    if (x) ++a;\n" * (branches - 1) + "    return 0;\n}\n"


CLEAN = {
    "src/wire/a.cpp": _long(70),
    "src/wire/b.cpp": _branchy(15),
    "src/wire/c.cpp": _long(80),
    RATCHET: "# a comment\nsrc/wire/c.cpp f 80 1\n",
}
PLANTED = [
    ("too long", {"src/wire/d.cpp": _long(71)}),
    ("too branchy", {"src/wire/d.cpp": _branchy(16)}),
    ("a listed one grew", {"src/wire/c.cpp": _long(81)}),
    ("a listed one shrank", {"src/wire/c.cpp": _long(79)}),
    ("a listed one got well", {"src/wire/c.cpp": _long(60)}),
]
