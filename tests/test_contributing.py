"""README and CONTRIBUTING name what is there: files, tests, stages, options, what is printed."""

import importlib.util
import re

import pytest
import run_tests

from tests.commands import ROOT, python

DOCUMENTS = ("README.md", "CONTRIBUTING.md")
INLINE = re.compile(r"`+([^`]+)`+")
CODE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"[\w.-]+\.(?:py|md|toml|yml|cff|json|txt|sh|js|ipynb)")
# What a build or a run makes, and what stands for something of the reader's own.
MADE = re.compile(r"(?:_build|\.venv|dist)\b|(?:run|report)/$")
OWN = re.compile(r"[<>*]|\bpartN\b|\b[A-Z]{2,}\b(?!\.(?:cff|md)$)|\d/m\b")
FOLDERS = ("book", "sublinear_lib", "tests", "tools", "benchmarks", ".github", ".binder")
# Where the options of a command are written down.
COMMANDS = {
    "sublinear ": "sublinear_lib/cli.py",
    "tests.halfspace.fuzz ": "tests/halfspace/fuzz.py",
    "--nbval": "tools/run_tests.py",
}


def text_of(document):
    return (ROOT / document).read_text(encoding="utf-8")


README = text_of("README.md")


def commands(text):
    """Return what stands between backticks, on one line each."""
    return [" ".join(each.split()) for each in INLINE.findall(FENCE.sub("", text))]


def files(text):
    """Return the words that name a file or a folder of the repository."""
    words = [word.strip("(),:;'\"") for each in commands(text) for word in each.split()]
    return [
        word
        for word in words
        if not OWN.search(word)
        and not MADE.match(word)
        and not word.startswith(("http", "-", "/", "'", ":"))
        and (FILE.fullmatch(word.rpartition("/")[2]) or word.split("/")[0] in FOLDERS)
    ]


def missing(text):
    """Return the files and folders that are named and not there."""
    known = {path.name for path in ROOT.iterdir()}
    known |= {path.name for folder in FOLDERS for path in (ROOT / folder).rglob("*.*")}
    return [
        word
        for word in files(text)
        if not ((ROOT / word).exists() if "/" in word else word in known)
    ]


def unknown_options(text):
    """Return the options that a named command does not have."""
    found = []
    for command in commands(text):
        script = re.search(r"\b(?:tools|benchmarks)/\w+\.py", command)
        places = [script[0]] if script else [v for k, v in COMMANDS.items() if k in command]
        if not places or not (ROOT / places[0]).is_file():
            continue
        source = (ROOT / places[0]).read_text(encoding="utf-8")
        found += [
            f"{command}: {option}"
            for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", command)
            if f'"{option}' not in source and f'"{option[2:]}"' not in source
        ]
    return found


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_file_that_a_document_names_exists(document):
    text = text_of(document)
    assert len(files(text)) > 10
    assert missing(text) == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_option_that_a_document_names_exists(document):
    assert unknown_options(text_of(document)) == []


def test_the_stages_are_those_of_the_tests():
    text = text_of("CONTRIBUTING.md")
    ((fast, thorough),) = re.findall(r"\(stages: `([a-z\s]+)`; thorough:\s`([a-z\s]+)`\)", text)
    every = run_tests.stages()
    assert fast.split() == [stage.name for stage in every if not stage.thorough]
    assert thorough.split() == [stage.name for stage in every if stage.thorough]


def test_every_test_that_contributing_names_exists():
    named = set(re.findall(r"\btest_\w+(?!\w*\.py)", text_of("CONTRIBUTING.md")))
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    modules = {path.stem for path in (ROOT / "tests").rglob("test_*.py")}
    assert named and {each for each in named if f"def {each}(" not in tests} <= modules


def test_what_is_not_there_is_found():
    gone = ["tools/no_such.py", "nowhere.py", "book/none/", "GONE.md"]
    there = ["tests/test_runs.py", "scan.py", "CITATION.cff", "1/m", "FILE.py", "_build/lite"]
    assert missing(" ".join(f"`{each}`" for each in [*gone, *there])) == gone


def test_an_option_that_is_not_there_is_found():
    wrong = ["python tools/run_notebooks.py --chekc", "sublinear verify --no-such"]
    text = f"`tools/run_notebooks.py --check`, `{wrong[0]}`, `{wrong[1]}`"
    assert unknown_options(text) == [f"{each}: {each.split()[-1]}" for each in wrong]


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
    targets = set(re.findall(r"^([a-z]+):", text_of("Makefile"), re.MULTILINE))
    for document in ("README.md", "CONTRIBUTING.md", "book/intro.ipynb", "book/how-to-read.md"):
        named = re.findall(r"(?:`|^)make ([a-z]+)", text_of(document), re.MULTILINE)
        assert {*named} <= targets, document


def test_every_named_requirement_is_pinned_and_declared():
    pins, requirements = text_of("constraints.txt").lower(), text_of("requirements.txt")
    for name in ("jupyter-book", "numpy", "scipy", "matplotlib", "ipywidgets", "nbval"):
        assert re.search(rf"^{name}\b", requirements, re.MULTILINE), name
        assert re.search(rf"^{name}==", pins, re.MULTILINE), name
