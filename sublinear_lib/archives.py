"""Reading the files that the library writes: arrays in an .npz archive, and nothing else.

A network, an index and a checkpoint are stored as plain arrays, never as pickled objects, which
could run code when they are read.  A file may be foreign, truncated or damaged in any place;
whoever reads it must say so with the name of the file, before anything has changed.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["read_arrays"]

_FIRST_BYTES = b"PK\x03\x04"


def read_arrays(file: Any, refuse: Callable[[str], ValueError]) -> dict[str, np.ndarray]:
    """Read every array of an archive, or say why that is impossible.

    Parameters
    ----------
    file : binary file object
        The open file; seekable.
    refuse : callable
        Makes the error for a reason, which begins with "the file" or "it".

    Returns
    -------
    dict of str to ndarray
        The arrays by name, of any shape and dtype but objects.

    Raises
    ------
    ValueError
        The one that `refuse` makes, if the file is empty, is not such an archive, holds pickled
        objects, or is damaged.
    """
    head = file.read(len(_FIRST_BYTES))
    file.seek(0)
    if not head:
        raise refuse("the file is empty")
    if head != _FIRST_BYTES:
        raise refuse("it is not an .npz archive")
    try:
        with np.load(file, allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files}
    except ValueError as error:
        if "pickle" in str(error).lower() or "object array" in str(error).lower():
            raise refuse("it holds pickled objects, which are not read") from error
        raise refuse(f"the file is corrupt ({error})") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, RuntimeError) as error:
        raise refuse(f"the file is truncated or corrupt ({error})") from error
    except (OSError, SyntaxError, OverflowError, MemoryError) as error:
        # Damaged headers can send the readers below to impossible places.
        raise refuse(f"the file is corrupt ({error})") from error
