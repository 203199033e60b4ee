"""What the stored quick run of the ledger found.

``test_ledger_of_the_paper`` holds it to be of the code as it is, and runs the whole ledger at
another seed; the tests of one topic read here what they say about its claims.
"""

from sublinear_lib.claims import Budget, stored_evidence

QUICK = {name: item.evidence for name, item in stored_evidence(Budget.QUICK).items()}
"""Evidence of the quick budget at seed 0, by the id of its claim."""
