"""Importing the code of one chapter loads what it needs: no other chapter, and no other paper."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sublinear_lib import chapters

FOLDER = Path(chapters.__file__).parent
PAGES = sorted({path.parent.name for path in FOLDER.glob("*/*.py")} - {FOLDER.name})
PART_THREE = {
    "two_kinds_of_features",
    "how_adversarial_training_changes_the_race",
    "what_is_robust_and_what_is_not",
}


FORKS = """
import importlib, json, os, sys
import IPython, matplotlib.pyplot, scipy.stats

for page, names in json.loads(sys.argv[1]).items():
    sys.stdout.flush()
    if (child := os.fork()) == 0:
        for name in names:
            importlib.import_module(name)
        print(page, *sys.modules, flush=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, page
"""


@pytest.fixture(scope="module")
def modules() -> dict[str, set[str]]:
    """The modules of this library that the code of each chapter loads, in a process of its own."""
    own: dict[str, list[str]] = {}
    for path in sorted(FOLDER.glob("*/*.py")):
        if path.stem != "__init__":
            page = path.parent.name
            own.setdefault(page, []).append(f"sublinear_lib.chapters.{page}.{path.stem}")
    run = subprocess.run(
        [sys.executable, "-c", FORKS, json.dumps(own)],
        capture_output=True,
        text=True,
        check=True,
        cwd=FOLDER.parents[1],
    )
    rows = [line.split() for line in run.stdout.splitlines()]
    return {
        page: {name for name in loaded if name.partition(".")[0] == "sublinear_lib"}
        for page, *loaded in rows
    }


@pytest.mark.either_way
@pytest.mark.parametrize("page", PAGES)
def test_a_chapter_loads_few_modules_and_none_of_another(
    modules: dict[str, set[str]], page: str
) -> None:
    loaded = modules[page]
    assert len(loaded) <= 120, sorted(loaded)
    folders = {name.split(".")[2] for name in loaded if name.count(".") >= 2 and "chapters" in name}
    assert {name for name in folders if not name.startswith("_")} <= {page}
    if page in PART_THREE:
        assert not any(name.startswith("sublinear_lib.halfspace") for name in loaded)
