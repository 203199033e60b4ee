"""Figures and explorers of the page ``your-own-data``."""
