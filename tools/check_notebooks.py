"""Read the chapters as notebooks and list what departs from the form that every page keeps.

A page of the story (Parts I, II and III) asks a question, shows a picture and gives the answer in
one sentence, all on its first screen; it computes its formula in front of the reader, says where
the book stands, sets a quiz and exercises with hidden solutions, and closes with one section,
*Evidence*, that the build folds.  It has a size.  A page of *Going deeper* keeps the same form
without a quiz, a picture on top and a place in the story.  In the other notebooks only cells and
outputs are checked.  All of them were stored by ``tools/run_notebooks.py``.

usage: python tools/check_notebooks.py [notebook ...]
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import nbformat
import run_notebooks
import yaml
from compare_pictures import PICTURE
from nbformat import NotebookNode
from run_notebooks import ROOT, STATE, notebooks

LONGEST_CELL = 15
# What a page shows beside its two menus without a scroll bar, at 1280 pixels.
WIDEST_LINE = 76
FEWEST_EXERCISES = 5
LEVELS = ("★", "★★", "★★★")

# What a page may show with all folds closed, and how long it may take to read.
MOST_WORDS = 2_200
MOST_CODE = 8
MOST_PRINTED = 3
MOST_HEADINGS = 9
MOST_EVIDENCE_WORDS = 1_500
WORDS_A_MINUTE = 55
# Text before the picture of the first screen, title included.
MOST_WORDS_BEFORE_PICTURE = 130

STORY = "Part I"  # and Parts II and III, which begin alike
DEEPER = "Going deeper"
CLOSING = ("Where we stand", "Quiz", "Exercises", "Evidence")
TIMES = re.compile(r"Reading: (?P<reading>\d+) minutes\.(?: Exercises: \d+ minutes\.)?")
ANSWER = re.compile(r"\*\*[^*]*\d[^*]*\*\*")
HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)
BOX = re.compile(
    r"^(?::{3,}|`{3,})\{prf:(?!proof)(\w+)\}(?P<title>.*)\n(?P<options>(?:[ ]*:.*\n)*)",
    re.MULTILINE,
)
SOURCE_REMARK = re.compile(
    r"\b(?:our (?:machine-read )?copy|machine[- ]read|damaged (?:text|copy)|misread\w*"
    r"|lost (?:sign|relation|minus)s?|signs? (?:is|are) lost|printed sign)\b",
    re.IGNORECASE,
)
OLD_NAMES = re.compile(r"\bPRINTED\b|\bZHANG\b")
# Calls that make an exhibit: their cells show no code.
EXHIBIT = re.compile(r"^(?:explorers\.\w+|quiz|claim_box|chapter_claims)\(")
FENCE = re.compile(r"^(?P<marks>:{3,}|`{3,})(?:\{(?P<kind>[\w:-]+)\})?")
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
OWN_PLACE = re.compile(r"(?:/home/|/Users/|/root/|/tmp/|/var/|\b[A-Z]:\\)\S*")
MOMENT = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b\d\d:\d\d:\d\d\b")


@functools.cache
def contents() -> dict[str, tuple[str, ...]]:
    """Return the last two parts of the names of all pages, by the caption above them."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return {
        part["caption"]: tuple(
            "/".join(Path(entry["file"]).parts[-2:]) for entry in part["chapters"]
        )
        for part in toc["parts"]
    }


def _place(path: Path) -> str:
    """Return the part of the book that holds a page: its caption, or else its folder."""
    name = "/".join(path.with_suffix("").parts[-2:])
    found = [caption for caption, pages in contents().items() if name in pages]
    return found[0] if found else path.parent.name


@dataclass(frozen=True)
class Part:
    """One cell: what is visible of its text, and where it stands."""

    cell: NotebookNode
    text: str
    evidence: bool
    solution: bool

    @property
    def shown(self) -> bool:
        """Whether it is code that a reader sees without opening anything."""
        tags = self.cell.metadata.get("tags", [])
        return (
            self.cell.cell_type == "code"
            and not (self.evidence or self.solution)
            and not any(tag.startswith(("hide-", "remove-")) for tag in tags)
        )


def _parts(notebook: NotebookNode) -> Iterator[Part]:
    evidence = solution = False
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            yield Part(cell, "", evidence, solution)
            continue
        visible, began_in_evidence = [], evidence
        fold = ""
        for line in cell.source.splitlines():
            fence = FENCE.match(line)
            kind = (fence["kind"] or "") if fence else ""
            if fence and fold:
                fold = "" if not kind and fence["marks"] == fold else fold
                continue
            if kind in ("solution-start", "solution-end"):
                solution = kind == "solution-start"
            elif fence and kind in ("dropdown", "solution"):
                fold = fence["marks"]
                visible.append(line.partition("}")[2])
            elif re.match(r"##? ", line):
                evidence = line == "## Evidence"
                began_in_evidence |= evidence
            if not (fold or solution or fence or re.match(r" *:[\w-]+:", line)):
                visible.append(line)
        yield Part(cell, "\n".join(visible), began_in_evidence, solution)


def words(text: str) -> int:
    """Count the words of a text; a formula is one, however long."""
    return len(re.sub(r"\$\$.*?\$\$|\$[^$]+\$", " formula ", text, flags=re.DOTALL).split())


class Chapter:
    """One notebook of the book, read but not changed."""

    def __init__(self, path: Path, place: str | None = None) -> None:
        self.path = path
        self.place = _place(path) if place is None else place
        self.name = path.name
        self.text = path.read_text(encoding="utf-8")
        self.notebook: NotebookNode = nbformat.reads(self.text, as_version=4)

    @property
    def told(self) -> bool:
        """Whether it is a page of the story."""
        return self.place.startswith(STORY)

    @property
    def formed(self) -> bool:
        """Whether it keeps the form: a page of the story, or one that goes deeper."""
        return self.told or self.place == DEEPER

    @cached_property
    def prose(self) -> str:
        """All text cells, one after the other."""
        cells = self.notebook.cells
        return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown") + "\n"

    @cached_property
    def parts(self) -> list[Part]:
        """The cells in their order, each with what is seen of it when all folds are closed."""
        return list(_parts(self.notebook))

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


def size(chapter: Chapter) -> list[str]:
    """List what is too large on a page with all folds closed."""
    if not chapter.formed:
        return []
    seen = [part for part in chapter.parts if not part.evidence]
    counts = {
        "visible words": (sum(words(part.text) for part in seen), MOST_WORDS),
        "words of evidence": (
            sum(words(part.text) for part in chapter.parts if part.evidence),
            MOST_EVIDENCE_WORDS,
        ),
        "visible code cells": (sum(part.shown for part in seen), MOST_CODE),
        "printed outputs": (sum(_printed(part) for part in seen), MOST_PRINTED),
        "headings": (len(HEADING.findall(chapter.prose)), MOST_HEADINGS),
    }
    return [f"{n} {what}, at most {most} wanted" for what, (n, most) in counts.items() if n > most]


def _printed(part: Part) -> bool:
    """Say whether a reader sees text that the cell printed."""
    if part.cell.cell_type != "code" or part.solution:
        return False
    tags = part.cell.metadata.get("tags", [])
    if {"hide-output", "remove-output", "hide-cell", "remove-cell"} & set(tags):
        return False
    return any(
        output.output_type == "stream" or set(output.get("data", {})) == {"text/plain"}
        for output in part.cell.outputs
    )


def first_screen(chapter: Chapter) -> list[str]:
    """List what a page lacks of question, picture, answer and honest times, in this order."""
    if not chapter.formed:
        return []
    problems = []
    codes = [place for place, part in enumerate(chapter.parts) if part.cell.cell_type == "code"]
    first = codes[0] if codes else len(chapter.parts)
    told = sum(words(part.text) for part in chapter.parts if not part.evidence)
    opening = "\n".join(part.text for part in chapter.parts[:first])
    if chapter.told:
        after = chapter.parts[first + 1].text if first + 1 < len(chapter.parts) else ""
        if words(opening) > MOST_WORDS_BEFORE_PICTURE:
            problems.append(
                f"{words(opening)} words before the first cell, at most {MOST_WORDS_BEFORE_PICTURE}"
                " wanted"
            )
        if not codes or not _pictured(chapter.parts[first].cell):
            problems.append("its first cell shows no picture, or shows its code (tag remove-input)")
        around = opening + re.split(r"^#", after, maxsplit=1, flags=re.MULTILINE)[0]
        if not ANSWER.search(around):
            problems.append("no bold answer with a number stands beside the first picture")
    times = TIMES.search(chapter.prose)
    if times is None:
        problems.append("it does not say 'Reading: N minutes. Exercises: N minutes.'")
    elif abs(int(times["reading"]) - told / WORDS_A_MINUTE) > told / WORDS_A_MINUTE / 4 + 2.5:
        problems.append(
            f"it says that reading takes {times['reading']} minutes; {told} words take "
            f"{told / WORDS_A_MINUTE:.0f}"
        )
    return problems


def _pictured(cell: NotebookNode) -> bool:
    shows = any(PICTURE in output.get("data", {}) for output in cell.outputs)
    return shows and "remove-input" in cell.metadata.get("tags", [])


def closing(chapter: Chapter) -> list[str]:
    """List the closing sections that are missing or out of order."""
    if not chapter.formed:
        return []
    titles = HEADING.findall(chapter.prose)
    wanted = CLOSING if chapter.told else ("Evidence",)
    problems = [f"no section {title!r}" for title in wanted if title not in titles]
    tops = re.findall(r"^## +(.+)$", chapter.prose, re.MULTILINE)
    if "Evidence" in tops and tops[-1] != "Evidence":
        problems.append("'Evidence' is not its last section")
    page = f"{chapter.path.parent.name}/{chapter.path.stem}"
    shown = any(
        part.evidence and f'chapter_claims("{page}")' in part.cell.source for part in chapter.parts
    )
    if chapter.told and not shown and page in taught():
        problems.append("its evidence does not show chapter_claims of the page")
    return problems


@functools.cache
def taught() -> frozenset[str]:
    """Return the pages that teach a numbered statement."""
    from sublinear_lib.claims import LEDGER

    return frozenset(claim.chapter for claim in LEDGER)


def names(chapter: Chapter) -> list[str]:
    """List boxes with a second number, and remarks on the source outside its own page."""
    if not chapter.formed:
        return []
    problems = [
        f"the box {match[1]}{match['title']} has a number of its own (write :nonumber:)"
        for match in BOX.finditer(chapter.prose)
        if ":nonumber:" not in match["options"]
    ]
    problems += [
        f"it speaks of the source ({found!r}), which is told on its own page"
        for found in SOURCE_REMARK.findall(chapter.prose)
    ]
    text = "\n".join(part.text for part in chapter.parts)
    return problems + [f"it says {found!r} to readers" for found in OLD_NAMES.findall(text)]


def exhibits(chapter: Chapter) -> list[str]:
    """List cells that make an exhibit and show their code, and imports that stand in the open."""
    if not chapter.formed:
        return []
    problems = []
    for number, part in enumerate(chapter.parts):
        if part.cell.cell_type != "code":
            continue
        lines = part.cell.source.splitlines()
        tags = part.cell.metadata.get("tags", [])
        if any(EXHIBIT.match(line) for line in lines) and "remove-input" not in tags:
            problems.append(f"cell {number} makes an exhibit and shows its code (remove-input)")
        if part.shown and any(re.match(r"(?:from|import) ", line) for line in lines):
            problems.append(f"cell {number} imports in the open (one folded cell, hide-input)")
    return problems


def exercises(chapter: Chapter) -> list[str]:
    """List what is wrong with the exercises and their solutions."""
    if not chapter.told:
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


def quiz(chapter: Chapter) -> list[str]:
    """List what is wrong with the quiz of a chapter."""
    if not chapter.told:
        return []
    page = f"{chapter.path.parent.name}/{chapter.path.stem}"
    asked = [name for _, cell in chapter.code() for name in _quizzes(cell.source)]
    if asked != [page]:
        return [f"it asks the quizzes {asked}, wanted is one cell with quiz({page!r})"]
    return guessable(page) if chapter.told and chapter.path.is_relative_to(ROOT) else []


def guessable(page: str) -> list[str]:
    """List what lets a reader guess the answers to the quiz of a page from their lengths."""
    from sublinear_lib.exhibits import quiz as read

    questions = read(page).questions
    longest = [
        question.text
        for question in questions
        if max(question.choices, key=lambda choice: len(choice.text)).right
    ]
    if len(longest) > max(1, len(questions) // 3):
        return [
            f"the right answer is the longest in {len(longest)} of its {len(questions)} questions"
        ]
    return []


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
        if not {"hide-input", "remove-input"} & {*cell.metadata.get("tags", [])}:
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
    sheets = (style_sheet(), style_sheet("algorithm.css"))
    sources = {text.strip() for text in (*scripts, *sheets)}
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
        size,
        first_screen,
        closing,
        names,
        exhibits,
        exercises,
        quiz,
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
