"""Run the notebooks of the book and store their outputs so that the next run gives the same bytes.

usage: python tools/run_notebooks.py [--check] [--claims] [notebook ...]

What changes from run to run without meaning anything (times, identities, memory addresses, how a
printed text was cut into pieces) is put into one fixed form, in which JupyterLab leaves it:
JavaScript writes 1 for 1.0.  ``--check`` writes nothing and fails when a fresh run differs.
``--claims`` runs only the cells that use `sublinear_lib.exhibits`, which depend on no other cell.
"""

from __future__ import annotations

import argparse
import ast
import functools
import json
import os
import re
import sys
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from kernel_environment import ROOT, kernel_environment
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbformat import NotebookNode

CELL_SECONDS = 300
STATE = "application/vnd.jupyter.widget-state+json"
# what makes an exhibit of claims
EXHIBITS = {"chapter_claims", "claim_box", "dependency_graph", "ledger_table"}
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")


def execute(notebook: NotebookNode, folder: Path) -> None:
    """Run all cells of `notebook` in a fresh kernel started in `folder`, and keep the outputs."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.metadata.pop("widgets", None)
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],  # a local kernel need not warn about encryption
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute(env={**os.environ, **kernel_environment()})
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                raise ValueError(f"cell {number} writes to standard error: {output.text.strip()}")


def normalize(notebook: NotebookNode, name: str) -> str:
    """Return the text of `notebook` in its one fixed form."""
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:02d}"
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = _join_streams(cell.outputs)
            for output in cell.outputs:
                if output.output_type == "stream":
                    output.text = ADDRESS.sub("0x0", output.text)
                elif "text/plain" in output.get("data", {}):
                    plain = output.data["text/plain"]
                    output.data["text/plain"] = ADDRESS.sub("0x0", plain)
    state = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    notebook.metadata.clear()
    python = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata["kernelspec"] = python
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    if state:
        contents = {"state": state, "version_major": 2, "version_minor": 0}
        notebook.metadata["widgets"] = {STATE: contents}
    models = {
        model: uuid.uuid5(uuid.NAMESPACE_URL, f"{name}#{number}").hex
        for number, model in enumerate(_in_order_of_appearance(notebook, state))
    }
    text = nbformat.writes(_whole(notebook))
    if models:
        anywhere = re.compile("|".join(map(re.escape, models)))
        text = anywhere.sub(lambda match: models[match.group()], text)
    renamed = nbformat.reads(text, as_version=4)
    if state:
        contents = renamed.metadata["widgets"][STATE]
        contents["state"] = dict(sorted(contents["state"].items()))
    return nbformat.writes(renamed).rstrip("\n") + "\n"


def _whole(value: Any) -> Any:
    """Return the same value with integers for the floats that JavaScript writes as integers."""
    if isinstance(value, dict):
        return type(value)({key: _whole(each) for key, each in value.items()})
    if isinstance(value, list):
        return [_whole(each) for each in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return int(value)
    return value


def _join_streams(outputs: Sequence[NotebookNode]) -> list[NotebookNode]:
    """Join neighboring pieces of one stream: where a kernel cuts a printed text is an accident."""
    joined: list[NotebookNode] = []
    for output in outputs:
        kind = output.output_type, output.get("name")
        if (
            kind[0] == "stream"
            and joined
            and kind == (joined[-1].output_type, joined[-1].get("name"))
        ):
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def _in_order_of_appearance(notebook: NotebookNode, state: dict[str, Any]) -> list[str]:
    """List the models of all widgets: first those that cells show, then those behind them."""
    shown = json.dumps([cell.get("outputs", []) for cell in notebook.cells])
    places = {model: shown.find(model) for model in state}
    seen = sorted((model for model in state if places[model] >= 0), key=places.__getitem__)
    ordered = list(seen)
    # A model behind a shown one is named in its state; the kernel's own order is the last resort.
    for model in ordered:
        inner = json.dumps(state[model])
        behind = [each for each in state if each not in ordered and each in inner]
        ordered += sorted(behind, key=inner.find)
    return ordered + [model for model in state if model not in ordered]


def fresh(path: Path) -> str:
    """Run the notebook in the file `path` and return its text in the fixed form."""
    notebook = nbformat.read(path, as_version=4)
    execute(notebook, path.parent)
    return normalize(notebook, identity(path))


def shows_claims(source: str) -> bool:
    """Say whether a cell uses exhibits: it imports them, or calls one by a name they have."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return False
    return any(
        (isinstance(node, ast.ImportFrom) and node.module == "sublinear_lib.exhibits")
        or (isinstance(node, ast.Call) and ast.unparse(node.func) in EXHIBITS)
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
    small = new.new_notebook(cells=[new.new_code_cell(cell.source) for cell in chosen])
    execute(small, path.parent)
    for cell, run in zip(chosen, small.cells, strict=True):
        cell.outputs = run.outputs
    for number, cell in enumerate(code, start=1):
        cell.execution_count = number
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = number
    return normalize(notebook, identity(path))


def identity(path: Path) -> str:
    """Return the name that the identities of a notebook's widgets are derived from."""
    return f"{path.parent.name}/{path.name}"


def _attempt(make: Callable[[Path], str], path: Path) -> tuple[str, str]:
    """Return the fresh text, or the reason why there is none, in a form that crosses processes."""
    try:
        return make(path), ""
    except (CellExecutionError, DeadKernelError, ValueError, TimeoutError) as error:
        return "", str(error)


def notebooks() -> list[Path]:
    """List the notebooks of the book in the order of their names."""
    found = (ROOT / "book").rglob("*.ipynb")
    return sorted(path for path in found if ".ipynb_checkpoints" not in path.parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the notebooks that the command line names, or all of the book."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail on a difference")
    parser.add_argument("--claims", action="store_true", help="run only cells that show claims")
    parser.add_argument("notebook", nargs="*", type=Path, help="default: every one of the book")
    chosen = parser.parse_args(arguments)
    paths = [path.resolve() for path in chosen.notebook] or notebooks()
    attempt = functools.partial(_attempt, refreshed if chosen.claims else fresh)
    bad = 0
    with ProcessPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        for path, (text, reason) in zip(paths, pool.map(attempt, paths), strict=True):
            if reason:
                bad += 1
                print(f"FAILED   {path.name}\n{reason}", file=sys.stderr)
                continue
            same = path.read_text(encoding="utf-8") == text
            print(f"{'same    ' if same else 'CHANGED '} {path.name}", flush=True)
            if not same and chosen.check:
                bad += 1
            elif not same:
                path.write_text(text, encoding="utf-8", newline="\n")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
