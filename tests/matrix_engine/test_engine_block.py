"""The engine's block against the figures that SoCaffe publishes for an XC7Z020; they are typed from the facts, not from our code."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.errors import CannotFit, SpecError
from aieloom.matrix_engine.arithmetic import ELEMENTS, Element, block_cycles, steps_of
from aieloom.matrix_engine.block import (
    Budget,
    built,
    longest_chain,
    memory_blocks,
    solve_block,
    split,
)
from aieloom.matrix_engine.engine import plan_engine
from aieloom.spec.board import Board
from aieloom.spec.device import Device, array_names, device_names, load_board, load_device

WHOLE = Budget(dsp=220, lut=53_200, ff=106_400, bram=140)  # the XC7Z020
USABLE = Budget(dsp=220, lut=47_880, ff=95_760, bram=140)  # 0.9 of LUT and FF
MHZ = 143


def test_what_each_resource_alone_allows_is_what_is_published() -> None:
    first = steps_of("float32")[0]  # of the most DSP slices
    assert (WHOLE.dsp // first.dsp, WHOLE.lut // first.lut, WHOLE.ff // first.ff) == (44, 71, 224)


def test_a_chain_of_57_fits_and_one_of_58_does_not() -> None:
    assert longest_chain("float32", USABLE) == 57
    assert split(57, "float32", USABLE) is not None
    assert split(58, "float32", USABLE) is None


def test_the_published_block_takes_more_than_the_margin_of_its_board_and_is_warned_of() -> None:
    board = load_board("zynq-7020")
    assert Budget.of(board.logic.whole) == WHOLE
    assert [m for m in (77, 78, 79) if memory_blocks(m, m, 56, "float32") <= WHOLE.bram] == [77, 78]
    block = solve_block("float32", USABLE)
    assert (block.m, block.n, block.k) == (64, 64, 56)
    said = plan_engine(board, "float32", (64, 64, 56)).crowded
    assert any("220 of 220 DSP slices (100%)" in line for line in said)
    assert all("may not close at 142.857 MHz" in line for line in said)
    assert plan_engine(board, "float32").crowded == ()


@pytest.mark.parametrize(
    ("sizes", "element", "fused", "cycles", "gflops"),
    [
        ((32, 32, 32), "float32", False, 4404, 2.2277),
        ((32, 32, 32), "float32", True, 2352, 4.1713),
        ((56, 56, 56), "float32", True, 6736, 7.6561),
        ((64, 64, 56), "float32", True, 8673, 7.7665),
        ((96, 96, 96), "float16", True, 19030, 13.5044),
    ],
)
def test_cycles_and_rates_are_within_two_percent(
    sizes: tuple[int, int, int], element: Element, fused: bool, cycles: int, gflops: float
) -> None:
    m, n, k = sizes
    modelled = block_cycles(m, n, k, element, fused=fused)
    assert modelled == pytest.approx(cycles, rel=0.02)
    assert (2 * m * n * k + 3 * m * n) / modelled * MHZ / 1e3 == pytest.approx(gflops, rel=0.02)


def test_the_published_half_precision_block_fits() -> None:
    block = built(96, 96, 96, "float16", USABLE)
    assert block is not None
    assert block.bram <= USABLE.bram
    assert block.operations_per_cycle <= solve_block("float16", USABLE).operations_per_cycle


def _fits(counts: tuple[int, ...], element: Element, budget: Budget) -> bool:
    steps = steps_of(element)
    return all(
        sum(c * getattr(s, what) for c, s in zip(counts, steps, strict=True)) <= getattr(budget, what)
        for what in ("dsp", "lut", "ff")
    )


@given(
    st.sampled_from(ELEMENTS),
    st.builds(
        Budget, dsp=st.integers(0, 30), lut=st.integers(0, 9000), ff=st.integers(0, 9000), bram=st.just(99)
    ),
)
@settings(max_examples=40, deadline=None)
def test_the_longest_chain_is_that_of_all_divisions(element: Element, budget: Budget) -> None:
    """A chain fits when any division of it over the ways to build a step does: all are tried."""
    ways = len(steps_of(element))

    def fits(k: int) -> bool:
        heads = product(range(k + 1), repeat=ways - 1)
        return any(_fits((*head, k - sum(head)), element, budget) for head in heads if sum(head) <= k)

    found = longest_chain(element, budget)
    if found < 12:  # all divisions of longer chains are too many to try
        assert found == 0 or fits(found)
        assert not fits(found + 1)
    counts = split(found, element, budget) if found else None
    assert not found or (counts is not None and sum(counts) == found and _fits(counts, element, budget))


@pytest.mark.parametrize(
    ("sizes", "element", "a", "b", "c"),
    [
        ((4096, 16, 80), "float32", 80 * 4, 80, 128),  # a bank of A has 4096 words, a block RAM of 36 Kb 1024
        ((16, 4096, 80), "float32", 80, 80 * 4, 128),
        ((1025, 16, 80), "int8", 20 * 2, 20, 33),  # four elements to a word; sums of 32 bits
        ((512, 512, 80), "float16", 40, 40, 256),
    ],
)
def test_long_banks_take_as_many_block_rams_as_their_words(
    sizes: tuple[int, int, int], element: Element, a: int, b: int, c: int
) -> None:
    ports = 4 * 4
    assert memory_blocks(*sizes, element) == a + b + c + ports


def test_a_block_whose_banks_do_not_fit_is_refused() -> None:
    board = load_board("zcu104")
    with pytest.raises(CannotFit, match=r"4096 x 16 x 80 \(M x N x K\) in float32 .* 544 block RAMs .* 312"):
        plan_engine(board, "float32", (4096, 16, 80))


@pytest.mark.parametrize("name", ["zynq-7020", "zcu104", "ve2302"])
@pytest.mark.parametrize("element", ELEMENTS)
def test_a_solved_block_keeps_to_its_device(name: str, element: Element) -> None:
    room, _ = load_board(name).rooms
    block = solve_block(element, Budget.of(room))
    assert block.dsp <= room.dsp
    assert block.lut <= room.lut
    assert block.ff <= room.ff
    assert block.bram == memory_blocks(block.m, block.n, block.k, element) <= room.bram36
    assert [r.begin for r in block.ranges] == [0, *(r.end for r in block.ranges[:-1])]
    assert block.ranges[-1].end == block.k


def test_a_device_without_room_is_refused() -> None:
    with pytest.raises(CannotFit, match=r"\[engine-1\] no float32 matrix engine fits 2 DSP"):
        solve_block("float32", Budget(dsp=2, lut=100, ff=100, bram=140))


def test_boards_without_an_array_are_boards_and_no_devices() -> None:
    without = [name for name in device_names() if name not in array_names()]
    assert without == ["zcu104", "zcu106", "zynq-7020"]
    for name in without:
        assert isinstance(load_board(name), Board)
        assert not isinstance(load_board(name), Device)
        with pytest.raises(SpecError) as error:
            load_device(name)
        (problem,) = error.value.problems
        assert problem.rule == "array-2"
        assert "has no AI Engine array" in problem.text
    assert all(isinstance(load_board(name), Device) for name in array_names())
