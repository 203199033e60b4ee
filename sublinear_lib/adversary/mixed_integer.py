r"""The worst case from above by a mixed-integer linear program over the cap's convex hull.

Lines over the jump (:mod:`sublinear_lib.adversary.relaxation`) lose most where neurons are
unstable.  This module keeps the choice "on or off" of every unstable neuron as a binary variable
and leaves the search to the branch-and-cut solver HiGHS through :func:`scipy.optimize.milp`.  What
is still relaxed is the cap of Definition 3.3 itself: it becomes its convex hull, cut out of the
ball by the plane of the rim, and the ball a polyhedron of tangent planes, to which the points found
outside of it are added round by round.

**The program.**  With v the direction of x, z_r the pre-activation, [l, u] its range over the cap,
h what a neuron that is on subtracts (0 for the jump, tau for the continuous form), ``delta_r``
binary and s_r the output of the neuron, ``sum_r c_r s_r`` plus the affine part is maximized under

* c_r > 0:  ``s <= (u - h) delta``,  ``s <= z - h + max(0, h - l) (1 - delta)``,
  ``z >= l + (tau - l) delta``;
* c_r < 0:  ``s >= 0``,  ``s >= z - h - (tau - h) (1 - delta)``,  ``z <= tau + (u - tau) delta``.

At every point of the cap, ``delta_r = 1[z_r > tau]`` and ``s_r = sigma_tau(z_r)`` fulfill them, so
the optimum is no smaller than the supremum.

**What is certain.**  Of a run only the solver's *dual* bound is used, never the value of its
solution, so stopping early is harmless.  The solver works in floating point: its reduced costs are
right up to a tolerance of 1e-7 each.  All variables and rows are scaled to ranges of about 1, and
the bound is raised by the tolerance times the sum of these ranges and by the rounding error of the
coefficients.  That is a bound of the effect of the tolerances, not a proof of the solver's code.

Some versions of HiGHS up to 1.12 print ``HighsMipSolverData::transformNewIntegerFeasibleSolution``
to the terminal now and then (its issue 2783), whatever its options say.  Only a redirection of the
standard output of the whole process would hide that, other threads included, so it is left alone.
"""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np

from sublinear_lib import geometry
from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.adversary.brackets import Bracket, Bracketing
from sublinear_lib.adversary.relaxation import CapRelaxation
from sublinear_lib.network import TwoLayerNetwork

__all__ = ["mixed_integer"]

_EPS = float(np.finfo(np.float64).eps)
# Of HiGHS: how far a reduced cost may be on the wrong side of 0.
_TOLERANCE = 1e-7
_CLOSE = 1e-9
_GAP = 1e-6
# Programs without whole numbers are solved first, only to find where tangent planes are needed.
_LINEAR_ROUNDS = 40
_ROUNDS = 8
_LINEAR_SHARE = 0.2
# On smaller caps (radians) the rounding of the middle is no longer small beside the cap.
_SMALLEST_ANGLE = 1e-6


def mixed_integer(
    network: TwoLayerNetwork,
    middle: FloatArray,
    rho: float,
    side: int = 1,
    start: FloatArray | None = None,
    **limits: Any,
) -> Bracket:
    """Bracket the supremum of ``side * f`` over a cap by mixed-integer linear programs.

    The cap is replaced by its convex hull, so the upper bound may stay above the supremum however
    long it runs.  For up to about 40 unstable neurons and d up to about 6: in more dimensions a
    polyhedron with a few hundred faces is a poor ball, and
    `split_neurons`, which knows the cap exactly, gives the better
    bounds.  Source: Definitions 3.3 and 3.4.
    """
    asked = Bracketing(network, middle, rho, side, start, **limits)
    model, best = asked.relaxation, asked.best
    simple = model.linear()
    best.offer(simple.point[None, :])
    upper, nodes = max(simple.value, best.value), 1
    angle = geometry.cap_angle(asked.rho)
    if model.unstable and angle > _SMALLEST_ANGLE and not asked.closed(upper):
        simple = model.optimized()
        best.offer(simple.point[None, :])
        upper = max(min(upper, simple.value), best.value)
        program = _Program(model, asked.middle, angle)
        # With this plane the program is no weaker than the best lines over the jumps.
        program.touch(simple.point)
        early = asked.begun + _LINEAR_SHARE * asked.seconds
        late = asked.begun + asked.seconds
        for _ in range(_LINEAR_ROUNDS):
            left = early - time.monotonic()
            if left <= 0.0 or not program.cut(program.solve(whole=False, time_limit=left)):
                break
        for _ in range(_ROUNDS):
            left = late - time.monotonic()
            if left <= 0.0 or asked.closed(upper):
                break
            found = program.solve(whole=True, time_limit=left)
            nodes += found.nodes
            if found.point is not None:
                best.offer(found.point[None, :])
            upper = max(min(upper, found.bound), best.value)
            if not program.cut(found):
                break
    return asked.bracket(upper, "mixed integer", nodes)


class _Solution(NamedTuple):
    """What a run of the solver gave."""

    bound: float
    """Upper bound of the supremum, infinite if there is none."""
    point: FloatArray | None
    """A point of X near the solution's."""
    vector: FloatArray | None
    """The direction of the solution, in the coordinates of the program and not of length 1."""
    nodes: int


class _Program:
    """The program; columns are h, the y, the binaries and the outputs, all of range 1 or 2.

    The direction is ``v = (1 - H h) u + R E y``, with u the middle of the cap, the rows of E an
    orthonormal basis of its complement, and H and R the height and the radius of the cap.
    """

    def __init__(self, model: CapRelaxation, middle: FloatArray, angle: float) -> None:
        from scipy import sparse

        self._model = model
        u = geometry.directions(middle[None, :])[0]
        basis = np.linalg.qr(np.column_stack((u, np.eye(u.size))))[0].T
        basis[0] = u
        self._basis = basis
        self._angle = angle
        self._height = 2.0 * math.sin(0.5 * angle) ** 2
        self._radius = math.sin(min(angle, 0.5 * math.pi))
        # How wrong u and E may be, in units of the cap.
        self._slack = 64.0 * _EPS / angle
        k, moves = model.unstable, u.size
        stretch = np.append(-self._height, np.full(moves - 1, self._radius))
        omega = geometry.SLICE_RADIUS * model.W[:, :-1] @ basis.T
        z = omega * stretch
        above = 0.5 * model.W[:, -1] + model.b + omega[:, 0] - model.tau
        slope = geometry.SLICE_RADIUS * basis @ model.gradient[:-1]
        self._constant = model.constant + float(0.5 * model.gradient[-1] + slope[0])
        low, high = model.low - model.tau, model.high - model.tau
        span, peak = high - low, high + model.jump
        largest = np.maximum(span, peak)
        error = 64.0 * _EPS * (model.sizes + model.tau)
        up = np.flatnonzero(model.factors > 0.0)
        down = np.flatnonzero(model.factors <= 0.0)
        eye = np.eye(k)
        rows, limits = [], []

        def add(
            part: IntArray,
            unit: FloatArray,
            on_z: float,
            on_binary: FloatArray,
            on_output: FloatArray,
            limit: FloatArray,
        ) -> None:
            """Add ``on_z (z - tau) + on_binary delta + on_output output <= limit``, over unit."""
            block = (on_z * z[part], on_binary[:, None] * eye[part], on_output[:, None] * eye[part])
            rows.append(np.concatenate(block, axis=1) / unit[:, None])
            room = limit - on_z * above[part] + abs(on_z) * error[part]
            limits.append(room / unit + 64.0 * _EPS)

        zero, one, jump = np.zeros(k), np.ones(k), np.full(k, model.jump)
        most = np.maximum(0.0, -model.jump - low)
        add(up, one[up], 0.0, -one[up], one[up], zero[up])
        add(up, largest[up], -1.0, most[up], peak[up], (jump + most)[up])
        add(up, span[up], -1.0, -low[up], zero[up], -low[up])
        add(down, largest[down], 1.0, jump[down], -peak[down], zero[down])
        add(down, span[down], 1.0, -high[down], zero[down], zero[down])
        self._rows, self._limits = np.concatenate(rows), np.concatenate(limits)
        self._cuts: list[FloatArray] = []
        self._cut_limits: list[float] = []
        cost = np.concatenate((slope * stretch, np.zeros(k), model.factors * peak))
        self._scale = max(float(np.abs(cost).max()), 1e-300)
        self._cost = -cost / self._scale
        # A middle that is too long or short by rounding counts in units of the height.
        spare = np.append(self._slack / angle, np.full(moves - 1, self._slack))
        least = np.append(0.0, np.full(moves - 1, -1.0))
        self._least = np.append(least - spare, np.zeros(2 * k))
        self._largest = np.append(1.0 + spare, np.ones(2 * k))
        self._whole = np.concatenate((np.zeros(moves), np.ones(k), np.zeros(k)))
        self._moves = moves
        self._sparse = sparse.csr_array
        for j in range(1, moves):
            for sign in (1.0, -1.0):
                self._tangent(self._rim(sign * np.eye(moves)[j]))

    def solve(self, *, whole: bool, time_limit: float) -> _Solution:
        """Solve the program, or its relaxation without whole numbers."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        matrix = np.concatenate((self._rows, np.array(self._cuts)))
        limits = np.append(self._limits, self._cut_limits)
        run = milp(
            self._cost,
            integrality=self._whole if whole else np.zeros_like(self._whole),
            bounds=Bounds(self._least, self._largest),
            constraints=LinearConstraint(self._sparse(matrix), -np.inf, limits),
            options={"time_limit": time_limit, "mip_rel_gap": _GAP},
        )
        bound = math.inf
        dual = run.mip_dual_bound
        if whole and run.status in (0, 1) and dual is not None and math.isfinite(dual):
            ranges = self._largest - self._least
            room = _TOLERANCE * float(ranges.sum() + (np.abs(matrix) @ ranges).sum())
            size = float(np.abs(self._model.factors) @ (self._model.sizes + self._model.tau))
            bound = self._constant + self._scale * (room - dual)
            bound += 4.0 * self._model.rounding(2.0 * size)
        nodes = int(run.mip_node_count or 0)
        if run.x is None:
            return _Solution(bound, None, None, nodes)
        moves = run.x[: self._moves]
        vector = np.append(1.0 - self._height * moves[0], self._radius * moves[1:])
        length = float(np.linalg.norm(vector))
        if length == 0.0:
            return _Solution(bound, None, None, nodes)
        point = geometry.embed((vector / length @ self._basis)[None, :])[0]
        return _Solution(bound, point, vector, nodes)

    def touch(self, point: FloatArray) -> None:
        """Add the tangent plane at a point of X."""
        self._tangent(self._basis @ geometry.directions(point[None, :])[0])

    def cut(self, found: _Solution) -> bool:
        """Cut a solution off if it lies outside the ball."""
        if found.vector is None:
            return False
        length = float(np.linalg.norm(found.vector))
        if length <= 1.0 + _CLOSE * min(1.0, self._angle**2):
            return False
        self._tangent(found.vector / length)
        self._tangent(self._rim(found.vector))
        return True

    def _rim(self, vector: FloatArray) -> FloatArray:
        """Return the point of the rim towards a vector."""
        across = vector.copy()
        across[0] = 0.0
        length = float(np.linalg.norm(across))
        if length == 0.0:
            across[-1] = length = 1.0
        across *= math.sin(self._angle) / length
        across[0] = math.cos(self._angle)
        return across

    def _tangent(self, p: FloatArray) -> None:
        """Demand ``<p, v> <= 1`` for a unit vector p."""
        row = np.append(-self._height * p[0], self._radius * p[1:])
        unit = float(np.abs(row).max())
        if unit == 0.0:
            return
        # 1 - p_0 without cancellation.
        limit = float(p[1:] @ p[1:]) / (1.0 + p[0]) if p[0] > 0.0 else 1.0 - float(p[0])
        self._cuts.append(np.append(row / unit, np.zeros(2 * self._model.unstable)))
        self._cut_limits.append((limit + self._slack * self._radius + 16.0 * _EPS) / unit)
