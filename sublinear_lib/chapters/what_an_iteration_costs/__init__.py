"""Figures and explorers of the page ``what-an-iteration-costs``."""
