"""Quizzes in a real browser: answered by keyboard alone, without scripts, on paper, by everyone.

The tests drive a page that is made here from a made-up quiz, with the mathematics of the book;
``test_keyboard.py`` walks through the quizzes of all pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import axe_playwright_python
import check_book
import pytest
from companion_math import STYLE, typeset

from sublinear_lib.exhibits.quiz import read_quiz
from tests.exhibits.made_up import QUIZ

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator
    from playwright.sync_api import Page as Tab

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page like one of the book, with its colors and its mathematics, and a quiz."""
    folder = tmp_path_factory.mktemp("quiz")
    shown = read_quiz(QUIZ, "made-up.md", "part1/made-up")._repr_html_()
    for each in (STYLE, "vendor"):
        (folder / each).symlink_to(check_book.ROOT / "book" / "_static" / each)
    page, problems = typeset(
        '<!doctype html><html lang="en" data-content_root="./"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>A quiz</title><style>'
        "html{--pst-color-background:#fff;--pst-color-text-base:#222832}"
        "html[data-theme=dark]{--pst-color-background:#14181e;--pst-color-text-base:#ced6dd}"
        "body{background:var(--pst-color-background);color:var(--pst-color-text-base);"
        "font:16px/1.5 sans-serif;max-width:60rem;margin:1rem auto;padding:0 1rem}"
        '</style><link rel="stylesheet" href="formulas.css"></head>'
        f"<body><main><h1>A quiz</h1>{shown}</main></body></html>",
        {},
    )
    assert problems == []
    (folder / "page.html").write_text(page, encoding="utf-8")
    return folder / "page.html"


@pytest.fixture
def show(browser: Browser) -> Iterator[Callable[..., Tab]]:
    """Open a file; when the test ends, it must have asked no other host and raised no error."""
    contexts: list[Any] = []
    requests: list[str] = []
    errors: list[str] = []

    def opened(path: Path, *, theme: str = "light", width: int = 1280, scripts: bool = True) -> Tab:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            java_script_enabled=scripts,
            reduced_motion="reduce",
        )
        contexts.append(context)
        tab = context.new_page()
        tab.on("request", lambda request: requests.append(request.url))
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.goto(path.as_uri(), wait_until="load")
        tab.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert requests and all(url.startswith(("file:", "data:", "blob:")) for url in requests)
    assert errors == []


def findings(tab: Tab) -> list[str]:
    """Return what axe finds; it needs scripts."""
    tab.evaluate(AXE)
    found = tab.evaluate("axe.run('.sl-quiz', { resultTypes: ['violations'] })")
    return [
        f"{rule['id']} at {node['target']}: {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def told(field: Locator) -> list[str]:
    """Return what is visible of the answers to a question."""
    texts = field.locator(".sl-told:visible").all_inner_texts()
    return [" ".join(text.split()) for text in texts]


def answer_all(tab: Tab) -> list[list[str]]:
    """Go through all choices by keyboard alone; return what is told each time."""
    heard = []
    fields = tab.locator(".sl-quiz fieldset")
    # Where the page would be after reading up to the quiz.
    tab.locator(".sl-quiz").evaluate("each => { each.tabIndex = -1; each.focus(); }")
    for number in range(fields.count()):
        field = fields.nth(number)
        assert told(field) == [], "an answer can be read before a choice is made"
        for _ in range(40):  # formulas that can be reached lie on the way
            tab.keyboard.press("Tab")
            if field.locator("input:focus").count():
                break
        else:
            pytest.fail(f"question {number + 1} cannot be reached with the Tab key")
        tab.keyboard.press("Space")
        answers = []
        for _ in range(field.locator("input").count()):
            assert field.locator("input:focus:checked").count() == 1
            (answer,) = told(field)
            answers.append(answer)
            tab.keyboard.press("Enter")  # does nothing, and leaves the page where it is
            tab.keyboard.press("ArrowDown")
        heard.append(answers)
    return heard


def the_answers_are_right(heard: list[list[str]]) -> None:
    for answers in heard:
        assert len(set(answers)) == len(answers)
        words = sorted(answer.partition(".")[0] for answer in answers)
        assert words == ["No"] * (len(answers) - 1) + ["Right"]


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_a_quiz_can_be_answered_by_keyboard_alone(
    scripts: bool, made_up: Path, show: Callable[..., Tab]
) -> None:
    tab = show(made_up, scripts=scripts)
    heard = answer_all(tab)
    assert [len(answers) for answers in heard] == [3, 3, 4]
    the_answers_are_right(heard)
    assert tab.url == made_up.as_uri()


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing_before_and_after_and_nothing_is_too_wide(
    theme: str, width: int, made_up: Path, show: Callable[..., Tab]
) -> None:
    tab = show(made_up, theme=theme, width=width)
    assert findings(tab) == []
    for choice in (1, 2):
        for field in tab.locator(".sl-quiz fieldset").all():
            field.locator("label").nth(choice).click()
        assert tab.locator(".sl-told:visible").count() == 3
        assert findings(tab) == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    small = tab.locator(".sl-choice label").evaluate_all(
        "all => all.filter(each => each.getBoundingClientRect().height < 24).length"
    )
    assert small == 0


def test_a_formula_in_a_choice_chooses_it_too(made_up: Path, show: Callable[..., Tab]) -> None:
    tab = show(made_up)
    formula = tab.locator(".sl-choice label math").first
    label = tab.locator(".sl-choice label:has(math)").first
    formula.click()
    assert tab.locator(f"#{label.get_attribute('for')}").is_checked()


def test_the_answer_is_added_to_an_element_that_was_there_and_is_watched(
    made_up: Path, show: Callable[..., Tab]
) -> None:
    tab = show(made_up)
    field = tab.locator(".sl-quiz fieldset").nth(1)
    before = field.get_by_role("status").aria_snapshot()
    field.get_by_label("three").check()
    after = field.get_by_role("status").aria_snapshot()
    assert "status" in before and "Right." not in before
    assert "Right." in after and "No." not in after


def test_one_button_clears_every_answer(made_up: Path, show: Callable[..., Tab]) -> None:
    tab = show(made_up, scripts=False)
    for field in tab.locator(".sl-quiz fieldset").all():
        field.locator("label").first.click()
    assert tab.locator(".sl-told:visible").count() == 3
    tab.get_by_role("button", name="Clear all answers").click()
    assert tab.locator(".sl-told:visible").count() == 0


def test_paper_shows_the_choices_and_no_answer(made_up: Path, show: Callable[..., Tab]) -> None:
    tab = show(made_up)
    for field in tab.locator(".sl-quiz fieldset").all():
        field.locator("label").first.click()
    tab.emulate_media(media="print")
    assert tab.locator(".sl-choice label:visible").count() == 10
    assert (
        tab.locator(".sl-told:visible, .sl-quiz button:visible, .sl-quiz svg:visible").count() == 0
    )
