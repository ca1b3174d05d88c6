"""No clock, dice, environment or sleep but through the seams; no sleep in a test."""

import re

from tree import is_test, layer_of

CLOCK = re.compile(r"\b(\w*_clock\s*::\s*now|clock_gettime|gettimeofday|timespec_get)\b|\btime\s*\(\s*(NULL|nullptr|0|&)")
DICE = re.compile(r"\b(s?rand|rand_r|[dlm]rand48|getrandom|arc4random\w*|random_device)\b\s*[({;]|\b(random_device)\b")
ENVIRONMENT = re.compile(r"\b((?:secure_)?getenv|setenv|putenv|unsetenv)\b|\benviron\s*\[")
SLEEP = re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep|zmq_sleep|zlink_sleep)\s*\(|"
                   r"(?:^|[{;])\s*(?:\(void\) ?)?(?:::|std::)?sleep\s*\([^()]*\)\s*;", re.MULTILINE)
PYTHON_SLEEP = re.compile(r"\b(time\.sleep|asyncio\.sleep)\s*\(|\bimport\s+sleep\b")

# The measuring programs own a clock and a pace; nothing else outside src/platform does.
MAY_MEASURE = ("tools/", "bench/", "examples/")
# The C API's own zmq_sleep is declared and defined, and its tests call it.
SLEEP_IS_THE_SUBJECT = re.compile(r"(^include/|^compat/|^src/api/|^tests/zlink_1/)")


def _rules(file):
    measures = file.startswith(MAY_MEASURE)
    if not is_test(file) and not measures:
        yield "the clock seam is for that", CLOCK
    if not measures:
        yield "the random seam is for that", DICE
    yield "the environment is not an interface here", ENVIRONMENT
    if not measures and not SLEEP_IS_THE_SUBJECT.search(file):
        yield "wait for a condition instead", SLEEP


def _complaints(file, code, why, pattern):
    for match in pattern.finditer(code):
        line = code.count("\n", 0, match.start()) + 1
        yield f"{file}:{line}: {match[0].strip()}: {why}"


def check(tree):
    found = []
    for file in tree.code_files():
        if layer_of(file) == "platform" and not is_test(file):
            continue
        for why, pattern in _rules(file):
            found += _complaints(file, tree.code(file), why, pattern)
    for file in tree.files:
        if file.startswith("tests/") and file.endswith(".py") and not file.startswith("tests/lint/"):
            found += _complaints(file, tree.text(file), "wait for a condition instead", PYTHON_SLEEP)
    return found


CLEAN = {
    "src/engine/a.cpp": "// usleep (1); rand ()\nint a = clock.now_ns ();\nconst char *t = \"getenv (x)\";\n",
    "src/platform/c.cpp": "void f () { clock_gettime (0, 0); usleep (1); }\n",
    "src/engine/a_test.cpp": "void f () { waiter.sleep.wait (x); }\nfoo::foo ()\n  : a (1),\n  sleep (a)\n{\n}\n",
    "tools/zlink/bench.cpp": "auto t = std::chrono::steady_clock::now ();\n",
}
PLANTED = [
    ("now", {"src/engine/b.cpp": "auto t = std::chrono::steady_clock::now ();\n"}),
    ("time", {"src/engine/b.cpp": "auto t = time (nullptr);\n"}),
    ("clock_gettime", {"src/wire/b.cpp": "int x = clock_gettime (0, &t);\n"}),
    ("rand", {"src/wire/b.cpp": "int x = rand ();\n"}),
    ("random_device", {"src/engine/b_test.cpp": "std::random_device d;\n"}),
    ("getenv", {"src/api/b.cpp": 'auto x = std::getenv ("X");\n'}),
    ("getenv in a tool", {"tools/zlink/b.cpp": 'auto x = getenv ("X");\n'}),
    ("sleep in the library", {"src/engine/b.cpp": "void f () { usleep (1); }\n"}),
    ("sleep by its short name", {"src/engine/b_test.cpp": "void f () { ::sleep (delay_s); }\n"}),
    ("sleep in a test", {"src/engine/b_test.cpp": "void f () { std::this_thread::sleep_for (1ms); }\n"}),
    ("sleep in a platform test", {"src/platform/b_test.cpp": "void f () { usleep (1); }\n"}),
    ("sleep in a Python test", {"tests/peer/x.py": "import time\ntime.sleep (1)\n"}),
]
