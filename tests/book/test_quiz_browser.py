"""Quizzes in a real browser: answered without scripts, on paper, by everyone.

The tests drive a page that is made here from a made-up quiz, with the mathematics of the book;
``test_keyboard.py`` walks through the quizzes of all pages.
"""

import pytest

from sublinear_lib.exhibits.quiz import read_quiz
from tests.book.accessible import findings
from tests.book.made_page import write_set
from tests.exhibits.made_up import QUIZ

pytestmark = [pytest.mark.browser, pytest.mark.thorough]


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    """A page like one of the book, with its colors and its mathematics, and a quiz."""
    shown = read_quiz(QUIZ, "made-up.md", "part1/made-up")._repr_html_()
    return write_set(tmp_path_factory.mktemp("quiz"), "page", "A quiz", shown)


def told(field):
    """Return what is visible of the answers to a question."""
    texts = field.locator(".sl-told:visible").all_inner_texts()
    return [" ".join(text.split()) for text in texts]


def test_without_scripts_an_answer_is_told_when_it_is_chosen(made_up, show):
    tab = show(made_up.as_uri(), scripts=False)
    lengths = []
    for field in tab.locator(".sl-quiz fieldset").all():
        assert told(field) == [], "an answer can be read before a choice is made"
        answers = []
        for choice in field.locator("input").all():
            choice.check()
            answers += told(field)
        words = sorted(answer.partition(".")[0] for answer in answers)
        assert words == ["No"] * (len(answers) - 1) + ["Right"]
        lengths.append(len({*answers}))
    assert lengths == [3, 3, 4]
    tab.get_by_role("button", name="Clear all answers").click()
    assert tab.locator(".sl-told:visible").count() == 0


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing_when_all_is_answered(theme, width, made_up, show):
    tab = show(made_up.as_uri(), theme=theme, width=width)
    for choice in (1, 2):
        for field in tab.locator(".sl-quiz fieldset").all():
            field.locator("label").nth(choice).click()
        assert tab.locator(".sl-told:visible").count() == 3
        assert findings(tab, ".sl-quiz") == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_a_formula_in_a_choice_chooses_it_too(made_up, show):
    tab = show(made_up.as_uri())
    formula = tab.locator(".sl-choice label math").first
    label = tab.locator(".sl-choice label:has(math)").first
    formula.click()
    assert tab.locator(f"#{label.get_attribute('for')}").is_checked()


def test_the_answer_is_added_to_an_element_that_was_there_and_is_watched(made_up, show):
    tab = show(made_up.as_uri())
    field = tab.locator(".sl-quiz fieldset").nth(1)
    before = field.get_by_role("status").aria_snapshot()
    field.get_by_label("three").check()
    after = field.get_by_role("status").aria_snapshot()
    assert "status" in before and "Right." not in before
    assert "Right." in after and "No." not in after


def test_paper_shows_the_choices_and_no_answer(made_up, show):
    tab = show(made_up.as_uri())
    for field in tab.locator(".sl-quiz fieldset").all():
        field.locator("label").first.click()
    tab.emulate_media(media="print")
    assert tab.locator(".sl-choice label:visible").count() == 10
    hidden = ".sl-told:visible, .sl-quiz button:visible, .sl-quiz svg:visible"
    assert tab.locator(hidden).count() == 0
