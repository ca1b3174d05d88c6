"""The functions that the public headers declare, as a table in C++: names and addresses.

functions.py OUTPUT HEADER...
"""

import re
import sys
from pathlib import Path


def declared(header):
    """Of a header, or a list with a name in a line."""
    if header.endswith(".txt"):
        return set(Path(header).read_text(encoding="utf-8").split())
    text = re.sub(r"/\*.*?\*/", "", Path(header).read_text(encoding="utf-8"), flags=re.DOTALL)
    return set(re.findall(r"(?:ZMQ|ZLINK)_EXPORT\b[^;]*?\b(z(?:mq|link)_\w+)\s*\(", text))


def main():
    names = sorted(set().union(*(declared(header) for header in sys.argv[2:])))
    entries = [f'      {{"{name}", reinterpret_cast<const void *> (&::{name})}},' for name in names]
    lines = [
        '#include "speakers/public_functions.hpp"',
        '#include "zlink/zlink.h"',
        '#include "zmq.h"',
        "",
        "const std::vector<zlink::test::public_function> &zlink::test::public_functions ()",
        "{",
        "    static const std::vector<public_function> all = {",
        *entries,
        "    };",
        "    return all;",
        "}",
    ]
    Path(sys.argv[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
