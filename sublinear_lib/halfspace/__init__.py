"""Half-space reporting: which of the stored points lie in a half-space (Section 5.1).

Definition 5.1 asks for a set of points that can be queried, inserted into and removed from;
Algorithm 2 names the operations and Algorithm 1 uses them to find the neurons that fire.  The one
class to use is `HalfspaceIndex`; it answers with `HalfspaceHits`; `alive_on_slice` tells which
neurons can fire on X at all.  `AggregateTree` sums over half-spaces without listing them.
`ConvexLayers`, `ArcStabbing` and `PartitionTree` are the classical structures behind Corollary 5.2,
for low dimensions and for teaching.

Engines, kernels and the float32 filter live in the modules of this package; see
:mod:`sublinear_lib.halfspace.protocol` for what an engine promises and
:mod:`sublinear_lib.halfspace.engine` for why every answer is exact.
"""

from __future__ import annotations

from sublinear_lib.halfspace.aggregates import AggregateTree
from sublinear_lib.halfspace.alive import alive_on_slice
from sublinear_lib.halfspace.arcs import ArcStabbing
from sublinear_lib.halfspace.engine import relative_error as relative_error
from sublinear_lib.halfspace.index import HalfspaceIndex
from sublinear_lib.halfspace.onion import ConvexLayers
from sublinear_lib.halfspace.partition_tree import PartitionTree
from sublinear_lib.halfspace.protocol import HalfspaceHits
from sublinear_lib.halfspace.scan import aligned_zeros as aligned_zeros  # for the trainer

__all__ = [
    "AggregateTree",
    "ArcStabbing",
    "ConvexLayers",
    "HalfspaceHits",
    "HalfspaceIndex",
    "PartitionTree",
    "alive_on_slice",
]
