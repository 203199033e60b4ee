"""Ctrl-C at any moment ends a command with a word and status 130, and loses nothing.

The long version is a campaign (``python -m benchmarks.reliability --only interrupts``).
"""

import contextlib
import os
import re
import signal
import sys
import time

import pytest

import benchmarks
from benchmarks.reliability import COMMANDS
from sublinear_lib import claims, features, runs
from sublinear_lib.claims.storing import load_evidence
from sublinear_lib.training import trainer
from tests.claims.statements import check_gap, claim
from tests.commands import ROOT, TRAIN, interrupted, python, sublinear

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="sends POSIX signals"),
    pytest.mark.thorough,
    pytest.mark.usefixtures("no_pictures"),
]


@pytest.fixture(autouse=True)
def listening():
    """Hear the signal also where the shell that runs the tests in the background has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt(*unused, **named):
    raise KeyboardInterrupt


def said(result):
    return result.output.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("where", "name"),
    [(runs.datasets, "load_split"), (runs, "accuracy"), (runs, "certified_accuracy")],
)
def test_an_interrupted_training_says_how_to_go_on(where, name, monkeypatch, tmp_path):
    monkeypatch.setattr(where, name, interrupt)
    asked = [*TRAIN, "10", "--certify", "1"]
    result = sublinear(*asked, "--out", str(tmp_path / "run"))
    assert result.exit_code == 130
    assert said(result).startswith("interrupted: the same command goes on from the last checkpoint")
    if name != "load_split":  # what was trained is stored before it is tested
        kept = {path.name for path in (tmp_path / "run").iterdir()}
        assert {"settings.json", "checkpoint.npz"} <= kept and "summary.json" not in kept
        assert name == "accuracy" or {"network.npz", "history.csv"} <= kept
    result = sublinear(*asked)
    assert result.exit_code == 130
    assert said(result).startswith("interrupted: nothing is stored; with --out the same command")
    monkeypatch.undo()
    assert sublinear(*asked, "--out", str(tmp_path / "run")).exit_code == 0


def test_a_benchmark_that_is_interrupted_at_once_stores_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(benchmarks, "run", interrupt)
    output = tmp_path / "times.json"
    result = sublinear("bench", "halfspace", "--quick", "--output", str(output))
    assert result.exit_code == 130
    assert said(result) == "interrupted: no section was finished and stored"
    assert not output.exists()


def kept():
    """Be a package that catches the interrupt and goes on."""
    with contextlib.suppress(BaseException):
        signal.raise_signal(signal.SIGINT)


def printed():
    """Be compiled code that prints the interrupt and goes on, as NumPy's around its imports."""
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        sys.excepthook(*sys.exc_info())


def caught(*arguments):
    """Be a check in which a package catches the interrupt."""
    kept()
    return check_gap(*arguments)


@pytest.mark.parametrize("checks", [(check_gap, interrupt), (caught, check_gap)])
def test_a_verification_ends_with_the_check_that_is_interrupted_and_shows_it(checks, monkeypatch):
    few = [claim(f"lem-a.{k}", check, claims.Verdict.GAP) for k, check in enumerate(checks, 1)]
    monkeypatch.setattr(claims, "LEDGER", claims.Ledger(few))
    result = sublinear("verify", "--quiet")
    assert (result.exit_code, said(result)) == (130, "interrupted")
    assert "1 of 2 checked" in result.output and "lem-a.1" in result.output
    assert "Traceback" not in result.output
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("lost", [kept, printed])
def test_training_ends_once_after_an_interrupt_that_did_not_reach_it(lost, monkeypatch):
    real, accuracy = trainer.Run.step, runs.accuracy

    def step(run):
        lost()
        return real(run)

    monkeypatch.setattr(trainer.Run, "step", step)
    monkeypatch.setattr(runs, "accuracy", lambda *args: time.sleep(0.1) or accuracy(*args))
    result = sublinear(*TRAIN, 1000)
    assert result.exit_code == 130
    assert re.search("steps +1\n", result.output) and "from the keyboard" in result.output
    assert "Traceback" not in result.output


def test_an_interrupt_that_python_has_to_ignore_is_not_lost(monkeypatch):
    """As it was when it came to numba's callback, which LLVM calls for each kernel it loads."""
    ignored = []
    real = runs.SmoothedGradient.__call__

    class First:
        """Where the first interrupt comes."""

        def __del__(self):
            ignored.append("once")
            # What follows is not to come between here and there.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            raise KeyboardInterrupt

    class Second:
        """Where the interrupt comes that follows it."""

        def __del__(self):
            try:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
                time.sleep(60)
            except KeyboardInterrupt:
                ignored.append("once more")
                raise

    def with_callbacks(self, *arguments, **named):
        if not ignored:
            First()
            Second()
        time.sleep(0.02)
        return real(self, *arguments, **named)

    monkeypatch.setattr(runs.SmoothedGradient, "__call__", with_callbacks)
    result = sublinear(*TRAIN, "3000")
    assert ignored == ["once", "once more"]
    assert result.exit_code == 130
    assert said(result).startswith("interrupted")


# one of each loop that trains, and of each part
TRAINING = ("alg-1", "thm-4.3", "thm-d", "prop-iii.12")


@pytest.mark.parametrize("name", TRAINING)
def test_an_interrupt_amid_training_leaves_no_evidence_of_the_check(name, monkeypatch, tmp_path):
    """It comes in the second step, when a truncated run could be judged."""
    steps = []

    def amid(real):
        def step(*arguments):
            steps.append(1)
            return real(*arguments) if len(steps) == 1 else interrupt()

        return step

    monkeypatch.setattr(trainer.Run, "step", amid(trainer.Run.step))
    training = features.training
    monkeypatch.setattr(training, "loss_and_errors", amid(training.loss_and_errors))
    cache, found = tmp_path / "cache", tmp_path / "found.json"
    result = sublinear("verify", name, "--quiet", "--cache", str(cache), "--json", str(found))
    assert len(steps) == 2, "nothing was trained, or it went on"
    assert result.exit_code == 130, result.output
    assert "0 of 1 checked" in result.output
    assert not list(cache.rglob("*.json"))
    assert not load_evidence(found)


def test_no_room_of_the_library_goes_on_after_an_interrupt():
    """The commands may; a trainer does for who asks; the others raise it again."""
    going_on = re.compile(r"except (KeyboardInterrupt|BaseException)|except:|on_interrupt=.return")
    library = ROOT / "sublinear_lib"
    found = {
        path.relative_to(library).as_posix()
        for path in library.rglob("*.py")
        if going_on.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"cli.py", "training/trainer.py", "training/sharded.py"}


LIFE = """
import pathlib, sys
from sublinear_lib import claims, features, runs
from sublinear_lib.cli import main
pathlib.Path(sys.argv[1]).touch()
main(sys.argv[2:], prog_name="sublinear")
"""


@pytest.mark.parametrize(("name", "seconds"), [("train", 0.02), ("train", 0.3), ("verify", 0.2)])
def test_a_command_that_gets_the_signal_leaves_whole_files(name, seconds, tmp_path):
    command, begun = COMMANDS[name], tmp_path / "begun"

    def ready():
        return begun.exists() and not time.sleep(seconds)

    asked = command.arguments(tmp_path)[2:]
    status, messages = interrupted(LIFE, begun, *asked, ready=ready)
    assert status == 130, messages
    assert messages.strip().splitlines()[-1].startswith("interrupted")
    assert "Traceback" not in messages
    assert command.whole(tmp_path) == []


def test_an_interrupt_while_the_library_is_loaded_ends_at_once(tmp_path):
    begun = tmp_path / "begun"
    slow = f"import pathlib, time; pathlib.Path({str(begun)!r}).touch(); time.sleep(60)"
    code = (
        "import sys, sublinear_lib.__main__ as command\n"
        "class Slow:\n"
        "    def find_spec(self, name, *unused):\n"
        f"        if name == 'sublinear_lib.cli': exec({slow!r})\n"
        "sys.meta_path.insert(0, Slow())\n"
        "command.run()\n"
    )
    assert interrupted(code, ready=begun.exists) == (130, "\ninterrupted\n")


def test_an_interrupt_while_a_bar_is_drawn_does_not_keep_the_command_from_ending():
    """It can leave tqdm's lock taken, for which tqdm's own thread waits, and Python for that."""
    script = (
        "import atexit, sys, time, tqdm\n"
        "class Monitor(tqdm.TMonitor):\n"
        "    def __init__(self, *arguments):\n"
        "        atexit.register(self.exit)  # as older versions do\n"
        "        super().__init__(*arguments)\n"
        "tqdm.std.TMonitor = Monitor\n"
        "import sublinear_lib.cli, sublinear_lib.__main__ as command\n"
        "def main(**unused):\n"
        "    tqdm.tqdm.monitor_interval = 0.01\n"
        "    bar = tqdm.tqdm(total=2)\n"
        "    tqdm.tqdm.get_lock().acquire()\n"
        "    time.sleep(0.5)\n"
        "    print('said')\n"
        "    sys.exit(130)\n"
        "sublinear_lib.cli.main = main\n"
        "command.run()\n"
    )
    ended = python(script, check=False)
    assert ended.returncode == 130, ended.stderr
    assert ended.stdout == "said\n"
