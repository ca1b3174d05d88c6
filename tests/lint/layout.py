"""The code is laid out as .clang-format says; ./dev fmt does it."""

import subprocess

FORMATTER = "clang-format-14"


def check(tree):
    files = [str(tree.path(file)) for file in tree.code_files()]
    if not files:
        return []
    try:
        done = subprocess.run([FORMATTER, "--dry-run", "-Werror", *files], capture_output=True, text=True)
    except FileNotFoundError:
        return [f"{FORMATTER} is not here: ./dev lint installs it"]
    if done.returncode == 0:
        return []
    lines = [line for line in done.stderr.split("\n") if "error:" in line]
    first = {}
    for line in lines:
        file, number = line.split(":")[:2]
        first.setdefault(file, number)
    laid = [f"{file.removeprefix(f'{tree.root}/')}:{number}: ./dev fmt lays it out" for file, number in first.items()]
    return laid or [done.stderr.strip()]


CLEAN = {".clang-format": "BasedOnStyle: LLVM\n", "src/base/a.cpp": "int a;\n"}
PLANTED = [("crooked code", {"src/base/b.cpp": "int   a ;\n"})]
