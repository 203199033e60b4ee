"""Figures and explorers of the page ``errata``."""
