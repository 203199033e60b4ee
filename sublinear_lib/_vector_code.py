"""The only vector instructions written by hand: scores and boxes to bit masks, masks to rows.

A query of Definition 5.1 spends its time in a few operations: four half-spaces against a block of
64 points, four half-spaces against the boxes of a node, and the rows of the bits that are set.
Compilers find the vectors of the sums but not the way from a comparison to a mask, nor the
compression of rows by a mask, so these operations are given here as LLVM vector code.  It names no
processor: vectors of sixteen float32 are one register with AVX-512, and code for eight serves AVX2
and NEON.  Every operation has a *plain twin*, an ordinary loop with the same signature, and both
give the same masks bit for bit wherever both round alike; callers cannot tell which one they call.

Measured on one core with AVX-512 against the plain twins: scores 7 times as fast at d = 3, 4.5 at
d = 8 and 2.5 at d = 32, boxes 11, 7 and 3 times, rows 1.7 to 9 times from one bit in ten on; with
AVX2 alone scores 5, 3.4 and 1.7 times, boxes 5.6, 3.6 and 1.9 times.  Fewer bits, and all rows
without AVX-512, are taken bit by bit, which nothing beats there.

The first argument of every operation is a `Code`: ``PLAIN`` takes the twins, `host_code` returns
the best for this processor.  Set the environment variable ``SUBLINEAR_VECTOR=0`` to make that
``PLAIN``.

Know before changing this file:

* numba keeps compiled kernels on disk and looks at the file of the *kernel* alone to see whether
  they are stale.  A `Code` therefore carries a digest of the text of this file in its numba type,
  which is part of the key of every compiled kernel that takes one: after a change here, kernels
  compile anew.  So a kernel must be *handed* its `Code`, never refer to one.
* Arrays are one-dimensional and contiguous, and positions in them are not checked.  `start`,
  `first`, `place`, `where` and `origin` say where something begins; points lie in blocks of 64, one
  coordinate after the other, and rows of `width` numbers, a multiple of 8 (in `pack_rows` of 4),
  one row after the other.
* A comparison with NaN is false: free lanes and missing boxes are NaN and in no mask.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import platform
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from llvmlite.binding import llvm_version_info  # type: ignore[import-untyped]
from numba import carray, types  # type: ignore[attr-defined]
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import NativeValue, intrinsic, models, overload, register_model, unbox

__all__ = [
    "BLOCK",
    "FANOUT",
    "PLAIN",
    "Code",
    "add_chosen",
    "append_changes",
    "append_rows",
    "box_masks",
    "cap_masks",
    "compresses",
    "copy_rows",
    "eight_bands",
    "eight_keys",
    "eight_scores",
    "filled_words",
    "host_code",
    "lowest_bit",
    "merge_keys",
    "ones",
    "pack_rows",
    "packed_signs",
    "prefetch",
    "score_masks",
    "spread_masked",
    "spread_row",
    "squeeze",
    "stale_keys",
    "sum_changes",
    "sum_rows",
]

BLOCK = 64
"""Points of a block: one bit each in a word."""

FANOUT = 32
"""Boxes of a node, as in :mod:`sublinear_lib.halfspace.kernels`."""

# So few bits are appended one by one.
_FEW = 5


# -- The choice of the code ------------------------------------------------------------------------


def _digest() -> str:
    source = __spec__.loader.get_source(__name__)  # type: ignore[union-attr]
    return hashlib.sha256(source.encode()).hexdigest()[:16]


_DIGEST = _digest()


class _CodeType(types.Type):
    """The numba type of a `Code`: which code, and the text it was made from."""

    def __init__(self, lanes: int, digest: str) -> None:
        self.lanes = lanes
        super().__init__(name=f"VectorCode(lanes={lanes}, digest={digest})")


def _unbox(_type: Any, _code: Any, conversion: Any) -> Any:
    return NativeValue(conversion.context.get_dummy_value())  # type: ignore[no-untyped-call]


_model_of: Any = register_model
_unboxing_of: Any = unbox
_model_of(_CodeType)(models.OpaqueModel)
_unboxing_of(_CodeType)(_unbox)


class Code:
    """Which code the operations of this module become."""

    def __init__(self, lanes: int) -> None:
        if lanes not in (0, 8, 16):
            raise ValueError(f"lanes must be 0, 8 or 16, got {lanes!r}")
        self.lanes = lanes
        self._numba_type_ = _CodeType(lanes, _DIGEST)

    def __eq__(self, other: object) -> bool:
        """Return whether both become the same code."""
        return isinstance(other, Code) and self.lanes == other.lanes

    def __hash__(self) -> int:
        """Return a hash of the number of lanes."""
        return hash(self.lanes)

    def __repr__(self) -> str:
        """Return the call that makes this object."""
        return f"Code({self.lanes})"

    def __reduce__(self) -> tuple[type[Code], tuple[int]]:
        """Return how to make it again: types of numba belong to one process."""
        return Code, (self.lanes,)


PLAIN = Code(0)
"""The plain twins."""


def host_code() -> Code:
    """Return the code for the processor that numba compiles for.

    It has sixteen lanes with AVX-512 where LLVM compresses vectors (`compresses`), eight with
    AVX2 or on 64-bit ARM; the plain twins elsewhere and where the environment variable
    ``SUBLINEAR_VECTOR`` is 0.
    """
    if os.environ.get("SUBLINEAR_VECTOR", "1") == "0":
        return PLAIN
    return _code_of_processor()


def compresses() -> bool:
    """Return whether numba's LLVM compresses vectors by a mask, as code for sixteen lanes does.

    True from LLVM 20 on, which numba has had since 0.62; before it was LLVM 15.
    """
    return bool(llvm_version_info[0] >= 20)


@functools.cache
def _features() -> frozenset[str]:
    """Return what the processor can do; asking numba for it takes longer than many a query."""
    return frozenset(cpu_target.target_context.codegen().magic_tuple()[2].split(","))


@functools.cache
def _code_of_processor() -> Code:
    """Return what suits the processor."""
    features = _features()
    if "+avx512f" in features and "+avx512bw" in features and compresses():
        return Code(16)
    arm = platform.machine().lower() in {"arm64", "aarch64"}
    return Code(8) if "+avx2" in features or arm else PLAIN


# -- Pieces of LLVM code ---------------------------------------------------------------------------

_numba_tools: Any = cgutils
_BIT = ir.IntType(1)
_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)
_FLOAT = ir.FloatType()
_CONTRACT = ("contract",)


def _number(value: int) -> Any:
    return ir.Constant(_INT64, value)


class _Writer:
    """Writes vector code for the arguments of one operation."""

    def __init__(
        self,
        context: Any,
        builder: Any,
        signature: Any,
        arguments: Sequence[Any],
        names: Sequence[str],
    ) -> None:
        self.context = context
        self.builder = builder
        self.lanes = getattr(signature.args[0], "lanes", 16)
        self.floats = ir.VectorType(_FLOAT, self.lanes)
        self._types = dict(zip(names, signature.args, strict=True))
        self._values = dict(zip(names, arguments, strict=True))

    def kind(self, name: str) -> Any:
        """Return the numba type of an argument."""
        return self._types[name]

    def value(self, name: str) -> Any:
        """Return a number among the arguments."""
        return self._values[name]

    def array(self, name: str, position: Any) -> Any:
        """Return the address of an element of an array."""
        array = self.context.make_array(self._types[name])(
            self.context, self.builder, self._values[name]
        )
        return self.builder.gep(array.data, [position])

    def size(self, name: str) -> Any:
        """Return the length of an array."""
        return self.context.make_array(self._types[name])(
            self.context, self.builder, self._values[name]
        ).nitems

    def number(self, name: str, position: Any) -> Any:
        """Return an element of an array."""
        return self.builder.load(self.array(name, position))

    def vector(self, address: Any, kind: Any = None, align: int = 4) -> Any:
        """Load a vector from an address that need only be aligned like a 32-bit number."""
        kind = self.floats if kind is None else kind
        return self.builder.load(self.builder.bitcast(address, kind.as_pointer()), align=align)

    def spread(self, number: Any, kind: Any = None) -> Any:
        """Return a vector all of whose elements are one number."""
        kind = self.floats if kind is None else kind
        nothing = ir.Constant(kind, ir.Undefined)
        first = self.builder.insert_element(nothing, number, ir.Constant(_INT32, 0))
        zeros = ir.Constant(ir.VectorType(_INT32, kind.count), [0] * kind.count)
        return self.builder.shuffle_vector(first, nothing, zeros)

    def product(self, one: Any, other: Any, total: Any) -> Any:
        """Return ``one * other + total``, in one operation where there is one."""
        term = self.builder.fmul(one, other, flags=_CONTRACT)
        return self.builder.fadd(total, term, flags=_CONTRACT)

    def compared(self, sign: str, left: Any, right: Any) -> Any:
        """Return a vector of bits that say how the elements compare; NaN gives 0."""
        return self.builder.fcmp_ordered(sign, left, right)

    def word(self, bits: Sequence[Any]) -> Any:
        """Return the word of consecutive vectors of bits, two, four or eight of them or one."""
        # Joined before they leave the registers for masks, which takes half as long as after.
        while len(bits) > 1:
            width = 2 * bits[0].type.count
            order = ir.Constant(ir.VectorType(_INT32, width), list(range(width)))
            bits = [
                self.builder.shuffle_vector(left, right, order)
                for left, right in zip(bits[::2], bits[1::2], strict=True)
            ]
        width = bits[0].type.count
        word = self.builder.bitcast(bits[0], ir.IntType(width))
        return word if width == BLOCK else self.builder.zext(word, _INT64)

    def store(self, vector: Any, name: str, position: Any, align: int = 4) -> None:
        """Store a vector in an array, from a position on."""
        address = self.builder.bitcast(self.array(name, position), vector.type.as_pointer())
        self.builder.store(vector, address, align=align)

    def loop(
        self,
        stop: Any,
        totals: Sequence[Any],
        step: Callable[[Any, list[Any]], list[Any]],
        stride: int = 1,
    ) -> list[Any]:
        """Return what becomes of totals over ``k = 0, stride, ... < stop`` (at least one k).

        ``step(k, totals)`` writes the code for one k and returns the new totals.
        """
        builder = self.builder
        before = builder.block
        loop, after = builder.append_basic_block("loop"), builder.append_basic_block("looped")
        builder.branch(loop)
        builder.position_at_end(loop)
        k = builder.phi(_INT64)
        k.add_incoming(_number(0), before)
        present = [builder.phi(total.type) for total in totals]
        for phi, total in zip(present, totals, strict=True):
            phi.add_incoming(total, before)
        added = step(k, present)
        following = builder.add(k, _number(stride))
        k.add_incoming(following, builder.block)
        for phi, new in zip(present, added, strict=True):
            phi.add_incoming(new, builder.block)
        builder.cbranch(builder.icmp_signed("<", following, stop), loop, after)
        builder.position_at_end(after)
        return added

    def repeated(
        self,
        first: Any,
        stride: int,
        goes_on: Callable[[Any], Any],
        totals: Sequence[Any],
        step: Callable[[Any, list[Any]], list[Any]],
    ) -> tuple[Any, list[Any]]:
        """Return what becomes of k and of totals over ``k = first, first + stride, ...``.

        ``goes_on(k)`` writes whether there is another round, ``step(k, totals)`` the round itself.
        """
        builder, before = self.builder, self.builder.block
        test, body, after = (builder.append_basic_block(name) for name in ("test", "body", "after"))
        builder.branch(test)
        builder.position_at_end(test)
        carried = [first, *totals]
        present = [builder.phi(value.type) for value in carried]
        for phi, value in zip(present, carried, strict=True):
            phi.add_incoming(value, before)
        k, *sums = present
        builder.cbranch(goes_on(k), body, after)
        builder.position_at_end(body)
        added = step(k, sums)
        following = [builder.add(k, _number(stride)), *added]
        for phi, value in zip(present, following, strict=True):
            phi.add_incoming(value, builder.block)
        builder.branch(test)
        builder.position_at_end(after)
        return k, sums

    def after(self, name: str, offset: int) -> Any:
        """Return a place that is so far behind one among the arguments."""
        return self.builder.add(self.value(name), _number(offset))

    def masks(self, words: Sequence[Sequence[Any]]) -> None:
        """Store the words of vectors of bits in `masks`, one after the other."""
        for place, bits in enumerate(words):
            self.builder.store(self.word(bits), self.array("masks", _number(place)))

    def sums(self, count: int, dimension: Any, step: Callable[[Any, list[Any]], list[Any]]) -> Any:
        """Return `count` vectors of sums over ``k = 0, ..., dimension - 1`` (at least one k)."""
        return self.loop(dimension, [ir.Constant(self.floats, [0.0] * self.lanes)] * count, step)

    def listed(self, count: int) -> list[Any]:
        """Return the addresses of the rows of `table` that `rows` lists from `start` on."""
        builder, width = self.builder, self.value("width")
        places = [builder.add(self.value("start"), _number(j)) for j in range(count)]
        rows = [builder.sext(self.number("rows", place), _INT64) for place in places]
        return [self.array("table", builder.mul(row, width)) for row in rows]

    def four(self) -> list[Any]:
        """Return the four queries that `queries` lists from `first` on."""
        places = [self.after("first", t) for t in range(4)]
        return [self.builder.sext(self.number("queries", place), _INT64) for place in places]

    def of_listed(self, name: str, kind: Any) -> Any:
        """Return the numbers of an array that belong to the eight rows listed from `start` on."""
        numbers = ir.Constant(kind, ir.Undefined)
        for j in range(8):
            row = self.number("rows", self.after("start", j))
            number = self.number(name, self.builder.sext(row, _INT64))
            numbers = self.builder.insert_element(numbers, number, ir.Constant(_INT32, j))
        return numbers

    def intrinsic(self, name: str, result: Any, *arguments: Any) -> Any:
        """Return a function that LLVM knows."""
        kind = ir.FunctionType(result, arguments)
        return _numba_tools.get_or_insert_function(self.builder.module, kind, name)


def _write_products(writer: _Writer, rows: list[Any], origin: Any, together: int) -> Any:
    """Write the inner products of rows with vectors of points of a block, row by row."""
    builder, lanes = writer.builder, writer.lanes

    def step(k: Any, totals: list[Any]) -> list[Any]:
        line = builder.gep(origin, [builder.mul(k, _number(BLOCK))])
        points = [writer.vector(builder.gep(line, [_number(v * lanes)])) for v in range(together)]
        added = []
        for t, row in enumerate(rows):
            x = writer.spread(builder.load(builder.gep(row, [k])))
            for v in range(together):
                added.append(writer.product(points[v], x, totals[t * together + v]))
        return added

    return writer.sums(len(rows) * together, writer.value("dimension"), step)


def _write_scores(writer: _Writer, together: int) -> None:
    """Write the comparison of four queries with a block, `together` vectors of points at a time."""
    builder, lanes = writer.builder, writer.lanes
    dimension = writer.value("dimension")
    queries = writer.four()
    rows = [writer.array("vectors", builder.mul(q, dimension)) for q in queries]
    radius = writer.value("radius")
    limits = []
    for q in queries:
        slack = builder.fmul(writer.number("spread", q), radius, flags=_CONTRACT)
        low = builder.fsub(writer.number("below", q), slack, flags=_CONTRACT)
        high = builder.fadd(writer.number("above", q), slack, flags=_CONTRACT)
        limits.append((writer.spread(low), writer.spread(high)))
    found: list[tuple[list[Any], list[Any]]] = [([], []) for _ in queries]
    for part in range(0, BLOCK // lanes, together):
        origin = writer.array("points", writer.after("start", part * lanes))
        scores = _write_products(writer, rows, origin, together)
        for t, (low_vector, high_vector) in enumerate(limits):
            for score in scores[t * together : (t + 1) * together]:
                found[t][0].append(writer.compared(">=", score, low_vector))
                found[t][1].append(writer.compared(">", score, high_vector))
    writer.masks([words[kind] for kind in range(2) for words in found])


def _write_caps(writer: _Writer, together: int) -> None:
    """Write the comparison of four queries with a block whose points have bands of their own."""
    builder, lanes = writer.builder, writer.lanes
    dimension = writer.value("dimension")
    queries = writer.four()
    rows = [writer.array("vectors", builder.mul(q, dimension)) for q in queries]
    found: list[tuple[list[Any], list[Any], list[Any]]] = [([], [], []) for _ in queries]
    for part in range(0, BLOCK // lanes, together):
        shift = _number(part * lanes)
        origin = writer.array("points", builder.add(writer.value("start"), shift))
        bands = [
            writer.vector(writer.array("band", writer.after("place", (part + v) * lanes)))
            for v in range(together)
        ]
        scores = _write_products(writer, rows, origin, together)
        for t in range(len(queries)):
            for v, band in enumerate(bands):
                score = scores[t * together + v]
                nothing = ir.Constant(writer.floats, [-0.0] * lanes)
                below = builder.fsub(nothing, band)
                found[t][0].append(builder.not_(writer.compared("<", score, below)))
                found[t][1].append(writer.compared(">", score, band))
                found[t][2].append(writer.compared(">", score, nothing))
    writer.masks([words[kind] for kind in range(3) for words in found])


def _write_eight(writer: _Writer) -> Any:
    """Write the scores of eight listed rows at one point, as one vector."""
    builder = writer.builder
    eight = ir.VectorType(_FLOAT, 8)
    rows = writer.listed(8)
    point = writer.array("vectors", writer.value("place"))

    def step(k: Any, totals: list[Any]) -> list[Any]:
        x = writer.vector(builder.gep(point, [k]), eight)
        return [
            writer.product(writer.vector(builder.gep(row, [k]), eight), x, total)
            for row, total in zip(rows, totals, strict=True)
        ]

    nothing = ir.Constant(eight, [0.0] * 8)
    sums = writer.loop(writer.value("width"), [nothing] * 8, step, 8)
    # Each stage adds the halves of two vectors into one; lane j ends up with the sum of row j.
    for stage in (4, 2, 1):
        merged = []
        for i in range(stage):
            left, right = sums[i], sums[i + stage]
            near = [j + 8 - stage if j & stage else j for j in range(8)]
            far = [j + 8 if j & stage else j + stage for j in range(8)]
            merged.append(
                builder.fadd(
                    _shuffled(writer, left, right, near), _shuffled(writer, left, right, far)
                )
            )
        sums = merged
    return sums[0]


def _shuffled(writer: _Writer, left: Any, right: Any, order: Sequence[int]) -> Any:
    lanes = ir.Constant(ir.VectorType(_INT32, len(order)), list(order))
    return writer.builder.shuffle_vector(left, right, lanes)


def _write_boxes(writer: _Writer, together: int) -> None:
    """Write the comparison of four queries with the boxes of a node."""
    builder, lanes = writer.builder, writer.lanes
    dimension = writer.value("dimension")
    queries = writer.four()
    rows = [writer.array("vectors", builder.mul(q, dimension)) for q in queries]
    absolute = builder.module.declare_intrinsic("llvm.fabs", [_FLOAT])
    limits = [
        (writer.spread(writer.number("below", q)), writer.spread(writer.number("above", q)))
        for q in queries
    ]
    found: list[tuple[list[Any], list[Any]]] = [([], []) for _ in queries]
    for part in range(0, FANOUT // lanes, together):
        start = writer.after("start", part * lanes)
        center, half = writer.array("center", start), writer.array("half", start)

        def step(k: Any, totals: list[Any], center: Any = center, half: Any = half) -> list[Any]:
            line = builder.mul(k, _number(FANOUT))
            places = [builder.add(line, _number(v * lanes)) for v in range(together)]
            middles = [writer.vector(builder.gep(center, [place])) for place in places]
            widths = [writer.vector(builder.gep(half, [place])) for place in places]
            added = []
            for t, row in enumerate(rows):
                number = builder.load(builder.gep(row, [k]))
                x = writer.spread(number)
                size = writer.spread(builder.call(absolute, [number]))
                for v in range(together):
                    place = 2 * (t * together + v)
                    added.append(writer.product(middles[v], x, totals[place]))
                    added.append(writer.product(widths[v], size, totals[place + 1]))
            return added

        sums = writer.sums(2 * len(queries) * together, dimension, step)
        for t, (low, high) in enumerate(limits):
            for v in range(together):
                middle, extent = sums[2 * (t * together + v) :][:2]
                found[t][0].append(writer.compared(">=", builder.fadd(middle, extent), low))
                found[t][1].append(writer.compared(">", builder.fsub(middle, extent), high))
    for t, (reached, inside) in enumerate(found):
        covered = writer.word(inside)
        crossed = builder.and_(writer.word(reached), builder.not_(covered))
        builder.store(crossed, writer.array("masks", _number(t)))
        builder.store(covered, writer.array("masks", _number(len(queries) + t)))


# -- The operations --------------------------------------------------------------------------------

_OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract"}}


def _intrinsic(write: Callable[[_Writer], Any], names: Sequence[str], result: Any) -> Any:
    """Return the intrinsic with these arguments whose code `write` writes.

    Integers are 64 bits wide in it.
    """

    def typed(_context: Any, *kinds: Any) -> Any:
        widened = [types.int64 if isinstance(kind, types.Integer) else kind for kind in kinds]

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            answer = write(_Writer(context, builder, signature, values, names))
            return context.get_dummy_value() if answer is None else answer

        return result(*widened), generate

    parameters = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for name in ("context", *names)
    ]
    typed.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return intrinsic(prefer_literal=True)(typed)


def _in_vectors(
    write: Callable[[_Writer], Any], result: Any = types.void, lanes: Sequence[int] = (8, 16)
) -> Callable[[Any], Any]:
    """Return a decorator of a plain twin: with these lanes calls become what `write` writes."""

    def replaced(plain: Any) -> Any:
        vector = _intrinsic(write, list(inspect.signature(plain).parameters), result)

        def in_vectors(*arguments: Any) -> Any:
            return vector(*arguments)

        def becomes(code: Any, *_others: Any) -> Any:
            return in_vectors if code.lanes in lanes else plain

        _overloaded(plain)(becomes)
        return plain

    return replaced


def _overloaded(operation: Any) -> Any:
    """Return a decorator of the function that says what the calls of an operation become."""
    return overload(operation, jit_options=_OPTIONS, strict=False, prefer_literal=True)


def _bands_of_eight(writer: _Writer) -> Any:
    builder = writer.builder
    scores = _write_eight(writer)
    bands = writer.of_listed("band", scores.type)
    nothing = ir.Constant(scores.type, [-0.0] * 8)
    infinite = writer.compared("==", bands, ir.Constant(scores.type, [float("inf")] * 8))
    below = writer.compared("<", scores, builder.fsub(nothing, bands))
    out = builder.bitcast(builder.or_(below, infinite), ir.IntType(8))
    sure = builder.bitcast(writer.compared(">", scores, bands), ir.IntType(8))
    above = builder.bitcast(writer.compared(">", scores, nothing), ir.IntType(8))
    signs = builder.zext(builder.not_(out), _INT64)
    for bits, shift in ((sure, 8), (above, 16)):
        signs = builder.or_(signs, builder.shl(builder.zext(bits, _INT64), _number(shift)))
    return signs


def _keys_of_eight(writer: _Writer) -> None:
    builder = writer.builder
    scores = _write_eight(writer)
    kind = scores.type
    size_of = writer.intrinsic("llvm.fabs.v8f32", kind, kind)
    signed_as = writer.intrinsic("llvm.copysign.v8f32", kind, kind, kind)
    factors = writer.of_listed("factors", kind)
    nothing = ir.Constant(kind, [0.0] * 8)
    limit = writer.spread(writer.value("limit"), kind)
    size = builder.call(size_of, [scores])
    beyond = builder.fsub(builder.fsub(size, limit), limit)
    beyond = builder.select(writer.compared(">", beyond, nothing), beyond, nothing)
    key = builder.fadd(writer.spread(writer.value("path"), kind), builder.fmul(beyond, factors))
    key = builder.call(signed_as, [key, scores])
    key = builder.select(writer.compared(">", size, limit), key, nothing)
    writer.store(key, "out", writer.value("where"))


def _stale(writer: _Writer) -> Any:
    builder, lanes = writer.builder, writer.lanes
    limit = writer.spread(writer.value("limit"))
    opposite = writer.spread(builder.fsub(ir.Constant(_FLOAT, -0.0), writer.value("limit")))
    stale = []
    for part in range(0, BLOCK, lanes):
        keys = writer.vector(writer.array("keys", writer.after("start", part)))
        above = writer.compared(">", keys, limit)
        stale.append(builder.not_(builder.or_(above, writer.compared("<", keys, opposite))))
    return writer.word(stale)


def _merge(writer: _Writer) -> None:
    """Write `merge_keys` for sixteen lanes, which have an instruction for it."""
    builder, floats = writer.builder, writer.floats
    bits = ir.VectorType(_BIT, 16)
    name = "llvm.masked.expandload.v16f32"
    expand = writer.intrinsic(name, floats, _FLOAT.as_pointer(), bits, floats)
    nothing = ir.Constant(floats, [0.0] * 16)
    mask, place = writer.value("mask"), writer.value("origin")
    above, between = [], []
    for part in range(0, BLOCK, 16):
        some = builder.trunc(builder.lshr(mask, _number(part)), ir.IntType(16))
        where = writer.after("start", part)
        present = writer.vector(writer.array("keys", where))
        keys = builder.call(
            expand, [writer.array("fresh", place), builder.bitcast(some, bits), present]
        )
        writer.store(keys, "keys", where)
        place = builder.add(place, builder.zext(builder.ctpop(some), _INT64))
        active = writer.compared(">", keys, nothing)
        above.append(active)
        between.append(builder.not_(builder.or_(active, writer.compared("<", keys, nothing))))
    writer.masks([above, between])


_SIXTEEN = ir.VectorType(_INT32, 16)
_COMPRESS = "llvm.experimental.vector.compress.v16i32"


def _pack(writer: _Writer) -> None:
    """Write `pack_rows`: four columns of sixteen rows at a time, turned over in registers."""
    builder = writer.builder
    four = ir.VectorType(_INT32, 4)
    rows = writer.listed(16)
    target = writer.array("out", writer.value("place"))

    def joined(pieces: list[Any]) -> Any:
        while len(pieces) > 1:
            order = list(range(2 * pieces[0].type.count))
            pieces = [
                _shuffled(writer, left, right, order)
                for left, right in zip(pieces[::2], pieces[1::2], strict=True)
            ]
        return pieces[0]

    def woven(left: Any, right: Any, pattern: Sequence[int]) -> Any:
        order = [4 * q + (e if e < 4 else e + 12) for q in range(4) for e in pattern]
        return _shuffled(writer, left, right, order)

    def step(k: Any, totals: list[Any]) -> list[Any]:
        parts = [writer.vector(builder.gep(row, [k]), four) for row in rows]
        # Quarter l of vector q is row 4 l + q; each quarter is a square of four rows.
        wide = [joined(parts[q::4]) for q in range(4)]
        low, high, ahead, behind = (0, 4, 1, 5), (2, 6, 3, 7), (0, 1, 4, 5), (2, 3, 6, 7)
        first, second = woven(wide[0], wide[1], low), woven(wide[2], wide[3], low)
        third, fourth = woven(wide[0], wide[1], high), woven(wide[2], wide[3], high)
        columns = [
            woven(first, second, ahead),
            woven(first, second, behind),
            woven(third, fourth, ahead),
            woven(third, fourth, behind),
        ]
        for c, column in enumerate(columns):
            line = builder.mul(builder.add(k, _number(c)), _number(16))
            address = builder.bitcast(builder.gep(target, [line]), _SIXTEEN.as_pointer())
            builder.store(column, address, align=4)
        return totals

    writer.loop(writer.value("width"), [], step, 4)


def _packed(writer: _Writer) -> None:
    """Write `packed_signs`; AVX-512 has an instruction for two products and their sum."""
    builder = writer.builder
    halves = ir.VectorType(ir.IntType(16), 32)
    wide = ir.VectorType(_INT32, 32)

    def of_pairs(left: Any, right: Any) -> Any:
        if writer.lanes == 16 and "+avx512bw" in _features():
            name = "llvm.x86.avx512.pmaddw.d.512"
            pairs = writer.intrinsic(name, _SIXTEEN, halves, halves)
            return builder.call(pairs, [left, right])
        terms = builder.mul(builder.sext(left, wide), builder.sext(right, wide))
        even, odd = (_shuffled(writer, terms, terms, range(first, 32, 2)) for first in (0, 1))
        return builder.add(even, odd)

    width = writer.value("width")
    size = builder.mul(width, _number(16))
    groups = [
        writer.array("packed", builder.add(writer.value("start"), builder.mul(size, _number(g))))
        for g in range(4)
    ]
    point = writer.array("point", _number(0))

    def step(k: Any, totals: list[Any]) -> list[Any]:
        x = writer.spread(builder.load(builder.gep(point, [k])), _SIXTEEN)
        x = builder.bitcast(x, halves)
        line = builder.mul(k, _number(16))
        both = [writer.vector(builder.gep(group, [line]), halves) for group in groups]
        return [builder.add(total, of_pairs(b, x)) for total, b in zip(totals, both, strict=True)]

    sums = writer.loop(width, [ir.Constant(_SIXTEEN, [0] * 16)] * 4, step)
    margin = writer.spread(builder.trunc(writer.value("margin"), _INT32), _SIXTEEN)
    above, between = [], []
    for g, total in enumerate(sums):
        place = writer.after("first", 16 * g)
        limits = writer.vector(writer.array("limits", place), _SIXTEEN)
        on = builder.icmp_signed(">", total, builder.add(limits, margin))
        off = builder.icmp_signed("<", total, builder.sub(limits, margin))
        above.append(on)
        between.append(builder.not_(builder.or_(on, off)))
    writer.masks([above, between])


_EIGHT_DOUBLES = ir.VectorType(ir.DoubleType(), 8)


def _over_columns(
    writer: _Writer, groups: Sequence[int], write: Callable[[Any, int], None]
) -> None:
    """Write loops over groups of so many eights of columns, each as long as a whole one is left."""
    builder = writer.builder
    k = _number(0)
    for together in groups:

        def step(k: Any, totals: list[Any], together: int = together) -> list[Any]:
            write(k, together)
            return totals

        def goes_on(k: Any, together: int = together) -> Any:
            following = builder.add(k, _number(8 * together))
            return builder.icmp_signed("<=", following, writer.value("width"))

        k, _ = writer.repeated(k, 8 * together, goes_on, [], step)


def _over_rows(
    writer: _Writer, many: int, start: Any, stop: Any, step: Callable[[Any, list[Any]], list[Any]]
) -> list[Any]:
    """Write a loop over listed rows that carries vectors of sums; return them."""
    nothing = [ir.Constant(_EIGHT_DOUBLES, [0.0] * 8)] * many
    below = functools.partial(writer.builder.icmp_signed, "<", rhs=stop)
    return writer.repeated(start, 1, below, nothing, step)[1]


def _add_listed(
    writer: _Writer,
    groups: Sequence[int],
    term: Callable[[Any], tuple[Any, Callable[[Any, Any], Any]]],
    joined: Callable[[Any, Any], Any],
) -> None:
    """Write sums of listed rows: some columns at a time in registers, all listed rows for them.

    ``term(listed)`` is a row and how a vector of it is added; ``joined(total, present)`` is what
    becomes of the totals.
    """
    builder = writer.builder
    start = writer.value("start")
    stop = builder.add(start, writer.value("count"))

    def write(k: Any, together: int) -> None:
        def step(place: Any, sums: list[Any]) -> list[Any]:
            row, added = term(writer.number("rows", place))
            origin = builder.add(builder.mul(row, writer.value("width")), k)
            places = [builder.add(origin, _number(8 * v)) for v in range(len(sums))]
            return [
                added(total, writer.vector(writer.array("table", at), _EIGHT_DOUBLES, align=8))
                for total, at in zip(sums, places, strict=True)
            ]

        for v, total in enumerate(_over_rows(writer, together, start, stop, step)):
            to = builder.add(writer.value("place"), builder.add(k, _number(8 * v)))
            present = writer.vector(writer.array("totals", to), _EIGHT_DOUBLES, align=8)
            writer.store(joined(total, present), "totals", to, align=8)

    _over_columns(writer, groups, write)


def _sum_rows(writer: _Writer) -> None:
    """Write `sum_rows`."""
    builder = writer.builder
    factor = writer.spread(writer.value("factor"), _EIGHT_DOUBLES)

    def term(listed: Any) -> Any:
        return builder.sext(listed, _INT64), builder.fadd

    _add_listed(writer, (4, 2, 1), term, lambda total, at: writer.product(total, factor, at))


def _sum_changes(writer: _Writer) -> None:
    """Write `sum_changes`."""
    builder = writer.builder

    def term(listed: Any) -> Any:
        gone = builder.ashr(listed, ir.Constant(_INT32, 31))
        sign = builder.or_(gone, ir.Constant(_INT32, 1))
        factor = writer.spread(builder.sitofp(sign, ir.DoubleType()), _EIGHT_DOUBLES)
        row = builder.sext(builder.xor(listed, gone), _INT64)
        return row, lambda total, vector: writer.product(vector, factor, total)

    _add_listed(writer, (5, 2, 1), term, builder.fadd)


def _changed(writer: _Writer) -> Any:
    """Write `append_changes` for sixteen lanes: no branch that could be mispredicted."""
    builder = writer.builder
    bits = ir.VectorType(_BIT, 16)
    compress = writer.intrinsic(_COMPRESS, _SIXTEEN, _SIXTEEN, bits, _SIXTEEN)
    before, now, place = (writer.value(name) for name in ("before", "now", "place"))
    changed = builder.xor(before, now)
    everything = ir.Constant(_SIXTEEN, [-1] * 16)
    for part in range(0, BLOCK, 16):
        some = builder.trunc(builder.lshr(changed, _number(part)), ir.IntType(16))
        gone = builder.trunc(builder.lshr(before, _number(part)), ir.IntType(16))
        address = writer.array("rows", writer.after("start", part))
        rows = writer.vector(address, _SIXTEEN)
        signed = builder.select(builder.bitcast(gone, bits), builder.xor(rows, everything), rows)
        chosen = builder.call(
            compress, [signed, builder.bitcast(some, bits), ir.Constant(_SIXTEEN, ir.Undefined)]
        )
        writer.store(chosen, "out", place)
        place = builder.add(place, builder.zext(builder.ctpop(some), _INT64))
    return place


def _spread_row(writer: _Writer) -> None:
    """Write `spread_row`."""
    builder = writer.builder
    start = writer.value("start")
    stop = builder.add(start, writer.value("count"))

    def write(k: Any, together: int) -> None:
        parts = []
        for v in range(together):
            place = builder.add(writer.value("place"), builder.add(k, _number(8 * v)))
            parts.append(writer.vector(writer.array("vectors", place), _EIGHT_DOUBLES, align=8))

        def step(place: Any, sums: list[Any]) -> list[Any]:
            row = builder.sext(writer.number("rows", place), _INT64)
            row = builder.sub(row, writer.value("base"))
            origin = builder.add(builder.mul(row, writer.value("width")), k)
            for v, part in enumerate(parts):
                to = builder.add(origin, _number(8 * v))
                present = writer.vector(writer.array("totals", to), _EIGHT_DOUBLES, align=8)
                writer.store(builder.fadd(present, part), "totals", to, align=8)
            return sums

        _over_rows(writer, 0, start, stop, step)

    _over_columns(writer, (4, 2, 1), write)


def _spread_masked(writer: _Writer) -> None:
    """Write `spread_masked`: eight rows in a vector, eight columns at a time in registers."""
    builder = writer.builder
    width, count = writer.value("width"), writer.value("count")
    shift = builder.mul(writer.value("group"), _number(8))
    bits = ir.VectorType(_BIT, 8)

    def write(k: Any, _together: int) -> None:
        def step(i: Any, sums: list[Any]) -> list[Any]:
            line = builder.mul(i, writer.value("step"))
            word = writer.number("words", builder.add(writer.value("start"), line))
            mask = builder.trunc(builder.lshr(word, shift), ir.IntType(8))
            mask = builder.bitcast(mask, bits)
            origin = builder.add(builder.mul(i, width), k)
            added = []
            for v, total in enumerate(sums):
                term = writer.number("vectors", builder.add(origin, _number(v)))
                more = builder.fadd(total, writer.spread(term, _EIGHT_DOUBLES))
                added.append(builder.select(mask, more, total))
            return added

        for v, total in enumerate(_over_rows(writer, 8, _number(0), count, step)):
            line = builder.mul(builder.add(k, _number(v)), _number(BLOCK))
            to = builder.add(writer.value("place"), builder.add(line, shift))
            writer.store(total, "totals", to, align=8)

    _over_columns(writer, (1,), write)


def _append(writer: _Writer) -> Any:
    """Write `append_rows`: bit by bit for few bits, compressed vectors of rows for many."""
    builder = writer.builder
    start, mask, place = (writer.value(name) for name in ("start", "mask", "place"))
    integers, bits = ir.VectorType(_INT32, 16), ir.VectorType(_BIT, 16)
    listed = not isinstance(writer.kind("rows"), types.NoneType)
    compress = writer.intrinsic(_COMPRESS, integers, integers, bits, integers)
    name = "llvm.masked.store.v16i32.p0v16i32"
    store = writer.intrinsic(name, ir.VoidType(), integers, integers.as_pointer(), _INT32, bits)
    many = builder.icmp_unsigned(">", builder.ctpop(mask), _number(_FEW))
    dense, sparse, loop, after = (
        builder.append_basic_block(name) for name in ("dense", "sparse", "bit", "appended")
    )
    builder.cbranch(many, dense, sparse)

    builder.position_at_end(dense)
    dense_place = place
    narrow = builder.trunc(start, _INT32)
    for part in range(0, BLOCK, 16):
        some = builder.trunc(builder.lshr(mask, _number(part)), ir.IntType(16))
        if listed:
            rows = writer.vector(writer.array("rows", builder.add(start, _number(part))), integers)
        else:
            lanes = ir.Constant(integers, list(range(part, part + 16)))
            rows = builder.add(writer.spread(narrow, integers), lanes)
        chosen = builder.call(
            compress, [rows, builder.bitcast(some, bits), ir.Constant(integers, ir.Undefined)]
        )
        address = builder.bitcast(writer.array("out", dense_place), integers.as_pointer())
        number = builder.zext(builder.ctpop(some), _INT64)
        # Nothing behind the rows is written: it may be the rows of another query.
        front = builder.sub(builder.shl(_number(1), number), _number(1))
        front = builder.bitcast(builder.trunc(front, ir.IntType(16)), bits)
        builder.call(store, [chosen, address, ir.Constant(_INT32, 4), front])
        dense_place = builder.add(dense_place, number)
    builder.branch(after)

    builder.position_at_end(sparse)
    empty = builder.icmp_unsigned("==", mask, _number(0))
    builder.cbranch(empty, after, loop)
    builder.position_at_end(loop)
    left, free = builder.phi(_INT64), builder.phi(_INT64)
    left.add_incoming(mask, sparse)
    free.add_incoming(place, sparse)
    position = builder.add(start, builder.cttz(left, ir.Constant(_BIT, 1)))
    row = writer.number("rows", position) if listed else builder.trunc(position, _INT32)
    builder.store(row, writer.array("out", free))
    next_left = builder.and_(left, builder.sub(left, _number(1)))
    next_free = builder.add(free, _number(1))
    left.add_incoming(next_left, loop)
    free.add_incoming(next_free, loop)
    builder.cbranch(builder.icmp_unsigned("==", next_left, _number(0)), after, loop)

    builder.position_at_end(after)
    end = builder.phi(_INT64)
    end.add_incoming(dense_place, dense)
    end.add_incoming(place, sparse)
    end.add_incoming(next_free, loop)
    return end


def _filled(writer: _Writer) -> Any:
    """Write `filled_words`."""
    builder = writer.builder
    width = writer.kind("words").dtype.bitwidth
    lanes = 32 * writer.lanes // width
    kind = ir.VectorType(ir.IntType(width), lanes)
    nothing = ir.Constant(kind, [0] * lanes)
    word = _number(0)
    for part in range(0, BLOCK, lanes):
        place = writer.after("start", part)
        found = writer.vector(writer.array("words", place), kind, align=min(4, width // 8))
        some = builder.icmp_unsigned("!=", found, nothing)
        bits = builder.zext(builder.bitcast(some, ir.IntType(lanes)), _INT64)
        word = builder.or_(word, builder.shl(bits, _number(part)))
    return word


def _add(writer: _Writer) -> None:
    """Write `add_chosen`: eight partial sums of each column, added pairwise."""
    builder = writer.builder
    eight, words = ir.VectorType(ir.DoubleType(), 8), ir.VectorType(_INT64, 8)
    everything, without_sign = _number(-1), _number(2**63 - 1)
    kept = writer.spread(builder.select(writer.value("sizes"), without_sign, everything), words)
    chosen = []
    for part in range(0, BLOCK, 8):
        some = builder.trunc(builder.lshr(writer.value("mask"), _number(part)), ir.IntType(8))
        chosen.append(builder.bitcast(some, ir.VectorType(_BIT, 8)))

    def step(column: Any, totals: list[Any]) -> list[Any]:
        start = builder.add(writer.value("start"), builder.mul(column, _number(BLOCK)))
        terms = []
        for part, bits in enumerate(chosen):
            address = writer.array("values", builder.add(start, _number(8 * part)))
            term = builder.bitcast(builder.and_(writer.vector(address, words), kept), eight)
            terms.append(builder.select(bits, term, ir.Constant(eight, [0.0] * 8)))
        while len(terms) > 1:
            half = len(terms) // 2
            terms = [builder.fadd(terms[i], terms[i + half]) for i in range(half)]
        place = builder.add(writer.value("place"), builder.mul(column, _number(8)))
        present = writer.vector(writer.array("totals", place), eight)
        writer.store(builder.fadd(present, terms[0]), "totals", place, align=8)
        return totals

    writer.loop(writer.value("columns"), [], step)


def _squeezed(writer: _Writer) -> Any:
    """Write `squeeze` for processors that have an instruction for it."""
    extract = writer.intrinsic("llvm.x86.bmi.pext.64", _INT64, _INT64, _INT64)
    return writer.builder.call(extract, [writer.value("bits"), writer.value("mask")])


def _ask(writer: _Writer) -> None:
    """Write `prefetch`."""
    builder = writer.builder
    address = writer.array("array", writer.value("place"))
    pointer = ir.IntType(8).as_pointer()
    ask = writer.intrinsic("llvm.prefetch.p0i8", ir.VoidType(), pointer, *[_INT32] * 3)
    numbers = [ir.Constant(_INT32, number) for number in (0, 3, 1)]  # to read, to keep, data
    builder.call(ask, [builder.bitcast(address, pointer), *numbers])


def _copy(writer: _Writer) -> None:
    target = writer.array("out", writer.value("place"))
    origin = writer.array("source", writer.value("start"))
    _numba_tools.raw_memcpy(writer.builder, target, origin, writer.value("count"), 4)


def _block_on_stack_typed(_context: Any) -> Any:
    """Return the address of 64 float32 numbers, for which nothing has to be allocated."""

    def generate(_context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        block = _numba_tools.alloca_once(builder, ir.ArrayType(_FLOAT, BLOCK))
        return builder.bitcast(block, _FLOAT.as_pointer())

    address: Any = types.CPointer(types.float32)  # type: ignore[no-untyped-call]
    return address(), generate


_block_on_stack: Any = intrinsic(_block_on_stack_typed)


def lowest_bit(word: Any) -> Any:
    """Return the position of the lowest bit that is set (to be called from a compiled kernel).

    Returns the position, from 0.
    """
    return (int(word) & -int(word)).bit_length() - 1


def ones(word: Any) -> Any:
    """Return how many bits are set (to be called from a compiled kernel).

    Returns their number.
    """
    return int(word).bit_count()


@_in_vectors(lambda w: _write_scores(w, 4 if w.lanes == 16 else 2))
def score_masks(
    code, points, start, dimension, radius, vectors, below, above, spread, queries, first, masks
):
    """Compare four half-spaces with a block of 64 points (to be called from a compiled kernel).

    The score of a point is the sum of ``x_k w_k``, ``k`` ascending; it is *possible* from
    ``below - spread * radius`` on and *sure* above ``above + spread * radius``, in float32.  The
    vector code takes 4 x 64 scores in sixteen registers with AVX-512.

    `masks` is filled: for each half-space a word of possible points, then for each a word of sure
    ones.
    """
    four = queries[first : first + 4]
    for t in range(4):
        slack = spread[four[t]] * radius
        low, high = below[four[t]] - slack, above[four[t]] + slack
        _compare(points, start, dimension, vectors, four[t], low, high, masks, t)


@numba.njit(**_OPTIONS)
def _compare(points, start, dimension, vectors, query, low, high, masks, number):
    """Compare one half-space with a block, in the way that compilers turn into vectors best."""
    score = carray(_block_on_stack(), BLOCK)
    # Unsigned positions: only then does the compiler turn this into vector operations.
    x = vectors[query * dimension]
    line = np.uint64(start)
    for j in range(np.uint64(BLOCK)):
        score[j] = x * points[line + j]
    for k in range(1, dimension):
        x = vectors[query * dimension + k]
        line = np.uint64(start + k * BLOCK)
        for j in range(np.uint64(BLOCK)):
            score[j] += x * points[line + j]
    possible = np.uint64(0)
    sure = np.uint64(0)
    for part in range(np.uint64(0), np.uint64(BLOCK), np.uint64(8)):
        some = np.uint32(0)
        every = np.uint32(0)
        for j in range(np.uint64(8)):
            some |= np.uint32(score[part + j] >= low) << np.uint32(j)
            every |= np.uint32(score[part + j] > high) << np.uint32(j)
        possible |= np.uint64(some) << part
        sure |= np.uint64(every) << part
    masks[number] = possible
    masks[4 + number] = sure


@_in_vectors(lambda w: _write_caps(w, 4 if w.lanes == 16 else 2))
def cap_masks(code, points, start, dimension, band, place, vectors, queries, first, masks):
    """Compare four half-spaces with 64 points that have bands (to be called from a kernel).

    The score of a point is the sum of ``x_k w_k``, ``k`` ascending, in float32.  A point is
    *possible* unless its score is below minus its band, and *sure* if the score exceeds the band;
    so a score or a band that is NaN is possible and not sure.

    `masks` is filled: for each half-space a word of possible points, then for each a word of sure
    ones, then for each a word of points with a positive score.
    """
    for t in range(4):
        _compare_bands(points, start, dimension, band, place, vectors, queries[first + t], masks, t)


@numba.njit(**_OPTIONS)
def _compare_bands(points, start, dimension, band, place, vectors, query, masks, number):
    """Compare one half-space with a block of points that have bands."""
    score = carray(_block_on_stack(), BLOCK)
    for j in range(np.uint64(BLOCK)):
        score[j] = 0.0
    for k in range(dimension):
        x = vectors[query * dimension + k]
        line = np.uint64(start + k * BLOCK)
        for j in range(np.uint64(BLOCK)):
            score[j] += x * points[line + j]
    possible = np.uint64(0)
    sure = np.uint64(0)
    positive = np.uint64(0)
    for part in range(np.uint64(0), np.uint64(BLOCK), np.uint64(8)):
        out = np.uint32(0)
        every = np.uint32(0)
        above = np.uint32(0)
        for j in range(np.uint64(8)):
            reach = band[np.uint64(place) + part + j]
            out |= np.uint32(score[part + j] < -reach) << np.uint32(j)
            every |= np.uint32(score[part + j] > reach) << np.uint32(j)
            above |= np.uint32(score[part + j] > 0.0) << np.uint32(j)
        possible |= np.uint64(out ^ np.uint32(255)) << part
        sure |= np.uint64(every) << part
        positive |= np.uint64(above) << part
    masks[number] = possible
    masks[4 + number] = sure
    masks[8 + number] = positive


@_in_vectors(lambda w: w.store(_write_eight(w), "out", w.value("where")))
def eight_scores(code, table, width, rows, start, vectors, place, out, where):
    """Score eight listed rows at one point (to be called from a compiled kernel).

    A score is the sum of eight partial sums: coordinate ``k`` goes to sum ``k % 8``, and these are
    added pairwise, with all codes in the same order.

    `out` is filled from `where` on with eight scores.
    """
    sums = carray(_block_on_stack(), BLOCK)
    for j in range(np.uint64(8)):
        line = np.uint64(rows[start + j] * width)
        for i in range(np.uint64(8)):
            sums[i] = 0.0
        for k in range(np.uint64(0), np.uint64(width), np.uint64(8)):
            for i in range(np.uint64(8)):
                sums[i] += table[line + k + i] * vectors[np.uint64(place) + k + i]
        for i in range(np.uint64(4)):
            sums[i] += sums[i + np.uint64(4)]
        for i in range(np.uint64(2)):
            sums[i] += sums[i + np.uint64(2)]
        out[where + j] = sums[0] + sums[1]


@_in_vectors(_keys_of_eight)
def eight_keys(code, table, width, rows, start, vectors, place, limit, factors, path, out, where):
    """Score eight listed rows at one point, and say how long that holds (from a compiled kernel).

    The *key* of a row has the sign of its score s and the size ``path + max(0, |s| - 2 limit) f``
    with the factor f of the row; where ``|s| <= limit``, or s is NaN, it is 0.

    `out` is filled from `where` on with eight keys.
    """
    scores = carray(_block_on_stack(), BLOCK)
    eight_scores(code, table, width, rows, start, vectors, place, scores, 0)
    for j in range(8):
        score = scores[j]
        size = abs(score)
        key = np.float32(0.0)
        if size > limit:
            beyond = max(size - limit - limit, np.float32(0.0))
            key = np.float32(path + np.float32(beyond * factors[rows[start + j]]))
            if score < 0.0:
                key = -key
        out[where + j] = key


@_in_vectors(_stale, types.uint64)
def stale_keys(code, keys, start, limit):
    """Return which of 64 keys no longer hold (to be called from a compiled kernel).

    Bit ``j`` says whether key ``start + j`` does not hold, which includes NaN.
    """
    stale = np.uint64(0)
    first = np.uint64(start)
    for j in range(np.uint64(BLOCK)):
        stale |= np.uint64(not abs(keys[first + j]) > limit) << j
    return stale


@_in_vectors(_merge, lanes=(16,))
def merge_keys(code, fresh, origin, mask, keys, start, masks):
    """Put new keys among 64 present ones, and compare all (to be called from a compiled kernel).

    `masks` is filled: a word of the keys above 0, then a word of those neither above nor below.
    """
    place = origin
    above = np.uint64(0)
    below = np.uint64(0)
    for j in range(np.uint64(BLOCK)):
        key = keys[np.uint64(start) + j]
        if mask >> j & np.uint64(1):
            key = fresh[place]
            keys[np.uint64(start) + j] = key
            place += 1
        above |= np.uint64(key > 0.0) << j
        below |= np.uint64(key < 0.0) << j
    masks[0] = above
    masks[1] = ~(above | below)


@_in_vectors(_bands_of_eight, types.int64)
def eight_bands(code, table, width, rows, start, vectors, place, band):
    """Compare the scores of eight listed rows with bands of their own (from a compiled kernel).

    Bit j: row j is possible, that is, its score is not below minus its band (which includes NaN).
    Bit 8 + j: its score exceeds the band.  Bit 16 + j: its score is positive.
    """
    scores = carray(_block_on_stack(), BLOCK)
    eight_scores(code, table, width, rows, start, vectors, place, scores, 0)
    signs = 0
    for j in range(8):
        score, limit = scores[j], band[rows[start + j]]
        if score > limit:
            signs |= 256 << j
        if score > 0.0:
            signs |= 65536 << j
        if not (score < -limit or limit == np.inf):
            signs |= 1 << j
    return signs


@_in_vectors(_squeezed, types.uint64, lanes=(16,))
def squeeze(code, bits, mask):
    """Bring the bits of a word at chosen places together (to be called from a compiled kernel).

    Bit j is the bit at the place number j, counted from 0; all others are 0.
    """
    found = np.uint64(0)
    number = np.uint64(0)
    while mask != np.uint64(0):
        j = np.uint64(lowest_bit(mask))
        mask &= mask - np.uint64(1)
        found |= ((bits >> j) & np.uint64(1)) << number
        number += np.uint64(1)
    return found


@_in_vectors(_ask)
def prefetch(code, array, place):
    """Say that a number of an array will be read soon (to be called from a compiled kernel)."""


@_in_vectors(_pack)
def pack_rows(code, table, width, rows, start, out, place):
    """Copy sixteen listed rows, one column after the other (to be called from a kernel).

    `out` is filled from `place` on: sixteen numbers for each column.
    """
    for j in range(16):
        line = rows[start + j] * width
        for k in range(width):
            out[place + 16 * k + j] = table[line + k]


@_in_vectors(_packed)
def packed_signs(code, packed, start, width, point, limits, first, margin, masks):
    """Compare 64 inner products of integers with limits (to be called from a compiled kernel).

    Every number of a row, and of the point, is a pair of integers of 16 bits; products are added in
    integers of 32 bits and must not leave them.

    `masks` is filled: a word of the rows above their band, and a word of those in it.
    """
    above = np.uint64(0)
    between = np.uint64(0)
    for j in range(64):
        origin = start + (j // 16) * (16 * width) + j % 16
        total = np.int64(0)
        for k in range(width):
            row, x = packed[origin + 16 * k], point[k]
            total += np.int64(np.int16(row)) * np.int64(np.int16(x))
            total += np.int64(row >> 16) * np.int64(x >> 16)
        total -= limits[first + j]
        above |= np.uint64(total > margin) << np.uint64(j)
        between |= np.uint64(-margin <= total <= margin) << np.uint64(j)
    masks[0] = above
    masks[1] = between


@_in_vectors(_changed, types.int64, lanes=(16,))
def append_changes(code, rows, start, before, now, out, place):
    """List the rows whose bit has changed (to be called from a compiled kernel).

    `out` is filled from `place` on: r for a row whose bit was set, ``~r`` for one whose bit was
    cleared. Up to sixteen places behind the last row are overwritten.

    Returns the place behind the last row.
    """
    changed = before ^ now
    while changed != np.uint64(0):
        j = lowest_bit(changed)
        changed &= changed - np.uint64(1)
        row = rows[start + j]
        out[place] = ~row if (before >> np.uint64(j)) & np.uint64(1) else row
        place += 1
    return place


@_in_vectors(_sum_changes)
def sum_changes(code, table, width, rows, start, count, totals, place):
    """Add listed rows to a vector, or take them off (to be called from a compiled kernel).

    `totals` is changed, from `place` on.
    """
    for k in range(width):
        total = 0.0
        for j in range(start, start + count):
            row = rows[j]
            if row < 0:
                total -= table[~row * width + k]
            else:
                total += table[row * width + k]
        totals[place + k] += total


@_in_vectors(_sum_rows)
def sum_rows(code, table, width, rows, start, count, factor, totals, place):
    """Add a multiple of the sum of listed rows to a vector (to be called from a kernel).

    The rows are added in the order of the list, in all codes, and the sum is then added to what is
    there.

    `totals` is added to, from `place` on.
    """
    for k in range(width):
        total = 0.0
        for j in range(start, start + count):
            total += table[rows[j] * width + k]
        totals[place + k] += factor * total


@_in_vectors(_spread_row)
def spread_row(code, vectors, place, width, rows, start, count, base, totals):
    """Add one vector to listed rows (to be called from a compiled kernel)."""
    for j in range(start, start + count):
        line = (rows[j] - base) * width
        for k in range(width):
            totals[line + k] += vectors[place + k]


@_in_vectors(_spread_masked, lanes=(16,))
def spread_masked(code, vectors, count, width, words, start, step, group, totals, place):
    """Sum vectors for eight rows that each want some of them (to be called from a kernel).

    The vectors of a row are added one after the other, as `spread_row` would, from zero on.

    `totals` is filled: for each coordinate 64 numbers, one for each row; those of the eight are
    written.
    """
    for k in range(width):
        for j in range(8 * group, 8 * group + 8):
            total = 0.0
            for i in range(count):
                if words[start + i * step] >> np.uint64(j) & np.uint64(1):
                    total += vectors[i * width + k]
            totals[place + k * BLOCK + j] = total


@_in_vectors(lambda w: _write_boxes(w, FANOUT // 16 if w.lanes == 16 else 1))
def box_masks(code, center, half, start, dimension, vectors, below, above, queries, first, masks):
    """Compare four half-spaces with the boxes of one node (to be called from a compiled kernel).

    With ``m = sum_k c_k x_k`` and ``e = sum_k h_k |x_k|``, a box is *inside* if ``m - e > above``
    and *crossed* if ``m + e >= below`` and it is not inside.

    `masks` is filled: for each half-space a word of crossed boxes, then for each a word of those
    inside.
    """
    four = queries[first : first + 4]
    for t in range(4):
        low, high = below[four[t]], above[four[t]]
        _compare_boxes(center, half, start, dimension, vectors, four[t], low, high, masks, t)


@numba.njit(**_OPTIONS)
def _compare_boxes(center, half, start, dimension, vectors, query, low, high, masks, number):
    """Compare one half-space with the boxes of a node."""
    middle = carray(_block_on_stack(), BLOCK)
    extent = carray(_block_on_stack(), BLOCK)
    for j in range(np.uint64(FANOUT)):
        middle[j] = 0.0
        extent[j] = 0.0
    for k in range(dimension):
        x = vectors[query * dimension + k]
        size = abs(x)
        line = np.uint64(start + k * FANOUT)
        for j in range(np.uint64(FANOUT)):
            middle[j] += x * center[line + j]
            extent[j] += size * half[line + j]
    reached = np.uint64(0)
    inside = np.uint64(0)
    for part in range(np.uint64(0), np.uint64(FANOUT), np.uint64(8)):
        some = np.uint32(0)
        every = np.uint32(0)
        for j in range(np.uint64(8)):
            upper = middle[part + j] + extent[part + j]
            lower = middle[part + j] - extent[part + j]
            some |= np.uint32(upper >= low) << np.uint32(j)
            every |= np.uint32(lower > high) << np.uint32(j)
        reached |= np.uint64(some) << part
        inside |= np.uint64(every) << part
    masks[number] = reached & ~inside
    masks[4 + number] = inside


@_in_vectors(_append, types.int64, lanes=(16,))
def append_rows(code, rows, start, mask, out, place):
    """Append the rows whose bits are set (to be called from a compiled kernel).

    The vector code compresses sixteen rows at a time where more than a few bits are set.  Nothing
    behind the rows is written, so that the rows of several queries may grow side by side.

    `out` is written to and must have room for as many rows as bits are set.

    Returns the place after the last row.
    """
    while mask != np.uint64(0):
        position = start + lowest_bit(mask)
        mask &= mask - np.uint64(1)
        if rows is None:
            out[place] = position
        else:
            out[place] = rows[position]
        place += 1
    return place


@_in_vectors(_filled, types.uint64)
def filled_words(code, words, start):
    """Return which of 64 words or bytes are not zero (to be called from a compiled kernel).

    Bit ``j`` says whether word ``start + j`` is other than zero.
    """
    filled = np.uint64(0)
    first = np.uint64(start)
    for j in range(np.uint64(BLOCK)):
        filled |= np.uint64(words[first + j] != 0) << j
    return filled


@_in_vectors(_add)
def add_chosen(code, values, start, columns, mask, sizes, totals, place):
    """Add the chosen of 64 values to eight partial sums, column by column (from a compiled kernel).

    Value ``j`` of a column goes to partial sum ``j % 8``: the eight of each are added pairwise,
    those that are not chosen as zeros, and then to what is there.  All codes add in this order.

    Bit ``j`` of `mask` says whether value ``j`` of every column is chosen.

    `totals` is added to: eight partial sums for each column.
    """
    terms = np.empty(BLOCK)
    for column in range(columns):
        for j in range(BLOCK):
            value = values[start + column * BLOCK + j]
            if sizes:
                value = abs(value)
            terms[j] = value if mask >> np.uint64(j) & np.uint64(1) else 0.0
        width = BLOCK // 2
        while width >= 8:
            for j in range(width):
                terms[j] += terms[j + width]
            width //= 2
        for j in range(8):
            totals[place + column * 8 + j] += terms[j]


@_in_vectors(_copy)
def copy_rows(code, source, start, out, place, count):
    """Copy consecutive rows (to be called from a compiled kernel).

    `out` is written to and must have room and not overlap.
    """
    for j in range(count):
        out[place + j] = source[start + j]


_trailing_zeros = _intrinsic(
    lambda writer: writer.builder.cttz(writer.value("word"), ir.Constant(_BIT, 1)),
    ["word"],
    types.int64,
)
_population = _intrinsic(
    lambda writer: writer.builder.ctpop(writer.value("word")), ["word"], types.int64
)
_overloaded(lowest_bit)(lambda _word: lambda word: _trailing_zeros(word))
_overloaded(ones)(lambda _word: lambda word: _population(word))
