"""`LiveLab`: something that runs too long to be tabulated, such as a training, in a live Jupyter.

In the static page a lab is one line that says how to run it; Python makes the controls only when a
front end with a kernel says hello, so the stored bytes depend on the arguments alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets
import traitlets
from IPython.display import display

from sublinear_lib.plotting.checks import checked_text
from sublinear_lib.plotting.richtext import to_html, to_plain
from sublinear_lib.widgets._common import (
    STATIC,
    Widget,
    checked_controls,
    checked_function,
    style_sheet,
)
from sublinear_lib.widgets.controls import Choice, Control, Slider, Text

_HOW = "This lab computes while you watch, in a running Jupyter ('make lab')."
_LIVE = "Set the controls and press Run."
_ELSEWHERE = (
    "This front end cannot place controls inside a figure: call .controls() on the lab in a new "
    "cell to get them there."
)


class LiveLab(Widget):
    """Controls, a Run button and an output in a live Jupyter; one line in the page.

    The function takes the values of the controls as keywords.  What it prints and what it returns
    are shown; it may take its time.  TypeError or ValueError say what is wrong with an argument.
    """

    _esm = (STATIC / "lab.js").read_text(encoding="utf-8")
    _css = style_sheet()

    _title = traitlets.Unicode().tag(sync=True)
    _how = traitlets.Unicode(_HOW).tag(sync=True)
    _live = traitlets.Unicode(_LIVE).tag(sync=True)
    _elsewhere = traitlets.Unicode(_ELSEWHERE).tag(sync=True)

    def __init__(
        self, function: Callable[..., Any], controls: Sequence[Control | Text], *, title: str
    ) -> None:
        self._controls = checked_controls(controls, Slider, Choice, Text)
        self._function = checked_function(function, self._controls)
        self.title = checked_text(title, "title")
        content = json.dumps([title, [control.spec() for control in self._controls]])
        super().__init__(content, _title=to_plain(self.title))
        self.on_msg(self._hello)

    def controls(self) -> ipywidgets.VBox:
        """Return fresh controls, a Run button and an output area, for a running Jupyter."""
        return ipywidgets.VBox(self._fresh_controls())

    def _fresh_controls(self) -> list[ipywidgets.Widget]:
        inputs: list[Any] = []
        style = {"description_width": "12rem"}
        layout = ipywidgets.Layout(width="100%", max_width="36rem")
        for control in self._controls:
            look = {"description": to_plain(control.label), "style": style, "layout": layout}
            if isinstance(control, Text):
                inputs.append(ipywidgets.Text(value=control.start, **look))
                continue
            options = [(to_plain(control.text(v)), v) for v in control.values]
            named = isinstance(control, Choice)
            kind = ipywidgets.Dropdown if named else ipywidgets.SelectionSlider
            inputs.append(kind(options=options, index=control.start_position, **look))
        button = ipywidgets.Button(description="Run", button_style="primary", icon="play")
        output = ipywidgets.Output()

        def run(_button: object) -> None:
            values = {c.name: i.value for c, i in zip(self._controls, inputs, strict=True)}
            button.disabled, button.description = True, "Running"
            output.clear_output(wait=True)
            with output:
                self.run(**values)
            button.disabled, button.description = False, "Run"

        button.on_click(run)
        return [*inputs, button, output]

    def run(self, **values: Any) -> None:
        """Call the function and display what it returns; an error is shown in words."""
        try:
            result = self._function(**values)
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
            return
        if result is not None:
            display(result)  # type: ignore[no-untyped-call]

    def _hello(self, _widget: object, content: object, _buffers: object) -> None:
        if isinstance(content, dict) and content.get("kind") == "hello":
            models = [widget.model_id for widget in self._fresh_controls()]
            self.send({"kind": "controls", "client": content.get("client"), "models": models})

    def __repr__(self) -> str:
        """Describe the lab; the same for the same arguments."""
        names = ", ".join(control.name for control in self._controls)
        return f"LiveLab({to_plain(self.title)!r}, controls: {names})"

    def _forms(self) -> tuple[dict[str, str], dict[str, Any]]:
        """Return the line of the page, and the description."""
        html = f"<p><strong>{to_html(self.title)}</strong>. {_HOW}</p>"
        return {"text/html": html, "text/plain": repr(self)}, {}
