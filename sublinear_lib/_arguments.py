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
    "checked",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Check:
    """How an argument is checked, and what its help says of it."""

    how: Callable[..., Any]
    said: str
    limits: Mapping[str, Any] = field(default_factory=dict)


_OPEN = {"exclusive_minimum": 0.0, "exclusive_maximum": 1.0}

Count: TypeAlias = Annotated[int, Check(validation.count, "int, ``>= 1``")]
Whole: TypeAlias = Annotated[int, Check(validation.count, "int, ``>= 0``", {"minimum": 0})]
Dimension: TypeAlias = Annotated[int, Check(validation.count, "int, ``>= 2``", {"minimum": 2})]
Real: TypeAlias = Annotated[float, Check(validation.scalar, "float, finite")]
Nonnegative: TypeAlias = Annotated[
    float, Check(validation.scalar, "float, ``>= 0``", {"minimum": 0.0})
]
Positive: TypeAlias = Annotated[
    float, Check(validation.scalar, "float, ``> 0``", {"exclusive_minimum": 0.0})
]
Share: TypeAlias = Annotated[
    float, Check(validation.scalar, "float in [0, 1]", {"minimum": 0.0, "maximum": 1.0})
]
Probability: TypeAlias = Annotated[float, Check(validation.scalar, "float in (0, 1)", _OPEN)]
Flag: TypeAlias = Annotated[bool, Check(validation.boolean, "bool")]

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
    names: dict[str, Any] = {"_function": function}
    head, passed = [], []
    for name, each in parameters.items():
        if each.kind is each.KEYWORD_ONLY and "*" not in head:
            head.append("*")
        head.append(name)
        if each.default is not each.empty:
            names[f"_default_{name}"] = each.default
            head[-1] = f"{name}=_default_{name}"
        value, check = name, _check(function, each)
        if check is not None:
            names[f"_check_{name}"] = functools.partial(check.how, **check.limits)
            value = f"_check_{name}({name}, {name!r})"
            if str(each.annotation).endswith(" | None"):
                value = f"None if {name} is None else {value}"
        passed.append(f"{name}={value}" if each.kind is each.KEYWORD_ONLY else value)
    # A function of the same signature, as dataclasses make one: nothing is bound or looked up.
    source = (
        f"def make({', '.join(names)}):\n"
        f" def call({', '.join(head)}): return _function({', '.join(passed)})\n return call"
    )
    made: dict[str, Any] = {}
    exec(source, function.__globals__, made)
    call = functools.wraps(function)(made["make"](**names))
    call.__doc__ = _completed(function, parameters)
    return cast(_Function, call)


def _check(function: Callable[..., Any], parameter: inspect.Parameter) -> Check | None:
    """Return how a parameter is checked: the annotation is the name of a type, or that or None."""
    kind = str(parameter.annotation).removesuffix(" | None")
    notes = getattr(function.__globals__.get(kind), "__metadata__", ())
    return next((note for note in notes if isinstance(note, Check)), None)


def _completed(
    function: Callable[..., Any], parameters: Mapping[str, inspect.Parameter]
) -> str | None:
    """Return the docstring of a function with the sections that its signature stands for."""
    text = inspect.getdoc(function)
    if text is None or "\nParameters\n---" in text:
        return function.__doc__
    rows = []
    for name, each in parameters.items():
        if name in ("self", "cls"):
            continue
        check = _check(function, each)
        kind = str(each.annotation) if check is None else check.said
        optional = ", optional" if each.default is not each.empty else ""
        rows.append(f"{name} : {kind}{optional}\n    {LETTERS.get(name, 'See above.')}")
    result = str(inspect.signature(function).return_annotation)
    sections = {
        "Parameters": "\n".join(rows),
        "Returns": f"{result}\n    What the first line says.",
        "Raises": "TypeError, ValueError\n    For an argument of another kind or out of range.",
    }
    written = (
        f"{title}\n{'-' * len(title)}\n{body}"
        for title, body in sections.items()
        if body and f"\n{title}\n---" not in text
    )
    return "\n\n".join([text, *written])
