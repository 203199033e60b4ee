"""Commands and programs that tests run, and what they run them with."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import sublinear_lib

if TYPE_CHECKING:
    from click.testing import Result

ROOT = Path(sublinear_lib.__file__).parents[1]
TRAIN = ["train", "--data", "circle-8", "--m", "64", "--activity", "0.1"]
TRAIN += ["--certify", "0", "--quiet", "--steps"]


def sublinear(*arguments: object, **environment: str) -> Result:
    """Call the command in this process."""
    from click.testing import CliRunner

    from sublinear_lib.cli import main

    asked = [*map(str, arguments)]
    return CliRunner().invoke(main, asked, env=environment, terminal_width=200)


def python(
    code: str, *arguments: object, check: bool = True, options: tuple[str, ...] = (), **changed: str
) -> subprocess.CompletedProcess[str]:
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


def interrupted(code: str, *arguments: object, ready: Callable[[], object]) -> tuple[int, str]:
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
        end = time.monotonic() + 60
        while not ready() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=60)
        return process.returncode, messages
    finally:
        process.kill()
