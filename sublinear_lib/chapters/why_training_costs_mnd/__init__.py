"""Figures and explorers of the page ``why-training-costs-mnd``."""
