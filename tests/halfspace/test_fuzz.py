"""The fuzzer finds what is wrong, says how to see it again, and finds nothing else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import fuzz
from benchmarks.fuzz import campaign, families
from benchmarks.fuzz.__main__ import main
from benchmarks.fuzz.exact import decide
from benchmarks.fuzz.histories import compare
from sublinear_lib.halfspace import HalfspaceHits, HalfspaceIndex
from sublinear_lib.halfspace.aggregates import _SummingTree
from sublinear_lib.halfspace.cap import CapPrefix
from sublinear_lib.halfspace.engine import Engine
from sublinear_lib.halfspace.onion import ConvexLayers
from sublinear_lib.halfspace.partition_tree import PartitionTree
from sublinear_lib.halfspace.scan import Scan
from sublinear_lib.halfspace.tree import BoxTree
from tests.halfspace.oracle import inside, problems, score, slice_problems

pytestmark = pytest.mark.thorough


def fuzz_command(*arguments):
    return CliRunner().invoke(main, [*arguments, "--no-progress"], terminal_width=200)


# The oracle of the fuzzer has an oracle of its own.


@pytest.mark.either_way
@settings(deadline=None, max_examples=100)
@given(st.one_of(problems(), slice_problems()))
def test_the_oracle_is_rational_arithmetic(problem):
    points, biases, normals, offsets, strict = problem
    truth = decide(points, biases, normals, offsets)
    zeros = np.zeros(len(points)) if biases is None else biases
    for i, (normal, offset) in enumerate(zip(normals, offsets, strict=True)):
        wanted = [inside(p, b, normal, offset, strict) for p, b in zip(points, zeros, strict=True)]
        assert truth.inside(strict)[i].tolist() == wanted


@pytest.mark.either_way
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("name", families.FAMILIES)
def test_the_oracle_is_rational_arithmetic_on_every_family(name, biased):
    rng = np.random.default_rng(1)
    for d in (1, 2, 3, 17):
        family = families.draw_family(rng, d + biased, biased=biased, name=name)
        rows = family.rows(12)
        points, bias = (rows[:, :-1], rows[:, -1]) if biased else (rows, None)
        normals = families.draw_normals(rng, family, points, d, 12)
        offsets = families.draw_offsets(rng, points, bias, normals)
        signs = decide(points, bias, normals, offsets).signs
        for (i, r), sign in np.ndenumerate(signs):
            margin = score(points[r], 0.0 if bias is None else bias[r], normals[i])
            margin -= Fraction(float(offsets[i]))
            assert sign == (margin > 0) - (margin < 0), (i, r)


@pytest.mark.either_way
@pytest.mark.parametrize(
    ("point", "normal"),
    [
        ([2.0**-240, 2.0**-1074], [0.0, 2.0**-100]),  # the only product vanishes
        ([3.0 * 2.0**-900, 2.0**-926, 1.0], [2.0**-150, -(2.0**-150), 0.0]),  # one of two does
    ],
)
def test_products_that_vanish_in_float64_are_not_lost(point, normal):
    for offset in (0.0, 5e-324, -5e-324, 3.0 * 2.0**-1050):
        truth = decide(np.array([point]), None, np.array([normal]), np.array([offset]))
        margin = score(point, 0.0, normal) - Fraction(offset)
        assert truth.signs.tolist() == [[(margin > 0) - (margin < 0)]]


def test_a_family_keeps_what_its_points_have_in_common():
    rng = np.random.default_rng(2)
    for biased in (False, True):
        family = families.draw_family(rng, 4, biased=biased, name="hyperplane")
        scores = [family.rows(50) @ family.normal for _ in range(2)]
        assert len(np.unique(scores)) == 1, "points drawn later must lie on the same hyperplane"
        assert not biased or family.normal[-1] == 1.0
    family = families.draw_family(rng, 3, biased=False, name="duplicates")
    first, second = (np.unique(family.rows(300), axis=0) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_normals_on_the_slice_pass_for_points_of_it():
    rng = np.random.default_rng(3)
    for d in (2, 3, 9, 65):
        points = rng.standard_normal((20, d))
        normals = families.draw_slice(rng, points, d, 300)
        index = HalfspaceIndex(points, domain="slice", kernels="numpy")
        assert index.count_halfspace(normals, 0.0).shape == (300,)
        off = np.abs(np.linalg.norm(normals, axis=1) - 1.0)
        assert off.max() > 5e-10, "the edge of what is allowed must be tried as well"


def test_many_offsets_tie_and_many_are_next_to_a_score():
    rng = np.random.default_rng(4)
    points, normals = rng.integers(-3, 4, (50, 3)) * 1.0, rng.integers(-3, 4, (400, 3)) * 1.0
    offsets = families.draw_offsets(rng, points, None, normals)
    scores = normals @ points.T
    assert (scores == offsets[:, None]).any(axis=1).mean() > 0.3
    above = np.nextafter(scores, np.inf) == offsets[:, None]
    assert above.any(axis=1).mean() > 0.02
    assert {0.0, families.LARGEST} <= set(np.abs(offsets).tolist())


# What is right passes.


def test_a_short_run_is_clean_and_asks_everyone():
    report = fuzz.run(seed=1, queries=60_000)
    assert [str(finding) for finding in report.findings] == []
    assert report.stopped == "done"
    assert report.total.queries >= 60_000
    assert report.total.ties > 100
    assert report.total.decided_exactly > 0
    total = sum(part.queries for part in report.by_structure.values())
    assert total == report.total.queries
    asked = {name.partition("/")[0] for name in report.by_structure}
    assert asked == set(fuzz.ENGINES)
    assert {name.partition("/")[2] for name in report.by_structure} == {
        *fuzz.allowed_kernels(),
        "none",
    }


@pytest.mark.either_way
def test_a_run_by_operations_makes_them_all():
    report = fuzz.run(seed=2, steps=500, engines=["scan"], kernels=["numpy"])
    assert report.total.steps >= 500
    assert report.findings == []
    wanted = {"build", "query", "insert", "remove", "update", "refit", "refused call"}
    assert wanted <= set(report.operations)
    assert {"pickle", "deepcopy", "copy", "file"} & set(report.operations)
    assert sum(report.operations.values()) == report.total.steps


@pytest.mark.either_way
def test_a_case_is_drawn_from_its_own_seed():
    cases = [fuzz.Case(7, number, "tree", "numpy") for number in range(12)]
    drawn = [case.drawn().configuration for case in cases]
    assert drawn == [case.drawn().configuration for case in cases]
    assert len({str(each) for each in drawn}) == 12
    first, second = (vars(fuzz.replay(cases[5]).total) for _ in range(2))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


def test_a_run_stops_in_time():
    report = fuzz.run(seconds=0.3, engines=["layers"])
    assert report.stopped == "seconds"
    assert 0.3 <= report.total.seconds < 10.0


# What is wrong is found, and a replay shows it again.


def planted(owner, method, change):
    """Return a method whose answer is changed."""
    original = getattr(owner, method)

    def wrong(self, *arguments, **options):
        return change(self, original(self, *arguments, **options), *arguments)

    return wrong


def without_last(self, hits, *rest):
    """Drop the last id of the last query that has any."""
    if not len(hits.indices):
        return hits
    indptr = hits.indptr.copy()
    last = int(np.flatnonzero(np.diff(indptr))[-1])
    indptr[last + 1 :] -= 1
    return HalfspaceHits(indptr, np.delete(hits.indices, indptr[last + 1]))


def with_one_more(self, hits, *rest):
    """Add an id to the last query that lacks one."""
    every = set(self._store.live_rows().tolist())
    lists = [ids.tolist() for ids in hits.split()]
    for ids in reversed(lists):
        if len(ids) < len(every):
            ids[:] = sorted([*ids, min(every - set(ids))])
            break
    indptr = np.cumsum([0, *map(len, lists)])
    return HalfspaceHits(indptr, np.array([i for ids in lists for i in ids], dtype=np.int32))


def one_too_many(self, counts, *rest):
    return counts + (counts == 3)


def other_strictness(original):
    def wrong(self, normals, offsets, strict, *rest):
        return original(self, normals, offsets, False, *rest)

    return wrong


def forgetful(original):
    """Leave out the last row of every move."""

    def wrong(self, rows):
        return original(self, rows[:-1]) if len(rows) > 1 else False

    return wrong


QUERY_BUGS = {
    "drops an id": (Engine, "query", lambda _: planted(Engine, "query", without_last)),
    "adds an id": (Engine, "query", lambda _: planted(Engine, "query", with_one_more)),
    "counts one too many": (Engine, "count", lambda _: planted(Engine, "count", one_too_many)),
    "takes >= for >": (Engine, "query", other_strictness),
    "counts with >= for >": (Engine, "count", other_strictness),
}


@pytest.mark.either_way
@pytest.mark.parametrize("engine", ["scan", "cap", "tree", "auto"])
@pytest.mark.parametrize("bug", QUERY_BUGS)
def test_a_planted_error_is_found_and_replayed(bug, engine, monkeypatch):
    owner, method, plant = QUERY_BUGS[bug]
    monkeypatch.setattr(owner, method, plant(getattr(owner, method)))
    report = fuzz.run(queries=30_000, engines=[engine], kernels=["numpy"], most_findings=1)
    assert report.stopped == "findings"
    (finding,) = report.findings
    again = fuzz.replay(finding.case)
    assert str(again.findings[0]) == str(finding)
    method = "query" if method == "query" else "count"
    assert f"{method}_halfspace" in str(finding) or "mask" in str(finding)
    assert f"--case {finding.case.seed}/{finding.case.number} --engines {engine}" in str(finding)
    monkeypatch.undo()
    assert fuzz.replay(finding.case).findings == []


@pytest.mark.either_way
@pytest.mark.parametrize("owner", [Scan, CapPrefix, BoxTree])
def test_a_structure_that_does_not_follow_moves_is_found(owner, monkeypatch):
    monkeypatch.setattr(owner, "_follow", forgetful(owner._follow))
    report = fuzz.run(queries=10**6, engines=[owner.name], kernels=["numpy"], most_findings=1)
    assert report.stopped == "findings"


@pytest.mark.either_way
def test_a_flipped_tie_is_found(monkeypatch):
    from sublinear_lib.halfspace import engine

    original = engine.settle

    def wrong(store, normals, offsets, strict, queries, rows):
        answer = original(store, normals, offsets, strict, queries, rows)
        other = original(store, normals, offsets, not strict, queries, rows)
        answer[:1] = other[:1]
        return answer

    monkeypatch.setattr(engine, "settle", wrong)
    report = fuzz.run(queries=10**5, engines=["scan"], kernels=["numpy"], most_findings=1)
    assert report.stopped == "findings"


@pytest.mark.either_way
def test_an_error_is_reduced_to_a_program_that_shows_it(monkeypatch):
    def wrong(self, normals, offsets, strict, *rest):
        hits = original(self, normals, offsets, strict, *rest)
        return without_last(self, hits) if self._store.points.sum() > 0 else hits

    original = Engine.query
    monkeypatch.setattr(Engine, "query", wrong)
    report = fuzz.run(queries=10**5, engines=["tree"], kernels=["numpy"], most_findings=1)
    text = str(report.findings[0])
    program = text[text.index("from sublinear_lib") : text.index("\nreplay it with")]
    assert len(program) < 3000, "the error needs one point only"
    with pytest.raises(AssertionError):
        exec(program, {})
    monkeypatch.undo()
    exec(program, {})


@pytest.mark.parametrize(
    ("engine", "owner", "method"),
    [
        ("layers", ConvexLayers, "query_halfspace"),
        ("partition", PartitionTree, "query_halfspace"),
        ("arcs", fuzz.structures.ArcStabbing, "query"),
        ("candidates", fuzz.structures.CandidateLists, "query"),
    ],
)
def test_errors_of_the_classical_structures_are_found(engine, owner, method, monkeypatch):
    monkeypatch.setattr(owner, method, planted(owner, method, without_last))
    report = fuzz.run(queries=10**4, engines=[engine], most_findings=1)
    assert report.stopped == "findings"
    assert f"--engines {engine}" in str(report.findings[0])


def test_a_lost_neuron_is_found(monkeypatch):
    original = fuzz.structures.alive_on_slice
    monkeypatch.setattr(
        fuzz.structures, "alive_on_slice", lambda *args, **options: original(*args, **options)[1:]
    )
    report = fuzz.run(queries=100, engines=["alive"], most_findings=1)
    assert "alive_on_slice" in str(report.findings[0])


@pytest.mark.either_way
def test_a_wrong_sum_is_found(monkeypatch):
    original = _SummingTree.aggregate

    def wrong(self, *arguments):
        found, errors = original(self, *arguments)
        found.sums[:, 0] += 1e-6 * np.abs(found.sums[:, 0])
        return found, errors

    monkeypatch.setattr(_SummingTree, "aggregate", wrong)
    report = fuzz.run(queries=10**5, engines=["aggregates"], kernels=["numpy"], most_findings=1)
    assert "more than its bound" in str(report.findings[0])


@pytest.mark.either_way
def test_an_exception_or_a_warning_is_a_finding(monkeypatch):
    def warns(self, *arguments):
        return np.float64(1e308) * np.float64(10.0)

    for error in (lambda self, *arguments: 1 / 0, warns):
        with monkeypatch.context() as patch:
            patch.setattr(Scan, "_forget", error)
            report = fuzz.run(queries=10**6, engines=["scan"], kernels=["numpy"], most_findings=1)
        assert report.stopped == "findings"
        assert re.search("ZeroDivisionError|RuntimeWarning", str(report.findings[0]))


@pytest.mark.either_way
def test_input_that_is_not_refused_is_found(monkeypatch):
    monkeypatch.setattr(HalfspaceIndex, "remove", lambda self, ids: None)
    report = fuzz.run(queries=10**6, engines=["tree"], kernels=["numpy"], most_findings=1)
    assert report.stopped == "findings"


@pytest.mark.either_way
def test_a_refused_call_that_leaves_a_trace_is_found(monkeypatch):
    original = HalfspaceIndex._rows

    def wrong(self, ids):
        self._store.next_id += 0
        self._engine._rebuilds += 1
        return original(self, ids)

    monkeypatch.setattr(HalfspaceIndex, "_rows", wrong)
    report = fuzz.run(queries=10**6, engines=["tree"], kernels=["numpy"], most_findings=1)
    assert "was refused, but changed the index" in str(report.findings[0])


def test_ids_out_of_order_or_of_another_type_are_wrong():
    truth = np.array([[True, True, False], [False, True, False]])
    indptr = np.array([0, 2, 3])

    def verdict(found, **options):
        return compare(HalfspaceHits(indptr, np.array(found, dtype=np.int32)), truth, **options)

    assert verdict([0, 1, 1]) is None
    assert verdict([5, 7, 7], ids=np.array([5, 7, 9])) is None
    assert verdict([1, 0, 1]) == (0, "query 0 has its ids out of order or twice")
    assert verdict([0, 1, 2]) == (1, "query 1 misses 1 ids [1] and has 1 too many [2]")


def test_a_fingerprint_sees_every_part():
    index = HalfspaceIndex(np.ones((5, 2)), kernels="numpy")
    before = fuzz.fingerprint(index)
    assert fuzz.fingerprint(index) == before
    for change in (
        lambda: index._store._points.__setitem__((0, 0), -1.0),
        lambda: setattr(index._engine, "_rebuilds", 1),
        lambda: setattr(index._store, "next_id", 6),
        lambda: setattr(index, "extra", None),
    ):
        change()
        after = fuzz.fingerprint(index)
        assert after != before
        before = after


# The command


def test_the_command_writes_a_summary_and_ends_with_status_0(tmp_path):
    target = tmp_path / "fuzz.json"
    result = fuzz_command("--queries", "2e3", "--seed", "3", "--json", str(target))
    assert result.exit_code == 0, result.output
    assert "stopped: done" in result.output
    record = json.loads(target.read_text(encoding="utf-8"))
    assert record["seed"] == 3
    assert record["queries"] >= 2000
    assert record["mismatches"] == 0
    assert record["findings"] == []
    assert record["pairs"] > record["queries"]
    assert record["versions"]["numpy"] == np.__version__
    assert {"python", "numba", "source of sublinear-lib"} <= set(record["versions"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", record["date"])
    parts = record["by_structure"].values()
    assert sum(part["queries"] for part in parts) == record["queries"]
    assert sum(record["operations"].values()) == record["steps"]


def test_the_command_prints_a_reproducer_and_ends_with_status_1(monkeypatch, tmp_path):
    monkeypatch.setattr(Engine, "query", planted(Engine, "query", without_last))
    target = tmp_path / "fuzz.json"
    options = ["--engines", "tree,scan", "--kernels", "numpy", "--json", str(target)]
    result = fuzz_command("--queries", "1e6", "--findings", "1", *options)
    assert result.exit_code == 1
    assert json.loads(target.read_text(encoding="utf-8"))["findings"][0] in result.output
    command = re.search(r"-m benchmarks.fuzz (--case .*)", result.output)[1]
    again = fuzz_command(*command.split())
    assert again.exit_code == 1
    assert "MISMATCH" in again.output
    monkeypatch.undo()
    assert fuzz_command(*command.split()).exit_code == 0


@pytest.mark.either_way
def test_a_case_is_replayed_by_everyone_unless_told_otherwise():
    result = fuzz_command("--case", "0/3", "--kernels", "numpy")
    assert result.exit_code == 0, result.output
    assert all(engine in result.output for engine in fuzz.ENGINES)


def test_ctrl_c_ends_with_a_summary_and_without_a_record(monkeypatch, tmp_path):
    original, calls = campaign._played, []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 4:
            raise KeyboardInterrupt
        yield from original(*arguments)

    monkeypatch.setattr(campaign, "_played", interrupted)
    record = tmp_path / "record.json"
    result = fuzz_command("--queries", "1e7", "--json", str(record))
    assert result.exit_code == 130
    assert "stopped: interrupted" in result.output
    assert not record.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--queries", "many"], "'many' is not a whole number >= 1, like 1000 or 1e7"),
        (["--queries", "0"], "'0' is not a whole number"),
        (["--queries", "inf"], "'inf' is not a whole number"),
        (["--steps", "1.5"], "'1.5' is not a whole number"),
        (["--seconds", "0"], "0.0 is not in the range x>0"),
        (["--seed", "-1"], "-1 is not in the range x>=0"),
        (["--engines", "scan,kd"], "'kd' is none of scan, cap, tree"),
        (["--kernels", "cuda"], "'cuda' is none of numba, numpy"),
        (["--case", "12"], "'12' is not a seed and the number of a case, like 0/123"),
        (["--findings", "0"], "0 is not in the range x>=1"),
        (["--json", "nowhere/at/all.json"], "there is no folder"),
    ],
)
def test_bad_options_are_explained(arguments, message):
    result = fuzz_command(*arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_numba_is_refused_where_it_is_switched_off(monkeypatch):
    monkeypatch.setenv("SUBLINEAR_NUMBA", "0")
    result = fuzz_command("--kernels", "numba", "--queries", "10")
    assert result.exit_code == 2
    assert "numba is missing or switched off" in result.output
    assert fuzz.allowed_kernels() == ("numpy",)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, ValueError, "queries, steps or seconds must be given"),
        ({"queries": -1}, ValueError, "queries must be"),
        ({"queries": 10, "seed": -1}, ValueError, "seed must be"),
        ({"queries": 10, "engines": ["kd"]}, ValueError, "engines must be"),
        ({"queries": 10, "engines": []}, ValueError, "at least one"),
        ({"queries": 10, "kernels": ["cuda"]}, ValueError, "kernels must be"),
        ({"queries": 10, "most_findings": 0}, ValueError, "most_findings must be"),
        ({"seconds": 0.0}, ValueError, "seconds must be"),
        ({"queries": 1e7}, TypeError, "queries"),
    ],
)
def test_bad_arguments_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        fuzz.run(**options)


def test_a_case_of_a_structure_that_does_not_exist_is_refused():
    for play in (fuzz.replay, lambda case: fuzz.live(case, 10)):
        with pytest.raises(ValueError, match=r"case\.engine must be"):
            play(fuzz.Case(0, 0, "kd", "numpy"))


def test_the_module_runs_and_the_library_does_not_load_it():
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.fuzz", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--queries" in run.stdout
    code = "import sublinear_lib.halfspace, sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "sublinear_lib.halfspace.index" in run.stdout
    assert "fuzz" not in run.stdout
