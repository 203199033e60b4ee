"""The paper's statements as functions: numbers in, numbers out.

Each module holds the quantities of one group of statements, so that a chapter, a check and a test
all read the same formula.  ``activity`` holds the number of neurons that fire (Definition 3.9,
Lemma 4.5 = C.15, Remark C.17); ``cost`` holds the price of one iteration of Algorithm 1,
``ledger`` that price line by line, as Lemma 5.3 prints it and as it is, ``orders`` its exponents,
``traffic`` what a machine makes of it and ``sharding`` what many machines need; ``reporting`` holds
the share of neurons that a search on X (Section 3.2) has to look at, ``survivors`` its bound and
its limit, ``caps`` that of a cap of Definition 3.3.
``concentration``, ``polynomials`` and ``existence`` hold the lemmas of the appendices, decided by
exact numbers or by ``enclosures``;
``best_steps`` holds the smallest degrees beside those of Claim B.5;
``tails`` holds the tails of a count and their bounds as numbers for curves; ``sampling_error``
holds the error of an average over finitely many neurons (Lemma C.18).
``worst_case`` holds the exact worst case of f - g at a point (Theorem 4.1), ``gap_parts`` that of
its parts (Claims C.5 to C.7), ``uniform_gap`` bounds for all of X at once (Theorem A),
``uniform_constants`` the proof of their constants, ``jump`` the price of the discontinuity,
``flips`` the neurons that can be switched (Claims C.2 and 4.6),
``perturbation`` what a small move of the input changes (Lemma 4.2),
``exponents`` the powers of m of every proof, ``regret`` the convergence of Algorithm 1 term by term
(Theorem 4.3, Theorem D).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sublinear_lib._late import late_door

if TYPE_CHECKING:
    from sublinear_lib.theory.activity import *
    from sublinear_lib.theory.caps import *
    from sublinear_lib.theory.cost import *
    from sublinear_lib.theory.exponents import *
    from sublinear_lib.theory.flips import *
    from sublinear_lib.theory.gap_parts import *
    from sublinear_lib.theory.jump import *
    from sublinear_lib.theory.ledger import *
    from sublinear_lib.theory.orders import *
    from sublinear_lib.theory.reporting import *
    from sublinear_lib.theory.sharding import *
    from sublinear_lib.theory.survivors import *
    from sublinear_lib.theory.traffic import *
    from sublinear_lib.theory.uniform_constants import *
    from sublinear_lib.theory.uniform_gap import *
    from sublinear_lib.theory.worst_case import *
else:
    __getattr__, __all__ = late_door(__name__)
