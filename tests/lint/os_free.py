"""Only src/platform knows the operating system and the compiler.

Everything else below src/ keeps to the C++ standard library, its lower layers
and (src/crypto) the crypto libraries, (src/etcd) libcurl and a reader of JSON; it has no conditionals and no compiler
extensions. Public headers may ask for __cplusplus and for how to export.
"""

import re

from tree import is_test, layer_of

STANDARD = set(
    """algorithm any array atomic bit bitset charconv compare complex concepts coroutine cassert cctype
    cerrno cfloat cinttypes climits cmath csetjmp cstdarg cstddef cstdint cstdio cstdlib cstring ctime
    deque exception expected format functional initializer_list iterator limits list map memory
    memory_resource mutex new numbers numeric optional queue ranges ratio set source_location span stack
    stdexcept stop_token string string_view system_error tuple type_traits typeindex typeinfo unordered_map
    unordered_set utility variant vector version""".split()
)
# Standard, but a thread, a clock or a file by another name.
STANDARD_WORLD = set(
    """barrier chrono condition_variable csignal filesystem fstream future iomanip iostream istream latch
    ostream random regex semaphore shared_mutex sstream streambuf thread""".split()
)
STANDARD_C = set("assert ctype errno inttypes limits stdarg stdatomic stdbool stddef stdint stdio stdlib string".split())
CRYPTO = ("openssl/", "sodium")
ETCD = ("curl/", "nlohmann/json.hpp")
TESTING = ("gtest/", "gmock/")

# Files that may, and why.
EXCEPTIONS = {
    "src/base/cpu.hpp": "the spin-wait hint and others have no standard spelling and have to be inlined",
}

EXTENSIONS = re.compile(r"\b(__builtin_\w+|__attribute__|__asm__|__asm|asm|__int128|__extension__|__rdtsc|_mm_\w+)\b")
WORLD = re.compile(r"\bstd::(thread|jthread|mutex|recursive_mutex|shared_mutex|condition_variable\w*|async|"
                   r"counting_semaphore|binary_semaphore|latch|barrier|this_thread)\b")
CONDITIONAL = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b(.*)$", re.MULTILINE)
PUBLIC_CONDITION = re.compile(r"__cplusplus|_(EXPORT|STATIC|SHARED|BUILD\w*|H|H_INCLUDED|DEFINED)\b|_WIN(32|64)|__GNUC__|"
                              r"__STDC_VERSION__|_MSC_VER|ZLINK_|ZMQ_|^\s*E[A-Z]+\s*$")


def _line(text, position):
    return text.count("\n", 0, position) + 1


def _header_allowed(file, delimiter, header):
    if delimiter == '"' or header.startswith(("zlink/", "zmq.h")):
        return True
    if layer_of(file) == "crypto" and header.startswith(CRYPTO):
        return True
    if layer_of(file) == "etcd" and header.startswith(ETCD):
        return True
    if is_test(file) and (header.startswith(TESTING) or header in STANDARD_WORLD):
        return True
    return header in STANDARD


def _source(tree, file):
    for line, delimiter, header in tree.includes(file):
        if not _header_allowed(file, delimiter, header):
            yield f"{file}:{line}: <{header}> belongs in src/platform"
    code = tree.code(file)
    for match in CONDITIONAL.finditer(code):
        yield f"{file}:{_line(code, match.start(1))}: a conditional belongs in src/platform"
    for match in EXTENSIONS.finditer(code):
        yield f"{file}:{_line(code, match.start())}: {match[1]} is a compiler extension: src/platform"
    if not is_test(file):
        for match in WORLD.finditer(code):
            yield f"{file}:{_line(code, match.start())}: std::{match[1]} goes round the seams"


def _public(tree, file):
    for line, delimiter, header in tree.includes(file):
        known = STANDARD | STANDARD_WORLD | {f"{name}.h" for name in STANDARD_C}
        if header not in known and not header.startswith("zlink/"):
            yield f"{file}:{line}: a public header includes <{header}>"
    code = tree.code(file)
    for match in CONDITIONAL.finditer(code):
        if not PUBLIC_CONDITION.search(match[2]):
            yield f"{file}:{_line(code, match.start(1))}: a public header asks {match[2].strip()}"


def check(tree):
    found = []
    for file in tree.code_files("src"):
        if layer_of(file) != "platform" and file not in EXCEPTIONS:
            found += _source(tree, file)
    for file in tree.code_files("include"):
        found += _public(tree, file)
    return found


CLEAN = {
    "src/wire/a.cpp": '#include <vector>\n#include "base/a.hpp"\n// #if 0, __builtin_trap, <unistd.h>\n',
    "src/wire/a_test.cpp": "#include <gtest/gtest.h>\n#include <thread>\nstd::thread t;\n",
    "src/platform/p.cpp": "#include <sys/epoll.h>\n#ifdef __linux__\n#endif\n",
    "src/crypto/c.cpp": "#include <openssl/ssl.h>\n",
    "include/zlink/z.h": "#include <stddef.h>\n#ifdef __cplusplus\n#endif\n",
}
PLANTED = [
    ("OS header", {"src/engine/a.cpp": "#include <sys/socket.h>\n"}),
    ("C header", {"src/engine/a.cpp": "#include <string.h>\n"}),
    ("crypto outside crypto", {"src/wire/b.cpp": "#include <openssl/ssl.h>\n"}),
    ("world header", {"src/engine/a.cpp": "#include <chrono>\n"}),
    ("conditional", {"src/engine/a.cpp": "int a;\n  # ifdef __linux__\n#endif\n"}),
    ("conditional in crypto", {"src/crypto/d.cpp": "#if OPENSSL_VERSION_NUMBER\n#endif\n"}),
    ("builtin", {"src/base/a.hpp": "inline int f () { return __builtin_ctz (1u); }\n"}),
    ("attribute", {"src/base/a.hpp": "__attribute__ ((hot)) void f ();\n"}),
    ("thread", {"src/engine/a.cpp": "#include <mutex>\nstd::mutex m;\n"}),
    ("public OS header", {"include/zlink/y.h": "#include <unistd.h>\n"}),
    ("public conditional", {"include/zlink/y.h": "#ifdef __linux__\n#endif\n"}),
]
