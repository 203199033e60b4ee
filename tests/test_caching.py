"""A stored result comes back as it was, and never for another question."""

import importlib.util
import io
import os
import sys
import textwrap
from fractions import Fraction
from functools import partial
from pathlib import Path

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import caching, statistics
from sublinear_lib.caching import ResultCache, digest
from sublinear_lib.statistics import SweepError
from tests.commands import python

sweep = partial(statistics.sweep, progress=False)

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.fractions()
    | st.text(max_size=5)
    | st.sampled_from([np.float64(0.5), np.int32(3), np.bool_(True), np.str_("tau"), -0.0])
    | arrays.arrays(st.sampled_from(["f8", "f4", "i4", "?", "c16", "U3"]), arrays.array_shapes())
)
RESULTS = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
    ),
    max_leaves=6,
)


def same(one, two):
    if type(one) is not type(two):
        return False
    if isinstance(one, dict):
        return list(one) == list(two) and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, np.ndarray | np.generic):
        return one.dtype == two.dtype and one.shape == two.shape and one.tobytes() == two.tobytes()
    return repr(one) == repr(two)


@settings(deadline=None, max_examples=60)
@given(RESULTS)
def test_a_result_comes_back_with_its_types(tmp_path_factory, result):
    cache = ResultCache(tmp_path_factory.mktemp("cache"))
    cache.put("ab", {"result": result})
    assert same(cache.get("ab"), {"result": result})


def test_exact_numbers_of_any_length_come_back(tmp_path):
    """Python refuses to write integers of more than 4300 decimal digits."""
    cache = ResultCache(tmp_path)
    result = {"count": -(7**6000), "share": Fraction(-1, 3**10000), 3**10000: 0}
    cache.put("ab", result)
    assert cache.get("ab") == result
    assert digest(7**6000, Fraction(1, 3**10000)) != digest(7**6000 + 1, Fraction(1, 3**10000))


@pytest.mark.parametrize("bad", [{1, 2}, np.array([None]), object(), [lambda: 0], st])
def test_what_cannot_come_back_is_refused(tmp_path, bad):
    with pytest.raises(TypeError, match="stored result"):
        ResultCache(tmp_path).put("ab", {"result": bad})
    with pytest.raises(TypeError, match="stored result must not be None"):
        ResultCache(tmp_path).put("ab", None)
    assert not any(tmp_path.rglob("*.npz"))


def damaged(content):
    middle = len(content) // 2
    flipped = bytearray(content)
    flipped[middle] ^= 1
    pickled = io.BytesIO()
    np.savez(pickled, tree=np.array([{}], dtype=object))
    return [b"", b"nothing", content[:middle], bytes(flipped), pickled.getvalue()]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", range(5))
def test_a_damaged_file_is_named_and_not_used(tmp_path, kind):
    first = sweep(draw, {"m": [1]}, 1, root_seed=0, cache=tmp_path)
    (path,) = tmp_path.rglob("*.npz")
    path.write_bytes(damaged(path.read_bytes())[kind])
    with pytest.warns(UserWarning, match=rf"{path.name}.*computed anew"):
        again = sweep(draw, {"m": [1]}, 1, root_seed=0, cache=tmp_path)
    assert same(again, first)
    assert ResultCache(tmp_path).get(path.stem) is not None


def test_a_file_under_another_name_is_not_used(tmp_path):
    cache = ResultCache(tmp_path)
    cache.put("ab", {"x": 1})
    cache.path("ab").rename(cache.path("abc"))
    with pytest.warns(UserWarning, match="something else"):
        assert cache.get("abc") is None


def test_a_folder_that_cannot_be_used_is_an_error_before_anything_is_computed(
    tmp_path, monkeypatch
):
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        sweep(fails, {}, 1, root_seed=0, cache=tmp_path / "file")
    # The superuser may write anywhere, so the answer of the system is planted.
    monkeypatch.setattr(os, "access", lambda *unused: False)
    with pytest.raises(PermissionError, match="cannot be written"):
        sweep(fails, {}, 1, root_seed=0, cache=tmp_path)
    with pytest.raises(TypeError, match="folder"):
        ResultCache(3)


# what a digest depends on


def module(folder, name, source):
    """Make a module from source, as an edited file would be imported anew."""
    path = folder / f"{name}.py"
    path.write_text(textwrap.dedent(source))
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        spec.loader.exec_module(made)
    finally:
        sys.dont_write_bytecode = before
    return made


SOURCE = """
    import math
    SCALE = 2.0
    def helper(x):
        return math.sqrt(x) * SCALE
    def other(x):
        return x
    scale = 1
    def make(scale):
        return lambda rng: rng.scale(scale)
    made = make(2)
    def tries(m, rng):
        try: rng(m); rng(2)
        except ValueError: return 0
    def work(m, rng, power=1):
        return helper(m) ** power + made(rng) + tries(m, rng)
    """


def digest_of(folder, source):
    try:
        return digest(module(folder, "a_module_of_the_user", source).work)
    finally:
        del sys.modules["a_module_of_the_user"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("make(2)", "make(3)"),  # an enclosed value, though a global one has its name
        ("try: rng(m); rng(2)", "rng(m)\n        try: rng(2)"),
        ("** power", "* power"),
        ("power=1", "power=2"),
        ("math.sqrt", "math.exp"),
        ("SCALE = 2.0", "SCALE = 3.0"),
        ("helper(m)", "other(m)"),
    ],
)
def test_the_code_of_a_function_and_what_it_uses_decide(tmp_path, old, new):
    changed = SOURCE.replace(old, new)
    assert changed != SOURCE
    assert digest_of(tmp_path, changed) != digest_of(tmp_path, SOURCE)


def test_what_a_function_does_not_use_does_not_decide(tmp_path):
    moved = "\n\n# a remark\n" + textwrap.dedent(SOURCE).replace("return x\n", "return -x\n")
    assert digest_of(tmp_path, moved) == digest_of(tmp_path, SOURCE)


def test_an_installed_module_without_a_version_goes_by_its_file(tmp_path):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    found = set()
    for number in (1, 2):
        used = module(folder, "a_package_of_the_user", f"VALUE = {number}")
        try:
            found.add(digest(lambda rng, used=used: used.VALUE))
        finally:
            del sys.modules["a_package_of_the_user"]
    assert len(found) == 2


def test_enclosed_values_decide():
    def make(value):
        return lambda rng: value

    values = [1, 1.0, True, "1", None, np.array([1.0]), np.array([[1.0]]), np.float32(1), (1,), [1]]
    values += [{"a": 1}, {1: "a"}, Fraction(1), frozenset([1]), make(3), partial(draw, m=1)]
    values += [partial(draw, m=2), np.random.SeedSequence(1), np.random.SeedSequence(2), np.sin]
    values += [lambda m, rng: m + 1, lambda m, rng: m + 2]
    assert len({digest(make(value)) for value in values}) == len(values)
    assert digest(make(np.arange(3.0))) == digest(make(np.arange(3.0)))


@pytest.mark.parametrize("bad", [object(), np.random.default_rng(0), np.array([None]), {}.get])
def test_what_cannot_be_compared_is_named(bad):
    with pytest.raises(TypeError, match=r"uses 'bad'"):
        digest(lambda rng: bad)


def test_recursive_functions_have_a_digest():
    def one(x):
        return 1 if x == 0 else two(x - 1)

    def two(x):
        return one(x)

    assert digest(one) != digest(two)


def test_kernels_and_the_source_of_the_library_decide(monkeypatch):
    found = {digest(1)}
    for name in ("SUBLINEAR_NUMBA", "SUBLINEAR_VECTOR"):
        with monkeypatch.context() as patch:
            patch.setenv(name, "0")
            found.add(digest(1))
    monkeypatch.setattr(caching, "_library", lambda: "edited")
    assert len(found | {digest(1)}) == 4


def test_another_process_finds_the_same_digest():
    code = (
        "from sublinear_lib.caching import digest\n"
        "print(digest({'a': {1, 'b', 'c'}}, frozenset('xyz'), (1.5, None)))"
    )
    expected = digest({"a": {1, "b", "c"}}, frozenset("xyz"), (1.5, None))
    assert python(code, PYTHONHASHSEED="7").stdout.strip() == expected


# sweeps that go on


def draw(m, rng):
    return {"z": rng.normal(size=m), "shape": (m, None), "label": f"{m}"}


def fails(rng):
    raise AssertionError("must not be called")


def counted(m, folder, rng):
    with open(Path(folder) / f"{m}", "a") as file:
        file.write("x")
    if (Path(folder) / "stop").exists() and m == 3:
        raise KeyboardInterrupt
    return {"z": rng.normal(size=3), "pair": (m, np.float32(m))}


def calls(folder):
    return {int(path.name): path.stat().st_size for path in folder.iterdir() if path.stem != "stop"}


def test_an_interrupted_sweep_goes_on(tmp_path):
    folder, cache = tmp_path / "calls", tmp_path / "cache"
    folder.mkdir()
    (folder / "stop").touch()
    grid = {"m": range(6), "folder": [str(folder)]}
    with pytest.raises(KeyboardInterrupt):
        sweep(counted, grid, 1, root_seed=5, cache=cache)
    (folder / "stop").unlink()
    records = sweep(counted, grid, 1, root_seed=5, cache=cache)
    assert calls(folder) == {0: 1, 1: 1, 2: 1, 3: 2, 4: 1, 5: 1}
    again = sweep(counted, grid, 1, root_seed=5, n_jobs=2, cache=cache)
    assert sum(calls(folder).values()) == 7
    plain = sweep(counted, grid, 1, root_seed=5)
    assert same(records, plain)
    assert same(again, plain)


def test_another_seed_or_parameter_is_computed(tmp_path):
    grid = {"m": [1, 2]}
    first = sweep(draw, grid, 2, root_seed=5, cache=tmp_path)
    other = sweep(draw, grid, 2, root_seed=6, cache=tmp_path)
    assert not same(first, other)
    longer = sweep(draw, {"m": [1, 2, 3]}, 3, root_seed=5, cache=tmp_path)
    assert len(list(tmp_path.rglob("*.npz"))) == 4 + 4 + 5
    assert same(longer, sweep(draw, {"m": [1, 2, 3]}, 3, root_seed=5))


@pytest.mark.parametrize("other", [3, [1.0], {"outcome": 3}])
def test_a_result_that_is_none_of_a_sweep_is_computed_anew(tmp_path, other):
    first = sweep(draw, {"m": [1]}, 1, root_seed=5, cache=tmp_path)
    (path,) = tmp_path.rglob("*.npz")
    ResultCache(tmp_path).put(path.stem, other)
    with pytest.warns(UserWarning, match="none of a sweep; it is computed anew"):
        again = sweep(draw, {"m": [1]}, 1, root_seed=5, cache=tmp_path)
    assert again == first


def test_a_result_that_cannot_be_stored_names_its_cell(tmp_path):
    with pytest.raises(SweepError, match="m=1, seed=0 failed: TypeError: a stored result"):
        sweep(lambda m, rng: {"a": {1}}, {"m": [1]}, 1, root_seed=0, cache=tmp_path)
