r"""What cannot be done in robust memorization: widths that are too small, and hardness.

Before changing a check, know that small instances are decided by trying everything, and that a
search that does not end counts as a wrong answer.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

import numpy as np
from flint import fmpz_mat
from scipy.optimize import linprog

from sublinear_lib._typing import FloatArray
from sublinear_lib.claims.instruments import binary
from sublinear_lib.claims.stated import stated
from sublinear_lib.claims.topic import Budget, Collector, Rng, Topic
from sublinear_lib.memorization import (
    AffineLayer,
    ReLUNetwork,
    certificates,
    constructions,
    datasets,
    exact_values,
    hardness,
    hypergraphs,
    two_neurons,
    width,
)

topic = Topic("impossibility")


# --------------------------------------------------------------------------------------------------
# What cannot be done
# --------------------------------------------------------------------------------------------------


def _null_vector(W: list[list[int]]) -> list[Fraction]:
    """Return a vector of the null space of an integer matrix with largest entry 1."""
    basis, _ = fmpz_mat(W).nullspace()
    column = [Fraction(int(basis[i, 0])) for i in range(len(W[0]))]
    largest = max(column, key=abs)
    return [value / largest for value in column]


@topic.check("prop-ii.3")
def _check_width(look: Collector, budget: Budget, rng: Rng) -> None:
    draws = budget.pick(40, 400)
    failures = told = 0
    quarter = Fraction(1, 4)
    for _ in range(draws):
        n = int(rng.integers(2, 9))
        m = int(rng.integers(1, n))
        W = rng.integers(-5, 6, (m, n))
        z = _null_vector(W.tolist())
        j = z.index(Fraction(1))
        e = [Fraction(int(i == j)) for i in range(n)]
        other = [(a - b / 2) / 2 for a, b in zip(e, z, strict=True)]
        x = [a - b for a, b in zip(e, other, strict=True)]
        same = not (W.astype(object) @ (np.array(x) - other)).any()
        near = binary.distance(x, e, math.inf) <= quarter and max(map(abs, other)) <= quarter
        failures += not (same and near)
        # Whatever follows this layer: here two further layers.
        layers = [
            AffineLayer(W * 1.0, rng.integers(-3, 4, m) * 1.0),
            AffineLayer(rng.integers(-3, 4, (5, m)) * 1.0, rng.integers(-3, 4, 5) * 1.0),
            AffineLayer(rng.integers(-3, 4, (1, 5)) * 1.0, np.zeros(1)),
        ]
        network = ReLUNetwork(layers)
        told += network.exactly(x) != network.exactly(other)
    look(
        f"{draws} integer layers of m < n rows: pairs that W tells apart or that leave the balls "
        "of radius lambda/4"
    ).none(failures)
    look("deeper networks on such a layer that tell the pair apart").none(told)
    largest = residual = outside = differ = 0.0
    for n in budget.pick((2, 3, 5), (2, 3, 5, 8, 12)):
        X, y = datasets.simplex_points(n, n + 3)
        for _ in range(budget.pick(4, 20)):
            drawn = rng.normal(size=(int(rng.integers(1, n)), n))
            hit = width.collision(drawn, X, y)
            largest = max(largest, hit.radius)
            residual = max(residual, hit.residual(drawn))
            for point, row in ((hit.x, hit.i), (hit.x_prime, hit.k)):
                outside = max(outside, float(np.abs(point - X[row]).max()) - hit.radius)
        line = rng.normal(size=n)
        full = np.linalg.svd(line[None, :])[2][1:]
        hit = width.collision(full, *datasets.simplex_points(n))
        differ = max(differ, abs(hit.radius - width.simplex_collision_radius(line)))
    what = "largest collision radius of random layers with m < n rows, lambda = 1"
    look(what).at_most(largest, stated("II.3 radius") + 1e-9)
    look("difference of W x and W x' at the pairs found").at_most(residual, 1e-9)
    look("distance by which the pairs leave the balls of that radius").at_most(outside, 1e-12)
    look.control("radius for m = n - 1 against its closed form").at_most(differ, 1e-9)
    sharp = 0.0
    certified = 0
    for n in range(2, budget.pick(8, 20)):
        X, y = datasets.simplex_points(n, n + 2)
        layer = width.null_space_layer(n)
        hit = width.collision(layer, X, y)
        sharp = max(sharp, abs(hit.radius - stated("II.3 radius")))
        # g = (e_j - e_i)/2 is a combination of the rows (its entries sum to 0), has 1-norm 1 and
        # tells the balls of e_j and 0 apart below 1/4: <g, e_j> = 1/2.  Their rows have sum 0 too.
        certified += int(np.any(layer.sum(axis=1) != 0) or np.linalg.matrix_rank(layer) != n - 1)
        for j in range(n):
            g = (np.eye(n)[j] - np.eye(n)[(j + 1) % n]) / 2
            certified += int(np.abs(g).sum() != 1 or g.sum() != 0 or g @ X[1 + j] != 0.5)
    what = "collision radius of the differences x_j - x_(j+1), distance from 1/4"
    look(what).at_most(sharp, 1e-9)
    look("directions that do not prove that it is at least 1/4").none(certified)
    X, y = datasets.simplex_points(4)
    what = "the same data at mu = 0.99 lambda/2 with a first layer of 3n + 1 neurons"
    _memorized(look, what, X, y, 0.99 * datasets.largest_budget(X, y))


_KINDS: tuple[Literal["half-spaces", "sum"], ...] = ("half-spaces", "sum")


def _proper(h: hypergraphs.Hypergraph) -> int:
    """Count the proper colorings with two colors by trying all."""
    return sum(
        all(len({colors[v] for v in edge}) > 1 for edge in h.edges)
        for colors in itertools.product((0, 1), repeat=h.vertices)
    )


def _memorized(look: Collector, what: str, X: FloatArray, y: FloatArray, mu: float) -> None:
    """Note that the network of Theorem 4.8 can do it."""
    bounds = certificates.certify(constructions.memorize(X, y, mu), "interval")
    look.control.certified(what).holds(
        bounds.holds, f"{bounds.share:.0%} of the balls certified", "100%"
    )


def _radius(network: ReLUNetwork | None, X: FloatArray, y: FloatArray) -> Fraction:
    """Return the budget up to which two neurons are certified, 0 if there are none."""
    return Fraction(0 if network is None else two_neurons.certify_sign(network, X, y).radius)


def _small_hypergraphs(budget: Budget, rng: Rng) -> list[tuple[str, hypergraphs.Hypergraph]]:
    found = [
        ("triangle", hypergraphs.complete_graph(3)),
        ("4-cycle", hypergraphs.cycle(4)),
        ("5-cycle", hypergraphs.cycle(5)),
    ]
    vertices = budget.pick((4, 5), (4, 5, 5, 6, 6, 7, 7))
    for number, V in enumerate(vertices):
        edges = min(math.comb(V, 3), (2 + number % 2) * V)
        found.append((f"random, V = {V}", hypergraphs.random_hypergraph(V, edges, rng)))
    if budget is Budget.FULL:
        found.append(("Fano plane", hypergraphs.fano()))
    return found


@topic.check("thm-ii.4.1")
def _check_41(look: Collector, budget: Budget, rng: Rng) -> None:
    wrong = shapes = colorings = balls = missed = 0
    instances = _small_hypergraphs(budget, rng)
    for _, h in instances:
        X, y = hardness.gadget(h)
        V = h.vertices
        # Polynomial size: V + E + 3 points with the entries -1, 0, 1.
        shapes += X.shape != (len(h.edges) + V + 3, V + 1) or not np.isin(X, (-1, 0, 1)).all()
        shapes += datasets.separation(X, y) != 1.0
        colorable = _proper(h) > 0
        for kind in _KINDS:
            answer = hardness.exists_width_two(X, y, kinds=[kind], sides=["upper"])
            wrong += answer.found is not colorable
            if answer.network is not None:
                decoded = hardness.coloring_of_network(h, answer.network)
                colorings += h.one_colored(decoded.colors) is not None
        wrong += hardness.exists_width_two(X, y, sides=["lower"]).found is not False
        colors = hypergraphs.coloring(h)
        wrong += (colors is not None) is not colorable
        if colors is None:
            continue
        largest = Fraction(1, 2 * (2 * V + 1))
        for kind in _KINDS:
            radius = float(largest * Fraction(99, 100))
            network = hardness.network_of_coloring(h, colors, kind=kind, radius=radius)
            balls += not two_neurons.certify_sign(network, X, y, radius).holds
            balls += binary.counted(network)[:2] != (2, 2)
            corners = X + radius * rng.choice([-1.0, 1.0], X.shape)
            missed += int(np.count_nonzero((network(corners) > 1.5) != (y == 2.0)))
            decoded = hardness.coloring_of_network(h, network)
            colorings += h.one_colored(decoded.colors) is not None
    names = ", ".join(name for name, _ in instances)
    look.computed(f"answers other than by trying all colorings ({names})").none(wrong)
    look("networks of colorings that are wrong on a ball of radius 0.99 lambda/(2(2V + 1))").none(
        balls
    )
    look("networks whose decoded coloring leaves an edge with one color").none(colorings)
    look("gadgets that are not V + E + 3 points of R^(V+1) with entries -1, 0, 1").none(shapes)
    look.control.computed("corners of these balls that are classified wrongly").none(missed)
    look.cited("coloring hypergraphs with edges of at most 3 vertices by two colors").holds(
        True, "NP-complete (Lovász 1973; Garey and Johnson 1979, SP4)", "NP-hard"
    )


@topic.check("prop-ii.4.7")
def _check_47(look: Collector, budget: Budget, rng: Rng) -> None:
    examples = [("triangle", hypergraphs.complete_graph(3)), ("Fano plane", hypergraphs.fano())]
    colorings = answers = 0
    for name, h in examples:
        colorings += _proper(h)
        methods: list[Literal["milp", "backtrack"]] = ["milp"]
        if name == "triangle" or budget is Budget.FULL:
            methods.append("backtrack")
        for method in methods:
            answers += hardness.exists_width_two(*hardness.gadget(h), method).found is not False
    # The same search finds a network as soon as a coloring exists.
    fewer = hypergraphs.Hypergraph(7, hypergraphs.fano().edges[1:])
    X, y = hardness.gadget(fewer)
    radius = float(_radius(hardness.exists_width_two(X, y).network, X, y))
    look("proper 2-colorings of the triangle and of the Fano plane").none(colorings)
    look.computed("searches of their gadgets that find two neurons, or do not end").none(answers)
    look.control.exact(
        "Fano plane without a line: certified budget of the network that is found"
    ).at_least(radius, 1e-6)
    what = "the gadget of the Fano plane, mu = 0.49 lambda, network of Theorem 4.8"
    _memorized(look, what, *hardness.gadget(hypergraphs.fano()), 0.49)
    look.witness |= {
        "vertices": 7,
        "edges": [list(edge) for edge in hypergraphs.fano().edges],
        "separation": 1.0,
    }


_CROSS = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
_CROSS_LABELS = np.array([2.0, 1.0, 1.0, 1.0, 1.0])


def _on_corners(share: float) -> bool | None:
    """Search for two neurons that are right at the corners of the balls of the cross."""
    corners = share * np.array(list(itertools.product((-1.0, 1.0), repeat=2)))
    points = np.concatenate([corners + row for row in _CROSS])
    return hardness.exists_width_two(points, np.repeat(_CROSS_LABELS, 4)).found


@topic.check("rem-ii.1")
def _check_remark(look: Collector, budget: Budget, rng: Rng) -> None:
    X, y = _CROSS, _CROSS_LABELS
    lam = datasets.separation(X, y)
    radius = _radius(hardness.exists_width_two(X, y).network, X, y)
    # The region of label 2 holds, with (mu, -mu), a ray from it in some direction (1, s), after
    # symmetry; the ray meets the ball of e_1.  Its point there is linear in s: both ends decide.
    outside = 0
    for mu in (Fraction(1, 4), Fraction(1, 3), Fraction(2, 5), Fraction(1, 2) * binary.NEARLY):
        way = 1 - 2 * mu
        for s in (0, 1):
            met = [mu + way, -mu + way * s]
            outside += binary.distance(met, binary.rational(X[1]), math.inf) > mu
    found = [_on_corners(share) for share in budget.pick((0.26,), (0.26, 0.3, 0.4, 0.49))]
    below = _on_corners(0.24)
    slab = ReLUNetwork(
        [AffineLayer([[1.0, 1.0], [-1.0, -1.0]], [0.0, 0.0]), AffineLayer([[-1.0, -1.0]], [2.0])]
    )
    triangle = hardness.gadget(hypergraphs.complete_graph(3))
    none = hardness.exists_width_two(*triangle).found
    look.exact(
        "the cross {0, +-e_1, +-e_2}: certified budget of two neurons that memorize it"
    ).holds(radius > 0, radius, "> 0")
    look(
        "the cross at mu = 1/4, 1/3, 2/5 and almost 1/2: points of the ray that are not in the "
        "ball of e_1"
    ).none(outside)
    look.computed(
        "corners of the balls of the cross, mu = 0.26 and more: searches that find two neurons, or "
        "do not end"
    ).holds(
        all(each is False for each in found),
        sum(each is not False for each in found),
        "none of " + str(len(found)),
    )
    look.control.computed("the same corners, mu = 0.24: the search for two neurons").holds(
        below is True, "found" if below is True else "none found or undecided", "found"
    )
    look.control("separation of the cross").equals(Fraction(lam), Fraction(1))
    look("largest budget of 2 - relu(x_1 + x_2) - relu(-x_1 - x_2) on the cross").equals(
        _radius(slab, X, y), Fraction(1, 4)
    )
    look.computed(
        "no memorization, hence no robust one: the points made of a triangle, mu = 0"
    ).holds(none is False, "none found" if none is False else "found or undecided", "none")
    look.witness |= {"points": X.tolist(), "labels": y.tolist(), "budget": "1/4"}


def _hull_distance(X: FloatArray, y: FloatArray) -> float:
    """Return the distance of the convex hulls of two labels in the maximum norm."""
    low = y == y.min()
    N, n = X.shape
    signed, ones = np.concatenate((X[low], -X[~low])).T, np.ones((n, 1))
    first = np.arange(N) < np.count_nonzero(low)
    run = linprog(
        np.append(np.zeros(N), 1.0),
        A_ub=np.block([[signed, -ones], [-signed, -ones]]),
        b_ub=np.zeros(2 * n),
        A_eq=np.array([[*first, 0], [*~first, 0]], dtype=float),
        b_eq=np.ones(2),
        method="highs",
    )
    assert run.fun is not None
    return float(run.fun)


def _small_networks(n: int, largest: int) -> Iterator[ReLUNetwork]:
    """Yield all networks of two neurons with small integers, up to scaling and order."""
    neurons = list(itertools.product(range(-largest, largest + 1), repeat=n + 1))
    for pair in itertools.combinations_with_replacement(neurons, 2):
        both = np.array(pair, dtype=float)
        hidden = AffineLayer(both[:, :n], both[:, n])
        for a, b in ((1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)):
            yield ReLUNetwork([hidden, AffineLayer([[a, b]], [0.0])])


@topic.check("prop-ii.4")
def _check_exact_values(look: Collector, budget: Budget, rng: Rng) -> None:
    draws = budget.pick(8, 100)
    wrong = off = 0
    differ = 0.0
    kinds = set()
    for draw in range(draws):
        n = int(rng.integers(1, 5))
        N = int(rng.integers(n + 2, n + 7))
        X, y = datasets.random_points(N, n, 2, rng)
        if draw % 2:  # labels by a plane
            side = X @ rng.normal(size=n)
            y = np.where(side > np.median(side), 2.0, 1.0)
        else:  # a point between two of the other label
            X[2], y[:3] = (X[0] + X[1]) / 2, (1.0, 1.0, 2.0)
        apart = _hull_distance(X, y)
        answer = exact_values.exact_values_program(X, y, 1e-4)
        kinds.add(answer.found)
        wrong += answer.found is not (apart / 2 > 1e-4)
        if not answer.found:
            continue
        differ = max(differ, abs(answer.radius - apart / 2))
        budget_here = 0.99 * answer.radius
        again = exact_values.exact_values_program(X, y, budget_here)
        wrong += exact_values.exact_values_program(X, y, 1.01 * answer.radius).found
        if again.network is None:
            wrong += 1
            continue
        for row, label in zip(X, y.tolist(), strict=True):
            off += two_neurons.output_range(again.network, row, budget_here) != (label, label)
    labels = np.array([1.0, 3.0, 2.0])
    three = exact_values.exact_values_program(np.array([[0.0], [1.0], [2.0]]), labels, 0.1)
    cross = exact_values.exact_values_program(_CROSS, _CROSS_LABELS, 0.01)
    # Only if, on the line: of all networks with small whole numbers that are constant on the balls
    # of -1, 0 and 1, none has three values, or one value at both ends and another between.
    half = Fraction(1, 2)
    tried = counter = 0
    for network in _small_networks(1, budget.pick(2, 4)):
        ranges = [
            two_neurons.output_range(network, np.array([at]), half) for at in (-1.0, 0.0, 1.0)
        ]
        if all(low == high for low, high in ranges):
            values = [low for low, _ in ranges]
            counter += values[0] == values[2] != values[1] or len(set(values)) == 3
        tried += 1
    look.computed(
        f"{draws} data sets: answers of the program other than whether hulls are apart"
    ).none(wrong)
    look("its largest budget against half the distance of the hulls").at_most(differ, 1e-8)
    look("balls on which the network that it builds is not the label").none(off)
    look.control.computed("answers among these data sets").holds(
        len(kinds) == 2, ", ".join(sorted(str(kind) for kind in kinds)), "both"
    )
    what = "three labels, or the cross, whose hulls meet: networks found"
    look.computed(what).none(three.found + cross.found)
    look(
        f"of {tried} networks of two neurons on the line, those constant on the balls of -1, 0, 1 "
        "with three values, or with one value at -1 and 1 and another at 0"
    ).none(counter)
