"""Two drawings of a picture are the same where a reader sees no difference, and nowhere else."""

import copy
from types import SimpleNamespace
from unittest.mock import Mock

import nbformat
import pytest
from compare_pictures import PICTURE, alike

DRAWN = (
    '<figure><svg viewBox="0 0 300 200" width="300"><path d="M10 20.5L30-40Q1 .2 3 4" '
    'style="stroke:#1268c8;stroke-width:2"/><text x="12.5" y="7">10<tspan dy="-.4em">6</tspan>'
    "</text></svg><figcaption>0.495 apart</figcaption></figure>"
)


MOVED = [("1 .2", "1-.2"), ("M10 20.5", "M10.4 20.2"), ('x="12.5"', 'x="12.93"')]
MOVED += [("L30-40", "L29.6-40.3")]
CHANGED = [("M10 20.5", "M10.6 20.5"), ("L30-40", "L30 40"), ("L30-40", "L30-40L30-40")]
CHANGED += [("L30-40", "M30-40"), ("#1268c8", "#1268c9"), ("0.495", "0.494")]
CHANGED += [("stroke-width:2", "stroke-width:2.1"), ("0 0 300 200", "0 0 300 200.1")]
CHANGED += [(">6<", ">5<"), (' y="7"', ""), ("</figure>", "</figure> ")]


@pytest.mark.parametrize(("was", "now"), [*MOVED, *CHANGED])
def test_a_place_may_be_half_a_pixel_off_and_nothing_else_may_differ(was, now):
    assert was in DRAWN and alike(DRAWN, DRAWN)
    assert alike(DRAWN, DRAWN.replace(was, now)) == ((was, now) in MOVED)


def test_nbval_compares_pictures_so_and_all_else_to_the_byte():
    plugin = pytest.importorskip("nbval.plugin")

    class Cell:
        parent = SimpleNamespace(skip_compare=())
        colors = plugin.nocolors
        sanitize = staticmethod(str)
        format_output_compare = Mock()

    def same(**changed):
        data = {PICTURE: DRAWN, "text/plain": "as drawn at 10"}
        stored = {"output_type": "display_data", "metadata": {}, "data": data}
        made = copy.deepcopy(stored)
        made["data"].update({key.replace("_", "/"): value for key, value in changed.items()})
        made["data"][PICTURE] = made["data"].pop("picture", DRAWN)
        outputs = ([nbformat.from_dict(each)] for each in (made, stored))
        return bool(plugin.IPyNbCell.compare_outputs(Cell(), *outputs))

    assert same() and same(picture=DRAWN.replace("M10", "M10.1"))
    assert not same(picture=DRAWN.replace("M10", "M12"))
    assert not same(text_plain="as drawn at 10.1")
