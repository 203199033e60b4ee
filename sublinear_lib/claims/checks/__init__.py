"""The checks of the claims, one module for each topic; the statements are in ``statements``.

A module collects its checks in its ``topic``; they are private functions of the module, so that
other processes can run them and `fingerprint` can read them.  A check computes nothing by
itself: it calls the theory, looks at the result from an independent side, and notes what it sees.
What several of them draw, run and compare is in :mod:`sublinear_lib.claims.instruments`, and
:mod:`sublinear_lib.claims.paper` puts the claims of all modules in the order of the paper.
"""

from __future__ import annotations
