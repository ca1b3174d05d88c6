"""Lays out the crate of the peers in a folder of the build, locked to pinned.toml.

lock.py FOLDER: copies the crate and writes its Cargo.lock: pinned.toml's packages, each
from where Cargo, as it is set up here, finds packages. `cargo --locked` there takes
these and no others, by their checksums.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def registry_of(folder):
    """How Cargo writes where packages come from, learned from a lock of its own."""
    (folder / "Cargo.lock").unlink(missing_ok=True)
    subprocess.run(["cargo", "generate-lockfile", "--quiet", "--manifest-path", folder / "Cargo.toml"], check=True)
    found = set(re.findall(r"^source = .*$", (folder / "Cargo.lock").read_text(), re.MULTILINE))
    if len(found) != 1:
        sys.exit(f"{len(found)} places where packages come from")
    return found.pop()


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "Cargo.toml", folder)
    shutil.copytree(HERE / "src", folder / "src", dirs_exist_ok=True)
    # Only what comes from elsewhere has a checksum.
    source = registry_of(folder)
    pinned = (HERE / "pinned.toml").read_text()
    locked = re.sub(r"^checksum = ", lambda found: f"{source}\n{found[0]}", pinned, flags=re.MULTILINE)
    (folder / "Cargo.lock").write_text(locked)


if __name__ == "__main__":
    main()
