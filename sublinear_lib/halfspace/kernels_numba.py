"""The set of compiled kernels, which run without the interpreter lock and hold no Python objects.

The search of the tree is in :mod:`sublinear_lib.halfspace.kernels_numba_tree`, the scan in
:mod:`sublinear_lib.halfspace.kernels_numba_scan`, and the vector operations of both are in
:mod:`sublinear_lib._vector_code`.  Know before changing any: free places are NaN, and
every test is written so that NaN fails it; only the contraction of products and sums is allowed to
the compiler (``fastmath``), since the error bounds hold with and without it, and assuming away NaN
would break the search.
"""

from __future__ import annotations

from dataclasses import dataclass

from sublinear_lib._typing import FloatArray
from sublinear_lib.halfspace.filtering import Batch
from sublinear_lib.halfspace.kernels import GROUP, Filtered, FlatTree, PointBlocks
from sublinear_lib.halfspace.kernels_numba_scan import scan
from sublinear_lib.halfspace.kernels_numba_tree import SMALLEST_BUFFER, search
from sublinear_lib.halfspace.protocol import Output

__all__ = ["NumbaKernels"]


@dataclass(frozen=True)
class NumbaKernels:
    """Compiled kernels.

    Parameters
    ----------
    buffer : int, default 4096
        Rows the first output buffer has room for; buffers grow as needed.
    """

    buffer: int = SMALLEST_BUFFER

    @property
    def name(self) -> str:
        """The value of ``kernels=`` that selects this set."""
        return "numba"

    def search(self, tree: FlatTree, batch: Batch, output: Output) -> Filtered:
        """Walk down the tree with packets of queries."""
        return search(tree, batch, output, buffer=self.buffer)

    @property
    def block(self) -> int:
        """Places in a block of a table."""
        return GROUP

    def scan(
        self, table: PointBlocks, batch: Batch, output: Output, levels: FloatArray | None = None
    ) -> Filtered:
        """Score every point for every query, a block of points for four queries at a time."""
        return scan(table, batch, levels, output, buffer=self.buffer)
