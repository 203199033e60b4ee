"""Every numbered statement of the papers as an object with an executable check.

`Claim` is one statement, `Ledger` all of them together, `verify` runs the checks, and evidence is
stored for the book.  The verdict on a statement is derived from what its check observed, by one
rule (`judge`), and compared with the verdict on record.  `LEDGER` holds the statements of the
paper; it is assembled when it is first asked for, because the checks import most of the library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sublinear_lib._late import late_door

if TYPE_CHECKING:
    from sublinear_lib.claims.claim import *
    from sublinear_lib.claims.evidence import *
    from sublinear_lib.claims.ledger import *
    from sublinear_lib.claims.paper import *
    from sublinear_lib.claims.storing import *
    from sublinear_lib.claims.verifying import *
else:
    __getattr__, __all__ = late_door(__name__, whole=False)
