"""The command line of a script of tests against a peer that is not ours."""

import argparse
import sys
import unittest
from pathlib import Path

from listed import defects_of
from ours import Library

SKIPPED = 77


# Of a defect that shows at times.
CHANCES = 8


def sides_left_out(name, peer):
    """Those of a test by its name; {None} where all of them are."""
    return {sides for test, sides in defects_of(peer) if test == name.split(".")[-1]} or {None}


def all_fail(chosen, peer):
    """Whether each of these tests fails with each of its sides, once in so many times: what it expects does not come true.
    Errors do not count."""
    passing = {(name, sides) for name in chosen for sides in sides_left_out(name, peer)}
    for _ in range(CHANCES):
        tests = unittest.defaultTestLoader.loadTestsFromNames(sorted({name for name, _ in passing}), sys.modules["__main__"])
        for each, _ in unittest.TextTestRunner(verbosity=2).run(tests).failures:
            name = ".".join(each.id().split(" ")[0].split(".")[-2:])
            passing -= {(name, None), (name, getattr(each, "params", {}).get("sides"))}
        if not passing:
            return True
    print(f"no defect is to be seen: {sorted(passing, key=str)}")
    return False


def run_against_peer(about, begin):
    """Runs the tests of the calling script; begin is given the options and our library, and may answer what ends its own. Answers the exit code."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--prefix", default="zlink_")
    parser.add_argument("--ipc", action="store_true", help="the peer speaks ipc, too")
    parser.add_argument("--over", nargs="*", default=[], help="transports in place of tcp and ipc, such as ws and wss, for what holds over all of them")
    parser.add_argument("--remote", action="store_true", help="the command is a process as remote.py has it")
    parser.add_argument("--peer", help="its name in defects.txt and lacks.txt")
    parser.add_argument("--defects", action="store_true", help="only what defects.txt leaves out, all of which has to fail")
    parser.add_argument("--always", nargs="*", default=[], help="NAME=NUMBER: options of every socket of the process")
    parser.add_argument("--needs", help="a path; where it is not, the tests are skipped")
    parser.add_argument("--only", nargs="*", default=[], help="names of tests, as Patterns.test_topics; all without it")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    if options.needs and not Path(options.needs).exists():
        print(f"skipped: {options.needs} is not here; ./dev test --all says why")
        return SKIPPED
    library = Library(options.library, options.prefix)
    end = begin(options, library)
    if options.defects:
        # What failed leaves sockets behind, and this process ends.
        return 0 if options.only and all_fail(options.only, options.peer) else 1
    outcome = unittest.main(argv=[sys.argv[0], *options.only], exit=False, verbosity=2).result
    if end is not None:
        end()
    library.term()
    return 0 if outcome.wasSuccessful() and outcome.testsRun > 0 else 1
