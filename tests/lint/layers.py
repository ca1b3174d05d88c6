"""Includes run downward: a layer sees itself and the layers named for it here."""

import re

from tree import layer_of

# What each layer may include besides itself. A name with a slash is one header.
BELOW = {
    "base": [],
    "crypto": ["base"],
    "platform": ["base"],
    "wire": ["base", "crypto"],
    "transport": ["base", "platform"],
    "engine": ["base", "crypto", "wire"],
    "socket": ["base", "engine"],
    "service": ["base", "socket/facade.hpp", "socket/topics.hpp", "wire/registry_message.hpp", "wire/gateway_message.hpp",
                "wire/row.hpp", "wire/spot_message.hpp", "wire/grant_message.hpp", "wire/partition_message.hpp", "wire/http_head.hpp", "wire/utf8.hpp"],
    "service_io": ["base", "service"],
    "etcd": ["base", "service/waiting_lock.hpp"],
    "api": ["base", "platform", "transport", "service", "service_io", "socket/facade.hpp"],
    "compat": ["base", "api"],
}
PUBLIC = "zlink/"  # include/zlink: visible from the glue and from outside src
MAY_SEE_PUBLIC = {"api", "compat"}


def _wrong_include(layer, header):
    target = header.split("/")[0]
    if header.startswith(PUBLIC):
        return layer not in MAY_SEE_PUBLIC
    if target not in BELOW or target == layer:
        return False
    return target not in BELOW[layer] and header not in BELOW[layer]


def _layer_includes(tree, file):
    layer = layer_of(file)
    if layer not in BELOW:
        yield f"{file}: {layer} is not a layer"
        return
    for line, delimiter, header in tree.includes(file):
        if ".." in header.split("/"):
            yield f"{file}:{line}: {header} climbs out of its folder"
        elif delimiter == '"' and header.split("/")[0] in BELOW and _wrong_include(layer, header):
            yield f"{file}:{line}: {layer} may not include {header}"
        elif delimiter == "<" and header.startswith(PUBLIC) and _wrong_include(layer, header):
            yield f"{file}:{line}: {layer} may not include {header}"
        elif delimiter == '"' and "/" not in header and f"compat/{header}" not in tree.files:
            yield f'{file}:{line}: "{header}" is written without its layer'


def _public_includes(tree, file):
    for line, delimiter, header in tree.includes(file):
        if delimiter == '"' or ("/" in header and not header.startswith(PUBLIC)):
            yield f"{file}:{line}: a public header includes {header}"


def _targets(tree, file):
    for layer, depends in re.findall(r"zlink_layer\((\w+)(?:\s+DEPENDS([\w\s]*))?\)", tree.text(file)):
        allowed = {name.split("/")[0] for name in BELOW.get(layer, [])}
        for name in depends.split():
            if name not in allowed:
                yield f"{file}: {layer} may not depend on {name}"


def check(tree):
    found = []
    for file in tree.code_files("src"):
        found += _layer_includes(tree, file)
    for file in tree.code_files("include"):
        found += _public_includes(tree, file)
    for file in tree.files:
        if file.startswith("src/") and file.endswith("CMakeLists.txt"):
            found += _targets(tree, file)
    return found


CLEAN = {
    "src/base/a.hpp": "#pragma once\n#include <vector>\n",
    "src/socket/facade.hpp": '#include "base/a.hpp"\n',
    "src/engine/e.cpp": '#include "engine/e.hpp"\n#include "wire/w.hpp"\n// #include "socket/facade.hpp"\n',
    "src/api/g.cpp": '#include "socket/facade.hpp"\n#include <zlink/zlink.h>\n',
    "src/engine/CMakeLists.txt": "zlink_layer(engine DEPENDS wire base)\n",
    "src/api/z.cpp": '#include "zmq.h"\n',
    "compat/zmq.h": "#include <stddef.h>\n",
    "include/zlink/zlink.h": "#include <stddef.h>\n",
}
PLANTED = [
    ("upward", {"src/base/b.hpp": '#include "engine/e.hpp"\n'}),
    ("wire sees transport", {"src/wire/w.cpp": '#include "transport/tcp.hpp"\n'}),
    ("engine sees platform", {"src/engine/x.cpp": '#  include "platform/clock.hpp"\n'}),
    ("api past the facade", {"src/api/h.cpp": '#include "socket/pair.hpp"\n'}),
    ("relative", {"src/wire/v.cpp": '#include "../engine/e.hpp"\n'}),
    ("no layer", {"src/wire/u.cpp": '#include "frame.hpp"\n'}),
    ("public from below", {"src/engine/y.cpp": "#include <zlink/zlink.h>\n"}),
    ("internal from public", {"include/zlink/x.h": '#include "base/a.hpp"\n'}),
    ("target", {"src/wire/CMakeLists.txt": "zlink_layer(wire DEPENDS platform base)\n"}),
    ("unknown layer", {"src/util/z.cpp": "int z;\n"}),
]
