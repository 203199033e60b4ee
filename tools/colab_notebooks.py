"""Write copies of the notebooks whose first cell installs the library, for Colab.

usage: python tools/colab_notebooks.py https://HOST/OWNER/NAME REVISION FOLDER

The workflow that publishes the book puts the copies on the branch ``colab``, where the Colab
buttons of the pages lead.  Needs nothing but Python.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ADDRESS = re.compile(r"https://[^/\s]+/([^/\s]+/[^/\s]+)")


def install_cell(address: str, revision: str) -> dict[str, object]:
    """Return the cell that installs the library of a revision."""
    if not ADDRESS.fullmatch(address):
        raise ValueError(f"address must be https://HOST/OWNER/NAME, got {address!r}")
    if not re.fullmatch(r"[\w./-]+", revision):
        raise ValueError(f"revision must be a branch, a tag or a commit, got {revision!r}")
    source = f"""# Colab does not have the library of this book: this installs it, at its pinned
# versions. If Colab then asks to restart the session, do so and go on below.
!git clone --quiet {address} /content/companion
!git -C /content/companion checkout --quiet {revision}
%pip install --quiet -c /content/companion/constraints.txt "/content/companion[fast,book]"
%pip install --quiet --no-deps /content/companion/benchmarks
"""
    return code_cell(source.strip())


def code_cell(source: str) -> dict[str, object]:
    """Return a code cell that has not been run."""
    return {
        "cell_type": "code",
        "id": "install-the-library",
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": source,
    }


def write(cell: dict[str, object], folder: Path, book: Path = ROOT / "book") -> list[Path]:
    """Write copies of all notebooks, with `cell` in front, below `folder`; return their paths."""
    written = []
    for path in sorted(book.rglob("*.ipynb")):
        if ".ipynb_checkpoints" in path.parts:
            continue
        notebook = json.loads(path.read_text(encoding="utf-8"))
        notebook["cells"].insert(0, cell)
        target = folder / path.relative_to(book.parent)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(notebook, ensure_ascii=False, indent=1)
        target.write_text(text + "\n", encoding="utf-8")
        written.append(target)
    return written


def main(arguments: list[str]) -> int:
    """Write the copies that the command line asks for, and say how many."""
    if len(arguments) != 3:
        print((__doc__ or "").splitlines()[2], file=sys.stderr)
        return 2
    address, revision, folder = arguments
    try:
        written = write(install_cell(address.rstrip("/"), revision), Path(folder))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{len(written)} notebooks in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
