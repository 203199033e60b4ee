"""Run again only the cells that show claims, and keep what the other cells of a page found.

usage: python tools/refresh_claims.py [--check] [notebook ...]

After `sublinear verify --store`, or a change of a claim, the chapters show old boxes. Running whole
chapters for that takes minutes; this runs the cells that use `sublinear_lib.exhibits`, which depend
on no other cell, and stores the page as ``tools/run_notebooks.py`` would. ``--check`` writes
nothing and fails if a page would change.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from run_notebooks import execute, identity, normalize, notebooks

EXHIBITS = "sublinear_lib.exhibits"
NAMES = {"chapter_claims", "claim_box", "dependency_graph", "ledger_table"}


def shows_claims(source: str) -> bool:
    """Say whether a cell uses exhibits: it imports them, or calls one by a name they have."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return False
    return any(
        (isinstance(node, ast.ImportFrom) and node.module == EXHIBITS)
        or (isinstance(node, ast.Call) and ast.unparse(node.func) in NAMES)
        for node in ast.walk(tree)
    )


def refreshed(path: Path) -> str:
    """Return the text of a notebook whose cells with claims were run anew."""
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    chosen = [cell for cell in code if shows_claims(cell.source)]
    if not chosen:
        return path.read_text(encoding="utf-8")
    if any(cell.execution_count is None and not shows_claims(cell.source) for cell in code):
        raise ValueError(f"{path.name} has cells that were never run: run the whole page")
    new = nbformat.v4
    small: NotebookNode = new.new_notebook(cells=[new.new_code_cell(c.source) for c in chosen])
    execute(small, path.parent)
    for cell, run in zip(chosen, small.cells, strict=True):
        cell.outputs = run.outputs
    for number, cell in enumerate(code, start=1):
        cell.execution_count = number
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = number
    return normalize(notebook, identity(path))


def main(arguments: Sequence[str] | None = None) -> int:
    """Refresh the notebooks that the command line names, or all of the book."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail on a difference")
    parser.add_argument("notebook", nargs="*", type=Path, help="default: every notebook")
    chosen = parser.parse_args(arguments)
    changed = 0
    for path in [each.resolve() for each in chosen.notebook] or notebooks():
        text = refreshed(path)
        if text != path.read_text(encoding="utf-8"):
            changed += 1
            print(f"CHANGED  {path.name}", flush=True)
            if not chosen.check:
                path.write_text(text, encoding="utf-8", newline="\n")
    return int(chosen.check and changed > 0)


if __name__ == "__main__":
    sys.exit(main())
