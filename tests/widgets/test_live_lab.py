"""`LiveLab`: one line in the page, controls where a kernel and a reader are."""

import json

import ipywidgets
import pytest

from sublinear_lib.widgets import Choice, LiveLab
from sublinear_lib.widgets.controls import Slider

CONTROLS = [
    Slider("m", "width *m*", [64, 128, 256], start=128),
    Choice("kind", "activation", {"jump": "with a jump", "cont": "continuous"}),
]


def lab(function=lambda m, kind: (m, kind), **changes):
    arguments = {"controls": CONTROLS, "title": "Train it *yourself*", **changes}
    return LiveLab(function, **arguments)


def test_the_page_has_one_line():
    bundle, _ = lab()._repr_mimebundle_()
    assert bundle["text/html"].count("<p>") == 1 and "running Jupyter" in bundle["text/html"]
    assert "Train it <i>yourself</i>" in bundle["text/html"] and "image/png" not in bundle
    assert bundle["text/plain"] == repr(lab())
    assert repr(lab()) == "LiveLab('Train it yourself', controls: m, kind)"
    state = lab().get_state(["_key", "_title", "_how", "_live", "_elsewhere"])
    assert state == lab().get_state([*state]) == json.loads(json.dumps(state))


def test_no_control_exists_before_a_reader_is_there():
    made = []
    ipywidgets.Widget.on_widget_constructed(lambda widget: made.append(type(widget).__name__))
    try:
        lab()._repr_mimebundle_()
    finally:
        ipywidgets.Widget.on_widget_constructed(None)
    assert sorted(made) == ["Layout", "LiveLab"]


def test_a_hello_is_answered_with_fresh_controls():
    one, sent = lab(), []
    one.send = lambda content, buffers=None: sent.append(content)
    one._hello(one, {"kind": "hello", "client": "c"}, [])
    one._hello(one, {"kind": "other"}, [])
    one._hello(one, None, [])
    (answer,) = sent
    assert (answer["kind"], answer["client"]) == ("controls", "c")
    assert len(answer["models"]) == len(CONTROLS) + 2, "the controls, the button, the output"


def test_the_run_button_calls_the_function_with_the_values_of_the_controls():
    calls = []
    box = lab(lambda m, kind: calls.append((m, kind))).controls()
    width, kind, button, output = box.children
    assert (width.value, kind.value) == (128, "jump")
    assert (width.description, kind.description) == ("width m", "activation")
    width.index, kind.index = 2, 1
    button.click()
    assert calls == [(256, "cont")]
    assert (button.disabled, button.description) == (False, "Run")
    assert isinstance(output, ipywidgets.Output)


def test_what_is_returned_is_displayed_and_an_error_is_words(monkeypatch, capsys):
    shown = []
    monkeypatch.setattr("sublinear_lib.widgets.live_lab.display", shown.append)
    lab(lambda m, kind: f"{m} {kind}").run(m=64, kind="jump")
    lab(lambda m, kind: None).run(m=64, kind="jump")
    assert shown == ["64 jump"]
    lab(lambda m, kind: m // 0).run(m=3, kind="jump")
    assert capsys.readouterr().out.startswith("ZeroDivisionError: integer division")


def test_a_lab_that_cannot_work_is_refused():
    for changes, message in (
        ({"title": " "}, "title must not be empty"),
        ({"controls": []}, "controls must be a sequence of Slider, Choice and Text, got"),
        ({"function": lambda m: m}, "function must accept the controls m, kind"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            lab(**changes)
