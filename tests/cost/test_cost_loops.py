"""Loops: counts multiply out, the busiest unit sets the pace, nothing that the documents say is off."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aieloom.cost.kernels import Gemm, gemm_kernel
from aieloom.cost.loops import Issue, Loop, Ops, counts, cycles
from aieloom.cost.machine import Shape
from aieloom.cost.parameters import load_parameters
from tools.measured.kernels import RowConvolution, row_convolution
from tools.measured.shapes import best_shape, peak_macs, register_block

P = load_parameters()
NUMBER = st.integers(0, 40)


def test_counts_multiply_out() -> None:
    inner = Loop(trips=3, body=(Ops(loads=2, macs=4),), each=1, entry=5)
    nest = Loop(trips=7, body=(inner, Ops(stores=1)))
    assert counts(nest) == Ops(loads=42, macs=84, stores=7)


def test_entries_and_trips_add_up() -> None:
    inner = Loop(trips=3, body=(Ops(macs=4),), each=1, entry=5)
    nest = Loop(trips=7, body=(inner,), each=2, entry=11)
    assert cycles([nest], Issue()) == 11 + 7 * (2 + 5 + 3 * (1 + 4))


@given(loads=NUMBER, stores=NUMBER, macs=NUMBER, scalars=NUMBER, words=NUMBER)
def test_the_busiest_unit_sets_the_pace(loads: int, stores: int, macs: int, scalars: int, words: int) -> None:
    ops = Ops(loads=loads, stores=stores, macs=macs, scalars=scalars, stream_words=words)
    assert Issue().cycles(ops) == max(loads / 2, stores, macs, words) + scalars


@given(a=NUMBER, b=NUMBER, times=st.integers(0, 9))
def test_counts_are_linear(a: int, b: int, times: int) -> None:
    one, two = Ops(loads=a, macs=b), Ops(stores=b, shuffles=a)
    assert counts(one, two).times(times) == counts(Loop(trips=times, body=(one, two)))


def product(size: int, rows: int, cols: int) -> Gemm:
    shape = Shape(m=4, k=16, n=8, issue=2)
    return Gemm(m=size, k=size, n=size, shape=shape, rows=rows, cols=cols, a_bytes=1, b_bytes=1)


def test_an_int8_product_is_bound_by_loads_without_register_blocking() -> None:
    """XD100, AIE-ML: the listing's body has 16 lines for 4 mmuls of 4x16x8, since B takes 4 loads over one unit."""
    kernel = gemm_kernel(P, "aie-ml", product(64, 1, 1))
    blocks, steps = 16 * 8, 4
    assert kernel.cycles == pytest.approx(kernel.call + blocks * (steps * 4 + P["gemm.block.aie-ml"]))
    assert counts(*kernel.nodes).macs == 64**3 / 256, "every MAC is issued once at 256 a cycle"


def test_two_rows_in_flight_halve_it() -> None:
    one, two = (gemm_kernel(P, "aie-ml", product(64, rows, 1)) for rows in (1, 2))
    assert two.cycles - two.call == pytest.approx((one.cycles - one.call) / 2)


@given(m=st.integers(1, 80), k=st.integers(1, 80), n=st.integers(1, 80))
def test_a_product_never_beats_the_peak(m: int, k: int, n: int) -> None:
    for arch, a, b in (("aie", "int8", "int8"), ("aie", "fp32", "fp32"), ("aie-ml", "bf16", "bf16")):
        shape, peak = best_shape(arch, a, b, (m, k, n)), peak_macs(arch, a, b)
        assert shape is not None and peak is not None
        made = Gemm(m=m, k=k, n=n, shape=shape, rows=2, cols=2, a_bytes=1, b_bytes=1)
        assert gemm_kernel(P, arch, made).cycles >= m * k * n / peak


def test_documented_peaks() -> None:
    """MAC per cycle: AM009 and AM020, vector units."""
    documented = {
        ("aie", "int8", "int8"): 128,
        ("aie", "int16", "int16"): 32,
        ("aie", "int32", "int32"): 8,
        ("aie", "fp32", "fp32"): 8,
        ("aie-ml", "int8", "int8"): 256,
        ("aie-ml", "int16", "int16"): 64,
        ("aie-ml", "bf16", "bf16"): 128,
    }
    assert {key: peak_macs(*key) for key in documented} == documented
    assert peak_macs("aie", "bf16", "bf16") is None, "AIE has no bf16 multiplier"


def test_register_blocks_fit_the_registers() -> None:
    """AIE: 8 accumulators of 384 bits, 48 a lane; float sums take two of 8 vector registers for 4 x 4 [AM009, UG1079]."""
    chosen = best_shape("aie", "int16", "int16", (64, 64, 64))
    assert chosen is not None and register_block("aie", "int16", "int16", chosen) == (2, 2)
    assert 4 * chosen.m * chosen.n * 48 <= 8 * 384
    assert register_block("aie", "int16", "int16", Shape(m=4, k=4, n=8, issue=4)) == (1, 2)
    assert register_block("aie", "fp32", "fp32", Shape(m=4, k=2, n=4, issue=4)) == (1, 2)
    assert register_block("aie-ml", "bf16", "bf16", Shape(m=4, k=8, n=4, issue=1)) == (2, 2)


def convolution(**given: int | str | bool) -> RowConvolution:
    usual: dict[str, int | str | bool] = {
        "outputs": 12, "rows": 6, "width": 3, "stride": 1, "style": "conv.fp32", "streamed": False,
    }  # fmt: skip
    return RowConvolution(**(usual | given))  # type: ignore[arg-type]


def test_a_convolution_grows_with_each_loop() -> None:
    base = row_convolution(P, convolution()).cycles
    for more in ({"outputs": 13}, {"rows": 7}, {"width": 4}, {"stride": 2}, {"streamed": True}):
        assert row_convolution(P, convolution(**more)).cycles > base, more
    per_vector = P["conv.fp32.output_window"] + 6 * (P["conv.fp32.row"] + 3 * P["conv.fp32.tap"])
    assert base == pytest.approx(P["call"] + 12 * per_vector)
