"""Imports of the library run downward only, and importing it loads nothing heavy.

The floors are those of the house: a room may use the rooms below it.  Rooms on one floor do not
know each other, but for the few arrows written down here.  A room that is a package is used through
its front door, ``sublinear_lib.room``, never through one of its inner modules.
"""

import ast
from pathlib import Path

import pytest

import sublinear_lib
from tests.commands import python

LIBRARY = Path(sublinear_lib.__file__).parent

# From the ground up.
HOUSE = (
    (
        *("_typing", "_arguments", "_compiled", "_turning", "_vector_code", "_extras", "_late"),
        *("validation", "archives", "caching", "cluster", "predicates", "activations", "losses"),
        *("scaling", "geometry", "datasets", "statistics", "tables"),
    ),
    ("evaluation", "network"),
    ("halfspace", "features", "memorization", "theory"),
    ("adversary", "training"),
    ("claims", "estimator", "report", "_held_out"),
    ("plotting", "exhibits", "widgets", "runs"),
    ("chapters", "cli", "__main__"),
)
FLOORS = {room: floor for floor, rooms in enumerate(HOUSE) for room in rooms}
# Every room may check arguments and name types. The other arrows between rooms of one floor:
LEVEL_ARROWS = {
    ("_turning", "geometry"),
    ("scaling", "activations"),
    ("datasets", "geometry"),
    ("tables", "datasets"),
    ("tables", "geometry"),
    ("network", "evaluation"),
    ("training", "adversary"),
    ("widgets", "plotting"),
    ("exhibits", "plotting"),
    ("runs", "plotting"),
    ("report", "_held_out"),
    ("__main__", "cli"),
}
GROUND = {
    *("_typing", "_arguments", "_compiled", "_extras", "_late"),
    *("validation", "archives", "caching", "cluster"),
}
# `History.plot()` is what users expect of a result, and so is `Report.plot()`.  It is a doorbell,
# not a dependency: the import stands inside that method, and both work where nothing can be drawn.
# So is what a notebook asks of a report, which sets powers as the evidence of the claims does.
LATE_ARROWS = {("training", "plotting"), ("report", "plotting"), ("report", "exhibits")}
# The explorers draw with the tools of the figures, down to colors, ticks and formats, and a page
# with the tools of both.
SHARED_TOOLS = {("widgets", "plotting"), ("chapters", "widgets"), ("chapters", "plotting")}


def room_of(path):
    return path.relative_to(LIBRARY).parts[0].removesuffix(".py")


def arrows(source):
    """Return what a module imports from the library.

    Line, dotted name below the library, and whether the import waits inside a function (or serves
    type checkers only).
    """
    found = []
    tree = ast.parse(source)
    blocks = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    ]
    waiting = {id(node) for block in blocks for node in ast.walk(block)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are written in full"
            module = node.module or ""
            whole = [f"{module}.{alias.name}" for alias in node.names]
            names = whole if module == "sublinear_lib" else [module]
        else:
            continue
        parts = [name.split(".", 1) for name in names]
        late = id(node) in waiting
        found += [
            (node.lineno, rest[0], late) for top, *rest in parts if top == "sublinear_lib" and rest
        ]
    return found


def forbidden(room, imported, late=False):
    """Say why `room` must not import `imported`, or nothing if it may."""
    target, _, inner = imported.partition(".")
    if target in {room, "__version__"}:
        return ""
    if target not in FLOORS:
        return f"{target} stands on no floor"
    if inner and (room, target) not in SHARED_TOOLS:
        return f"{imported} is an inner module: import from sublinear_lib.{target}"
    if late and (room, target) in LATE_ARROWS:
        return ""
    if FLOORS[target] > FLOORS[room]:
        return f"{target} (floor {FLOORS[target]}) is above {room} (floor {FLOORS[room]})"
    if FLOORS[target] == FLOORS[room] and target not in GROUND:
        return "" if (room, target) in LEVEL_ARROWS else f"{target} is on the floor of {room}"
    if room == "_typing":
        return "_typing uses nothing"
    return ""


# The package itself names every room, and imports each on first use.
MODULES = sorted(set(LIBRARY.rglob("*.py")) - {LIBRARY / "__init__.py"})


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(LIBRARY).as_posix())
def test_a_module_imports_only_what_is_below_it(path):
    room = room_of(path)
    problems = [
        f"line {line}: {reason}"
        for line, imported, late in arrows(path.read_text(encoding="utf-8"))
        if (reason := forbidden(room, imported, late))
    ]
    assert problems == []


def test_every_room_stands_on_a_floor():
    assert {room_of(path) for path in MODULES} == set(FLOORS)


def test_the_package_lists_every_public_room():
    hidden = {room for room in FLOORS if room.startswith("_")} | {"cli", "chapters", "evaluation"}
    listed = set(sublinear_lib.__all__) - {"__version__"}
    assert listed - {"evaluation"} == set(FLOORS) - hidden


def test_an_upward_arrow_is_found():
    arrows = "geometry network,theory halfspace,training plotting,network evaluation.evaluators"
    for arrow in f"{arrows},network something_new,_typing validation".split(","):
        assert forbidden(*arrow.split()), arrow


def test_an_import_that_waits_is_told_from_one_at_the_top():
    source = "from sublinear_lib import geometry\ndef f(): from sublinear_lib import plotting\n"
    assert arrows(source) == [(1, "geometry", False), (2, "plotting", True)]
    assert forbidden("training", "plotting", late=True) == ""
    assert forbidden("network", "plotting", late=True)


def loaded_after(code):
    """Return the modules that a fresh Python holds after running `code`."""
    return set(python(f"{code}\nimport sys; print(*sys.modules)").stdout.split())


def test_importing_the_library_loads_none_of_its_rooms():
    loaded = loaded_after("import sublinear_lib")
    assert [name for name in loaded if name.startswith("sublinear_lib.")] == []
    assert not loaded & {"numpy", "scipy", "sklearn", "matplotlib", "numba"}


def test_the_mathematics_needs_neither_plots_nor_data_sets_nor_a_compiler():
    rooms = [room for room, floor in FLOORS.items() if floor <= 3]
    code = "import sublinear_lib\n" + "\n".join(f"import sublinear_lib.{room}" for room in rooms)
    heavy = {"sklearn", "matplotlib", "ipywidgets", "anywidget", "IPython", "scipy.stats"}
    assert not loaded_after(code) & heavy
    heavy |= {"numba", "llvmlite", "joblib", "tqdm", "sublinear_lib.plotting"}
    assert not loaded_after("import sublinear_lib.training") & heavy


def test_without_numba_no_module_asks_for_it():
    compiling = {"_compiled", "_vector_code"}
    rooms = [room for room, floor in FLOORS.items() if floor <= 3 and room not in compiling]
    code = "\n".join(f"import sublinear_lib.{room}" for room in rooms)
    hide = "import os, sys; os.environ['SUBLINEAR_NUMBA'] = '0'; sys.modules['numba'] = None\n"
    assert "sublinear_lib.training" in loaded_after(hide + code)
