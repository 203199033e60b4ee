"""The command ``sublinear``: the library's numbers without writing Python.

Each subcommand asks the rooms below for numbers and prints them; no formula lives here.  The bound
that ``sublinear activity`` prints is ``Q_0`` of Lemma 4.5, at the constant K whose threshold
``K / m^{3/5}`` is the one that was asked for.
"""

from __future__ import annotations

import json
import os
import platform
from importlib import metadata

import click

from sublinear_lib import __version__, scaling
from sublinear_lib.evaluation import kernels_in_use
from sublinear_lib.theory import printed_q0

__all__ = ["main"]

_PACKAGES = ("numpy", "scipy", "scikit-learn", "joblib", "numba")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sublinear")
def main() -> None:
    """Look at sublinear adversarial training from the command line."""


@main.command()
def info() -> None:
    """Say which versions, kernels and threads are in use."""
    rows = [("sublinear-lib", __version__), ("Python", platform.python_version())]
    rows += [(name, _version(name)) for name in _PACKAGES]
    rows += [("kernels", kernels_in_use()), ("processors", str(os.cpu_count() or "unknown"))]
    rows += [(name, os.environ.get(name, "not set")) for name in _THREADS]
    _print_table(rows)


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


@main.command()
@click.option("--m", type=int, required=True, help="Width: the number of neurons.")
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
    m: int,
    tau: float | None,
    tau_rule: str | None,
    K: float | None,
    c: float | None,
    t: float | None,
    as_json: bool,
) -> None:
    """Say how many neurons fire at a fixed point of X, at initialization.

    Their number is Binomial(m, Q(t)), where t is the threshold in standard deviations of a
    pre-activation, tau / sqrt(2/m), and Q the upper tail of the standard normal law.
    """
    given = {name: value for name, value in (("K", K), ("c", c), ("t", t)) if value is not None}
    if (tau is None) == (tau_rule is None):
        raise click.UsageError("give either --tau or --tau-rule")
    used = scaling.TAU_RULES[tau_rule].parameters if tau_rule is not None else ()
    for name in given:
        if name not in used:
            asked = "--tau" if tau_rule is None else f"the rule {tau_rule!r}"
            raise click.UsageError(f"--{name} has no effect with {asked}")
    try:
        if tau is None:
            tau = scaling.get_tau_rule(tau_rule).tau(m, **given)
        share = scaling.activity(tau, m)
        constant = tau * m**0.6
        numbers = {
            "m": m,
            "tau": tau,
            "t": scaling.standardize_threshold(tau, m),
            "activity": share,
            "active_neurons": m * share,
            "K": constant,
            "printed_q0": printed_q0(m, constant),
        }
    except (ValueError, TypeError) as error:
        raise click.UsageError(str(error)) from error
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


def _print_table(rows: list[tuple[str, str]]) -> None:
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        click.echo(f"{name:<{width}}  {value}")
