"""Importing the code of one chapter loads what it needs: no other chapter, and no other paper."""

from __future__ import annotations

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


@pytest.mark.either_way
@pytest.mark.parametrize("page", PAGES)
def test_a_chapter_loads_few_modules_and_none_of_another(page: str) -> None:
    own = f"sublinear_lib.chapters.{page}"
    files = [path.stem for path in (FOLDER / page).glob("*.py") if path.stem != "__init__"]
    code = "import sys\n" + "".join(f"import {own}.{name}\n" for name in files)
    run = subprocess.run(
        [sys.executable, "-c", f"{code}print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=FOLDER.parents[1],
    )
    loaded = {name for name in run.stdout.split() if name.split(".")[0] == "sublinear_lib"}
    assert len(loaded) <= 120, sorted(loaded)
    folders = {name.split(".")[2] for name in loaded if name.count(".") >= 2 and "chapters" in name}
    assert {name for name in folders if not name.startswith("_")} <= {page}
    if page in PART_THREE:
        assert not any(name.startswith("sublinear_lib.halfspace") for name in loaded)
