r"""The exact range of a small network on a box, as two mixed-integer linear programs.

A ReLU network is piecewise linear, so its minimum and maximum on a polytope are the values of
programs with one binary variable for every neuron whose sign is not settled: with bounds ``l < 0 <
u`` of its pre-activation *z*, the neuron *a* and its binary *d* satisfy ``a >= z``, ``a >= 0``,
``a <= z - l (1 - d)`` and ``a <= u d``.  The bounds are the rigorous ones of plain interval
arithmetic, so that this module and the max-aware bounds check each other.  Before changing it,
know what the answer is worth.  The solver (HiGHS) works in floating point with tolerances of about
1e-6, so an optimum is exact up to these and no proof; the number of programs that can be solved is
small, and one that ran out of time is called *unknown*, with the bound proven so far, never
*optimal*.  The points that it finds are evaluated by the network itself: those values are
attained.

Source: the encoding is standard (Tjeng, Xiao and Tedrake, Evaluating Robustness of Neural Networks
with Mixed Integer Programming, ICLR 2019).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, diags_array, eye_array, hstack, vstack

from sublinear_lib import validation
from sublinear_lib._arguments import Positive, checked
from sublinear_lib._typing import FloatArray
from sublinear_lib.memorization.intervals import checked_boxes, propagate
from sublinear_lib.memorization.networks import ReLUNetwork

__all__ = ["milp_range"]

RangeStatus: TypeAlias = Literal["optimal", "unknown", "infeasible"]
"""What the solver says: solved; out of time, only bounds are known; no point in the set."""


@dataclass(frozen=True, eq=False)
class OutputRange:
    """The range of a network with one output on a polytope, as a solver found it.

    Fields: `lower`, `upper`: minimum and maximum if `status` is "optimal", up to the tolerances of
    the solver; otherwise the bounds that were reached in time, possibly infinite; `status`: the
    worse of the two programs' answers; `highest`: the value of the network, in float64, at the
    point found for the maximum; NaN without one; `argmax` (n,): that point, clipped to the box; NaN
    where there is none.
    """

    lower: float
    upper: float
    status: RangeStatus
    highest: float
    argmax: FloatArray


_Program: TypeAlias = tuple[FloatArray, float, dict[str, Any]]
"""The objective and its constant, and what binds ``(x, neurons, binaries, [distances])``."""


def _encode(
    network: ReLUNetwork,
    low: FloatArray,
    high: FloatArray,
    l1_ball: tuple[FloatArray, float] | None,
) -> _Program:
    n = network.inputs
    bounds = [(a[:, 0], b[:, 0]) for a, b in propagate(network, low[None], high[None], False)]
    unsettled = [np.flatnonzero((a < 0.0) & (b > 0.0)) for a, b in bounds[:-1]]
    binaries = int(sum(len(each) for each in unsettled))
    extra = 0 if l1_ball is None else n
    columns = n + 2 * binaries + extra
    lower, upper = np.zeros(columns), np.ones(columns)
    lower[:n], upper[:n] = low, high
    # The values of a layer are forms in the variables: a matrix and constants.
    form: Any = hstack([eye_array(n), csr_array((n, columns - n))], format="csr")
    constant = np.zeros(n)
    rows: list[Any] = []
    least: list[FloatArray] = []
    most: list[FloatArray] = []
    done = 0
    for layer, (a, b), open_ in zip(network.layers[:-1], bounds[:-1], unsettled, strict=True):
        form = layer.weight @ form
        constant = layer.weight @ constant + layer.bias
        k = len(open_)
        neurons = n + done + np.arange(k)
        unit = csr_array((np.ones(k), (np.arange(k), neurons)), shape=(k, columns))
        switch = csr_array((np.ones(k), (np.arange(k), neurons + binaries)), shape=(k, columns))
        z, z0 = csr_array(form)[open_], constant[open_]
        upper[neurons] = b[open_]
        rows += [
            unit - z,
            unit - z - diags_array(a[open_]) @ switch,
            unit - diags_array(b[open_]) @ switch,
        ]
        least += [z0, np.full(k, -np.inf), np.full(k, -np.inf)]
        most += [np.full(k, np.inf), z0 - a[open_], np.zeros(k)]
        on = (a >= 0.0).astype(np.float64)
        place = csr_array((np.ones(k), (open_, neurons)), shape=(layer.outputs, columns))
        form, constant = diags_array(on) @ form + place, on * constant
        done += k
    last = network.layers[-1]
    form, constant = last.weight @ form, last.weight @ constant + last.bias
    if l1_ball is not None:
        center, radius = l1_ball
        eye, none = eye_array(n), csr_array((n, 2 * binaries))
        rows += [hstack([eye, none, -eye]), hstack([-eye, none, -eye])]
        least += [np.full(n, -np.inf)] * 2
        most += [center, -center]
        total = np.zeros((1, columns))
        total[0, columns - n :] = 1.0
        rows.append(csr_array(total))
        least.append(np.array([-np.inf]))
        most.append(np.array([radius]))
        upper[columns - n :] = radius
    bound: dict[str, Any] = {"bounds": Bounds(lower, upper)}
    matrix = csr_array(vstack(rows, format="csr")) if rows else csr_array((0, columns))
    if matrix.shape[0]:
        # The HiGHS of SciPy 1.14 takes no wider indices.
        matrix.indices = matrix.indices.astype(np.int32)
        matrix.indptr = matrix.indptr.astype(np.int32)
        bound["constraints"] = LinearConstraint(matrix, np.concatenate(least), np.concatenate(most))
    bound["integrality"] = np.zeros(columns, dtype=np.int64)
    bound["integrality"][n + binaries : n + 2 * binaries] = 1
    return np.asarray(csr_array(form).toarray()[0], dtype=np.float64), float(constant[0]), bound


def _minimize(
    program: _Program, sign: float, time_limit: float
) -> tuple[float, RangeStatus, FloatArray | None]:
    """Return a lower bound of ``sign * output``, how good it is, and a point."""
    objective, constant, bound = program
    found = milp(sign * objective, options={"time_limit": time_limit, "mip_rel_gap": 0.0}, **bound)
    shift = sign * constant
    if found.status == 0:
        return float(found.fun) + shift, "optimal", found.x
    if found.status == 2:
        return math.inf, "infeasible", None
    dual = getattr(found, "mip_dual_bound", None)
    known = -math.inf if dual is None or not math.isfinite(dual) else float(dual) + shift
    return known, "unknown", found.x


@checked
def milp_range(
    network: ReLUNetwork,
    lower: object,
    upper: object,
    *,
    l1_ball: tuple[object, object] | None = None,
    time_limit: Positive = 60.0,
) -> OutputRange:
    """Find the minimum and the maximum of a network on a box, by mixed-integer programming.

    Here `lower`, `upper` (n,): the corners of the box; `l1_ball`: A center, shape (n,), and a
    radius ``>= 0``: only points of the box that are also in this ball of the l1 norm are looked at;
    `time_limit`: seconds for each of the two programs, ``> 0``.

    The range; ``status`` says whether it is exact (up to the tolerances of the solver) or a bound.

    The work can grow like two to the number of unsettled neurons: use it for networks with up to
    some hundred.  Numbers of very different size in one program strain the
    tolerances; a memorizer has such numbers when the budget is close to lambda/2.

    >>> from sublinear_lib.memorization import AffineLayer, ReLUNetwork
    >>> network = ReLUNetwork([AffineLayer([[1.0], [-1.0]], [0.0, 0.0]),
    ...                        AffineLayer([[1.0, 1.0]], [0.0])])
    >>> found = milp_range(network, [-1.0], [2.0])
    >>> found.status, round(found.lower, 6), round(found.upper, 6)
    ('optimal', 0.0, 2.0)
    """
    if validation.instance(network, "network", ReLUNetwork).outputs != 1:
        raise ValueError(f"network must have one output, got {network.outputs}")
    low, high, single = checked_boxes(network, lower, upper)
    if not single:
        raise ValueError(f"lower must have shape ({network.inputs},), got {low.shape}")
    ball = None
    if l1_ball is not None:
        center = validation.float_array(l1_ball[0], "l1_ball[0]", shape=(network.inputs,))
        ball = (center, validation.scalar(l1_ball[1], "l1_ball[1]", minimum=0))
    program = _encode(network, low[0], high[0], ball)
    least, status, _ = _minimize(program, 1.0, time_limit)
    negated, other, found = _minimize(program, -1.0, time_limit)
    highest, argmax = math.nan, np.full(network.inputs, np.nan)
    if found is not None:
        argmax = np.clip(found[: network.inputs], low[0], high[0])
        highest = float(network(argmax[None])[0])
    order: tuple[RangeStatus, ...] = ("infeasible", "unknown", "optimal")
    return OutputRange(
        lower=least,
        upper=-negated,
        status=min(status, other, key=order.index),
        highest=highest,
        argmax=argmax,
    )
