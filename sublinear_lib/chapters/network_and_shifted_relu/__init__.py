"""Figures and explorers of the page ``network-and-shifted-relu``."""
