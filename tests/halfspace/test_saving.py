"""An index comes back from its file, its pickle and its copy as it was."""

from __future__ import annotations

import os

import numpy as np
import pytest

from sublinear_lib.halfspace import HalfspaceIndex, saving
from tests.halfspace.oracle import SLICE_ENGINE_IDS, SLICE_ENGINES, made

every_engine = pytest.mark.parametrize(("method", "kernels"), SLICE_ENGINES, ids=SLICE_ENGINE_IDS)


def changed(index):
    """Give an index a history, after which ids are not rows and some rows are dead."""
    rng = np.random.default_rng(1)
    m, d = len(index), index.d
    bias = rng.standard_normal(100) if index._store.biased else None
    index.insert(rng.standard_normal((100, d)), bias)
    index.remove(index.ids[: m // 2 + 101])
    index.remove(index.ids[-3:])
    index.update(index.ids[:5], rng.standard_normal((5, d)))
    return index


def behavior(index, normals):
    hits = index.query_halfspace(normals, 0.5)
    return (
        hits.indptr.tolist(),
        hits.indices.tolist(),
        index.ids.tolist(),
        index.id_bound,
        len(index),
        index.d,
    )


@every_engine
@pytest.mark.parametrize("biased", [True, False])
def test_a_saved_index_comes_back_with_its_ids_and_answers(method, kernels, biased, tmp_path):
    index, normals = made(400, 3, 30, method, kernels, biased=biased)
    for step in ("new", "changed"):
        if step == "changed":
            changed(index)
        path = tmp_path / f"{step}.index"
        index.save(path)
        assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []
        loaded = HalfspaceIndex.load(str(path), kernels=kernels)
        assert behavior(loaded, normals) == behavior(index, normals)
        assert loaded.stats().kernels == index.stats().kernels
        if method != "auto":
            assert loaded.stats().engine == method
        with pytest.raises(ValueError, match="slice"):
            loaded.query_halfspace(normals * 2.0, 0.0)
        # They also go on alike.
        for one in (index, loaded):
            ids = one.insert(np.ones((2, 3)), np.ones(2) if biased else None)
            assert ids.tolist() == [one.id_bound - 2, one.id_bound - 1]
            one.remove(one.ids[::2])
        assert behavior(loaded, normals) == behavior(index, normals)


def test_an_emptied_index_keeps_its_next_id(tmp_path):
    index = HalfspaceIndex(np.ones((3, 2)))
    index.remove([0, 1, 2])
    index.save(tmp_path / "empty")
    loaded = HalfspaceIndex.load(tmp_path / "empty")
    assert (len(loaded), loaded.d) == (0, 2)
    assert loaded.insert([[1.0, 1.0]]).tolist() == [3]
    assert loaded.query_halfspace([[1.0, 1.0]], 0.0)[0].tolist() == [3]


def test_the_file_is_plain_arrays_and_says_what_it_is(tmp_path):
    index, _ = made(400, 3, 30, leaf_size=7)
    index.save(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as archive:
        assert archive["format"] == "sublinear_lib.halfspace.HalfspaceIndex"
        assert archive["version"] == saving.VERSION == 1
        assert archive["points"].tobytes() == index._store.points.tobytes()
        assert archive["leaf_size"] == 7
        assert archive["domain"] == "slice"


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    index, normals = made(400, 3, 30)
    index.save(tmp_path / "a")
    wanted = behavior(index, normals)
    changed(index)

    def full(*arguments):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        index.save(tmp_path / "a")
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert behavior(HalfspaceIndex.load(tmp_path / "a"), normals) == wanted
    with pytest.raises(FileNotFoundError):
        index.save(tmp_path / "nowhere" / "a")
    with pytest.raises(ValueError, match=r"^kernels must be"):
        HalfspaceIndex.load(tmp_path / "a", kernels="cuda")


GOOD = {
    "format": np.array(saving.FORMAT),
    "version": np.array(1),
    "points": np.ones((3, 2)),
    "biased": np.array(True),
    "bias": np.zeros(3),
    "ids": np.array([1, 4, 6]),
    "next_id": np.array(9),
    "method": np.array("auto"),
    "domain": np.array(""),
    "leaf_size": np.array(64),
}


@pytest.mark.parametrize(
    ("entry", "value", "reason"),
    [
        ("format", None, "it was not written by HalfspaceIndex.save"),
        ("version", np.array(2), "it has version 2 of the format, .* up to version 1: update"),
        *((name, None, f"the entry '{name}' is missing") for name in saving._NEEDED),
        ("points", np.ones(3), r"make no index: points must have shape \(m, d\)"),
        ("points", np.full((3, 2), np.nan), "make no index: points .* nan"),
        ("points", np.ones((3, 2), dtype=bool), "make no index: points must contain real numbers"),
        ("points", np.ones((3, 0)), "make no index: points must have at least 1"),
        ("bias", np.zeros(4), r"make no index: bias must have shape \(3,\)"),
        ("biased", np.array(1), "make no index: biased must be True or False"),
        ("ids", np.array([1, 4]), "make no index: ids must be as many as the points, 3, got 2"),
        ("ids", np.array([1, 4, 4]), "make no index: ids must ascend"),
        ("ids", np.array([4, 1, 6]), "make no index: ids must ascend"),
        ("ids", np.array([1, 4, 9]), "make no index: ids must contain indices >= 0 and < 9"),
        ("ids", np.array([1.0, 4.0, 6.0]), "make no index: ids must contain integers"),
        ("next_id", np.array(-1), "make no index: next_id must be an integer >= 0"),
        ("next_id", np.array(2**31), "make no index: points must number at most"),
        ("next_id", np.array(9.0), "make no index: next_id must be an integer"),
        ("method", np.array("kd"), "make no index: method must be one of"),
        ("method", np.array("cap"), "make no index: domain must be 'slice'"),
        ("domain", np.array("ball"), "make no index: domain must be one of"),
        ("leaf_size", np.array(0), "make no index: leaf_size must be an integer >= 1"),
        ("points", np.array([None, 1], dtype=object), "it holds pickled objects"),
    ],
)
def test_a_file_that_is_no_index_is_refused_with_its_name_and_the_reason(
    entry, value, reason, tmp_path
):
    np.savez(tmp_path / "a.npz", **GOOD)
    assert HalfspaceIndex.load(tmp_path / "a.npz").ids.tolist() == [1, 4, 6]
    contents = {key: item for key, item in GOOD.items() if key != entry}
    if value is not None:
        contents[entry] = value
    np.savez(tmp_path / "a.npz", **contents)
    with pytest.raises(ValueError, match=rf"cannot load an index from '.*a\.npz': .*{reason}"):
        HalfspaceIndex.load(tmp_path / "a.npz")


def test_a_truncated_or_damaged_file_is_refused(tmp_path):
    index, normals = made(50, 3, 30)
    path = tmp_path / "a"
    index.save(path)
    whole, wanted = path.read_bytes(), behavior(index, normals)
    for length in (0, 3, 4, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"cannot load an index from .*: (it|the file) is"):
            HalfspaceIndex.load(path)
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(whole), 300):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        try:
            loaded = HalfspaceIndex.load(path)
        except ValueError as error:
            assert "cannot load an index from" in str(error)
        else:  # a bit that means nothing, such as a time stamp
            assert behavior(loaded, normals) == wanted
