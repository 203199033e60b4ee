"""The command ``sublinear``: the library's numbers without writing Python.

Each subcommand asks the rooms below for numbers and prints them; no formula lives here.  The bound
that ``sublinear activity`` prints is ``Q_0`` of Lemma 4.5, at the constant K whose threshold
``K / m^{3/5}`` is the one that was asked for.  ``sublinear bench`` measures; what it
stores without being told where is a run with the standard settings and nothing less.
``sublinear verify`` runs the checks of the statements and fails when a verdict is not the recorded
one; only ``--store`` changes what the book shows.  Every command ends with status 0, with 2 where
an option or an argument is refused, with 1 where the work fails, and with 130 on Ctrl-C.  It says
why, without a traceback, and what was stored by then is whole.
"""

from __future__ import annotations

import _thread
import contextlib
import dataclasses
import errno
import importlib
import json
import os
import platform
import shutil
import signal
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast, get_args

import click

from sublinear_lib import __version__, archives, claims, report, runs, scaling, tables
from sublinear_lib._extras import COMPUTING, installed_version
from sublinear_lib.cluster import LostWorkers
from sublinear_lib.evaluation import kernels_in_use
from sublinear_lib.theory import printed_K, printed_q0
from sublinear_lib.training import Search

__all__ = ["main"]

_INTERRUPTED = 130
_PRESSED = threading.Event()
_CONTEXT = {"help_option_names": ["-h", "--help"], "show_default": True}
_LONGEST = 1000  # bits of a power, which a float can still hold
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@contextlib.contextmanager
def _ending_with_a_word(context: click.Context | None = None) -> Iterator[None]:
    """End the program with a status and a line where something goes wrong.

    The library names first what it refuses: a message that begins with the name of an option or an
    argument of the command means a wrong call.
    """
    try:
        yield
    except KeyboardInterrupt as interrupt:
        said = f": {interrupt}" if str(interrupt) else ""
        click.echo(f"\ninterrupted{said}", err=True)
        sys.exit(_INTERRUPTED)
    except MemoryError as error:
        raise click.ClickException(f"not enough memory: {error}".rstrip(": ")) from error
    except (ArithmeticError, ImportError, OSError, TypeError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.EPIPE:
            raise  # nobody reads on, which click knows how to take
        named = str(error).split(maxsplit=1)[:1]
        if context is not None and named and named[0] in context.params:
            raise click.UsageError(str(error), context) from error
        raise click.ClickException(str(error)) from error


@contextlib.contextmanager
def _losing_no_interrupt() -> Iterator[None]:
    """Interrupt again when Ctrl-C came where Python has to ignore what is raised.

    Such places are the callbacks of compiled code, as while numba compiles or loads a kernel, and
    the finalizers of objects.  Python passes what was raised there to ``sys.unraisablehook``, and
    compiled code that imports may print it by ``sys.excepthook``.  A package that catches
    everything tells nobody; for that, `_PRESSED` keeps that the key was pressed.
    """
    before = sys.unraisablehook, sys.excepthook
    _PRESSED.clear()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _press)
    again: list[threading.Timer] = []

    def lost(kind: type[BaseException]) -> bool:
        if issubclass(kind, KeyboardInterrupt):
            _PRESSED.set()
            # Interrupting at once would come here, where it is lost as well.
            again.append(threading.Timer(0.05, _interrupt))
            again[-1].daemon = True
            again[-1].start()
        return issubclass(kind, KeyboardInterrupt)

    sys.unraisablehook = lambda unraised: lost(unraised.exc_type) or before[0](unraised)
    sys.excepthook = lambda kind, *error: lost(kind) or before[1](kind, *error)
    try:
        yield
    finally:
        sys.unraisablehook, sys.excepthook = before
        for timer in again:
            timer.cancel()
        if signal.getsignal(signal.SIGINT) is _press:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _press(*unused: object) -> None:
    _PRESSED.set()
    raise KeyboardInterrupt


def _interrupt_if_pressed(*unused: object) -> None:
    """Interrupt after all where Ctrl-C was lost."""
    if _PRESSED.is_set():
        _PRESSED.clear()
        raise KeyboardInterrupt


def _interrupt() -> None:
    """Interrupt the main thread, also where it waits, unless it was interrupted after all."""
    if not _PRESSED.is_set():
        return
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(cast(int, threading.main_thread().ident), signal.SIGINT)
    else:
        _thread.interrupt_main()


class _Command(click.Command):
    """A command that ends with a word."""

    def invoke(self, ctx: click.Context) -> Any:
        """Carry out the command."""
        with _ending_with_a_word(ctx):
            return super().invoke(ctx)


class Commands(click.Group):
    """A group of commands that end with a word; on Ctrl-C click itself would say "Aborted!"."""

    command_class = _Command
    group_class = type

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Read the options of the group."""
        with _ending_with_a_word():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Carry out a command."""
        with _ending_with_a_word(), _losing_no_interrupt():
            return super().invoke(ctx)


def _whole(text: str) -> int:
    """Read a whole number, also as a power such as 2^16 or in the form 1e6."""
    base, power, exponent = text.partition("^")
    if power:
        number, times = int(base), int(exponent)
        if times < 0 or number.bit_length() * times > _LONGEST:
            raise ValueError
        return int(number**times)
    try:
        return int(text)
    except ValueError:
        given = float(text)
        if not given.is_integer() or abs(given) > 2.0**53:
            raise ValueError from None
        return int(given)


def _real(text: str) -> float:
    """Read a number, also as a power such as 10^-3."""
    base, power, exponent = text.partition("^")
    return float(base) ** int(exponent) if power else float(base)


class _Read(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5
    """What is read by a function, which raises ValueError for anything else."""

    def __init__(self, name: str, read: Callable[[str], object], wanted: str) -> None:
        self.name, self._read, self._wanted = name, read, wanted

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        """Read what was given; a default is there already."""
        try:
            return self._read(value) if isinstance(value, str) else value
        except (ValueError, ArithmeticError):
            self.fail(f"{value!r} is not {self._wanted}", param, ctx)


def _listed(read: Callable[[str], float]) -> Callable[[str], tuple[float, ...]]:
    """Return what reads several of a kind, separated by commas."""
    return lambda text: tuple(read(part.strip()) for part in text.split(","))


_WIDTH = _Read("integer", _whole, "a whole number such as 65536, 2^16 or 1e6")
WHOLES = _Read("list", _listed(_whole), "a list of whole numbers such as 3,2^16")
REALS = _Read("list", _listed(_real), "a list of numbers such as 0.001,0.1")
_FORMS = click.Choice(["jump", "continuous"])
_FOLDER = click.Path(file_okay=False, path_type=Path)
# Nobody looks at a bar in the log of a machine.
progress_option = click.option(
    "--quiet",
    "progress",
    is_flag=True,
    callback=lambda context, option, quiet: not quiet and sys.stderr.isatty(),
    help="Show no progress bar.  [default: only on a terminal]",
)


def _completing(names: Callable[[], Iterable[str]]) -> Callable[..., list[str]]:
    """Return what offers names to the shell."""
    return lambda context, option, begun: [name for name in names() if name.startswith(begun)]


_claim_ids = _completing(lambda: [claim.id for claim in claims.LEDGER])


@click.group(cls=Commands, context_settings=_CONTEXT)
@click.version_option(__version__, prog_name="sublinear")
def main() -> None:
    """Look at sublinear adversarial training from the command line."""


@main.command()
def info() -> None:
    """Say which versions, kernels and threads are in use."""
    rows = [("sublinear-lib", __version__), ("Python", platform.python_version())]
    rows += [(name, installed_version(name)) for name in COMPUTING]
    rows += [("kernels", kernels_in_use()), ("processors", str(os.cpu_count() or "unknown"))]
    rows += [(name, os.environ.get(name, "not set")) for name in _THREADS]
    _print_table(rows)


@main.command()
@click.option(
    "--m", type=_WIDTH, required=True, help="Width: the number of neurons, as 2^16 or 1e6."
)
@click.option("--tau", type=float, help="Threshold, in the units of a pre-activation.")
@click.option(
    "--tau-rule",
    type=click.Choice(list(scaling.TAU_RULES)),
    help="Threshold as a function of the width, instead of --tau.",
)
@click.option("--K", "K", type=float, help="Constant of the rules with K.  [default: 1]")
@click.option("--c", type=float, help="Sparsity exponent of the rule 'c'.  [default: 1/5]")
@click.option("--t", type=float, help="Standardized threshold of the rule 't'.  [default: 1]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def activity(
    m: int, tau: float | None, tau_rule: str | None, as_json: bool, **constants: float | None
) -> None:
    """Say how many neurons fire at a fixed point of X, at initialization.

    Their number is Binomial(m, Q(t)), where t is the threshold in standard deviations of a
    pre-activation, tau / sqrt(2/m), and Q the upper tail of the standard normal law.
    """
    given = {name: value for name, value in constants.items() if value is not None}
    if (tau is None) == (tau_rule is None):
        raise click.UsageError("give either --tau or --tau-rule")
    used = scaling.TAU_RULES[tau_rule].parameters if tau_rule is not None else ()
    for name in given:
        if name not in used:
            asked = "--tau" if tau_rule is None else f"the rule {tau_rule!r}"
            raise click.UsageError(f"--{name} has no effect with {asked}")
    if tau is None:
        tau = scaling.get_tau_rule(tau_rule).tau(m, **given)
    share = scaling.activity(tau, m)
    constant = printed_K(tau, m)
    numbers = {
        "m": m,
        "tau": tau,
        "t": scaling.standardize_threshold(tau, m),
        "activity": share,
        "active_neurons": m * share,
        "K": constant,
        "printed_q0": printed_q0(m, constant),
    }
    if as_json:
        click.echo(json.dumps(numbers))
        return
    empty = "more than m: says nothing" if numbers["printed_q0"] > m else "neurons"
    _print_table(
        [
            ("width m", f"{m}"),
            ("threshold tau", f"{numbers['tau']:.6g}"),
            ("in standard deviations, t", f"{numbers['t']:.6g}"),
            ("expected activity Q(t)", f"{share:.6g}"),
            ("expected active neurons m Q(t)", f"{numbers['active_neurons']:.6g}"),
            (f"printed bound Q_0, K = {constant:.4g}", f"{numbers['printed_q0']:.6g} ({empty})"),
        ]
    )


def _setting(name: str, **parameters: Any) -> Callable[[Any], Any]:
    """Return the option for a setting of a run, which knows its default."""
    default = getattr(runs.TrainingRun, name.removeprefix("--").replace("-", "_"))
    return click.option(name, default=default, **parameters)


@main.command(
    epilog="""Examples:

    sublinear train --data digits-3v8 --m 65536 --activity 0.01 --rho 0.2 --out run/

    sublinear train --data circle-8 --adversary projected --activation continuous --steps 500

    sublinear train --data circle-8 --rho 0.05 --index aggregates --adversary projected

    The same command once more goes on from the last checkpoint; with more --steps it goes farther.
    Proofs are quick for circle-8, and rarely succeed in the 65 dimensions of the digits.

    The exit code is 0 after the last step, 1 after an error, 2 for a wrong call, and 130 after
    Ctrl-C."""
)
@_setting(
    "--data",
    help="digits-3v8 (any two digits), digits-even-odd, breast-cancer, circle-8.",
    shell_complete=_completing(
        lambda: ("digits-3v8", "digits-even-odd", "breast-cancer", "circle-8")
    ),
)
@_setting("--m", type=_WIDTH, help="Width: the number of neurons, as 2^16 or 1e6.")
@_setting("--activity", type=float, help="Share of neurons that fire when training starts.")
@_setting("--rho", type=float, help="Radius of the adversary's caps, a chord length on X.")
@_setting("--steps", type=int, help="Steps of Algorithm 1.")
@_setting("--adversary", type=click.Choice(runs.ADVERSARIES), help="Whom to train against.")
@_setting("--attack-steps", type=int, help="Steps of the adversary.")
@_setting("--activation", type=_FORMS, help="Form of shifted ReLU.")
@_setting("--loss", help="absolute, huber, log-cosh or epsilon-insensitive.")
@_setting("--eta", help="Step size: a number, or a rule: auto, printed, repaired or stable.")
@_setting("--index", type=click.Choice(get_args(Search)), help="How neurons are found.")
@_setting("--test-fraction", type=float, help="Share of the data kept for testing.")
@_setting("--seed", type=int, help="Seed of everything random.")
@_setting("--certify", type=int, help="Test points to prove something about; 0 for none.")
@_setting("--certify-seconds", type=float, help="Time for each proof.")
@click.option(
    "--out",
    type=_FOLDER,
    help="Folder for settings, checkpoints, network.npz, history.csv, summary.json and run.png.",
)
@progress_option
def train(out: Path | None, progress: bool, **given: Any) -> None:
    """Train a network against an adversary, and test it under a stronger attack.

    Ctrl-C ends the training after the present step; what there is by then is tested and stored.
    The table at the end holds the accuracy at the test points, under the attack, and what was
    proved: at which test points the network is certified right all over the cap, falsified by a
    point that was found, or neither (unknown).
    """
    try:
        run = runs.TrainingRun(**given)
        report = run.execute(
            out,
            progress=progress,
            say=lambda text: click.echo(text, err=True),
            callback=_interrupt_if_pressed,
            on_interrupt="return",
        )
        rows = [(name, _shown(value)) for name, value in report.summary().items()]
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_going_on(out)) from None
    _print_table(rows)
    if out is not None:
        click.echo(f"stored in {out}")
    if report.history.interrupted:
        raise KeyboardInterrupt(_going_on(out))


def _going_on(out: Path | None) -> str:
    """Say what an interrupted training run leaves behind."""
    if out is None:
        return "nothing is stored; with --out the same command goes on where it stopped"
    return f"the same command goes on from the last checkpoint in {out}, if there is one yet"


@main.command(
    name="report",
    epilog="""Examples:

    sublinear report data.csv --label kind --rho 0.1

    sublinear report data.csv --label kind --m 4096 --activity 0.02 --rho 0.1 --out report/

    Without --out the report is printed as Markdown.  The same command with the same seed writes the
    same bytes.""",
)
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--label", required=True, help="Column that names the class; two different entries.")
@click.option("--positive", help="Entry that becomes +1.  [default: the later one by alphabet]")
@click.option("--columns", help="Features to use, separated by commas.  [default: all others]")
@click.option("--delimiter", default=",", help="Stands between two cells.")
@click.option("--m", type=_WIDTH, default=4096, help="Width of the network.")
@click.option("--activity", type=float, help="Share of neurons that fire.  [default: 0.02]")
@click.option("--tau", type=float, help="Threshold itself, instead of --activity.")
@click.option("--rho", type=float, default=0.1, help="Radius of the caps on X.")
@click.option("--training-rho", type=float, help="Radius in training.  [default: --rho]")
@click.option("--steps", type=int, default=200, help="Steps of Algorithm 1.")
@click.option("--seed", type=int, default=0, help="Seed of everything random.")
@click.option("--activation", type=_FORMS, default="jump", help="Form of shifted ReLU.")
@click.option("--test-fraction", type=float, default=0.3, help="Share that is held out.")
@click.option("--certify", type=int, help="Look at so many held-out rows only.  [default: all]")
@click.option(
    "--out", type=_FOLDER, help="Folder for report.md, report.json, promise.png and training.png."
)
@progress_option
def report_command(
    data: Path, label: str, columns: str | None, out: Path | None, progress: bool, **given: Any
) -> None:
    """Train on a CSV file of your own, and say what may be promised.

    DATA has a header, one column with two classes, and numbers.  The network is trained on one part
    of the rows; the others are attacked, and proved right where that is possible.
    """
    if given["activity"] is not None and given["tau"] is not None:
        raise click.UsageError("give either --activity or --tau, not both")
    chosen = None if columns is None else [name.strip() for name in columns.split(",")]
    anew = out is not None and not out.exists()
    try:
        reading = {name: given.pop(name) for name in ("positive", "delimiter")}
        table = tables.read_table(data, label, columns=chosen, **reading)
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            archives.check_writable(out / "report.md")
        found = report.make_report(table, progress=progress, **given)
        if out is not None:
            reason = report.store_report(found, out)
            if reason:
                click.echo(f"no pictures: {reason}", err=True)
    finally:
        if out is not None and anew:
            with contextlib.suppress(OSError):
                out.rmdir()  # a folder that was made for nothing
    if out is None:
        click.echo(found.to_markdown(), nl=False)
    else:
        rows = [
            (name, f"{one.estimate:.3f} ({one.lower:.3f} to {one.upper:.3f})")
            for name, one in found.shares.items()
        ]
        rows += [("open", str(found.unknown)), *(("warning", text) for text in found.warnings)]
        _print_wrapped(rows)
        click.echo(f"stored in {out}")


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


class _Beside(Commands):
    """The commands of ``sublinear bench``: ``benchmarks/command.py``, beside the package."""

    def _group(self) -> click.Group:
        try:
            return cast(click.Group, importlib.import_module("benchmarks.command").bench)
        except ModuleNotFoundError as error:
            if error.name != "benchmarks":
                raise
            raise click.UsageError(
                "the benchmarks are not part of the installed library: "
                "'pip install -e ./benchmarks' in a clone of the repository brings them"
            ) from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List what can be measured."""
        return self._group().list_commands(ctx)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return one of the commands."""
        return self._group().get_command(ctx, name)


@main.group(cls=_Beside)
def bench() -> None:
    """Measure how fast the library is on this machine, in a clone of the repository."""


@main.command(
    epilog="""Examples:

    sublinear verify

    sublinear verify thm-4.1 lem-4.5 --seed 3

    sublinear verify --budget full --jobs 2 --store

    sublinear verify --budget full --scheduler tcp://10.0.0.5:8786 --cache found/

    With --cache, the same command after an interrupt goes on with what is missing.

    The exit code is 0 when every verdict is the recorded one, 1 when one is not or a check could
    not be done, 2 for a wrong call, and 130 after Ctrl-C."""
)
@click.argument("ids", nargs=-1, shell_complete=_claim_ids)
@click.option(
    "--budget",
    type=click.Choice([item.value for item in claims.Budget]),
    default="quick",
    help="How much time the checks may take: a few minutes, or the better part of an hour.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    help="Processes, at most as many as checks and processors.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Dask scheduler whose workers run the checks instead, such as tcp://10.0.0.5:8786.",
)
@click.option(
    "--cache",
    type=_FOLDER,
    help="Folder for what each check finds, so that an interrupted run goes on.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Seed of everything random.")
@click.option(
    "--json",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for everything that was found.",
)
@click.option("--stale", is_flag=True, help="Only what has no stored evidence, or outdated one.")
@click.option("--store", is_flag=True, help="Renew the evidence that a clone keeps.")
@progress_option
def verify(
    ids: tuple[str, ...], budget: str, output: Path | None, stale: bool, store: bool, **given: Any
) -> None:
    """Check numbered statements of the paper, all of them or those with the given IDS.

    Each statement gets the verdict that follows from what its check finds.  Ctrl-C ends the run;
    what was found by then is shown, and stored if that was asked for.
    """
    chosen = _chosen(ids)
    if output is not None:
        archives.check_writable(output)
    if store:
        _check_clone(budget)
    if stale:
        old = set(claims.stale(claims.LEDGER, claims.stored_evidence(budget)))
        chosen = tuple(claim for claim in chosen if claim.id in old)
        if not chosen:
            click.echo("no stored evidence is missing or outdated")
            return
    names = [claim.id for claim in chosen]
    reports: dict[str, claims.Verification] = {}
    begun, interrupted, failure = time.monotonic(), False, None
    running = claims.verify_each(claims.LEDGER, names, budget=budget, **given)
    try:
        for report in running:
            reports[report.claim.id] = report
            _interrupt_if_pressed()
    except KeyboardInterrupt:
        interrupted = True
    except LostWorkers as error:
        # What was found by then is shown and stored, as after an interrupt.
        interrupted, failure = True, str(error)
    finally:
        running.close()
    ordered = [reports[name] for name in names if name in reports]
    seconds = time.monotonic() - begun
    changed = _print_verdicts(ordered)
    done = f"{len(ordered)} of {len(names)} checked" if interrupted else f"{len(ordered)} checked"
    click.echo(
        f"{done} ({budget} budget, seed {given['seed']}) in {seconds:.0f} s: "
        f"{len(ordered) - len(changed)} as recorded, {len(changed)} not"
    )
    if output is not None:
        claims.save_evidence(output, claims.merge({}, ordered))
        click.echo(f"written to {output}")
    if store:
        _store(ordered, budget)
    if failure is not None:
        raise click.ClickException(failure)
    if interrupted:
        kept = given["cache"]
        raise KeyboardInterrupt("" if kept is None else f"{kept} keeps what was found")
    if changed:
        sys.exit(1)


def _check_clone(budget: str) -> None:
    """See that there is a clone in which evidence can be stored."""
    if not (Path(claims.__file__).parents[2] / "pyproject.toml").is_file():
        raise click.UsageError(
            "--store renews the evidence in a clone of the repository, and this library is "
            "installed without one: install it with 'pip install -e .' in a clone, or keep "
            "what is found with --json FILE"
        )
    claims.evidence_path(budget).parent.mkdir(exist_ok=True)
    archives.check_writable(claims.evidence_path(budget))


def _print_verdicts(ordered: Sequence[claims.Verification]) -> list[claims.Verification]:
    """Print what was found; return what is not as recorded."""
    if ordered:
        head = ("id", "title", "verdict", "method", "seconds", "evidence")
        _print_columns(head, [_row(found) for found in ordered])
    changed = [found for found in ordered if not found.as_recorded]
    for found in changed:
        reason = f": {found.error}" if found.error else ""
        click.echo(
            f"{found.claim.id} is recorded as {found.claim.recorded.value!r}, "
            f"found {found.verdict.value!r}{reason}"
        )
    return changed


def _chosen(ids: Sequence[str]) -> tuple[claims.Claim, ...]:
    """Return the claims of those ids, or refuse with the nearest ones."""
    try:
        return claims.LEDGER.select(ids)
    except KeyError as error:
        raise click.UsageError(error.args[0]) from error


def _row(report: claims.Verification) -> tuple[str, ...]:
    """Return a line of the table of a verification."""
    mark = "" if report.as_recorded else " (!)"
    start = (report.claim.id, report.claim.title, report.verdict.value + mark)
    if report.evidence is None:
        return (*start, "", "", report.error)
    shown = report.evidence.deciding
    found = f"{shown.what}: {shown.shown} (asked: {shown.asked})"
    return (*start, shown.method.value, f"{report.evidence.seconds:.1f}", found)


def _store(reports: Sequence[claims.Verification], budget: str) -> None:
    """Put new evidence in the place of old, and drop that of claims that are no longer there."""
    kept = claims.merge(claims.stored_evidence(budget), reports)
    path = claims.evidence_path(budget)
    path.parent.mkdir(exist_ok=True)
    checked = {claim.id for claim in claims.LEDGER.checked()}
    claims.save_evidence(path, {name: kept[name] for name in kept if name in checked})
    click.echo(f"stored in {path}")


@main.group(name="claims")
def claims_group() -> None:
    """Read the numbered statements of the paper and their verdicts."""


_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON with all fields.")


@claims_group.command(name="list")
@_as_json
def list_claims(as_json: bool) -> None:
    """List all statements with their recorded verdicts and how these are known."""
    if as_json:
        _print_json([_fields(claim) for claim in claims.LEDGER])
        return
    _print_columns(
        ("id", "recorded", "status", "title"),
        [(claim.id, claim.recorded.value, claim.known, claim.title) for claim in claims.LEDGER],
    )


def _fields(claim: claims.Claim) -> dict[str, Any]:
    """Return what a claim says, as JSON has it."""
    ledger, weakest = claims.LEDGER, claims.LEDGER.weakest(claim.id)
    fields = {
        each.name: getattr(claim, each.name)
        for each in dataclasses.fields(claim)
        if each.name != "check"
    }
    return {
        **fields,
        "source": dataclasses.asdict(claim.source),
        "recorded": claim.recorded.value,
        "status": None if claim.status is None else claim.status.value,
        "known": claim.known,
        "weakest": None if weakest is None else weakest.value,
        "rests_on_cited": [each.id for each in ledger.cited(claim.id)],
        "repaired_by": [each.id for each in ledger.repairs_of(claim.id)],
        "used_by": [each.id for each in ledger if claim.id in each.depends_on],
    }


def _print_json(data: object) -> None:
    click.echo(json.dumps(data, indent=1, ensure_ascii=False))


@claims_group.command(name="show")
@click.argument("name", metavar="ID", shell_complete=_claim_ids)
@_as_json
def show_claim(name: str, as_json: bool) -> None:
    r"""Show one statement, such as thm-4.1, with the evidence that is stored for it.

    What stands in \rec{...} could not be read in our copy of the paper and was restored.
    """
    (claim,) = _chosen([name])
    fields = _fields(claim)
    stored = {
        budget: item
        for budget in claims.Budget
        if (item := claims.stored_evidence(budget.value).get(claim.restates or claim.id))
    }
    now = claims.fingerprint(claims.LEDGER[claim.restates or claim.id])
    if as_json:
        found = {
            budget.value: {**claims.encoded(item.evidence), "outdated": item.fingerprint != now}
            for budget, item in stored.items()
        }
        _print_json({**fields, "evidence": found})
        return
    origins = {"paper": "the paper", "memorization": "Part II", "features": "Part III"}
    origin = origins.get(claim.source.work, claim.source.work)
    rows = [
        ("statement", claim.statement),
        ("in plain words", claim.plain),
        ("place", f"{origin}, {claim.source.place}"),
        ("verdict", claim.recorded.value),
        ("status", claim.known),
        ("implemented by", claim.implemented_by),
        ("repeats", claim.restates),
        ("same cause as", claim.cause),
        ("why", claim.remark),
        ("if misread", claim.misreading),
        ("proof", claim.proof),
        ("repairs", claim.repairs),
        ("repaired by", ", ".join(fields["repaired_by"])),
        ("depends on", ", ".join(claim.depends_on)),
        ("rests on cited", ", ".join(fields["rests_on_cited"])),
        *((f"despite {name}", why) for name, why in claim.despite.items()),
        ("used by", ", ".join(fields["used_by"])),
        ("taught in", claim.chapter),
    ]
    click.echo(f"{claim.id}: {claim.title}\n")
    _print_wrapped([(label, text) for label, text in rows if text])
    for budget, item in stored.items():
        evidence, old = item.evidence, item.fingerprint != now
        click.echo(
            f"\n{budget.value} check, seed {evidence.seed}, {evidence.seconds:.1f} s: "
            f"{evidence.verdict.value}{' (outdated)' if old else ''}"
        )
        for seen in evidence.observations:
            line = f"{seen.what}: {seen.shown} (asked: {seen.asked})"
            note = f"{seen.outcome.value}, {seen.role.value}, {seen.method.value}"
            click.echo(_wrapped(f"{line} [{note}]", "  - ", "    "))
        if evidence.witness:
            click.echo(_wrapped(f"witness: {json.dumps(dict(evidence.witness))}", "  ", "    "))


def _columns() -> int:
    """Return how wide a line may be; a pipe has no width of its own."""
    return shutil.get_terminal_size((100, 24)).columns


def _wrapped(text: str, first: str, later: str) -> str:
    """Break a text into lines; its own words stay whole."""
    return textwrap.fill(
        " ".join(text.split()),
        max(_columns(), len(later) + 20),
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _print_wrapped(rows: Sequence[tuple[str, str]]) -> None:
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        click.echo(_wrapped(text, f"{name:<{width}}  ", " " * (width + 2)))


def _print_columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; on a terminal its last column ends where the line does."""
    table = [tuple(head), *map(tuple, rows)]
    widths = [max(len(row[k]) for row in table) for k in range(len(head) - 1)]
    room = sys.maxsize
    if sys.stdout.isatty():
        room = max(20, _columns() - sum(widths) - 2 * len(widths))
    for row in table:
        start = "".join(f"{cell:<{width}}  " for cell, width in zip(row, widths, strict=False))
        last = row[-1] if len(row[-1]) <= room else row[-1][: room - 3] + "..."
        click.echo((start + last).rstrip())


def _print_table(rows: list[tuple[str, str]]) -> None:
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        click.echo(f"{name:<{width}}  {value}")
