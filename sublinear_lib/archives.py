"""The files of the library: arrays in an .npz archive, and every file written in one piece.

A network, an index and a checkpoint are stored as plain arrays, never as pickled objects, which
could run code when they are read.  A file may be foreign, truncated or damaged in any place;
whoever reads it must say so with the name of the file, before anything has changed.  And whoever
writes one, and is interrupted, must leave the older file as it was: it is written beside it under
another name, which takes its place when all is on the disk.  An error of the system, such as a full
disk, always names the file that was asked for, not the one beside it.  What a killed process left
beside a file is removed when that file is written again.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import secrets
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from sublinear_lib._arguments import described

__all__ = [
    "check_format",
    "check_writable",
    "read_arrays",
    "replacing",
    "write_arrays",
    "write_bytes",
]

_FIRST_BYTES = b"PK\x03\x04"
# A disk with no block left takes an empty file, and sometimes a few bytes.
_BLOCK = 4096


def read_arrays(file: Any, refuse: Callable[[str], ValueError]) -> dict[str, np.ndarray]:
    """Read every array of an archive, or say why that is impossible.

    Here `file`: the open file; seekable; `refuse`: makes the error for a reason, which begins with
    "the file" or "it".

    The arrays by name, of any shape and dtype but objects.
    """
    head = file.read(len(_FIRST_BYTES))
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if not head:
        raise refuse("the file is empty")
    if head != _FIRST_BYTES:
        raise refuse("it is not an .npz archive")
    try:
        with np.load(file, allow_pickle=False) as archive:
            # No entry ever gives more than is declared here, and what we write is not compressed.
            expanded = sum(entry.file_size for entry in archive.zip.infolist())
            found = {key: archive[key] for key in archive.files} if expanded <= size else {}
    except ValueError as error:
        if "pickle" in str(error).lower() or "object array" in str(error).lower():
            raise refuse("it holds pickled objects, which are not read") from error
        raise refuse(f"the file is corrupt ({error})") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, RuntimeError) as error:
        raise refuse(f"the file is truncated or corrupt ({error})") from error
    except Exception as error:
        # Damaged headers can send the readers below to impossible places, and every method of
        # compression that a damaged byte can name has an error of its own.
        raise refuse(f"the file is corrupt ({error})") from error
    if expanded > size:
        raise refuse(f"its entries expand to {expanded} bytes, more than the file has ({size})")
    for key, value in found.items():
        # A damaged table of contents can say that an entry is empty, whose checksum is right then.
        if not isinstance(value, np.ndarray):
            raise refuse(f"the file is corrupt (the entry {key!r} is no array)")
    return found


def check_format(
    contents: Mapping[str, np.ndarray],
    name: str,
    newest: int,
    *,
    writer: str,
    refuse: Callable[[str], ValueError],
) -> None:
    """Refuse an archive that is not of a format, or of a newer version of it.

    Here `contents`: what `read_arrays` returned: the entry ``"format"`` holds the name of the
    format, the entry ``"version"`` a positive integer; `name`: the name of the format that is
    wanted; `newest`: the newest version that can be read; all before it can be read too; `writer`:
    who writes such files, for the message; `refuse`: makes the error for a reason, which begins
    with "it".

    >>> contents = {"format": np.array("notes"), "version": np.array(2)}
    >>> check_format(contents, "notes", 2, writer="a pen", refuse=ValueError)
    >>> check_format(contents, "letters", 2, writer="a pen", refuse=ValueError)
    Traceback (most recent call last):
        ...
    ValueError: it was not written by a pen
    """
    if "format" not in contents or str(contents["format"]) != name:
        raise refuse(f"it was not written by {writer}")
    version = contents.get("version")
    if version is None or version.ndim or version.dtype.kind not in "iu" or version < 1:
        raise refuse("it does not say which version of the format it has")
    if version > newest:
        raise refuse(
            f"it has version {version} of the format, this library reads up to version {newest}: "
            "update the library"
        )


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Offer a name for a new file that takes the place of `path` when the block ends well.

    Here `path`: the file to be replaced, or made.  A symbolic link stays one: what it leads to is
    replaced. The new file has the permissions of the old one.

    A name in the same folder that no file has yet.  If the block raises, what it wrote there is
    removed and `path` is as it was.

    Raises OSError: if the new file cannot be written or take its place; the message names `path`.
    """
    target = Path(os.path.realpath(path))
    _remove_left(target)
    # In the same directory: os.replace is atomic within one file system.
    temporary = target.with_name(
        f".{target.name}.{_machine()}.{os.getpid()}.{secrets.token_hex(4)}"
    )
    try:
        yield temporary
        with suppress(OSError):
            if temporary.stat().st_nlink == 1:  # not a second name of some other file
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(temporary, target)
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(temporary), temporary):
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def _machine() -> str:
    """Return eight digits for this machine: processes have numbers on one machine only."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


def _remove_left(target: Path) -> None:
    """Remove the new files that killed processes of this machine left beside a file."""
    if os.name != "posix":  # elsewhere asking for a process may end it
        return
    pattern = re.compile(rf"\.{re.escape(target.name)}\.{_machine()}\.(\d+)\.[0-9a-f]{{8}}")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            found = pattern.fullmatch(entry.name)
            if found is None:
                continue
            try:
                os.kill(int(found[1]), 0)
            except ProcessLookupError:
                with suppress(OSError):
                    os.unlink(entry.path)
            except (OSError, OverflowError):
                pass  # somebody else's process


@described
def check_writable(path: str | os.PathLike[str]) -> None:
    """Make sure that a file could be written now, before the work whose result it is to hold.

    Here `path`: the file, which may exist; it is left as it is.

    Raises OSError: if its folder is not there or does not take a new file, if the disk is full, or
    if `path` is a folder.

    >>> check_writable("nowhere/file.json")
    Traceback (most recent call last):
        ...
    FileNotFoundError: [Errno 2] No such file or directory: 'nowhere/file.json'
    """
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    with suppress(_Tried), replacing(target) as temporary:
        with open(temporary, "xb") as file:
            file.write(bytes(_BLOCK))
            file.flush()
            os.fsync(file.fileno())
        raise _Tried


class _Tried(Exception):
    """Ends the writing of a file that was not meant."""


def write_arrays(
    path: str | os.PathLike[str],
    contents: Mapping[str, np.ndarray],
    *,
    before: Callable[[], object] = lambda: None,
) -> None:
    """Write arrays to an archive; an interrupted write leaves an older file untouched.

    Here `path`: the file; it is written under exactly this name; `contents`: the arrays by name, of
    any shape and dtype but objects; `before`: called when all is on the disk, before it takes the
    place of the older file.

    Raises OSError: if the file cannot be written.
    """
    with replacing(path) as temporary:
        with open(temporary, "xb") as file:
            # The bytes of numpy.savez, which in NumPy 2.0 leaves the archive open when a write
            # fails: the garbage collector then closes it after the file below it, which is an
            # error again.
            with zipfile.ZipFile(file, "w") as archive:
                for name, array in contents.items():
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                        np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
        before()


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write bytes to a file; an interrupted write leaves an older file untouched.

    Here `path`: the file; it is written under exactly this name; `content`: what is to stand in it.

    Raises OSError: if the file cannot be written.
    """
    with replacing(path) as temporary, open(temporary, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
