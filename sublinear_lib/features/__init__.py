"""Feature learning under standard and adversarial training, after Li and Li (2025).

Data have two kinds of features: robust ones are strong, non-robust ones dense.  A two-layer
convolutional network with a smoothed ReLU learns one of them, and which one depends on the
training.  ``data`` draws the inputs, ``activations`` and ``network`` hold the network with its
gradients, ``training`` trains it with an adversary or without, and ``recursion`` predicts what it
learns, with closed forms and proofs.  ``attacks`` and ``certify`` bound the robust error from below
and above, ``images`` brings digits, and ``studies`` measures runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sublinear_lib._late import late_door

if TYPE_CHECKING:
    from sublinear_lib.features.activations import *
    from sublinear_lib.features.attacks import *
    from sublinear_lib.features.certify import *
    from sublinear_lib.features.data import *
    from sublinear_lib.features.images import *
    from sublinear_lib.features.network import *
    from sublinear_lib.features.pure import *
    from sublinear_lib.features.recursion import *
    from sublinear_lib.features.studies import *
    from sublinear_lib.features.training import *
else:
    __getattr__, __all__ = late_door(__name__)
