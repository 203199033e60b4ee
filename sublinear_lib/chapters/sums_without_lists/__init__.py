"""Figures and explorers of the page ``sums-without-lists``."""
