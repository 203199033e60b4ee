"""Figures and explorers of the page ``the-network-that-memorizes``."""
