"""Figures and explorers of the page ``f-versus-the-pseudo-network``."""
