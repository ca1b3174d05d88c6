"""Every header compiles alone: public ones as C11 and C++20, others as C++20.

Of an internal one that its own source includes first the build says so.
"""

from compile_check import rejected

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
CPP = ["g++", "-std=c++20", *WARNINGS, "-x", "c++"]
C = ["gcc", "-std=c11", *WARNINGS, "-Wstrict-prototypes", "-x", "c"]


def _is_first_of_its_source(tree, file, files):
    source = file[: file.rindex(".")] + ".cpp"
    if source not in files or not file.startswith("src/"):
        return False
    first = next(tree.includes(source), None)
    return first is not None and first[2] == file.removeprefix("src/")


def _jobs(tree):
    files = set(tree.files)
    public = [f"-I{tree.path('include')}", f"-I{tree.path('compat')}"]
    internal = [f"-I{tree.path('src')}", *public]
    for file in tree.code_files("include", "compat", "src"):
        if not file.endswith((".h", ".hpp")) or _is_first_of_its_source(tree, file, files):
            continue
        source = f'#include "{tree.path(file)}"\n'
        paths = internal if file.startswith("src/") else public
        yield f"{file} as C++20", [*CPP, *paths, "-"], source
        if file.endswith(".h") and not file.startswith("src/"):
            yield f"{file} as C11", [*C, *paths, "-"], source


def check(tree):
    return rejected(list(_jobs(tree)))


CLEAN = {
    "src/base/a.hpp": "#pragma once\n#include <vector>\ninline std::vector<int> a;\n",
    "src/wire/b.hpp": '#pragma once\n#include "base/a.hpp"\n',
    "include/zlink/z.h": "#include <stddef.h>\nsize_t z_size (const char *text);\n",
}
PLANTED = [
    ("a header that leans on its includer", {"src/base/b.hpp": "inline std::vector<int> b;\n"}),
    ("C++ in a C header", {"include/zlink/y.h": "int f (int &x);\n"}),
    ("C that is not C++", {"include/zlink/y.h": "int f (int class);\n"}),
    ("a warning", {"include/zlink/y.h": "static int unused (int x) { return 0; }\n"}),
]
