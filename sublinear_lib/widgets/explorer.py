"""`Explorer`: a Python function of a few controls, turned into a figure that readers can move.

When the notebook runs, the function is evaluated at every position of its controls; the front end
(``static/explorer.js``) draws the stored views without a kernel.  With a live one, number boxes
appear.  Before changing it, know who else reads the state: ``book/_static/widgets-boot.js`` finds
it by ``_key``, and its bytes may depend on nothing but the function's values.
"""

from __future__ import annotations

import copy
import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import traitlets

from sublinear_lib.plotting.checks import checked_text, plain_name
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_html, to_plain
from sublinear_lib.widgets import table as tables
from sublinear_lib.widgets._common import (
    STATIC,
    Widget,
    checked_controls,
    checked_function,
    style_sheet,
)
from sublinear_lib.widgets.controls import Choice, Control, Slider
from sublinear_lib.widgets.still import still_picture
from sublinear_lib.widgets.views import HalfPlane, Rule, View


class Explorer(Widget):
    """A figure with controls, tabulated when the notebook runs, live when a kernel does.

    The function takes the values of the controls as keywords and returns a `View`.  It must be
    pure: the same values give the same view.  The product of the numbers of values of the controls
    is the number of positions, at most 20 000; the packed table has at most 200 000 characters.
    `title` says what the explorer asks or shows and `description` what to try, in the house markup;
    `name` is unique on the page; `tries` are buttons that set suggested values, by control.

    TypeError or ValueError say what is wrong with an argument.  What the function itself raises is
    passed on, with a note that gives the position.  Axes without limits get ends that hold the data
    of all positions, so nothing jumps while a slider moves.  Numbers are stored with five
    significant digits.

    >>> def parabola(a: float) -> View:
    ...     xs = [x / 10 for x in range(-10, 11)]
    ...     return View(
    ...         x=Axis(label="*x*"),
    ...         y=Axis(label="*y*"),
    ...         marks=[Line(xs, [a * x * x for x in xs], label="*a* *x*^{2}")],
    ...         sentence=f"With a = {a:g} the curve reaches {a:g} at both ends.",
    ...     )
    >>> from sublinear_lib.widgets import Axis, Line, Slider, View
    >>> steepness = Slider("a", "steepness *a*", [0.5, 1.0, 2.0])
    >>> Explorer(parabola, [steepness], title="A parabola", name="parabola")
    Explorer('A parabola', a: 3 values from 0.5 to 2.0; 3 positions)
    """

    _esm = (STATIC / "explorer.js").read_text(encoding="utf-8")
    _css = style_sheet()

    _spec = traitlets.Dict().tag(sync=True)
    _table = traitlets.Unicode().tag(sync=True)
    position = traitlets.List(traitlets.Int()).tag(sync=True)

    def __init__(
        self,
        function: Callable[..., View],
        controls: Sequence[Control],
        *,
        title: str,
        name: str,
        description: str = "",
        tries: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.controls = checked_controls(controls, Slider, Choice)
        self._function = checked_function(function, self.controls)
        self.title = checked_text(title, "title")
        self.description = checked_text(description, "description", empty=True)
        self.name = plain_name(name)
        self._start = [control.start_position for control in self.controls]
        buttons = self._buttons({} if tries is None else tries)
        views = self._evaluate_everywhere()
        self._axis_data = tables.data_of_axes(views)
        self._decoded = tables.encode(views, tables.shared_limits((), self._axis_data))
        packed = tables.pack(self._decoded)
        if len(packed) > tables.LARGEST_TABLE:
            raise ValueError(
                f"the table of an explorer must pack into {tables.LARGEST_TABLE} characters, got "
                f"{len(packed)} for {len(views)} positions: use fewer values or fewer points, or "
                "cut a shared curve with within="
            )
        spec = {
            "title": self.title,
            "description": self.description,
            "controls": [control.spec() for control in self.controls],
            "start": self._start,
            "tries": buttons,
        }
        # The key is that of the table, not of its compressed form, which depends on zlib.
        content = json.dumps([spec, self._decoded], sort_keys=True)
        super().__init__(content, _spec=spec, _table=packed, position=list(self._start))
        self.on_msg(self._answer)

    # ---- the table -----------------------------------------------------------------------------

    def _buttons(self, tries: object) -> list[list[object]]:
        """Return for each button its text and which values it sets, ``None`` where it sets none."""
        if not isinstance(tries, Mapping):
            raise TypeError(f"tries must map texts to values of the controls, got {tries!r}")
        known = {control.name: control.values for control in self.controls}
        for text, wanted in tries.items():
            checked_text(text, "text of tries")
            if not isinstance(wanted, Mapping):
                raise TypeError(f"tries must map {text!r} to values by control, got {wanted!r}")
            for name, value in wanted.items():
                if value not in known.get(name, ()):
                    raise ValueError(
                        f"tries must name values of the controls, got {name}={value!r}"
                    )
        return [
            [text, [v.index(wanted[name]) if name in wanted else None for name, v in known.items()]]
            for text, wanted in tries.items()
        ]

    def _evaluate_everywhere(self) -> list[View]:
        if (positions := math.prod(self.shape)) > tables.MOST_POSITIONS:
            raise ValueError(
                f"controls must have at most {tables.MOST_POSITIONS} positions together, got "
                f"{' x '.join(map(str, self.shape))} = {positions}"
            )
        grid = itertools.product(*(control.values for control in self.controls))
        names = [control.name for control in self.controls]
        return [self._evaluate(dict(zip(names, values, strict=True))) for values in grid]

    def _evaluate(self, values: dict[str, Any]) -> View:
        try:
            view = self._function(**values)
        except Exception as error:
            error.add_note(f"while the explorer {self.title!r} was evaluated at {values}")
            raise
        if not isinstance(view, View):
            raise TypeError(f"function must return a View, got {type(view).__name__} at {values}")
        sliders = {control.name for control in self.controls if isinstance(control, Slider)}
        for mark in view.marks:
            drag = mark.drag if isinstance(mark, Rule | HalfPlane) else None
            if drag is not None and drag not in sliders:
                raise ValueError(
                    f"drag must name a slider of the explorer, got {drag!r} beside "
                    f"{sorted(sliders)}"
                )
        return view

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of values of the controls; their product is the number of positions."""
        return tuple(len(control.values) for control in self.controls)

    @property
    def values(self) -> dict[str, Any]:
        """The values of the controls where they stand now, by name."""
        return {
            control.name: control.values[place]
            for control, place in zip(self.controls, self.position, strict=True)
        }

    def stored_view(self, *position: int) -> dict[str, Any]:
        """Return the view that the page shows at a position, from the packed table.

        The position has the number of its value for each control; the view is a new one, as of
        `sublinear_lib.widgets.table.decode`.
        """
        number = int(np.ravel_multi_index(position, self.shape))
        return copy.deepcopy(tables.decode(self._unpacked, number))  # the table stays as it is

    @cached_property
    def _unpacked(self) -> dict[str, Any]:
        """The table as the page reads it."""
        return tables.unpack(self._table)

    def view(self, **values: Any) -> dict[str, Any]:
        """Call the function and return the view as the front end would draw it.

        There is one value for each control; sliders take any value between their ends.  What a
        control does not accept is refused in words.
        """
        return tables.decode(self._live_table(values), 0)

    def _live_table(self, values: Mapping[str, Any]) -> dict[str, Any]:
        names = [control.name for control in self.controls]
        if set(values) != set(names):
            raise TypeError(f"values must be given for {', '.join(names)}, got {sorted(values)}")
        accepted: dict[str, Any] = {
            control.name: control.accept(values[control.name]) for control in self.controls
        }
        view = self._evaluate(accepted)
        return tables.encode([view], tables.shared_limits([view], self._axis_data))

    # ---- the live kernel -----------------------------------------------------------------------

    def _answer(self, _widget: object, content: object, _buffers: object) -> None:
        """Answer a message of the front end; a damaged one gets no answer."""
        if not isinstance(content, dict):
            return
        client, kind = content.get("client"), content.get("kind")
        if kind == "hello":
            self.send({"kind": "ready", "client": client})
        elif kind == "evaluate":
            answer = {"client": client, "request": content.get("request")}
            self.send(answer | self._computed(content.get("values")))

    def _computed(self, values: object) -> dict[str, Any]:
        if not isinstance(values, dict):
            return {"kind": "error", "message": "no values were sent"}
        for control in self.controls:
            try:
                control.accept(values.get(control.name))
            except (TypeError, ValueError) as error:
                return {"kind": "error", "control": control.name, "message": str(error)}
        try:
            table = self._live_table(values)
            texts = [each.text(each.accept(values[each.name])) for each in self.controls]
        except Exception as error:
            # Whatever function or format raise, the reader gets it in words and keeps the picture.
            return {"kind": "error", "message": f"{type(error).__name__}: {error}"}
        return {"kind": "view", "table": table, "texts": texts}

    # ---- display -------------------------------------------------------------------------------

    def __repr__(self) -> str:
        """Describe the controls; the same for the same arguments."""
        parts = []
        for control in self.controls:
            values, kind = control.values, "options"
            if isinstance(control, Slider):
                kind = f"values from {values[0]} to {values[-1]}"
            parts.append(f"{control.name}: {len(values)} {kind}")
        total = len(self._decoded["grid"])
        return f"Explorer({to_plain(self.title)!r}, {', '.join(parts)}; {total} positions)"

    def still(self) -> Picture:
        """Return the picture of the start, which PDF readers and readers without scripts see."""
        return self._still

    @cached_property
    def _still(self) -> Picture:
        return still_picture(self.stored_view(*self._start), title=self.title, name=self.name)

    def _fallback_html(self) -> str:
        settings = ", ".join(
            f"{to_plain(control.label)} = {to_plain(control.text(control.start))}"
            for control in self.controls
        )
        return (
            f'<div data-sl-widget="{self._key}"><p><strong>{to_html(self.title)}</strong></p>'
            f"{self.still().html}"
            f"<p><small>Shown for {escape(settings, quote=False)}."
            "<noscript> With JavaScript this figure has controls.</noscript></small></p></div>"
        )

    def _forms(self) -> tuple[dict[str, str], dict[str, Any]]:
        """Return the still picture as HTML and PNG, and the description."""
        return self.still().bundle(self._fallback_html(), repr(self))
