"""Reading the files of ``benchmarks/results`` that other programs than the benchmarks wrote.

Each of them has a module that knows its content; where they are and that they are JSON is one
question.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.results import results_path


def read_stored(path: str | Path | None, file: str, what: str) -> tuple[dict[str, Any], Path]:
    """Read a stored JSON object."""
    path = results_path().with_name(file) if path is None else path
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"path must name {what}, got {path}: {error}") from error
    if not isinstance(found, dict):
        raise ValueError(f"path must name {what}, got {path}")
    return found, Path(path)
