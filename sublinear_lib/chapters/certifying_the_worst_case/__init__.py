"""Figures and explorers of the page ``certifying-the-worst-case``."""
