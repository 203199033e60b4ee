"""Promises of ``theory.traffic``: operations, bytes and the roofline, for any machine."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import theory
from sublinear_lib.theory.traffic import Traffic

MACHINE = {"peak": 1e11, "bandwidth": 1e10}


def test_a_matrix_product_reads_both_factors_once() -> None:
    traffic = theory.matrix_traffic(1000, 50, 8)
    assert traffic.operations == 2 * 1000 * 50 * 8
    assert traffic.bytes == 4 * (1000 * 8 + 50 * 8)
    kept = theory.matrix_traffic(1000, 50, 8, itemsize=8, keeps_scores=True)
    assert kept.bytes == 8 * (1000 * 8 + 50 * 8 + 1000 * 50)


def test_a_list_loads_a_row_for_every_pair_unless_rows_are_shared() -> None:
    assert theory.gather_traffic(10, 8) == Traffic(160.0, 10 * 36.0)
    assert theory.gather_traffic(10, 8, reuse=4) == Traffic(160.0, 10 * 12.0)


@settings(deadline=None, max_examples=60)
@given(
    operations=st.floats(1e-3, 1e12),
    moved=st.floats(1e-3, 1e12),
    peak=st.floats(1.0, 1e15),
    bandwidth=st.floats(1.0, 1e13),
)
def test_the_roofline_is_the_larger_of_two_times(
    operations: float, moved: float, peak: float, bandwidth: float
) -> None:
    found = theory.roofline(Traffic(operations, moved), peak=peak, bandwidth=bandwidth)
    assert found.seconds == max(operations / peak, moved / bandwidth)
    assert found.rate <= peak * (1 + 1e-12)
    assert found.ridge == peak / bandwidth
    intensity = operations / moved
    if not math.isclose(intensity, found.ridge):
        assert found.limit == ("arithmetic" if intensity > found.ridge else "memory")


@pytest.mark.parametrize("d", [3, 8, 32, 128])
@pytest.mark.parametrize("reuse", [1.0, 4.0])
def test_the_price_of_a_list_is_the_closed_form_between_the_intensities(
    d: int, reuse: float
) -> None:
    ridge = 20.0
    share = theory.break_even_share(2**16, 512, d, peak=ridge, bandwidth=1.0, reuse=reuse)
    assert share == pytest.approx(reuse * d / (2 * ridge * (d + reuse)))


@pytest.mark.parametrize("n", [1, 7, 64, 1024])
def test_at_the_break_even_share_both_take_the_same_time(n: int) -> None:
    share = theory.break_even_share(4096, n, 16, **MACHINE)
    dense = theory.roofline(theory.matrix_traffic(4096, n, 16), **MACHINE)
    listed = theory.roofline(theory.gather_traffic(share * 4096 * n, 16), **MACHINE)
    assert dense.seconds == pytest.approx(listed.seconds)


def test_for_one_example_a_list_wins_at_nearly_every_share() -> None:
    share = theory.break_even_share(2**16, 1, 32, **MACHINE)
    assert share == pytest.approx(32 / 33, rel=1e-4)
