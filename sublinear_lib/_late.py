"""A front door that opens late: a package imports a module when a name of it is first used."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def late_names(package: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package whose imports stand under ``TYPE_CHECKING``.

    Where a name comes from is read there, so that people, type checkers and Python see one list.
    """
    room = sys.modules[package]
    tree = ast.parse(Path(str(room.__file__)).read_text(encoding="utf-8"))
    homes = {
        alias.name: str(node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(f"{package}.")
        for alias in node.names
    }

    def load(name: str) -> Any:
        if name in homes:
            value = getattr(importlib.import_module(homes[name]), name)
        elif not name.startswith("_") and importlib.util.find_spec(f"{package}.{name}"):
            value = importlib.import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(room, name, value)
        return value

    return load
