"""The whole library as one header: single_header.py TO

What a program sees of it is zlink.h and zlink.hpp. One of the program's
sources defines ZLINK_IMPLEMENTATION before it includes the header and holds
the library; it needs C++20 and the system's threads, and nothing else. Where it
defines ZLINK_CRYPTO, too, CURVE, hashes of passwords, tls, ws and wss are there,
which need libsodium and OpenSSL. The services are left out.

Every file is put where it is first included, once; the sources follow, layer
by layer. Nothing is renamed: names that only one source knows have to differ
within a layer, or the header does not compile, and a test compiles it.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("base", "crypto", "wire", "platform", "transport", "engine", "socket", "api")
NOT_LIBRARY = re.compile(r"_(test|fuzz|bench)\.cpp$")
OTHER_ABI = {"src/api/zmq_api.cpp"}
# Registries and their like have the libraries alone.
SERVICES = {f"src/api/{name}.cpp" for name in ("registries", "stored_registries", "service_handles", "services_built",
                                             "zlink_services_api", "gateways", "receivers", "security", "zlink_gateways_api",
                                             "spots", "partitioned_spots", "zlink_spots_api", "registry_events",
                                             "statistics_servers")}
SERVICES |= {"src/platform/shared_code.cpp", "src/platform/system_durable_file.cpp"}
SERVICES |= {f"src/wire/{name}.cpp" for name in ("gateway_message", "grant_message", "partition_message",
                                             "registry_message", "service_fields", "spot_message")}
# What stands on OpenSSL, as the layer crypto does on that or on libsodium, is under
# ZLINK_CRYPTO, and of some what a library without has in their place is where that is
# not defined.
OVER_CRYPTO = {f"src/wire/{name}.cpp" for name in
             ("http_head", "utf8", "ws_frame", "ws_link", "ws_mask", "ws_upgrade", "zws")}
OVER_CRYPTO |= {f"src/{name}.cpp" for name in
              ("engine/ws_stream", "engine/ws_convert", "engine/web_layer", "transport/tls", "transport/web", "transport/web_address", "transport/web_transports")}
FOLDERS = ("src", "include", "compat")
INCLUDE = re.compile(r'^#\s*include\s+["<]([^">]+)[">]')


def found(name, beside):
    for folder in [beside.parent, *(ROOT / each for each in FOLDERS)]:
        if (folder / name).is_file():
            return folder / name
    return None


def inner_include(line, path):
    """The file of ours that the line includes, if it does."""
    include = INCLUDE.match(line)
    return found(include[1], path) if include else None


def put(path, seen, out):
    if path in seen:
        return
    seen.add(path)
    out.append(f"// --- {path.relative_to(ROOT)} ---")
    for line in path.read_text().splitlines():
        inner = inner_include(line, path)
        if inner is not None:
            put(inner, seen, out)
        elif line != "#pragma once":
            out.append(line)


def put_under(condition, path, seen, out):
    """What it includes stands in front of the condition: others include it, too."""
    for line in path.read_text().splitlines():
        inner = inner_include(line, path)
        if inner is not None:
            put(inner, seen, out)
    out.append(condition)
    put(path, seen, out)
    out.append("#endif")


def put_layer(layer, seen, out):
    folder = ROOT / "src" / layer
    sources = [path for path in sorted(folder.glob("*.cpp")) if not NOT_LIBRARY.search(path.name)]
    if layer == "crypto":
        optional, instead = sources, sorted((folder / "left_out").glob("*.cpp"))
    else:
        optional = [path for path in sources if str(path.relative_to(ROOT)) in OVER_CRYPTO]
        instead = [folder / "left_out" / path.name for path in optional if (folder / "left_out" / path.name).is_file()]
    for path in sources:
        if path in optional:
            put_under("#ifdef ZLINK_CRYPTO", path, seen, out)
        elif str(path.relative_to(ROOT)) not in OTHER_ABI | SERVICES:
            put(path, seen, out)
        elif (folder / "left_out" / path.name).is_file():
            put(folder / "left_out" / path.name, seen, out)
    for path in instead:
        put_under("#ifndef ZLINK_CRYPTO", path, seen, out)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    licence = [f"// {line}".rstrip() for line in (ROOT / "LICENSE").read_text().splitlines()]
    out = [*licence, "//", "// Made by tools/single_header.py. Define ZLINK_IMPLEMENTATION in one source.", "#pragma once"]
    seen = set()
    put(ROOT / "include" / "zlink" / "zlink.hpp", seen, out)
    out.append("#ifdef ZLINK_IMPLEMENTATION")
    for layer in LAYERS:
        put_layer(layer, seen, out)
    out.append("#endif")
    Path(sys.argv[1]).write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
