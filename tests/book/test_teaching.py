"""The ten lectures: a plan that adds up, slides that a room can read, sheets without solutions."""

import functools
import re

import build_teaching
import pytest
from bs4 import BeautifulSoup

DECKS = build_teaching.decks()
LECTURES = range(1, len(DECKS) + 1)
SLIDES = [(lecture, each) for lecture in LECTURES for each in DECKS[lecture - 1]["slides"]]

# A letter above or below another one counts with that one.
FAULTS = """() => {
    const SCRIPT = ":is(msub, msup, msubsup, munder, mover, munderover) > :not(:first-child)";
    const found = [];
    for (const slide of document.querySelectorAll(".sl-slide")) {
        const page = slide.firstElementChild.getBoundingClientRect();
        const foot = slide.querySelector("footer").getBoundingClientRect();
        const words = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
        while (words.nextNode()) {
            const parent = words.currentNode.parentElement;
            const said = `${slide.id}: ${words.currentNode.textContent.trim()}`;
            const range = document.createRange();
            range.selectNodeContents(words.currentNode);
            const box = range.getBoundingClientRect();
            if (!box.width || parent.closest("title, desc")) continue;
            if (box.left < page.left || box.right > page.right
                || box.top < page.top || box.bottom > page.bottom) found.push(`outside ${said}`);
            if (!parent.closest("footer") && box.right > foot.left && box.left < foot.right
                && box.bottom > foot.top && box.top < foot.bottom) found.push(`covered ${said}`);
            const svg = parent.closest("svg");
            const scale = svg ? svg.getScreenCTM().a : 1;
            const size = parseFloat(getComputedStyle(parent).fontSize) * scale;
            if (size < 23.95 && !parent.closest(SCRIPT) && !parent.matches("tspan[font-size]")) {
                found.push(`small ${said} ${size}`);
            }
        }
    }
    return found;
}"""


@functools.cache
def page_of(folder, name):
    text = (folder / f"{name}.html").read_text(encoding="utf-8")
    return BeautifulSoup(text, "html.parser")


def numbers(text):
    """Return the numbers of a text of two digits or more, whatever stands between thousands."""
    text = re.sub(r"frac(\d)(\d)", r"\1/\2", text)
    joined = re.sub(r"(?<=\d)(?:[ \u202f\u2009\u00a0,]|\\,|\{,\})(?=\d{3}\b)", "", text)
    return set(re.findall(r"\d+\.\d+|\d{2,}", joined))


def test_the_page_for_instructors_leads_to_every_deck_and_sheet(html):
    page = page_of(html, "book/teaching")
    targets = [str(link["href"]) for link in page.select("article a[href*='teaching/']")]
    wanted = [f"lecture-{n}-{kind}.html" for n in LECTURES for kind in ("slides", "exercises")]
    wanted.append("all-exercises.html")
    assert sorted(target.rpartition("/")[2] for target in targets) == sorted(wanted)


@pytest.mark.parametrize("lecture", LECTURES)
def test_the_plan_of_a_lecture_fills_it_and_names_its_chapters(lecture, html):
    plan = page_of(html, "book/teaching").select_one(f"#lecture-{lecture}")
    assert f"{lecture}. {DECKS[lecture - 1]['title']}" in plan.get_text()
    parts = [item.get_text() for item in plan.select("li")]
    heads = [part.split()[0].strip(":") for part in parts]
    assert heads == ["Show", "Prove", "In", "Skip", "Assign"]
    minutes = [int(found) for part in parts for found in re.findall(r"\((\d+) minutes\)", part)]
    assert len(minutes) == 3 and sum(minutes) == 80
    proofs = [int(found) for found in re.findall(r"\((\d+)[,)]", parts[1])]
    assert sum(proofs) == minutes[1]
    for name in DECKS[lecture - 1]["pages"]:
        assert plan.select_one(f"a[href$='{name.removeprefix('book/')}.html']"), name


@pytest.mark.parametrize("lecture", LECTURES)
def test_a_sheet_has_the_exercises_of_the_plan_and_no_solution(lecture, html):
    plan = page_of(html, "book/teaching").select(f"#lecture-{lecture} a[href*='#ex-']")
    sheet = page_of(html, f"teaching/lecture-{lecture}-exercises")
    boxes = [str(box["id"]) for box in sheet.select(".exercise.admonition")]
    assert boxes == [str(link["href"]).rpartition("#")[2] for link in plan] and len(boxes) > 3
    assert not sheet.select(".solution, details, .cell")


def test_one_sheet_has_all_exercises(html):
    sheet = page_of(html, "teaching/all-exercises")
    boxes = {str(box["id"]) for box in sheet.select(".exercise.admonition")}
    for name in build_teaching.chapters():
        page = page_of(html, name)
        ids = {str(box["id"]) for box in page.select("article .exercise.admonition")}
        assert ids and ids <= boxes, name
    assert not sheet.select(".solution, details, .cell")


def test_every_slide_is_one_sentence_and_one_picture_or_formula():
    for lecture, each in SLIDES:
        assert ("figure" in each) != ("formula" in each), (lecture, each)
        assert set(each) <= {"say", "figure", "panels", "formula", "where", "page"}, each
        assert len(each["say"].split()) <= 28, each["say"]
    assert all(12 <= len(made["slides"]) <= 18 for made in DECKS)


def test_a_slide_says_no_number_that_is_not_in_the_book(html):
    known = {}
    found = {}
    for lecture, each in SLIDES:
        name = each.get("page") or each["figure"].partition("#")[0]
        if name not in known:
            known[name] = numbers(page_of(html, name).get_text(" "))
        said = " ".join(each.get(key, "") for key in ("say", "formula", "where"))
        if new := numbers(said) - known[name]:
            found[lecture, each["say"]] = new
    assert found == {}


@pytest.mark.browser
@pytest.mark.parametrize("lecture", LECTURES)
def test_every_slide_can_be_read_from_the_last_row(lecture, visit):
    scheme = "dark" if lecture % 2 else "light"
    page = visit(f"teaching/lecture-{lecture}-slides", scheme=scheme, over="file")
    page.tab.set_viewport_size({"width": 1280, "height": 720})
    assert page.tab.locator(".sl-slide").count() == len(DECKS[lecture - 1]["slides"]) + 1
    assert page.tab.evaluate(FAULTS) == []
    ids = page.tab.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    assert len(ids) == len(set(ids)), "an id that comes twice"
    assert page.complaints == []
    assert [url for url in page.requests if not re.match(r"(file|data):", url)] == []


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_keys_turn_the_slides_and_paper_is_light(scheme, visit):
    page = visit("teaching/lecture-3-slides", scheme=scheme)
    tab = page.tab
    tab.set_viewport_size({"width": 1280, "height": 720})
    places = {}
    for key in ("ArrowRight", "PageDown", "ArrowLeft", "End", "ArrowRight", "Home"):
        tab.keyboard.press(key)
        places[key] = tab.evaluate("[location.hash, Math.round(scrollY / innerHeight)]")
    last = len(DECKS[2]["slides"])
    assert places == {
        "PageDown": ["#2", 2],
        "ArrowLeft": ["#1", 1],
        "End": [f"#{last}", last],
        "ArrowRight": [f"#{last}", last],
        "Home": ["#0", 0],
    }
    theme = "document.documentElement.dataset.theme"
    assert tab.evaluate(theme) == scheme
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.evaluate(theme) == "light"
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    tab.keyboard.press("d")
    assert tab.evaluate(theme) == {"light": "dark", "dark": "light"}[scheme]
    assert page.complaints == []


@pytest.mark.browser
@pytest.mark.parametrize("name", ["lecture-4-slides", "all-exercises"])
def test_slides_and_sheets_fit_a_phone(name, visit, html):
    page = visit(f"teaching/{name}", width=390)
    formulas = page_of(html, f"teaching/{name}").select("math")
    assert page.tab.locator("math").count() == len(formulas) > 0
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.complaints == []
