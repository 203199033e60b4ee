"""Figures and explorers of the page ``what-cannot-be-done``."""
