"""What a picture shows, for tests: its words, and its lines in data units."""

import re

import numpy as np

from sublinear_lib.plotting.palette import LIGHT


def plain(text):
    """Return a text with spaces and minus signs of the keyboard."""
    return re.sub(r"\s", " ", text).replace("\N{MINUS SIGN}", "-")


def alt(picture):
    return plain(picture.alt)


def tells(picture, *words):
    """Assert that the text of a picture says all of this."""
    said = alt(picture)
    assert not [each for each in words if each not in said], said


def texts(picture):
    """Return all labels of a drawing."""
    found = re.findall(r"<text[^>]*>(.*?)</text>", picture.html)
    return [plain(re.sub("<[^>]+>", "", text)) for text in found]


def lines(picture, role=None, marker=""):
    """Return the points of every line, of those with one color or marker, in data units."""
    return [
        np.asarray(line.get_xydata(), dtype=np.float64)
        for each in picture._figures
        for axes in each.axes
        for line in axes.lines
        if role in (None, next((r for r, v in LIGHT.items() if v == line.get_color()), None))
        and (not marker or line.get_marker() == marker)
    ]
