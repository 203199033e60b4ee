"""Figures and explorers of the page ``ledger``."""
