"""The counter of code sees tokens, and neither docstrings nor comments nor empty lines."""

import count_code

SOURCE = '''"""A module
of two lines."""

import os  # a comment


class Box:
    """A box."""

    # only a comment
    text = """two
lines"""


async def answer():
    """Answer."""
    return [
        42,
    ]
'''


def test_a_line_counts_if_it_holds_code():
    assert count_code.code_lines(SOURCE) == 8
    assert count_code.code_lines('x = 1\n"no docstring here"\n') == 2
    assert count_code.code_lines("") == 0
