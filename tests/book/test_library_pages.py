"""The pages of the library: every public name stands on one, with what its docstring says."""

import importlib
import inspect
import pickle
import re

import check_book
import companion_api
import pytest

import sublinear_lib
from sublinear_lib import claims

ROOMS = companion_api.rooms()


def public(room):
    """Return the full names that a room lists, and those of the modules that it offers whole."""
    module = importlib.import_module(f"sublinear_lib.{room}")
    names = set()
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.ismodule(value):
            names |= {f"{value.__name__}.{each}" for each in getattr(value, "__all__", [])}
        else:
            names.add(f"{module.__name__}.{name}")
    return names


def test_every_room_has_a_page():
    written = {path.stem for path in (check_book.ROOT / companion_api.FOLDER).glob("*.md")}
    assert written == {*ROOMS, "index", "command-line"}
    assert {*ROOMS} >= {*sublinear_lib.__all__} - {"__version__"}


def meaning(heading):
    """Return what stands below a heading, up to the next one that has something below it."""
    below = heading.next
    while below is not None and below.tag != "dd":
        below = below.next
    return "" if below is None else check_book.words(below)


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_of_a_room_stands_on_its_page_with_a_text(room, pages):
    page = pages[f"{companion_api.FOLDER}{room}.html"]
    told = {tag.id: meaning(tag) for tag in page.article.css("dl > dt.sig[id]")}
    wanted = public(room)
    assert wanted - {*told} == set()
    empty = [name for name in sorted(wanted) if len(told[name]) < 10]
    assert empty == []


def test_the_members_of_an_enumeration_are_listed_and_how_python_makes_it_is_not(pages):
    article = pages[f"{companion_api.FOLDER}claims.html"].article
    told = {tag.id: tag.text() for tag in article.css("dl > dt.sig[id]")}
    assert "names=None" not in told["sublinear_lib.claims.Verdict"]
    for member in claims.Verdict:
        assert repr(member.value) in told[f"sublinear_lib.claims.Verdict.{member.name}"]


def test_no_page_shows_a_mark_an_address_in_memory_or_an_error(pages):
    for name, page in pages.items():
        if name.startswith(companion_api.FOLDER):
            text = page.article.text()
            assert not re.search(r"\bat 0x[0-9a-f]+|\{api-|:(?:func|class|mod|data):`", text), name
            assert page.tree.css(".problematic, .system-message") == [], name


@pytest.mark.parametrize("room", ROOMS)
def test_what_is_stored_of_a_page_leads_to_no_other_page(room, html):
    stored = html.parent / ".doctrees" / f"{companion_api.FOLDER}{room}.doctree"
    page = pickle.loads(stored.read_bytes())
    assert [node for node in page.findall() if node.document is not page] == []


def test_the_command_is_shown_with_all_its_subcommands(pages):
    page = pages[f"{companion_api.FOLDER}command-line.html"]
    shown = {tag.text().rstrip("#") for tag in page.article.css("h2")}
    assert {"sublinear", "sublinear train", "sublinear bench halfspace"} <= shown


def test_the_names_of_the_library_stay_out_of_the_index_of_words(pages):
    links = [tag.attributes["href"] for tag in pages["genindex.html"].article.css("a[href]")]
    assert links
    assert [link for link in links if link.startswith(companion_api.FOLDER)] == []


@pytest.mark.parametrize(
    ("docstring", "page"),
    [
        ("It is::\n\n    a |b|", "It is::\n\n    a |b|"),
        ("It is:\n\n    a |b|\n\nwith |c|", "It is::\n\n    a |b|\n\nwith \\|c\\|"),
        ("So\n\n    a |b|\n    c\n\nholds", "So ::\n\n    a |b|\n    c\n\nholds"),
        ("These:\n\n  * |a|", "These:\n\n  * \\|a\\|"),
        ("* one\n\n  more of |it|", "* one\n\n  more of \\|it\\|"),
        ("x : int\n    One.\n\n    Two |a|.", "x : int\n    One.\n\n    Two \\|a\\|."),
        ("``|a|`` and ``|b\n|c|`` |d|", "``|a|`` and ``|b\n|c|`` \\|d\\|"),
        (">>> a | b\n|c|\n\n|d|", ">>> a | b\n|c|\n\n\\|d\\|"),
    ],
)
def test_a_formula_is_shown_as_it_is_written(docstring, page):
    assert "\n".join(companion_api.plain(docstring.split("\n"))) == page


def test_a_reference_to_nothing_is_noticed():
    there = ["adversary.circle", "activations.ShiftedReLU.value"]
    gone = ["adversary.nobody", "activations.ShiftedReLU.nothing"]
    assert all(companion_api.exists(f"sublinear_lib.{name}") for name in there)
    assert not any(companion_api.exists(f"sublinear_lib.{name}") for name in gone)
    assert companion_api.exists("scipy.optimize.milp")
    assert not companion_api.exists("no_such_package.at_all")


def test_backticks_lead_to_names_that_cannot_be_mistaken():
    spelled = companion_api.spelled()
    assert spelled["HalfspaceIndex"] == "sublinear_lib.halfspace.HalfspaceIndex"
    assert "bracket" not in spelled  # also the name of a thing
    assert "Status" not in spelled  # of two rooms
