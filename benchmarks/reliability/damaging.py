"""Damaged files: whatever happens to the bytes, no wrong object and no strange error.

`damage` writes a file of each kind, hurts a copy of it in a random place (a bit, a byte, a block,
the end) and reads it back.  An archive, which has a checksum for every array, comes back as it was
or is refused with a `ValueError` that names the file; of JSON only the second half can be promised,
since a digit that became another digit is still a number.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import benchmarks
from benchmarks.results import stored_section
from benchmarks.settings import Row
from sublinear_lib import caching, claims, geometry, memorization
from sublinear_lib.adversary import IdentityAdversary
from sublinear_lib.claims.storing import load_evidence
from sublinear_lib.halfspace import HalfspaceIndex
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import History, SublinearAdversarialTraining


@dataclass(frozen=True)
class FileKind:
    """A kind of file that the library writes and reads, with checksums or without."""

    name: str
    checked: bool
    write: Callable[[Path], object]
    read: Callable[[Path], object]


_KEY = "ab" + "0" * 62
_PAIR = np.array([[0.0, 0.0], [1.0, 1.0]])


def _network(seed: int = 0) -> TwoLayerNetwork:
    return TwoLayerNetwork.initialize(20, 3, rng=seed, tau=0.1)


def _index() -> HalfspaceIndex:
    points = np.random.default_rng(0).standard_normal((40, 3))
    index = HalfspaceIndex(points, points[:, 0], method="tree", leaf_size=4)
    index.remove([3, 5])
    return index


def _contents(path: Path) -> object:
    """Read an index: what it answers, coordinate by coordinate, not how it is built."""
    index = HalfspaceIndex.load(path)
    axes = np.vstack((np.eye(index.d), np.zeros(index.d)))
    hits = index.query_halfspace(axes, -1e300)
    stored = index._store.points, index._store.bias
    return index.ids, index.id_bound, index.d, hits.indptr, hits.indices, *stored


def _trained(path: Path) -> History:
    trainer = SublinearAdversarialTraining(adversary=IdentityAdversary(), steps=4)
    X = geometry.sample_slice(4, 3, rng=0)
    return trainer.fit(_network(), X, np.ones(4), rng=0, checkpoint=path, checkpoint_every=2)


def _cached(path: Path) -> Path:
    cache = caching.ResultCache(path.parent)
    cache.put(_KEY, {"gap": np.arange(12.0).tolist(), "m": 64, "label": "one"})
    return cache.path(_KEY).replace(path)


def _from_cache(path: Path) -> object:
    cache = caching.ResultCache(path.parent)
    place = cache.path(_KEY)
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(path.read_bytes())
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = cache.get(_KEY)
    if found is None:
        # The cache does not raise: it says so and has the result computed anew.
        raise ValueError(
            "; ".join(str(item.message).replace(place.name, path.name) for item in seen)
        )
    return found


def _evidence(path: Path) -> None:
    stored = claims.stored_evidence("quick")
    claims.save_evidence(path, {name: stored[name] for name in list(stored)[:3]})


def _results(path: Path) -> None:
    settings = {"widths": [16], "rounds": 3}
    rows: list[Row] = [{"m": 16, "seconds": 0.25, "name": "auto"}]
    section = stored_section("How long?", "", settings, rows, 1.0, {"cores": 2})
    benchmarks.write_results(benchmarks.merged(None, {"single": section}), path)


KINDS: Mapping[str, FileKind] = {
    kind.name: kind
    for kind in (
        FileKind("network", True, lambda path: _network().save(path), TwoLayerNetwork.load),
        FileKind("index", True, lambda path: _index().save(path), _contents),
        FileKind("checkpoint", True, _trained, lambda path: _trained(path).final),
        FileKind(
            "memorizer",
            True,
            lambda path: memorization.memorize(_PAIR, np.array([1, 2]), mu=0.1).network.save(path),
            memorization.ReLUNetwork.load,
        ),
        FileKind("cached result", True, _cached, _from_cache),
        FileKind("evidence", False, _evidence, lambda path: repr(load_evidence(path))),
        FileKind("measurements", False, _results, lambda path: benchmarks.load_results(path=path)),
    )
}


def hurt(content: bytes, rng: np.random.Generator) -> bytes:
    """Damage bytes in one way out of six."""
    whole = np.frombuffer(content, dtype=np.uint8)
    place = int(rng.integers(len(whole)))
    length = int(rng.integers(1, 65))
    kind = int(rng.integers(6))
    changed = whole.copy()
    if kind == 0:
        changed[place] ^= 1 << int(rng.integers(8))
    elif kind == 1:
        changed[place] ^= int(rng.integers(1, 256))
    elif kind == 2:
        changed = changed[:place]
    elif kind == 3:
        changed[place : place + length] = 0
    elif kind == 4:
        changed = np.delete(whole, slice(place, place + length))
    else:
        changed = np.insert(whole, place, rng.integers(0, 256, length, dtype=np.uint8))
    return changed.tobytes()


def fingerprint(thing: object) -> object:
    """Return all that an object is made of, down to the last byte, in a form that can be compared.

    Examples
    --------
    >>> fingerprint({"a": np.array([0.0])}) == fingerprint({"a": np.array([-0.0])})
    False
    """
    if isinstance(thing, np.ndarray):
        return (thing.dtype.str, thing.shape, thing.tobytes())
    if thing is None or isinstance(thing, (bool, int, float, str, bytes, complex, np.generic)):
        return repr(thing)
    if isinstance(thing, dict):
        return ("dict", [(repr(key), fingerprint(value)) for key, value in thing.items()])
    if isinstance(thing, (list, tuple)):
        return (type(thing).__name__, [fingerprint(part) for part in thing])
    if isinstance(thing, (set, frozenset)):
        return ("set", sorted(map(repr, thing)))
    kind = type(thing).__qualname__
    attributes = dict(getattr(thing, "__dict__", {}))
    for owner in type(thing).__mro__:
        for name in getattr(owner, "__slots__", ()):
            if hasattr(thing, name):
                attributes[name] = getattr(thing, name)
    return (kind, fingerprint(attributes))


def damage(chunk: int, size: int, folder: Path) -> Row:
    """Damage a file many times, and read it."""
    kind = list(KINDS.values())[chunk % len(KINDS)]
    rng = np.random.default_rng(chunk)
    path = folder / "damaged"
    kind.write(path)
    whole = path.read_bytes()
    wanted = fingerprint(kind.read(path))
    counts: Counter[str] = Counter()
    findings: list[str] = []
    for number in range(size):
        hurt_bytes = hurt(whole, rng)
        path.write_bytes(hurt_bytes)
        outcome = "another error"
        try:
            found = fingerprint(kind.read(path))
            outcome = "as it was" if found == wanted else "something else"
            reason = "read as something else"
        except Exception as error:
            if isinstance(error, ValueError) and path.name in str(error):
                outcome = "refused"
            reason = f"{type(error).__name__}: {error}"
        counts[outcome] += 1
        if outcome == "another error" or (outcome == "something else" and kind.checked):
            findings.append(f"damage {number}: {reason}")
    return {
        "file": kind.name,
        "checked": kind.checked,
        "bytes": len(whole),
        "damages": size,
        **{name: counts[name] for name in OUTCOMES},
        "findings": findings,
    }


OUTCOMES = ("refused", "as it was", "something else", "another error")
