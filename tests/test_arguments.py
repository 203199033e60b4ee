"""What an annotation says of an argument is asked for, and stands in the help."""

from __future__ import annotations

import inspect
import pickle

import pytest

from sublinear_lib import geometry, scaling, theory
from sublinear_lib._arguments import Count, Flag, Nonnegative, Probability, checked, described


@checked
def mixture(
    m: Count, share: Probability = 0.5, *, tau: Nonnegative | None = None, x: int = 3
) -> str:
    """Return what was given.

    Here `x` (n,): points; they are
    not looked at; `share`: the weight.

    Text in between.

    Raises OSError: if the moon is full.

    >>> mixture(2)
    '2 0.5 None 3'
    """
    return f"{m} {share} {tau} {x}"


def test_arguments_are_passed_on_as_they_are_given() -> None:
    assert mixture(2) == "2 0.5 None 3"
    assert mixture(share=0.25, m=7) == "7 0.25 None 3"
    assert mixture(7, 0.25, tau=1, x=None) == "7 0.25 1.0 None"  # type: ignore[arg-type]
    assert inspect.signature(mixture) == inspect.signature(inspect.unwrap(mixture))
    assert pickle.loads(pickle.dumps(theory.flip_bound)) is theory.flip_bound


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"m": 0}, "m must be an integer >= 1, got 0"),
        ({"m": 1, "share": 1.0}, "share must be a finite number > 0 and < 1, got 1.0"),
        ({"m": 1, "tau": -1.0}, "tau must be a finite number >= 0, got -1.0"),
        ({"m": True}, "m must be an integer >= 1, got True of type bool"),
        ({}, r"mixture\(\) missing 1 required positional argument: 'm'"),
        ({"m": 1, "y": 1}, r"mixture\(\) got an unexpected keyword argument 'y'"),
    ],
)
def test_what_a_type_does_not_allow_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        mixture(**given)  # type: ignore[arg-type]


def test_the_help_says_what_the_signature_says() -> None:
    text = mixture.__doc__
    assert text is not None
    assert "Here" not in text
    for part in (
        "m : int, ``>= 1``\n    Width.",
        "share : float in (0, 1), optional\n    The weight.",
        "x : array-like, shape (n,), optional\n    Points; they are not looked at.",
        "Returns\n-------\nstr",
        "TypeError, ValueError\n    For an argument",
        "OSError\n    If the moon is full.",
    ):
        assert part in text


def test_a_function_with_sections_of_its_own_keeps_its_help() -> None:
    def plain(flag: Flag) -> None:
        """Do nothing.

        Parameters
        ----------
        flag : bool
            Whatever.
        """

    before = plain.__doc__
    assert checked(plain).__doc__ == described(plain).__doc__ == before


def test_formulas_are_reached_without_their_checks() -> None:
    assert inspect.unwrap(scaling.activity)(0.0, 4) == scaling.activity(0.0, 4) == 0.5
    assert inspect.isfunction(geometry.cap_angle)
