"""Build a JupyterLite: the notebooks in a Jupyter whose Python runs in the browser.

usage: python tools/build_lite.py [--pyodide ADDRESS_OR_FILE]

Writes ``_build/lite``: JupyterLite, copies of all notebooks, and the library as a wheel, which the
first cell of each copy installs.  Unless ``--pyodide`` names a distribution of Pyodide to put
beside the pages, the reader's browser fetches Python and its compiled packages from the host that
JupyterLite's kernel names, and packages that Pyodide lacks from the Python Package Index.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import colab_notebooks
from colab_notebooks import ROOT

LITE = ROOT / "_build" / "lite"
# what the notebooks import beside the library and what it asks for itself: the part of the extra
# "book" in pyproject.toml that does not build pages
BESIDE = "matplotlib ipywidgets anywidget markdown-it-py mdit-py-plugins pygments beautifulsoup4"
INSTALL = f"""# The library of this book and what it needs, for the Python in your browser. It
# runs without compiled kernels, so long cells take their time.
%pip install -q sublinear-lib {BESIDE}"""


def commands(work: Path, target: Path, pyodide: str | None = None) -> list[list[str]]:
    """Return the two commands: the library as a wheel, and JupyterLite around it."""
    wheel = ["pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(work / "wheels"), str(ROOT)]
    build = ["jupyter", "lite", "build", "--lite-dir", str(work), "--no-sourcemaps"]
    build += ["--contents", str(work / "contents"), "--output-dir", str(target)]
    build += ["--piplite-wheels", str(work / "wheels")]
    if pyodide:
        build += ["--pyodide", pyodide]
    return [[sys.executable, "-m", *each] for each in (wheel, build)]


def build(pyodide: str | None = None, target: Path = LITE) -> None:
    """Build it afresh; a command that fails shows what it said."""
    work = target.with_name(f"{target.name}-source")
    for folder in (work, target):
        shutil.rmtree(folder, ignore_errors=True)
    colab_notebooks.write(colab_notebooks.code_cell(INSTALL), work / "contents")
    for command in commands(work, target, pyodide):
        done = subprocess.run(
            command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{command[2:4]} failed:\n{done.stdout.decode(errors='replace')}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, and say how to look at the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pyodide", help="address or file of a distribution of Pyodide")
    try:
        build(parser.parse_args(arguments).pyodide)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"JupyterLite is in {LITE.relative_to(ROOT)}. A server must offer it:")
    print(f"  python -m http.server --bind 127.0.0.1 --directory {LITE.relative_to(ROOT)} 8000")
    print("then open http://127.0.0.1:8000/lab/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
