"""`Explorer`: the page shows the function, at every position, in the same bytes every time."""

import base64
import json
import math

import numpy as np
import pytest

from sublinear_lib.plotting import PAGE_HTML, Picture, grouped
from sublinear_lib.widgets import Axis, Choice, Explorer, HalfPlane, Line, Points, Rule, View
from sublinear_lib.widgets import table as tables
from sublinear_lib.widgets.controls import Slider

WIDTHS = [2**k for k in range(4, 10)]
SHIFTS = [round(0.1 * k, 1) for k in range(21)]


def decay(m, tau, kind):
    """Return a view that depends on all three controls."""
    t = np.linspace(0.0, 4.0, 33)
    power = 1.0 if kind == "slow" else 2.0
    y = np.exp(-power * t - tau) / math.sqrt(m)
    here = math.exp(-power * tau - tau) / math.sqrt(m)
    return View(
        x=Axis(label="*t*"),
        y=Axis(label="height", scale="log10"),
        marks=[
            Line(t, y, label="exp(−*t*)"),
            Points([tau], [here], role="c2"),
            Rule(tau, label="τ", role="c3", drag="tau"),
        ],
        sentence=f"With *m* = {m} and τ = {tau:g} the {kind} curve stands at {here:.4g}.",
        readouts={"height": f"{here:.4g}"},
        warning="τ is beyond 1.5." if tau > 1.5 else None,
    )


RULE, HALF = Rule(0.5, drag="t"), HalfPlane((1, 1), 1, drag="kind")
LINES = [Line([0, 1], [0, 1])]
UNIT = {axis: Axis(label=axis, limits=(0, 1)) for axis in "xy"}
CONTROLS = [
    Slider("m", "width *m*", WIDTHS, start=64, format=grouped),
    Slider("tau", "threshold τ", SHIFTS, start=0.5, format="{:.1f}"),
    Choice("kind", "kind", {"slow": "slow decay", "fast": "fast decay"}),
]


def drawn(marks=LINES, **more):
    settings = {"x": Axis(label="x"), "y": Axis(label="y"), "sentence": "Ok.", **more}
    return View(**settings, marks=marks)


def explorer(**changes):
    arguments = {
        "function": decay,
        "controls": CONTROLS,
        "title": "A decay",
        "name": "a-decay",
        **changes,
    }
    return Explorer(**arguments)


@pytest.fixture(scope="module")
def made():
    return explorer()


def test_every_stored_view_is_what_the_function_returns(made):
    names = [control.name for control in CONTROLS]
    for position in np.ndindex(*made.shape):
        values = [control.values[k] for control, k in zip(CONTROLS, position, strict=True)]
        chosen = dict(zip(names, values, strict=True))
        direct = decay(**chosen)
        stored = made.stored_view(*position)
        assert stored == made.view(**chosen), chosen
        curve, point, rule = stored["marks"]
        assert np.allclose(curve["y"], np.asarray(direct.marks[0].y), rtol=5e-5, atol=0), chosen
        assert point["x"] == [tables.rounded(float(chosen["tau"]))]
        assert rule["at"] == chosen["tau"]
        assert (stored["sentence"], stored["warning"]) == (direct.sentence, direct.warning)
        assert stored["readouts"] == [list(pair) for pair in direct.readouts.items()]
        assert stored["x"] == made.stored_view(0, 0, 0)["x"], "axes stand still"
        assert stored["y"] == made.stored_view(0, 0, 0)["y"], "axes stand still"


def test_a_stored_view_that_was_changed_leaves_the_table_as_it_is(made):
    before = json.dumps(made.stored_view(1, 2, 0))
    view = made.stored_view(1, 2, 0)
    view["y"]["high"] = -1
    for mark in view["marks"]:
        mark.clear()
    assert json.dumps(made.stored_view(1, 2, 0)) == before


def test_any_value_between_the_ends_can_be_computed(made):
    view = made.view(m=100, tau=0.123456, kind="slow")
    assert view["sentence"] == decay(100, 0.123456, "slow").sentence
    assert view["y"] == made.stored_view(0, 0, 0)["y"], "inside the grid the axis is the shared one"


@pytest.mark.parametrize(
    ("heights", "ends"),
    [({0.0: 1.0, 0.5: 10.0, 1.0: 1.0}, (2, 10)), ({0.0: 0.0, 0.5: 0.01, 1.0: 0.02}, (0.1, 0))],
)
def test_an_axis_grows_only_for_a_typed_value_that_needs_more_room(heights, ends):
    def line(a):
        return drawn([Line([0, 1], [0.0, heights[a]])])

    one = Explorer(line, [Slider("a", "a", [0.0, 1.0])], title="A line", name="one")
    stored, typed = one.stored_view(0)["y"], one.view(a=0.5)["y"]
    assert stored["low"] == 0, "an axis that starts at zero keeps its zero"
    assert stored["high"] < ends[0] and typed["high"] >= ends[1]
    assert (typed == stored) == (heights[0.5] < 1)


def test_the_state_is_plain_small_and_the_same_for_the_same_function(made):
    again, names = explorer(), ["_table", "_spec", "_key", "position"]
    state = made.get_state(names)
    assert state == again.get_state(names) == json.loads(json.dumps(state))
    assert len(made._table) < 40_000 and len(json.dumps(made._spec)) < 2_000
    first, second = (one._repr_mimebundle_()[0] for one in (made, again))
    for kind in (PAGE_HTML, "image/png", "text/plain"):
        assert first[kind] == second[kind], kind
    assert made._key != explorer(title="Another decay")._key
    assert repr(made) == (
        "Explorer('A decay', m: 6 values from 16 to 512, tau: 21 values from 0.0 to 2.0, "
        "kind: 2 options; 252 positions)"
    )


def test_the_still_picture_shows_the_start_and_says_its_sentence(made):
    still = made.still()
    assert isinstance(still, Picture) and still.name == "a-decay"
    assert still.alt == "A decay: With m = 64 and τ = 0.5 the slow curve stands at 0.04598."
    assert "stands at 0.04598" in still.html
    bundle, _ = made._repr_mimebundle_()
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == made.model_id
    page = bundle[PAGE_HTML]
    assert f'data-sl-widget="{made._key}"' in page and "<svg " in page
    assert "width m = 64, threshold τ = 0.5, kind = slow decay" in page
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert made.model_id not in page, "model ids change from run to run"


def answers(one, *messages):
    sent = []
    one.send = lambda content, buffers=None: sent.append(content)
    for message in messages:
        one._answer(one, message, [])
    return sent


def ask(**values):
    return {"kind": "evaluate", "client": "c", "request": 7, "values": values}


def test_python_computes_a_typed_value_with_the_same_function():
    one = explorer()
    hello = {"kind": "hello", "client": "c"}
    ready, answer = answers(one, hello, ask(m=100, tau=0.77, kind="fast"))
    assert ready == {"kind": "ready", "client": "c"}
    assert (answer["kind"], answer["client"], answer["request"]) == ("view", "c", 7)
    assert tables.decode(answer["table"], 0) == one.view(m=100, tau=0.77, kind="fast")
    assert answer["texts"] == ["100", "0.8", "fast decay"]
    assert json.loads(json.dumps(answer)) == answer


@pytest.mark.parametrize(
    ("values", "control", "message"),
    [
        ({"m": 513, "tau": 0.5, "kind": "slow"}, "m", "m must be an integer >= 16 and <= 512"),
        ({"m": 16.5, "tau": 0.5, "kind": "slow"}, "m", "m must be an integer >= 16 and <= 512"),
        ({"m": 16, "tau": 2.5, "kind": "slow"}, "tau", "tau must be a finite number >= 0"),
        ({"m": 16, "tau": 0.5}, "kind", "kind must be one of"),
    ],
)
def test_a_bad_value_is_answered_in_words(values, control, message):
    (answer,) = answers(explorer(), ask(**values))
    assert answer["kind"] == "error"
    assert answer["control"] == control
    assert answer["message"].startswith(message)


def test_an_error_of_function_or_format_is_answered_in_words():
    def named(a):
        return {0.0: "none", 1.0: "all"}[a]

    fragile = Slider("a", "a", [0.0, 1.0])
    shown = Slider("a", "a", [0.0, 1.0], format=named)
    for one in (
        Explorer(lambda a: drawn(sentence=named(a)), [fragile], title="Fragile", name="one"),
        Explorer(lambda a: drawn(), [shown], title="Named", name="one"),
    ):
        (answer,) = answers(one, ask(a=0.5))
        assert (answer["kind"], answer["message"]) == ("error", "KeyError: 0.5")


def test_a_message_that_is_none_gets_no_answer_and_a_question_without_values_words():
    assert answers(explorer(), None, 3, [], {}, {"kind": "other"}) == []
    (answer,) = answers(explorer(), {"kind": "evaluate", "client": "c", "request": 1})
    assert answer["kind"] == "error"


def test_values_follow_the_position_that_the_page_reports():
    one = explorer()
    assert one.values == {"m": 64, "tau": 0.5, "kind": "slow"}
    one.set_state({"position": [0, 20, 1]})
    assert one.values == {"m": 16, "tau": 2.0, "kind": "fast"}


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"controls": []}, TypeError, "controls must be a sequence of Slider and Choice"),
        ({"controls": [3]}, TypeError, "must be a sequence of Slider and Choice, got int inside"),
        ({"controls": [CONTROLS[0]] * 2}, ValueError, "controls must have different names"),
        ({"function": 3}, TypeError, "function must be callable"),
        ({"function": lambda m: None}, TypeError, "function must accept the controls m, tau, kind"),
        ({"function": lambda **_: 3}, TypeError, "function must return a View, got int at"),
        ({"function": lambda **_: drawn([RULE, *LINES])}, ValueError, "drag must .* got 't'"),
        ({"function": lambda **_: drawn([HALF], **UNIT)}, ValueError, "drag must .* got 'kind'"),
        ({"title": ""}, ValueError, "title must not be empty"),
        ({"title": 3}, TypeError, "title must be a string"),
        ({"description": 3}, TypeError, "description must be a string"),
        ({"tries": "all"}, TypeError, "tries must map texts to values of the controls, got 'all'"),
        ({"tries": {"all": 3}}, TypeError, "tries must map 'all' to values by control, got 3"),
        ({"name": "No Name"}, ValueError, "name must consist of lower-case letters"),
    ],
)
def test_an_explorer_that_cannot_work_is_refused(changes, error, message):
    with pytest.raises(error, match=message):
        explorer(**changes)


def test_too_many_positions_are_refused_before_the_function_is_called_and_a_large_table():
    def fails(**values):
        raise AssertionError("it was called")

    controls = [Slider(name, name, range(200)) for name in ("a", "b")]
    with pytest.raises(ValueError, match="at most 20000 positions together, got 200 x 200 = 40000"):
        Explorer(fails, controls, title="Too many", name="one")

    def noise(k):
        return drawn([Line(np.arange(500), np.random.default_rng(k).random(500))])

    with pytest.raises(ValueError, match=r"must pack into 200000 characters, got .* within="):
        Explorer(noise, [Slider("k", "k", range(300))], title="Noise", name="one")


def test_what_the_function_raises_is_passed_on_with_the_position():
    def broken(m):
        raise ArithmeticError("no such width")

    with pytest.raises(ArithmeticError) as caught:
        Explorer(broken, [Slider("m", "m", [1, 2])], title="Broken", name="one")
    assert any("evaluated at {'m': 1}" in note for note in caught.value.__notes__)


def test_a_view_needs_every_control(made):
    with pytest.raises(TypeError, match="values must be given for m, tau, kind, got"):
        made.view(m=16)
    for outside in ((0, 0), (9, 0, 0), (-1, 0, 0)):
        with pytest.raises(ValueError, match=r".*"):
            made.stored_view(*outside)
