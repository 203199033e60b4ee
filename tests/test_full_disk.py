"""A full disk, a folder that cannot be written to, a damaged file: a clear word, and nothing lost.

The full disk is a limit that the system sets on the size of every file (RLIMIT_FSIZE), in a child
of this process.  Root may write to any folder, whatever its mode, so the folder that cannot be
written to is one where the system refuses to make a file.  What the readers of the files do with
thousands of damages is a campaign (``python -m benchmarks.reliability --only damage``), whose short
form is in tests/benchmarking.
"""

import errno
import os

import pytest

import benchmarks
from sublinear_lib import archives, claims
from sublinear_lib.halfspace import HalfspaceIndex
from sublinear_lib.network import TwoLayerNetwork
from tests.commands import TRAIN, python, sublinear

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("no_pictures")]

posix = pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")


@pytest.fixture
def fails(monkeypatch):
    """Let everything fail that is written from now on, with an error of the system; 0 ends it."""
    number, real = 0, os.fsync

    def fsync(descriptor):
        if number:
            raise OSError(number, os.strerror(number))
        real(descriptor)

    def fail(found):
        nonlocal number
        number = found

    monkeypatch.setattr(os, "fsync", fsync)
    return fail


FAILURES = [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO]


def network(seed=0):
    return TwoLayerNetwork.initialize(40, 3, rng=seed, tau=0.1)


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


WRITERS = {
    "network": lambda path, seed: network(seed).save(path),
    "index": lambda path, seed: HalfspaceIndex(network(seed).W).save(path),
    "arrays": lambda path, seed: archives.write_arrays(path, {"W": network(seed).W}),
    "bytes": lambda path, seed: archives.write_bytes(path, network(seed).W.tobytes()),
    "evidence": lambda path, seed: claims.save_evidence(path, claims.stored_evidence("quick")),
    "measurements": lambda path, seed: benchmarks.write_results(benchmarks.load_results(), path),
}


@pytest.mark.parametrize("number", FAILURES)
@pytest.mark.parametrize("kind", WRITERS)
def test_a_failed_write_names_the_file_and_leaves_the_older_one(fails, tmp_path, kind, number):
    path = tmp_path / "file"
    path.write_bytes(b"older")
    fails(number)
    with pytest.raises(OSError, match=r"file'$") as caught:
        WRITERS[kind](path, 1)
    assert caught.value.errno == number
    assert caught.value.filename == str(path)
    assert contents(tmp_path) == {"file": b"older"}
    fails(0)
    WRITERS[kind](path, 1)
    assert path.read_bytes() != b"older"


def test_whether_a_file_could_be_written_is_found_out_without_a_trace(fails, tmp_path):
    path = tmp_path / "file"
    archives.check_writable(path)
    path.write_bytes(b"older")
    archives.check_writable(path)
    assert contents(tmp_path) == {"file": b"older"}
    with pytest.raises(IsADirectoryError):
        archives.check_writable(tmp_path)
    with pytest.raises(FileNotFoundError):
        archives.check_writable(tmp_path / "nowhere" / "file")
    fails(errno.ENOSPC)
    with pytest.raises(OSError, match=r"No space left on device: '.*file'"):
        archives.check_writable(path)
    assert contents(tmp_path) == {"file": b"older"}


def test_a_training_run_that_meets_a_full_disk_goes_on_when_there_is_room(fails, tmp_path):
    out = str(tmp_path / "run")
    assert sublinear(*TRAIN, "20", "--out", out).exit_code == 0
    before = contents(tmp_path)
    fails(errno.ENOSPC)
    failed = sublinear(*TRAIN, "40", "--out", out)
    assert failed.exit_code == 1
    assert "No space left on device" in failed.output
    assert "settings.json" in failed.output
    assert "Traceback" not in failed.output
    assert contents(tmp_path) == before
    fails(0)
    assert sublinear(*TRAIN, "40", "--out", out).exit_code == 0


@pytest.mark.parametrize(
    "asked",
    [
        ("verify", "--quiet", "--json", "found.json"),
        ("verify", "--quiet", "--store"),
        ("bench", "halfspace", "--quick", "--output", "times.json"),
    ],
)
def test_a_command_says_before_it_begins_that_it_cannot_store(fails, few_claims, asked):
    fails(errno.EROFS)
    failed = sublinear(*(str(few_claims / each) if "." in each else each for each in asked))
    assert failed.exit_code == 1
    assert "Read-only file system" in failed.output
    assert "checked" not in failed.output, "nothing was begun"
    assert contents(few_claims) == {}


def test_a_verification_whose_disk_fills_up_shows_what_it_found(fails, few_claims, monkeypatch):
    check = archives.check_writable
    monkeypatch.setattr(archives, "check_writable", lambda path: (check(path), fails(errno.ENOSPC)))
    failed = sublinear("verify", "--quiet", "--json", str(few_claims / "found.json"))
    assert failed.exit_code == 1
    assert "4 checked" in failed.output
    assert "No space left on device" in failed.output
    assert "found.json" in failed.output


def test_a_verification_with_a_cache_on_a_full_disk_is_only_slower(fails, few_claims):
    (few_claims / "cache").mkdir()
    fails(errno.ENOSPC)
    with pytest.warns(UserWarning, match="no longer stored.*No space left"):
        found = sublinear("verify", "--quiet", "--cache", str(few_claims / "cache"))
    assert "4 checked" in found.output


def test_a_benchmark_whose_disk_fills_up_prints_what_it_measured(fails, tmp_path, monkeypatch):
    stored = benchmarks.load_results()
    output = tmp_path / "times.json"
    benchmarks.write_results(stored, output)

    def measured(name, settings, sections, *, finished, **more):
        fails(errno.ENOSPC)
        finished(stored)
        return stored

    monkeypatch.setattr(benchmarks, "run", measured)
    before = contents(tmp_path)
    failed = sublinear("bench", "halfspace", "--only", "single", "--output", str(output))
    assert failed.exit_code == 1
    assert str(benchmarks.section_tables(stored, "single")[0]) in failed.output
    assert "not stored" in failed.output
    assert "No space left on device" in failed.output
    assert contents(tmp_path) == before


def assert_refused(result, path, reason):
    assert result.exit_code == 1
    assert path.name in result.output
    assert reason in result.output
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)


@pytest.fixture
def run(tmp_path, no_pictures):
    out = tmp_path / "run"
    assert sublinear(*TRAIN, "20", "--out", str(out)).exit_code == 0
    return out


def test_training_names_a_damaged_checkpoint_and_the_one_before_it(run):
    path = run / "checkpoint.npz"
    whole = path.read_bytes()
    path.write_bytes(b"weights")
    result = sublinear(*TRAIN, "30", "--out", str(run))
    assert_refused(result, path, "it is not an .npz archive")
    assert "checkpoint.npz.previous" in result.output
    assert path.read_bytes() == b"weights"
    path.write_bytes(whole)
    assert sublinear(*TRAIN, "30", "--out", str(run)).exit_code == 0


@pytest.mark.parametrize(
    "asked",
    [("verify", "--stale"), ("verify", "--store", "--quiet"), ("claims", "show", "lem-a.1")],
)
def test_damaged_evidence_is_named_and_kept(few_claims, asked):
    evidence = few_claims / "quick.json"
    evidence.write_text("{")
    assert_refused(sublinear(*asked), evidence, "is not a file of evidence")
    assert evidence.read_text() == "{"


LIMITED = """
import resource, signal, sys
from pathlib import Path
import numpy as np
from sublinear_lib import archives
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
path, large = Path(sys.argv[1]), np.arange(40_000.0)
for write in (
    lambda: archives.write_arrays(path, {"large": large}),
    lambda: archives.write_bytes(path, large.tobytes()),
):
    try:
        write()
    except OSError as error:
        print(error)
"""


@posix
def test_files_that_the_system_cuts_off_are_never_left_behind(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"older")
    run = python(LIMITED, path)
    lines = run.stdout.splitlines()
    assert len(lines) == 2
    assert all(line.endswith(f"File too large: '{path}'") for line in lines)
    assert run.stderr == ""
    assert contents(tmp_path) == {"file": b"older"}
