"""Instructions, allocations and system calls a message on the hot paths stay
within what is written here.

budgets.py PROGRAM...: runs each program by itself and under callgrind. A
caller's thread is counted, kernel and reactor are not; the clock stands still,
so the numbers repeat. They are of -O2 without link-time optimisation, which is
what tests link in the release preset.

A number is lowered when the code gets better, and raised only with a record in
docs/decisions.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SLACK = 1.03
SKIPPED = 77

# path: instructions, allocations, system calls a message
BUDGETS = {
    "stream_64_send": (177, 0.001, 0.001),
    "stream_64_receive": (214, 0, 0.002),
    "stream_64_message_send": (442, 1.001, 0.001),
    "stream_64_message_receive": (546, 1, 0.002),
    "stream_64_packed_send": (185, 0.001, 0.001),
    "stream_64_packed_receive": (110, 0, 0.001),
    "stream_1024_send": (308, 0.002, 0.009),
    "stream_1024_receive": (370, 0, 0.017),
    "stream_64_turn": (2605, 0, 3),
    "inproc_64_send": (264, 0, 0),
    "inproc_64_receive": (250, 0, 0),
    "inproc_64_message_send": (453, 1, 0),
    "inproc_64_message_receive": (478, 0, 0),
    "inproc_64_packed_send": (180, 0, 0),
    "inproc_64_packed_receive": (199, 0, 0),
    "inproc_1024_send": (376, 0, 0),
    "inproc_1024_receive": (367, 0, 0),
    "inproc_64_turn": (523, 0.001, 0),
    "dealer_to_router_64_send": (177, 0, 0.001),
    "dealer_to_router_64_receive": (378, 0, 0.002),
    "router_to_dealer_64_send": (467, 0, 0.002),
    "router_to_dealer_64_receive": (215, 0, 0.002),
    "publish_to_1_64_send": (346, 0, 0.001),
    "publish_to_1_64_receive": (294, 0, 0.002),
    "publish_to_8_64_send": (1464, 0.002, 0.03),
    "publish_to_8_64_receive": (2245, 0, 0.016),
    "publish_topics_1000_64_send": (346, 0, 0.001),
    "publish_topics_1000_64_receive": (294, 0, 0.002),
    "publish_to_4_inproc_64_send": (645, 0, 0),
    "publish_to_4_inproc_64_receive": (1005, 0, 0),
    "group_64_send": (758, 1.001, 0.001),
    "group_64_receive": (540, 0, 0.003),
    "group_64_message_send": (758, 1.001, 0.001),
    "group_64_message_receive": (985, 1, 0.003),
    "spot_unwanted_64": (328, 0, 0),
    "spot_unwanted_between_64": (499, 0, 0),
    "spot_inside_64_send": (389, 0.001, 0),
    "spot_inside_64_receive": (145, 0, 0),
    "spot_topics_1000_64_send": (389, 0.001, 0),
    "spot_topics_1000_64_receive": (145, 0, 0),
    "spot_between_64_send": (387, 0, 0.001),
    "spot_between_64_receive": (157, 0, 0.003),
    "spot_between_64_turn": (4640, 0, 3),
    "gateway_one_way_64_send": (492, 0, 0.001),
    "gateway_one_way_64_prepared_send": (360, 0, 0.001),
    "gateway_one_way_64_message_send": (899, 1, 0.001),
    "gateway_one_way_64_receive": (369, 0.002, 0.002),
    "gateway_request_64_ask": (1644, 1, 0.001),
    "gateway_request_64_take": (927, 1, 0.002),
    "gateway_request_64_answer": (911, 0.001, 0.002),
    "poll_of_1_ready": (341, 0, 0),
    "poll_of_2000_64_turn": (4950, 0, 7),
    "poll_of_2000_inproc_64_turn": (2980, 0, 2),
}


def counts(program):
    """{path: (messages, allocations, system calls)}, in the order of the program."""
    text = subprocess.run([program], check=True, capture_output=True, text=True, timeout=60).stdout
    rows = (line.split() for line in text.splitlines())
    return {name: tuple(int(each) for each in rest) for name, *rest in rows}


def instructions(program, folder):
    """The instructions of the paths, in their order: callgrind dumps once a path."""
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=hot_section", "--dump-after=path_done",
               f"--callgrind-out-file={folder}/dump", program]
    subprocess.run(command, check=True, capture_output=True, timeout=100)
    totals = {}
    for dump in Path(folder).glob("dump.*"):
        words = [line.split() for line in dump.read_text().splitlines() if line.startswith("totals:")]
        totals[int(dump.suffix[1:])] = int(words[-1][1])
    return [totals[number] for number in sorted(totals)]


def measure(program):
    seen = counts(program)
    with tempfile.TemporaryDirectory() as folder:
        spent = instructions(program, folder)
    if len(spent) < len(seen):
        sys.exit(f"callgrind wrote {len(spent)} dumps for {len(seen)} paths")
    return {name: (total / messages, allocations / messages, calls / messages)
            for (name, (messages, allocations, calls)), total in zip(seen.items(), spent)}


def settled(program):
    """Measured once more where a budget was exceeded, the less of both: what another run does
    not repeat was another thread's doing, and no path has become longer."""
    found = measure(program)
    if complaints(found):
        again = measure(program)
        found = {name: tuple(map(min, row, again[name])) for name, row in found.items()}
    return found


def complaints(found):
    said = []
    for name, row in found.items():
        if name not in BUDGETS:
            said.append(f"{name} has no budget")
            continue
        budget = BUDGETS[name]
        limits = (budget[0] * SLACK, budget[1] + 0.0005, budget[2] + 0.0005)
        for what, seen, limit, wanted in zip(("instructions", "allocations", "system calls"), row, limits, budget):
            if seen > limit:
                said.append(f"{name}: {seen:.3f} {what} a message, the budget is {wanted}")
    return said


def main():
    if shutil.which("valgrind") is None:
        print("budgets: skipped, valgrind is not here")
        sys.exit(1 if os.environ.get("CI") == "true" else SKIPPED)
    found = {name: row for program in sys.argv[1:] for name, row in settled(program).items()}
    print(f"{'path':28}{'instructions':>13}{'budget':>9}{'allocations':>13}{'system calls':>14}")
    for name, (spent, allocations, calls) in found.items():
        budget = BUDGETS.get(name, (0, 0, 0))[0]
        better = "  lower the budget" if spent * SLACK * SLACK < budget else ""
        print(f"{name:28}{spent:13.1f}{budget:9}{allocations:13.3f}{calls:14.3f}{better}")
    said = complaints(found) + [f"{name} is not measured any more" for name in BUDGETS if name not in found]
    for each in said:
        print(each)
    sys.exit(1 if said else 0)


if __name__ == "__main__":
    main()
