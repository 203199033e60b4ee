"""The quick look of axe finds what the slow one finds."""

import re
from collections import Counter

import pytest

from tests.book.accessible import AXE, LOOKS, findings, open_boxes, violations

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

ROWS = "".join(f"<tr><td>the cell {k}</td><td>another {k}</td></tr>" for k in range(12))
TOKENS = "\n".join(f"<span class=k>return</span> <span>value{k}</span>" for k in range(12))
WORDS = "".join(f"<section><p>A sentence, <em>one of {k}</em>.</p></section>" for k in range(12))
PAGE = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<style>body {{ background: #fff; color: #111; font: 16px sans-serif }}
.k {{ color: #106010 }} .half {{ color: #8a8a8a }}</style></head>
<body><main><h1>A page</h1><p>Some words, and <b id="letter">x</b>.</p>
{WORDS}
<table><tbody>{ROWS}</tbody></table><pre>{TOKENS}</pre></main></body></html>"""


ONE_LETTER = re.compile(r">[^\W_<>]</m[in]>$")


def unaided(tab):
    """Return the violations that axe finds when nobody tells it where to look."""
    tab.evaluate(AXE)
    found = tab.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    for rule in found:  # axe counts a letter such as the script X of a formula as two
        if rule["id"] == "color-contrast":
            rule["nodes"] = [each for each in rule["nodes"] if not ONE_LETTER.search(each["html"])]
    return list(found)


def contrasts(found):
    """Return the different bad pairs of colors, with size and weight of the letters."""
    keys = ("fgColor", "bgColor", "fontSize", "fontWeight")
    return {
        tuple(node["any"][0]["data"][key] for key in keys)
        for rule in found
        if rule["id"] == "color-contrast"
        for node in rule["nodes"]
    }


def places(found):
    """Return selectors of the elements that break each rule."""
    return {rule["id"]: [node["target"] for node in rule["nodes"]] for rule in found}


@pytest.fixture
def show(browser):
    """Open a page in which a script has planted a fault."""
    contexts = []

    def shown(plant=""):
        tab = browser.new_page()
        contexts.append(tab)
        tab.set_content(PAGE)
        tab.evaluate(
            "plant => { const td = document.querySelectorAll('td');"
            " const words = document.querySelectorAll('section p');"
            " const token = document.querySelectorAll('pre span'); eval(plant); }",
            plant,
        )
        return tab

    yield shown
    for tab in contexts:
        tab.close()


def test_a_sound_page_has_no_findings_and_most_of_its_text_is_not_looked_at_twice(show):
    tab = show()
    assert findings(tab) == []
    asked = tab.evaluate("contrastsMeasured.map(each => each.tagName)")
    # the bold heading, the text wherever it stands, and the words of a listing in their color
    assert Counter(asked) == {"H1": 1, "P": 1, "SPAN": 1}


@pytest.mark.parametrize(
    "plant",
    [
        "td[9].style.color = '#bbb'",
        "td[9].parentElement.style.backgroundColor = '#222'",
        "td[9].style.opacity = 0.3",
        "token[9].style.color = '#cfc'",
        "td[9].innerHTML = 'a <i style=\"color: #bbb\">pale</i> word'",
        # the first of its kind cannot be seen: the next one stands for the rest
        "td[8].style.color = td[9].style.color = '#bbb'; td[8].style.visibility = 'hidden'",
        # 3.5 to 1 is enough for large letters, and for bold ones, only
        "td[8].className = td[9].className = 'half'; td[8].style.fontSize = '40px'",
        "td[8].className = td[9].className = 'half'; td[8].style.font = 'bold 20px serif'",
        # the same in the running text, and under it
        "words[9].style.color = '#bbb'",
        "words[0].style.color = words[9].style.color = '#bbb'; words[0].style.display = 'none'",
        # what lies under it is not around it
        "const box = document.createElement('div'); words[8].parentElement.prepend(box);"
        " box.style = 'float: left; width: 200px; height: 90px; background: #222;"
        " margin-right: -200px'; words[8].style.position = words[9].style.position = 'relative'",
        "const box = document.createElement('div'); document.body.append(box);"
        " const { top, height } = words[9].getBoundingClientRect();"
        " box.style = 'position: absolute; z-index: -1; left: 0; width: 100%; background: #222;"
        " top: ' + (top + scrollY - 4) + 'px; height: ' + (height + 8) + 'px'",
        # not about contrast: all elements are seen
        "td[9].innerHTML = '<button></button>'",
        "token[9].innerHTML = '<img src=\"data:,\">'",
        "td[9].setAttribute('role', 'nonsense')",
    ],
)
def test_one_fault_among_many_of_a_kind_is_found(show, plant):
    tab = show(plant)
    expected = unaided(tab)
    found = violations(tab)
    assert expected
    assert [rule["id"] for rule in found] == [rule["id"] for rule in expected]
    assert places(found) == places(expected)
    assert contrasts(found) == contrasts(expected)
    # and again, on a page that has been looked at before
    assert [rule["id"] for rule in violations(tab)] == [rule["id"] for rule in expected]


def test_one_letter_is_no_finding_with_help_or_without(show):
    tab = show("document.querySelector('#letter').style.color = '#eee'")
    assert unaided(tab) == []
    assert findings(tab) == []
    tab.evaluate("document.querySelector('#letter').textContent = 'xy'")
    assert contrasts(unaided(tab)) == contrasts(violations(tab)) != set()


def test_the_second_reader_is_told_what_depends_on_colors_and_sizes(show):
    tab = show(
        "td[9].style.color = '#bbb'; td[8].setAttribute('role', 'nonsense');"
        " words[9].style = 'height: 9px; overflow: scroll'"
    )
    everything = {"aria-roles", "color-contrast", "scrollable-region-focusable"}
    assert {rule["id"] for rule in violations(tab)} == everything
    assert {rule["id"] for rule in violations(tab, rules=LOOKS)} == everything - {"aria-roles"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_page_of_the_book_no_bad_pair_of_colors_is_missed(visit, scheme):
    tab = visit("book/reference/notation", scheme=scheme).tab
    open_boxes(tab)
    tab.add_style_tag(
        content="article * { color: #949494 } article td + td * { color: #878787 }"
        " article strong { opacity: 0.5 } tbody tr:nth-child(5) { background: #a8a8a8 }"
    )
    expected = unaided(tab)
    found = violations(tab)
    assert places(found) == places(expected)
    assert contrasts(found) == contrasts(expected)
    assert len(contrasts(expected)) > 3
