"""What stands outside src/platform, src/crypto and src/etcd compiles for Windows, too.

MinGW-w64 looks at every source of the other layers and of compat; tests are
left out, as GoogleTest is not installed for that target. src/transport and
src/api are in: they reach the operating system only through the headers of
src/platform, which therefore name no system header themselves.
"""

from compile_check import rejected
from tree import is_test, layer_of

COMPILER = ["x86_64-w64-mingw32-g++-posix", "-std=c++20", "-fsyntax-only", "-DZLINK_BUILD", "-DDLL_EXPORT", "-x", "c++"]
LEFT_OUT = {"platform", "crypto", "etcd"}


def _jobs(tree):
    paths = [f"-I{tree.path(folder)}" for folder in ("src", "include", "compat")]
    for file in tree.code_files("src", "compat"):
        if layer_of(file) in LEFT_OUT or is_test(file) or not file.endswith(".cpp"):
            continue
        yield file, [*COMPILER, *paths, "-"], f'#include "{tree.path(file)}"\n'


def check(tree):
    return rejected(list(_jobs(tree)))


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
