"""Figures and explorers of the page ``how-adversarial-training-changes-the-race``."""
