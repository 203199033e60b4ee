"""Figures and explorers of the page ``two-kinds-of-features``."""
