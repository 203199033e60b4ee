"""What several checks measure with: draws, runs and quadratures, and what is noted of them.

Nothing here knows a claim; a fingerprint of evidence covers whatever of it a check uses.
"""
