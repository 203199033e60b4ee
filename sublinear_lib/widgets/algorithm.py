"""The centerpiece of the book: Algorithm 1 in three dimensions, played in the page.

Python gives the front end (``static/algorithm.js``) the start of the run and the rules that the
marks of the slider show; the run itself is computed in the page.  ``test_algorithm_player.py``
holds it against `SublinearAdversarialTraining` with the exact adversary of the circle.
"""

from __future__ import annotations

import base64
import json
import math
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import traitlets

from sublinear_lib import geometry, scaling, validation
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import ExactOnCircle
from sublinear_lib.losses import HuberLoss
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import StableStep, SublinearAdversarialTraining
from sublinear_lib.widgets._common import STATIC, Widget, style_sheet
from sublinear_lib.widgets.algorithm_stills import algorithm_stills

_WIDTHS = tuple(round(64 * 2 ** (k / 5)) for k in range(31))
_UNIT = 4096
_TAILS_PER_UNIT = 64
_LARGEST_T = 4.0
_SEED = 20
_RHO = 0.1
_STEPS = 240
_STILL_STEPS = 60


@lru_cache(maxsize=1)
def _draws() -> tuple[np.ndarray, np.ndarray]:
    """Return the normal draws in units of 1/4096, shape (4096, 4), and the signs, shape (4096,)."""
    generator = np.random.default_rng(_SEED)
    normal = generator.standard_normal((_WIDTHS[-1], 4))
    signs = generator.choice(np.array([-1.0, 1.0]), size=_WIDTHS[-1])
    return np.round(normal * _UNIT).astype(np.int16), signs


def player_network(m: int, t: float) -> TwoLayerNetwork:
    """Return the network of m <= 4096 neurons from which a run of the player starts.

    It is Definition 3.1 with d = 3 and the threshold in standard deviations, the normal draws
    rounded to multiples of 1/4096.  A smaller network is the beginning of a larger one, up to the
    scale ``m^{-1/2}``.
    """
    draws, signs = _draws()
    numbers = draws[:m] / _UNIT / math.sqrt(m)
    return TwoLayerNetwork(
        numbers[:, :3],
        signs[:m] * scaling.PRINTED.output_weight(m),
        numbers[:, 3],
        scaling.threshold_from_standard(t, m),
    )


def player_data() -> tuple[FloatArray, FloatArray]:
    """Return the points on the circle, in four clusters, and their labels, +1 and -1 by turns."""
    phi, y = _angles()
    plane = np.column_stack((np.cos(phi), np.sin(phi), np.zeros(len(phi))))
    return geometry.SLICE_RADIUS * plane + np.array([0.0, 0.0, 0.5]), y


def _angles() -> tuple[FloatArray, FloatArray]:
    cluster, place = np.divmod(np.arange(16), 4)
    phi = math.pi / 4 + cluster * (math.pi / 2) + 0.29 * (place - 1.5)
    return phi, np.where(cluster % 2 == 0, 1.0, -1.0)


def _packed(array: np.ndarray) -> str:
    little = array.astype(array.dtype.newbyteorder("<"))
    return base64.b64encode(np.ascontiguousarray(little).tobytes()).decode("ascii")


@lru_cache(maxsize=1)
def _spec() -> dict[str, Any]:
    """Return what the front end starts from."""
    draws, signs = _draws()
    phi, y = _angles()
    grid = np.arange(0.0, _LARGEST_T + 1e-9, 1.0 / _TAILS_PER_UNIT)
    widths = []
    for m in _WIDTHS:
        start = player_network(m, 0.0)
        widths.append(
            {
                "m": m,
                "weight": scaling.PRINTED.output_weight(m),
                "std": scaling.preactivation_std(m),
                "step": StableStep().step_size(start) * scaling.activity_at(0.0),
                "printed": scaling.standardize_threshold(scaling.PRINTED.tau(m), m),
                "sparse": scaling.standardize_threshold(scaling.R3.tau(m), m),
            }
        )
    return {
        "draws": _packed(draws),
        "signs": _packed(np.packbits(signs > 0)),
        "unit": _UNIT,
        "tails": _packed(np.log(scaling.activity_at(grid))),
        "tailsPerUnit": _TAILS_PER_UNIT,
        "widths": widths,
        "angles": phi.tolist(),
        "labels": y.tolist(),
        "delta": HuberLoss().delta,
        "rho": _RHO,
        "steps": _STEPS,
    }


@lru_cache(maxsize=1)
def _moments() -> list[tuple[str, TwoLayerNetwork]]:
    """Return three moments of small runs."""
    printed, sparse = (
        player_network(128, scaling.standardize_threshold(rules.tau(128), 128))
        for rules in (scaling.PRINTED, scaling.R3)
    )
    trainer = SublinearAdversarialTraining(
        adversary=ExactOnCircle(rho=_RHO), steps=_STILL_STEPS, index="literal"
    )
    trained = trainer.fit(sparse, *player_data(), rng=0).final
    after = f"the same after {_STILL_STEPS} steps"
    return [("printed threshold", printed), ("sparse threshold", sparse), (after, trained)]


class AlgorithmPlayer(Widget):
    """Algorithm 1 for d = 3, played in the page; use `algorithm_player` to make one."""

    _esm = (STATIC / "algorithm.js").read_text(encoding="utf-8")
    _css = style_sheet("algorithm.css")

    _spec = traitlets.Dict().tag(sync=True)
    _size = traitlets.Unicode().tag(sync=True)

    def __init__(self, size: Literal["full", "small"] = "full") -> None:
        self.size = validation.choice(size, "size", ("full", "small"))
        spec = _spec()
        content = json.dumps([self.size, spec], sort_keys=True)
        super().__init__(content, _spec=spec, _size=self.size)

    def __repr__(self) -> str:
        """Name the size; the same for the same arguments."""
        return f"AlgorithmPlayer({self.size!r}: Algorithm 1 for d = 3, up to {_WIDTHS[-1]} neurons)"

    def still(self) -> Any:
        """Return three moments of a run, for readers without scripts and for PDF."""
        caption = "Each dot is a neuron, and the input on the rim cuts off those that fire."
        moments, name = _moments(), f"algorithm-{self.size}"
        return algorithm_stills(moments, *player_data(), _RHO, name=name, caption=caption)

    def _forms(self) -> tuple[dict[str, str], dict[str, Any]]:
        """Return the stills as HTML and PNG, and the description."""
        still = self.still()
        html = (
            f'<div data-sl-widget="{self._key}">{still.html}'
            "<p><small><noscript>With JavaScript you can play Algorithm 1 here.</noscript>"
            "</small></p></div>"
        )
        bundle: tuple[dict[str, str], dict[str, Any]] = still.bundle(html, repr(self))
        return bundle


def algorithm_player(size: Literal["full", "small"] = "full") -> AlgorithmPlayer:
    """Return the player of Algorithm 1: the network on the circle, trained while one watches.

    The small one shows the neurons, the threshold and the sentence only; ValueError says that the
    size is neither.  The start is `player_network`, the data are `player_data`.  Both runs use the
    exact adversary of the circle and the step size of
    :class:`sublinear_lib.training.step_size.StableStep`; the sparse one asks the half-space index
    that ``SublinearAdversarialTraining(index="literal")`` builds for d = 3, the prefix of the
    neurons sorted by the largest value that any input can give them.  Source: Algorithm 1,
    Definitions 3.1 to 3.4.
    """
    return AlgorithmPlayer(size)
