"""Figures and explorers of the page ``from-one-input-to-all``."""
