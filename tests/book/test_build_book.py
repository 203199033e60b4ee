"""What is built again: a page that changed, and all if one tells the others something new."""

import build_book
import passed
import pytest

BOOK = {
    "_config.yml": "title: Small\nexecute:\n  execute_notebooks: 'off'\n"
    "sphinx:\n  extra_extensions: [sphinx_proof]\n",
    "_toc.yml": "format: jb-book\nroot: intro\nchapters:\n- file: one\n- file: two\n",
    "intro.md": "# A small book\n\nText.\n",
    "one.md": "# The first\n\n(here)=\n## A section\n\nText.\n\n"
    "```{prf:theorem}\n:label: box\nIt holds.\n```\n",
    "two.md": "# The second\n\nSee {ref}`here` and {prf:ref}`box`.\n",
}


@pytest.mark.thorough
def test_a_page_is_written_again_when_it_changed_or_when_another_tells_it_something_new(
    tmp_path, monkeypatch
):
    html = tmp_path / "_build" / "html"
    for module in (build_book, passed):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(build_book, "HTML", html)
    monkeypatch.setattr(build_book, "BEFORE", tmp_path / "_build" / "before")
    monkeypatch.setattr(passed, "STORED", tmp_path / "_build" / "passed.json")

    def built(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
        passed._hash.cache_clear()
        assert build_book.build()
        return {name: (html / f"{name}.html").stat().st_mtime_ns for name in ("one", "two")}

    for name, text in BOOK.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    first = built()
    second = built(one=BOOK["one.md"].replace("Text", "Other words"))
    assert "Other words" in (html / "one.html").read_text(encoding="utf-8")
    assert (second["one"] > first["one"], second["two"]) == (True, first["two"])
    built(one=BOOK["one.md"].replace("A section", "A part"))
    assert "A part" in (html / "two.html").read_text(encoding="utf-8")
    built(one=BOOK["one.md"].replace("A section", "A part").replace("theorem", "lemma"))
    assert "Lemma 1" in (html / "two.html").read_text(encoding="utf-8")
    (tmp_path / "_toc.yml").write_text(BOOK["_toc.yml"].replace("- file: two\n", ""))
    (tmp_path / "two.md").unlink()
    passed._hash.cache_clear()
    assert build_book.build()
    assert (html / "one.html").exists() and not (html / "two.html").exists()
