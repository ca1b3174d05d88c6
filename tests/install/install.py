"""Installs into a fresh prefix, moves it, and builds and runs programs against it; and against the sources, added to a project.

install.py --build DIR --cmake PROGRAM --compiler PROGRAM --cxx PROGRAM --libdir NAME --version V

Every program has to say that the code it ran came out of that prefix, or of that project.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ZMQ_VERSION = "4.3.5"


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def expect(condition, complaint):
    if not condition:
        sys.exit(complaint)


def wanted_files(lib, version, has_command):
    major = version.split(".")[0]
    names = {
        *(f"include/zlink/{each.name}" for each in (HERE.parent.parent / "include" / "zlink").iterdir()),
        "include/zmq.h", "include/zmq_utils.h", "include/zlink.h", "include/zlink_utils.h", "share/doc/zlink/LICENSE",
        f"{lib}/libzlink.so", f"{lib}/libzlink.so.{major}", f"{lib}/libzlink.so.{version}", f"{lib}/libzlink.a",
        f"{lib}/libzlink_etcd.so.{major}", f"{lib}/libzlink_etcd.so.{version}",
        f"{lib}/libzmq.so", f"{lib}/libzmq.so.5", f"{lib}/libzmq.so.5.2.5",
        f"{lib}/pkgconfig/zlink.pc", f"{lib}/pkgconfig/libzmq.pc",
    }
    for package in ("zlink", "ZeroMQ"):
        names |= {f"{lib}/cmake/{package}/{package}{end}.cmake"
                  for end in ("Config", "ConfigVersion", "Targets", "Targets-*")}
    return names | (command_files() if has_command else set())


def command_files():
    return {
        "bin/zlink", "share/man/man1/zlink.1", "share/man/man1/zlink-*.1",
        "share/bash-completion/completions/zlink", "share/zsh/vendor-completions/_zlink",
        "share/fish/vendor_completions.d/zlink.fish",
    }


def check_files(prefix, lib, version, has_command):
    found = set()
    for path in prefix.rglob("*"):
        if path.is_symlink() or path.is_file():
            name = str(path.relative_to(prefix))
            name = re.sub(r"Targets-.*", "Targets-*.cmake", name)
            found.add(re.sub(r"man1/zlink-.*", "man1/zlink-*.1", name))
    wanted = wanted_files(lib, version, has_command)
    expect(found == wanted, f"missing: {sorted(wanted - found)}\nnot expected: {sorted(found - wanted)}")
    for name, target in ((f"{lib}/libzmq.so", "libzmq.so.5"), (f"{lib}/libzmq.so.5", "libzmq.so.5.2.5"),
                         (f"{lib}/libzlink.so.{version.split('.')[0]}", f"libzlink.so.{version}")):
        expect(os.readlink(prefix / name) == target, f"{name} is not a link to {target}")
    for name in found:
        if name.endswith((".pc", "Config.cmake", "Targets.cmake")):
            expect(str(prefix.parent) not in (prefix / name).read_text(), f"{name} names the place it was installed to")


def check_program(program, library_folder, version, wanted_file):
    environment = dict(os.environ, LD_LIBRARY_PATH=str(library_folder)) if library_folder else dict(os.environ)
    if not library_folder:
        environment.pop("LD_LIBRARY_PATH", None)
    said = run(program, env=environment, timeout=60)
    said_version, _, file = said.partition(" ")
    expect(said_version == version, f"{program.name} ran on version {said_version}, not {version}")
    expect(Path(file).resolve() == wanted_file.resolve(), f"{program.name} ran on {file}, not on {wanted_file}")
    print(f"{program.name}: {said}")


def by_pkg_config(prefix, lib, work, compiler, version):
    environment = dict(os.environ, PKG_CONFIG_PATH=str(prefix / lib / "pkgconfig"))
    for module, source, wanted_version, file in (("libzmq", "zmq_program.c", ZMQ_VERSION, "libzmq.so.5"),
                                                 ("zlink", "zlink_program.c", version, "libzlink.so"),
                                                 ("zlink", "zlink_1_program.c", version, "libzlink.so")):
        expect(run("pkg-config", "--modversion", module, env=environment) == wanted_version,
               f"{module}.pc does not say {wanted_version}")
        flags = run("pkg-config", "--cflags", "--libs", module, env=environment).split()
        expect(any(str(prefix) in os.path.realpath(flag[2:]) for flag in flags if flag.startswith("-L")),
               f"pkg-config found another {module}: {flags}")
        program = work / f"pkg_{Path(source).stem}"
        run(compiler, HERE / source, "-o", program, *flags, "-ldl")
        check_program(program, prefix / lib, wanted_version, prefix / lib / file)


def by_find_package(prefix, lib, work, cmake, compiler, version):
    folder = work / "found"
    said = run(cmake, "-S", HERE / "found", "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
               f"-DCMAKE_C_COMPILER={compiler}")
    variables = [line for line in said.splitlines() if "variables:" in line]
    expect(variables and f"1 {ZMQ_VERSION} {prefix}/include {prefix}/{lib}/libzmq.so" in variables[0],
           f"ZeroMQConfig.cmake says {variables}")
    run(cmake, "--build", folder)
    # CMake leaves the way to the libraries in the programs.
    check_program(folder / "over_zmq", None, ZMQ_VERSION, prefix / lib / "libzmq.so.5")
    check_program(folder / "over_zlink", None, version, prefix / lib / "libzlink.so")
    check_program(folder / "over_zlink_static", None, version, folder / "over_zlink_static")


def by_add_subdirectory(work, cmake, compilers, version):
    folder = work / "added"
    # The fewest sources.
    run(cmake, "-S", HERE / "added", "-B", folder, "-DZLINK_MINIMAL=ON", "-DZLINK_SOCKET_TYPES=PUSH;PULL",
        *(f"-DCMAKE_{language}_COMPILER={compiler}" for language, compiler in compilers.items()))
    run(cmake, "--build", folder, "--parallel", "2")
    lib = folder / "zlink" / "lib"
    check_program(folder / "over_zmq", None, ZMQ_VERSION, lib / "libzmq.so.5")
    check_program(folder / "over_zlink", None, version, lib / "libzlink.so")
    check_program(folder / "over_zlink_static", None, version, folder / "over_zlink_static")
    # Its rules are for itself: what is installed is the project's own.
    run(cmake, "--install", folder, "--prefix", work / "of_added")
    expect(not (work / "of_added").exists(), "the project installs what it has added")


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "cmake", "compiler", "cxx", "libdir", "version"):
        parser.add_argument(f"--{name}", required=True)
    given = parser.parse_args()
    work = Path(given.build).resolve() / "tests" / "install" / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    run(given.cmake, "--install", given.build, "--prefix", work / "first")
    prefix = work / "moved"
    (work / "first").rename(prefix)
    check_files(prefix, given.libdir, given.version, (Path(given.build) / "bin" / "zlink").exists())
    by_pkg_config(prefix, given.libdir, work, given.compiler, given.version)
    by_find_package(prefix, given.libdir, work, given.cmake, given.compiler, given.version)
    by_add_subdirectory(work, given.cmake, {"C": given.compiler, "CXX": given.cxx}, given.version)


if __name__ == "__main__":
    main()
