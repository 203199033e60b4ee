"""Results on the disk, found again by what they were computed from.

No object of the paper lives here.  A verification that is interrupted goes on from the results that
it has already stored, one file for each.  The name of the file is a hash of everything that decides
the result (`digest`): what was asked, the source of this library and the versions below it.  Other
work is kept by ``joblib.Memory``.  Before changing the format, know what is promised: a damaged
file is computed anew and says so, and nothing here is ever unpickled.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import warnings
from pathlib import Path
from typing import Any

from sublinear_lib import __version__, archives, validation
from sublinear_lib._arguments import described
from sublinear_lib._extras import installed_version

__all__ = ["ResultCache", "circumstances", "digest"]


class ResultCache:
    """A folder of results, each in a file that is named by a hash.

    Parameters
    ----------
    folder : path
        Made if it is not there.

    Raises
    ------
    TypeError
        If `folder` is no path.
    OSError
        If the folder cannot be made or written to.

    Notes
    -----
    A result is what JSON can hold.  Several processes may use one folder: a file is written under
    another name first, and two that store the same result store the same.

    Examples
    --------
    >>> import tempfile
    >>> cache = ResultCache(tempfile.mkdtemp())
    >>> cache.put(digest("gap", 64), {"gap": 0.25, "shape": [64, 3]})
    >>> cache.get(digest("gap", 64))
    {'gap': 0.25, 'shape': [64, 3]}
    >>> cache.get(digest("gap", 128)) is None
    True
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = validation.path(folder, "folder")
        self.folder.mkdir(parents=True, exist_ok=True)
        if not os.access(self.folder, os.W_OK):
            raise PermissionError(f"the cache folder {str(folder)!r} cannot be written to")
        self._writable = True

    def path(self, key: str) -> Path:
        """Return the file of a result.

        Here `key`: what `digest` returned.

        In a folder of its own for every first pair of digits.
        """
        return self.folder / key[:2] / f"{key}.json"

    @described
    def get(self, key: str) -> Any:
        """Return a result, or ``None`` if it is not there or damaged.

        Here `key`: what `digest` returned.

        Warns
        -----
        UserWarning
            If the file is damaged, or cannot be read; it names the file.
        """
        path = self.path(key)
        try:
            seal, _, text = path.read_bytes().partition(b"\n")
            if seal != _seal(key, text):
                raise ValueError("it is damaged, or the result of something else")
            return json.loads(text)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            warnings.warn(
                f"the stored result {str(path)!r} cannot be used ({error}); it is computed anew",
                stacklevel=2,
            )
            return None

    def put(self, key: str, result: Any) -> None:
        """Store a result.

        Here `key`: what `digest` returned; `result`: not ``None``, and what JSON can hold.

        Warns
        -----
        UserWarning
            Once, if the disk is full or the folder cannot be written to any more; nothing is stored
            from then on.
        """
        if result is None:
            raise TypeError("a stored result must not be None, which is what a missing one is")
        text = json.dumps(result).encode()
        if not self._writable:
            return
        path = self.path(key)
        try:
            path.parent.mkdir(exist_ok=True)
            archives.write_bytes(path, _seal(key, text) + b"\n" + text)
        except OSError as error:
            self._writable = False
            warnings.warn(
                f"results are no longer stored in {str(self.folder)!r}: {error}", stacklevel=2
            )


def _seal(key: str, text: bytes) -> bytes:
    """Return what stands above a result, and nowhere above another one."""
    return hashlib.sha256(key.encode() + text).hexdigest().encode()


def digest(*parts: Any) -> str:
    """Return a hash of everything that decides a result.

    Here `*parts`: what JSON can hold.

    64 hexadecimal digits.  They change with any part, with the source of this library, and with the
    versions of Python, NumPy, SciPy and numba.
    """
    return hashlib.sha256(json.dumps([circumstances(), *parts]).encode()).hexdigest()


def circumstances() -> dict[str, str]:
    """Return what decides the bytes of a result beside the function and its arguments.

    Versions by the name of the package, a hash of the source of this library, and the settings that
    choose its kernels, which round the free sums differently.
    """
    found = {
        "Python": platform.python_version(),
        "sublinear-lib": __version__,
        "source of sublinear-lib": _library(),
        **{name: installed_version(name) for name in ("numpy", "scipy", "numba")},
    }
    for name in ("SUBLINEAR_NUMBA", "SUBLINEAR_VECTOR"):
        found[name] = os.environ.get(name, "not set")
    return found


@functools.cache
def _library() -> str:
    """Hash the source of the library."""
    root = Path(__file__).parent
    state = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        state.update(path.relative_to(root).as_posix().encode() + b"\0")
        state.update(hashlib.sha256(path.read_bytes()).digest())
    return state.hexdigest()
