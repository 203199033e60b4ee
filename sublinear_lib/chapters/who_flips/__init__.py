"""Figures and explorers of the page ``who-flips``."""
