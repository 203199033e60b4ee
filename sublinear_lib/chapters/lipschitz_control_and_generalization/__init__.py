"""Figures and explorers of the page ``lipschitz-control-and-generalization``."""
