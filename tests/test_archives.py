"""Promises of the files of the library: whole or untouched, plain arrays, reasons with names."""

import contextlib
import io
import os
import pickle
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sublinear_lib import archives
from tests.commands import ROOT, python


def refusal(reason):
    return ValueError(f"path must name an archive, {reason}")


@pytest.mark.parametrize("error", [None, RuntimeError, KeyboardInterrupt])
def test_a_file_takes_its_place_when_the_block_ends_well_and_only_then(tmp_path, error):
    target = tmp_path / "file.txt"
    target.write_text("old")
    failing = pytest.raises(error) if error else contextlib.nullcontext()
    with failing, archives.replacing(target) as beside:
        assert beside.parent == tmp_path and not beside.exists()
        beside.write_text("new")
        assert target.read_text() == "old"
        if error:
            raise error
    assert target.read_text() == ("old" if error else "new")
    assert os.listdir(tmp_path) == ["file.txt"]


def test_two_writers_of_one_file_do_not_meet(tmp_path):
    target = tmp_path / "file.txt"
    with archives.replacing(target) as one, archives.replacing(target) as other:
        assert one != other
        one.write_text("one")
        other.write_text("other")
    assert target.read_text() == "one"  # the block that ended last
    assert os.listdir(tmp_path) == ["file.txt"]


def test_an_archive_of_another_format_or_a_newer_version_is_refused():
    def check(**entries):
        contents = {name: np.array(value) for name, value in entries.items()}
        archives.check_format(contents, "notes", 3, writer="a pen", refuse=refusal)

    for version in (1, 3, np.uint8(2)):
        check(format="notes", version=version)
    for other in ({}, {"version": 1}, {"format": "letters", "version": 1}, {"format": ["notes"]}):
        with pytest.raises(ValueError, match="it was not written by a pen"):
            check(**other)
    for version in (0, -1, 1.0, True, "1", [1]):
        with pytest.raises(ValueError, match="it does not say which version of the format it has"):
            check(format="notes", version=version)
    with pytest.raises(ValueError, match="it does not say which version"):
        check(format="notes")
    with pytest.raises(ValueError, match="version 4 of the format, this library reads up to"):
        check(format="notes", version=4)


def test_an_archive_has_the_bytes_that_numpy_writes_under_exactly_the_name_that_was_given(tmp_path):
    contents = {
        "floats": np.array([np.nan, -0.0, 5e-324]),
        "columns first": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "part": np.arange(10)[::3],
        "empty": np.empty((0, 3), dtype=np.int32),
        "number": np.float32(0.5),
        "text": np.array("a name"),
    }
    target = tmp_path / "no suffix"
    archives.write_arrays(target, contents)
    assert os.listdir(tmp_path) == ["no suffix"]
    with open(tmp_path / "theirs", "wb") as file:
        np.savez(file, **contents)
    assert target.read_bytes() == (tmp_path / "theirs").read_bytes()
    assert target.stat().st_mode == (tmp_path / "theirs").stat().st_mode
    with open(target, "rb") as file:
        found = archives.read_arrays(file, refusal)
    assert found.keys() == contents.keys()
    assert [array.dtype for array in found.values()] == [a.dtype for a in contents.values()]
    for name, array in contents.items():
        assert_array_equal(found[name], array)


def test_objects_are_not_written_at_all(tmp_path):
    target = tmp_path / "file.npz"
    target.write_text("old")
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        archives.write_arrays(target, {"x": np.zeros(2), "y": np.array([{"a": 1}], dtype=object)})
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["file.npz"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"PK", "it is not an .npz archive"),
        (b"something else", "it is not an .npz archive"),
        (b"PK\x03\x04 and no more", "corrupt"),
    ],
)
def test_what_is_no_archive_is_refused_with_the_reason(content, reason):
    with pytest.raises(ValueError, match=reason):
        archives.read_arrays(io.BytesIO(content), refusal)


def test_an_entry_that_the_table_of_contents_calls_empty_is_refused(tmp_path):
    target = tmp_path / "file"
    archives.write_arrays(target, {"x": np.arange(3.0), "y": np.arange(2)})
    content = bytearray(target.read_bytes())
    entry = content.index(b"PK\x01\x02")
    content[entry + 16 : entry + 28] = bytes(12)  # checksum and both sizes of the first entry
    with pytest.raises(ValueError, match=r"corrupt .the entry 'x' is no array"):
        archives.read_arrays(io.BytesIO(bytes(content)), refusal)


@pytest.mark.parametrize("method", [8, 12, 14, 93, 99])
def test_an_entry_that_is_called_compressed_and_is_not_is_refused(tmp_path, method):
    """Each method has an error of its own; that of 14 comes after 20 kB only."""
    target = tmp_path / "file"
    archives.write_arrays(target, {"x": np.arange(4000.0)})
    content = bytearray(target.read_bytes())
    entry = content.rindex(b"PK\x01\x02")
    content[entry + 10] = method
    with pytest.raises(ValueError, match=r"path must name an archive, .*corrupt"):
        archives.read_arrays(io.BytesIO(bytes(content)), refusal)


def test_no_other_reader_of_pickles_is_called_anywhere():
    """Ruff (S301, S307) knows those of Python itself; NumPy, joblib and torch have their own."""
    reader = re.compile(r"\b(np|numpy|joblib|torch|cloudpickle)[.]loads?[(]|read_pickle|__import__")
    sources = [
        path
        for folder in ("sublinear_lib", "tools", "benchmarks", "book")
        for path in (ROOT / folder).rglob("*.py")
    ]
    found = {
        (path.name, line.strip())
        for path in sources
        for line in path.read_text(encoding="utf-8").splitlines()
        if reader.search(line)
    }
    assert found == {("archives.py", "with np.load(file, allow_pickle=False) as archive:")}


def test_foreign_files_are_refused_and_nothing_in_them_is_executed(tmp_path):
    class Bomb:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "executed"),)

    np.savez(tmp_path / "objects.npz", x=np.array([Bomb()], dtype=object))
    (tmp_path / "pickle").write_bytes(pickle.dumps(Bomb()))
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("hello.txt", "hello")
    for name, reason in (
        ("objects.npz", "pickled objects"),
        ("pickle", "not an .npz archive"),
        ("other.zip", "the entry 'hello.txt' is no array"),
    ):
        with open(tmp_path / name, "rb") as file, pytest.raises(ValueError, match=reason):
            archives.read_arrays(file, refusal)
    assert not (tmp_path / "executed").exists()


def test_an_archive_that_expands_is_refused_before_its_entries_are_read(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "bomb.npz", x=np.zeros(10**6))
    monkeypatch.setattr(np.lib.npyio.NpzFile, "__getitem__", lambda *_: pytest.fail("was read"))
    with (
        open(tmp_path / "bomb.npz", "rb") as file,
        pytest.raises(ValueError, match=r"its entries expand to 8000128 bytes, more than the file"),
    ):
        archives.read_arrays(file, refusal)


@pytest.mark.skipif(os.name != "posix", reason="needs modes and links")
def test_saving_keeps_the_mode_of_a_file_and_writes_the_target_of_a_link(tmp_path):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "file", tmp_path / "link"
    archives.write_bytes(target, b"old")
    target.chmod(0o600)
    link.symlink_to(Path("folder") / "file")
    archives.write_bytes(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(tmp_path)) == ["folder", "link"]
    assert os.listdir(tmp_path / "folder") == ["file"]


@pytest.mark.skipif(os.name != "posix", reason="asks whether a process is alive")
def test_what_a_killed_process_left_is_removed_at_the_next_save(tmp_path):
    target = tmp_path / "file"
    script = (
        "import os, sys; from sublinear_lib import archives\n"
        "with archives.replacing(sys.argv[1]) as beside:\n"
        "    beside.write_text('half'); os.kill(os.getpid(), 9)\n"
    )
    python(script, target, check=False)
    (left,) = os.listdir(tmp_path)
    (tmp_path / ".file.notes").touch()
    archives.write_bytes(tmp_path / "other", b"")
    assert left in os.listdir(tmp_path), "it belongs to another file"
    with archives.replacing(target) as beside:
        beside.write_text("a living writer")
        archives.write_bytes(target, b"whole")
        assert sorted(os.listdir(tmp_path)) == sorted([".file.notes", beside.name, "file", "other"])
