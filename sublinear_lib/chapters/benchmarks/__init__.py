"""Figures and explorers of the page ``benchmarks``."""
