"""Types that say what an argument may be, and the decorator that asks for it.

No object of the paper lives here.  A parameter whose annotation is one of these types is checked by
:mod:`sublinear_lib.validation` before the function runs, if the function is `checked`; its help
gets the part that can be read from the signature: what the letter stands for, its range, and what
is raised.  Mathematics that is called in loops, with numbers that were checked outside, calls
``function.__wrapped__``.  Before changing the words: they stand in the help of every function.
"""

from __future__ import annotations

import functools
import inspect
import math
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias, TypeVar, cast

from sublinear_lib import validation

__all__ = [
    "Count",
    "Dimension",
    "Flag",
    "Nonnegative",
    "Positive",
    "Probability",
    "Real",
    "Share",
    "Whole",
    "check_fields",
    "checked",
    "described",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Check:
    """How an argument is checked, what its help says of it, and what needs no further look."""

    how: Callable[..., Any]
    said: str
    usual: str
    limits: Mapping[str, Any] = field(default_factory=dict)


Count: TypeAlias = Annotated[
    int, Check(validation.count, "int, ``>= 1``", "type({0}) is int and {0} >= 1")
]
Whole: TypeAlias = Annotated[
    int,
    Check(validation.count, "int, ``>= 0``", "type({0}) is int and {0} >= 0", {"minimum": 0}),
]
Dimension: TypeAlias = Annotated[
    int,
    Check(validation.count, "int, ``>= 2``", "type({0}) is int and {0} >= 2", {"minimum": 2}),
]


def _number(said: str, usual: str, **limits: float) -> Check:
    return Check(validation.scalar, f"float{said}", f"type({{0}}) is float and {usual}", limits)


Real: TypeAlias = Annotated[float, _number(", finite", "-_inf < {0} < _inf")]
Nonnegative: TypeAlias = Annotated[float, _number(", ``>= 0``", "0.0 <= {0} < _inf", minimum=0.0)]
Positive: TypeAlias = Annotated[
    float, _number(", ``> 0``", "0.0 < {0} < _inf", exclusive_minimum=0.0)
]
Share: TypeAlias = Annotated[
    float, _number(" in [0, 1]", "0.0 <= {0} <= 1.0", minimum=0.0, maximum=1.0)
]
Probability: TypeAlias = Annotated[
    float,
    _number(" in (0, 1)", "0.0 < {0} < 1.0", exclusive_minimum=0.0, exclusive_maximum=1.0),
]
Flag: TypeAlias = Annotated[bool, Check(validation.boolean, "bool", "{0} is True or {0} is False")]

# What a letter stands for wherever no docstring says something else.
LETTERS = {
    "D_F": "Distance of the comparator in the Frobenius norm.",
    "D_W": "Distance of the comparator in the 2,infinity norm.",
    "K": "A constant of the paper.",
    "W": "Weights, shape (m, d).",
    "X": "Points on the slice, shape (n, d).",
    "a": "Output weights, shape (m,); where it is one number, their absolute value.",
    "activation": 'The activation: ``"jump"``, ``"continuous"`` or a ShiftedReLU.',
    "active": "Number of active neurons.",
    "attack_steps": "Gradient steps of the adversary.",
    "constant": "A constant.",
    "d": "Input dimension.",
    "delta": "Radius of the ball of weights, or the length of a move, in absolute units.",
    "eps": "Accuracy.",
    "epsilon": "Accuracy.",
    "eta": "Step size.",
    "failure": "Probability with which the bound may fail.",
    "k": "Degree, order or number.",
    "m": "Width.",
    "n": "Number of examples.",
    "network": "The network.",
    "nu": "Length of the move of the input.",
    "number": "Number of neurons.",
    "p": "Probability or share.",
    "rho": "Radius of the cap, a chord length.",
    "rng": "Seed or generator.",
    "scaling": "The scaling or its name.",
    "share": "A share.",
    "steps": "Number of steps.",
    "t": "Threshold in standard deviations, ``tau / sqrt(2/m)``.",
    "tau": "Threshold, in absolute units.",
    "theta": "Radius of the ball in standard deviations, ``delta / sqrt(2/m)``.",
    "x": "A point, shape (d,).",
    "y": "Labels.",
    "z": "Pre-activations at initialization, shape (m,).",
}


def checked(function: _Function) -> _Function:
    """Check the arguments of a function by the types of its annotations, in their order.

    >>> @checked
    ... def half(m: Count) -> float:
    ...     return m / 2
    >>> half(0)
    Traceback (most recent call last):
        ...
    ValueError: m must be an integer >= 1, got 0
    """
    parameters = inspect.signature(function).parameters
    names: dict[str, Any] = {"_function": function, "_inf": math.inf}
    head, passed = [], []
    for name, each in parameters.items():
        if each.kind is each.KEYWORD_ONLY and "*" not in head:
            head.append("*")
        head.append(name)
        if each.default is not each.empty:
            names[f"_default_{name}"] = each.default
            head[-1] = f"{name}=_default_{name}"
        value, check = name, _check(function.__globals__, each.annotation)
        if check is not None:
            names[f"_check_{name}"] = functools.partial(check.how, **check.limits)
            usual = check.usual.format(name)
            if str(each.annotation).endswith(" | None"):
                usual = f"{name} is None or {usual}"
            value = f"{name} if {usual} else _check_{name}({name}, {name!r})"
        passed.append(f"{name}={value}" if each.kind is each.KEYWORD_ONLY else value)
    # A function of the same signature, as dataclasses make one: nothing is bound or looked up.
    source = (
        f"def make({', '.join(names)}):\n"
        f" def call({', '.join(head)}): return _function({', '.join(passed)})\n return call"
    )
    made: dict[str, Any] = {}
    exec(source, function.__globals__, made)  # noqa: S102 (of names in the library itself)
    call = functools.wraps(function)(made["make"](**names))
    call.__doc__ = _completed(function, parameters)
    return cast(_Function, call)


def check_fields(instance: object) -> None:
    """Check the fields of a dataclass by the types of their annotations, in their order."""
    kind: Any = type(instance)
    for name, check, optional in _checks_of(kind):
        value = getattr(instance, name)
        if value is not None or not optional:
            object.__setattr__(instance, name, check.how(value, name, **check.limits))


@functools.cache
def _checks_of(kind: type) -> list[tuple[str, Check, bool]]:
    """Return the fields of a class that are checked, those of its bases first."""
    found = []
    for each in reversed(kind.__mro__):
        names = vars(sys.modules[each.__module__])
        for name, annotation in inspect.get_annotations(each).items():
            if (check := _check(names, annotation)) is not None:
                found.append((name, check, str(annotation).endswith(" | None")))
    return found


def _check(names: Mapping[str, Any], annotation: object) -> Check | None:
    """Return how a value is checked: the annotation is the name of a type, or that or None."""
    kind = str(annotation).removesuffix(" | None")
    notes = getattr(names.get(kind), "__metadata__", ())
    return next((note for note in notes if isinstance(note, Check)), None)


def described(function: _Function) -> _Function:
    r"""Complete the help of a function that checks its arguments by itself.

    A paragraph of its docstring that begins with "Here" names its parameters.

    >>> @described
    ... def twice(x: float) -> float:
    ...     '''Return ``2 x``.
    ...
    ...     Here `x` (n,): any numbers.
    ...     '''
    >>> "x : array-like, shape (n,)\n    Any numbers." in (twice.__doc__ or "")
    True
    """
    function.__doc__ = _completed(function, inspect.signature(function).parameters)
    return function


_HERE = re.compile(r"\n\nHere (`.*?)(?=\n\n|$)", re.DOTALL)
_NAMED = re.compile(r"((?:`\*{0,2}\w+`(?:, )?)+)(?: (\([^)`]*\)))?: ")


_RAISES = re.compile(r"\n\nRaises ((?:\w+(?:, )?)+): (.*?)(?=\n\n|$)", re.DOTALL)


def _completed(
    function: Callable[..., Any], parameters: Mapping[str, inspect.Parameter]
) -> str | None:
    """Return the docstring of a function with the sections that its signature stands for."""
    text = inspect.getdoc(function)
    if text is None or "\nParameters\n---" in text:
        return function.__doc__
    here = _HERE.search(text)
    said: dict[str, tuple[str | None, str]] = {}
    if here is not None:
        text = text.replace(here[0], "")
        parts = _NAMED.split(" ".join(here[1].split()))[1:]
        for names, shape, words in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            words = words.strip("; ").rstrip(".") + "."
            for name in re.findall(r"\w+", names):
                said[name] = shape, words[0].upper() + words[1:]
    errors = []
    for sentence in _RAISES.finditer(text):
        text = text.replace(sentence[0], "")
        words = " ".join(sentence[2].split())
        errors.append(f"{sentence[1]}\n    {words[0].upper()}{words[1:]}")
    generic = "TypeError, ValueError\n    For an argument of another kind or out of range."
    if not any("ValueError" in each for each in errors):
        errors.insert(0, generic)
    rows = []
    for name, each in parameters.items():
        if name in ("self", "cls"):
            continue
        shape, words = said.get(name, (None, LETTERS.get(name, "")))
        check = _check(function.__globals__, each.annotation)
        kind = str(each.annotation) if check is None else check.said
        kind = kind if shape is None else f"array-like, shape {shape}"
        optional = ", optional" if each.default is not each.empty else ""
        stars = "*" * ((each.kind is each.VAR_POSITIONAL) + 2 * (each.kind is each.VAR_KEYWORD))
        rows.append(f"{stars}{name} : {kind}{optional}\n    {words}")
    result = str(inspect.signature(function).return_annotation)
    sections = {
        "Parameters": "\n".join(rows),
        "Returns": "" if result == "None" else f"{result}\n    As said above.",
        "Raises": "\n".join(errors),
    }
    written = [
        f"{title}\n{'-' * len(title)}\n{body}"
        for title, body in sections.items()
        if body and f"\n{title}\n---" not in text
    ]
    return "\n\n".join([text, *written])
