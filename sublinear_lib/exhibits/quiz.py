r"""The quiz at the end of a chapter: questions with a choice, and an answer to every choice.

The questions of a page are a text in ``quizzes``, checked strictly when it is read.  A quiz is
plain HTML: style rules alone show the answer to the choice that was made, inside an element that
screen readers watch.  (jupyterquiz names its elements at random, needs a script, and its choices
have no roles.)  The right answer is put into a place of its own: an author may write it first every
time.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from sublinear_lib.claims import Verdict
from sublinear_lib.exhibits.looks import LOOKS, STATIC
from sublinear_lib.exhibits.markup import block_html, spoken
from sublinear_lib.plotting import palette_css

QUIZZES = Path(__file__).parent / "quizzes"
FEWEST_QUESTIONS, MOST_QUESTIONS = 3, 5
FEWEST_CHOICES, MOST_CHOICES = 3, 4

_CHOICE = re.compile(r"- \[(?P<mark>[ xX])\] +(?P<text>\S.*)")
_ROLE = re.compile(r"\{[\w:+-]+\}`")
# How an author may begin the answer to a choice; the quiz says it in its own words.
_YES = re.compile(r"(?:right|yes|correct|exactly)(?:[:.,;!]+\s*|$)", re.IGNORECASE)
_NO = re.compile(r"(?:no|wrong|not quite|incorrect)(?:[:.,;!]+\s*|$)", re.IGNORECASE)


@dataclass(frozen=True)
class Reply:
    """One answer that a reader may choose, and what the reader is told then, in MyST."""

    text: str
    right: bool
    feedback: str


@dataclass(frozen=True)
class Question:
    """One question with its choices, in the order in which they are shown.

    The text is one line of MyST, `more` are further paragraphs below it.
    """

    text: str
    more: str
    choices: tuple[Reply, ...]


class Quiz:
    """The questions of one page, for a page and for a terminal; ids are made of its name."""

    def __init__(self, page: str, questions: tuple[Question, ...]) -> None:
        self.page = page
        self.questions = questions
        self._name = "quiz-" + re.sub(r"[^a-z0-9]+", "-", page.lower()).strip("-")

    def __repr__(self) -> str:
        """Return the questions and the choices as text, without the answers."""
        lines = [f"Quiz: {len(self.questions)} questions"]
        for number, question in enumerate(self.questions, 1):
            lines.append(f"{number}. {spoken(question.text)}")
            lines += [f"   {spoken(each)}" for each in _paragraphs(question.more)]
            lines += [f"   ( ) {spoken(choice.text)}" for choice in question.choices]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the quiz as HTML."""
        layout = (STATIC / "quiz.css").read_text(encoding="utf-8")
        rules = palette_css(".sl-quiz") + " ".join(line.strip() for line in layout.splitlines())
        asked = "".join(
            self._question(number, question) for number, question in enumerate(self.questions, 1)
        )
        # A form of this method does nothing when Enter is pressed in it; its button empties it.
        # JupyterLab leaves the keys alone where the attribute of lumino says so.
        return (
            f'<div class="sl-quiz" id="{self._name}" role="group" aria-label="Quiz" '
            f'data-lm-suppress-shortcuts="true"><style>{rules}</style>'
            f'<form method="dialog" autocomplete="off">{asked}'
            '<button type="reset">Clear all answers</button></form></div>'
        )

    def _question(self, number: int, question: Question) -> str:
        name = f"{self._name}-{number}"
        choices = "".join(
            _choice(name, f"{name}-{letter}", choice)
            for letter, choice in zip("abcd", question.choices, strict=False)
        )
        told = "".join(_told(choice) for choice in question.choices)
        more = block_html(question.more) if question.more else ""
        return (
            f'<fieldset id="{name}"><legend><span class="sl-of">Question {number} of '
            f"{len(self.questions)}</span> {_inline(question.text)}</legend>{more}"
            f'<div class="sl-choices">{choices}</div><div role="status">{told}</div></fieldset>'
        )


def _choice(group: str, name: str, choice: Reply) -> str:
    mark = LOOKS[Verdict.HOLDS if choice.right else Verdict.FAILS].path
    kind = "true" if choice.right else "false"
    return (
        f'<div class="sl-choice sl-{kind}"><input type="radio" name="{group}" id="{name}">'
        f'<label for="{name}">{_inline(choice.text)}</label>{_sign(mark)}</div>'
    )


def _told(choice: Reply) -> str:
    kind, word, lead = ("true", "Right.", _YES) if choice.right else ("false", "No.", _NO)
    mark = LOOKS[Verdict.HOLDS if choice.right else Verdict.FAILS].path
    match = lead.match(choice.feedback)
    text = choice.feedback[match.end() :] if match else choice.feedback
    html = block_html(text[:1].upper() + text[1:]).strip().removeprefix("<p>")
    return f'<div class="sl-told sl-{kind}"><p>{_sign(mark)} <strong>{word}</strong> {html}</div>'


def _sign(path: str) -> str:
    return f'<svg viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d="{path}"/></svg>'


def _inline(text: str) -> str:
    return block_html(text).strip().removeprefix("<p>").removesuffix("</p>")


def _paragraphs(text: str) -> list[str]:
    return [" ".join(each.split()) for each in re.split(r"\n\s*\n", text) if each.strip()]


def read_quiz(text: str, name: str, page: str) -> Quiz:
    r"""Read the questions of a page.

    A question is a heading of the second level, with further paragraphs below it if one line is not
    enough.  Its choices follow as a task list, one line each, ``- [x]`` before the right one and
    ``- [ ]`` before the others; what is indented below a choice is told to those who choose it.
    Texts are Markdown with LaTeX between dollar signs, without links and without roles of MyST.

    ValueError names the file, the question and the fault: too few or too many questions or choices,
    not exactly one right choice, a choice without feedback or twice the same, feedback that
    contradicts the mark, braces that do not match.

    >>> question = '''## What is $1+1$?
    ...
    ... - [x] $2$
    ...   Right: so it is defined.
    ... - [ ] $1$
    ...   No: that is $1\\cdot1$.
    ... - [ ] $0$
    ...   No: that is $1-1$.
    ... '''
    >>> print(read_quiz("\n".join([question] * 3), "sums.md", "sums").questions[0].text)
    What is $1+1$?
    """
    before, *parts = re.split(r"^## ", text.replace("\r\n", "\n"), flags=re.MULTILINE)
    if before.strip():
        raise ValueError(
            f"{name}: begins with {before.strip().splitlines()[0]!r}, wanted '## ' and a question"
        )
    if not FEWEST_QUESTIONS <= len(parts) <= MOST_QUESTIONS:
        raise ValueError(
            f"{name}: {len(parts)} questions, from {FEWEST_QUESTIONS} to {MOST_QUESTIONS} wanted"
        )
    questions = []
    for number, part in enumerate(parts, 1):
        title, _, rest = part.partition("\n")
        where = f"{name}, question {number} ({title.strip()!r})"
        questions.append(_read_question(title.strip(), rest, where, f"{page} {number}"))
    return Quiz(page, tuple(questions))


def _read_question(title: str, rest: str, where: str, seed: str) -> Question:
    more: list[str] = []
    choices: list[tuple[str, bool, list[str]]] = []
    for line in rest.splitlines():
        if match := _CHOICE.fullmatch(line.rstrip()):
            choices.append((match["text"], match["mark"] != " ", []))
        elif line.startswith("- [") or re.match(r"#{1,6} ", line):
            raise ValueError(
                f"{where}: {line.strip()!r} is neither '- [x] the right answer' nor "
                "'- [ ] a wrong answer' nor text"
            )
        elif not choices:
            more.append(line.rstrip())
        elif line.strip() and not line.startswith("  "):
            raise ValueError(
                f"{where}: {line.strip()!r} stands below the choices without the two spaces that "
                "make it feedback"
            )
        else:
            choices[-1][2].append(line.strip())
    read = tuple(Reply(text, right, "\n".join(told).strip()) for text, right, told in choices)
    question = Question(title, "\n".join(more).strip(), read)
    faults = _faults(question)
    if faults:
        raise ValueError(f"{where}: {'; '.join(faults)}")
    return Question(title, question.more, _placed(read, seed))


def _placed(choices: tuple[Reply, ...], seed: str) -> tuple[Reply, ...]:
    """Move the right choice to a place that `seed` decides; the others keep their order."""
    others = [choice for choice in choices if not choice.right]
    (right,) = (choice for choice in choices if choice.right)
    place = hashlib.sha256(seed.encode()).digest()[0] % len(choices)
    return (*others[:place], right, *others[place:])


def _faults(question: Question) -> list[str]:
    """List what is wrong with a question."""
    choices = question.choices
    faults = []
    if not question.text:
        faults.append("the heading is empty")
    if not FEWEST_CHOICES <= len(choices) <= MOST_CHOICES:
        faults.append(f"{len(choices)} choices, {FEWEST_CHOICES} or {MOST_CHOICES} wanted")
    rights = sum(choice.right for choice in choices)
    if rights != 1:
        faults.append(f"{rights} right answers, exactly one wanted")
    if len({choice.text for choice in choices}) < len(choices):
        faults.append("a choice stands there twice")
    for choice in choices:
        faults += [f"the choice {choice.text!r} {fault}" for fault in _wrong_feedback(choice)]
    for text in (question.text, question.more, *(t for c in choices for t in (c.text, c.feedback))):
        faults += _unreadable(text)
    for text in (question.text, *(choice.text for choice in choices)):
        html = block_html(text).strip() if not _unreadable(text) else ""
        if html and not re.fullmatch(r"<p>(?:(?!</?p>|<div).)*</p>", html):
            faults.append(f"{text!r} must be running text on one line")
    return faults


def _wrong_feedback(choice: Reply) -> list[str]:
    told = choice.feedback
    lead, other = (_YES, _NO) if choice.right else (_NO, _YES)
    match = lead.match(told)
    if not told[match.end() :].strip() if match else not told:
        return ["has no feedback"]
    if told[0].islower():
        return [
            f"has feedback that begins with a small letter ({told.splitlines()[0]!r}); a choice "
            "stands on one line"
        ]
    if other.match(told):
        mark = "right" if choice.right else "wrong"
        return [f"is marked as {mark}, but its feedback begins {told.split()[0]!r}"]
    return []


def _unreadable(text: str) -> list[str]:
    """List what the text asks for that a quiz does not have."""
    faults = []
    if match := _ROLE.search(text):
        faults.append(f"{match.group()!r} is a role, which a quiz cannot show")
    if text.replace(r"\$", "").count("$") % 2:
        faults.append(f"the dollar signs do not match in {text!r}")
    try:
        html = block_html(text)
    except ValueError as error:
        return [*faults, str(error)]
    if "<a " in html or "<img " in html:
        faults.append(f"a link or a picture stands in {text!r}, which a quiz cannot show")
    return faults


def quiz(page: str, *, folder: Path = QUIZZES) -> Quiz:
    """Show the quiz of a page.

    Parameters
    ----------
    page : str
        The page, such as ``"part1/how-many-neurons-fire"``.
    folder : Path, optional
        The folder with the texts, one ``<page>.md`` for each; that of the library by default.

    Returns
    -------
    Quiz
        Shows itself in a notebook.

    Raises
    ------
    TypeError
        If `page` is no text.
    ValueError
        If there is no quiz of that page, or its text does not have the form of one; the message
        names the file, the question and the fault.
    """
    if not isinstance(page, str):
        raise TypeError(f"page must be a text, got {type(page).__name__}")
    texts = sorted(folder.glob("*/*.md"))
    known = [path.relative_to(folder).with_suffix("").as_posix() for path in texts]
    if page not in known:
        raise ValueError(
            f"page must be one of {', '.join(known) or '(none)'}, got {page!r}: "
            f"there is no file quizzes/{page}.md"
        )
    name = f"quizzes/{page}.md"
    return read_quiz((folder / f"{page}.md").read_text(encoding="utf-8"), name, page)
