"""README and CONTRIBUTING name nothing that is not there: files, tests, stages, options."""

import re
from pathlib import Path

import pytest
import run_tests

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ("README.md", "CONTRIBUTING.md")
INLINE = re.compile(r"`+([^`]+)`+")
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
    there = ["tests/test_readme.py", "scan.py", "CITATION.cff", "1/m", "FILE.py", "_build/lite"]
    assert missing(" ".join(f"`{each}`" for each in [*gone, *there])) == gone


def test_an_option_that_is_not_there_is_found():
    wrong = ["python tools/run_notebooks.py --chekc", "sublinear verify --no-such"]
    text = f"`tools/run_notebooks.py --check`, `{wrong[0]}`, `{wrong[1]}`"
    assert unknown_options(text) == [f"{each}: {each.split()[-1]}" for each in wrong]
