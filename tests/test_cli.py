"""The command ``sublinear``: real subcommands only, the library's numbers, errors that help."""

import json
import sys
from dataclasses import fields

import click
import joblib
import pytest
from scipy import stats

import sublinear_lib
from sublinear_lib import claims, scaling
from sublinear_lib.claims.storing import load_evidence
from sublinear_lib.cli import main
from tests.claims.statements import check_broken, check_gap, claim, small_ledger
from tests.commands import python, sublinear


def test_version_is_the_librarys_and_the_module_runs_as_the_same_command():
    told = f"sublinear, version {sublinear_lib.__version__}\n"
    assert sublinear("--version").output == told
    code = "import runpy; runpy.run_module('sublinear_lib', run_name='__main__')"
    assert python(code, "--version").stdout == told


def test_info_names_the_versions_and_the_kernels_in_use():
    lines = dict(line.split(maxsplit=1) for line in sublinear("info").output.splitlines())
    assert lines["sublinear-lib"] == sublinear_lib.__version__
    assert lines["Python"] == ".".join(map(str, sys.version_info[:3]))
    assert lines["numpy"].startswith("2.")
    forced = sublinear("info", SUBLINEAR_NUMBA="0", OMP_NUM_THREADS="3").output
    lines = dict(line.split(maxsplit=1) for line in forced.splitlines())
    assert (lines["kernels"], lines["OMP_NUM_THREADS"]) == ("numpy", "3")


def numbers(*arguments):
    result = sublinear("activity", *arguments, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("m", [16, 65536])
@pytest.mark.parametrize("t", [0.0, 0.5, 3.0])
def test_activity_is_the_normal_tail_of_the_standardized_threshold(m, t):
    tau = t * (2.0 / m) ** 0.5
    found = numbers("--m", str(m), "--tau", repr(tau))
    assert found["t"] == pytest.approx(t, rel=1e-14)
    assert found["activity"] == pytest.approx(stats.norm.sf(t), rel=1e-13)
    assert found["active_neurons"] == m * found["activity"]
    # Lemma 4.5 is twice m times exp(-tau^2 m / 4), whatever K the threshold is written with
    assert found["printed_q0"] == pytest.approx(2 * m * 2.718281828459045 ** (-(tau**2) * m / 4))


@pytest.mark.parametrize("rule", scaling.TAU_RULES)
def test_every_rule_can_be_named_and_its_parameter_is_used(rule):
    values = {"K": 2.5, "c": 0.4, "t": 1.5}
    values = {name: values[name] for name in scaling.TAU_RULES[rule].parameters}
    options = [each for name, value in values.items() for each in (f"--{name}", str(value))]
    found = numbers("--m", "4096", "--tau-rule", rule, *options)
    assert found["tau"] == scaling.TAU_RULES[rule].tau(4096, **values)
    assert numbers("--m", "64", "--tau-rule", rule)["tau"] == scaling.TAU_RULES[rule].tau(64)


def test_the_table_says_when_the_printed_bound_says_nothing():
    empty = sublinear("activity", "--m", "65536", "--tau-rule", "K/m^{3/5}").output
    assert "printed bound Q_0, K = 1" in empty
    assert "says nothing" in empty
    telling = sublinear("activity", "--m", "65536", "--tau-rule", "t", "--t", "3").output
    assert "neurons)" in telling
    assert "says nothing" not in telling


WRONG_CALLS = [
    "info --nothing",
    "activity --m 0 --tau 1",
    "train --m 0",
    "train --rho nan",
    "train --eta huge",
    f"report {__file__}",
    f"report {__file__} --label kind --m x",
    "bench halfspace --rounds 0",
    "bench training --widths 0",
    "verify thm-41",
    "verify --jobs 0",
    "claims show thm-41",
    "claims list thm-41",
]


@pytest.mark.parametrize(
    ("call", "status", "message"),
    [
        *((call, 2, "Error: ") for call in WRONG_CALLS),
        ("activity --m 8", 2, "give either --tau or --tau-rule"),
        ("activity --m 8 --tau 1 --tau-rule 1/m", 2, "give either --tau or --tau-rule"),
        ("activity --m 8 --tau-rule 1/m --K 2", 2, "--K has no effect with the rule '1/m'"),
        ("activity --m 8 --tau 1 --t 2", 2, "--t has no effect with --tau"),
        ("activity --m 8 --tau nan", 2, "tau must be"),
        ("activity --m 8.5 --tau 1", 2, "'8.5' is not a whole number such as 65536, 2^16 or 1e6"),
        ("activity --m 2^99999999 --tau 1", 2, "is not a whole number"),
        ("activity --m 8 --tau-rule other", 2, "is not one of"),
        ("verify thm-41", 2, "did you mean thm-4.1"),
        ("claims show thm-41", 2, "did you mean thm-4.1"),
        ("train --m 1e15 --data circle-8", 1, "neurons of 3 inputs need about 4.0e+16 bytes\n"),
    ],
)
def test_a_wrong_call_is_an_error_that_helps(call, status, message):
    result = sublinear(*call.split())
    assert result.exit_code == status
    assert message in result.output


def commands(group, *above):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inner = command if isinstance(command, click.Group) else None
        yield from commands(inner, *above, name) if inner else [(*above, name)]


def command_at(path):
    found = main
    for name in path:
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), name)
    return found


@pytest.mark.parametrize("path", [*commands(main)], ids=" ".join)
def test_every_command_has_help_and_a_wrong_call_and_ends_with_a_word(path, monkeypatch):
    assert any(call.startswith(" ".join(path)) for call in WRONG_CALLS)
    command = command_at(path)
    told = sublinear(*path, "--help").output
    options = [each.opts[0] for each in command.params if isinstance(each, click.Option)]
    assert all(option in told for option in options)
    for parameter in command.params:
        monkeypatch.setattr(parameter, "required", False)

    def failing(error):
        def run(**given):
            raise error

        return run

    first = command.params[0].name if command.params else "nothing"
    for error, status, word in (
        (ValueError("settings are damaged"), 1, "Error: settings are damaged"),
        (OSError(28, "No space left on device"), 1, "Error: [Errno 28] No space left on device"),
        (FloatingPointError("diverged"), 1, "Error: diverged"),
        (MemoryError("m needs 5 bytes"), 1, "Error: not enough memory: m needs 5 bytes"),
        (KeyboardInterrupt("kept"), 130, "interrupted: kept"),
        (TypeError(f"{first} must be 1"), 2 if command.params else 1, f"Error: {first} must be 1"),
    ):
        monkeypatch.setattr(command, "callback", failing(error))
        result = sublinear(*path)
        assert (result.exit_code, result.output.strip().splitlines()[-1]) == (status, word)


@pytest.mark.parametrize("m", ["65536", "2^16", "6.5536e4"])
def test_a_width_may_be_written_as_a_power(m):
    assert numbers("--m", m, "--tau", "0.01")["m"] == 65536
    kinds = {
        " ".join(path): {type(option.type) for option in found}
        for path in commands(main)
        if (found := [one for one in command_at(path).params if one.name in ("m", "widths")])
    }
    assert set(kinds) == {"activity", "train", "report", "bench halfspace", "bench training"}
    assert len(set.union(*kinds.values())) == 1


def test_more_processes_than_checks_are_not_started(few_claims, monkeypatch):
    asked = []
    real = joblib.Parallel

    def parallel(*, n_jobs, **options):
        asked.append(n_jobs)
        return real(n_jobs=n_jobs, **options)

    monkeypatch.setattr(joblib, "Parallel", parallel)
    monkeypatch.setattr(joblib, "cpu_count", lambda: 64)
    assert sublinear("verify", "thm-4.1", "thm-4.4", "lem-a.1", "--jobs", "99999").exit_code == 0
    monkeypatch.setattr(joblib, "cpu_count", lambda: 1)
    assert sublinear("verify", "thm-4.1", "thm-4.4", "lem-a.1", "--jobs", "99999").exit_code == 0
    assert asked == [3, 2]


def test_an_installed_copy_keeps_its_evidence(few_claims, monkeypatch):
    monkeypatch.setattr(claims, "__file__", str(few_claims / "lib" / "claims" / "__init__.py"))
    result = sublinear("verify", "thm-4.1", "--store")
    assert result.exit_code == 2
    assert "pip install -e ." in result.output
    assert list(few_claims.iterdir()) == []


def test_a_bar_is_shown_apart_from_the_table_on_a_terminal_only(few_claims, capsys, monkeypatch):
    # The runner of click 8.1 does not keep the two streams apart.
    assert not main(["verify", "thm-4.1"], standalone_mode=False)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert not main(["verify", "thm-4.1"], standalone_mode=False)
    table, bar = capsys.readouterr()
    assert "verifying: 100%" in bar
    assert "verifying" not in table
    assert "1 checked" in table


def test_all_statements_are_listed_and_verified_in_reading_order(few_claims):
    ids = ["lem-a.1", "thm-4.1", "thm-4.1r", "thm-4.4"]
    listed = sublinear("claims", "list").output.splitlines()
    assert [line.split()[0] for line in listed[1:]] == ids
    assert listed[3].split("  ")[1:] == ["holds as repaired", "complete here", "thm-4.1r"]
    result = sublinear("verify", "--quiet")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0].split() == ["id", "title", "verdict", "method", "seconds", "evidence"]
    assert [line.split()[0] for line in lines[1:5]] == ids
    assert "fails as printed" in lines[2] and "exact arithmetic" in lines[2]
    assert lines[2].endswith("exponent of m: 1/10 (asked: = -1/10)")
    assert "4 checked (quick budget, seed 0)" in lines[-1]
    assert lines[-1].endswith("4 as recorded, 0 not")


def test_some_statements_can_be_verified_and_written_to_a_file(few_claims):
    path = few_claims / "out.json"
    result = sublinear("verify", "thm-4.4", "lem-a.1", "--seed", 5, "--json", path, "--quiet")
    assert result.exit_code == 0
    found = load_evidence(path)
    assert set(found) == {"lem-a.1", "thm-4.4"}
    assert found["lem-a.1"].evidence.seed == 5
    assert list(few_claims.iterdir()) == [path]


@pytest.mark.parametrize("check", [check_gap, check_broken])
def test_a_verdict_other_than_the_recorded_one_fails_the_verification(monkeypatch, check):
    wrong = claims.Ledger(
        [
            claim("lem-a.1", check, claims.Verdict.HOLDS),
            claim("thm-4.4", check_gap, claims.Verdict.GAP),
        ]
    )
    monkeypatch.setattr(claims, "LEDGER", wrong)
    result = sublinear("verify", "--quiet")
    assert result.exit_code == 1
    assert "lem-a.1 is recorded as 'holds', found" in result.output
    assert "1 as recorded, 1 not" in result.output
    if check is check_broken:
        assert "ArithmeticError: the enclosure did not close" in result.output
    assert sublinear("verify", "thm-4.4", "--quiet").exit_code == 0


def test_stored_evidence_is_merged_and_asked_for_where_it_is_old(few_claims, monkeypatch):
    assert sublinear("verify", "thm-4.1", "lem-a.1", "--store", "--quiet").exit_code == 0
    assert sublinear("verify", "thm-4.4", "--store", "--quiet").exit_code == 0
    path = few_claims / "quick.json"
    assert set(load_evidence(path)) == {"lem-a.1", "thm-4.1", "thm-4.4"}
    rest = sublinear("verify", "--stale", "--store", "--quiet")
    assert "1 checked" in rest.output
    assert "thm-4.1r" in rest.output
    assert "nothing" not in rest.output
    again = sublinear("verify", "--stale")
    assert (again.exit_code, again.output) == (0, "no stored evidence is missing or outdated\n")
    fewer = claims.Ledger(item for item in small_ledger() if item.id == "lem-a.1")
    monkeypatch.setattr(claims, "LEDGER", fewer)
    assert sublinear("verify", "--store", "--quiet").exit_code == 0
    assert set(load_evidence(path)) == {"lem-a.1"}


def test_a_statement_is_shown_with_what_it_rests_on_and_what_was_found(few_claims):
    assert sublinear("verify", "--store", "--quiet").exit_code == 0
    shown = sublinear("claims", "show", "thm-4.1", COLUMNS="200")
    assert shown.exit_code == 0
    lines = [" ".join(line.split()) for line in shown.output.splitlines()]
    for line in (
        "thm-4.1: thm-4.1",
        "statement 2 + 2 = 4",
        "in plain words Two and two make four.",
        "place the paper, Section 1",
        "verdict fails as printed",
        "if misread the sign of an exponent",
        "repaired by thm-4.1r",
        "depends on lem-a.1",
        "taught in part1/test",
        "- exponent of m: 1/10 (asked: = -1/10) [no, statement, exact arithmetic]",
        'witness: {"exponent": "1/10"}',
    ):
        assert line in lines
    assert any(line.startswith("quick check, seed 0,") for line in lines)
    assert "used by thm-4.4" in " ".join(sublinear("claims", "show", "thm-4.1r").output.split())


def test_statements_are_written_as_json_with_all_their_fields(few_claims):
    assert sublinear("verify", "thm-4.1", "--store", "--quiet").exit_code == 0
    listed = json.loads(sublinear("claims", "list", "--json").output)
    shown = json.loads(sublinear("claims", "show", "thm-4.1", "--json").output)
    evidence = shown.pop("evidence")
    assert shown == listed[1]
    assert {"recorded": "fails as printed", "status": "complete here"}.items() <= shown.items()
    assert (shown["depends_on"], shown["repaired_by"]) == (["lem-a.1"], ["thm-4.1r"])
    assert shown.keys() >= {each.name for each in fields(claims.Claim)} - {"check"}
    (item,) = evidence["quick"]["observations"]
    assert (item["found"], item["outcome"]) == ({"fraction": "1/10"}, "no")
    assert evidence["quick"]["outdated"] is False
