"""What a user calls says what it takes, what it gives back and what it refuses.

The docstrings are parsed by numpydoc.  Beyond its own rules one more holds: a function that checks
its arguments, or raises, must have a Raises section.  A user calls what a room offers at its front
door (the names in ``__all__``, or, for a module without that list, those without an underscore) and
a page, the README or the command names.  Of all else, and of formulas of a few lines, ruff asks a
summary; what a signature says by its types, `checked` adds to the help.
"""

from __future__ import annotations

import ast
import enum
import importlib
import inspect
import json
import pkgutil
import re
import textwrap
from dataclasses import is_dataclass

import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc, get_doc_object
from numpydoc.validate import Validator, validate

import sublinear_lib
from sublinear_lib import validation
from tests.commands import ROOT

# numpydoc's codes: a docstring at all, a summary that fits one line and ends with a full stop;
# parameters neither missing, invented, out of order nor without description; a Returns or Yields
# section whose parts are described.
WANTED = {"GL08", "SS01", "SS03", "SS06", "PR01", "PR02", "PR03", "PR07", "RT01", "RT03", "YD01"}

CHECKERS = {name for name in validation.__all__ if inspect.isfunction(getattr(validation, name))}


FORMULA = 6  # lines; a function with a longer body is more than a formula


def words_of(source):
    """Yield the names that code uses."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name


def used_by_readers():
    """Yield the names that the pages, the README and the command use."""
    yield from re.findall(r"\w+", (ROOT / "README.md").read_text("utf-8"))
    yield from words_of((ROOT / "sublinear_lib" / "cli.py").read_text("utf-8"))
    for page in (ROOT / "book").rglob("*.ipynb"):
        for cell in json.loads(page.read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "code" and not "".join(cell["source"]).startswith("%"):
                yield from words_of("".join(cell["source"]))


READ = frozenset(used_by_readers())


def called(full, value):
    """Say whether a user calls it and it is more than a formula."""
    inner = full.removeprefix(f"{module_of(value)}.").split(".")
    return READ.issuperset(inner) and not is_formula(value)


def is_formula(value):
    """Say whether a function, not a method, is as short as what it computes."""
    if not inspect.isfunction(value) or "." in value.__qualname__:
        return False
    body = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(value)))).body[0].body
    body = body[1:] if ast.get_docstring(ast.Module(body, [])) is not None else body
    return not body or body[-1].end_lineno - body[0].lineno < FORMULA


def modules():
    """Yield every module of the library but private ones, those of pages and twins of kernels."""
    for info in pkgutil.walk_packages(sublinear_lib.__path__, "sublinear_lib."):
        parts = info.name.split(".")[1:]
        if (
            parts[0] != "chapters"
            and not any(part.startswith("_") for part in parts)
            and "kernels_" not in parts[-1]
        ):
            yield importlib.import_module(info.name)


def offered(room):
    """List what a room offers at its front door."""
    listed = getattr(room, "__all__", [name for name in vars(room) if not name.startswith("_")])
    return [getattr(room, name) for name in listed]


def collect():
    """Yield what is offered to users, and the members of classes, by full names."""
    for module in modules():
        room = importlib.import_module(".".join(module.__name__.split(".")[:2]))
        front = [id(value) for value in offered(room)]
        for name, value in vars(module).items():
            own = getattr(value, "__module__", None) == module.__name__
            if name.startswith("_") or not own or id(value) not in front:
                continue
            if inspect.isfunction(value) or inspect.isclass(value):
                yield f"{module.__name__}.{name}", value
            if inspect.isclass(value):
                for inner, member in members(value):
                    yield f"{module.__name__}.{name}.{inner}", member


def members(owner):
    """Yield the methods and properties that a class defines and a reader may use."""
    for name, value in vars(owner).items():
        plain = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        documented = inspect.isfunction(plain) or isinstance(plain, property)
        if documented and (not name.startswith("_") or name == "__call__"):
            yield name, plain


def module_of(value):
    return (value.fget if isinstance(value, property) else value).__module__


NAMES = {full: value for full, value in sorted(collect()) if called(full, value)}


class Docstring(Validator):
    """A docstring wherever it stands.

    numpydoc asks for file and line to find comments there that excuse a docstring, and parses whole
    modules to count lines.  Here nothing is excused by a comment.
    """

    source_file_name = None
    source_file_def_line = None

    def __init__(self, obj_name):
        super().__init__(get_doc_object(Validator._load_obj(obj_name)))


def problems(full, value):
    """List what is missing from a docstring."""
    found = [error for error in validate(full, Docstring)["errors"] if error[0] in WANTED]
    if inspect.isclass(value):
        found = [(code, text) for code, text in found if not excused(value, code)]
    if inspect.isfunction(value) and checks_its_arguments(value) and not says_what_it_raises(value):
        found.append(("raises", "but has no Raises section"))
    return [f"{code}: {text}" for code, text in found]


def excused(owner, code):
    """Say whether a finding about a class is none.

    A protocol has no constructor of its own, and nobody calls that of an enumeration.  A record
    that only the library makes may describe its fields as attributes; then each must be there.
    """
    if code not in {"PR01", "PR03"}:
        return False
    if getattr(owner, "_is_protocol", False) or issubclass(owner, enum.Enum):
        return True
    described = {part.name for part in ClassDoc(owner)["Attributes"]}
    return is_dataclass(owner) and set(inspect.signature(owner).parameters) <= described


def checks_its_arguments(value):
    """Say whether the code of a function raises, or calls a function of ``validation``."""
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(value)))):
        if isinstance(node, ast.Raise) and node.exc is not None:
            return True
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Name) and called.id in CHECKERS:
            return True
        if isinstance(called, ast.Attribute) and ast.unparse(called.value) == "validation":
            return True
    return False


def says_what_it_raises(value):
    return bool(FunctionDoc(None, doc=value.__doc__ or "")["Raises"])


HOLDING = sorted({module_of(value) for value in NAMES.values()})


# numpydoc reads every attribute of a widget, also those that ipywidgets is about to drop
@pytest.mark.filterwarnings("ignore:Widget:DeprecationWarning")
@pytest.mark.parametrize("module", HOLDING)
def test_docstrings_are_complete_and_say_what_is_raised(module):
    here = {full: value for full, value in NAMES.items() if module_of(value) == module}
    found = {full: problems(full, value) for full, value in here.items()}
    assert {full: missing for full, missing in found.items() if missing} == {}


def test_every_module_opens_with_a_paragraph():
    short = [each.__name__ for each in modules() if len((each.__doc__ or "").strip()) < 100]
    assert short == []


def test_the_names_of_every_floor_are_seen():
    assert {
        "sublinear_lib.statistics.loglog_slope",
        "sublinear_lib.network.TwoLayerNetwork.forward",
        "sublinear_lib.halfspace.index.HalfspaceIndex.query_halfspace",
    } <= NAMES.keys()


def labels(m):
    """Return m."""
    return validation.count(m, "m")


def test_a_bare_docstring_is_found(monkeypatch):
    monkeypatch.setattr(labels, "__module__", "sublinear_lib.validation")
    monkeypatch.setattr(validation, "labels", labels)
    found = problems("sublinear_lib.validation.labels", labels)
    assert [each.partition(":")[0] for each in found] == ["PR01", "RT01", "raises"]
