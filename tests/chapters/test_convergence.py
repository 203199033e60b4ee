"""What training pays and what its proof promises: runs and the closed form of Theorem D."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib import scaling
from sublinear_lib.chapters.convergence import explorers
from sublinear_lib.plotting import number
from sublinear_lib.theory import regret
from sublinear_lib.widgets import Line, Points
from tests.chapters.marks import named, sparse

WEIGHTS = {"R1": 0.2, "R2": 0.4, "R3": 0.2}
VIEW = explorers.paid_and_promised.function


@pytest.mark.parametrize("repair", WEIGHTS)
@pytest.mark.parametrize(("k", "epsilon"), [(8, "0.125"), (12, "0.25"), (16, "0.5"), (160, "0.25")])
def test_runs_and_promise_are_those_of_theorem_d(repair: str, k: int, epsilon: str) -> None:
    m, eps, view = 2**k, float(epsilon), VIEW(k, repair, epsilon)
    a, tau = float(m) ** -WEIGHTS[repair], sparse(m) if repair == "R3" else 1.0 / m
    form, steps = "continuous" if repair == "R3" else "jump", round(1 / eps**2)
    eta = eps / (a * a * m * scaling.activity(tau, m))
    law = regret.expected_one_point(m, a, tau, 1.0, eta, steps, form)
    promise = named(view, Line)["promise of the proof"]
    assert promise.y[list(promise.x).index(k)] == pytest.approx(law.total)
    assert f"at most {number(law.total)} before the run" in view.sentence
    assert view.warning is None
    if k > 16:
        assert "more than we can train" in view.sentence
        return
    rng = np.random.default_rng([0, m])
    z = rng.standard_normal(m) * (2.0 / m) ** 0.5
    signs = rng.choice(np.array([-1.0, 1.0]), m)
    found = regret.one_point_regret(z, a * signs, tau, 1.0, eta, steps, form)
    drawn = named(view, Points)["training"]
    assert drawn.y[list(drawn.x).index(k)] == pytest.approx(found.average)
    assert f"pays {number(found.average)} on average" in view.sentence


@pytest.mark.parametrize("repair", WEIGHTS)
@pytest.mark.parametrize("epsilon", ["0.125", "0.25", "0.5"])
def test_the_first_meaningful_width_is_where_the_curve_crosses(repair: str, epsilon: str) -> None:
    drawn = named(VIEW(8, repair, epsilon), Line)["promise of the proof"]
    useful = [k for k, total in zip(drawn.x, drawn.y, strict=True) if total < 1.0]
    first = int(useful[0])
    assert useful == list(range(first, 161))
    before, after = (VIEW(k, repair, epsilon).sentence for k in (first - 1, first))
    assert all(f"from 2^{{{first}}} neurons on" in said for said in (before, after))
    assert "no better than the untrained" in before and "says something (" in after
