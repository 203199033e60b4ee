"""Figures and explorers of the page ``gaussian-and-concentration-toolbox``."""
