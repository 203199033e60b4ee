"""Agg that draws at rounded places, so that a picture has the same bytes on every processor.

The last bits of a number may differ between processors, and Agg moves lines to whole pixels: such a
bit decides about a line exactly between two of them.  So every place is first rounded to 1/256 of a
pixel, the unit of Agg.  A backend in the sense of ``savefig(backend="module://...")``.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.path import Path
from matplotlib.transforms import IdentityTransform, Transform
from numpy.typing import ArrayLike

from sublinear_lib._typing import FloatArray

_UNIT = 256.0


def _rounded(places: ArrayLike) -> FloatArray:
    """Return places in pixels as multiples of 1/256; what is not finite stays as it is."""
    with np.errstate(over="ignore"):  # what lies so far away is not drawn in any case
        rounded: FloatArray = np.round(np.asarray(places, dtype=np.float64) * _UNIT) / _UNIT
    return rounded


def _placed(path: Path, transform: Transform) -> Path:
    """Return the path in rounded pixels, simplified as the given one would be."""
    placed = transform.transform_path(path)
    rounded = Path(_rounded(placed.vertices), placed.codes)
    rounded.should_simplify = path.should_simplify
    rounded.simplify_threshold = path.simplify_threshold
    return rounded


class _Renderer(RendererAgg):
    """The renderer of Agg, given rounded places."""

    def __init__(self, width: float, height: float, dpi: float) -> None:
        super().__init__(width, height, dpi)  # type: ignore[no-untyped-call]
        # The base class has put the methods of Agg on the object, where they hide those of a class.
        self._markers: Any = self.draw_markers
        self._collection: Any = self.draw_path_collection
        vars(self).update(
            draw_markers=self._draw_markers, draw_path_collection=self._draw_path_collection
        )

    def draw_path(self, gc: Any, path: Path, transform: Transform, rgbFace: Any = None) -> None:
        """Draw one path."""
        super().draw_path(  # type: ignore[no-untyped-call]
            gc, _placed(path, transform), IdentityTransform(), rgbFace
        )

    def draw_text(self, gc: Any, x: float, y: float, *arguments: Any, **options: Any) -> None:
        """Draw a text or a formula."""
        x, y = _rounded([x, y]).tolist()
        super().draw_text(  # type: ignore[no-untyped-call]
            gc, x, y, *arguments, **options
        )

    def _draw_markers(
        self,
        gc: Any,
        marker_path: Path,
        marker_transform: Transform,
        path: Path,
        transform: Transform,
        rgbFace: Any = None,
    ) -> None:
        places = _placed(path, transform)
        self._markers(gc, marker_path, marker_transform, places, IdentityTransform(), rgbFace)

    def _draw_path_collection(
        self,
        gc: Any,
        transform: Transform,
        paths: Sequence[Path],
        transforms: Any,
        offsets: Any,
        offset_transform: Transform,
        *looks: Any,
        **options: Any,
    ) -> None:
        if not len(transforms):
            paths = [_placed(path, transform) for path in paths]
            transform = IdentityTransform()
        if len(offsets):
            offsets = _rounded(offset_transform.transform(offsets))
        self._collection(
            gc, transform, paths, transforms, offsets, IdentityTransform(), *looks, **options
        )


class FigureCanvas(FigureCanvasAgg):
    """The canvas that draws with rounded places."""

    _drawn_at: tuple[float, float, float] | None = None

    def get_renderer(self) -> _Renderer:
        """Return the renderer of the figure at its size; another size asks for another one."""
        width, height = self.figure.bbox.size
        key = float(width), float(height), float(self.figure.dpi)
        if self._drawn_at != key:
            self.renderer, self._drawn_at = _Renderer(*key), key
        renderer: _Renderer = self.renderer
        return renderer
