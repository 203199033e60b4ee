"""Every public function refuses by name what it cannot use; a record says what each one takes.

The good calls are those of the examples in the docstrings.  In each of them every argument is
replaced by every value of `BAD` in turn: the call goes well, or ends with a `TypeError` or
`ValueError` that says what must be, and nothing else that was handed over has changed.  What is
taken is compared with ``tests/refusals.json``;
``python -m tests.test_refusals`` writes it anew, and its difference shows what is let in now.
What no single argument shows, such as two that do not fit together, is tested with its function.
"""

import contextlib
import copy
import doctest
import functools
import importlib
import inspect
import io
import json
import pickle
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

TRACE = "the failed call has changed another argument"
RECORD = Path(__file__).with_name("refusals.json")
ROOMS = (
    *("activations", "adversary", "datasets", "features", "geometry", "halfspace", "losses"),
    *("memorization", "network", "report", "scaling", "statistics", "theory"),
    *("theory.best_steps", "theory.concentration", "theory.existence", "theory.perturbation"),
    *("theory.polynomials", "theory.regret", "theory.sampling_error", "theory.tails", "training"),
)
BAD = {
    "object": object(),
    "text": "no such thing",
    "none": None,
    "yes": True,
    "nan": float("nan"),
    "inf": float("inf"),
    "-1": -1,
    "0": 0,
    "0.5": 0.5,
    "2": 2,
    "[]": [],
    "[[nan]]": [[float("nan")] * 3] * 3,
    "[7 columns]": [[0.25] * 7] * 3,
}
# Searches that take long where a number is let in.
SLOW = {
    *("statistics.sweep", "theory.certified_initial_bound"),
    *("theory.polynomials.robust_fit", "theory.polynomials.step_approximation"),
}
NUMBERS = {"none", "yes", "-1", "0", "0.5", "2"}
# Arguments that are not looked at where the call is made: objects of the library, functions, what
# a loop of the library hands over, and generators, which look when they are asked.
TRUSTED = """
adversary.CapRelaxation.rounding: size
adversary.CapRelaxation.value: points
adversary.Height.value: y
adversary.NegativeMargin.derivative: f
adversary.NegativeMargin.value: y, f
adversary.SmoothedGradient.windows: weight_scale
adversary.mean_shares_found: attacks
adversary.random_cases: m, d, t, count, rng, caps, activation
adversary.worst_gap_everywhere: network
datasets.circle: rng
datasets.split_rows: rng
features.Activation.error_bound: value, size
features.Activation.range: low, high
features.Activation.slope: z
features.Activation.value: z
features.GELU.value_and_slope: z
features.ReLU.value_and_slope: z
features.SmoothedReLU.value_and_slope: z
features.Softplus.value_and_slope: z
memorization.Hypergraph: edges
memorization.Hypergraph.one_colored: colors
memorization.certify_sign: network
memorization.coloring: h
memorization.coloring_of_network: h, network
memorization.count_colorings: h
memorization.exists_width_two: kinds, sides
memorization.gadget: h
memorization.milp_range: l1_ball
memorization.network_of_coloring: h, colors
memorization.output_range: network
statistics.sweep: scheduler
statistics.to_columns: records
theory.expected_ledger: update
theory.gap_slope: network
theory.window_probability: half
theory.worst_gap_network: network
theory.worst_weights: network
theory.best_steps.step_log2_complexity: polynomial
theory.existence.bounded_feature: target
theory.existence.hermite_feature: target
theory.existence.largest_deviation_on_circle: target
theory.existence.target_error_on_caps: target
theory.perturbation.expected_f_change: tau
theory.perturbation.moved_flips: tau
theory.perturbation.perturbed_weights: network
theory.polynomials.Polynomial: coefficients
theory.polynomials.log_complexity: polynomial
theory.polynomials.stays_within: polynomial
theory.regret.largest_gap: initial
theory.regret.nearest_weights: initial
theory.sampling_error.active_mean: feature
theory.sampling_error.active_mean_square: feature
theory.sampling_error.sampling_deviation: feature
training.StableStep.step_size: network
training.regret_run: initial
training.run_ledger: initial
training.resolve_step_size: network
"""


def trusted(name, argument):
    return re.search(rf"^{re.escape(name)}:.*\b{argument}\b", TRUSTED, re.MULTILINE) is not None


class Doors:
    """The public functions and methods of a room, with their first calls in its examples."""

    def __init__(self, room):
        front = importlib.import_module(f"sublinear_lib.{room}")
        self.room, self.calls = room, dict[str, tuple[Callable[..., Any], Any]]()
        offered = {
            name: what
            for name in front.__all__
            if inspect.isfunction(what := getattr(front, name)) or inspect.isclass(what)
        }
        methods = [
            (owner, key, member)
            for owner in filter(inspect.isclass, offered.values())
            for key, member in vars(owner).items()
            if inspect.isfunction(member) and not key.startswith("_")
        ]
        watched = {name: self._watched(what, name) for name, what in offered.items()}
        for owner, key, member in methods:
            setattr(owner, key, self._watched(member, f"{owner.__name__}.{key}"))
        try:
            for what in (*offered.values(), *(member for *_, member in methods)):
                names = {**vars(sys.modules[what.__module__]), **watched}
                for example in doctest.DocTestParser().get_examples(what.__doc__ or ""):
                    with contextlib.suppress(Exception):
                        exec(compile(example.source, "<example>", "single"), names)
        finally:
            for owner, key, member in methods:
                setattr(owner, key, member)

    def _watched(self, function, name):
        @functools.wraps(function, updated=())
        def call(*arguments, **options):
            if name not in self.calls:
                with contextlib.suppress(TypeError):
                    bound = inspect.signature(function).bind(*arguments, **options)
                    self.calls[name] = function, copy.deepcopy(bound)
            return function(*arguments, **options)

        return call

    def errors(self):
        """Yield function, argument, bad value and what comes of it."""
        for door, (function, bound) in sorted(self.calls.items()):
            name = f"{self.room}.{door}"
            for each in bound.signature.parameters.values():
                variable = each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
                if variable or each.name == "self" or trusted(name, each.name):
                    continue
                for label in BAD:
                    if name in SLOW and label in NUMBERS:
                        continue
                    yield name, each.name, label, failure(function, bound, each.name, BAD[label])


def failure(function, bound, name, bad):
    """Call a function with a bad argument, and return how it fails."""
    given = {**copy.deepcopy(bound).arguments, name: bad}
    changed = inspect.BoundArguments(
        bound.signature, {key: given[key] for key in bound.signature.parameters if key in given}
    )
    try:
        function(*changed.args, **changed.kwargs)
    except Exception as error:
        before = copy.deepcopy(bound).arguments
        if any(differs(before[key], value) for key, value in given.items() if key != name):
            error.add_note(TRACE)
        return error
    return None


def differs(before, after):
    """Say whether something is not what it was; what an equal object remembers does not count."""
    with contextlib.suppress(pickle.PicklingError, TypeError, AttributeError):
        if pickle.dumps(before) == pickle.dumps(after):
            return False
        with contextlib.suppress(ValueError):  # arrays have no single answer
            return bool(before != after)
        return True
    return False


def refusals(room):
    """Return which bad values the functions of a room take, and what is wrong with refusals."""
    doors, found, wrong = Doors(room), dict[str, dict[str, str]](), list[str]()
    for name, argument, label, error in doors.errors():
        parameters = doors.calls[name.removeprefix(f"{room}.")][1].signature.parameters
        taken = found.setdefault(name, {}).get(argument, "")
        found[name][argument] = taken if error else f"{taken} {label}".strip()
        if error is None:
            if label == "object":
                wrong.append(f"{name}: {argument}: takes any object")
            continue
        if TRACE in getattr(error, "__notes__", ()):
            wrong.append(f"{name}: {argument}: {label}: {TRACE}")
        said = str(error)
        named = re.match(r"[\w.\[\]]+ must ", said) or any(each in said for each in parameters)
        if not isinstance(error, TypeError | ValueError) or not named:
            wrong.append(f"{name}: {argument}: {label}: {type(error).__name__}: {error}")
    return found, wrong


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Let what is taken for the name of a file be written where nobody looks."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("room", ROOMS)
def test_bad_arguments_are_refused_by_name_as_they_were(room):
    found, wrong = refusals(room)
    assert wrong == []
    assert found == json.loads(RECORD.read_text())[room], "python -m tests.test_refusals renews it"


def test_a_door_that_lets_something_in_is_noticed(monkeypatch):
    from sublinear_lib import losses

    monkeypatch.setattr(losses, "check_fields", lambda instance: None)
    found, wrong = refusals("losses")
    assert wrong or found != json.loads(RECORD.read_text())["losses"]


def test_a_trace_of_a_failed_call_is_noticed():
    def careless(rows, rng, n):
        rng.random(0 if rows else 3)
        raise ValueError("n must be an integer")

    for rows, there in ([], True), ([1], False):
        bound = inspect.signature(careless).bind(rows, np.random.default_rng(0), 1)
        error = failure(careless, bound, "n", object())
        assert (TRACE in getattr(error, "__notes__", ())) == there


def record():
    """Write what is taken now: a line for each function."""
    parts = []
    for room in ROOMS:
        with (
            tempfile.TemporaryDirectory() as folder,
            contextlib.chdir(folder),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            found = refusals(room)[0]
        rows = ",\n".join(f" {json.dumps(name)}: {json.dumps(row)}" for name, row in found.items())
        parts.append(f"{json.dumps(room)}: {{\n{rows}}}")
    RECORD.write_text("{\n" + ",\n".join(parts) + "\n}\n")


if __name__ == "__main__":
    record()
