"""The command line of a script of tests against a peer that is not ours."""

import argparse
import sys
import unittest

from ours import Library


def run_against_peer(about, begin):
    """Runs the tests of the calling script; begin is given the options and our library. Answers the exit code."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--prefix", default="zlink_")
    parser.add_argument("--ipc", action="store_true", help="the peer speaks ipc, too")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    library = Library(options.library, options.prefix)
    begin(options, library)
    outcome = unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result
    library.term()
    return 0 if outcome.wasSuccessful() and outcome.testsRun > 0 else 1
