r"""Whether two hidden neurons can memorize is as hard to decide as coloring a hypergraph.

After Yu, Gao and Zhang (2024), Theorem 4.1: it is NP-hard to decide whether data have a robust
memorization of depth 2 and width 2.  Their proof was not at hand.  The reduction of this module is
ours: the idea of Blum and Rivest (1992) for three threshold neurons, with a treatment of every sign
that the output weights of two ReLU neurons can have.  `gadget` turns a hypergraph into data,
`network_of_coloring` a coloring into a robust network, `coloring_of_network` any network that
memorizes the data into a coloring, and `exists_width_two` decides by linear programs, as honestly
slow as it is.  Before changing a formula, know the convention that everything rests on: a network
*classifies* by the nearer of two labels, that is by the side of their midpoint, and a tie counts as
an error.  With exact values instead, the question is easy (``exact_values``).
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from sublinear_lib._arguments import Flag, Positive, checked, described
from sublinear_lib._typing import FloatArray
from sublinear_lib.memorization.hypergraphs import Hypergraph
from sublinear_lib.memorization.networks import ReLUNetwork
from sublinear_lib.memorization.two_neurons import (
    NoAnswer,
    TwoNeurons,
    certify_sign,
    minimizer,
    two_labels,
    width_two,
)
from sublinear_lib.validation import choice, scalar

__all__ = [
    "coloring_of_network",
    "exists_width_two",
    "gadget",
    "network_of_coloring",
]

Kind = Literal["half-spaces", "sum"]
Side = Literal["upper", "lower"]
Method = Literal["milp", "enumerate", "backtrack"]
_KINDS: tuple[Kind, ...] = ("half-spaces", "sum")
_SIDES: tuple[Side, ...] = ("upper", "lower")
_METHODS: tuple[Method, ...] = ("milp", "enumerate", "backtrack")
_THRESHOLD = Fraction(3, 2)  # between the labels 1 and 2 of a gadget
_MOST_PROGRAMS = 2**20
# The largest unknown that a mixed-integer program looks for, where every inequality holds with a
# margin of 1.  On a gadget 8 loses nothing: if there is a coloring, then with the functions of
# `network_of_coloring`, ``u_t = -2 h_t`` or ``l_t = -4 h_t`` and ``c = 1`` are a solution.
_BOX = 64.0


@described
def gadget(h: Hypergraph) -> tuple[FloatArray, FloatArray]:
    r"""Turn a hypergraph into data that two neurons memorize if and only if it is 2-colorable.

    Here `h`: V vertices and E edges of two or three vertices.

    Returned: `X`: First 0 and the sums ``e_c = sum_{i in c} e_i`` of the edges c, then the unit
    vectors ``e_1, ..., e_V`` of the vertices, then ``e_{V+1}`` and ``-e_{V+1}``. `y`: Label 2 for 0
    and the edges, label 1 for all others.

    The points are different and have whole coordinates, so their separation is 1: that of 0 and
    ``e_1``.

    *Equivalent are* (Theorem II.4.1, ours, proved on the page ``what-cannot-be-done``): *(a) h has
    a proper 2-coloring; (b) the gadget has a memorization of depth 2 and width 2; (c) it has a
    robust one, for every budget below 1/(2(2V + 1)).*  As 2-coloring is NP-complete for edges of at
    most three vertices, it is NP-hard to decide (b), and NP-hard to decide (c) for budgets that are
    given with the data.  Whether the original theorem covers budgets that are a fixed share of the
    separation is not known to us: this proof does not.

    >>> X, y = gadget(Hypergraph(2, [(0, 1)]))
    >>> X.astype(int).tolist()
    [[0, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, -1]]
    >>> y
    array([2., 2., 1., 1., 1., 1.])
    """
    V, E = h.vertices, len(h.edges)
    X = np.zeros((E + V + 3, V + 1))
    for row, edge in enumerate(h.edges, start=1):
        X[row, list(edge)] = 1.0
    X[E + 1 : E + V + 2] = np.eye(V + 1)
    X[-1, -1] = -1.0
    return X, np.append(np.full(E + 1, 2.0), np.full(V + 2, 1.0))


@described
def network_of_coloring(
    h: Hypergraph,
    colors: Sequence[int],
    *,
    kind: Kind = "half-spaces",
    radius: float | None = None,
) -> ReLUNetwork:
    r"""Build a network of depth 2 and width 2 from a proper 2-coloring.

    Here `h`: the hypergraph; `colors`: A proper coloring with the colors 0 and 1; `kind`: the signs
    of the two output weights: different, and one network serves every budget, or both negative, and
    the weights depend on the budget; `radius`: the budget for the kind "sum", below ``1 / (2 max_t
    ||a_t||_1)``.  By default half of that. Not used otherwise.

    It classifies the gadget robustly: at every budget below ``1 / (2 max_t ||a_t||_1)``, or at the
    given one.  That number is at least ``1 / (2 (2 V + 1))``.

    Raises TypeError, ValueError: if the colors are not 0 and 1, one for each vertex; if an edge has
    only one color; for an unknown kind or a budget out of range.

    Source: Theorem II.4.1, (a) implies (c), ours.  With the size s of the largest edge,
    ``h_t(x) = <a_t, x> + 1/2`` for the colors t = 0, 1, where ``a_t`` has the entry -1 at the
    vertices of color t and s - 1 at the others, and -1 and +1, respectively, at coordinate V + 1.

    *Kind "half-spaces".*  ``F = 1/2 + relu(h_0 + 1) - relu(h_0 - h_1)``, which is above 3/2 exactly
    where both are positive.

    *Kind "sum".*  ``F = 2 - (K/2) relu(-h_0) - (K/2) relu(-h_1)``.  It is 2 where both are not
    negative, and at most ``2 - K delta / 2 < 3/2`` where one is at most -delta, if
    ``K delta > 1``.  Here ``delta = 1/2 - mu max_t ||a_t||_1``, and K is the next integer above
    ``1 / delta`` that float64 holds.

    >>> from sublinear_lib.memorization import cycle
    >>> from sublinear_lib.memorization.two_neurons import robust_radii
    >>> square = cycle(4)
    >>> network = network_of_coloring(square, (0, 1, 0, 1))
    >>> network.depth, network.width
    (2, 2)
    >>> min(robust_radii(network, *gadget(square)))
    Fraction(1, 10)
    """
    kind = choice(kind, "kind", _KINDS)
    if not all(color in (0, 1) for color in colors):
        raise ValueError(f"colors must be 0 or 1, got {tuple(colors)}")
    bad = h.one_colored(colors)
    if bad is not None:
        raise ValueError(f"colors must be a proper coloring, got one color on the edge {bad}")
    own = np.array(colors, dtype=np.int64)[None, :] == np.array([[0], [1]])
    A = np.where(own, -1.0, h.largest_edge - 1.0)
    A = np.column_stack((A, [-1.0, 1.0]))
    halves = np.full(2, 0.5)
    if kind == "half-spaces":
        W = np.stack((A[0], A[0] - A[1]))
        return width_two(np.array([1.0, -1.0]), W, np.array([1.5, 0.0]), 0.5)
    size = Fraction(float(np.abs(A).sum(axis=1).max()))
    largest = 1 / (2 * size)
    if radius is None:
        budget = largest / 2
    else:
        budget = Fraction(scalar(radius, "radius", minimum=0.0))
        if budget >= largest:
            raise ValueError(f"radius must be below {largest}, got {radius}")
    bound = 1 / (Fraction(1, 2) - budget * size)
    K = float(math.floor(bound) + 1)
    if bound >= K:  # from 2**53 on not every integer is a number
        K = math.nextafter(K, math.inf)
    return width_two(np.full(2, -K / 2.0), -A, -halves, 2.0)


@dataclass(frozen=True)
class Decoding:
    """The coloring that a memorizing network hides, and how it was read off.

    Fields: `colors`: a proper coloring with the colors 0 and 1; `kind`: the shape of the region of
    label 2: signs of the output weights different ("half-spaces"), or none positive ("sum");
    `rules`: which half-space cut vertex i off: that of the "first" neuron, that of the "second", or
    only that of the sum of "both", which occurs for the kind "sum".
    """

    colors: tuple[int, ...]
    kind: Kind
    rules: tuple[str, ...]


@described
def coloring_of_network(h: Hypergraph, network: ReLUNetwork) -> Decoding:
    r"""Read a proper 2-coloring off any network of two hidden neurons that memorizes the gadget.

    Here `h`: the hypergraph.

    The coloring, the kind of the region and the rule that colored each vertex.

    Raises ValueError: if the network has another shape, or does not classify a point of the gadget;
    the message gives the point and the value.

    Source: Theorem II.4.1, (b) implies (a), ours; computed in rational arithmetic from the stored
    weights.  Write ``F - 3/2 = c + a_1 relu(l_1) + a_2 relu(l_2)`` and put the sizes of the output
    weights into ``l_t``.

    *Signs + and -.*  By the proof ``c <= 0``.  The color of vertex i is the first t with
    ``g_t(e_i) <= 0`` for ``g_1 = l_1 - |c|`` and ``g_2 = l_1 - l_2 - |c|``.

    *Both signs -.*  The color is the first if ``l_1(e_i) >= c``, else the second if
    ``l_2(e_i) >= c``, else that of the steeper slope along ``e_i``.  (Both signs + cannot be.)

    >>> from sublinear_lib.memorization import cycle
    >>> square = cycle(4)
    >>> network = network_of_coloring(square, (1, 0, 1, 0), kind="sum")
    >>> coloring_of_network(square, network)
    Decoding(colors=(1, 0, 1, 0), kind='sum', rules=('second', 'first', 'second', 'first'))
    """
    X, y = gadget(h)
    form = TwoNeurons(network, h.vertices + 1)
    for row, (point, label) in enumerate(zip(X, y, strict=True)):
        value = network.exactly(point.tolist())
        if value == _THRESHOLD or (value > _THRESHOLD) != (label == 2.0):
            raise ValueError(
                f"network must classify the gadget: at row {row}, of label {label:g}, it must be "
                f"{'above' if label == 2.0 else 'below'} 3/2, got {float(value)!r}"
            )
    c = form.constant - _THRESHOLD
    order = (0, 1) if form.outer[0] > 0 or form.outer[1] <= 0 else (1, 0)
    slopes = [[abs(form.outer[t]) * v for v in form.weights[t]] for t in order]
    start = [abs(form.outer[t]) * form.biases[t] for t in order]
    colors, rules = [], []
    kind: Kind = "sum" if max(form.outer) <= 0 else "half-spaces"
    for i in range(h.vertices):
        first, second = (start[t] + slopes[t][i] for t in (0, 1))
        if kind == "half-spaces":
            # By the proof one output weight is positive, the other negative, and c <= 0.
            rules.append("first" if first <= -c else "second")
            colors.append(0 if first <= -c else 1)
        elif first >= c or second >= c:
            rules.append("first" if first >= c else "second")
            colors.append(0 if first >= c else 1)
        else:
            rules.append("both")
            colors.append(0 if slopes[0][i] >= slopes[1][i] else 1)
    return Decoding(tuple(colors), kind, tuple(rules))


# Deciding existence


@dataclass(frozen=True)
class Answer:
    """What a search for two neurons gave.

    Fields: `found`: whether there is a network; None if the time was up, a solver gave no answer,
    or its point did not pass the exact check; `network`: the network, checked in rational
    arithmetic on every sample; `side`: the label that the convex region holds, "upper" or "lower";
    `programs`: linear or mixed-integer programs solved; `feasible`: how many of the assignments
    tried had a network.
    """

    found: bool | None
    network: ReLUNetwork | None
    side: Side | None
    programs: int
    feasible: int


class _Shape:
    """The linear inequalities of one kind of region, for points inside and outside.

    A region is ``{u_h < 0 for all h}``.  For the kind "half-spaces" ``u_1`` and ``u_2`` are free;
    for the kind "sum" they are ``l_1 - c``, ``l_2 - c`` and ``l_1 + l_2 - c`` with ``c > 0``.  All
    are linear in the unknowns, which may be scaled, so strict inequalities become ``u_h <= -1``
    inside and ``u_h >= 1`` outside, and ``c >= 1``: no margin is chosen.
    """

    def __init__(self, kind: Kind, inside: FloatArray, outside: FloatArray) -> None:
        self.kind, self.inside, self.outside = kind, inside, outside
        self.cuts = 2 if kind == "half-spaces" else 3
        self.unknowns = 2 * (inside.shape[1] + 1) + (kind == "sum")
        self.held = np.concatenate([self.forms(x) for x in inside])
        self.lost = np.stack([self.forms(x) for x in outside])
        low = np.full(self.unknowns, -np.inf)
        if kind == "sum":
            low[-1] = 1.0
        self.low = low

    def forms(self, x: FloatArray) -> FloatArray:
        """Return the rows whose products with the unknowns are ``u_h(x)``."""
        lifted, none = np.append(x, 1.0), np.zeros(x.size + 1)
        rows = [np.append(lifted, none), np.append(none, lifted)]
        if self.kind == "sum":
            rows = [np.append(row, -1.0) for row in (*rows, np.append(lifted, lifted))]
        return np.stack(rows)

    def solve(self, assignment: Sequence[int]) -> FloatArray | None:
        """Solve the program in which half-space h cuts outside point q off."""
        cut = self.lost[np.arange(len(assignment)), list(assignment)]
        return minimizer(
            np.zeros(self.unknowns),
            A_ub=np.concatenate((self.held, -cut)),
            b_ub=np.full(len(self.held) + len(cut), -1.0),
            bounds=[(low if math.isfinite(low) else None, None) for low in self.low.tolist()],
        )

    def network(self, unknowns: FloatArray, middle: float, sign: float) -> ReLUNetwork:
        """Build the network that is above the middle inside, or below for ``sign = -1``."""
        n = self.inside.shape[1]
        first, second = unknowns[: n + 1], unknowns[n + 1 : 2 * n + 2]
        if self.kind == "sum":
            W, b = np.stack((first[:n], second[:n])), np.array([first[n], second[n]])
            return width_two(np.full(2, -sign), W, b, middle + sign * float(unknowns[-1]))
        # relu(1 - u_1) - relu(u_2 - u_1) - 1 is -max(u_1, u_2) where u_1 < 1, and <= -1 elsewhere.
        W = np.stack((-first[:n], second[:n] - first[:n]))
        b = np.array([1.0 - first[n], second[n] - first[n]])
        return width_two(np.array([sign, -sign]), W, b, middle - sign)


class _Search:
    """One search: the counters and the clock."""

    def __init__(self, early_exit: bool, time_limit: float) -> None:
        self.early_exit, self.end = early_exit, time.monotonic() + time_limit
        self.programs = self.feasible = 0
        self.undecided = False

    def late(self) -> bool:
        over = time.monotonic() > self.end
        self.undecided = self.undecided or over
        return over

    def run(self, shape: _Shape, method: Method) -> FloatArray | None:
        """Search one shape, unless a point outside lies among those inside."""
        for x in shape.outside:
            self.programs += 1
            if not _separable(shape.inside, x):
                return None
        if method == "milp":
            return self._mixed_integer(shape)
        first: FloatArray | None = None
        for unknowns in self._enumerate(shape) if method == "enumerate" else self._backtrack(shape):
            self.feasible += 1
            first = unknowns if first is None else first
            if self.early_exit:
                break
        return first

    def _enumerate(self, shape: _Shape) -> Iterator[FloatArray]:
        for assignment in itertools.product(range(shape.cuts), repeat=len(shape.outside)):
            if self.late():
                return
            self.programs += 1
            unknowns = shape.solve(assignment)
            if unknowns is not None:
                yield unknowns

    def _backtrack(self, shape: _Shape) -> Iterator[FloatArray]:
        """Assign one point after the other; leave a prefix whose program has no solution."""
        assignment = [-1]
        while assignment and not self.late():
            assignment[-1] += 1
            if assignment[-1] == shape.cuts:
                assignment.pop()
                continue
            self.programs += 1
            unknowns = shape.solve(assignment)
            if unknowns is not None and len(assignment) == len(shape.outside):
                yield unknowns
            elif unknowns is not None:
                assignment.append(-1)

    def _mixed_integer(self, shape: _Shape) -> FloatArray | None:
        """Let a binary for each half-space and outside point say whether it cuts the point off."""
        outside, cuts = shape.lost.shape[:2]
        free, binary = shape.unknowns, outside * cuts
        rows = shape.lost.reshape(binary, free)
        large = 1.0 + _BOX * np.abs(rows).sum(axis=1)
        chosen = np.kron(np.eye(outside), np.ones(cuts))
        run = milp(
            np.zeros(free + binary),
            integrality=np.append(np.zeros(free), np.ones(binary)),
            bounds=Bounds(
                np.append(np.maximum(shape.low, -_BOX), np.zeros(binary)),
                np.append(np.full(free, _BOX), np.ones(binary)),
            ),
            constraints=[
                LinearConstraint(
                    np.column_stack((shape.held, np.zeros((len(shape.held), binary)))),
                    -np.inf,
                    -1.0,
                ),
                # u_h(x) >= 1 - large (1 - binary)
                LinearConstraint(np.column_stack((rows, -np.diag(large))), 1.0 - large, np.inf),
                LinearConstraint(np.column_stack((np.zeros((outside, free)), chosen)), 1.0, np.inf),
            ],
            options={"time_limit": max(0.01, self.end - time.monotonic())},
        )
        self.programs += 1
        if run.x is None:
            self.undecided = self.undecided or run.status != 2
            return None
        self.feasible += 1
        return np.asarray(run.x, dtype=np.float64)[:free]


def _separable(inside: FloatArray, x: FloatArray) -> bool:
    """Say whether some half-space holds x and no point inside: one program."""
    rows = np.column_stack((np.concatenate((inside, -x[None, :])), np.ones(len(inside) + 1)))
    rows[-1, -1] = -1.0
    found = minimizer(
        np.zeros(rows.shape[1]),
        A_ub=rows,
        b_ub=np.full(len(rows), -1.0),
        bounds=(None, None),
    )
    return found is not None


@checked
def exists_width_two(
    X: FloatArray,
    y: FloatArray,
    method: Method = "milp",
    *,
    kinds: Iterable[Kind] = _KINDS,
    sides: Iterable[Side] = _SIDES,
    early_exit: Flag = True,
    time_limit: Positive = 60.0,
) -> Answer:
    r"""Decide whether a network of depth 2 and width 2 classifies data with two labels.

    Here `method`: one mixed-integer program for each shape; or one linear program for every
    assignment of outside points to half-spaces; or the same one point at a time, leaving
    assignments whose beginning has no network already; `kinds`: the shapes to try, see the notes;
    `sides`: which label the convex region may hold: the larger or the smaller; `early_exit`:
    whether to stop at the first network.  If not, "enumerate" solves every program; `time_limit`:
    seconds after which a search gives up.

    The answer, with a network that was checked exactly.  That there is none rests on a solver's
    word in floating point; "milp" looks only for numbers up to 64, where every inequality holds
    with a margin of 1.

    Ours, after the case distinction of Theorem II.4.1.  Let f be the network less the
    midpoint of the labels.  By the signs of its output weights, one of ``{f > 0}`` and
    ``{f < 0}`` is a convex region of one of two shapes, and the samples of the other label lie
    outside:

    - *half-spaces* (signs differ): ``{u_1 < 0, u_2 < 0}``, with any affine ``u_1, u_2``;
    - *sum* (signs agree): ``{l_1 < c, l_2 < c, l_1 + l_2 < c}``, with any affine ``l_1, l_2`` and
      ``c > 0``.

    One neuron is a case of both.  For finitely many points the second shape can do what the first
    can: ``l_t = K u_t`` with large K.  So "sum" alone decides, and "half-spaces" is tried first
    because it is smaller.  On a `gadget` the two shapes agree, as each is equivalent to a coloring.

    Each point outside lies beyond at least one of two or three half-spaces; once we know which,
    the rest is a linear program.  That makes ``2^M`` and ``3^M`` programs for M points outside.
    Only a data set without a network needs all.  A first round of M programs looks for a point
    outside that no half-space keeps from the region: there is no network then.

    >>> from sublinear_lib.memorization import cycle
    >>> exists_width_two(*gadget(cycle(4))).found, exists_width_two(*gadget(cycle(5))).found
    (True, False)
    """
    points, values, low, high = two_labels(X, y)
    method = choice(method, "method", _METHODS)
    wanted = [choice(kind, "kinds", _KINDS) for kind in kinds]
    where = [choice(side, "sides", _SIDES) for side in sides]
    if not wanted or not where:
        raise ValueError("kinds and sides must not be empty")
    search = _Search(early_exit, time_limit)
    network: ReLUNetwork | None = None
    chosen: Side | None = None
    for place, (kind, side) in enumerate(itertools.product(wanted, where)):
        if place and search.late():
            break
        inside = (values == high) == (side == "upper")
        shape = _Shape(kind, points[inside], points[~inside])
        if method == "enumerate" and shape.cuts ** len(shape.outside) > _MOST_PROGRAMS:
            raise ValueError(
                f"method 'enumerate' would solve {shape.cuts}**{len(shape.outside)} programs, "
                f"more than {_MOST_PROGRAMS}: use 'backtrack' or 'milp'"
            )
        try:
            unknowns = search.run(shape, method)
        except NoAnswer:
            search.undecided = True
            continue
        if unknowns is not None and network is None:
            sign = 1.0 if side == "upper" else -1.0
            candidate = shape.network(unknowns, (low + high) / 2.0, sign)
            if certify_sign(candidate, points, values).holds:
                network, chosen = candidate, side
            else:
                search.undecided = True
        if network is not None and early_exit:
            break
    found = True if network is not None else (None if search.undecided else False)
    return Answer(found, network, chosen, search.programs, search.feasible)
