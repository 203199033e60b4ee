"""A progress bar for attacks and certificates that take long.

Looking for the adversary of Definition 3.3 in many caps can take minutes, that of Definition 3.4
hours.  Know before using it: a bar is a view and nothing else, so results are the same with and
without one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(
    total: int | None, title: str, wanted: bool, unit: str = "part"
) -> Iterator[Callable[[], object]]:
    """Show a bar for a while.

    Parameters
    ----------
    total : int or None
        How many parts there are, if that is known.
    title : str
        What is going on.
    wanted : bool
        Whether to show anything at all.
    unit : str, default "part"
        What is counted.

    Yields
    ------
    callable
        To be called after every part.  The bar is closed however its block is left.
    """
    if not wanted:
        yield lambda: None
        return
    from tqdm.auto import tqdm

    with tqdm(total=total, desc=title, unit=f" {unit}") as bar:
        yield bar.update
