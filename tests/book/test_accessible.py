"""The look of axe finds planted faults, and no others."""

import pytest

from tests.book.accessible import findings

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<style>body { background: #fff; color: #111; font: 16px sans-serif }</style></head>
<body><main><h1>A page</h1><p>Some words, and <b>x</b>.</p>
<table><tbody><tr><td>a cell</td><td>another</td></tr></tbody></table></main></body></html>"""


@pytest.fixture
def found(browser):
    """Return the rules that are broken once a script has planted a fault."""
    tab = browser.new_page()

    def rules(plant):
        tab.set_content(PAGE)
        tab.evaluate(
            "plant => { const cell = document.querySelector('td'); const table = cell.closest("
            "'table'); const one = document.querySelector('b'); eval(plant); }",
            plant,
        )
        return [each.partition(" ")[0] for each in findings(tab)]

    yield rules
    tab.close()


@pytest.mark.parametrize(
    ("plant", "broken"),
    [
        ("", []),
        ("cell.style.color = '#bbb'", ["color-contrast"]),
        ("table.style.backgroundColor = '#222'", ["color-contrast"] * 2),
        ("cell.innerHTML = '<button></button>'", ["button-name"]),
        ("cell.innerHTML = '<img src=\"data:,\">'", ["image-alt"]),
        ("cell.setAttribute('role', 'nonsense')", ["aria-roles"]),
        # one letter is no finding, two are
        ("one.style.color = '#eee'", []),
        ("one.style.color = '#eee'; one.textContent = 'xy'", ["color-contrast"]),
    ],
)
def test_a_fault_is_found_and_nothing_else(found, plant, broken):
    assert found(plant) == broken
