"""Read the chapters as notebooks and list what departs from the form that every page keeps.

A page of the story (Parts I, II and III) asks a question, shows a picture and gives the answer on
its first screen, says where the book stands, sets a quiz and exercises with hidden solutions, and
closes with *Evidence*, that the build folds.  A page of *Going deeper* keeps the same form without
quiz, first picture and place in the story; in others only cells and outputs are checked.

usage: python tools/check_notebooks.py [notebook ...]
"""

from __future__ import annotations

import ast
import functools
import itertools
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
_FENCE = r"^(?P<marks>:{3,}|`{3,})"
_OPTIONS = r"\n(?P<options>(?:[ \t]*:\S.*\n)*)"
BOX = re.compile(_FENCE + r"\{prf:(?!proof)(?P<kind>\w+)\}(?P<title>.*)" + _OPTIONS, re.M)
SOURCE_REMARK = re.compile(
    r"\b(?:our (?:machine-read )?copy|machine[- ]read|damaged (?:text|copy)|misread\w*"
    r"|lost (?:sign|relation|minus)s?|signs? (?:is|are) lost|printed sign)\b",
    re.IGNORECASE,
)
OLD_NAMES = re.compile(r"\bPRINTED\b|\bZHANG\b")
# Calls that make an exhibit: their cells show no code.
EXHIBIT = re.compile(r"^(?:explorers\.\w+|quiz|claim_box|chapter_claims)\(")
FENCE = re.compile(_FENCE + r"(?:\{(?P<kind>[\w:-]+)\})?")
EXERCISE = re.compile(_FENCE + r"\{exercise(?:-start)?\} *(?P<title>.*)" + _OPTIONS, re.M)
SOLUTION = re.compile(_FENCE + r"\{solution(?:-start)?\} *(?P<of>\S+) *" + _OPTIONS, re.M)
QUIZ = re.compile(r"\bquiz\((?:\"([^\"]*)\")?")
INDEX = re.compile(r"\{index\}`([^`]*)`")
LABEL = re.compile(r":label: *(\S+)")
OWN_PLACE = re.compile(r"(?:/home/|/Users/|/root/|/tmp/|/var/|\b[A-Z]:\\)\S*")
MOMENT = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b\d\d:\d\d:\d\d\b")


@functools.cache
def contents() -> dict[str, set[str]]:
    """Return folder and name of all pages, by the caption above them."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return {
        part["caption"]: {entry["file"].removeprefix("book/") for entry in part["chapters"]}
        for part in toc["parts"]
    }


@dataclass(frozen=True)
class Part:
    """One cell: what is visible of its text, and where it stands."""

    cell: NotebookNode
    text: str
    evidence: bool
    solution: bool

    @property
    def tags(self) -> list[str]:
        """What the build is told to do with it."""
        return list(self.cell.metadata.get("tags", []))

    @property
    def shown(self) -> bool:
        """Whether it is code that a reader sees without opening anything."""
        hidden = any(tag.startswith(("hide-", "remove-")) for tag in self.tags)
        return self.cell.cell_type == "code" and not (self.evidence or self.solution or hidden)


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
        found = (caption for caption, pages in contents().items() if self.page in pages)
        self.place = next(found, path.parent.name) if place is None else place
        self.name = path.name
        self.text = path.read_text(encoding="utf-8")
        self.notebook: NotebookNode = nbformat.reads(self.text, as_version=4)

    @property
    def page(self) -> str:
        """Its folder and name, by which claims and quizzes know it."""
        return "/".join(self.path.with_suffix("").parts[-2:])

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


Check = Callable[[Chapter], list[str]]
CHECKS: dict[str, Check] = {}


def check(of: str | None = None) -> Callable[[Callable[[Chapter], Iterator[str]]], Check]:
    """Make a check of what yields faults: of pages that are `told` or `formed` only, or of all."""

    def made(find: Callable[[Chapter], Iterator[str]]) -> Check:
        @functools.wraps(find)
        def listed(chapter: Chapter) -> list[str]:
            return list(find(chapter)) if of is None or getattr(chapter, of) else []

        CHECKS[find.__name__] = listed
        return listed

    return made


@check("formed")
def size(chapter: Chapter) -> Iterator[str]:
    """List what is too large on a page with all folds closed."""
    seen = [part for part in chapter.parts if not part.evidence]
    evidence = sum(words(part.text) for part in chapter.parts if part.evidence)
    for what, number, most in (
        ("visible words", sum(words(part.text) for part in seen), MOST_WORDS),
        ("words of evidence", evidence, MOST_EVIDENCE_WORDS),
        ("visible code cells", sum(part.shown for part in seen), MOST_CODE),
        ("printed outputs", sum(_printed(part) for part in seen), MOST_PRINTED),
        ("headings", len(HEADING.findall(chapter.prose)), MOST_HEADINGS),
    ):
        if number > most:
            yield f"{number} {what}, at most {most} wanted"


def _printed(part: Part) -> bool:
    """Say whether a reader sees text that the cell printed."""
    hidden = {"hide-output", "remove-output", "hide-cell", "remove-cell"}
    if part.cell.cell_type != "code" or part.solution or hidden.intersection(part.tags):
        return False
    return any(
        output.output_type == "stream" or set(output.get("data", {})) == {"text/plain"}
        for output in part.cell.outputs
    )


@check("formed")
def first_screen(chapter: Chapter) -> Iterator[str]:
    """List what a page lacks of question, picture, answer and honest times, in this order."""
    codes = [place for place, part in enumerate(chapter.parts) if part.cell.cell_type == "code"]
    first = codes[0] if codes else len(chapter.parts)
    opening = "\n".join(part.text for part in chapter.parts[:first])
    if chapter.told:
        after = chapter.parts[first + 1].text if first + 1 < len(chapter.parts) else ""
        if (before := words(opening)) > (most := MOST_WORDS_BEFORE_PICTURE):
            yield f"{before} words before the first cell, at most {most} wanted"
        if not codes or not _pictured(chapter.parts[first]):
            yield "its first cell shows no picture, or shows its code (tag remove-input)"
        around = opening + re.split(r"^#", after, maxsplit=1, flags=re.MULTILINE)[0]
        if not ANSWER.search(around):
            yield "no bold answer with a number stands beside the first picture"
    told = sum(words(part.text) for part in chapter.parts if not part.evidence)
    takes = told / WORDS_A_MINUTE
    times = TIMES.search(chapter.prose)
    if times is None:
        yield "it does not say 'Reading: N minutes. Exercises: N minutes.'"
    elif abs(int(times["reading"]) - takes) > takes / 4 + 2.5:
        yield f"it says {times['reading']} minutes of reading; {told} words take {takes:.0f}"


def _pictured(part: Part) -> bool:
    shows = any(PICTURE in output.get("data", {}) for output in part.cell.outputs)
    return shows and "remove-input" in part.tags


@check("formed")
def closing(chapter: Chapter) -> Iterator[str]:
    """List the closing sections that are missing or out of order."""
    titles = HEADING.findall(chapter.prose)
    for title in CLOSING if chapter.told else ("Evidence",):
        if title not in titles:
            yield f"no section {title!r}"
    tops = re.findall(r"^## +(.+)$", chapter.prose, re.MULTILINE)
    if "Evidence" in tops and tops[-1] != "Evidence":
        yield "'Evidence' is not its last section"
    shows = f'chapter_claims("{chapter.page}")'
    shown = any(part.evidence and shows in part.cell.source for part in chapter.parts)
    if chapter.told and not shown and chapter.page in taught():
        yield "its evidence does not show chapter_claims of the page"


@functools.cache
def taught() -> frozenset[str]:
    """Return the pages that teach a numbered statement."""
    from sublinear_lib.claims import LEDGER

    return frozenset(claim.chapter for claim in LEDGER)


@check("formed")
def names(chapter: Chapter) -> Iterator[str]:
    """List boxes with a second number, and remarks on the source outside its own page."""
    for box in BOX.finditer(chapter.prose):
        if ":nonumber:" not in box["options"]:
            yield f"the box {box['kind']}{box['title']} has a number of its own (write :nonumber:)"
    for found in SOURCE_REMARK.findall(chapter.prose):
        yield f"it speaks of the source ({found!r}), which is told on its own page"
    for found in OLD_NAMES.findall("\n".join(part.text for part in chapter.parts)):
        yield f"it says {found!r} to readers"


@check("formed")
def exhibits(chapter: Chapter) -> Iterator[str]:
    """List cells that make an exhibit and show their code, and imports that stand in the open."""
    for number, part in enumerate(chapter.parts):
        if part.cell.cell_type == "code":
            lines = part.cell.source.splitlines()
            if any(map(EXHIBIT.match, lines)) and "remove-input" not in part.tags:
                yield f"cell {number} makes an exhibit and shows its code (remove-input)"
            if part.shown and any(re.match(r"(?:from|import) ", line) for line in lines):
                yield f"cell {number} imports in the open (one folded cell, hide-input)"


@check("told")
def exercises(chapter: Chapter) -> Iterator[str]:
    """List what is wrong with the exercises and their solutions."""
    set_here = {}
    for exercise in EXERCISE.finditer(chapter.prose):
        if label := LABEL.search(exercise["options"]):
            set_here[label[1]] = exercise["title"]
        else:
            yield f"the exercise {exercise['title']!r} has no :label:"
    if len(set_here) < FEWEST_EXERCISES:
        yield f"{len(set_here)} exercises with a label, at least {FEWEST_EXERCISES} wanted"
    stars = {"★" * title.count("★") for title in set_here.values()}
    yield from (f"no exercise of level {level}" for level in LEVELS if level not in stars)
    solved = {match["of"]: match["options"] for match in SOLUTION.finditer(chapter.prose)}
    for label, title in set_here.items():
        if "★" not in title:
            yield f"the exercise {title!r} has no level"
        if label not in solved:
            yield f"no solution of {label!r}"
    for label, options in solved.items():
        if "dropdown" not in options:
            yield f"the solution of {label!r} is not hidden (:class: dropdown)"
    if not any(part.solution and part.cell.get("execution_count") for part in chapter.parts):
        yield "no solution contains a code cell that was run"


@check("told")
def quiz(chapter: Chapter) -> Iterator[str]:
    """List what is wrong with the quiz of a chapter."""
    asked = [name for _, cell in chapter.code() for name in QUIZ.findall(cell.source)]
    if asked != [chapter.page]:
        yield f"it asks the quizzes {asked}, wanted is one cell with quiz({chapter.page!r})"
    elif chapter.path.is_relative_to(ROOT):
        yield from guessable(chapter.page)


def guessable(page: str) -> list[str]:
    """List what lets a reader guess the answers to the quiz of a page from their lengths."""
    from sublinear_lib.exhibits import quiz as read

    questions = read(page).questions
    most = [max(each.choices, key=lambda choice: len(choice.text)) for each in questions]
    longest = sum(choice.right for choice in most)
    if longest > max(1, len(questions) // 3):
        return [f"the right answer is the longest in {longest} of its {len(questions)} questions"]
    return []


@check()
def index_entries(chapter: Chapter) -> Iterator[str]:
    """List words for the index that Sphinx would take apart at a comma, or sort among the signs."""
    for text in INDEX.findall(chapter.prose):
        target = text.rpartition("<")[2].rstrip(">")
        if "," in target or not target[:1].isalpha():
            yield f"the index entry {target!r} must begin with a letter, without commas"


@check()
def code_cells(chapter: Chapter) -> Iterator[str]:
    """List the code cells that are long, define what the library should, or hide their output."""
    for number, cell in chapter.code():
        lines = cell.source.splitlines()
        if len(lines) > LONGEST_CELL:
            yield f"cell {number} has {len(lines)} lines, at most {LONGEST_CELL} wanted"
        if not {"hide-input", "remove-input"} & {*cell.metadata.get("tags", [])}:
            for length in filter(WIDEST_LINE.__lt__, map(len, lines)):
                yield f"cell {number} has a line of {length} characters, at most {WIDEST_LINE}"
        if cell.source.rstrip().endswith(";"):
            yield f"cell {number} ends with ';', which a test run does not honor"
        try:
            tree = ast.parse(cell.source)
        except SyntaxError:
            yield f"cell {number} is not plain Python"
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield f"cell {number} defines {node.name}, which belongs in the library"


@check()
def stored_outputs(chapter: Chapter) -> Iterator[str]:
    """List what shows that the stored outputs did not come from one run from top to bottom."""
    counts = [cell.execution_count for _, cell in chapter.code()]
    if not counts:
        yield "it has no code cell"
    if counts != list(range(1, len(counts) + 1)):
        yield f"the cells were not run in order from the top: {counts}"
    for number, cell in chapter.code():
        for output in cell.outputs:
            if output.output_type == "error" or output.get("name") == "stderr":
                yield f"cell {number} shows an error or a warning"
    if counts and not any(cell.outputs for _, cell in chapter.code()):
        yield "no cell has an output"
    name = run_notebooks.identity(chapter.path)
    if run_notebooks.normalize(nbformat.reads(chapter.text, as_version=4), name) != chapter.text:
        yield f"it was not stored by tools/run_notebooks.py{_run(chapter)}"


def _run(chapter: Chapter) -> str:
    """Name the command that stores one page, which takes less time than all of them."""
    path = chapter.path.resolve()
    shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else chapter.path
    return f" (run `python tools/run_notebooks.py {shown.as_posix()}`)"


@check()
def traces_of_a_machine(chapter: Chapter) -> Iterator[str]:
    """List paths of one machine and moments of one run, in cells and in outputs."""
    texts = [(number, cell.source) for number, cell in enumerate(chapter.notebook.cells)]
    for number, text in [*texts, *chapter.printed()]:
        for found in OWN_PLACE.findall(text):
            yield f"cell {number} names a place on one machine: {found}"
        for found in MOMENT.findall(text):
            yield f"cell {number} holds a moment of one run: {found}"


@check()
def old_widgets(chapter: Chapter) -> Iterator[str]:
    """List explorers that were stored with a script or style other than the library's own now."""
    from sublinear_lib.widgets.explorer import STATIC, style_sheet

    scripts = (path.read_text(encoding="utf-8") for path in STATIC.glob("*.js"))
    own = {text.strip() for text in (*scripts, style_sheet(), style_sheet("algorithm.css"), "")}
    state = chapter.notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    for model in state.values():
        for key in ("_esm", "_css"):
            if model["state"].get(key, "").strip() not in own:
                yield f"an explorer was stored with an old {key[1:]}{_run(chapter)}"


def main() -> int:
    """Check the notebooks named on the command line, or all of the book."""
    bad = 0
    for path in [Path(name) for name in sys.argv[1:]] or notebooks():
        chapter = Chapter(path)
        for problem in itertools.chain(*(check(chapter) for check in CHECKS.values())):
            bad += 1
            print(f"{chapter.name}: {problem}", file=sys.stderr)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
