"""The command ``sublinear``: real subcommands only, the library's numbers, errors that help."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from scipy import stats

import sublinear_lib
from sublinear_lib import benchmarking, scaling
from sublinear_lib.cli import main


def sublinear(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(main, arguments, env=environment, terminal_width=200)


def test_help_lists_every_subcommand_with_what_it_does() -> None:
    result = sublinear("--help")
    assert result.exit_code == 0
    for name, command in main.commands.items():
        assert name in result.output
        assert command.get_short_help_str(limit=120) in result.output


@pytest.mark.parametrize("name", main.commands)
def test_every_subcommand_explains_itself(name: str) -> None:
    result = sublinear(name, "--help")
    assert result.exit_code == 0
    assert len(result.output) > 60


def test_the_benchmark_names_its_options_and_sections() -> None:
    result = sublinear("bench", "halfspace", "--help")
    assert result.exit_code == 0
    for name in (
        *benchmarking.BENCHMARKS["halfspace"].sections,
        "--quick",
        "--only",
        "--output",
        "--no-peers",
    ):
        assert name in result.output
    assert "halfspace" in sublinear("bench", "--help").output


def test_version_is_the_librarys() -> None:
    assert sublinear("--version").output == f"sublinear, version {sublinear_lib.__version__}\n"


def test_info_names_the_versions_and_the_kernels_in_use() -> None:
    lines = dict(line.split(maxsplit=1) for line in sublinear("info").output.splitlines())
    assert lines["sublinear-lib"] == sublinear_lib.__version__
    assert lines["Python"] == ".".join(map(str, sys.version_info[:3]))
    assert lines["numpy"].startswith("2.")
    forced = sublinear("info", SUBLINEAR_NUMBA="0", OMP_NUM_THREADS="3").output
    lines = dict(line.split(maxsplit=1) for line in forced.splitlines())
    assert (lines["kernels"], lines["OMP_NUM_THREADS"]) == ("numpy", "3")


def numbers(*arguments: str) -> dict[str, float]:
    result = sublinear("activity", *arguments, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("m", [16, 65536])
@pytest.mark.parametrize("t", [0.0, 0.5, 3.0])
def test_activity_is_the_normal_tail_of_the_standardized_threshold(m: int, t: float) -> None:
    tau = t * (2.0 / m) ** 0.5
    found = numbers("--m", str(m), "--tau", repr(tau))
    assert found["t"] == pytest.approx(t, rel=1e-14)
    assert found["activity"] == pytest.approx(stats.norm.sf(t), rel=1e-13)
    assert found["active_neurons"] == m * found["activity"]
    # Lemma 4.5 is twice m times exp(-tau^2 m / 4), whatever K the threshold is written with
    assert found["printed_q0"] == pytest.approx(2 * m * 2.718281828459045 ** (-(tau**2) * m / 4))


@pytest.mark.parametrize("rule", scaling.TAU_RULES)
def test_every_rule_of_the_library_can_be_named(rule: str) -> None:
    assert numbers("--m", "1024", "--tau-rule", rule)["tau"] == scaling.TAU_RULES[rule].tau(1024)


@pytest.mark.parametrize(
    ("rule", "name", "value"), [("K/m^{3/5}", "K", 2.5), ("c", "c", 0.4), ("t", "t", 1.5)]
)
def test_the_parameter_of_a_rule_is_used(rule: str, name: str, value: float) -> None:
    found = numbers("--m", "4096", "--tau-rule", rule, f"--{name}", str(value))
    assert found["tau"] == scaling.TAU_RULES[rule].tau(4096, **{name: value})


def test_the_table_says_when_the_printed_bound_says_nothing() -> None:
    empty = sublinear("activity", "--m", "65536", "--tau-rule", "K/m^{3/5}").output
    assert "printed bound Q_0, K = 1" in empty
    assert "says nothing" in empty
    telling = sublinear("activity", "--m", "65536", "--tau-rule", "t", "--t", "3").output
    assert "neurons)" in telling
    assert "says nothing" not in telling


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--m", "8"], "give either --tau or --tau-rule"),
        (["--m", "8", "--tau", "1", "--tau-rule", "1/m"], "give either --tau or --tau-rule"),
        (["--m", "8", "--tau-rule", "1/m", "--K", "2"], "--K has no effect with the rule '1/m'"),
        (["--m", "8", "--tau", "1", "--t", "2"], "--t has no effect with --tau"),
        (["--m", "0", "--tau", "1"], "m must be"),
        (["--m", "8", "--tau", "nan"], "tau must be"),
        (["--m", "8", "--tau-rule", "c", "--c", "7"], "c must be"),
        (["--m", "8.5", "--tau", "1"], "'8.5' is not a valid integer"),
        (["--m", "8", "--tau-rule", "other"], "is not one of"),
    ],
)
def test_a_bad_call_says_what_is_allowed_and_fails(arguments: list[str], message: str) -> None:
    result = sublinear("activity", *arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_the_module_runs_as_the_same_command() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "sublinear_lib", "--help"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(sublinear_lib.__file__).parents[1],
    )
    assert run.returncode == 0
    assert run.stdout.startswith("Usage: python -m sublinear_lib")
