"""The pages of the library: every public name of every room, with its docstring.

A page of ``book/reference/api`` holds a title and the mark ``api-room``, which is replaced by what
the room says of itself, the list of its names, and each of them, in the order of the source;
``api-command`` by the help of the command ``sublinear``.  Single backticks in a docstring lead to a
public name of that spelling and are plain code otherwise.
"""

from __future__ import annotations

import ast
import enum
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple, cast

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from docutils.utils import unescape
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util.nodes import make_refnode

LIBRARY = "sublinear_lib"
FOLDER = "book/reference/api/"

_MARK = re.compile(r"^```\{api-(room|command)\}(?: ([a-z_.]+))?\n```$", re.MULTILINE)
# A longer value says less than the description of the name.
_LONGEST_VALUE = 200

_WORD = re.compile(r'<span class="pre">([^<]*)</span>')
_LIST = re.compile(r"\s*([*-]|\d+\.|>>>|\.\.) ")


class Entry(NamedTuple):
    """A public name: where it is offered, where it is written, and what kind of thing it is."""

    offered: str
    home: str
    kind: str

    @property
    def name(self) -> str:
        """The name without its room."""
        return self.offered.rpartition(".")[2]


def modules_of(room: ModuleType) -> list[ModuleType]:
    """Return a room and its inner modules, but not the twins of its kernels."""
    inner = pkgutil.walk_packages(getattr(room, "__path__", []), f"{room.__name__}.")
    names = [info.name for info in inner if "kernels_" not in info.name and ".__" not in info.name]
    return [room, *(importlib.import_module(name) for name in names)]


@cache
def lines_of(module: str) -> Mapping[str, tuple[int, str]]:
    """Return what a module defines: the line of each name, and the text that follows it."""
    body = ast.parse(inspect.getsource(importlib.import_module(module))).body
    found = {}
    for line, after in zip(body, [*body[1:], None], strict=True):
        targets = line.targets if isinstance(line, ast.Assign) else [getattr(line, "target", None)]
        names = [one.id for one in targets if isinstance(one, ast.Name)]
        text = ""
        if names and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            text = inspect.cleandoc(str(after.value.value))
        elif isinstance(line, ast.FunctionDef | ast.ClassDef):
            names = [line.name]
        found.update(dict.fromkeys(names, (line.lineno, text)))
    return found


def offered_by(module: ModuleType) -> list[str]:
    """Return the public names of a module: those it lists, or all it defines without underscore."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return list(listed)
    own = lines_of(module.__name__)
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (getattr(value, "__module__", None) == module.__name__ or name in own)
    ]


@cache
def entries(room: str) -> tuple[Entry, ...]:
    """Return the public names of a room, in the order of their modules and of the source."""
    front = importlib.import_module(f"{LIBRARY}.{room}")
    inside = modules_of(front)
    packages = [one for one in inside[1:] if hasattr(one, "__path__") and hasattr(one, "__all__")]
    doors = [front, *packages]
    doors += [
        value
        for name in offered_by(front)
        if inspect.ismodule(value := getattr(front, name)) and value not in doors
    ]
    found: dict[str, Entry] = {}
    for door in doors:
        for name in offered_by(door):
            value = getattr(door, name)
            if inspect.ismodule(value):
                continue
            routine = inspect.isroutine(inspect.unwrap(value) if callable(value) else value)
            kind = "class" if inspect.isclass(value) else "function" if routine else "data"
            home = _home(name, value, kind, door, inside)
            key = f"{home}.{name}"
            if key not in found:  # the room's own door comes first
                found[key] = Entry(f"{door.__name__}.{name}", home, kind)
    order = [one.__name__ for one in inside]
    return tuple(sorted(found.values(), key=lambda each: (order.index(each.home), _line(each))))


def _home(name: str, value: Any, kind: str, door: ModuleType, inside: list[ModuleType]) -> str:
    """Return the module of the room in which a name is written."""
    if kind != "data":
        home = str(value.__module__)
        return home if home in {one.__name__ for one in inside} else door.__name__
    written = [one.__name__ for one in (door, *inside) if name in lines_of(one.__name__)]
    return written[0] if written else door.__name__


def _line(entry: Entry) -> int:
    return lines_of(entry.home).get(entry.name, (0, ""))[0]


def rooms() -> list[str]:
    """Return the rooms of the library, and what stands behind them."""
    library = importlib.import_module(LIBRARY)
    return sorted({*library._ROOMS, "evaluation"})


@cache
def known() -> Mapping[str, str]:
    """Return where every public name is described, by every way of writing it."""
    return {f"{each.home}.{each.name}": each.offered for room in rooms() for each in entries(room)}


def room_text(room: str) -> str:
    """Return the text of the page of a room."""
    front = importlib.import_module(f"{LIBRARY}.{room}")
    found = entries(room)
    homes = list(dict.fromkeys(each.home for each in found))
    opening = [f".. py:module:: {front.__name__}", told(front)]
    if len(found) > 1:
        opening.append("\n".join(_contents(front.__name__, homes, found)))
    parts = [] if homes[0] == front.__name__ else [_rest(opening)]
    for home in homes:
        if home == front.__name__:
            lines = opening
        else:
            parts.append(f"({label(home)})=\n## {home.removeprefix(LIBRARY + '.')}")
            lines = [told(importlib.import_module(home))]
        parts.append(_rest([*lines, *(_described(one) for one in found if one.home == home)]))
    return "\n\n".join(parts)


def label(module: str) -> str:
    """Return the label of the section about an inner module."""
    return "-".join(["api", *module.split(".")[1:]])


def told(module: ModuleType) -> str:
    """Return the docstring of a module as reStructuredText."""
    return "\n".join(plain((inspect.getdoc(module) or "").splitlines()))


def plain(lines: Sequence[str]) -> list[str]:
    """Return a docstring with formulas as they are written.

    What stands indented below a line is shown as it is, unless it is a list or part of one, and a
    bar is a bar.
    """
    found: list[str] = []
    margin: int | None = None  # of the line above a display
    example = literal = False
    for k, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if margin is not None and (not line.strip() or indent > margin):
            found.append(line)
            continue
        margin = None
        if not line.strip():
            example = literal = False
        example = example or line.lstrip().startswith(">>> ")
        if not example:
            parts = line.split("``")
            words = slice(int(literal), None, 2)
            parts[words] = [part.replace("|", r"\|") for part in parts[words]]
            literal ^= len(parts) % 2 == 0
            below = lines[k + 2] if k + 2 < len(lines) and not lines[k + 1].strip() else ""
            deeper = len(below) - len(below.lstrip()) > indent
            line = "``".join(parts)
            if line.strip() and deeper and not _LIST.match(line) and not _LIST.match(below):
                margin = indent
                line = f"{line.rstrip(':')}::" if line.endswith(":") else f"{line} ::"
        found.append(line)
    return found


def _rest(paragraphs: Sequence[str]) -> str:
    # what is displayed is rather a formula than Python; examples have prompts and keep their colors
    text = "\n\n".join([".. highlight:: none", *paragraphs])
    return f"`````{{eval-rst}}\n{text}\n`````"


def _contents(room: str, homes: list[str], found: Sequence[Entry]) -> Iterator[str]:
    """Yield a line for each module with the names that it holds."""
    for home in homes:
        names = ", ".join(
            f":py:obj:`{one.name} <{one.offered}>`" for one in found if one.home == home
        )
        inner = home.removeprefix(f"{room}.") if home != room else room.rpartition(".")[2]
        yield f"* **{inner}**: {names}"


def _described(entry: Entry) -> str:
    """Return the directive that describes a name."""
    room, name = entry.offered.rpartition(".")[::2]
    if entry.kind == "class":
        listed = f".. autoclass:: {entry.offered}\n   :members:\n   :special-members: __call__"
        # the members of an enumeration are what it is for, with or without a text of their own
        members = issubclass(getattr(importlib.import_module(room), name), enum.Enum)
        return listed + ("\n   :undoc-members:" if members else "")
    if entry.kind == "function":
        return f".. autofunction:: {entry.offered}"
    lines = [f".. py:data:: {name}", f"   :module: {room}"]
    value = repr(getattr(importlib.import_module(room), name))
    if len(value) <= _LONGEST_VALUE and " at 0x" not in value:
        lines.append(f"   :value: {value}")
    text = lines_of(entry.home).get(name, (0, ""))[1]
    return "\n".join([*lines, "", *(f"   {line}".rstrip() for line in text.splitlines())])


def command_text() -> str:
    """Return the help of the command ``sublinear`` and of everything below it."""
    import click

    main = importlib.import_module(f"{LIBRARY}.cli").main

    def walk(command: click.Command, name: str, above: click.Context | None) -> Iterator[str]:
        context = click.Context(command, info_name=name, parent=above, terminal_width=76)
        title = context.command_path
        yield f"## {title}\n\n```text\n{command.get_help(context)}\n```"
        if isinstance(command, click.Group):
            for inner in command.list_commands(context):
                found = command.get_command(context, inner)
                if found is not None:
                    yield from walk(found, inner, context)

    return "\n\n".join(walk(main, "sublinear", None))


def _fill_in(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the text of a room in the place of its mark."""
    if docname.startswith(FOLDER):
        source[0] = _MARK.sub(
            lambda match: room_text(match[2]) if match[1] == "room" else command_text(), source[0]
        )


class _NoIndexEntries(SphinxTransform):
    """Keep the names of the library out of the index, which is one of words."""

    default_priority = 840  # before the domains collect what a page holds

    def apply(self, **kwargs: Any) -> None:
        if self.env.docname.startswith(FOLDER):
            for node in list(self.document.findall(addnodes.index)):
                node.parent.remove(node)


def _backticks(
    name: str,
    rawtext: str,
    text: str,
    lineno: int,
    inliner: Inliner,
    options: Mapping[str, Any] | None = None,
    content: object = (),
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Return what single backticks mean: a public name of the library, or code."""
    text = unescape(text)
    code = nodes.literal(rawtext, text)
    target = spelled().get(text)
    if target is None:
        return [code], []
    link = addnodes.pending_xref(
        rawtext, code, refdomain="py", reftype="obj", reftarget=target, refexplicit=True
    )
    return [link], []


@cache
def spelled() -> Mapping[str, str]:
    """Return the public names that can be told from their last part alone."""
    by_name: dict[str, set[str]] = {}
    for place in known().values():
        by_name.setdefault(place.rpartition(".")[2], set()).add(place)
    # a word such as "rate" or "bracket" may be a parameter: only names in the style of classes
    return {
        name: next(iter(places))
        for name, places in by_name.items()
        if len(places) == 1 and ("_" in name or name != name.lower())
    }


def resolve(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.Element
) -> nodes.Element | None:
    """Find what a role of a docstring means."""
    if node.get("refdomain") != "py":
        return None
    target = str(node["reftarget"]).removesuffix("()")
    public = known().get(target)
    if public is not None and public != target:
        node["reftarget"] = public
        found = env.get_domain("py").resolve_xref(
            env, node["refdoc"], app.builder, "obj", public, node, content
        )
        if found is not None:
            return found
    places = env.get_domain("std").anonlabels  # type: ignore[attr-defined]
    if label(target) in places:
        page, anchor = places[label(target)]
        return make_refnode(app.builder, node["refdoc"], page, anchor, content, target)
    return content if exists(target) else None


def exists(target: str) -> bool:
    """Say whether a dotted name means something that can be imported."""
    parts = target.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        return all((value := getattr(value, part, None)) is not None for part in parts[length:])
    return False


def _lighten(app: Sphinx, pagename: str, _: str, context: dict[str, Any], *__: object) -> None:
    """Take out the marks that Sphinx puts around every word of code, half of the page."""
    if pagename.startswith(FOLDER) and "body" in context:
        context["body"] = _WORD.sub(r"\1", context["body"])


def _adopt(app: Sphinx, doctree: nodes.document) -> None:
    """Let every part of a page know this page as its own.

    What MyST reads as reStructuredText is read as a page of its own first, and remembers that page,
    whose settings lead to all that Sphinx knows of the book: so much would be stored with the page.
    """
    for node in doctree.findall():
        node._document = doctree


def _write_plainly(app: Sphinx, *about: object) -> None:
    lines = cast("list[str]", about[-1])
    lines[:] = plain(lines)


def _leave_out(
    app: Sphinx, what: str, name: str, value: Any, skip: bool, options: object
) -> bool | None:
    """Leave out what a class has from another library, such as the requests of scikit-learn."""
    written = getattr(getattr(value, "fget", value), "__module__", None)
    foreign = isinstance(written, str) and not written.startswith(LIBRARY)
    return True if foreign else None


def _without_constructor(
    app: Sphinx, what: str, name: str, value: Any, options: object, *signature: str | None
) -> tuple[str, None] | None:
    """Leave out how Python makes an enumeration, which nobody calls."""
    return ("", None) if inspect.isclass(value) and issubclass(value, enum.Enum) else None


def _compile_once(made: Callable[..., Any]) -> Callable[..., Any]:
    """Keep what numpydoc makes anew for every docstring: the environment of its template."""
    kept: list[Any] = []

    def environment(loader: Any) -> Any:
        if not kept:
            kept.append(made(loader=loader))
        return kept[0]

    return environment


def _as_signed(read: Callable[[Any], ast.arguments | None]) -> Callable[[Any], Any]:
    """Leave alone what says itself how it is called: its source is that of another function."""
    return lambda called: (
        None if "__signature__" in getattr(called, "__dict__", ()) else read(called)
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the steps of this extension with Sphinx, and choose how docstrings are read."""
    from docutils.parsers.rst import roles
    from numpydoc import docscrape_sphinx
    from sphinx.ext.autodoc import preserve_defaults

    for name in ("sphinx.ext.autodoc", "numpydoc"):
        app.setup_extension(name)
    docscrape_sphinx.SandboxedEnvironment = _compile_once(docscrape_sphinx.SandboxedEnvironment)
    preserve_defaults._get_arguments = _as_signed(preserve_defaults._get_arguments)
    settings: dict[str, Any] = {
        "add_module_names": False,
        "autodoc_member_order": "bysource",
        "autodoc_preserve_defaults": True,
        # types stand in the docstrings, with shapes and ranges
        "autodoc_typehints": "none",
        "autosummary_generate": False,
        "default_role": "companion-api",
        "numpydoc_class_members_toctree": False,
        "numpydoc_show_class_members": False,
        "toc_object_entries": False,
    }
    for name, value in settings.items():
        app.config[name] = value
    role: Callable[..., Any] = _backticks
    roles.register_local_role("companion-api", role)
    app.add_transform(_NoIndexEntries)
    app.connect("source-read", _fill_in)
    app.connect("doctree-read", _adopt)
    app.connect("autodoc-process-docstring", _write_plainly, priority=400)  # before numpydoc
    app.connect("autodoc-process-signature", _without_constructor, priority=400)
    app.connect("autodoc-skip-member", _leave_out)
    app.connect("html-page-context", _lighten)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
