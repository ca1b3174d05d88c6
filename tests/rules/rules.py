"""The rules of the patterns, the tests that hold them, and what breaks them.

rules.py table                             the rules as a page, for people
rules.py plan --work DIR                   writes the changes; says "file folder" for each
rules.py names                             the rules
rules.py tests PROGRAM...                  every rule's tests run, and none is passed over,
                                           in each conformance program (named after its transport)
rules.py whole PROGRAM                     nothing is broken: the tests hold without the short cuts
rules.py broken PROGRAM RULE               RULE is broken: one of its tests fails

rules.toml holds a row for each rule. What it may hold is said there.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROWS = Path(__file__).resolve().parent / "rules.toml"
TRANSPORTS = ("tcp", "ipc", "inproc", "sim")
STREAMS = ("tcp", "ipc")
FIELDS = {"id", "rfc", "level", "says", "tests", "on", "plant", "departs"}
LEVELS = {"SHALL", "SHOULD", "MAY", "ours"}
HANGS_AFTER_S = 3  # who hangs has found it; whole, none of them takes a tenth of that
WHOLE_S = 240


def rows():
    with ROWS.open("rb") as file:
        content = tomllib.load(file)
    rules = content["rule"]
    names = [each["id"] for each in rules]
    for each in rules:
        wrong = [f"{field} is no field" for field in each.keys() - FIELDS]
        wrong += [f"has no {field}" for field in ("rfc", "level", "says", "tests") if not each.get(field)]
        wrong += ["level is none of " + ", ".join(sorted(LEVELS))] if each.get("level") not in LEVELS else []
        wrong += ["is there twice"] if names.count(each["id"]) > 1 else []
        wrong += ["on is 'streams' or left out"] if each.get("on", "streams") != "streams" else []
        wrong += [] if breaks(content, each) else ["has no plant that asks for it: nothing shows that its tests hold it"]
        if wrong:
            sys.exit(f"{ROWS.name}: {each['id']}: {'; '.join(wrong)}")
    return content


def breaks(content, rule):
    """Whether a change asks for the rule: its own, or one that several types share."""
    own, shared = f'"{rule["id"]}"', f'"{rule["id"].partition(".")[2]}"'
    return any(own in each["instead"] or shared in each["instead"] for each in all_plants(content))


def all_plants(content):
    return content.get("plant", []) + [plant for rule in content["rule"] for plant in rule.get("plant", [])]


def transports(rule):
    return STREAMS if rule.get("on") == "streams" else TRANSPORTS


def write_if_new(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def plan(work):
    for number, plant in enumerate(all_plants(rows())):
        folder = Path(work) / f"plant_{number}"
        folder.mkdir(parents=True, exist_ok=True)
        write_if_new(folder / "line", plant["line"])
        write_if_new(folder / "instead", plant["instead"])
        print(f"{plant['file']} {folder}")


def table():
    content = rows()
    print("# The rules of the patterns, and the tests that hold them\n")
    print("Generated from tests/rules/rules.toml. Every test runs on the transports named; `./dev test` also breaks")
    print("each rule in a copy of the library and asks that one of its tests finds it.\n")
    print("| rule | RFC | level | what it says | tests | on |")
    print("|---|---|---|---|---|---|")
    for each in content["rule"]:
        says = each["says"] + (f" *{each['departs']}*" if "departs" in each else "")
        tests = " ".join(f"`{test}`" for test in each["tests"])
        print(f"| {each['id']} | {each['rfc']} | {each['level']} | {says} | {tests} "
              f"| {' '.join(transports(each))} |")
    print(f"\n{len(content['rule'])} rules.")


def run_tests(program, tests, *words, seconds):
    """The outcome of each test by name, or None where the program did not end."""
    with tempfile.TemporaryDirectory(prefix="rules-") as folder:
        report = Path(folder) / "report.json"
        try:
            done = subprocess.run([program, *words, f"--gtest_filter={':'.join(tests)}", f"--gtest_output=json:{report}"],
                                  capture_output=True, text=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return None, f"no end after {seconds} s"
        said = done.stdout[-4000:] + done.stderr[-4000:]
        if not report.exists():
            return {}, said
        suites = json.loads(report.read_text())["testsuites"]
    return {f"{suite['name']}.{test['name']}": "failed" if "failures" in test else test["result"]
            for suite in suites for test in suite["testsuite"]}, said


def check_all_pass(program, tests, *words):
    outcome, said = run_tests(program, tests, *words, seconds=WHOLE_S)
    wrong = [f"{test}: {(outcome or {}).get(test, 'did not run')}"
             for test in tests if (outcome or {}).get(test) != "COMPLETED"]
    if wrong:
        sys.exit(f"{program}:\n" + "\n".join(wrong) + "\n" + said)
    print(f"{Path(program).name}: {len(tests)} tests")


def tests_of(rules):
    return sorted({test for each in rules for test in each["tests"]})


def check_tests(programs):
    rules = rows()["rule"]
    for program in programs:
        transport = Path(program).name.removeprefix("conformance_")
        check_all_pass(program, tests_of(each for each in rules if transport in transports(each)))


def check_broken(program, name):
    rule = next((each for each in rows()["rule"] if each["id"] == name), None)
    if rule is None:
        sys.exit(f"{name} is no rule")
    for test in rule["tests"]:
        outcome, said = run_tests(program, [test], "--break", name, seconds=HANGS_AFTER_S)
        if outcome is None or outcome.get(test) != "COMPLETED":
            print(f"{test} finds that it is broken:\n{said}")
            return
    sys.exit(f"{name} is broken, and all its tests pass: {' '.join(rule['tests'])}")


def main():
    parser = argparse.ArgumentParser()
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("table")
    verbs.add_parser("names")
    verbs.add_parser("plan").add_argument("--work", required=True)
    verbs.add_parser("tests").add_argument("programs", nargs="+")
    verbs.add_parser("whole").add_argument("program")
    broken = verbs.add_parser("broken")
    broken.add_argument("program")
    broken.add_argument("rule")
    given = parser.parse_args()
    if given.verb == "table":
        table()
    elif given.verb == "names":
        print("\n".join(each["id"] for each in rows()["rule"]))
    elif given.verb == "plan":
        plan(given.work)
    elif given.verb == "tests":
        check_tests(given.programs)
    elif given.verb == "whole":
        check_all_pass(given.program, tests_of(rows()["rule"]), "--break", "none")
    else:
        check_broken(given.program, given.rule)


if __name__ == "__main__":
    main()
