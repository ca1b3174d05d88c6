"""Runs the lints: run.py [--only-selftest | --no-selftest] [NAME...]

A lint is a module with check (tree), which answers one line per complaint;
PLANTED, small trees with one offence each, every one of which it must find;
and CLEAN, a small tree it must find nothing in. A lint that misses a planted
offence fails before it looks at the real tree.
"""

import argparse
import importlib
import sys
import tempfile
from pathlib import Path

from tree import Tree

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

LINTS = [
    "layers",
    "os_free",
    "banned",
    "functions",
    "headers",
    "windows",
    "tidy",
    "words",
    "siblings",
    "comments",
    "layout",
    "readme",
    "guarantees",
    "option_tests",
]


def planted(files):
    """A temporary folder holding the given {path: text}."""
    folder = tempfile.TemporaryDirectory(prefix="lint-")
    for name, content in files.items():
        target = Path(folder.name) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def self_test(lint):
    wrong = []
    with planted(lint.CLEAN) as folder:
        wrong += [f"complains about a clean tree: {c}" for c in lint.check(Tree(folder))]
    for what, files in lint.PLANTED:
        with planted({**lint.CLEAN, **files}) as folder:
            if not lint.check(Tree(folder)):
                wrong.append(f"misses a planted offence: {what}")
    return wrong


def report(title, complaints):
    print(f"{title}: {'ok' if not complaints else f'{len(complaints)} to mend'}")
    for complaint in complaints:
        print(f"    {complaint}")
    return bool(complaints)


def main():
    options = argparse.ArgumentParser(description="the checks of the text of the tree")
    options.add_argument("names", nargs="*", metavar="NAME", help=", ".join(LINTS))
    options.add_argument("--only-selftest", action="store_true")
    options.add_argument("--no-selftest", action="store_true")
    chosen = options.parse_args()
    unknown = set(chosen.names) - set(LINTS)
    if unknown:
        options.error(f"no such lint: {', '.join(sorted(unknown))}")

    failed = False
    for name in chosen.names or LINTS:
        lint = importlib.import_module(name)
        if not chosen.no_selftest:
            failed |= report(f"{name} self-test", self_test(lint))
        if not chosen.only_selftest:
            failed |= report(name, lint.check(Tree(ROOT)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
