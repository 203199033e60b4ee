"""Figures and explorers of the page ``the-adversary-and-its-worst-case``."""
