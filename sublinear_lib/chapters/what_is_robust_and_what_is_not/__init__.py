"""Figures and explorers of the page ``what-is-robust-and-what-is-not``."""
