"""Commands and programs that tests run, and what they run them with."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import sublinear_lib

ROOT = Path(sublinear_lib.__file__).parents[1]
TRAIN = ["train", "--data", "circle-8", "--m", "64", "--activity", "0.1"]
TRAIN += ["--certify", "0", "--quiet", "--steps"]


def sublinear(*arguments, **environment):
    """Call the command in this process."""
    from click.testing import CliRunner

    from sublinear_lib.cli import main

    asked = [*map(str, arguments)]
    return CliRunner().invoke(main, asked, env=environment, terminal_width=200)


def python(code, *arguments, check=True, options=(), **changed):
    """Run a program that can import the library, with changes of its environment."""
    return subprocess.run(
        [sys.executable, *options, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT), **changed},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=check,
    )


def wait_for(happened, seconds=60):
    """Wait until something has happened elsewhere."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def interrupted(code, *arguments, ready):
    """Run a program until something is there, press Ctrl-C; return its status and its messages."""
    # A shell that runs the tests in the background ignores Ctrl-C, and children inherit that.
    listening = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    process = subprocess.Popen(
        [sys.executable, "-c", listening + code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for(lambda: ready() or process.poll() is not None)
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=60)
        return process.returncode, messages
    finally:
        process.kill()
