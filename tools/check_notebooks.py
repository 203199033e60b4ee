"""Read the chapters as notebooks and list what departs from the frame that every chapter keeps.

A chapter asks a question, says what a reader will be able to do and how long it takes, states,
explains, shows, checks, sets exercises with hidden solutions, and closes with what was verified.
Its code cells are short, show values, and were stored by ``tools/run_notebooks.py``.  A notebook in
``book/reference`` is a page to look something up in, and of it only the cells and outputs are
checked; but the errata are a chapter of Part I too.  A chapter has a quiz of its own, two live
labs, and five exercises.

usage: python tools/check_notebooks.py [notebook ...]
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

import nbformat
import run_notebooks
from nbformat import NotebookNode
from run_notebooks import ROOT, STATE, notebooks

LONGEST_CELL = 15
# What a page shows beside its two menus without a scroll bar, at 1280 pixels.
WIDEST_LINE = 76
FEWEST_EXERCISES = 5
FEWEST_LABS = 2
# A page of the reference that is a chapter of Part I as well.
ALSO_A_CHAPTER = frozenset({"errata"})
LEVELS = ("★", "★★", "★★★")

# What a reader must find, as a heading, as the title of a box, or as a bold lead: how to recognize
# it, and words that will do.
FRAME = {
    "the question": (r"question", "The question"),
    "objectives": (r"objectives|able to|you will (learn|know)", "What you will be able to do"),
    "what is needed": (r"you need|before you start|prerequisites", "You need"),
    "the intuition": (r"intuition", "Intuition"),
    "an explorer": (r"explore", "Explore"),
    "the check": (r"\bcheck", "Check it"),
    "exercises": (r"exercises", "Exercises"),
    "take-aways": (r"take-?aways?", "Take-aways"),
    "what was verified": (r"what we verified, and how", "What we verified, and how"),
}
TITLE = re.compile(
    r"^#{1,6} +(?P<heading>.+)$"
    r"|^(?::{3,}|`{3,})\{[\w:-]+\} *(?P<box>.*)$"
    r"|\*\*(?P<bold>[^*]+)\*\*",
    re.MULTILINE,
)
STATEMENT = re.compile(r"\{prf:(theorem|lemma|definition|proposition|corollary|remark|algorithm)\}")
DURATION = re.compile(r"\b\d+ *(to|-|–)? *\d* *(min(utes)?|hours?)\b", re.IGNORECASE)
EXERCISE = re.compile(
    r"^(?::{3,}|`{3,})\{exercise(?:-start)?\} *(?P<title>.*)\n(?P<options>(?:[ \t]*:\S.*\n)*)",
    re.MULTILINE,
)
SOLUTION = re.compile(
    r"^(?::{3,}|`{3,})\{solution(?:-start)?\} *(?P<of>\S+) *\n(?P<options>(?:[ \t]*:\S.*\n)*)",
    re.MULTILINE,
)
INDEX = re.compile(r"\{index\}`([^`]*)`")
LABEL = re.compile(r":label: *(\S+)")
QUIZ_HEADING = re.compile(r"^##+ .*\bquiz\b", re.IGNORECASE | re.MULTILINE)
OWN_PLACE = re.compile(r"(?:/home/|/Users/|/root/|/tmp/|/var/|\b[A-Z]:\\)\S*")
MOMENT = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b\d\d:\d\d:\d\d\b")


class Chapter:
    """One notebook of the book, read but not changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name
        self.text = path.read_text(encoding="utf-8")
        self.notebook: NotebookNode = nbformat.reads(self.text, as_version=4)

    @property
    def teaches(self) -> bool:
        """Whether it is a chapter, and not a page of the reference."""
        return "reference" not in self.path.parts or self.path.stem in ALSO_A_CHAPTER

    @cached_property
    def prose(self) -> str:
        """All text cells, one after the other."""
        cells = self.notebook.cells
        return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown") + "\n"

    @cached_property
    def titles(self) -> list[str]:
        """Every heading, title of a box and bold lead."""
        return [next(filter(None, match.groups()), "") for match in TITLE.finditer(self.prose)]

    def code(self) -> Iterator[tuple[int, NotebookNode]]:
        """Yield the code cells with their places in the notebook."""
        for number, cell in enumerate(self.notebook.cells):
            if cell.cell_type == "code":
                yield number, cell

    def printed(self) -> Iterator[tuple[int, str]]:
        """Yield every text that a cell shows, with the place of the cell."""
        for number, cell in self.code():
            for output in cell.outputs:
                if output.output_type == "stream":
                    yield number, output.text
                else:
                    yield number, output.get("data", {}).get("text/plain", "")


def frame(chapter: Chapter) -> list[str]:
    """List the pieces of the frame that the chapter lacks."""
    if not chapter.teaches:
        return []
    problems = [
        f"no heading, box or bold lead announces {piece}, such as {words!r}"
        for piece, (pattern, words) in FRAME.items()
        if not any(re.search(pattern, title, re.IGNORECASE) for title in chapter.titles)
    ]
    if not STATEMENT.search(chapter.prose):
        problems.append("no numbered statement ({prf:theorem}, {prf:lemma}, ...)")
    if not DURATION.search(chapter.prose):
        problems.append("it does not say how long it takes, such as '40 minutes'")
    return problems


def exercises(chapter: Chapter) -> list[str]:
    """List what is wrong with the exercises and their solutions."""
    if not chapter.teaches:
        return []
    set_here = {}
    problems = []
    for match in EXERCISE.finditer(chapter.prose):
        label = LABEL.search(match["options"])
        if label is None:
            problems.append(f"the exercise {match['title']!r} has no :label:")
        else:
            set_here[label.group(1)] = match["title"]
    if len(set_here) < FEWEST_EXERCISES:
        problems.append(
            f"{len(set_here)} exercises with a label, at least {FEWEST_EXERCISES} wanted"
        )
    stars = {"★" * title.count("★") for title in set_here.values()}
    problems += [f"no exercise of level {level}" for level in LEVELS if level not in stars]
    problems += [
        f"the exercise {set_here[each]!r} has no level"
        for each in set_here
        if "★" not in set_here[each]
    ]
    solved = {match["of"]: match["options"] for match in SOLUTION.finditer(chapter.prose)}
    problems += [f"no solution of {label!r}" for label in set_here if label not in solved]
    problems += [
        f"the solution of {label!r} is not hidden (:class: dropdown)"
        for label, options in solved.items()
        if "dropdown" not in options
    ]
    if not _solutions_with_code(chapter):
        problems.append("no solution contains a code cell that was run")
    return problems


def quiz_and_labs(chapter: Chapter) -> list[str]:
    """List what a chapter lacks beside its frame: its quiz and its live labs."""
    if not chapter.teaches:
        return []
    problems = []
    if not QUIZ_HEADING.search(chapter.prose):
        problems.append("no heading announces a quiz, such as '## Quiz'")
    page = f"{chapter.path.parent.name}/{chapter.path.stem}"
    asked = [name for _, cell in chapter.code() for name in _quizzes(cell.source)]
    if asked != [page]:
        problems.append(f"it asks the quizzes {asked}, wanted is one cell with quiz({page!r})")
    labs = sum(text.startswith("LiveLab(") for _, text in chapter.printed())
    if labs < FEWEST_LABS:
        problems.append(f"{labs} live labs, at least {FEWEST_LABS} wanted")
    return problems


def _quizzes(source: str) -> Iterator[str]:
    """Yield the pages whose quiz a cell asks."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # `code_cells` complains about it
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "quiz":
            yield ast.literal_eval(node.args[0]) if node.args else ""


def _solutions_with_code(chapter: Chapter) -> int:
    inside, found = False, 0
    for cell in chapter.notebook.cells:
        if cell.cell_type == "markdown":
            last = re.findall(r"\{solution-(start|end)\}", cell.source)
            inside = last[-1] == "start" if last else inside
        elif inside and cell.execution_count is not None:
            found += 1
    return found


def index_entries(chapter: Chapter) -> list[str]:
    """List words for the index that Sphinx would take apart at a comma, or sort among the signs."""
    problems = []
    for text in INDEX.findall(chapter.prose):
        target = text.rpartition("<")[2].rstrip(">")
        if "," in target or not target[:1].isalpha():
            problems.append(f"the index entry {target!r} must begin with a letter, without commas")
    return problems


def code_cells(chapter: Chapter) -> list[str]:
    """List the code cells that are long, define what the library should, or hide their output."""
    problems = []
    for number, cell in chapter.code():
        lines = cell.source.splitlines()
        if len(lines) > LONGEST_CELL:
            problems.append(f"cell {number} has {len(lines)} lines, at most {LONGEST_CELL} wanted")
        if "hide-input" not in cell.metadata.get("tags", []):
            problems += [
                f"cell {number} has a line of {len(line)} characters, at most {WIDEST_LINE} wanted"
                for line in lines
                if len(line) > WIDEST_LINE
            ]
        if cell.source.rstrip().endswith(";"):
            problems.append(f"cell {number} ends with ';', which a test run does not honor")
        try:
            tree = ast.parse(cell.source)
        except SyntaxError:
            problems.append(f"cell {number} is not plain Python")
            continue
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        problems += [
            f"cell {number} defines {node.name}, which belongs in the library"
            for node in ast.walk(tree)
            if isinstance(node, kinds)
        ]
    return problems


def stored_outputs(chapter: Chapter) -> list[str]:
    """List what shows that the stored outputs did not come from one run from top to bottom."""
    problems = []
    counts = [cell.execution_count for _, cell in chapter.code()]
    if not counts:
        problems.append("it has no code cell")
    if counts != list(range(1, len(counts) + 1)):
        problems.append(f"the cells were not run in order from the top: {counts}")
    for number, cell in chapter.code():
        for output in cell.outputs:
            if output.output_type == "error":
                problems.append(f"cell {number} shows an error: {output.ename}")
            if output.output_type == "stream" and output.name == "stderr":
                problems.append(f"cell {number} shows standard error")
    if counts and not any(cell.outputs for _, cell in chapter.code()):
        problems.append("no cell has an output")
    name = run_notebooks.identity(chapter.path)
    if run_notebooks.normalize(nbformat.reads(chapter.text, as_version=4), name) != chapter.text:
        problems.append(f"it was not stored by tools/run_notebooks.py{_run(chapter)}")
    return problems


def _run(chapter: Chapter) -> str:
    """Name the command that stores one page, which takes less time than all of them."""
    path = chapter.path.resolve()
    shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else chapter.path
    return f" (run `python tools/run_notebooks.py {shown.as_posix()}`)"


def traces_of_a_machine(chapter: Chapter) -> list[str]:
    """List paths of one machine and moments of one run, in cells and in outputs."""
    texts = [(number, cell.source) for number, cell in enumerate(chapter.notebook.cells)]
    problems = []
    for number, text in [*texts, *chapter.printed()]:
        problems += [
            f"cell {number} names a place on one machine: {found}"
            for found in OWN_PLACE.findall(text)
        ]
        problems += [
            f"cell {number} holds a moment of one run: {found}" for found in MOMENT.findall(text)
        ]
    return problems


def old_widgets(chapter: Chapter) -> list[str]:
    """List explorers that were stored with a script or style other than the library's own now."""
    from sublinear_lib.widgets.explorer import STATIC, style_sheet

    scripts = (path.read_text(encoding="utf-8") for path in STATIC.glob("*.js"))
    sources = {text.strip() for text in (*scripts, style_sheet())}
    state = chapter.notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    return [
        f"an explorer was stored with an old {key[1:]}{_run(chapter)}"
        for model in state.values()
        for key in ("_esm", "_css")
        if model["state"].get(key, "").strip() not in {*sources, ""}
    ]


CHECKS: dict[str, Callable[[Chapter], list[str]]] = {
    check.__name__: check
    for check in (
        frame,
        exercises,
        quiz_and_labs,
        index_entries,
        code_cells,
        stored_outputs,
        traces_of_a_machine,
        old_widgets,
    )
}


def main() -> int:
    """Check the notebooks named on the command line, or all of the book."""
    bad = 0
    for path in [Path(name) for name in sys.argv[1:]] or notebooks():
        chapter = Chapter(path)
        for check in CHECKS.values():
            for problem in check(chapter):
                bad += 1
                print(f"{chapter.name}: {problem}", file=sys.stderr)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
