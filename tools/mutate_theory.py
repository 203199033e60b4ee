"""Plant errors in the theory, one at a time, and see whether the claims notice.

usage: python tools/mutate_theory.py [--modules NAME ...] [--claims ID ...] [--per-module N]
       [--seed N] [--jobs N] [--most SECONDS] [--trace FILE] [--output FILE]

A mutant is the source of one module of `sublinear_lib.theory` with one small change: an exponent
with the other sign, a plus for a minus, a dropped factor, a number or a result that is 1 % off, a
count that is one off, a comparison the other way round.  The claims that execute the changed
function, which a first run finds out, are then checked in the quick budget, the fastest first,
until one of them finds another verdict than before or breaks.  A mutant that no claim notices
survives; one that nothing executes survives too.  All survivors are written down with their line,
whether they are harmless or not.

No file is touched: each mutant lives in a process of its own, forked from one that has imported
NumPy and its kin but not the library, in which the changed source is what gets imported.  Argument
checks, messages, annotations and default values are not mutated.  The result is stored in
`benchmarks/results/theory_mutation.json`; the same settings renew the modules that it looked at.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import json
import multiprocessing
import os
import platform
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
THEORY = "sublinear_lib.theory"
OUTPUT = ROOT / "benchmarks" / "results" / "theory_mutation.json"
SCHEMA = 1
OPERATORS = (
    "exponent",
    "sign",
    "dropped factor",
    "1 % in a number",
    "1 % in a result",
    "off by one",
    "comparison",
)
# What checks or converts arguments: mutants in there are no errors of the theory.
CHECKS = {
    *("boolean", "choice", "count", "exact", "float_array", "generator", "index_array", "instance"),
    *("labels", "mask", "points_on_slice", "rational", "same_length", "scalar"),
}
NOT_APPLICABLE = 77
MEMORY = 6 * 2**30


# --------------------------------------------------------------------------------------------------
# Mutants
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mutant:
    """One change of one node.

    Attributes
    ----------
    module, unit : str
        Where: the module without its package, and the function in it, or ``""`` for its top level.
    line : int
        Line of the change.
    operator : str
        One of `OPERATORS`.
    node : int
        Place of the node in the order of `ast.walk`.
    variant : int
        Which of the changes of that operator.
    names : tuple of str
        For a change at top level: the names that are defined there.
    """

    module: str
    unit: str
    line: int
    operator: str
    node: int
    variant: int
    names: tuple[str, ...] = ()


def mutants_of(module: str, source: str) -> list[Mutant]:
    """List all mutants of a module."""
    tree = ast.parse(source)
    numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
    finder = _Finder(module, numbers)
    finder.visit(tree)
    return finder.found


class _Finder(ast.NodeVisitor):
    """Go through a module and note what can be changed."""

    def __init__(self, module: str, numbers: dict[int, int]) -> None:
        self._module = module
        self._numbers = numbers
        self._path: list[str] = []
        self._in_function = 0
        self._names: tuple[str, ...] = ()
        self._parents: list[ast.AST] = []
        self.found: list[Mutant] = []

    def _note(self, node: ast.AST, operator: str, variants: int = 1) -> None:
        unit = ".".join(self._path) if self._in_function else ""
        self.found += [
            Mutant(
                self._module,
                unit,
                getattr(node, "lineno", 0),
                operator,
                self._numbers[id(node)],
                variant,
                () if self._in_function else self._names,
            )
            for variant in range(variants)
        ]

    def visit(self, node: ast.AST) -> None:
        """Visit a node, knowing its parents."""
        if not self._in_function and isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            own = tuple(
                item.id
                for target in targets
                for item in ast.walk(target)
                if isinstance(item, ast.Name)
            )
            if own == ("__all__",):
                return
            self._names = tuple(self._path[:1]) or own
        self._parents.append(node)
        super().visit(node)
        self._parents.pop()

    def _body(self, node: ast.FunctionDef | ast.ClassDef) -> None:
        self._path.append(node.name)
        body = node.body
        if ast.get_docstring(node, clean=False) is not None:
            body = body[1:]
        for item in body:
            self.visit(item)
        self._path.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Go into a class; its decorators and bases are not changed."""
        self._names = (node.name,)
        self._body(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Go into a function; its arguments and decorators are not changed."""
        outer, self._in_function = self._in_function, self._in_function + 1
        if outer:
            self._path.append("<locals>")
        self._body(node)
        if outer:
            self._path.pop()
        self._in_function = outer

    def _leave(self, node: Any) -> None:
        """Leave imports, errors and messages alone."""

    visit_Import = visit_ImportFrom = visit_Raise = visit_Assert = visit_JoinedStr = _leave

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Look at the value only."""
        if node.value is not None:
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        """Leave argument checks alone."""
        if not all(isinstance(item, ast.Raise) for item in node.body):
            self.visit(node.test)
        for item in (*node.body, *node.orelse):
            self.visit(item)

    def visit_Call(self, node: ast.Call) -> None:
        """Leave argument checks alone."""
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if isinstance(node.func, ast.Attribute):
            owner = node.func.value
            checked = isinstance(owner, ast.Name) and owner.id in ("validation", "enclosures")
            name = node.func.attr if checked else None
        if name not in CHECKS:
            self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Leave indices and the parameters of types alone."""
        self.visit(node.value)

    def visit_Return(self, node: ast.Return) -> None:
        """Results, if they are numbers: of None or False there is no 1 %."""
        if node.value is None:
            return
        fixed = isinstance(node.value, ast.Constant)
        if not fixed or type(node.value.value) in (int, float):  # type: ignore[attr-defined]
            self._note(node, "1 % in a result")
        self.visit(node.value)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Exponents, signs and factors."""
        if isinstance(node.op, ast.Pow):
            self._note(node, "exponent")
        elif isinstance(node.op, ast.Add | ast.Sub):
            self._note(node, "sign")
        elif isinstance(node.op, ast.Mult):
            self._note(node, "dropped factor", 2)
        elif isinstance(node.op, ast.Div):
            self._note(node, "dropped factor")
        elif isinstance(node.op, ast.BitOr) and not self._in_function:
            # A union of types.
            return
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Signs."""
        if isinstance(node.op, ast.USub):
            self._note(node, "sign")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Directions."""
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.Lt | ast.Gt | ast.LtE | ast.GtE):
            self._note(node, "comparison")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Numbers."""
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            return
        if isinstance(value, float) and value:
            self._note(node, "1 % in a number")
        elif isinstance(value, int):
            self._note(node, "off by one")


_SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
}


def mutated(source: str, mutant: Mutant) -> tuple[ast.Module, str, str]:
    """Return the changed module, and what stood and stands in its place."""
    tree = ast.parse(source)
    node = next(item for number, item in enumerate(ast.walk(tree)) if number == mutant.node)
    before = ast.unparse(node)
    new = _changed(copy.deepcopy(node), mutant)
    ast.copy_location(new, node)

    class Exchange(ast.NodeTransformer):
        def visit(self, item: ast.AST) -> ast.AST:
            return new if item is node else super().generic_visit(item)

    Exchange().visit(tree)
    ast.fix_missing_locations(tree)
    return tree, before, ast.unparse(new)


def _changed(node: ast.AST, mutant: Mutant) -> ast.AST:
    """Return a node in the place of another."""
    if isinstance(node, ast.Return):
        assert node.value is not None
        call = ast.Call(ast.Name("_one_percent_more", ast.Load()), [node.value], [])
        return ast.Return(call)
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Pow):
            return ast.BinOp(node.left, node.op, ast.UnaryOp(ast.USub(), node.right))
        if isinstance(node.op, ast.Mult | ast.Div):
            return node.right if mutant.variant else node.left
        return ast.BinOp(node.left, _SWAPPED[type(node.op)](), node.right)  # type: ignore[arg-type]
    if isinstance(node, ast.UnaryOp):
        return node.operand
    if isinstance(node, ast.Compare):
        swapped = _SWAPPED[type(node.ops[0])]()
        return ast.Compare(node.left, [swapped], node.comparators)  # type: ignore[list-item]
    assert isinstance(node, ast.Constant)
    if isinstance(node.value, float):
        return ast.Constant(node.value * 1.01)
    return ast.Constant(int(node.value) + 1)  # type: ignore[arg-type]


def one_percent_more(value: Any) -> Any:
    """Return a result that is 1 % off; a mutant whose result is no number ends here."""
    if type(value) in (tuple, list):
        return type(value)(one_percent_more(item) for item in value)
    if value is None or isinstance(value, bool | str | bytes | dict | list | tuple | set):
        os._exit(NOT_APPLICABLE)
    if isinstance(value, int):
        return value + max(1, abs(value) // 100)
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind == "b":
        os._exit(NOT_APPLICABLE)
    if kind in "iu" and kind:
        return value + 1
    for factor in (Fraction(101, 100), 1.01):
        with contextlib.suppress(TypeError, ValueError):
            if kind and isinstance(factor, Fraction):
                continue
            return value * factor
    os._exit(NOT_APPLICABLE)


def sample(found: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """Choose mutants of a module, from as many functions and operators as there are."""
    if not found:
        return []
    shuffled = random.Random(f"{seed} {found[0].module}")
    by_unit: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in found:
        by_unit[mutant.unit].append(mutant)
    queues = []
    for unit in sorted(by_unit):
        by_operator: dict[str, list[Mutant]] = defaultdict(list)
        for mutant in by_unit[unit]:
            by_operator[mutant.operator].append(mutant)
        operators = sorted(by_operator)
        shuffled.shuffle(operators)
        for operator in operators:
            shuffled.shuffle(by_operator[operator])
        longest = max(map(len, by_operator.values()))
        queues.append(
            [
                by_operator[operator][k]
                for k in range(longest)
                for operator in operators
                if k < len(by_operator[operator])
            ]
        )
    shuffled.shuffle(queues)
    longest = max(map(len, queues))
    rounds = [queue[k] for k in range(longest) for queue in queues if k < len(queue)]
    return rounds[:count]


# --------------------------------------------------------------------------------------------------
# Processes in which another source is imported
# --------------------------------------------------------------------------------------------------


class _Loader(importlib.abc.Loader):
    """Import a module from a changed tree."""

    def __init__(self, spec: importlib.machinery.ModuleSpec, tree: ast.Module) -> None:
        self._path = spec.origin or "<mutant>"
        self._tree = tree
        self._extras: dict[str, Any] = {}

    def with_names(self, **extras: Any) -> _Loader:
        """Give names to the module before it runs."""
        self._extras = extras
        return self

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """Let Python make the module."""

    def exec_module(self, module: Any) -> None:
        """Run the changed module."""
        vars(module).update(self._extras)
        exec(compile(self._tree, self._path, "exec"), vars(module))  # noqa: S102 (planted)


class _Importer(importlib.abc.MetaPathFinder):
    """Put changed trees in the place of modules."""

    def __init__(self, change: Callable[[str, str], ast.Module | None], **extras: Any) -> None:
        self._change = change
        self._extras = extras

    def find_spec(
        self, name: str, path: Any, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a module of the theory, and exchange its loader."""
        if not name.startswith(THEORY + "."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None:
            return None
        tree = self._change(name.removeprefix(THEORY + "."), Path(spec.origin).read_text("utf-8"))
        if tree is None:
            return None
        loader = _Loader(spec, tree).with_names(**self._extras)
        return importlib.util.spec_from_file_location(
            name, spec.origin, loader=loader, submodule_search_locations=None
        )


def instrumented(module: str, source: str) -> ast.Module:
    """Return a module whose functions say when they are entered."""
    tree = ast.parse(source)

    def enter(body: list[ast.stmt], path: tuple[str, ...], inside: bool) -> None:
        for item in body:
            enter_one(item, path, inside)

    def enter_one(item: ast.stmt, path: tuple[str, ...], inside: bool) -> None:
        if isinstance(item, ast.ClassDef):
            enter(item.body, (*path, item.name), False)
        elif isinstance(item, ast.FunctionDef):
            own = (*path, "<locals>", item.name) if inside else (*path, item.name)
            enter(item.body, own, True)
            note = ast.parse(f"_entered({module!r}, {'.'.join(own)!r})").body[0]
            after = int(ast.get_docstring(item, clean=False) is not None)
            item.body.insert(after, note)
        else:
            for block in ("body", "orelse", "finalbody"):
                enter(getattr(item, block, []), path, inside)

    enter(tree.body, (), False)
    return ast.fix_missing_locations(tree)


def _begin(importer: _Importer | None) -> None:
    """Make a forked process ready: quiet, bounded, with the changed source."""
    os.setpgid(0, 0)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    if importer is not None:
        sys.meta_path.insert(0, importer)


def _claim(name: str, topic: str) -> Any:
    """Return a claim without importing those of other topics."""
    module = importlib.import_module(topic)
    return next(claim for claim in module.topic.claims() if claim.id == name)


def _list_claims(pipe: Connection) -> None:
    """Say which claims there are, where, and with which fingerprint."""
    _begin(None)
    from sublinear_lib.claims import LEDGER, fingerprint

    topics = {
        claim.id: name
        for name, module in sys.modules.items()
        if name.startswith("sublinear_lib.claims.checks.")
        for claim in module.topic.claims()
    }
    pipe.send([(claim.id, topics[claim.id], fingerprint(claim)) for claim in LEDGER])


def _trace(pipe: Connection, name: str, topic: str, seed: int) -> None:
    """Check one claim and say which functions of the theory it entered."""
    entered: set[tuple[str, str]] = set()

    def note(module: str, unit: str) -> None:
        entered.add((module, unit))

    _begin(_Importer(instrumented, _entered=note))
    from sublinear_lib.claims import Budget

    claim = _claim(name, topic)
    # What runs when a module is imported builds its tables; every claim would seem to use it.
    imported = sorted(entered)
    entered.clear()
    start = time.perf_counter()
    verdict = claim.run(Budget.QUICK, seed).verdict.value
    pipe.send((verdict, time.perf_counter() - start, sorted(entered), imported))


def _attempt(
    pipe: Connection, mutant: Mutant, tree: ast.Module, order: Sequence[Claimed], seed: int
) -> None:
    """Check claims with a mutant, and say what happens to each."""
    change = {mutant.module: tree}
    _begin(_Importer(lambda module, _: change.get(module), _one_percent_more=one_percent_more))
    for item in order:
        pipe.send(("begin", item.id, ""))
        try:
            from sublinear_lib.claims import Budget

            verdict = _claim(item.id, item.topic).run(Budget.QUICK, seed).verdict.value
        except BaseException as error:
            pipe.send(("error", item.id, f"{type(error).__name__}: {error}"[:200]))
            return
        if verdict != item.verdict:
            pipe.send(("verdict", item.id, verdict))
            return
        pipe.send(("same", item.id, ""))


# --------------------------------------------------------------------------------------------------
# The campaign
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Claimed:
    """What the unchanged library finds for a claim, and what that takes."""

    id: str
    topic: str
    fingerprint: str
    verdict: str
    seconds: float
    entered: frozenset[tuple[str, str]]
    imported: frozenset[tuple[str, str]]


@dataclass
class Trial:
    """What became of a mutant."""

    mutant: Mutant
    before: str
    after: str
    covering: int
    outcome: str = "survived"
    claim: str = ""
    how: str = ""
    run: int = 0
    seconds: float = 0.0


@dataclass
class _Task:
    """A process under way."""

    process: Any
    pipe: Connection
    started: float
    deadline: float
    handle: Callable[[_Task, Any], None]
    ended: Callable[[_Task, bool], None]
    patience: Callable[[Any], float] | None = None
    closed: bool = False
    extra: dict[str, Any] = field(default_factory=dict)


def _drive(tasks: Iterator[_Task], jobs: int) -> None:
    """Run processes, at most so many at a time, and end those that take too long."""
    running: list[_Task] = []
    exhausted = False
    try:
        while running or not exhausted:
            while not exhausted and len(running) < jobs:
                task = next(tasks, None)
                if task is None:
                    exhausted = True
                else:
                    running.append(task)
            if not running:
                break
            wait([task.pipe for task in running], timeout=0.25)
            for task in list(running):
                _serve(task)
                late = time.monotonic() > task.deadline
                if task.closed or late:
                    if late and not task.closed:
                        task.process.kill()
                    task.process.join()
                    task.pipe.close()
                    running.remove(task)
                    task.ended(task, late and not task.closed)
    finally:
        for task in running:
            task.process.kill()
            task.process.join()


def _serve(task: _Task) -> None:
    """Take what a process has sent."""
    try:
        while task.pipe.poll():
            message = task.pipe.recv()
            if task.patience is not None:
                task.deadline = time.monotonic() + task.patience(message)
            task.handle(task, message)
    except (EOFError, OSError):
        task.closed = True


def _start(target: Callable[..., None], *arguments: Any) -> tuple[Any, Connection]:
    """Fork a process that begins with `target` and sends through a pipe."""
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(target, sending, arguments), daemon=True)
    process.start()
    sending.close()
    return process, receiving


def _child(target: Callable[..., None], pipe: Connection, arguments: tuple[Any, ...]) -> None:
    target(pipe, *arguments)
    pipe.close()


def inventory() -> list[tuple[str, str, str]]:
    """Return id, module and fingerprint of all claims."""
    process, pipe = _start(_list_claims)
    try:
        found: list[tuple[str, str, str]] = pipe.recv()
    except EOFError:
        raise SystemExit("the ledger cannot be assembled: run `sublinear claims list`") from None
    finally:
        process.join()
    return found


def trace(
    seed: int, jobs: int, cache: Path | None, patience: float, only: Sequence[str] | None = None
) -> list[Claimed]:
    """Check claims with the library as it is, or read what an earlier run found."""
    listed = [row for row in inventory() if only is None or row[0] in only]
    known: dict[str, Claimed] = {}
    if cache is not None and cache.exists():
        for row in json.loads(cache.read_text("utf-8")):
            for name in ("entered", "imported"):
                row[name] = frozenset((module, unit) for module, unit in row.get(name, ()))
            if row["imported"]:
                known[row["fingerprint"]] = Claimed(**row)
    found: dict[str, Claimed] = {}
    failed: dict[str, str] = {}
    bar = _bar(len(listed), "tracing")

    def tasks() -> Iterator[_Task]:
        for name, topic, mark in listed:
            if mark in known:
                found[name] = known[mark]
                bar.update()
                continue
            process, pipe = _start(_trace, name, topic, seed)

            def handle(
                task: _Task, message: Any, name: str = name, topic: str = topic, mark: str = mark
            ) -> None:
                verdict, seconds, entered, imported = message
                found[name] = Claimed(
                    name, topic, mark, verdict, seconds, frozenset(entered), frozenset(imported)
                )

            def ended(task: _Task, late: bool, name: str = name) -> None:
                bar.update()
                if name not in found:
                    failed[name] = "too slow" if late else "broken"

            now = time.monotonic()
            yield _Task(process, pipe, now, now + patience, handle, ended)

    _drive(tasks(), jobs)
    bar.close()
    if cache is not None:
        rows = [
            {**vars(item), "entered": sorted(item.entered), "imported": sorted(item.imported)}
            for item in found.values()
        ]
        cache.write_text(json.dumps(rows), "utf-8")
    if failed:
        print(f"left out, because they fail without any mutant: {failed}", file=sys.stderr)
    return [found[name] for name, _, _ in listed if name in found]


def covering(mutant: Mutant, source: str, claims: Sequence[Claimed]) -> list[Claimed]:
    """Return the claims that may notice a mutant: those that enter it first, then the fastest."""
    place = (mutant.module, mutant.unit)
    inside = [item for item in claims if mutant.unit and place in item.entered]
    others: list[Claimed] = []
    if not mutant.unit or any(place in item.imported for item in claims):
        # A table, or what builds tables on import: whoever uses the tables may notice.
        users = _users(mutant.names or _tables(source))
        others = [
            item
            for item in claims
            if item not in inside and (item.topic in users or not users.isdisjoint(item.entered))
        ]
    return [
        *sorted(inside, key=lambda item: item.seconds),
        *sorted(others, key=lambda item: item.seconds),
    ]


def _tables(source: str) -> tuple[str, ...]:
    """Return the names that a module assigns at its top."""
    return tuple(
        item.id
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        for item in ast.walk(target)
        if isinstance(item, ast.Name) and item.id != "__all__"
    )


@functools.cache
def _users(names: tuple[str, ...]) -> frozenset[Any]:
    """Return the functions of the theory and the modules of claims that use some names."""
    users: set[Any] = set()
    for path in sorted((ROOT / "sublinear_lib" / "theory").glob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        for item in tree.body:
            inner = item.body if isinstance(item, ast.ClassDef) else [item]
            for part in inner:
                if isinstance(part, ast.FunctionDef) and _mentions(part, names):
                    prefix = f"{item.name}." if isinstance(item, ast.ClassDef) else ""
                    users.add((path.stem, prefix + part.name))
    claims = ROOT / "sublinear_lib" / "claims"
    for path in (claims / "instruments").glob("*.py"):
        if _mentions(ast.parse(path.read_text("utf-8")), names):
            names = (*names, path.stem)
    for path in sorted((claims / "checks").glob("*.py")):
        if _mentions(ast.parse(path.read_text("utf-8")), names):
            users.add(f"sublinear_lib.claims.checks.{path.stem}")
    return frozenset(users)


def _mentions(tree: ast.AST, names: tuple[str, ...]) -> bool:
    return any(
        (isinstance(node, ast.Name) and node.id in names)
        or (isinstance(node, ast.Attribute) and node.attr in names)
        for node in ast.walk(tree)
    )


def campaign(
    chosen: Sequence[Mutant],
    sources: dict[str, str],
    claims: Sequence[Claimed],
    *,
    seed: int,
    jobs: int,
    most: float,
) -> list[Trial]:
    """Try mutants."""
    trials: list[Trial] = []
    bar = _bar(len(chosen), "mutants")

    def tasks() -> Iterator[_Task]:
        for mutant in chosen:
            tree, before, after = mutated(sources[mutant.module], mutant)
            order = covering(mutant, sources[mutant.module], claims)
            trial = Trial(mutant, before, after, len(order))
            trials.append(trial)
            if not order:
                trial.outcome = "not covered"
                bar.update()
                continue
            # The last ones are left out when the fast ones take all the time there is.
            spent, kept = 0.0, list[Claimed]()
            for item in order:
                if kept and spent + item.seconds > most:
                    break
                kept.append(item)
                spent += item.seconds
            usual = {item.id: item.seconds for item in kept}
            process, pipe = _start(_attempt, mutant, tree, kept, seed)

            def handle(task: _Task, message: Any, trial: Trial = trial) -> None:
                what, trial.claim, trial.how = message
                if what == "same":
                    trial.run += 1
                    trial.claim = ""
                elif what in ("error", "verdict"):
                    trial.run += 1
                    trial.outcome = "killed"
                    trial.how = f"{what}: {trial.how}"

            def ended(task: _Task, late: bool, trial: Trial = trial) -> None:
                code = task.process.exitcode
                trial.seconds = time.monotonic() - task.started
                if code == NOT_APPLICABLE:
                    trial.outcome = "not applicable"
                elif late:
                    trial.outcome = "timeout"
                elif trial.outcome == "survived" and code:
                    trial.outcome, trial.how = "killed", f"crash: exit code {code}"
                bar.set_postfix_str(
                    " ".join(f"{k}={v}" for k, v in Counter(t.outcome for t in trials).items())
                )
                bar.update()

            def patience(message: Any, usual: dict[str, float] = usual) -> float:
                return 60.0 + 15.0 * usual[message[1]]

            now = time.monotonic()
            yield _Task(process, pipe, now, now + 120.0, handle, ended, patience)

    _drive(tasks(), jobs)
    bar.close()
    return trials


def _bar(total: int, what: str) -> Any:
    from tqdm import tqdm

    return tqdm(total=total, desc=what, disable=None, unit="")


def report(
    trials: Sequence[Trial], possible: dict[str, int], settings: dict[str, Any], seconds: float
) -> dict[str, Any]:
    """Put everything into the form that is stored."""
    counted = [trial for trial in trials if trial.outcome != "not applicable"]

    def score(part: Sequence[Trial]) -> dict[str, Any]:
        outcomes = Counter(trial.outcome for trial in part)
        killed = outcomes["killed"] + outcomes["timeout"]
        covered = len(part) - outcomes["not covered"]
        return {
            "mutants": len(part),
            "killed": outcomes["killed"],
            "of_these_by_an_error": sum(
                trial.outcome == "killed" and not trial.how.startswith("verdict") for trial in part
            ),
            "timeout": outcomes["timeout"],
            "survived": outcomes["survived"],
            "not_covered": outcomes["not covered"],
            "score": round(killed / len(part), 4) if part else None,
            "score_of_covered": round(killed / covered, 4) if covered else None,
        }

    def row(trial: Trial) -> dict[str, Any]:
        mutant = trial.mutant
        return {
            "module": mutant.module,
            "function": mutant.unit,
            "line": mutant.line,
            "operator": mutant.operator,
            "before": trial.before,
            "after": trial.after.replace("_one_percent_more", "1.01 * "),
            "outcome": trial.outcome,
            "claim": trial.claim,
            "how": trial.how,
            "claims_run": trial.run,
            "claims_covering": trial.covering,
            "seconds": round(trial.seconds, 1),
        }

    modules = sorted({trial.mutant.module for trial in trials})
    killers = Counter(trial.claim for trial in counted if trial.outcome in ("killed", "timeout"))
    return {
        "schema": SCHEMA,
        "question": "Does a planted error in the theory change the verdict of a claim?",
        "date": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
        "versions": {
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in ("numpy", "scipy")},
        },
        "settings": settings,
        "seconds": round(seconds, 1),
        "total": score(counted),
        "not_applicable": len(trials) - len(counted),
        "modules": {
            name: {
                "possible": possible[name],
                **score([trial for trial in counted if trial.mutant.module == name]),
            }
            for name in modules
        },
        "operators": {
            name: score([trial for trial in counted if trial.mutant.operator == name])
            for name in OPERATORS
        },
        "killers": dict(killers.most_common()),
        "survivors": [
            row(trial) for trial in counted if trial.outcome in ("survived", "not covered")
        ],
        "trials": [row(trial) for trial in trials],
    }


def merged(old: dict[str, Any] | None, new: dict[str, Any]) -> dict[str, Any]:
    """Put new modules in the place of old ones, and count anew."""
    if old is None or old.get("schema") != SCHEMA or old["settings"] != new["settings"]:
        return new
    kept = [row for row in old["trials"] if row["module"] not in new["modules"]]
    rows = sorted(
        [*kept, *new["trials"]], key=lambda row: (row["module"], row["line"], row["operator"])
    )
    trials = [
        Trial(
            Mutant(row["module"], row["function"], row["line"], row["operator"], 0, 0),
            row["before"],
            row["after"],
            row["claims_covering"],
            row["outcome"],
            row["claim"],
            row["how"],
            row["claims_run"],
            row["seconds"],
        )
        for row in rows
    ]
    possible = {
        name: part["possible"] for name, part in {**old["modules"], **new["modules"]}.items()
    }
    return report(trials, possible, new["settings"], old["seconds"] + new["seconds"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a campaign and store it."""
    parser = argparse.ArgumentParser(
        description="Plant errors in the theory, and see whether the claims notice."
    )
    names = sorted(path.stem for path in (ROOT / "sublinear_lib" / "theory").glob("[!_]*.py"))
    parser.add_argument("--modules", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--claims", nargs="+", metavar="ID", help="only these (default: all)")
    parser.add_argument("--per-module", type=int, default=20, help="mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample and of the checks")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    parser.add_argument(
        "--most",
        type=float,
        default=90.0,
        help="seconds of usual time of the claims that a mutant meets (default: %(default)s)",
    )
    parser.add_argument("--trace", type=Path, help="file that keeps what the first run finds out")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="default: %(default)s")
    given = parser.parse_args(arguments)
    sys.path.insert(0, str(ROOT))
    # Before NumPy is imported: forked processes shall compute with one thread each.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[name] = "1"
    # Heavy packages once, before the forks; nothing of the library.
    for heavy in (
        "numpy",
        "scipy.stats",
        "scipy.optimize",
        "scipy.integrate",
        "flint",
        "joblib",
        "networkx",
        "numba",
    ):
        with contextlib.suppress(ImportError):
            importlib.import_module(heavy)
    begun = time.monotonic()
    claims = trace(given.seed, given.jobs, given.trace, patience=600.0, only=given.claims)
    sources = {
        name: (ROOT / "sublinear_lib" / "theory" / f"{name}.py").read_text("utf-8")
        for name in given.modules
    }
    possible = {name: mutants_of(name, source) for name, source in sources.items()}
    chosen = [
        mutant
        for name in given.modules
        for mutant in sample(possible[name], given.per_module, given.seed)
    ]
    settings = {
        "per_module": given.per_module,
        "seed": given.seed,
        "most": given.most,
        "claims": given.claims or "all",
    }
    trials = campaign(chosen, sources, claims, seed=given.seed, jobs=given.jobs, most=given.most)
    found = report(
        trials,
        {name: len(mutants) for name, mutants in possible.items()},
        settings,
        time.monotonic() - begun,
    )
    old = json.loads(given.output.read_text("utf-8")) if given.output.exists() else None
    found = merged(old, found)
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    beside = given.output.with_name(given.output.name + ".part")
    beside.write_text(text, "utf-8")
    beside.replace(given.output)
    total = found["total"]
    for row in found["survivors"]:
        print(
            f"{row['outcome']}: {row['module']}.py:{row['line']} {row['function']} "
            f"[{row['operator']}] {row['before'][:60]} -> {row['after'][:60]}"
        )
    for name, part in found["modules"].items():
        print(f"{name:<16} {part}")
    print(f"score {total['score']}, of what claims execute {total['score_of_covered']}: {total}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
