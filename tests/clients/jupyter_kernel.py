"""A Jupyter kernel of Debian's, from start to end, client and kernel both on ours by LD_LIBRARY_PATH alone.

jupyter_kernel.py LIBZMQ: over tcp, then over ipc.
"""

import os
import signal
import sys
import tempfile
import unittest
from pathlib import Path

from jupyter_client.manager import KernelManager

PATIENCE_S = 60
BOTH = {"tcp": "127.0.0.1", "ipc": "kernel"}
SHOW_LOADED = "print(*sorted({line.split()[-1] for line in open('/proc/self/maps') if 'libzmq' in line}))"


def loaded_here():
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return {Path(line.split()[-1]).resolve() for line in maps if "libzmq" in line}


class Kernel:
    """One that runs, with a client."""

    def __init__(self, transport, folder):
        place = BOTH[transport] if transport == "tcp" else f"{folder}/{BOTH[transport]}"
        self.manager = KernelManager(transport=transport, ip=place, connection_file=f"{folder}/kernel.json")
        # The kernel of the Python that runs this, wherever else one may be installed.
        self.manager.kernel_spec.argv[:] = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        self.manager.start_kernel(cwd=folder)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE_S)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def run(self, code, **more):
        """(the reply, what it printed)."""
        said = []

        def note(message):
            if message["msg_type"] == "stream":
                said.append(message["content"]["text"])

        reply = self.client.execute_interactive(code, timeout=PATIENCE_S, output_hook=note, **more)
        return reply["content"], "".join(said)


class Kernels(unittest.TestCase):
    def everywhere(self, check):
        for transport in BOTH:
            with self.subTest(transport=transport), tempfile.TemporaryDirectory(prefix="zlink-client-") as folder:
                with Kernel(transport, folder) as kernel:
                    check(kernel)

    def test_the_library_is_the_one_asked_for(self):
        self.assertEqual(loaded_here(), {library})

        def check(kernel):
            _, said = kernel.run(SHOW_LOADED)
            self.assertEqual({Path(file).resolve() for file in said.split()}, {library})

        self.everywhere(check)

    def test_code_runs_and_its_output_comes(self):
        def check(kernel):
            reply, said = kernel.run("for number in range(2000): print(number)\nkept = 6 * 7")
            self.assertEqual((reply["status"], said.split()), ("ok", [str(number) for number in range(2000)]))
            reply, said = kernel.run("print('x' * 3_000_000, end='')")
            self.assertEqual(said, "x" * 3_000_000)
            reply, _ = kernel.run("", user_expressions={"kept": "kept"})
            self.assertEqual(reply["user_expressions"]["kept"]["data"]["text/plain"], "42")
            reply, _ = kernel.run("1 / 0")
            self.assertEqual((reply["status"], reply["ename"]), ("error", "ZeroDivisionError"))

        self.everywhere(check)

    def test_input_is_asked_for(self):
        def check(kernel):
            asked = []

            def answer(message):
                asked.append(message["content"]["prompt"])
                kernel.client.input("Ada")

            _, said = kernel.run("print('hello', input('who? '))", allow_stdin=True, stdin_hook=answer)
            self.assertEqual((asked, said.strip()), (["who? "], "hello Ada"))

        self.everywhere(check)

    def test_completion_and_inspection(self):
        def check(kernel):
            kernel.client.kernel_info(reply=True, timeout=PATIENCE_S)
            reply = kernel.client.complete("import sy", reply=True, timeout=PATIENCE_S)
            self.assertIn("sys", reply["content"]["matches"])
            reply = kernel.client.inspect("print", reply=True, timeout=PATIENCE_S)
            self.assertTrue(reply["content"]["found"])

        self.everywhere(check)

    def test_interrupt_and_restart(self):
        def check(kernel):
            def interrupt(message):
                if message["msg_type"] == "stream":
                    kernel.manager.interrupt_kernel()

            reply = kernel.client.execute_interactive("import signal\nprint('here', flush=True)\nsignal.pause()",
                                                      timeout=PATIENCE_S, output_hook=interrupt)
            self.assertEqual(reply["content"]["ename"], "KeyboardInterrupt")
            kernel.run("kept = 1")
            kernel.manager.restart_kernel(now=True)
            kernel.client.wait_for_ready(timeout=PATIENCE_S)
            reply, _ = kernel.run("kept")
            self.assertEqual(reply["ename"], "NameError")

        self.everywhere(check)

    def test_the_heart_beats_until_the_end(self):
        def check(kernel):
            self.assertTrue(kernel.client.is_alive())
            kernel.client.shutdown(reply=True, timeout=PATIENCE_S)
            kernel.manager.finish_shutdown()
            self.assertFalse(kernel.manager.is_alive())

        self.everywhere(check)


if __name__ == "__main__":
    library = Path(sys.argv.pop(1)).resolve()
    # Kernels keep a history and settings; not in anybody's home.
    with tempfile.TemporaryDirectory(prefix="zlink-client-") as home:
        os.environ.update(HOME=home, IPYTHONDIR=f"{home}/ipython", JUPYTER_RUNTIME_DIR=home)
        unittest.main(verbosity=2)
