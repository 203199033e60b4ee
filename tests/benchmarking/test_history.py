"""The history of the benchmarks is what git's log gives, and ends with what is stored."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks import history, load_results
from benchmarks.history import (
    KEY_RATIOS,
    Entry,
    History,
    entry_of,
    load_history,
    noise_between,
    tidy_sections,
    write_history,
)
from benchmarks.history_tables import (
    history_curves,
    history_table,
    left_out_table,
    noise_table,
)
from benchmarks.results import QUESTIONS

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import bench_history  # noqa: E402

ENVIRONMENT = {"processor": "P", "cores": 2, "versions": {"numpy": "2.0"}}
KEY = next(each for each in KEY_RATIOS if each.section == "iteration" and each.rival == "dense")


def stored(
    speed: float, control: float = 1.0, *, quick: bool = False, question: str = "?"
) -> dict[str, Any]:
    """Return a made-up file of the benchmark of training with enough controls."""
    cell = dict(KEY.cell)
    rows = [
        {
            **cell,
            "share": cell["share"] * (k + 1),
            "microseconds": {"dense": 100.0, "auto": 100.0 / speed, "torch": 900.0 * control**k},
        }
        for k in range(20)
    ]
    section = {
        "question": question,
        "date": "2026-11-21",
        "environment": ENVIRONMENT,
        "settings": {"quick": quick},
        "rows": rows,
    }
    return {"schema": 2, "sections": {"iteration": section}}


FILE = "benchmarks/results/training.json"


# -- the stored history ------------------------------------------------------------------------


@pytest.mark.parametrize("benchmark", list(QUESTIONS))
def test_the_newest_entries_agree_with_the_stored_results(benchmark: str) -> None:
    sections = tidy_sections(load_results(benchmark).data)
    stored_history = load_history()
    for ratio in (each for each in KEY_RATIOS if each.benchmark == benchmark):
        newest = stored_history.newest(ratio.key)
        now = ratio.measure(sections)
        assert now is not None, f"{ratio.key} is no longer measured"
        assert newest is not None and newest.ratios[ratio.key] == now, (
            f"{ratio.key}: run tools/bench_history.py"
        )


def test_the_stored_history_is_what_the_log_gives() -> None:
    try:
        shallow = bench_history.git("rev-parse", "--is-shallow-repository").strip()
    except RuntimeError:
        pytest.skip("there is no git, or this is no clone")
    if shallow == "true":
        pytest.skip("the clone has no log")
    found, _ = bench_history.from_git()
    old = load_history()
    named = tuple(each for each in old.entries if each.commit and each.file in bench_history.FILES)
    commits = {each.commit for each in (*found.entries, *found.left_out)}
    if not commits >= {each.commit for each in named}:
        pytest.skip("the log of this clone does not reach back to the first measurement")
    assert found.entries[: len(named)] == named
    assert len(found.entries) <= len(old.entries), "run tools/bench_history.py"


def test_every_entry_has_machine_versions_and_a_ratio_that_is_followed() -> None:
    keys = {each.key for each in KEY_RATIOS}
    for entry in load_history().entries:
        assert entry.machine["processor"] and entry.versions["numpy"], entry.name
        assert entry.measured and entry.ratios.keys() <= keys
        assert all(ratio > 0.0 for ratio in entry.ratios.values())


def test_the_page_can_be_made_of_it() -> None:
    whole = load_history()
    runs, curves, noise = history_curves(whole)
    assert len(runs) >= 3 and noise > 1.0
    assert all(len(values) == len(runs) for values in curves.values())
    for benchmark in QUESTIONS:
        table = history_table(whole, benchmark)
        assert len(table.rows) == sum(each.benchmark == benchmark for each in KEY_RATIOS)
    assert len(left_out_table(whole).rows) == len(whole.left_out)


# -- entries -----------------------------------------------------------------------------------


def test_an_entry_holds_what_was_measured_anew_and_the_noise_since() -> None:
    first = entry_of(FILE, stored(8.0), commit="a" * 40, date="2026-11-20")
    second, _ = entry_of(FILE, stored(10.0, 1.01), [first], commit="b" * 40, date="2026-11-21")
    assert first[0].ratios[KEY.key] == 8.0 and first[0].noise == {}
    assert second.ratios[KEY.key] == 10.0
    noise = second.noise["iteration"]
    assert (noise.since, noise.controls) == ("a" * 40, 20)
    # the controls changed by 1.01^0, ..., 1.01^19
    assert noise.median == pytest.approx(1.01**9.5, rel=1e-3)
    assert noise.upper == pytest.approx(1.01**18.05, rel=1e-3)


def test_a_new_word_in_the_file_is_no_new_measurement() -> None:
    first = entry_of(FILE, stored(8.0))
    with pytest.raises(ValueError, match="nothing measured anew"):
        entry_of(FILE, stored(8.0, question="!"), [first])


def test_a_trial_and_an_unknown_format_are_refused() -> None:
    with pytest.raises(ValueError, match="only a trial"):
        entry_of(FILE, stored(8.0, quick=True))
    for data in ({"schema": 3, "sections": {}}, {}):
        with pytest.raises(ValueError, match="is not known"):
            tidy_sections(data)


def test_too_few_controls_say_nothing() -> None:
    sections = tidy_sections(stored(8.0))
    few = {"iteration": sections["iteration"][:19]}
    assert noise_between(few, sections, "iteration") is None
    assert noise_between(sections, sections, "scaling") is None


def test_a_change_counts_only_beyond_the_noise() -> None:
    def last(speed: float, control: float) -> str:
        first = entry_of(FILE, stored(8.0), commit="a" * 40, date="2026-11-20")
        second = entry_of(FILE, stored(speed, control), [first], commit="b" * 40, date="2026-11-21")
        table = history_table(History((first[0], second[0])), "training")
        return {row[0]: row[-1] for row in table.rows}[KEY.key]

    assert last(8.8, 1.001) == "8.8 ↑"
    assert last(7.2, 1.001) == "7.2 ↓"
    assert last(8.8, 1.02) == "8.8"


def test_the_noise_of_a_run_is_told_once_for_each_section() -> None:
    first = entry_of(FILE, stored(8.0), commit="a" * 40, date="2026-11-20")
    second, _ = entry_of(FILE, stored(9.0, 1.01), [first], commit="b" * 40, date="2026-11-21")
    rows = noise_table(History((first[0], second))).rows
    assert [row[0] for row in rows] == ["aaaaaaa", "bbbbbbb"]
    assert [row[-3:] for row in rows] == [["–", "–", "–"], ["20", "± 10 %", "× 1.2"]]


def test_a_history_is_read_as_it_was_written(tmp_path: Path) -> None:
    first = entry_of(FILE, stored(8.0), commit="a" * 40, date="2026-11-20")
    second, _ = entry_of(FILE, stored(9.0), [first], commit="b" * 40, date="2026-11-21")
    out = history.LeftOut(FILE, "c" * 40, "2026-11-19", "only a trial")
    whole = History((first[0], second), (out,))
    write_history(whole, tmp_path / "history.json")
    assert load_history(tmp_path / "history.json") == whole
    for text in ("{", "[]", '{"schema": 1, "entries": [{}], "left_out": []}'):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(ValueError, match=r"bad\.json"):
            load_history(tmp_path / "bad.json")
    with pytest.raises(FileNotFoundError, match="bench_history"):
        load_history(tmp_path / "none.json")


def test_what_was_never_measured_twice_has_no_figure() -> None:
    first, _ = entry_of(FILE, stored(8.0))
    with pytest.raises(ValueError, match="measured twice"):
        history_curves(History((first,)))


# -- the tool ----------------------------------------------------------------------------------


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make a small repository; return what stores a file in it and commits it if asked to."""

    def git(*arguments: str) -> None:
        name = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *name, *arguments], cwd=tmp_path, check=True, capture_output=True)

    def store(data: dict[str, Any], *, commit: bool = True) -> None:
        place = tmp_path / FILE
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(data))
        if commit:
            git("add", FILE)
            git("commit", "-q", "-m", "Measure")

    try:
        git("init", "-q")
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no git")
    monkeypatch.setattr(bench_history, "ROOT", tmp_path)
    return store


def test_the_tool_appends_what_is_new_and_names_it_once_it_is_committed(
    clone: Callable[..., None], tmp_path: Path
) -> None:
    file = tmp_path / "history.json"
    call = ["--file", str(file)]
    clone(stored(7.0, quick=True))
    clone(stored(8.0))
    assert bench_history.main(call) == 0
    before = load_history(file)
    assert [each.ratios[KEY.key] for each in before.entries] == [8.0]
    assert [each.reason for each in before.left_out] == ["only a trial: measured with --quick"]

    clone(stored(9.0), commit=False)
    assert bench_history.main([*call, "--check"]) == 1
    assert bench_history.main(call) == 0
    entries = load_history(file).entries
    assert [(each.ratios[KEY.key], bool(each.commit)) for each in entries] == [
        (8.0, True),
        (9.0, False),
    ]
    clone(stored(9.0))
    assert bench_history.main(call) == 0
    assert all(each.commit for each in load_history(file).entries)
    assert bench_history.main([*call, "--check"]) == 0


def test_entries_of_commits_that_a_clone_does_not_have_are_kept(
    clone: Callable[..., None], tmp_path: Path
) -> None:
    old, _ = entry_of(FILE, stored(5.0), commit="e" * 40, date="2020-01-01T00:00:00+00:00")
    file = tmp_path / "history.json"
    write_history(History((old,)), file)
    clone(stored(8.0))
    assert bench_history.main(["--file", str(file)]) == 0
    kept: tuple[Entry, ...] = load_history(file).entries
    assert [each.ratios[KEY.key] for each in kept] == [5.0, 8.0]
    assert math.isclose(kept[0].ratios[KEY.key], 5.0) and kept[0].commit == "e" * 40


def test_without_a_log_the_tool_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_history, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert bench_history.main(["--file", str(tmp_path / "history.json")]) == 2
    assert "git log failed" in capsys.readouterr().err
