"""Figures and explorers of the page ``how-many-neurons-fire``."""
