"""Robust memorization by explicit ReLU networks, after Yu, Gao and Zhang (2024).

Given labeled points with separation lambda, a network *robustly memorizes* them with budget mu if
it is right on the whole closed ball of radius mu around every point.  ``datasets`` measures lambda
and checks mu < lambda/2, ``separation_law`` knows lambda of random data, and ``threshold`` what
fails from lambda/2 on.  ``networks`` holds deep sparse networks with exact counts and values;
``constructions`` builds the memorizers of Theorems 4.8, B.2, B.3 and 5.2, weight by weight, and
``level_sets`` outlines their bumps.  ``certificates`` proves whole balls right, in rationals, by
``intervals`` or by ``programs``; ``attacks`` looks for a point that refutes it, and ``precision``
for the budgets that floating-point numbers no longer hold.  What smaller networks cannot do:
``width`` for the first layer, ``hardness``, ``hypergraphs``, ``two_neurons`` and ``exact_values``
for two neurons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sublinear_lib._late import late_door

if TYPE_CHECKING:
    from sublinear_lib.memorization.attacks import *
    from sublinear_lib.memorization.certificates import *
    from sublinear_lib.memorization.constructions import *
    from sublinear_lib.memorization.datasets import *
    from sublinear_lib.memorization.exact_values import *
    from sublinear_lib.memorization.hardness import *
    from sublinear_lib.memorization.hypergraphs import *
    from sublinear_lib.memorization.intervals import *
    from sublinear_lib.memorization.level_sets import *
    from sublinear_lib.memorization.networks import *
    from sublinear_lib.memorization.precision import *
    from sublinear_lib.memorization.programs import *
    from sublinear_lib.memorization.separation_law import *
    from sublinear_lib.memorization.threshold import *
    from sublinear_lib.memorization.two_neurons import *
    from sublinear_lib.memorization.width import *
else:
    __getattr__, __all__ = late_door(__name__)
