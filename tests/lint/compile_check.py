"""Asks a compiler whether many small pieces of source are valid, side by side."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor


def rejected(jobs):
    """jobs: (what, command, source on standard input). Yields a line per failure."""

    def compile_one(job):
        what, command, source = job
        done = subprocess.run(command, input=source, capture_output=True, text=True)
        if done.returncode == 0:
            return None
        first = next((line for line in done.stderr.split("\n") if "error:" in line), done.stderr.strip())
        return f"{what}: {first}"

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            return [line for line in pool.map(compile_one, jobs) if line]
        except FileNotFoundError as missing:
            return [f"{missing.filename} is not here: ./dev lint installs it"]
