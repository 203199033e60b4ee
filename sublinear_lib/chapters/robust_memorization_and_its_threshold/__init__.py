"""Figures and explorers of the page ``robust-memorization-and-its-threshold``."""
