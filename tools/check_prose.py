"""Read the prose of the book with proselint: clichés, redundancies, repeated words, needless words.

Prose is what the text cells of the notebooks, the pages and the quizzes hold beside formulas,
code and settings.  Spelling is codespell's, which also asks for American forms (pyproject.toml).

usage: python tools/check_prose.py [file ...]
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from proselint.checks import __register__
from proselint.config import DEFAULT
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

ROOT = Path(__file__).resolve().parents[1]
PLACES = ("book", "sublinear_lib/exhibits/quizzes")
GENERATED = ("book/_static",)
# Straight quotes become curly ones when the book is built, and three dots an ellipsis.
LEFT_OUT = ("typography",)
# proselint quotes Mark Twain for this one.
MILD = {
    "Substitute 'damn' every time you're inclined to write 'very'; your editor will delete it and "
    "the writing will be just as it should be.": "Leave out 'very', or say how much."
}
# What is not prose, longest first: blocks of code and of settings, then formulas, code and roles.
NOT_PROSE = re.compile(
    r"(?ms)^(?:`{3,}|~{3,})(?!\{(?:note|tip|admonition|important|warning|exercise|solution|prf)).*?^"
    r"(?:`{3,}|~{3,})\s*$"
    r"|\$\$.*?\$\$"
    r"|\$[^$]+\$"
    r"|\{[\w:-]+\}`[^`]*`"
    r"|`[^`]+`"
    r"|<[^>\n]+>"
    r"|^ *:[\w-]+:[^\n]*$"
    r"|^(?::{3,}|`{3,})[^\n]*$"
    r"|^\|[ :|-]+\|$"
    r"|\b\d{1,3}(?:[ \u00a0]\d{3})+\b"
    r"|^ *\d+\.(?= )"
    r"|^[ \t]*$"  # a word that ends a paragraph and begins the next is not repeated
)
LETTERS = str.maketrans("0123456789", "bcdfghjklq")


def prose_of(text: str) -> str:
    """Return `text` line by line with everything that is not prose replaced by a made-up word.

    Every replacement is another one, so that two formulas side by side are no repeated word, and
    none holds a digit, which would make a time of day of a formula before "among".
    """
    numbers = itertools.count(1)

    def replace(found: re.Match[str]) -> str:
        word = f"x{next(numbers)}".translate(LETTERS)
        return word + "\n" * found.group().count("\n")

    return NOT_PROSE.sub(replace, text)


def texts() -> Iterator[Path]:
    """Give every file of the book that holds prose written by hand."""
    for place in PLACES:
        for path in sorted((ROOT / place).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in {".md", ".ipynb"} and not name.startswith(GENERATED):
                yield path


def parts_of(path: Path) -> Iterator[tuple[str, str]]:
    """Give the pieces of a file with a name for each: the file, or a cell of the notebook."""
    if path.suffix == ".ipynb":
        notebook = nbformat.read(path, as_version=4)
        for number, cell in enumerate(notebook.cells):
            if cell.cell_type == "markdown":
                yield f"{path.name}, cell {number}", cell.source
    else:
        yield path.name, path.read_text(encoding="utf-8")


def findings(name: str, text: str) -> list[str]:
    """Return what proselint says about one piece of prose, a line each."""
    registry = CheckRegistry()
    if not registry.checks:
        registry.register_many(__register__)
    checks = {key: on and key not in LEFT_OUT for key, on in DEFAULT["checks"].items()}
    config = {"max_errors": DEFAULT["max_errors"], "checks": checks}
    file = LintFile(name, prose_of(text))
    return [
        f"{name}, line {result.pos[0] - 1}: {MILD.get(message, message)}"
        for result in file.lint(config)
        for message in [" ".join(result.check_result.message.split())]
    ]


def main(arguments: list[str]) -> int:
    """Print what was found in the named files, or in the whole book."""
    paths = [Path(argument) for argument in arguments] or list(texts())
    parts = (part for path in paths for part in parts_of(path))
    found = [line for part in parts for line in findings(*part)]
    print(*found, sep="\n", end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
