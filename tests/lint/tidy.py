"""No stray files: known names in the root, known kinds of file, nothing large or binary."""

import re

from tree import CODE_ENDINGS

ROOT_FILES = {
    ".clang-format", ".gitignore", "CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "dev",
}
ROOT_FOLDERS = {
    ".ci", "bench", "bindings", "cmake", "compat", "docs", "examples", "fuzz", "include", "src", "tests", "tools",
}
ENDINGS = {".c", ".cmake", ".cpp", ".go", ".h", ".hpp", ".html", ".in", ".java", ".js", ".json", ".map", ".md",
           ".mjs", ".mod", ".py", ".rs", ".service", ".sh", ".sum", ".toml", ".txt", ".xml"}
NAMES_WITHOUT_ENDING = {".ci/run", "LICENSE", "dev", ".clang-format", ".gitignore"}
CORPUS = re.compile(r"^fuzz/corpus/[a-z0-9_]+/[a-zA-Z0-9._-]+$")
STRAY = re.compile(r"(^|[/_.-])(plan|plans|logs|ledger|todo|notes|scratch|temp|tmp|backup|old|results)([/_.-]|$)",
                   re.IGNORECASE)
PROPER = re.compile(r"^[A-Za-z0-9._/-]+$")
BYTES_MAX = 256 * 1024
CORPUS_BYTES_MAX = 16 * 1024


def _name(file):
    top = file.split("/")[0]
    if top not in (ROOT_FOLDERS if "/" in file else ROOT_FILES):
        yield "is not on the root's list of names"
    if not PROPER.match(file):
        yield "has odd characters in its name"
    if CORPUS.match(file):
        return
    ending = re.search(r"\.[^./]+$", file)
    if file not in NAMES_WITHOUT_ENDING and (not ending or ending[0] not in ENDINGS):
        yield "is not a kind of file that belongs here"
    if STRAY.search(file.rsplit(".", 1)[0]) and not file.endswith(CODE_ENDINGS):
        yield "sounds like working paper"


def _content(tree, file):
    size = tree.path(file).stat().st_size
    if CORPUS.match(file):
        if size > CORPUS_BYTES_MAX:
            yield f"is {size} bytes; a corpus file has at most {CORPUS_BYTES_MAX}"
        return
    if size > BYTES_MAX:
        yield f"is {size} bytes; the limit is {BYTES_MAX}"
    data = tree.data(file)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        yield "is not UTF-8 text"
    if b"\0" in data:
        yield "is binary"
    if b"\r" in data:
        yield "has carriage returns"
    if data and not data.endswith(b"\n"):
        yield "does not end with a newline"
    if re.search(rb"[ \t]\n", data) and not file.endswith(".md") and file != "LICENSE":
        yield "has blanks at the end of a line"


def check(tree):
    return [f"{file} {what}" for file in tree.files for what in [*_name(file), *_content(tree, file)]]


CLEAN = {
    "README.md": "text\n",
    "src/base/a.cpp": "int a;\n",
    "tests/sim/ledger.cpp": "int a;\n",
    "fuzz/corpus/frame_fuzz/seed-1": b"\xff\0",
}
PLANTED = [
    ("a name in the root", {"notes.md": "x\n"}),
    ("an odd name", {"src/base/ -e public": "x\n"}),
    ("an object file", {"src/base/a.o": "x\n"}),
    ("a plan", {"docs/plan/first.md": "x\n"}),
    ("a log", {"tests/last.log": "x\n"}),
    ("a large file", {"docs/x.md": "x" * 300000 + "\n"}),
    ("a large corpus file", {"fuzz/corpus/frame_fuzz/big": b"x" * 20000}),
    ("a binary", {"docs/x.md": b"a\0b\n"}),
    ("carriage returns", {"src/base/b.cpp": "int b;\r\n"}),
    ("no newline at the end", {"src/base/b.cpp": "int b;"}),
    ("blanks at the end of a line", {"src/base/b.cpp": "int b; \n"}),
]
