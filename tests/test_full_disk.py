"""A disk that is full, a folder that cannot be written to: a clear word, and nothing lost.

The full disk is a limit that the system sets on the size of every file (RLIMIT_FSIZE), in a child
of this process; where a small file system can be mounted, which asks for rights that few tests
have, the same is tried on one that is full in truth.  Root may write to any folder, whatever its
mode, so the folder that cannot be written to is one where the system refuses to make a file.
"""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import benchmarks
import sublinear_lib
from sublinear_lib import archives, claims, runs
from sublinear_lib.caching import ResultCache
from sublinear_lib.cli import main
from sublinear_lib.halfspace import HalfspaceIndex
from sublinear_lib.network import TwoLayerNetwork
from tests.claims.statements import small_ledger

pytestmark = pytest.mark.thorough

posix = pytest.mark.skipif(os.name == "nt", reason="limits and mounts of POSIX")
TRAIN = ["train", "--data", "circle-8", "--m", "64", "--activity", "0.1"]
TRAIN += ["--certify", "0", "--quiet", "--steps"]


def sublinear(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the pictures of the runs."""
    monkeypatch.setattr(runs, "no_pictures", lambda: "not wanted here")


class Disk:
    """What stands in the way of a new file: an error of the system, raised when it is written."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch
        self.number = 0
        real = os.fsync

        def fsync(descriptor: int) -> None:
            if self.number:
                raise OSError(self.number, os.strerror(self.number))
            real(descriptor)

        monkeypatch.setattr(os, "fsync", fsync)

    def fails(self, number: int) -> None:
        """Let everything fail that is written from now on; 0 ends it."""
        self.number = number


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


FAILURES = [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO]


def network(seed: int = 0) -> TwoLayerNetwork:
    return TwoLayerNetwork.initialize(40, 3, rng=seed, tau=0.1)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


WRITERS: dict[str, Callable[[Path, int], object]] = {
    "network": lambda path, seed: network(seed).save(path),
    "index": lambda path, seed: HalfspaceIndex(network(seed).W).save(path),
    "arrays": lambda path, seed: archives.write_arrays(path, {"W": network(seed).W}),
    "bytes": lambda path, seed: archives.write_bytes(path, network(seed).W.tobytes()),
    "evidence": lambda path, seed: claims.save_evidence(path, claims.stored_evidence("quick")),
    "measurements": lambda path, seed: benchmarks.write_results(benchmarks.load_results(), path),
}


@pytest.mark.parametrize("number", FAILURES)
@pytest.mark.parametrize("kind", WRITERS)
def test_a_failed_write_names_the_file_and_leaves_the_older_one(
    disk: Disk, tmp_path: Path, kind: str, number: int
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"older")
    disk.fails(number)
    with pytest.raises(OSError, match=r"file'$") as caught:
        WRITERS[kind](path, 1)
    assert caught.value.errno == number
    assert caught.value.filename == str(path)
    assert contents(tmp_path) == {"file": b"older"}
    disk.fails(0)
    WRITERS[kind](path, 1)
    assert path.read_bytes() != b"older"


def test_whether_a_file_could_be_written_is_found_out_without_a_trace(
    disk: Disk, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    archives.check_writable(path)
    path.write_bytes(b"older")
    archives.check_writable(path)
    assert contents(tmp_path) == {"file": b"older"}
    with pytest.raises(IsADirectoryError):
        archives.check_writable(tmp_path)
    with pytest.raises(FileNotFoundError):
        archives.check_writable(tmp_path / "nowhere" / "file")
    disk.fails(errno.ENOSPC)
    with pytest.raises(OSError, match=r"No space left on device: '.*file'"):
        archives.check_writable(path)
    assert contents(tmp_path) == {"file": b"older"}


def test_a_training_run_that_meets_a_full_disk_goes_on_when_there_is_room(
    disk: Disk, tmp_path: Path
) -> None:
    out = str(tmp_path / "run")
    assert sublinear(*TRAIN, "20", "--out", out).exit_code == 0
    before = contents(tmp_path)
    disk.fails(errno.ENOSPC)
    failed = sublinear(*TRAIN, "40", "--out", out)
    assert failed.exit_code == 1
    assert "No space left on device" in failed.output
    assert "settings.json" in failed.output
    assert "Traceback" not in failed.output
    assert contents(tmp_path) == before
    disk.fails(0)
    assert sublinear(*TRAIN, "40", "--out", out).exit_code == 0
    straight = str(tmp_path / "straight")
    assert sublinear(*TRAIN, "40", "--out", straight).exit_code == 0
    resumed, wanted = (TwoLayerNetwork.load(Path(path, "network.npz")) for path in (out, straight))
    assert resumed.W.tobytes() == wanted.W.tobytes()


def test_a_checkpoint_that_finds_no_room_is_named_and_the_one_before_it_stays(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    assert sublinear(*TRAIN, "10", "--out", str(out)).exit_code == 0
    kept = (out / "checkpoint.npz").read_bytes()
    real = archives.write_arrays

    def full(path: Path, arrays: Any, **named: Any) -> None:
        disk.fails(errno.ENOSPC)
        real(path, arrays, **named)

    monkeypatch.setattr(archives, "write_arrays", full)
    failed = sublinear(*TRAIN, "40", "--out", str(out))
    assert failed.exit_code == 1
    assert "No space left on device" in failed.output
    assert "checkpoint.npz" in failed.output
    assert (out / "checkpoint.npz").read_bytes() == kept


@pytest.fixture
def few_claims(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(claims, "LEDGER", small_ledger())
    for module in (claims, claims.storing):
        monkeypatch.setattr(
            module, "evidence_path", lambda of: tmp_path / f"{getattr(of, 'value', of)}.json"
        )
    return tmp_path


@pytest.mark.parametrize("place", [("--json", "found.json"), ("--store",)])
def test_a_verification_says_before_it_begins_that_it_cannot_store(
    disk: Disk, few_claims: Path, place: tuple[str, ...]
) -> None:
    option, *names = place
    asked = [option, *(str(few_claims / name) for name in names)]
    disk.fails(errno.EROFS)
    failed = sublinear("verify", "--quiet", *asked)
    assert failed.exit_code == 1
    assert "Read-only file system" in failed.output
    assert "checked" not in failed.output, "nothing was begun"
    assert contents(few_claims) == {}


def test_a_verification_whose_disk_fills_up_shows_what_it_found(
    disk: Disk, few_claims: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = archives.check_writable
    monkeypatch.setattr(
        archives, "check_writable", lambda path: (check(path), disk.fails(errno.ENOSPC))
    )
    failed = sublinear("verify", "--quiet", "--json", str(few_claims / "found.json"))
    assert failed.exit_code == 1
    assert "4 checked" in failed.output
    assert "No space left on device" in failed.output
    assert "found.json" in failed.output


def test_a_verification_with_a_cache_on_a_full_disk_is_only_slower(
    disk: Disk, few_claims: Path
) -> None:
    (few_claims / "cache").mkdir()
    disk.fails(errno.ENOSPC)
    with pytest.warns(UserWarning, match="no longer stored.*No space left"):
        found = sublinear("verify", "--quiet", "--cache", str(few_claims / "cache"))
    assert "4 checked" in found.output


def test_a_cache_that_cannot_be_written_to_still_gives_what_it_has(
    disk: Disk, tmp_path: Path
) -> None:
    cache = ResultCache(tmp_path)
    cache.put("ab", 1.5)
    disk.fails(errno.EROFS)
    with pytest.warns(UserWarning, match="Read-only file system") as seen:
        cache.put("cd", 2.5)
        cache.put("ef", 3.5)
    assert len(seen) == 1
    assert (cache.get("ab"), cache.get("cd")) == (1.5, None)


def test_a_benchmark_says_before_it_begins_that_it_cannot_store(disk: Disk, tmp_path: Path) -> None:
    disk.fails(errno.ENOSPC)
    failed = sublinear("bench", "halfspace", "--quick", "--output", str(tmp_path / "times.json"))
    assert failed.exit_code == 1
    assert "No space left on device" in failed.output
    assert contents(tmp_path) == {}


def test_a_benchmark_whose_disk_fills_up_prints_what_it_measured(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = benchmarks.load_results()
    output = tmp_path / "times.json"
    benchmarks.write_results(stored, output)

    def measured(
        name: str, settings: object, sections: object, *, finished: Any, **more: object
    ) -> Any:
        disk.fails(errno.ENOSPC)
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


# -- in truth --------------------------------------------------------------------------------------

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
def test_files_that_the_system_cuts_off_are_never_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"older")
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)],
        env={**os.environ, "PYTHONPATH": str(Path(sublinear_lib.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = run.stdout.splitlines()
    assert len(lines) == 2
    assert all(line.endswith(f"File too large: '{path}'") for line in lines)
    assert run.stderr == ""
    assert contents(tmp_path) == {"file": b"older"}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 64 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = None
    with contextlib.suppress(FileNotFoundError):
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)], capture_output=True
        )
    if mounted is None or mounted.returncode:
        pytest.skip("a file system can be mounted with special rights only")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


@posix
def test_on_a_disk_that_is_full_in_truth_nothing_is_lost(small_disk: Path) -> None:
    path = small_disk / "network"
    network().save(path)
    before = path.read_bytes()
    for write in (
        lambda: TwoLayerNetwork.initialize(4000, 3, rng=0, tau=0.1).save(path),
        lambda: archives.write_bytes(path, bytes(10**6)),
    ):
        with pytest.raises(OSError, match=r"No space left on device: '.*network'"):
            write()
        assert contents(small_disk) == {"network": before}
    cache = ResultCache(small_disk / "cache")
    with pytest.warns(UserWarning, match="No space left"):
        cache.put("ab", np.zeros(10**6))
    failed = sublinear(*TRAIN, "3000", "--out", str(small_disk / "run"))
    assert failed.exit_code == 1, "the history of so many steps does not fit"
    assert "No space left on device" in failed.output
    with open(small_disk / "run" / "checkpoint.npz", "rb") as file:
        kept = archives.read_arrays(file, ValueError)
    assert kept["record_step"].size >= 10
    assert TwoLayerNetwork.load(path).W.tobytes() == network().W.tobytes()


@posix
def test_a_read_only_folder_is_refused_before_any_work_and_can_be_read(small_disk: Path) -> None:
    path = small_disk / "network"
    network().save(path)
    cache = ResultCache(small_disk / "cache")
    cache.put("ab", 1.5)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    for asked in (
        (*TRAIN, "3", "--out", str(small_disk / "run")),
        ("verify", "--quiet", "--json", str(small_disk / "found.json")),
        ("verify", "--quiet", "--cache", str(small_disk / "cache")),
        ("bench", "halfspace", "--quick", "--output", str(small_disk / "times.json")),
    ):
        failed = sublinear(*asked)
        assert failed.exit_code == 1
        assert "Read-only file system" in failed.output or "cannot be written" in failed.output
        assert str(small_disk) in failed.output
        assert "Traceback" not in failed.output
    assert TwoLayerNetwork.load(path) == network()
    assert cache.get("ab") == 1.5
