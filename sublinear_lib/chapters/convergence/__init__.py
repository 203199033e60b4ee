"""Figures and explorers of the page ``convergence``."""
