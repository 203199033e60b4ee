"""Pages are described and cited, other sites and services can show, find and open them."""

import json
import re
import tomllib
import xml.etree.ElementTree as ElementTree

import check_book
import colab_notebooks
import companion_reach
import pytest
import social_card
import yaml
from bs4 import BeautifulSoup
from check_book import ROOT
from docutils import nodes
from docutils.utils import new_document
from sphinx.errors import ConfigError

import sublinear_lib

SITE = "https://example.org/companion/"
URL = "https://github.com/example/companion"
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["sphinx"]["config"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def described(*paragraphs):
    """Return what a page with these paragraphs says about itself to others."""
    made = new_document("page")
    made += [nodes.paragraph("", "", nodes.Text(text)) for text in paragraphs]
    return companion_reach.describe(made, "Title", "Book")


def test_a_description_is_whole_sentences_without_formulas():
    question = "How many neurons of the network fire at a point?"
    assert described(f"The question. {question} It is \\tau.") == question
    long = described("The question. " + "This is a sentence of words. " * 20)
    assert 150 < len(long) < companion_reach.LONGEST and long.endswith(".")
    page = new_document("page")
    remark = nodes.emphasis("", "A remark of some length before the text.")
    page += [nodes.paragraph("", "", remark), nodes.paragraph("", question)]
    assert companion_reach.describe(page, "Title", "Book") == question
    nothing = "Title. A page of “Book”."
    for empty in (("The question. How many fire? It depends on \\tau.",), ("W^*",), ()):
        assert described(*empty) == nothing
    assert companion_reach.describe(None, "Title", "Book") == nothing


def test_tags_for_other_sites_need_an_address():
    alone = companion_reach.tags('A "title"', "About a < b & c", "Book")
    assert alone == '<meta name="description" content="About a &lt; b &amp; c" />\n'
    tags = companion_reach.tags("A title", "About", "Book", SITE, "book/x.html")
    soup = BeautifulSoup(tags, "html.parser")
    told = {str(tag.get("property") or tag.get("name")): tag["content"] for tag in soup("meta")}
    assert told["og:url"] == f"{SITE}book/x.html"
    assert told["og:image"] == f"{SITE}_static/social-card.png"
    assert {"description", "og:title", "og:description", "twitter:card"} <= set(told)


def test_an_address_gets_its_slash_and_the_setting_comes_before_the_environment():
    assert companion_reach.site_address("", "") == ""
    assert companion_reach.site_address("", "https://example.org/companion") == SITE
    assert companion_reach.site_address(SITE, "https://example.com") == SITE
    for wrong in ("example.org", "ftp://example.org", "https://a b", "https://a.org/?x"):
        with pytest.raises(ConfigError, match=r"must be empty or https://HOST/PATH"):
            companion_reach.site_address(wrong)


def test_a_sitemap_lists_every_page_once():
    root = ElementTree.fromstring(companion_reach.sitemap(SITE, ["b.html", "a & c.html"]))
    space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    found = [each.text for each in root.iter(f"{space}loc")]
    assert root.tag == f"{space}urlset" and found == [f"{SITE}a%20%26%20c.html", f"{SITE}b.html"]


def test_the_card_has_the_size_that_the_tags_name():
    content = social_card.CARD.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n" and len(content) < 300_000
    size = (int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big"))
    assert size == (1200, 630) == (social_card.SIZE["width"], social_card.SIZE["height"])
    title, _, rest = check_book.TITLE.partition(": ")
    assert title in social_card.page("") and rest in social_card.page("")


def test_every_page_has_a_description_of_its_own(pages):
    told = {}
    for name in check_book.chapters():
        tag = pages[f"{name}.html"].tree.css_first("meta[name=description]")
        assert tag is not None, name
        text = str(tag.attributes["content"])
        assert 30 <= len(text) <= companion_reach.LONGEST and "\\" not in text, (name, text)
        assert told.setdefault(text, name) == name, (name, told[text])


def test_no_page_names_an_address_before_there_is_one(html, pages):
    assert not (html / "sitemap.xml").exists()
    for page in pages.values():
        if page.name.removesuffix(".html") in CONFIG["companion_moved"]:
            continue  # a signpost, which names a page beside it
        assert not page.tree.css('meta[property^="og:"]'), page.name
        assert not page.tree.css("link[rel=canonical]"), page.name


def test_an_entry_for_bibtex_holds_what_the_citation_file_says():
    citation = {
        "title": "A {book}",
        "version": "1.2.3",
        "authors": [{"family-names": "Doe", "given-names": "Ann"}, {"name": "The rest"}],
    }
    entry = companion_reach.bibtex(citation, "2026", "Costs & gains_1", SITE)
    assert entry.splitlines() == [
        "@misc{sublinear-companion-2026,",
        "  author = {Doe, Ann and {The rest}},",
        "  title  = {{A {book}}},",
        "  year   = {2026},",
        "  note   = {Version 1.2.3. Page: Costs \\& gains\\_1},",
        f"  url    = {{{SITE}}},",
        "}",
    ]
    assert "url" not in companion_reach.bibtex(citation, "2026", "Title")


def test_every_page_shows_how_to_cite_it(pages):
    for name in check_book.chapters():
        (entry,) = [tag.text() for tag in pages[f"{name}.html"].tree.css("details.cite-page pre")]
        assert entry.startswith("@misc{") and entry.count("{") == entry.count("}"), name
        assert CITATION["title"] in entry and CITATION["version"] in entry, name
        assert "Page: " in entry and "url" not in entry, name


def test_the_citation_file_keeps_the_format_that_it_names():
    # the required keys of the Citation File Format 1.2.0, and the forms of those that we use
    assert CITATION["cff-version"] == "1.2.0" and CITATION["type"] in {"software", "dataset"}
    assert {"message", "title", "authors", "references"} <= set(CITATION)
    for work in [CITATION, *CITATION["references"]]:
        names = [set(author) for author in work["authors"]]
        assert work["title"] and names
        assert all(each in ({"name"}, {"family-names", "given-names"}) for each in names)
    (paper,) = CITATION["references"]
    assert paper["type"] == "conference-paper" and isinstance(paper["year"], int)


def test_all_metadata_name_the_same_book_and_version():
    zenodo = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert CITATION["version"] == zenodo["version"] == sublinear_lib.__version__
    assert CITATION["title"] == zenodo["title"] == check_book.TITLE
    assert zenodo["description"] == " ".join(CITATION["abstract"].split())
    assert zenodo["keywords"] == CITATION["keywords"]
    assert CITATION["license"] == [PROJECT["license"], "CC-BY-4.0"]
    assert zenodo["license"] == PROJECT["license"].lower()  # Zenodo writes them small
    creators, authors = zenodo["creators"], CITATION["authors"]
    assert [each["name"] for each in creators] == [each["name"] for each in authors]
    (paper,) = CITATION["references"]
    (related,) = zenodo["related_identifiers"]
    assert related["identifier"].removeprefix("arXiv:") == paper["url"].rpartition("/")[2]


def test_a_notebook_for_colab_installs_this_library_first_and_is_the_same_otherwise(tmp_path):
    book = tmp_path / "book"
    (book / "part1").mkdir(parents=True)
    source = ROOT / "book" / "part1" / "who-flips.ipynb"
    (book / "part1" / source.name).write_bytes(source.read_bytes())
    cell = colab_notebooks.install_cell(URL, "abc123")
    (copy,) = colab_notebooks.write(cell, tmp_path / "out", book)
    assert copy == tmp_path / "out" / "book" / "part1" / source.name
    old, new = (json.loads(each.read_text(encoding="utf-8")) for each in (source, copy))
    first = new["cells"].pop(0)
    assert new == old and first == cell and first["id"] not in {each["id"] for each in old["cells"]}
    text = str(first["source"])
    assert f"git clone --quiet {URL} " in text and "checkout --quiet abc123" in text
    assert "-c /content/companion/constraints.txt" in text


def test_binder_and_colab_install_extras_that_exist():
    binder = (ROOT / ".binder" / "requirements.txt").read_text(encoding="utf-8")
    colab = str(colab_notebooks.install_cell(URL, "main")["source"])
    for text in (binder, colab):
        (wanted,) = re.findall(r"\[([\w,]+)\]", text)
        assert {"fast", "book"} <= set(wanted.split(",")) <= set(PROJECT["optional-dependencies"])
    assert "-c ../constraints.txt" in binder.splitlines()
    version = (ROOT / ".binder" / "runtime.txt").read_text(encoding="utf-8").strip()
    number = version.removeprefix("python-")
    assert f"Programming Language :: Python :: {number}" in PROJECT["classifiers"]


def test_the_workflow_publishes_what_make_book_builds_and_only_where_there_are_pages():
    text = (ROOT / ".github" / "workflows" / "pages.yml").read_text(encoding="utf-8")
    flow = yaml.safe_load(text)
    jobs = flow["jobs"]
    assert jobs["build"]["if"] == "github.event.repository.has_pages"
    assert jobs["publish"]["needs"] == jobs["colab"]["needs"] == "build"
    steps = [step for job in jobs.values() for step in job["steps"]]
    (built,) = [step for step in steps if "make book" in step.get("run", "")]
    assert set(built["env"]) == {companion_reach.VARIABLE}
    (sent,) = [s for s in steps if s.get("uses", "").startswith("actions/upload-pages-artifact@")]
    assert (ROOT / sent["with"]["path"]).resolve() == check_book.HTML
    # nothing may write but what publishes, and each only where it does
    assert flow["permissions"] == {"contents": "read"}
    assert {name: sorted(job["permissions"].items()) for name, job in jobs.items()} == {
        "build": [("contents", "read"), ("pages", "read")],
        "publish": [("id-token", "write"), ("pages", "write")],
        "colab": [("contents", "write")],
    }
    (run,) = [step["run"] for step in steps if "colab_notebooks.py" in step.get("run", "")]
    (script,) = re.findall(r"python (\S+\.py)", run)
    assert (ROOT / script).is_file()
