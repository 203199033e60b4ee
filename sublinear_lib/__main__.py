"""Run the command ``sublinear``, also as ``python -m sublinear_lib``.

Loading the library takes seconds, and Ctrl-C may come amid them, where Python would show a
traceback out of the middle of some package, or take the interrupt for a broken installation.  So
the command begins here: as long as nothing else is done, an interrupt ends the process at once.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys

__all__ = ["run"]


def _leave(*unused: object) -> None:
    """End this process; there is nothing to lose or to tidy up."""
    os.write(2, b"\ninterrupted\n")
    os._exit(130)


def run(name: str = "sublinear") -> None:
    """Load the command and run it.

    Parameters
    ----------
    name : str, default "sublinear"
        What it calls itself.
    """
    # Whoever was told to ignore Ctrl-C, as in the background, goes on ignoring it.
    listening = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if listening:
        signal.signal(signal.SIGINT, _leave)
    from sublinear_lib.cli import main

    if listening:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        main(prog_name=name)
    finally:
        # All is said and stored; what is left is Python's own tidying up.
        try:
            sys.stdout.flush()
        except OSError:  # which was said when it was written; Python would say it once more
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _leave_bars()
        if listening:
            signal.signal(signal.SIGINT, _leave)


def _leave_bars() -> None:
    """Let this process end without the thread that looks after tqdm's bars.

    An interrupt that comes while a bar is drawn can leave tqdm's lock taken.  The thread then waits
    for the lock for ever, and tqdm for the thread when Python ends.
    """
    bars = sys.modules.get("tqdm")
    if bars is not None and bars.tqdm.monitor is not None:
        atexit.unregister(bars.tqdm.monitor.exit)


if __name__ == "__main__":
    run("python -m sublinear_lib")
