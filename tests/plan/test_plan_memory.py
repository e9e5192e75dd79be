"""Blocks in tile memories, and what the mmul table and the cost model say, against numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.pl.movers import side_by_side
from aieloom.plan.cost import stream_cycles
from aieloom.plan.gemm import (
    Blocking,
    IllegalTile,
    blocking,
    check_tile,
    divisor_like,
    find_mode,
    round_up,
    usable_modes,
)
from aieloom.plan.memory import MemoryMap, Need, Slot, arrange, conflict_share, reserved_bytes
from aieloom.spec.architecture import Architecture
from aieloom.spec.device import load_device
from aieloom.spec.types import DataType

VCK190, VEK280 = load_device("vck190"), load_device("vek280")
NEEDS = st.lists(
    st.builds(
        Need,
        role=st.text("abcdefgh", min_size=3, max_size=6),
        label=st.just("x"),
        bytes=st.integers(1, 20000),
        copies=st.integers(1, 2),
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda n: n.role,
)


@settings(max_examples=100)
@given(NEEDS, st.sampled_from([VCK190, VEK280]), st.integers(1, 2), st.sampled_from([1024, 2048]))
def test_blocks_never_overlap_leave_the_memory_or_the_alignment(
    needs: list[Need], device: object, memories: int, stack: int
) -> None:
    assert device in (VCK190, VEK280)
    which = VCK190 if device is VCK190 else VEK280
    found = arrange(which, tuple(needs), stack=stack, memories=memories)
    size, rest = which.tile.memory_bytes, stack + 1024 + 32
    if found is None:
        assert sum(n.total_bytes for n in needs) > size - rest - 32 * 10, "what fits easily is never refused"
        return
    spans: list[tuple[int, int, int]] = [(0, size - rest, size)]
    for need in needs:
        assert len(found.slots[need.role]) == need.copies
        spans += [(s.memory, s.offset, s.offset + need.bytes) for s in found.slots[need.role]]
    assert found.slots["stack"][0].offset == size - rest
    assert found.memories == max(m for m, _, _ in spans) + 1 <= memories
    for i, (memory, start, stop) in enumerate(spans):
        assert start % 32 == 0
        assert 0 <= start < stop <= size
        for other, begin, end in spans[i + 1 :]:
            assert memory != other or stop <= begin or end <= start


def test_espcn_conv2_needs_the_memory_beside_it() -> None:
    """8 x 576 weights and 576 x 8 inputs are 18432 B each: together with 2080 B more than 32768 B."""
    needs = (
        Need(role="out[0]", label="output", bytes=256),
        Need(role="param[1]", label="bias", bytes=128),
        Need(role="in[0]", label="input", bytes=18432),
        Need(role="param[0]", label="weights", bytes=18432),
    )
    assert reserved_bytes(VCK190, 1024) == 1024 + 1024 + 32
    assert arrange(VCK190, needs, stack=1024, memories=1) is None
    found = arrange(VCK190, needs, stack=1024, memories=2)
    assert found is not None
    assert {role: [s.memory for s in slots] for role, slots in found.slots.items()} == {
        "out[0]": [0],
        "param[1]": [0],
        "in[0]": [0],
        "param[0]": [1],
        "stack": [0],
    }
    assert arrange(VEK280, needs, stack=1024, memories=1) is not None, "64 KB hold it"


def test_large_blocks_get_banks_of_their_own_while_there_is_room() -> None:
    needs = tuple(Need(role=f"param[{i}]", label="x", bytes=4096) for i in range(3))
    found = arrange(VCK190, needs, stack=1024, memories=1)
    assert found is not None
    assert [s.offset for slots in found.slots.values() for s in slots][:3] == [0, 8192, 16384]
    packed = arrange(VCK190, (*needs, Need(role="in[0]", label="x", bytes=14000)), stack=1024, memories=1)
    assert packed is not None, "packed where banks of their own do not fit"


OPERANDS = st.lists(
    st.builds(
        Need,
        role=st.text("abcdefgh", min_size=3, max_size=6),
        label=st.just("x"),
        bytes=st.integers(1, 12000),
        copies=st.integers(1, 2),
        operand=st.sampled_from(["A", "B", ""]),
    ),
    min_size=2,
    max_size=5,
    unique_by=lambda n: n.role,
)


@settings(max_examples=100)
@given(NEEDS, st.sampled_from(["vck190", "vek280"]), st.integers(1, 2))
def test_a_stack_gets_what_is_free_behind_the_blocks_up_to_four_kilobytes(
    needs: list[Need], name: str, memories: int
) -> None:
    """Heap and tools' own are 1,024 + 32 B behind it [UG1702]; counted from the last block's end."""
    device = {"vck190": VCK190, "vek280": VEK280}[name]
    found = arrange(device, tuple(needs), memories=memories)
    least = arrange(device, tuple(needs), stack=1024, memories=memories)
    assert (found is None) == (least is None), "a wider stack takes no room from blocks"
    if found is None or least is None:
        return
    assert {r: s for r, s in found.slots.items() if r != "stack"} == {
        r: s for r, s in least.slots.items() if r != "stack"
    }
    ends = [s.offset + n.bytes for n in needs for s in found.slots[n.role] if s.memory == 0]
    behind = device.tile.memory_bytes - 1056 - max(ends, default=0)
    assert found.stack_bytes == min(4096, behind // 32 * 32) >= 1024
    assert found.slots["stack"][0].offset == device.tile.memory_bytes - 1056 - found.stack_bytes
    assert least.stack_bytes == 1024


@settings(max_examples=200)
@given(OPERANDS, st.sampled_from(["vck190", "vek280"]))
def test_operands_share_banks_only_where_no_order_of_them_keeps_them_apart(
    needs: list[Need], name: str
) -> None:
    """Counted in bytes here: operands are apart whenever each one's copies, in whole banks, leave room for the rest."""
    device = {"vck190": VCK190, "vek280": VEK280}[name]
    found = arrange(device, tuple(needs), stack=1024, memories=1)
    if found is None:
        return
    bank, usable = device.tile.bank_bytes, device.tile.memory_bytes - 2080
    touched: dict[str, list[tuple[int, set[int]]]] = {"A": [], "B": []}
    for need in (n for n in needs if n.operand):
        for phase, slot in enumerate(found.slots[need.role]):
            banks = set(range(slot.offset // bank, (slot.offset + need.bytes - 1) // bank + 1))
            touched[need.operand] += [(phase, banks)] if need.copies > 1 else [(0, banks), (1, banks)]
    share = conflict_share(device, tuple(needs), found)
    met = any(p == q and a & b for p, a in touched["A"] for q, b in touched["B"])
    assert (share > 0) == met
    assert 0 <= share <= 1
    whole = sum(-(-(n.bytes + 31) // bank) * bank * n.copies for n in needs)
    if whole <= usable // bank * bank:
        assert share == 0


def test_two_operands_in_one_bank_meet_at_every_pair_of_loads() -> None:
    needs = (
        Need(role="a", label="", bytes=4096, operand="A"),
        Need(role="b", label="", bytes=4096, operand="B"),
    )
    together = MemoryMap(
        memories=1,
        slots={"a": (Slot(memory=0, offset=0),), "b": (Slot(memory=0, offset=4096),)},
        used_bytes=(8192,),
        stack_bytes=1024,
    )
    assert conflict_share(VCK190, needs, together) == 1
    half = replace(together, slots={"a": together.slots["a"], "b": (Slot(memory=0, offset=6144),)})
    assert conflict_share(VCK190, needs, half) == 0.5, "2 of its 4 KB lie in the first bank of 8 KB"
    beside = replace(together, slots={"a": together.slots["a"], "b": (Slot(memory=1, offset=0),)})
    assert conflict_share(VCK190, needs, beside) == 0, "another tile's memory"


@pytest.mark.parametrize(
    ("tile", "near"),
    [
        ((6, 16, 64), "use [4, 16, 64] or [8, 16, 64]"),
        ((16, 15, 64), "use [16, 14, 64] or [16, 16, 64]"),
        ((16, 16, 63), "use [16, 16, 60] or [16, 16, 64]"),
        ((68, 16, 64), "use [64, 16, 64]"),
        ((2, 16, 64), "use [4, 16, 64] or [8, 16, 64]"),
        ((16, 28, 64), "use [16, 26, 64]"),
        ((16, 16, 260), "use [16, 16, 256]"),
    ],
)
def test_tiles_off_the_mmul_name_the_nearest(tile: tuple[int, int, int], near: str) -> None:
    with pytest.raises(IllegalTile) as error:
        check_tile((64, 25, 256), tile, (4, 2, 4))
    assert error.value.remedy == near
    assert error.value.rule == "gemm-2"


def test_a_shape_that_the_device_lacks_names_those_it_has() -> None:
    with pytest.raises(IllegalTile, match=r"aie has no aie::mmul of shape \[4, 8, 4\] for float32") as error:
        find_mode(VCK190, DataType.FLOAT32, (4, 8, 4))
    assert "[4, 2, 4], [2, 2, 2]" in error.value.remedy
    assert find_mode(VEK280, DataType.FLOAT32, (4, 8, 4)).shape == (4, 8, 4)
    with pytest.raises(IllegalTile, match="aie multiplies no bfloat16 matrices"):
        find_mode(VCK190, DataType.BFLOAT16, (4, 8, 4))


def test_register_blocks_are_two_by_two_where_tile_and_registers_allow() -> None:
    """8 vector registers of AIE hold two float blocks of 4 x 4 (two registers each), A (an X register: two) and two of B."""
    for dtype, tile, rows, cols in (
        (DataType.INT8, (16, 16, 64), 2, 2),
        (DataType.INT8, (12, 16, 64), 1, 2),
        (DataType.INT8, (8, 8, 4), 2, 1),
        (DataType.INT8, (4, 8, 4), 1, 1),
        (DataType.FLOAT32, (16, 16, 64), 1, 2),
        (DataType.FLOAT32, (8, 2, 4), 2, 1),
        (DataType.FLOAT32, (4, 2, 4), 1, 1),
    ):
        mode = find_mode(VCK190, dtype, (4, 2, 4) if dtype is DataType.FLOAT32 else (4, 8, 4))
        found = blocking(tile, mode)
        assert (found.rows, found.cols) == (rows, cols), (dtype, tile)


def vectors(arch: Architecture, dtype: DataType, count: int) -> int:
    """W registers of a product's operand: whole X registers on AIE-ML, where float32 is three bfloat16."""
    size = 6 if (arch, dtype) == (Architecture.AIE_ML, DataType.FLOAT32) else dtype.bytes
    return max(2 if arch is Architecture.AIE_ML else 1, -(-count * size // 32))


def test_register_blocks_fit_the_registers() -> None:
    """AIE: 8 W registers, float sums in them, 4 BM of 768 bits; AIE-ML: 24 W, 9 CM of 1024 bits [UG1079, UG1603]."""
    files = {Architecture.AIE: (8, 4 * 768), Architecture.AIE_ML: (24, 9 * 1024)}
    lane = {"acc48": 48, "acc32": 32, "acc64": 64, "accfloat": 32}
    found = set()
    types = (DataType.INT8, DataType.INT16, DataType.FLOAT32, DataType.BFLOAT16)
    for architecture, dtype in product(Architecture, types):
        for mode in usable_modes(architecture, dtype):
            m, k, n = mode.shape
            for tile in product((m, 2 * m), (k,), (n, 2 * n)):
                block = blocking(tile, mode)
                held = block.rows * block.cols
                words = block.rows * vectors(architecture, dtype, m * k) + block.cols * vectors(
                    architecture, dtype, k * n
                )
                sums = held * m * n * lane[mode.accumulator]
                if (architecture, dtype) == (Architecture.AIE, DataType.FLOAT32):
                    words, sums = words + held * max(1, m * n // 8), 0
                assert words <= files[architecture][0], mode
                assert sums <= files[architecture][1], mode
                assert tile[0] // m % block.rows == tile[2] // n % block.cols == 0
                found.add((architecture, held))
    assert {(Architecture.AIE, 2), (Architecture.AIE, 4), (Architecture.AIE_ML, 4)} <= found


def test_two_register_blocks_stand_where_they_load_less() -> None:
    """Of 8 x 8 x 4, two side by side: A of 8 x 8, B of 8 x 8. Above each other: A of 16 x 8."""
    tall, wide = (find_mode(VCK190, DataType.INT8, shape) for shape in ((8, 8, 4), (4, 8, 8)))
    assert blocking((16, 8, 8), tall) == Blocking(rows=1, cols=2)
    assert blocking((8, 8, 16), wide) == Blocking(rows=2, cols=1)
    assert blocking((16, 8, 12), tall) == Blocking(rows=2, cols=1), "3 columns cannot be paired"


@given(st.integers(1, 100), st.sampled_from([32, 64, 128]))
def test_memory_ports_are_a_power_of_two_wide(streams: int, bits: int) -> None:
    """HLS pads elements of other widths in memory, where the host program has them close together [UG1448 214-233]."""
    together = side_by_side(VCK190, streams, bits)
    assert together * bits in (32, 64, 128, 256, 512)
    assert streams % together == 0
    assert together * bits * 2 > VCK190.platform.axi_max_bits or streams % (2 * together)


def test_streams_are_as_fast_as_the_slower_side() -> None:
    """A 128-bit PLIO at 312.5 MHz saturates a 32-bit stream at 1250 MHz; narrower or slower ones do not."""
    assert stream_cycles(VCK190, 4096, 128, 312.5) == 1024
    assert stream_cycles(VCK190, 4096, 128, 500) == 1024
    assert stream_cycles(VCK190, 4096, 64, 312.5) == 2048
    assert stream_cycles(VCK190, 4096, 32, 312.5) == 4096


@given(st.integers(1, 500), st.integers(1, 16))
def test_rounding_up_and_even_cuts(size: int, step: int) -> None:
    assert round_up(size, step) % step == 0
    assert 0 <= round_up(size, step) - size < step
    lengths = list(divisor_like(size, step, 10**6))
    assert lengths[0] == round_up(size, step)
    assert lengths == sorted(set(lengths), reverse=True)
    assert all(length % step == 0 for length in lengths)
    assert list(divisor_like(size, step, step)) == ([step] if size > 0 else [])
