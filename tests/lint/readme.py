"""What the README and docs show as code is, letter for letter, in a file that is compiled.

A block opens with ```c or ```cpp and stands right under a line that names its
file: <!-- file: examples/hello.c -->.
"""

import re

BLOCK = re.compile(r"(?:<!-- file: (?P<file>\S+) -->\n)?```(?:c|cpp)\n(?P<code>.*?)```", re.DOTALL)
MARKED = re.compile(r"^//\s*begin-shown\n(.*?)^//\s*end-shown\n", re.DOTALL | re.MULTILINE)


def _shown_in(text):
    """The part between the marks, or all of it."""
    marked = MARKED.search(text)
    return marked[1] if marked else text


def check(tree):
    found = []
    for page in tree.files:
        if not page.endswith(".md"):
            continue
        for block in BLOCK.finditer(tree.text(page)):
            line = tree.text(page).count("\n", 0, block.start()) + 1
            file = block["file"]
            if not file:
                found.append(f"{page}:{line}: code that names no file, so nothing compiles it")
            elif file not in tree.files:
                found.append(f"{page}:{line}: {file} is not there")
            elif block["code"].strip() != _shown_in(tree.text(file)).strip():
                found.append(f"{page}:{line}: differs from {file}")
    return found


_FILE = "int a;\n// begin-shown\nint b;\n// end-shown\n"
CLEAN = {
    "examples/a.c": _FILE,
    "examples/b.c": "int b;\n",
    "README.md": "<!-- file: examples/a.c -->\n```c\nint b;\n```\n\n<!-- file: examples/b.c -->\n```c\nint b;\n```\n",
}
PLANTED = [
    ("no file", {"docs/x.md": "```cpp\nint x;\n```\n"}),
    ("a file that is gone", {"docs/x.md": "<!-- file: examples/z.c -->\n```c\nint x;\n```\n"}),
    ("drift", {"docs/x.md": "<!-- file: examples/a.c -->\n```c\nint x;\n```\n"}),
]
