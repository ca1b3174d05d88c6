"""The lists beside this file of what other implementations do wrong or have not: defects.txt and lacks.txt.

An entry is a line of words or several, the peer's name first in each, and behind them, indented, why.
"""

import unittest
from pathlib import Path


def text_of(name):
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def entries(text):
    """[(its lines, why)]."""
    found = []
    for line in text.splitlines():
        if line.startswith("#") or not line:
            continue
        if line.startswith(" "):
            lines, why = found[-1]
            found[-1] = (lines, f"{why} {line.strip()}")
        elif found and not found[-1][1]:
            found[-1][0].append(line)
        else:
            found.append(([line], ""))
    return [(lines, why.strip()) for lines, why in found]


def lacks_of(peer, text=None):
    """Why it has not what tests ask for, by the name they ask by."""
    why_not = {}
    for lines, why in entries(text or text_of("lacks.txt")):
        for name, *lacks in map(str.split, lines):
            if name == peer:
                why_not.update(dict.fromkeys(lacks, why))
    return why_not


def must_have(lacking, *names):
    """Leaves a test out where one of the names is among those of lacks_of()."""
    missing = sorted(set(names).intersection(lacking))
    if missing:
        raise unittest.SkipTest(f"the peer has no {missing[0]}: {lacking[missing[0]]}")


def defects_of(peer):
    """(test, sides) that are left out for the peer; ("all", "bound") where it binds."""
    words = [line.split() for lines, _ in entries(text_of("defects.txt")) for line in lines]
    return {(test, side if side == "bound" else f"{side} first") for name, test, side in words if name == peer}
