"""Importing the code of one chapter loads what it needs: no other chapter, and no other paper."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from sublinear_lib import chapters
from tests.commands import python

FOLDER = Path(chapters.__file__).parent
PAGES = defaultdict(list)
for path in sorted(FOLDER.glob("*/*s.py")):
    PAGES[path.parent.name].append(f"sublinear_lib.chapters.{path.parent.name}.{path.stem}")
PART_THREE = {
    "two_kinds_of_features",
    "how_adversarial_training_changes_the_race",
    "what_is_robust_and_what_is_not",
}
# Each page has a process of its own, which begins with the libraries and without ours.
LOADED = """
import importlib, json, multiprocessing, sys
import ipywidgets, matplotlib.figure, scipy.spatial, scipy.stats

def loaded(modules):
    for name in modules:
        importlib.import_module(name)
    return [name for name in sys.modules if name.partition(".")[0] == "sublinear_lib"]

with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
    print(json.dumps(pool.map(loaded, json.loads(sys.argv[1]), chunksize=1)))
"""


@pytest.mark.either_way
def test_a_chapter_loads_few_modules_and_none_of_another():
    run = python(LOADED, json.dumps([*PAGES.values()]))
    for page, loaded in zip(PAGES, json.loads(run.stdout), strict=True):
        assert len(loaded) <= 120, loaded
        parts = [name.split(".") for name in loaded if ".chapters." in name]
        assert {part[2] for part in parts if part[2][0] != "_"} == {page}
        other = [name for name in loaded if name.startswith("sublinear_lib.halfspace")]
        assert page not in PART_THREE or not other
