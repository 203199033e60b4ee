"""The README keeps its word: its example prints what it says, its files and commands exist."""

import importlib.util
import re

import pytest

from tests.commands import ROOT, python

README = (ROOT / "README.md").read_text(encoding="utf-8")
CODE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language):
    return [text for name, text in CODE.findall(README) if name == language]


@pytest.mark.parametrize("compiled", ["1", pytest.param("0", marks=pytest.mark.thorough)])
def test_the_example_prints_what_the_readme_shows(compiled):
    (code,), (shown,) = blocks("python"), blocks("text")
    options = "-W", "error", "-W", "default:index='auto' takes:UserWarning"
    run = python(code, options=options, check=False, SUBLINEAR_NUMBA=compiled)
    assert run.returncode == 0, run.stderr
    # How the trainer finds neurons, and what that costs, depends on the kernels; nothing else does.
    if compiled == "0" or importlib.util.find_spec("numba") is None:
        assert "the fourth line says 100.0%; the others are the same" in README.replace("\n", " ")
        number = shown.splitlines()[3].rpartition(" ")[2]
        shown = shown.replace(number, "100.0%")
    assert run.stdout == shown
    assert len(code.splitlines()) <= 17
    assert "`pip install '.[fast]'`" in README.partition("```python")[0].rpartition("##")[2]


def test_every_local_file_that_the_readme_names_exists():
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    sources = re.findall(r'(?:src|srcset)="([^"]+)"', README)
    assert len(links) >= 4
    assert [name for name in [*links, *sources] if not (ROOT / name).exists()] == []


def test_every_make_command_that_a_document_names_exists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    for document in ("README.md", "CONTRIBUTING.md", "book/intro.ipynb", "book/how-to-read.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        named = set(re.findall(r"(?:`|^)make ([a-z]+)", text, re.MULTILINE))
        assert named <= targets, document


def test_every_named_requirement_is_pinned_and_declared():
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower()
    requirements = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    for name in ("jupyter-book", "numpy", "scipy", "matplotlib", "ipywidgets", "nbval"):
        assert re.search(rf"^{name}\b", requirements, re.MULTILINE), name
        assert re.search(rf"^{name}==", pins, re.MULTILINE), name
