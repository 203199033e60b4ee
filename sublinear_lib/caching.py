"""Results on the disk, found again by what they were computed from.

No object of the paper lives here.  A long sweep or a verification that is interrupted goes on from
the results that it has already stored, one file for each.  The name of the file is a hash of
everything that decides the result: the code of the function, its parameters, its stream of random
numbers, the source of this library and the versions below it (`digest`).  Nothing is ever found
again for another reason than that it is the same.  Before changing the format, know what is
promised: a result comes back with the types that it had, a damaged file is computed anew and
says so, and nothing here is ever unpickled.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import hashlib
import inspect
import json
import os
import platform
import sys
import types
import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sublinear_lib import __version__, archives
from sublinear_lib._arguments import described
from sublinear_lib._extras import installed_version

__all__ = ["ResultCache", "circumstances", "digest"]

_TREE = "tree"
# What a file that somebody else wrote may lead to beside the usual errors.
_STRANGE = (AttributeError, ArithmeticError, RecursionError)
_SITE = ("site-packages", "dist-packages")


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
    A result is made of ``None``, truth values, integers, floats, complex numbers, fractions, text,
    NumPy numbers and arrays (of any dtype but objects), and lists, tuples and dicts of these.
    Several processes may use one folder: a file is written under another name first, and two that
    store the same result store the same.

    Examples
    --------
    >>> import tempfile
    >>> cache = ResultCache(tempfile.mkdtemp())
    >>> cache.put(digest("gap", 64), {"gap": np.float64(0.25), "shape": (64, 3)})
    >>> cache.get(digest("gap", 64))
    {'gap': np.float64(0.25), 'shape': (64, 3)}
    >>> cache.get(digest("gap", 128)) is None
    True
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        given: object = folder
        if not isinstance(given, str | os.PathLike):
            raise TypeError(f"folder must be a path, got {type(given).__name__}")
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        if not os.access(self.folder, os.W_OK):
            raise PermissionError(f"the cache folder {str(folder)!r} cannot be written to")
        self._writable = True

    def path(self, key: str) -> Path:
        """Return the file of a result.

        Here `key`: what `digest` returned.

        In a folder of its own for every first pair of digits.
        """
        return self.folder / key[:2] / f"{key}.npz"

    @described
    def get(self, key: str) -> Any:
        """Return a result, or ``None`` if it is not there or damaged.

        Here `key`: what `digest` returned.

        What was put there, with the types that it had.

        Warns
        -----
        UserWarning
            If the file is damaged, or cannot be read; it names the file.
        """
        path = self.path(key)
        try:
            return _read(path, key)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, LookupError, TypeError, *_STRANGE) as error:
            warnings.warn(
                f"the stored result {str(path)!r} cannot be used ({error}); it is computed anew",
                stacklevel=2,
            )
            return None

    def put(self, key: str, result: Any) -> None:
        """Store a result.

        Here `key`: what `digest` returned; `result`: not ``None``, and made of the types that the
        notes of the class list.

        Warns
        -----
        UserWarning
            Once, if the disk is full or the folder cannot be written to any more; nothing is stored
            from then on.
        """
        if result is None:
            raise TypeError("a stored result must not be None, which is what a missing one is")
        arrays: dict[str, np.ndarray] = {}
        tree = {"key": key, "result": _encoded(result, arrays)}
        arrays[_TREE] = np.frombuffer(json.dumps(tree).encode(), dtype=np.uint8)
        if not self._writable:
            return
        path = self.path(key)
        try:
            path.parent.mkdir(exist_ok=True)
            archives.write_arrays(path, arrays)
        except OSError as error:
            self._writable = False
            warnings.warn(
                f"results are no longer stored in {str(self.folder)!r}: {error}", stacklevel=2
            )


def _read(path: Path, key: str) -> Any:
    with open(path, "rb") as file:
        found = archives.read_arrays(file, ValueError)
    tree = json.loads(found[_TREE].tobytes())
    if tree["key"] != key:
        raise ValueError("it is the result of something else")
    return _decoded(tree["result"], found)


def _encoded(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    """Turn a result into what JSON can hold, with its arrays beside it."""
    kind = type(value)
    if value is None or kind in (bool, str):
        return value
    if kind is int:
        return {"int": hex(value)}  # of any length, which decimal digits are not
    if kind is float:
        return {"float": value.hex()}
    if kind is complex:
        return {"complex": [value.real.hex(), value.imag.hex()]}
    if kind is Fraction:
        return {"fraction": [hex(value.numerator), hex(value.denominator)]}
    if kind in (list, tuple):
        return {kind.__name__: [_encoded(item, arrays) for item in value]}
    if kind is dict:
        pairs = [[_encoded(key, arrays), _encoded(item, arrays)] for key, item in value.items()]
        return {"dict": pairs}
    if kind is np.ndarray or isinstance(value, np.generic):
        array = np.asarray(value)
        if array.dtype.hasobject:
            raise TypeError("a stored result must not hold arrays of objects")
        name = f"a{len(arrays)}"
        arrays[name] = array
        return {"array" if kind is np.ndarray else "number": name}
    raise TypeError(
        "a stored result must be made of numbers, text, arrays, and lists, tuples and dicts of "
        f"these, got {kind.__name__}"
    )


def _decoded(tree: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    if tree is None or isinstance(tree, bool | str):
        return tree
    ((kind, content),) = tree.items()
    if kind in ("list", "tuple"):
        items = [_decoded(item, arrays) for item in content]
        return items if kind == "list" else tuple(items)
    readers: dict[str, Callable[[Any], Any]] = {
        "int": lambda digits: int(digits, 16),
        "float": float.fromhex,
        "complex": lambda parts: complex(*map(float.fromhex, parts)),
        "fraction": lambda parts: Fraction(*(int(digits, 16) for digits in parts)),
        "dict": lambda pairs: {_decoded(k, arrays): _decoded(v, arrays) for k, v in pairs},
        "array": lambda name: arrays[name],
        "number": lambda name: arrays[name][()],
    }
    return readers[kind](content)


def digest(*parts: Any) -> str:
    """Return a hash of everything that decides a result.

    Here `*parts`: numbers, text, arrays, seed sequences, enumerations, dataclasses and plain
    functions, in lists, tuples and dicts or not.

    64 hexadecimal digits.  They change with any part, with the source of this library, and with the
    versions of Python, NumPy, SciPy and numba.

    A function counts with its compiled code, its default values, the variables that it encloses and
    the global names that it uses: functions and values of its own module with their content, other
    modules with their version or the bytes of their file.  What those modules import in turn is not
    looked at.
    """
    state = hashlib.sha256()
    _feed(state.update, [circumstances(), list(parts)], ())
    return state.hexdigest()


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


def _feed(update: Callable[[bytes], object], value: Any, seen: tuple[int, ...]) -> None:
    """Give the content of a value to a hash, with marks so that nothing runs together."""

    def mark(*words: object) -> None:
        update(json.dumps([str(word) for word in words]).encode())

    def inside(name: str, items: Any) -> None:
        items = list(items)
        mark(name, len(items))
        for item in items:
            _feed(update, item, seen)

    kind = type(value)
    if value is None or value is Ellipsis or kind in (bool, str, bytes):
        mark(kind.__name__, value)
    elif kind is int:
        mark("int", hex(value))
    elif kind is Fraction:
        mark("Fraction", hex(value.numerator), hex(value.denominator))
    elif kind in (float, complex):
        mark(kind.__name__, repr(value))
    elif kind in (list, tuple, range, slice):
        parts = (value.start, value.stop, value.step) if kind is slice else value
        inside(kind.__name__, parts)
    elif kind in (dict, types.MappingProxyType):
        inside("dict", [part for pair in value.items() for part in pair])
    elif kind in (set, frozenset):
        inside(kind.__name__, sorted(_alone(item, seen) for item in value))
    elif kind is np.ndarray or isinstance(value, np.generic | np.dtype):
        array = np.asarray(value) if not isinstance(value, np.dtype) else np.empty(0, value)
        if array.dtype.hasobject:
            raise TypeError("arrays of objects cannot be compared by their content")
        mark(kind.__name__, array.dtype.descr, array.shape)
        update(np.ascontiguousarray(array).tobytes())
    elif isinstance(value, np.random.SeedSequence):
        inside("seed", [value.entropy, value.spawn_key, value.pool_size])
    elif isinstance(value, os.PathLike):
        mark("path", os.fspath(value))
    elif isinstance(value, enum.Enum):
        inside("enum", [kind, value.name])
    elif isinstance(value, types.ModuleType):
        mark("module", *_module(value.__name__))
    elif isinstance(value, types.CodeType):
        _feed_code(update, value, seen)
    elif isinstance(value, functools.partial):
        inside("partial", [value.func, value.args, value.keywords])
    elif isinstance(value, types.FunctionType):
        if id(value) in seen:
            mark("again", seen.index(id(value)))
            return
        _feed_function(update, value, (*seen, id(value)))
    elif isinstance(value, type):
        mark("class", value.__qualname__, *_source_of(value))
    elif isinstance(value, np.ufunc) or _built_in(value):
        mark("builtin", value.__name__, getattr(value, "__module__", ""))
    elif dataclasses.is_dataclass(value):
        inside(
            "dataclass",
            [kind, [(item.name, getattr(value, item.name)) for item in dataclasses.fields(value)]],
        )
    elif callable(value) and isinstance(getattr(value, "__wrapped__", None), types.FunctionType):
        inside("wrapped", [value.__wrapped__])
    else:
        raise TypeError(f"an object of type {kind.__name__} cannot be compared by its content")


def _built_in(value: Any) -> bool:
    """Whether this is a compiled function of a module, not the method of an object."""
    owner = getattr(value, "__self__", None)
    compiled = isinstance(value, types.BuiltinFunctionType)
    return compiled and (owner is None or isinstance(owner, types.ModuleType))


def _alone(value: Any, seen: tuple[int, ...]) -> str:
    """Hash one part by itself, for what has no order of its own."""
    state = hashlib.sha256()
    _feed(state.update, value, seen)
    return state.hexdigest()


def _feed_function(
    update: Callable[[bytes], object], function: types.FunctionType, seen: tuple[int, ...]
) -> None:
    code = function.__code__
    _feed(update, [code, function.__defaults__, function.__kwdefaults__], seen)
    # Pairs: an enclosed variable may have the name of a global one or of an attribute.
    used: list[tuple[str, Any]] = []
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # not bound yet
            used.append((name, cell.cell_contents))
    name = function.__module__ or ""
    if name.partition(".")[0] == "sublinear_lib" or _installed(sys.modules.get(name)):
        # What stands around a function of a package goes by the package.
        _feed(update, ["of", *_module(name)], seen)
    else:
        names = sorted(_names(code) & function.__globals__.keys())
        used += [(name, function.__globals__[name]) for name in names]
    for name, value in used:
        try:
            _feed(update, [name, value], seen)
        except TypeError as error:
            raise TypeError(f"{function.__qualname__} uses {name!r}: {error}") from None


def _feed_code(
    update: Callable[[bytes], object], code: types.CodeType, seen: tuple[int, ...]
) -> None:
    names = [code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars]
    signature = [code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags]
    # What a `try` covers stands in a table of its own.
    tables = [code.co_exceptiontable, code.co_consts]
    _feed(update, ["code", code.co_code, *names, *signature, *tables], seen)


def _names(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            names |= _names(part)
    return names


def _installed(module: types.ModuleType | None) -> bool:
    if module is None:
        return False
    if module.__name__.partition(".")[0] in sys.stdlib_module_names:
        return module.__name__ != "__main__"
    return any(part in _SITE for part in Path(getattr(module, "__file__", None) or "").parts)


def _module(name: str) -> tuple[str, str]:
    """Return the name of a module with its version, or a hash of its file."""
    top = name.partition(".")[0]
    if top == "sublinear_lib":
        return name, _library()
    module = sys.modules.get(name)
    if top in sys.stdlib_module_names and _installed(module):
        return name, platform.python_version()
    version = getattr(sys.modules.get(top), "__version__", None)
    if _installed(module) and version is not None:
        return name, str(version)
    file = getattr(module, "__file__", None)
    if file is None:
        raise TypeError(f"the module {name!r} has no file to compare")
    return name, hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _source_of(kind: type) -> tuple[str, ...]:
    """Return what identifies a class: its module, or its source where the module has no file."""
    try:
        return _module(kind.__module__)
    except TypeError:
        try:
            return (inspect.getsource(kind),)
        except (OSError, TypeError):
            raise TypeError(f"the class {kind.__qualname__} has no source to compare") from None
