"""A stored result comes back as it was, and never for another question."""

import os
from pathlib import Path

import joblib
import numpy as np
import pytest

from sublinear_lib import caching
from sublinear_lib.caching import ResultCache, digest
from sublinear_lib.statistics import sweep
from tests.commands import python

RESULT = {"verdict": "holds", "found": [0.1, -0.0, 5e-324, 2**70, True, None], "τ": {"a": "b"}}


def test_a_result_comes_back_to_the_bit_or_is_refused(tmp_path):
    cache = ResultCache(tmp_path)
    cache.put("ab", RESULT)
    assert repr(ResultCache(tmp_path).get("ab")) == repr(RESULT)
    assert cache.get("abc") is None
    with pytest.raises(TypeError, match="must not be None"):
        cache.put("cd", None)
    with pytest.raises(TypeError, match="JSON serializable"):
        cache.put("cd", {"z": np.arange(3)})
    assert len(list(tmp_path.rglob("*.json"))) == 1


@pytest.mark.parametrize("kind", range(5))
def test_a_damaged_file_or_one_under_another_name_is_named_and_not_used(tmp_path, kind):
    cache = ResultCache(tmp_path)
    cache.put("ab", RESULT)
    path = cache.path("ab")
    content = path.read_bytes()
    place = content.index(b"0.1")
    flipped = content[:place] + b"0.2" + content[place + 3 :]
    damaged = [b"", b"nothing", content[:place], flipped, content]
    key = "abc" if damaged[kind] is content else "ab"
    cache.path(key).write_bytes(damaged[kind])
    with pytest.warns(UserWarning, match=rf"{key}\.json.*something else.*computed anew"):
        assert cache.get(key) is None
    cache.put(key, RESULT)
    assert cache.get(key) == RESULT


def test_a_folder_that_cannot_be_used_is_an_error_at_once(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        ResultCache(tmp_path / "file")
    # The superuser may write anywhere, so the answer of the system is planted.
    monkeypatch.setattr(os, "access", lambda *unused: False)
    with pytest.raises(PermissionError, match="cannot be written"):
        ResultCache(tmp_path)
    with pytest.raises(TypeError, match="folder"):
        ResultCache(3)


def test_parts_kernels_and_the_source_of_the_library_decide(monkeypatch):
    found = {digest(*parts) for parts in ((1,), (1.0,), ("1",), (True,), ([1],), (1, 1))}
    for name in ("SUBLINEAR_NUMBA", "SUBLINEAR_VECTOR"):
        with monkeypatch.context() as patch:
            patch.setenv(name, "0")
            found.add(digest(1))
    found.add(digest(1))
    monkeypatch.setattr(caching, "_library", lambda: "edited")
    assert len(found | {digest(1)}) == 6 + 2 + 1


def test_another_process_finds_the_same_digest():
    code = "from sublinear_lib.caching import digest\nprint(digest('gap', [1.5, None], {'a': 1}))"
    expected = digest("gap", [1.5, None], {"a": 1})
    assert python(code, PYTHONHASHSEED="7").stdout.strip() == expected


def counted(m, folder, rng):
    with open(Path(folder) / f"{m}", "a") as file:
        file.write("x")
    if (Path(folder) / "stop").exists() and m == 3:
        raise KeyboardInterrupt
    return {"z": rng.normal(size=3), "pair": (m, np.float32(m))}


def test_a_sweep_of_a_function_that_joblib_remembers_goes_on(tmp_path):
    folder = tmp_path / "calls"
    folder.mkdir()
    (folder / "stop").touch()
    kept = joblib.Memory(tmp_path / "kept", verbose=0).cache(counted)
    grid = {"m": range(6), "folder": [str(folder)]}
    with pytest.raises(KeyboardInterrupt):
        sweep(kept, grid, 1, root_seed=5, progress=False)
    (folder / "stop").unlink()
    found = [sweep(kept, grid, 1, root_seed=5, n_jobs=jobs, progress=False) for jobs in (1, 2)]
    calls = {int(path.name): path.stat().st_size for path in folder.iterdir()}
    assert calls == {0: 1, 1: 1, 2: 1, 3: 2, 4: 1, 5: 1}
    plain = sweep(counted, grid, 1, root_seed=5, progress=False)
    other = sweep(kept, grid, 1, root_seed=6, progress=False)
    for records in found:
        assert [list(row["z"]) for row in records] == [list(row["z"]) for row in plain]
    assert list(other[0]["z"]) != list(plain[0]["z"])
