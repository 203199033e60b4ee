"""A quiz shows what its text says, hides the answers, and refuses a text with a fault."""

import re

import pytest
from bs4 import BeautifulSoup

from sublinear_lib.exhibits import quiz
from sublinear_lib.exhibits.quiz import QUIZZES, read_quiz
from tests.exhibits.made_up import QUIZ

PAGE = "part1/made-up"


def read(text=QUIZ):
    return read_quiz(text, "quizzes/part1/made-up.md", PAGE)


def soup(text=QUIZ):
    return BeautifulSoup(read(text)._repr_html_(), "html.parser")


def only(tag, selector):
    (found,) = tag.select(selector)
    return found


def test_questions_are_native_radio_buttons_with_names_of_their_own():
    page, groups = soup(), set()
    for number, field in enumerate(page.select("fieldset"), 1):
        legend = field.find(True)
        assert legend.name == "legend" and f"Question {number} of 3" in legend.get_text()
        buttons = field.select("input[type=radio]")
        assert [each["id"] for each in buttons] == [each["for"] for each in field.select("label")]
        (group,) = {each["name"] for each in buttons}
        groups.add(group)
    assert len(groups) == 3
    ids = [tag["id"] for tag in page.find_all(id=True)]
    assert all(each.startswith("quiz-part1-made-up") for each in ids)
    html = read()._repr_html_()
    assert not re.search(r"<script|https?://|\bon\w+=|url\(", html)
    assert r"\(\lVert x\rVert=1\)" in html and "$" not in html


def test_right_and_wrong_are_told_once_by_word_and_sign_where_a_screen_reader_watches():
    for question, field in zip(read().questions, soup().select("fieldset"), strict=True):
        told = only(field, '[role="status"]').find_all(recursive=False)
        for choice, answer in zip(question.choices, told, strict=True):
            word = "Right." if choice.right else "No."
            assert only(answer, "strong").get_text() == word
            assert only(answer, "p:first-child > svg")["aria-hidden"] == "true"
            said = answer.get_text(" ", strip=True)
            assert said.startswith(word) and not re.match(r"\w+\. +(Right|No)[:.]", said)
    told = [each.get_text(" ", strip=True) for each in soup().select(".sl-told")]
    assert any(said.startswith("No. No neuron knows the norm.") for said in told)


def test_the_text_shows_questions_and_choices_but_no_answer():
    shown = repr(read())
    assert shown.startswith("Quiz: 3 questions\n1. Why does the share scale with δ?\n")
    assert shown.count("( ) ") == 10
    assert "[x]" not in shown and "Right" not in shown and "whatever" not in shown


def test_the_right_choice_moves_and_the_others_keep_their_order():
    places = set()
    for number in range(20):
        for question in read_quiz(QUIZ, "q.md", f"part1/page-{number}").questions:
            places.add([choice.right for choice in question.choices].index(True))
            wrong = [QUIZ.index(f"[ ] {each.text}") for each in question.choices if not each.right]
            assert wrong == sorted(wrong)
    assert places == {0, 1, 2, 3}


FAULTS = {
    "0 right answers": ("- [x] three", "- [ ] three"),
    "2 right answers": ("- [ ] one", "- [x] one"),
    "2 choices, 3 or 4 wanted": ("- [ ] one\n  No: not one.\n", ""),
    "5 choices, 3 or 4 wanted": ("- [ ] b\n", "- [ ] e\n  No: not e.\n- [ ] b\n"),
    "'one' has no feedback": ("- [ ] one\n  No: not one.\n", "- [ ] one\n  No.\n"),
    "'two' has no feedback": ("- [ ] two\n  No: not two.\n", "- [ ] two\n"),
    "begins 'Right:'": ("No: not one.", "Right: not one."),
    "begins 'No:'": ("Right: three.", "No: three."),
    "small letter": ("No: not one.", "that goes on\n  No: not one."),
    "stands there twice": ("- [ ] two", "- [ ] one"),
    "is a role": ("No: not one.", "No: see {doc}`elsewhere`."),
    "a link or a picture": ("No: not one.", "No: see [there](there.html)."),
    "dollar signs do not match": ("No: not one.", "No: $not one."),
    "braces do not match": ("No: not one.", r"No: $\norm{x$."),
    "without the two spaces": ("  No: not one.", "No: not one."),
    "neither": ("- [ ] one", "- [?] one"),
    "the heading is empty": ("## How many?", "## "),
    "must be running text on one line": ("- [ ] one", "- [ ] # one"),
}


@pytest.mark.parametrize(("fault", "change"), FAULTS.items(), ids=FAULTS)
def test_a_fault_is_named_with_its_file_and_its_question(fault, change):
    assert change[0] in QUIZ
    with pytest.raises(ValueError, match=re.escape(fault)) as caught:
        read(QUIZ.replace(*change))
    assert re.match(r"quizzes/part1/made-up\.md, question [23] \('.*'\): ", str(caught.value))


FILES = {
    "0 questions, from 3 to 5 wanted": "",
    "6 questions, from 3 to 5 wanted": QUIZ + QUIZ,
    "begins with '# Quiz', wanted '## ' and a question": "# Quiz\n" + QUIZ,
}


@pytest.mark.parametrize(("message", "text"), FILES.items())
def test_a_file_of_another_form_is_refused(message, text):
    with pytest.raises(ValueError, match=re.escape(f"quizzes/part1/made-up.md: {message}")):
        read(text)


def test_a_page_without_a_quiz_is_refused_with_the_pages_that_have_one(tmp_path):
    (tmp_path / "part1").mkdir()
    (tmp_path / "part1" / "made-up.md").write_text(QUIZ, encoding="utf-8")
    assert repr(quiz(PAGE, folder=tmp_path)) == repr(read())
    message = r"one of part1/made-up, got 'made-up': there is no file quizzes/made-up\.md"
    with pytest.raises(ValueError, match=message):
        quiz("made-up", folder=tmp_path)
    with pytest.raises(TypeError, match="page must be a text, got int"):
        quiz(1, folder=tmp_path)


def test_every_quiz_of_the_library_can_be_read():
    for path in sorted(QUIZZES.glob("*/*.md")):
        page = path.relative_to(QUIZZES).with_suffix("").as_posix()
        assert len(quiz(page).questions) >= 3, page
