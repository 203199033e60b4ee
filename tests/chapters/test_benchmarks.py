"""The pictures of the page of measurements tell the numbers that they are given."""

from functools import partial

from sublinear_lib.chapters.benchmarks import figures
from tests.plotting.shown import alt, tells, texts

MISSES = {"digits": [(0.5, 0.6), (0.0, 0.0)], "points": [(0.1, 0.3)]}
SPEED = {"1 % active": [40, 6, 2.5], "50 % active": [3, 1.2, 0.9]}
METHODS = {"exact": [[7, 1.0]], "SimHash": [[700, 0.96], [600, 0.9]], "HNSW": [[47, 0.5]]}
BASELINE = {"baseline": "tuned dense", "dimensions": [2, 8, 32]}
PANELS = {"*d* = 8": METHODS, "*d* = 32": METHODS}

misses = partial(figures.error_against_misses, curves=MISSES, name="e")
speedup = partial(figures.speedup_by_dimension, **BASELINE, curves=SPEED, name="u")
recall = partial(figures.recall_against_time, panels=PANELS, name="r")


def test_numbers_are_told_with_their_names_and_in_order():
    tells(misses(), "digits: 0 % where 0 % are missed, 60 % where 50 % are missed")
    assert alt(misses()).index("digits") < alt(misses()).index("points")
    tells(speedup(), "1 % active: 40 at d = 2, 2.5 at d = 32")
    assert {"tuned dense", "times as fast as tuned dense"} <= set(texts(speedup()))
    tells(recall(), "d = 8, SimHash: 90 % in 600 microseconds, 96 % in 700 microseconds")
    tells(recall(), "d = 32, exact: 100 % in 7 microseconds")
