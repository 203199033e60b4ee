"""Statements are read from Markdown of one form, and each has its check."""

import pytest

from sublinear_lib.claims import Budget, ProofStatus, Verdict
from sublinear_lib.claims import topic as topics
from sublinear_lib.claims.claim import Source
from sublinear_lib.claims.topic import Topic, read_statement

FILE = r"""---
title: Close to g
work: paper
place: Appendix C, Claim C.5
quoted: yes
recorded: fails as printed
status: complete here
depends_on: lem-a.1, lem-a.8
chapter: part1/a-page
formal: File.one, File.two
formal_part: a part
---

For $m\ge 1$ -- a line
$$x = 1.$$

## In plain words

It is close.

## Misreading

Another sign.

## Despite lem-a.8

only its half is used
"""
AGAIN = """---
title: The same
work: paper
place: Appendix C
restates: lem-a.2
chapter: part1/a-page
---

The same.

## In plain words

The same.

## Misreading

Another sign.
"""


def look_at(look, budget, rng):
    look("x").none(1)


def test_everything_that_a_file_says_is_read(tmp_path):
    path = tmp_path / "lem-a.2.md"
    path.write_text(FILE)
    assert read_statement(path) == {
        "title": "Close to g",
        "source": Source("paper", "Appendix C, Claim C.5", quoted=True),
        "recorded": Verdict.FAILS,
        "status": ProofStatus.COMPLETE,
        "depends_on": ("lem-a.1", "lem-a.8"),
        "chapter": "part1/a-page",
        "formal": ("File.one", "File.two"),
        "formal_part": "a part",
        "statement": "For $m\\ge 1$ -- a line\n$$x = 1.$$",
        "plain": "It is close.",
        "misreading": "Another sign.",
        "despite": {"lem-a.8": "only its half is used"},
    }


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("---\ntitle", "\n---\ntitle", "must begin with front matter"),
        ("formal_part: a part\n---\n", "formal_part: a part\n", "must begin with front matter"),
        ("title: Close to g\n", "", "keys must be"),
        ("recorded: fails as printed\n", "", "keys must be"),
        ("place:", "titles: x\nplace:", "a known key, once, .* 'titles: x'"),
        ("place:", "title: again\nplace:", "a known key, once, .* 'title: again'"),
        ("title: Close to g", "title:", "a known key, once"),
        ("quoted: yes", "quoted: maybe", "yes or no, got 'maybe'"),
        ("fails as printed", "fails", "'fails' is not a valid Verdict"),
        ("complete here", "proved", "'proved' is not a valid ProofStatus"),
        ("recorded: fails as printed", "restates: lem-a.1", "keys must be"),
        ("## Misreading", "## Misreadings", "a heading must be one of"),
        ("## Misreading", "## In plain words", "a heading must be one of"),
        ("It is close.\n", "", "plain must be said"),
        ("For $m\\ge 1$ -- a line\n$$x = 1.$$\n", "", "statement must be said"),
    ],
)
def test_a_file_of_another_form_is_refused(right, wrong, message, tmp_path):
    path = tmp_path / "lem-a.2.md"
    assert right in FILE
    path.write_text(FILE.replace(right, wrong, 1))
    with pytest.raises(ValueError, match=rf"lem-a\.2\.md.*{message}"):
        read_statement(path)


@pytest.fixture
def topic(tmp_path, monkeypatch):
    folder = tmp_path / "statements" / "tools"
    folder.mkdir(parents=True)
    (folder / "lem-a.2.md").write_text(FILE)
    (folder / "lem-c.1.md").write_text(AGAIN)
    monkeypatch.setattr(topics, "__file__", str(tmp_path / "topic.py"))
    return Topic("tools")


def test_a_statement_that_is_printed_again_is_judged_with_the_first(topic):
    check = topic.check("lem-a.2")(look_at)
    first, again = topic.claims()
    assert (first.id, again.id, again.restates) == ("lem-a.2", "lem-c.1", "lem-a.2")
    assert first.check is again.check is check
    assert again.recorded is Verdict.FAILS and again.status is ProofStatus.COMPLETE
    assert again.title == "The same" and not again.depends_on
    assert first.run(Budget.QUICK, 0).verdict is Verdict.FAILS


def test_a_statement_without_a_check_and_a_check_without_a_statement_are_named(topic):
    with pytest.raises(ValueError, match=r"got one alone: lem-a\.2"):
        topic.claims()
    topic.check("lem-a.3")(look_at)
    with pytest.raises(ValueError, match=r"got one alone: lem-a\.2, lem-a\.3"):
        topic.claims()
