"""The wheel: complete, typed, and of use where nothing but its own dependencies is installed.

The wheel is built once, from a copy, and installed into a folder.  Beside it lie links to the
packages that it asks for and to those that they ask for, and nothing else: a Python that sees these
two folders only is in the place of one in which somebody has typed ``pip install``.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import install_versions
import pytest
import run_tests
import yaml
from click.shell_completion import ShellComplete
from click.testing import CliRunner
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import sublinear_lib
from sublinear_lib import claims, cli, scaling

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BESIDE = ("pyproject.toml", "MANIFEST.in", "README.md", "LICENSE")
ABOUT = ("CHANGELOG.md", "CITATION.cff", "LICENSE-text")


def build(kind, source, target):
    """Build a wheel or a source distribution, and return it."""
    code = f"import sys; from setuptools import build_meta; build_meta.build_{kind}(sys.argv.pop())"
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(target)],
        cwd=source,
        check=True,
        capture_output=True,
    )
    (built,) = target.iterdir()
    return built


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The unpacked source distribution, built from a copy of what it is made of."""
    source = tmp_path_factory.mktemp("source")
    for name in (*BESIDE, *ABOUT):
        shutil.copy(ROOT / name, source)
    shutil.copytree(
        ROOT / "sublinear_lib",
        source / "sublinear_lib",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    # what the build must leave out, although it lies beside the library
    (source / "tests").mkdir()
    for name in ("__init__.py", "test_package.py"):
        (source / "tests" / name).touch()
    packed = build("sdist", source, tmp_path_factory.mktemp("sdist"))
    target = tmp_path_factory.mktemp("unpacked")
    shutil.unpack_archive(packed, target, filter="data")
    (folder,) = target.iterdir()
    return folder


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    """The wheel, built from the source distribution as pip does."""
    return build("wheel", sdist, tmp_path_factory.mktemp("wheel"))


def test_the_source_distribution_tells_about_itself_and_has_no_tests(sdist):
    names = {path.name for path in sdist.iterdir()}
    assert names >= {*BESIDE, *ABOUT, "sublinear_lib"}
    assert "tests" not in names


def closure(requirements):
    """Return the names of all distributions that these requirements bring."""
    found = set()
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        if name not in found and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
            found.add(name)
            waiting += map(Requirement, metadata.requires(name) or [])
    return found


@pytest.fixture(scope="module")
def clean(wheel, tmp_path_factory):
    """A folder with the installed wheel and its dependencies, and no other package."""
    folder = tmp_path_factory.mktemp("clean")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    for name in closure(PROJECT["dependencies"]):
        files = metadata.files(name)
        assert files is not None, name
        for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            there = Path(str(metadata.distribution(name).locate_file(top)))
            if there.exists() and not (folder / top).exists():
                (folder / top).symlink_to(there, target_is_directory=there.is_dir())
    return folder


def run(clean, code, *arguments):
    """Run a program that sees the clean folder and the standard library only."""
    return subprocess.run(
        [sys.executable, "-S", "-c", code, *arguments],
        cwd=clean,
        env={**os.environ, "PYTHONPATH": str(clean), "SUBLINEAR_NUMBA": ""},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


SUBLINEAR = "from sublinear_lib.__main__ import run; run()"


def test_the_wheel_holds_the_library_with_all_its_files_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    kept = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "sublinear_lib").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert held == kept
    assert "sublinear_lib/py.typed" in held


def test_the_wheel_says_what_it_is(clean):
    (folder,) = clean.glob("sublinear_lib-*.dist-info")
    told = metadata.Distribution.at(folder)
    assert (told.metadata["Name"], told.version) == ("sublinear-lib", sublinear_lib.__version__)
    assert told.metadata["Requires-Python"] == ">=3.11"
    assert told.metadata["License-Expression"] == "BSD-3-Clause"
    assert [*folder.rglob("LICENSE")]
    (command,) = told.entry_points
    assert (command.name, command.value) == ("sublinear", "sublinear_lib.__main__:run")
    alone = [text for text in told.requires or [] if "extra ==" not in text]
    assert sorted(alone) == sorted(PROJECT["dependencies"])


IMPORT_ALL = """
import importlib, json, pkgutil, sys
import sublinear_lib
done, refused = [], {}
for info in pkgutil.walk_packages(sublinear_lib.__path__, "sublinear_lib."):
    if info.name.rpartition(".")[2] == "__main__":
        continue
    try:
        importlib.import_module(info.name)
        done.append(info.name)
    except ModuleNotFoundError as error:
        refused[info.name] = error.name
said = {}
for room in ("plotting", "widgets", "exhibits"):
    try:
        getattr(sublinear_lib, room)
    except ModuleNotFoundError as error:
        said[room] = str(error)
print(json.dumps([done, refused, said, sublinear_lib.__file__, sorted(sys.modules)]))
"""


@pytest.mark.thorough
def test_without_the_books_packages_every_room_is_there_but_those_that_draw(clean):
    made = run(clean, IMPORT_ALL)
    assert made.returncode == 0, made.stderr
    done, refused, said, place, loaded = json.loads(made.stdout)
    assert Path(place).is_relative_to(clean)
    drawing = {"plotting", "widgets", "exhibits"}
    books = {"matplotlib", "pygments", "anywidget", "ipywidgets", "markdown_it", "IPython"}
    without = {name.split(".")[1] for name in refused if refused[name] in books}
    assert without == {*drawing, "chapters"}
    # the compiled kernels, and the peers of the benchmarks
    others = {name: lacks for name, lacks in refused.items() if lacks not in books}
    assert {*others.values()} <= {"numba", "llvmlite", "torch"}, others
    rooms = {f"sublinear_lib.{room}" for room in sublinear_lib.__all__[1:] if room not in drawing}
    assert rooms <= {*done}
    assert not {"matplotlib", "IPython", "ipywidgets", "numba", "pytest"} & {*loaded}
    assert "pip install '.[plot]'" in said["plotting"]
    assert "pip install '.[book]'" in said["exhibits"]


@pytest.mark.thorough
def test_the_installed_command_says_its_version_and_reads_the_stored_verdicts(clean):
    made = run(clean, SUBLINEAR, "--version")
    assert made.stdout == f"sublinear, version {sublinear_lib.__version__}\n", made.stderr
    made = run(clean, SUBLINEAR, "claims", "show", "thm-4.1")
    assert made.returncode == 0, made.stderr
    assert "fails as printed" in made.stdout


@pytest.mark.thorough
def test_a_notebook_is_a_test_elsewhere_as_the_book_says(wheel, tmp_path):
    page = (ROOT / "book" / "how-to-read.md").read_text(encoding="utf-8")
    (install, compare) = re.findall(r"^(pip install .*|pytest --nbval .*)$", page, re.MULTILINE)
    name = compare.split()[-1]
    stored = json.loads((ROOT / "book" / "part1" / name).read_text(encoding="utf-8"))
    venv.create(tmp_path / "fresh", with_pip=True)
    outside = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}

    def command(line):
        program, *arguments = shlex.split(line.replace("'.[", f"'{wheel}["))
        return subprocess.run(
            [tmp_path / "fresh" / "bin" / program, *arguments],
            cwd=ROOT if program == "pip" else tmp_path,
            env=outside,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    installed = command(f"{install} --quiet --no-compile")
    assert installed.returncode == 0, installed.stderr
    (tmp_path / name).write_text(json.dumps(stored), encoding="utf-8")
    same = command(compare)
    assert same.returncode == 0, same.stdout
    texts = [each for cell in stored["cells"] for each in cell.get("outputs", ()) if "text" in each]
    texts[0]["text"] = ["not what is printed"]
    (tmp_path / name).write_text(json.dumps(stored), encoding="utf-8")
    other = command(compare)
    assert other.returncode == 1 and "not what is printed" in other.stdout, other.stdout


def test_a_workflow_runs_only_what_there_is():
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    stages = {stage.name for stage in run_tests.stages()}
    (named,) = re.findall(r"run_tests\.py ([a-z ]+)", text)
    assert set(named.split()) <= stages
    for path in re.findall(r"(?:python|cp|run:) ((?:tools|tests|\.ci)/[\w./]+)", text):
        assert (ROOT / path).is_file(), path
    matrix = jobs["library"]["strategy"]["matrix"]
    versions = {*matrix["versions"], *(one["versions"] for one in matrix["include"])}
    assert versions == {"oldest", "newest", "pinned"}
    supported = [each for each in PROJECT["classifiers"] if "Python :: 3." in each]
    assert set(matrix["python"]) == {each.rpartition(" ")[2] for each in supported}


def test_the_oldest_versions_are_the_lower_bounds():
    oldest = install_versions.constraints("oldest", PROJECT)
    assert "numpy==2.0" in oldest
    names = {Requirement(text).name for text in oldest}
    assert {Requirement(text).name for text in PROJECT["dependencies"]} <= names
    # and so are those of what compiles, draws and shares work, wherever these are asked for
    assert {"numba", "matplotlib", "distributed"} <= names
    assert install_versions.constraints("newest", PROJECT) == []
    pinned = install_versions.constraints("pinned", PROJECT)
    assert any(line.startswith("numpy==") for line in pinned)
    with pytest.raises(ValueError, match="lower bound, got 'numpy'"):
        install_versions.lower_bound("numpy")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete_the_command(shell):
    asked = {"_SUBLINEAR_COMPLETE": f"{shell}_source"}
    made = CliRunner().invoke(cli.main, env=asked, prog_name="sublinear")
    told = ShellComplete(cli.main, {}, "sublinear", "_SUBLINEAR_COMPLETE")
    assert made.exit_code == 0
    assert f"{shell}_complete" in made.output
    assert {item.value for item in told.get_completions([], "ve")} == {"verify"}
    for asked_of in (["verify"], ["claims", "show"]):
        found = {item.value for item in told.get_completions(asked_of, "thm-4.1")}
        assert {"thm-4.1", "thm-4.1-r"} <= found <= {claim.id for claim in claims.LEDGER}
    (only,) = told.get_completions(["train", "--data"], "circ")
    assert only.value == "circle-8"
    found = {item.value for item in told.get_completions(["activity", "--tau-rule"], "")}
    assert found == set(scaling.TAU_RULES)
