"""Figures and explorers of the page ``training-against-the-adversary``."""
