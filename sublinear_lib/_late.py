"""A front door that opens late: a package imports a module when a name of it is first used."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_OFFERED = re.compile(r"^__all__ = (\[.*?\])", re.MULTILINE | re.DOTALL)
_STAR = re.compile(r"^ *from (sublinear_lib[\w.]*) import \*", re.MULTILINE)


def late_door(package: str, *, whole: bool = True) -> tuple[Callable[[str], Any], list[str]]:
    """Return ``__getattr__`` and ``__all__`` of a package with imports under ``TYPE_CHECKING``.

    It offers what the modules with a star there list and, unless `whole` is false, every other
    module as a whole, so that people, type checkers and Python see one list.
    """
    room = sys.modules[package]
    folder = Path(str(room.__file__)).parent
    homes: dict[str, str] = {}
    starred = _STAR.findall((folder / "__init__.py").read_text(encoding="utf-8"))
    for module in starred:
        names = _names((folder / f"{module.rpartition('.')[2]}.py").read_text(encoding="utf-8"))
        homes |= dict.fromkeys(names, module)
    modules = [path.stem for path in sorted(folder.glob("[a-z]*.py"))] if whole else []
    offered = [name for name in modules if f"{package}.{name}" not in starred]

    def load(name: str) -> Any:
        if name in homes:
            value = getattr(importlib.import_module(homes[name]), name)
        elif not name.startswith("_") and importlib.util.find_spec(f"{package}.{name}"):
            value = importlib.import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(room, name, value)
        return value

    return load, offered + list(homes)


def _names(source: str) -> list[str]:
    """Return the list ``__all__`` of a module."""
    found = _OFFERED.search(source)
    assert found, "a module behind a late front door lists what it offers"
    return list(ast.literal_eval(found[1]))
