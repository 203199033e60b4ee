"""What several checks measure with: draws, runs and quadratures, and what is noted of them."""
