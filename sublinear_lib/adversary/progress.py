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
    """Show a bar for a while."""
    if not wanted:
        yield lambda: None
        return
    from tqdm.auto import tqdm

    with tqdm(total=total, desc=title, unit=f" {unit}") as bar:
        yield bar.update
