"""The whole library as one header: single_header.py TO

What a program sees of it is zlink.h and zlink.hpp. One of the program's
sources defines ZLINK_IMPLEMENTATION before it includes the header and holds
the library; it needs C++20 and the system's threads, and nothing else: CURVE,
which needs libsodium, ws, which needs OpenSSL, and the services are left out.

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
LEFT_OUT = {"crypto"}
OTHER_ABI = {"src/api/zmq_api.cpp"}
# Registries and their like have the libraries alone.
SERVICES = {f"src/api/{name}.cpp" for name in ("registries", "stored_registries", "service_handles", "services_built",
                                             "zlink_services_api", "gateways", "receivers", "security", "zlink_gateways_api",
                                             "spots", "partitioned_spots", "zlink_spots_api", "registry_events",
                                             "statistics_servers")}
SERVICES |= {"src/platform/shared_code.cpp", "src/platform/system_durable_file.cpp"}
SERVICES |= {f"src/wire/{name}.cpp" for name in ("gateway_message", "grant_message", "partition_message",
                                             "registry_message", "service_fields", "spot_message")}
# ws stands on OpenSSL: these are not put here, and of some what a library without
# has in their place.
WEBSOCKET = {f"src/wire/{name}.cpp" for name in
             ("http_head", "utf8", "ws_frame", "ws_link", "ws_mask", "ws_upgrade", "zws")}
WEBSOCKET |= {f"src/{name}.cpp" for name in
              ("engine/ws_stream", "engine/ws_convert", "engine/web_layer", "transport/web", "transport/web_address", "transport/web_transports")}
FOLDERS = ("src", "include", "compat")
INCLUDE = re.compile(r'^#\s*include\s+["<]([^">]+)[">]')


def found(name, beside):
    for folder in [beside.parent, *(ROOT / each for each in FOLDERS)]:
        if (folder / name).is_file():
            return folder / name
    return None


def put(path, seen, out):
    if path in seen:
        return
    seen.add(path)
    out.append(f"// --- {path.relative_to(ROOT)} ---")
    for line in path.read_text().splitlines():
        include = INCLUDE.match(line)
        inner = found(include[1], path) if include else None
        if inner is not None:
            put(inner, seen, out)
        elif line != "#pragma once":
            out.append(line)


def sources():
    for layer in LAYERS:
        folder = ROOT / "src" / layer / ("left_out" if layer in LEFT_OUT else "")
        for path in sorted(folder.glob("*.cpp")):
            name = str(path.relative_to(ROOT))
            instead = folder / "left_out" / path.name
            if NOT_LIBRARY.search(path.name) or name in OTHER_ABI:
                continue
            if name not in WEBSOCKET | SERVICES:
                yield path
            elif instead.is_file():
                yield instead


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    licence = [f"// {line}".rstrip() for line in (ROOT / "LICENSE").read_text().splitlines()]
    out = [*licence, "//", "// Made by tools/single_header.py. Define ZLINK_IMPLEMENTATION in one source.", "#pragma once"]
    seen = set()
    put(ROOT / "include" / "zlink" / "zlink.hpp", seen, out)
    out.append("#ifdef ZLINK_IMPLEMENTATION")
    for path in sources():
        put(path, seen, out)
    out.append("#endif")
    Path(sys.argv[1]).write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
