"""Plant errors in the theory, one at a time, and see whether the claims notice.

usage: python tools/mutate_theory.py [--modules NAME ...] [--claims ID ...] [--per-module N]
       [--seed N] [--jobs N] [--most SECONDS] [--output FILE]

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
import builtins
import contextlib
import functools
import importlib
import importlib.metadata
import itertools
import json
import multiprocessing
import os
import platform
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from importlib.machinery import SourceFileLoader
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = ROOT / "sublinear_lib"
THEORY = "sublinear_lib.theory."
CHECKS_OF_CLAIMS = "sublinear_lib.claims.checks."
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
# Imported once, before the processes fork: nothing of the library.
HEAVY = ("numpy", "scipy.stats", "scipy.optimize", "scipy.integrate", "flint", "joblib")
HEAVY += ("networkx", "numba")
NOT_APPLICABLE = 77
MEMORY = 6 * 2**30
PATIENCE = 600.0


@dataclass(frozen=True)
class Mutant:
    """One change of one node, in a function of a module or (unit "") at its top level.

    Its place says how many changes of the module come before it; what it changes at top level
    defines the names.
    """

    module: str
    unit: str
    line: int
    operator: str
    place: int
    names: tuple[str, ...] = ()


def mutants_of(module: str, source: str) -> list[Mutant]:
    """List all mutants of a module."""
    mutator = _Mutator(module)
    mutator.visit(ast.parse(source))
    return mutator.found


def mutated(source: str, mutant: Mutant) -> tuple[ast.Module, str, str]:
    """Return the changed module, and what stood and stands in its place."""
    mutator = _Mutator(mutant.module, mutant.place)
    tree = mutator.visit(ast.parse(source))
    return ast.fix_missing_locations(tree), *mutator.texts


_SWAPPED = {ast.Add: ast.Sub, ast.Lt: ast.Gt, ast.LtE: ast.GtE}
_SWAPPED |= {other: one for one, other in _SWAPPED.items()}


class _Mutator(ast.NodeTransformer):
    """Go through a module and note what can be changed; make the change at `place`."""

    def __init__(self, module: str, place: int = -1) -> None:
        self._module, self._place = module, place
        self._path: list[str] = []
        self._in_function = 0
        self._names: tuple[str, ...] = ()
        self.found: list[Mutant] = []
        self.texts = ("", "")

    def _offer(self, node: Any, operator: str, *others: ast.AST) -> Any:
        """Note changes of a node; return what stands in its place, gone through if unchanged."""
        unit = ".".join(self._path) if self._in_function else ""
        names = () if self._in_function else self._names
        chosen = None
        for other in others:
            if len(self.found) == self._place:
                after = ast.unparse(other).replace("_one_percent_more", "1.01 * ")
                self.texts = (ast.unparse(node), after)
                chosen = ast.copy_location(other, node)
            place = len(self.found)
            self.found.append(Mutant(self._module, unit, node.lineno, operator, place, names))
        return self.generic_visit(node) if chosen is None else chosen

    def _only(self, node: Any, *fields: str) -> Any:
        """Go into some fields of a node."""
        for name in fields:
            inner = getattr(node, name)
            if isinstance(inner, list):
                inner[:] = map(self.visit, inner)
            elif inner is not None:
                setattr(node, name, self.visit(inner))
        return node

    def _value(self, node: ast.AST) -> ast.AST:
        """Leave indices, annotations and the parameters of types alone."""
        return self._only(node, "value")

    visit_Subscript = visit_AnnAssign = visit_Assign = _value

    def visit(self, node: ast.AST) -> Any:
        """Visit a node; at the top of a module, know for which names."""
        if not self._in_function and isinstance(node, ast.Assign | ast.AnnAssign):
            self._names = tuple(self._path[:1]) or assigned(node)
        return super().visit(node)

    # Decorators, bases and arguments are not changed.
    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self._names = (node.name,)
        self._path.append(node.name)
        self._only(node, "body")
        self._path.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outside = list(self._path)
        self._path += ["<locals>", node.name] if self._in_function else [node.name]
        self._in_function += 1
        self._only(node, "body")
        self._in_function -= 1
        self._path = outside
        return node

    # Imports, errors and messages are left alone.
    def _leave(self, node: ast.AST) -> ast.AST:
        return node

    visit_Import = visit_ImportFrom = visit_Raise = visit_Assert = visit_JoinedStr = _leave

    # Neither are argument checks.
    def visit_If(self, node: ast.If) -> ast.AST:
        checks = all(isinstance(item, ast.Raise) for item in node.body)
        return self._only(node, *(["test"] if not checks else []), "body", "orelse")

    def visit_Call(self, node: ast.Call) -> ast.AST:
        owner, _, name = ast.unparse(node.func).rpartition(".")
        checks = name in CHECKS and owner in ("", "validation", "enclosures")
        return node if checks else self.generic_visit(node)

    # Of None or False there is no 1 %.
    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value is None:
            return node
        if isinstance(node.value, ast.Constant) and type(node.value.value) not in (int, float):
            return self.generic_visit(node)
        more = ast.Call(ast.Name("_one_percent_more", ast.Load()), [node.value], [])
        return self._offer(node, "1 % in a result", ast.Return(more))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        left, op, right = node.left, node.op, node.right
        if isinstance(op, ast.Pow):
            other = ast.BinOp(left, op, ast.UnaryOp(ast.USub(), right))
            return self._offer(node, "exponent", other)
        if isinstance(op, ast.Add | ast.Sub):
            return self._offer(node, "sign", ast.BinOp(left, _SWAPPED[type(op)](), right))
        if isinstance(op, ast.Mult | ast.Div):
            return self._offer(node, "dropped factor", left, *[right] * isinstance(op, ast.Mult))
        return self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        return self._offer(node, "sign", *[node.operand] * isinstance(node.op, ast.USub))

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        swapped = [_SWAPPED[type(op)]() for op in node.ops if type(op) in _SWAPPED]
        others = [ast.Compare(node.left, swapped, node.comparators)] * (len(node.ops) == 1)
        return self._offer(node, "comparison", *others * len(swapped))

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is float and node.value:
            return self._offer(node, "1 % in a number", ast.Constant(node.value * 1.01))
        if type(node.value) is int:
            return self._offer(node, "off by one", ast.Constant(node.value + 1))
        return node


def assigned(node: ast.Assign | ast.AnnAssign) -> tuple[str, ...]:
    """Return the names that a statement assigns."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    inner = itertools.chain.from_iterable(map(ast.walk, targets))
    return tuple(item.id for item in inner if isinstance(item, ast.Name))


def one_percent_more(value: Any) -> Any:
    """Return a result that is 1 % off; a mutant whose result is no number ends here."""
    if type(value) in (tuple, list):
        return type(value)(map(one_percent_more, value))
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind == "b" or isinstance(value, bool | str | bytes | dict | list | tuple | set | None):
        os._exit(NOT_APPLICABLE)
    if isinstance(value, int):
        return value + max(1, abs(value) // 100)
    if kind in ("i", "u"):
        return value + 1
    for factor in (1.01,) if kind else (Fraction(101, 100), 1.01):
        with contextlib.suppress(TypeError, ValueError):
            return value * factor
    os._exit(NOT_APPLICABLE)


def in_turns(queues: Iterable[Sequence[Mutant]]) -> list[Mutant]:
    """Take one of each queue, then another of each."""
    return [each for row in itertools.zip_longest(*queues) for each in row if each is not None]


def sample(found: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """Choose mutants of a module, from as many functions and operators as there are."""
    if not found:
        return []
    shuffled = random.Random(f"{seed} {found[0].module}")
    units: dict[str, dict[str, list[Mutant]]] = defaultdict(lambda: defaultdict(list))
    for mutant in found:
        units[mutant.unit][mutant.operator].append(mutant)
    queues = []
    for _, parts in sorted(units.items()):
        operators = sorted(parts)
        shuffled.shuffle(operators)
        for operator in operators:
            shuffled.shuffle(parts[operator])
        queues.append(in_turns(parts[operator] for operator in operators))
    shuffled.shuffle(queues)
    return in_turns(queues)[:count]


class _Marker(ast.NodeTransformer):
    """Let each function say when it is entered."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        note = ast.parse("_entered()").body[0]
        node.body.insert(int(ast.get_docstring(node, clean=False) is not None), note)
        return node


def _begin(change: Callable[[str, str], ast.Module]) -> None:
    """Make a new process ready: quiet, bounded, with the theory imported from changed trees."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    usual = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, name: str) -> CodeType | None:
        if not name.startswith(THEORY):
            return usual(self, name)
        source = self.get_data(self.path).decode("utf-8")
        tree = ast.fix_missing_locations(change(name.removeprefix(THEORY), source))
        return compile(tree, self.path, "exec")

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


def _claim(name: str, topic: str) -> Any:
    """Return a claim without importing those of other topics."""
    module = importlib.import_module(topic)
    return next(claim for claim in module.topic.claims() if claim.id == name)


def _trace(pipe: Connection, name: str, topic: str, seed: int) -> None:
    """Check one claim and say which functions of the theory it entered."""
    codes: set[CodeType] = set()
    builtins._entered = lambda: codes.add(sys._getframe(1).f_code)  # type: ignore[attr-defined]
    _begin(lambda module, source: _Marker().visit(ast.parse(source)))

    def entered() -> frozenset[tuple[str, str]]:
        found = frozenset((Path(code.co_filename).stem, code.co_qualname) for code in codes)
        codes.clear()
        return found

    from sublinear_lib.claims import Budget

    claim = _claim(name, topic)
    # What runs when a module is imported builds its tables; every claim would seem to use it.
    imported = entered()
    start = time.perf_counter()
    verdict = claim.run(Budget.QUICK, seed).verdict.value
    pipe.send(Claimed(name, topic, verdict, time.perf_counter() - start, entered(), imported))


def _attempt(pipe: Connection, mutant: Mutant, claims: Sequence[Claimed], seed: int) -> None:
    """Check claims with a mutant, and say what happens to each."""
    builtins._one_percent_more = one_percent_more  # type: ignore[attr-defined]
    _begin(
        lambda module, source: (
            mutated(source, mutant)[0] if module == mutant.module else ast.parse(source)
        )
    )
    for item in claims:
        try:
            from sublinear_lib.claims import Budget

            found = _claim(item.id, item.topic).run(Budget.QUICK, seed)
            pipe.send(f"verdict: {found.verdict.value}")
        except BaseException as error:
            pipe.send(f"error: {type(error).__name__}: {error}"[:200])


@contextlib.contextmanager
def _process(target: Callable[..., None], *arguments: Any) -> Iterator[tuple[Any, Connection]]:
    """Fork a process that begins with `target` and sends through a pipe."""
    context = multiprocessing.get_context("forkserver")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=target, args=(sending, *arguments), daemon=True)
    process.start()
    sending.close()
    try:
        yield process, receiving
    finally:
        process.kill()
        process.join()
        receiving.close()


@dataclass(frozen=True)
class Claimed:
    """What the unchanged library finds for a claim, and what that takes."""

    id: str
    topic: str
    verdict: str
    seconds: float
    entered: frozenset[tuple[str, str]]
    imported: frozenset[tuple[str, str]]


def traced(name: str, topic: str, seed: int) -> Claimed | None:
    """Check a claim with the library as it is."""
    with _process(_trace, name, topic, seed) as (_, pipe):
        try:
            return pipe.recv() if pipe.poll(PATIENCE) else None
        except EOFError:
            return None


def topics() -> dict[str, str]:
    """Return the module of each claim."""
    from sublinear_lib.claims import LEDGER

    modules = [name for name in sys.modules if name.startswith(CHECKS_OF_CLAIMS)]
    found = {claim.id: name for name in modules for claim in sys.modules[name].topic.claims()}
    return {claim.id: found[claim.id] for claim in LEDGER}


def covering(mutant: Mutant, source: str, claims: Sequence[Claimed]) -> list[Claimed]:
    """Return the claims that may notice a mutant: those that enter it first, then the fastest."""
    place = (mutant.module, mutant.unit)
    users: frozenset[Any] = frozenset()
    if not mutant.unit or any(place in item.imported for item in claims):
        # A table, or what builds tables on import: whoever uses the tables may notice.
        tables = (n for n in ast.parse(source).body if isinstance(n, ast.Assign | ast.AnnAssign))
        users = _users(mutant.names or tuple(itertools.chain(*map(assigned, tables))))
    found = [
        item
        for item in claims
        if place in item.entered or item.topic in users or not users.isdisjoint(item.entered)
    ]
    return sorted(found, key=lambda item: (place not in item.entered, item.seconds))


@functools.cache
def _users(names: tuple[str, ...]) -> frozenset[Any]:
    """Return the functions of the theory and the modules of claims that use some names."""
    users: set[Any] = set()
    for path in sorted((LIBRARY / "theory").glob("*.py")):
        for item in ast.parse(path.read_text("utf-8")).body:
            inside = isinstance(item, ast.ClassDef)
            for part in item.body if inside else [item]:
                if isinstance(part, ast.FunctionDef) and _mentions(part, names):
                    users.add((path.stem, f"{item.name}.{part.name}" if inside else part.name))
    for path in (LIBRARY / "claims" / "instruments").glob("*.py"):
        if _mentions(ast.parse(path.read_text("utf-8")), names):
            names = (*names, path.stem)
    for path in sorted((LIBRARY / "claims" / "checks").glob("*.py")):
        if _mentions(ast.parse(path.read_text("utf-8")), names):
            users.add(CHECKS_OF_CLAIMS + path.stem)
    return frozenset(users)


def _mentions(tree: ast.AST, names: tuple[str, ...]) -> bool:
    return any(getattr(node, "id", getattr(node, "attr", None)) in names for node in ast.walk(tree))


def trial(
    mutant: Mutant, source: str, claims: Sequence[Claimed], seed: int, most: float
) -> dict[str, Any]:
    """Try a mutant: check claims, within a usual time of `most` seconds, until one notices."""
    _, before, after = mutated(source, mutant)
    covered = covering(mutant, source, claims)
    spent = itertools.accumulate(item.seconds for item in covered)
    kept = [item for item, used in zip(covered, spent, strict=True) if used <= most] or covered[:1]
    outcome, claim, how, run, start = "survived", "", "", 0, time.monotonic()
    if not kept:
        outcome = "not covered"
    with _process(_attempt, mutant, kept, seed) as (process, pipe):
        for item in kept:
            if not pipe.poll(60.0 + 15.0 * item.seconds):
                outcome, claim = "timeout", item.id
                break
            try:
                said = pipe.recv()
                run += 1
            except EOFError:
                process.join()
                said = f"crash: exit code {process.exitcode}"
            if said != f"verdict: {item.verdict}":
                applies = process.exitcode != NOT_APPLICABLE
                outcome, claim, how = "killed" if applies else "not applicable", item.id, said
                break
    return {
        "module": mutant.module,
        "function": mutant.unit,
        "line": mutant.line,
        "operator": mutant.operator,
        "before": before,
        "after": after,
        "outcome": outcome,
        "claim": claim,
        "how": how,
        "claims_run": run,
        "claims_covering": len(covered),
        "seconds": round(time.monotonic() - start, 1),
    }


def score(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Count what became of some mutants."""
    outcomes = Counter(row["outcome"] for row in rows if row["outcome"] != "not applicable")
    planted = outcomes.total()
    counts = {name: outcomes[name] for name in ("killed", "timeout", "survived", "not covered")}
    return {
        "mutants": planted,
        **{name.replace(" ", "_"): count for name, count in counts.items()},
        "score": round((counts["killed"] + counts["timeout"]) / planted, 4) if planted else None,
    }


def report(
    rows: Sequence[dict[str, Any]],
    possible: dict[str, int],
    settings: dict[str, Any],
    seconds: float,
) -> dict[str, Any]:
    """Put everything into the form that is stored."""

    def parts(key: str, names: Iterable[str]) -> dict[str, dict[str, Any]]:
        return {name: score(row for row in rows if row[key] == name) for name in names}

    modules = parts("module", sorted({row["module"] for row in rows}))
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
        "total": score(rows),
        "modules": {name: {"possible": possible[name], **part} for name, part in modules.items()},
        "operators": parts("operator", OPERATORS),
        "survivors": [row for row in rows if row["outcome"] in ("survived", "not covered")],
        "trials": list(rows),
    }


def merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Put new modules in the place of old ones, and count anew."""
    if old.get("schema") != SCHEMA or old["settings"] != new["settings"]:
        return new
    kept = [row for row in old["trials"] if row["module"] not in new["modules"]]
    rows = [*kept, *new["trials"]]
    rows.sort(key=lambda row: (row["module"], row["line"], row["operator"]))
    modules = old["modules"] | new["modules"]
    possible = {name: part["possible"] for name, part in modules.items()}
    return report(rows, possible, new["settings"], old["seconds"] + new["seconds"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a campaign and store it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    names = sorted(path.stem for path in (LIBRARY / "theory").glob("[!_]*.py"))
    parser.add_argument("--modules", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--claims", nargs="+", metavar="ID", help="only these (default: all)")
    parser.add_argument("--per-module", type=int, default=20, help="mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample and of the checks")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    most = "seconds of usual time of the claims that a mutant meets (default: %(default)s)"
    parser.add_argument("--most", type=float, default=90.0, help=most)
    parser.add_argument("--output", type=Path, default=OUTPUT, help="default: %(default)s")
    given = parser.parse_args(arguments)
    sys.path.insert(0, str(ROOT))
    # Before NumPy is imported: forked processes shall compute with one thread each.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[name] = "1"
    multiprocessing.set_forkserver_preload(list(HEAVY))
    from tqdm import tqdm

    begun = time.monotonic()
    sources = {name: (LIBRARY / "theory" / f"{name}.py").read_text("utf-8") for name in names}
    possible = {name: mutants_of(name, sources[name]) for name in given.modules}
    chosen = [m for found in possible.values() for m in sample(found, given.per_module, given.seed)]
    wanted = {name: topic for name, topic in topics().items() if name in (given.claims or [name])}
    with ThreadPoolExecutor(given.jobs) as pool:
        tracing = pool.map(lambda each: traced(*each, given.seed), wanted.items())
        found = list(tqdm(tracing, "tracing", len(wanted), disable=None))
        claims = [item for item in found if item is not None]
        trying = pool.map(
            lambda each: trial(each, sources[each.module], claims, given.seed, given.most), chosen
        )
        rows = list(tqdm(trying, "mutants", len(chosen), disable=None))
    if failed := wanted.keys() - {item.id for item in claims}:
        print(f"left out, because they fail without any mutant: {sorted(failed)}", file=sys.stderr)
    settings = {name: getattr(given, name) for name in ("per_module", "seed", "most")}
    settings["claims"] = given.claims or "all"
    counts = {name: len(found) for name, found in possible.items()}
    record = report(rows, counts, settings, time.monotonic() - begun)
    if given.output.exists():
        record = merged(json.loads(given.output.read_text("utf-8")), record)
    from sublinear_lib import archives

    with archives.replacing(given.output) as place:
        place.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for row in record["survivors"]:
        print("{outcome}: {module}.py:{line} {function} [{operator}]".format(**row), end=" ")
        print(f"{row['before'][:60]} -> {row['after'][:60]}")
    for name, part in {**record["modules"], "total": record["total"]}.items():
        print(f"{name:<16} {part}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
