"""Pages run the scripts that the book brings, and no others."""

import check_book
import companion_policy
import pytest
from bs4 import BeautifulSoup

HEAD = '<!doctype html><html lang="en"><head><meta charset="utf-8" /><title>x</title></head>'


def rules(html):
    tag = BeautifulSoup(html, "html.parser").find("meta", attrs={"http-equiv": True})
    assert tag is not None and tag["http-equiv"] == "Content-Security-Policy"
    return {rule.split()[0]: rule.split()[1:] for rule in str(tag["content"]).split(";")}


def test_only_a_page_with_explorers_imports_modules_from_blobs():
    # and a script of the page is known by its hash, as the standard gives it for its first example
    hashed = "'sha256-RFWPLDbv2BY+rCkDzsE+0fr8ylGr2R2faWMhq4lfEQc='"
    scripts = rules(companion_policy.lock(HEAD + "<script>doSomething();</script>"))["script-src"]
    assert scripts == ["'self'", "file:", hashed]
    state = f'<script type="{companion_policy._STATE}">{{}}</script>'
    assert "blob:" in rules(companion_policy.lock(HEAD + state))["script-src"]
    assert "blob:" not in rules(companion_policy.lock(HEAD))["script-src"]


def test_the_policy_names_what_is_allowed_and_forbids_the_rest():
    found = rules(companion_policy.lock(HEAD))
    assert found["default-src"] == found["base-uri"] == ["'none'"]
    assert "frame-src" not in found
    everything = " ".join(source for sources in found.values() for source in sources)
    assert "http" not in everything and "*" not in everything and "eval" not in everything


def test_locking_a_locked_page_again_changes_nothing():
    page = companion_policy.lock(HEAD + '<button onclick="window.print()">Print</button>')
    assert "onclick" not in page and 'data-companion-does="print"' in page
    assert companion_policy.lock(page) == page
    assert page.count("Content-Security-Policy") == 1
    assert page.index("charset") < page.index("Content-Security-Policy") < page.index("<title>")


def test_a_link_into_a_window_of_its_own_does_not_tell_where_it_came_from():
    body = '<a href="x.ipynb" target="_blank"\n class="b">x</a><a target="_blank" rel="me">y</a>'
    new, own = BeautifulSoup(companion_policy.lock(HEAD + body), "html.parser").find_all("a")
    assert (new["rel"], own["rel"], new["class"]) == (["noopener"], ["me"], ["b"])


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("<script>other()</script>", "refuses the script 'other"),
        ('<button onclick="go()">x</button>', "refuses onclick='go"),
        ('<a href="javascript:go()">x</a>', "refuses href='javascript"),
    ],
)
def test_what_a_policy_would_keep_from_working_is_found(tmp_path, body, problem):
    (tmp_path / "a.html").write_text(companion_policy.lock(HEAD) + body, encoding="utf-8")
    (found,) = check_book.unlocked_page(check_book.Page.read(tmp_path, "a.html"))
    assert problem in found


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("Content-Security-Policy", "Other", "there is no"),
        ("default-src 'none'", "default-src 'self'", "allows more"),
        ("script-src 'self'", "script-src 'unsafe-inline'", "runs any script"),
        ('<meta charset="utf-8" />', "<script src='a.js'></script>", "stands before"),
    ],
)
def test_a_loose_policy_is_found(tmp_path, old, new, problem):
    text = companion_policy.lock(HEAD).replace(old, new)
    (tmp_path / "a.html").write_text(text, encoding="utf-8")
    (found,) = check_book.unlocked_page(check_book.Page.read(tmp_path, "a.html"))
    assert problem in found


@pytest.mark.browser
@pytest.mark.parametrize("over", ["http", "file"])
def test_what_slips_into_a_page_is_not_run(over, visit):
    page = visit("book/how-to-read", over=over)
    page.tab.evaluate(
        """() => {
            const add = (name, extra) => document.body.append(
                Object.assign(document.createElement(name), extra));
            add("script", { textContent: "window.ran = 'a script'" });
            add("div", { innerHTML: "<img src='data:,' onerror=\\"window.ran = 'a handler'\\">" });
            add("script", { src: "data:text/javascript,window.ran = 'an address'" });
            add("script", { src: "http://127.0.0.1:9/other.js" });
            add("img", { src: "http://127.0.0.1:9/seen.png", alt: "" });
        }"""
    )
    page.tab.wait_for_timeout(200)
    assert page.tab.evaluate("window.ran") is None
    refused = [text for text in page.complaints if "Content Security Policy" in text]
    assert len(refused) >= 4, page.complaints


@pytest.mark.browser
@pytest.mark.parametrize("over", ["http", "file"])
def test_all_that_can_be_pressed_on_a_page_works_and_nothing_complains(over, visit):
    page = visit("book/part1/how-many-neurons-fire", over=over)
    tab = page.tab
    cell = tab.locator(".cell_input:visible").first
    cell.hover()
    cell.locator("button.copybtn").click()
    cell.locator("button.copybtn.success").wait_for()
    box = tab.locator("article details:not([open])").first
    box.locator("summary").first.click()
    assert box.get_attribute("open") is not None or tab.locator("article details[open]").count()
    tab.evaluate("window.print = () => { window.done = ['print'] }")
    tab.evaluate("window.toggleFullScreen = () => window.done.push('full')")
    for action in ("print", "fullscreen"):
        tab.locator(f"[data-companion-does={action}]").dispatch_event("click")
    assert tab.evaluate("window.done") == ["print", "full"]
    before = tab.locator("html").get_attribute("data-mode")
    tab.locator(".theme-switch-button:visible").first.click()
    assert tab.locator("html").get_attribute("data-mode") != before
    assert page.complaints == []
