"""The tree speaks of the library, not of the place and the day it was written."""

import re

# Spelled so that this file does not find itself.
FORBIDDEN = [
    ("a ticket number", r"\b[i]ssues?\s*#?\d+|\bticke[t]\s*#?\d+|\b(PR|GH)-?#\d+"),
    ("a machine's path", r"(?<![\w.$}])/(work|root|home|Users)/[\w.]|(?<![\w.$}])/[t]mp/(?![\w-]*XXXXXX)[\w.]"),
    ("a registry's host", r"\b[p]ypi\.org|pythonhosted\.[o]rg|[c]rates\.io|npmjs\.[o]rg|repo1?\.maven\.[o]rg|"
                          r"proxy\.golang\.[o]rg|deb\.debian\.[o]rg"),
    ("the workplace", r"\bthis [w]orkplace\b|\bthe [C]EO\b|\bthis [s]ession\b|\b[s]ub-?agent|\bA[I] (model|assistant)|"
                      r"\b[l]anguage model"),
    ("an unfinished mark", r"\bF[I]XME\b|\bX[X]X\b|\bT[O]DO\b(?!\()"),
    ("a merge mark", r"^(<{7}|>{7}|={7})( |$)"),
]
PATTERNS = [(what, re.compile(pattern, re.MULTILINE)) for what, pattern in FORBIDDEN]
# The licence is not ours to edit, and corpora are not text.
LEFT_OUT = re.compile(r"^(LICENSE$|fuzz/corpus/)")


def check(tree):
    found = []
    for file in tree.files:
        if LEFT_OUT.match(file):
            continue
        text = tree.text(file)
        for what, pattern in PATTERNS:
            for match in pattern.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                found.append(f"{file}:{line}: {match[0]!r} is {what}")
    return found


CLEAN = {
    "src/base/a.cpp": "// A TLS session; the issue is that 3 of them share /usr/share and \"a/work/b\".\n",
    "README.md": "build/release/bin, TODO(perf), ${TMP}/tmp/x\n",
    "src/platform/d.cpp": "mkdtemp (\"/t" "mp/name-XXXX" "XX\")\n",
}
PLANTED = [
    ("ticket", {"docs/a.md": "As iss" "ue #12 says\n"}),
    ("path", {"docs/a.md": "see /wor" "k/main/x\n"}),
    ("temporary path", {"docs/a.md": "ipc:///t" "mp/x\n"}),
    ("registry", {"docs/a.md": "from py" "pi.org\n"}),
    ("workplace", {"docs/a.md": "in this ses" "sion\n"}),
    ("unfinished", {"src/base/b.cpp": "// FIX" "ME\n"}),
    ("merge", {"src/base/b.cpp": "<<<<<" "<< ours\n"}),
]
