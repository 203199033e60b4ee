"""Run Jupyter Book so that it reads in several processes, and writes only pages that changed.

``python tools/run_jupyter_book.py build FOLDER ...`` takes what ``jupyter-book`` takes.  With the
variable PAGES_BEFORE, pages are read and written again only where their source has changed, as
long as they tell each other the same as before: titles, labels, numbers, words, the index.  That
folder keeps the output of Sphinx as it is before the extensions of the book finish it.

`python -m jupyter_book` does not exist in version 1. While Sphinx reads all pages, again and again,
Python looks for garbage that is not there: with its own thresholds for half of a build. And
jsonschema would compile, for seconds, grammars of addresses that nothing asks for.
"""

from __future__ import annotations

import gc
import hashlib
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
from jupyter_book.cli.main import main  # noqa: E402
from sphinx.application import Sphinx  # noqa: E402
from sphinx.environment import BuildEnvironment  # noqa: E402
from sphinx.extension import Extension  # noqa: E402

BEFORE = Path(os.environ["PAGES_BEFORE"])
TOLD = BEFORE.with_suffix(".told")
# Addresses of objects, and numbers that are given only after this has been asked.
_CHANCE = re.compile(r' at 0x[0-9a-f]+| secnumber="[^"]*"')
start, known = Sphinx.__init__, Extension.__init__


def what_pages_tell(env: BuildEnvironment) -> str:
    """Return a hash of all that a page can show of another one."""
    told: list[Any] = [env.found_docs, env.titles, env.tocs, env.toctree_includes]
    boxes = ("proof_list", "sphinx_exercise_registry", "sphinx_exercise_node_order")
    told += [getattr(env, name, None) for name in boxes]
    for name, data in sorted(env.domaindata.items()):
        for key, value in sorted(data.items()):  # a list is in the order in which pages were read
            told += [name, key, set(map(in_order, value)) if isinstance(value, list) else value]
    return hashlib.sha256(in_order(told).encode()).hexdigest()


def in_order(value: Any) -> str:
    """Write a value down, sets and dictionaries in one order."""
    if isinstance(value, dict):
        return str(sorted(f"{key!r}: {in_order(each)}" for key, each in value.items()))
    if isinstance(value, set | frozenset):
        return str(sorted(map(in_order, value)))
    if isinstance(value, list | tuple):
        return str([in_order(each) for each in value])
    return _CHANCE.sub("", str(value))


def write_all_that_changed(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Have all pages written where they tell each other something new."""
    now = what_pages_tell(env)
    before = TOLD.read_text("utf-8") if TOLD.is_file() else ""
    TOLD.write_text(now, "utf-8")
    if now == before:
        return []
    shutil.rmtree(app.outdir, ignore_errors=True)
    app.outdir.mkdir()
    return sorted(env.found_docs)


def keep(app: Sphinx, error: Exception | None) -> None:
    """Keep the pages as they are before they are finished."""
    shutil.rmtree(BEFORE, ignore_errors=True)
    if error is None:
        shutil.copytree(app.outdir, BEFORE)


def in_parallel(self: Sphinx, *arguments: Any, **options: Any) -> None:
    """Begin, as Jupyter Book wants it but for the number of processes and what is kept."""
    options["parallel"] = min(4, os.cpu_count() or 1)
    options["freshenv"] = not BEFORE.is_dir()
    start(self, *arguments, **options)
    self.connect("env-updated", write_all_that_changed)
    self.connect("build-finished", keep, priority=0)


def safe(self: Extension, name: str, *arguments: Any, **options: Any) -> None:
    """Let pages be read in parallel with two extensions, which only change settings and numbers."""
    known(self, name, *arguments, **options)
    if name in {"sphinx_jupyterbook_latex", "sphinx_multitoc_numbering"}:
        self.parallel_read_safe = True


if __name__ == "__main__":
    Sphinx.__init__, Extension.__init__ = in_parallel, safe  # type: ignore[method-assign]
    gc.set_threshold(200_000, 50, 50)
    main()
