"""The problems and the comparison of answers: right baselines, and no silence about wrong ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.peers import PeerField
from benchmarks.problems import Problem, dense_baselines, own_engines
from benchmarks.queries import InexactAnswer, _marks, compare, surviving_share
from benchmarks.timing import Competitor

QUERIES = 70  # more than one block of user code, and not a multiple of it


@pytest.fixture(scope="module", params=[2, 3, 9])
def problem(request: pytest.FixtureRequest) -> Problem:
    return Problem(request.param, 700, QUERIES, 3)


@pytest.mark.parametrize("d", [2, 3, 8])
@pytest.mark.parametrize("share", [0.01, 0.1, 0.5])
def test_the_threshold_lets_the_wanted_share_fire(d: int, share: float) -> None:
    problem = Problem(d, 20_000, 50, 1)
    assert np.array_equal(problem.X, Problem(d, 20_000, 50, 1).X)
    assert np.allclose(np.linalg.norm(problem.X, axis=1), 1.0)
    assert d == 2 or np.allclose(problem.X[:, -1], 0.5)
    scores = problem.X @ problem.W.T
    active = (scores > problem.threshold(share)).mean()
    # a million pairs, but only 20 000 independent points
    assert active == pytest.approx(share, rel=0.15, abs=0.002)


@pytest.mark.parametrize("share", [0.02, 0.5])
def test_every_competitor_answers_the_same_question(problem: Problem, share: float) -> None:
    tau = problem.threshold(share)
    scores = problem.X @ problem.W.T
    expected = scores > tau
    assert (abs(scores - tau) > 1e-9).all(), "the oracle is not in doubt"
    out = [np.zeros(expected.size, dtype=np.int32)]
    own = own_engines(problem, out, names=("scan", "cap", "tree", "auto"))
    peers, _ = PeerField(True).build(problem)
    for each in [*own, *dense_baselines(problem), *peers]:
        if each.name == "count":
            assert np.array_equal(each.ask(tau, QUERIES), expected.sum(axis=1))
        elif each.rows is not None:
            differing = _marks(each, tau, QUERIES, problem.m) ^ expected
            # float32 decides pairs within its rounding of the threshold as it likes
            near = abs(scores - tau) < 1e-6
            allowed = near if not each.exact else np.zeros_like(near)
            assert not (differing & ~allowed).any(), each.name


def lying(name: str, problem: Problem, *, exact: bool, extra: int) -> Competitor:
    def ask(tau: float, q: int) -> list[Any]:
        rows = [np.flatnonzero(line) for line in problem.X[:q] @ problem.W.T > tau]
        missing = np.setdiff1d(np.arange(problem.m), rows[0])[:extra]
        return [np.union1d(rows[0], missing), *rows[1:]]

    return Competitor(name, ask, list, exact=exact, core=True)


def test_who_differs_is_counted_and_stops_the_benchmark_if_exact(problem: Problem) -> None:
    tau = problem.threshold(0.1)
    honest = lying("honest", problem, exact=True, extra=0)
    loose = lying("loose", problem, exact=False, extra=3)
    found = compare([honest, loose], tau, QUERIES, problem.m)
    assert found["differing_pairs"] == {"honest": 0, "loose": 3}
    assert found["checked_pairs"] == 4 * problem.m
    scores = problem.X @ problem.W.T
    assert found["active"] == pytest.approx((scores > tau).mean())
    liar = lying("liar", problem, exact=True, extra=1)
    zero = Competitor("zero", lambda tau, q: np.zeros(q), exact=True, core=True)
    for other in (liar, zero):
        with pytest.raises(InexactAnswer, match=f"{other.name} and honest differ"):
            compare([honest, other], tau, QUERIES, problem.m)


@pytest.mark.parametrize("d", [3, 8])
def test_the_surviving_share_counts_the_points_that_some_query_reports(d: int) -> None:
    problem = Problem(d, 200, 5000, 2)
    tau = problem.threshold(0.01)
    scores = problem.X @ problem.W.T
    seen = (scores > tau).any(axis=0).mean()
    survives = surviving_share(problem, tau)
    assert seen <= survives
    if d == 3:  # so many queries leave hardly a gap on a circle
        assert survives - seen <= 0.02


# The peers.


def test_a_peer_is_skipped_with_the_estimate_and_never_silently() -> None:
    small, large = Problem(3, 64, 8, 0), Problem(3, 256, 8, 0)
    field = PeerField(True)
    built, _ = field.build(small)
    assert field.willing(built, small, 0.1) == (built, {})
    # 4 queries of 0.2 s, 3.2 s at four times the width
    field.learn("scipy_ckdtree", small, 0.1, 2e5)
    asked, absent = field.willing(built, large, 0.1)
    assert set(absent) == {"scipy_ckdtree"}
    assert "4 queries would take more than 2 s, estimated 3.2 s" in absent["scipy_ckdtree"]
    assert [each.name for each in built if each not in asked] == ["scipy_ckdtree"]
    assert field.willing(built, large, 0.5)[1] == {}, "another share is another question"
