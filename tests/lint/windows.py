"""What stands outside src/platform, src/crypto and src/etcd compiles for Windows, too.

MinGW-w64 looks at every source of the other layers and of compat; tests are
left out, as GoogleTest is not installed for that target. src/transport and
src/api are in: they reach the operating system only through the headers of
src/platform, which therefore name no system header themselves. Some sources of a
folder at a time, as most of the work is what they include; where that does not
compile, each alone.
"""

from itertools import groupby
from posixpath import dirname

from compile_check import rejected
from tree import is_test, layer_of

COMPILER = ["x86_64-w64-mingw32-g++-posix", "-std=c++20", "-fsyntax-only", "-DZLINK_BUILD", "-DDLL_EXPORT", "-x", "c++"]
LEFT_OUT = {"platform", "crypto", "etcd"}
TOGETHER = 12


def _job(tree, files):
    paths = [f"-I{tree.path(folder)}" for folder in ("src", "include", "compat")]
    text = "".join(f'#include "{tree.path(file)}"\n' for file in files)
    return " ".join(files), [*COMPILER, *paths, "-"], text


def _groups(tree):
    chosen = [file for file in tree.code_files("src", "compat")
              if layer_of(file) not in LEFT_OUT and not is_test(file) and file.endswith(".cpp")]
    # Of a folder, as one below it has stand-ins for what is left out.
    for _, folder in groupby(sorted(chosen, key=lambda file: (dirname(file), file)), key=dirname):
        files = list(folder)
        for start in range(0, len(files), TOGETHER):
            yield files[start:start + TOGETHER]


def check(tree):
    groups = {" ".join(files): files for files in _groups(tree)}
    found = rejected([_job(tree, files) for files in groups.values()])
    doubted = [files for name, files in groups.items() if any(line.startswith(f"{name}: ") for line in found)]
    return rejected([_job(tree, [file]) for files in doubted for file in files])


CLEAN = {
    "src/base/a.cpp": "#include <vector>\nstd::vector<int> a;\n",
    "src/platform/p.cpp": "#include <sys/epoll.h>\n",
    "src/engine/e_test.cpp": "#include <gtest/gtest.h>\n",
}
PLANTED = [
    ("a POSIX header", {"src/engine/e.cpp": "#include <sys/epoll.h>\n"}),
    ("long as 64 bits", {"src/engine/e.cpp": "static_assert (sizeof (long) == 8);\n"}),
    ("through a platform header", {
        "src/platform/s.hpp": "#pragma once\n#include <sys/socket.h>\n",
        "src/transport/t.cpp": '#include "platform/s.hpp"\n',
    }),
]
