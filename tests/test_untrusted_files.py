"""No file is executed: the source of the library, read as a tree, has no call that would do so.

What is unpickled are messages between processes of one run, never the content of a file: the few
places are listed here with the reason.  A new one has to be defended in that list.
"""

import ast
import re
from pathlib import Path

import pytest

import sublinear_lib

pytestmark = pytest.mark.thorough

ROOT = Path(sublinear_lib.__file__).parents[1]
SOURCES = sorted(
    path
    for folder in ("sublinear_lib", "tools", "benchmarks", "book")
    for path in (ROOT / folder).rglob("*.py")
)

UNPICKLERS = {"load", "loads", "Unpickler", "read_pickle"}
PICKLES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal", "torch"}
# What a source must hold to be worth its parsing.
WORTH_READING = re.compile(
    "pickle|dill|joblib|shelve|marshal|torch|(eval|exec|compile) ?[(]|__import__|builtins"
    "|(np|numpy)[.]load|from numpy import"
)
RUNNERS = {"eval", "exec", "compile", "__import__"}

# What is unpickled was pickled by this very run: results and errors on their way between its
# processes (over a Dask cluster too, which the reader is told to own), and copies within one.  What
# is executed is a module of this library with an error planted into it, and a function that has the
# parameters of another, made as `dataclasses` makes one: of names in this library's own source.
DEFENDED = {
    ("sublinear_lib/_arguments.py", "exec"),
    ("sublinear_lib/statistics.py", "pickle.loads"),
    ("sublinear_lib/cluster.py", "pickle.loads"),
    ("benchmarks/fuzz/histories.py", "pickle.loads"),
    ("tools/mutate_theory.py", "exec"),
    ("tools/mutate_theory.py", "compile"),
}


def dangerous(source):
    """Give line and name of every call that can execute what a file holds."""
    tree = ast.parse(source)
    modules, functions = {}, {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {item.asname or item.name: item.name for item in node.names}
        elif isinstance(node, ast.ImportFrom):
            functions |= {
                item.asname or item.name: f"{node.module}.{item.name}" for item in node.names
            }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        head, _, rest = called.partition(".")
        name = f"{modules.get(head, functions.get(head, head))}{'.' if rest else ''}{rest}"
        room, _, last = name.rpartition(".")
        unpickles = room.partition(".")[0] in PICKLES and last in UNPICKLERS
        runs = name in RUNNERS or (last in RUNNERS and room == "builtins")
        if unpickles or runs or last == "read_pickle":
            yield node.lineno, name
        elif name == "numpy.load":
            allowed = [item.value for item in node.keywords if item.arg == "allow_pickle"]
            if not (allowed and isinstance(allowed[0], ast.Constant) and allowed[0].value is False):
                yield node.lineno, "numpy.load without allow_pickle=False"
        elif any(
            item.arg == "allow_pickle"
            and not (isinstance(item.value, ast.Constant) and item.value.value is False)
            for item in node.keywords
        ):
            yield node.lineno, f"{name} with allow_pickle"


def test_nothing_that_a_file_holds_is_executed():
    assert len(SOURCES) > 200
    found = [
        (path.relative_to(ROOT).as_posix(), line, name)
        for path in SOURCES
        if WORTH_READING.search(text := path.read_text(encoding="utf-8"))
        for line, name in dangerous(text)
    ]
    assert [item for item in found if (item[0], item[2]) not in DEFENDED] == []
    assert {(place, name) for place, _, name in found} == DEFENDED, "what is gone needs no defense"


@pytest.mark.parametrize(
    "line",
    [
        "import numpy as np; np.load(path)",
        "import numpy as np; np.load(path, allow_pickle=trusted)",
        "from numpy import load; load(path)",
        "import pickle as p; p.loads(file.read())",
        "from pickle import loads as read; read(data)",
        "import pickle; pickle.Unpickler(file).load()",
        "import joblib; joblib.load(path)",
        "import pandas as pd; pd.read_pickle(path)",
        "eval(path.read_text())",
        "np.savez(path, allow_pickle=True)",
    ],
)
def test_a_call_that_executes_is_found(line):
    assert WORTH_READING.search(line)
    assert list(dangerous(line))


@pytest.mark.parametrize(
    "line",
    [
        "import numpy as np; np.load(path, allow_pickle=False)",
        "import json; json.load(file)",
        "model.eval()",
        "import re; re.compile(text)",
        "import pickle; pickle.dumps(thing)",
    ],
)
def test_a_call_that_does_not_is_left_alone(line):
    assert not list(dangerous(line))
