"""The tree under inspection: its files, their text, and their text without comments."""

import os
import re
import subprocess
from functools import lru_cache
from pathlib import Path

CODE_ENDINGS = (".cpp", ".hpp", ".c", ".h")

_PARTS = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)")
      | (?P<text>"(?:\\.|[^"\\\n])*")
      | (?P<character>(?<![0-9a-fA-F])'(?:\\[^'\n]+|[^'\\\n])')""",
    re.DOTALL | re.VERBOSE,
)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """The same lines with every comment blanked."""
    return _PARTS.sub(lambda m: _blank(m[0]) if m["comment"] else m[0], text)


def bare_code(text):
    """The same lines with comments and the insides of literals blanked."""
    return _PARTS.sub(lambda m: _blank(m[0]) if m["comment"] else m[0][0] + _blank(m[0][1:-1]) + m[0][-1], text)


class Tree:
    """A folder. Where it is a git work tree, what git ignores is not part of it."""

    def __init__(self, root):
        self.root = Path(root).resolve()

    @property
    @lru_cache(maxsize=None)
    def files(self):
        """Relative paths, sorted, with forward slashes."""
        if (self.root / ".git").exists():
            listed = subprocess.run(
                ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                cwd=self.root, check=True, capture_output=True, text=True,
            ).stdout.split("\0")
            return sorted(f for f in listed if f and (self.root / f).is_file())
        found = []
        for folder, names, files in os.walk(self.root):
            names[:] = [n for n in names if n not in ("build", "__pycache__")]
            found += [(Path(folder) / f).relative_to(self.root).as_posix() for f in files]
        return sorted(found)

    def code_files(self, *folders):
        """C and C++ files, below the given folders where any are given."""
        return [f for f in self.files
                if f.endswith(CODE_ENDINGS) and (not folders or f.split("/")[0] in folders)]

    def path(self, file):
        return self.root / file

    def data(self, file):
        return self.path(file).read_bytes()

    @lru_cache(maxsize=None)
    def text(self, file):
        return self.path(file).read_text(encoding="utf-8", errors="replace")

    @lru_cache(maxsize=None)
    def code(self, file):
        return bare_code(self.text(file))

    def includes(self, file):
        """(line number, delimiter, header) of every include."""
        lines = without_comments(self.text(file)).split("\n")
        for number, line in enumerate(lines, 1):
            match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if match:
                yield number, match[1], match[2]

    def listed(self, file):
        """The lines of a list file that are neither empty nor comments."""
        if file not in self.files:
            return []
        lines = (line.split("#")[0].strip() for line in self.text(file).split("\n"))
        return [line for line in lines if line]


def is_test(file):
    return file.startswith("tests/") or re.search(r"_(test|fuzz|bench)\.(cpp|c)$", file) is not None


def layer_of(file):
    """The layer a file belongs to: its folder below src/, or its first folder."""
    parts = file.split("/")
    return parts[1] if parts[0] == "src" and len(parts) > 2 else parts[0]
