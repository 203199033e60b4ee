"""Figures and explorers of the page ``systems-and-scale``."""
