"""Figures and explorers of the page ``existence-of-robust-weights``."""
