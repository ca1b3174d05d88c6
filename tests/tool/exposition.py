"""Reads Prometheus' text, exposition format 0.0.4, and refuses what a collector would refuse or warn of."""

import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? ([+-]?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Inf|NaN))")
TYPES = {"counter", "gauge", "histogram", "summary", "untyped"}


class Malformed(Exception):
    pass


def demand(holds, why, line):
    if not holds:
        raise Malformed(f"{why}: {line!r}")


def read(text):
    """{(name, labels as a sorted tuple): value}; Malformed says what is wrong."""
    demand(text.endswith("\n"), "the last line has no end", text[-80:])
    samples, helped, typed, ended, family = {}, set(), {}, set(), None
    for line in text[:-1].split("\n"):
        if line.startswith("# "):
            kind, name, rest = (line[2:].split(" ", 2) + ["", ""])[:3]
            demand(kind in ("HELP", "TYPE") and re.fullmatch(NAME, name), "no HELP and no TYPE", line)
            demand(rest, "it says nothing", line)
            if name != family:
                demand(name not in ended, "a family in two places", line)
                ended.add(family)
                family = name
            if kind == "HELP":
                demand(name not in helped, "a second HELP", line)
                helped.add(name)
            else:
                demand(rest in TYPES and name not in typed, "no such TYPE, or a second one", line)
                typed[name] = rest
            continue
        found = SAMPLE.fullmatch(line)
        demand(found, "no sample", line)
        name, labels = found.group(1), re.findall(LABEL, found.group(2) or "")
        demand(name == family and name in typed and name in helped, "not below its HELP and TYPE", line)
        demand(len(dict(labels)) == len(labels), "a label twice", line)
        value = float(line.rsplit(" ", 1)[1])
        demand(typed[name] != "counter" or (name.endswith("_total") and value >= 0), "no counter", line)
        demand(typed[name] == "counter" or not name.endswith("_total"), "a total that is no counter", line)
        key = (name, tuple(sorted(labels)))
        demand(key not in samples, "a sample twice", line)
        samples[key] = value
    return samples


GOOD = '# HELP a_total x\n# TYPE a_total counter\na_total{b="c\\"d",e="f"} 1\na_total{b="c",e="f"} 2.5e3\n'
BAD = [
    GOOD[:-1],
    GOOD + 'a_total{b="c",e="f"} 2\n',
    GOOD + "other 1\n",
    GOOD.replace("counter", "count"),
    GOOD.replace("a_total", "a"),
    GOOD.replace("# HELP a_total x\n", ""),
    GOOD.replace('e="f"', 'e="f'),
    GOOD.replace(" 1\n", " one\n"),
    GOOD.replace(" 1\n", " -1\n"),
    GOOD + "# HELP b x\n# TYPE b gauge\nb 1\n# TYPE a_total counter\n",
    GOOD.replace('b="c"', 'e="c"'),
    GOOD + "\n",
]


def find_planted():
    """The reader reads what is right, and finds what is wrong."""
    assert read(GOOD)[("a_total", (("b", "c"), ("e", "f")))] == 2500
    for each in BAD:
        try:
            read(each)
        except Malformed:
            continue
        raise AssertionError(f"not refused: {each!r}")
