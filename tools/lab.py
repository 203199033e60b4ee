"""Open the chapters as live notebooks in JupyterLab, as `make lab` does.

usage: python tools/lab.py [options of jupyter lab]

The notebooks are trusted first, so that their figures and explorers are seen before a cell runs.
JupyterLab gets the macros of the book from a block in front of the first cell, which is there in
the browser only: what is saved has the form of ``tools/run_notebooks.py``.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import nbformat
import yaml
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from jupyterlab.labapp import LabApp
from kernel_environment import ROOT
from nbformat.sign import NotebookNotary
from run_notebooks import identity, normalize, notebooks

from sublinear_lib.plotting.picture import STORED_HTML

# What KaTeX, with which JupyterLab sets formulas, lacks: a class of its own for our readings.
OTHERWISE = {"rec": r"\underset{\cdots}{#1}"}


def front_matter() -> str:
    """Return the macros of ``_config.yml`` as jupyterlab-myst wants them before the first cell."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    macros = config["sphinx"]["config"]["companion_macros"]
    known = {
        rf"\{name}": OTHERWISE.get(name, value[0] if isinstance(value, list) else value)
        for name, value in macros.items()
    }
    return f"---\n{yaml.safe_dump({'math': known}, width=1000)}---\n"


def shown(notebook: dict[str, Any], front: str) -> None:
    """Make of a stored notebook what JupyterLab shows: macros, and drawings if it is trusted."""
    first = notebook["cells"][0] if notebook["cells"] else {}
    if first.get("cell_type") == "markdown":
        first["source"] = front + first["source"]
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if cell["metadata"].get("trusted") and STORED_HTML in data:
                data["text/html"] = data.pop(STORED_HTML)


def stored(saved: dict[str, Any], front: str, name: str) -> Any:
    """Make of what JupyterLab saves what is stored."""
    notebook = nbformat.reads(json.dumps(saved), as_version=4)
    for cell in notebook["cells"]:
        cell["source"] = cell["source"].removeprefix(front)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if {"text/html", "image/png"} <= data.keys():
                data[STORED_HTML] = data.pop("text/html")
    return nbformat.reads(normalize(notebook, name), as_version=4)


class Chapters(AsyncLargeFileManager):  # type: ignore[misc]
    """The files below ``book``, whose notebooks look in the browser a little different."""

    async def get(self, path: str, content: bool = True, **options: Any) -> Any:
        """Return a file or folder."""
        model = await super().get(path, content=content, **options)
        if content and model["type"] == "notebook":
            shown(model["content"], front_matter())
        return model

    async def save(self, model: dict[str, Any], path: str = "") -> Any:
        """Write a file or folder."""
        if model["type"] == "notebook" and model.get("content"):
            file = ROOT / "book" / path.strip("/")
            model["content"] = stored(model["content"], front_matter(), identity(file))
        return await super().save(model, path)


def main() -> None:
    """Trust the notebooks of this checkout and start JupyterLab."""
    notary = NotebookNotary()
    for path in notebooks():
        notary.sign(nbformat.read(path, as_version=4))
    os.environ["SUBLINEAR_PAGE_HTML"] = "text/html"  # for the kernels
    options = [
        str(ROOT / "book"),
        "--ServerApp.contents_manager_class=lab.Chapters",
        # Nothing asks another host, whatever is clicked.
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        print("You are root, as in a container: JupyterLab is started with --allow-root.")
        options.append("--allow-root")
    LabApp.launch_instance([*options, *sys.argv[1:]])


if __name__ == "__main__":
    main()
