"""Figures and explorers of the page ``half-space-reporting``."""
