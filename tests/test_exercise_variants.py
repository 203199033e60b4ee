"""The exercises with numbers of their own: complete, reproducible, and answered rightly."""

import math
import re

import exercise_variants
import numpy as np
import pytest

SEEDS = range(25)
TURN = np.linspace(-math.pi, math.pi, 200_001)
HEIGHT, RADIUS = 0.5, math.sqrt(3) / 2


def number(pattern, text):
    """Return the number that a pattern finds."""
    found = re.search(pattern, text)
    assert found, text
    return float(found[1].replace("\\,", ""))


def triples(text):
    """Return all points (x, y) or (x, y, z) of a text."""
    found = re.findall(r"\((-?[\d.]+(?:,(?:\\,)?-?[\d.]+)+)\)", text)
    return np.array([[float(v) for v in each.replace("\\,", "").split(",")] for each in found])


@pytest.mark.parametrize("seed", SEEDS)
def test_twelve_exercises_with_a_marking_scheme(seed):
    made = exercise_variants.variants(seed)
    assert len(made) == len({each.title for each in made}) == 12
    for each in made:
        assert 3 <= each.points <= 5 and all(points > 0 for points, _ in each.marks)
        for text in (each.question, each.solution):
            assert text.count("$") % 2 == 0 and "nan" not in text and "inf}" not in text


def test_a_seed_gives_its_own_numbers_and_the_same_bytes_each_time():
    sheets = [exercise_variants.sheet(seed) for seed in SEEDS]
    assert len(set(sheets)) == len(sheets)
    assert exercise_variants.solutions(3) == exercise_variants.solutions(3)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_reported_points_are_those_beyond_the_line(seed):
    each = exercise_variants.layers_of_an_onion(np.random.default_rng(seed))
    points = triples(each.question)
    line = re.search(r"\$(-?\d*)x([+-]\d*)y>([\d.]+)\$", each.question)
    assert line and len(points) == 11
    u, v = (float({"": "1", "+": "1", "-": "-1"}.get(w, w)) for w in line.groups()[:2])
    beyond = points[points @ [u, v] > float(line[3])]
    assert sorted(map(tuple, beyond)) == sorted(map(tuple, triples(each.solution)))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_supremum_on_the_cap_is_that_of_a_fine_grid(seed):
    each = exercise_variants.worst_point_of_a_cap(np.random.default_rng(seed))
    big = number(r"w_1=\((\d+)", each.question)
    sign, tau = number(r"a=\(1,(-?1)\)", each.question), number(r"\\tau=([\d.]+)", each.question)
    alpha = 2 * math.asin(number(r"\\rho=([\d.]+)", each.question) / math.sqrt(3))
    turns = math.asin(tau / RADIUS) + alpha * TURN / math.pi
    first, second = big * RADIUS * np.cos(turns), RADIUS * np.sin(turns)
    f = first * (first > tau) + sign * second * (second > tau)
    assert number(r"\\sup f=(-?[\d.]+)\$", each.solution) == pytest.approx(f.max(), abs=2e-4)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", SEEDS)
def test_the_interval_bound_lies_below_the_minimum_of_a_fine_grid(seed):
    each = exercise_variants.an_interval_bound(np.random.default_rng(seed))
    W, tau = triples(each.question.split("$b=0$")[0]), number(r"\\tau=([\d.]+)", each.question)
    a = np.array([float(v) for v in re.search(r"a=\((.*?)\)", each.question)[1].split(",")])
    alpha = 2 * math.asin(number(r"\\rho=([\d.]+)", each.question) / math.sqrt(3))
    turns = alpha * TURN / math.pi
    circle = np.column_stack([RADIUS * np.cos(turns), RADIUS * np.sin(turns), 0 * turns + HEIGHT])
    parts = a * np.maximum(circle @ W.T - tau, 0)
    bound, least = (float(v) for v in re.findall(r"is \$(-?[\d.]+)\$", each.solution))
    assert least == pytest.approx(parts.sum(axis=1).min(), abs=2e-4)
    assert bound == pytest.approx(parts.min(axis=0).sum(), abs=2e-4)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_gap_is_that_of_a_fine_grid_of_moves(seed):
    each = exercise_variants.worst_gap_by_hand(np.random.default_rng(seed))
    z = np.array([float(v) for v in re.search(r"z=\((.*?)\)", each.question)[1].split(",")])
    delta = number(r"\\delta=([\d.]+)", each.question)
    moves = np.linspace(-delta, delta, 100_001)
    for pattern, jump in (
        (r"Jump: \$(.*?)\$ and \$(.*?)\$", 0.5),
        (r"Continuous: \$(.*?)\$ and \$(.*?)\$", 0),
    ):
        found = [float(v.split("=")[-1]) for v in re.search(pattern, each.solution).groups()]
        gaps = [
            sign * ((value + moves - 0.5 + jump) * (value + moves > 0.5) - moves * (value > 0.5))
            for sign, value in zip((1, -1), z, strict=True)
        ]
        grid = [sum(gap.max() for gap in gaps), -sum(gap.min() for gap in gaps)]
        assert found == pytest.approx(grid, abs=1e-3)
