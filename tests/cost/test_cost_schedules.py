"""Schedules of generated kernels' code are a timed run's, which takes them from compiled code; and what a loop costs by hand."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aieloom.hardware.mmul import mmul_modes
from aieloom.network.layers import Requant
from aieloom.plan.product_cycles import begin_and_finish, product_code
from aieloom.schedule.code import Code, Total
from aieloom.schedule.loops import pipeline_of, straight_cycles
from aieloom.schedule.machine import Op, machine_of
from aieloom.schedule.modulo import _Schedule
from aieloom.spec.architecture import Architecture
from aieloom.spec.quantize import Scales
from aieloom.spec.types import DataType
from benchmarks.timed_designs import measure
from tests.clang_14 import need_clang

AIE = machine_of(Architecture.AIE)


@pytest.mark.integration
@pytest.mark.parametrize(
    ("project", "target"),
    [
        ("jet", "vck190"),
        ("xor", "vek280"),
        pytest.param("mnist_wide", "vek280", marks=pytest.mark.slow),
        pytest.param("espcn-int8-pow2", "vck190", marks=pytest.mark.slow),
    ],
)
def test_schedules_and_timed_run_agree(project: str, target: str, tmp_path: Path) -> None:
    """Products of matrices, chained layers and lanes; by power of two, multipliers and of bfloat16."""
    need_clang()
    design = measure(project, target, tmp_path)
    assert design.rows
    for row in design.rows:
        assert row.off == pytest.approx(1, abs=0.1), row  # espcn-int8-pow2's conv1; the others within 0.08


def test_a_sum_follows_itself_as_soon_as_the_manual_says() -> None:
    """One float sum takes a product each second cycle [UG1079]; two of them side by side one each cycle."""
    sums = [Total(f"s{i}", "vector", 256, is_float=True, is_matrix=False) for i in range(2)]

    def trip(code: Code, many: int) -> None:
        data = code.load(32, (0,), "in")
        for total in sums[:many]:
            code.mac(total, [data], slots=1)

    assert pipeline_of(lambda code: trip(code, 1), AIE).interval == 2
    assert pipeline_of(lambda code: trip(code, 2), AIE).interval == 2  # two products, one vector unit


def test_a_load_a_product_and_a_store_take_their_latencies() -> None:
    """8 to the data, 6 to the sum, 3 to round it, 1 to store [llvm-aie, AIE1Schedule.td]."""
    total = Total("s", "accumulator", 768, is_float=False)

    def run(code: Code) -> None:
        code.mac(total, [code.load(32, (), "in")], slots=1)
        code.store(32, code.take(total, bits=256), "out")

    assert straight_cycles(run, AIE) == 8 + 6 + 3 + 1


def test_what_stays_along_a_loop_is_loaded_before_it() -> None:
    """Four loads of weights and one of data: two cycles of load units, half a cycle when the weights stay."""

    def trip(code: Code) -> None:
        for _ in range(4):
            code.load(32, (0,), "weights")
        code.load(32, (1,), "in")

    assert pipeline_of(trip, AIE).interval == 3
    assert pipeline_of(trip, AIE, axis=1).interval == 1


@given(st.lists(st.tuples(st.integers(1, 7), st.integers(0, 9)), min_size=1, max_size=6), st.integers(1, 7))
def test_an_operation_takes_the_first_cycles_in_which_its_unit_has_room(
    loads: list[tuple[int, int]], interval: int
) -> None:
    """Two load units, each cycle of the interval counted; times run backwards, from a first one on."""
    schedule = _Schedule([Op("load", "load", slots, 8, "") for slots, _ in loads], [], interval, AIE)
    used = Counter[int]()
    for number, (slots, first) in enumerate(loads):
        ways = {
            at: Counter((place // 2 - at) % interval for place in range(slots))
            for at in range(first, first + interval)
        }
        fits = [at for at, way in ways.items() if all(used[cycle] + n <= 2 for cycle, n in way.items())]
        assert schedule._room(number, first) == (fits[0] if fits else None)
        if fits:
            schedule._place(number, fits[0])
            used += ways[fits[0]]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_sums_that_waited_in_memory_are_each_block_s_own(axis: int, blocks: int) -> None:
    """Wherever a block lies: two halves of its sums are loaded (1 + 8), rounded (3) and stored (1) [AIE1Schedule.td].

    No more of them are under way than there are. They begin with their row's biases, loaded once (1 + 8), stored in halves.
    """
    mode = next(
        m for m in mmul_modes(Architecture.AIE, DataType.INT16, DataType.INT16) if m.shape == (4, 4, 4)
    )
    requant = Requant(
        scaling=Scales.POWER_OF_TWO, low=-(2**15), high=2**15 - 1, zero_point=0, shift=8, left=False, wrap=False
    )  # fmt: skip
    code = product_code(Architecture.AIE, mode, DataType.INT16, requant)
    size = (blocks, 1) if axis == 0 else (1, blocks)
    begun = begin_and_finish(code, size, is_scaled=False)
    each = 9 + 3 + 1
    assert begin_and_finish(code, size, is_scaled=True) - begun == each + (blocks - 1) * math.ceil(
        each / blocks
    )
    assert begun == (9 + 2 * blocks if axis == 1 else 11 + (blocks - 1) * math.ceil(11 / blocks))


def test_a_left_shift_first_is_one_multiplication_and_rounding_more() -> None:
    """16 sums by numbers of 32 bits, 4 a cycle [AM009]: 3 cycles more than the first, 6 to the products, 3 to round them."""
    mode = next(m for m in mmul_modes(Architecture.AIE, DataType.INT8, DataType.INT8) if m.shape == (4, 8, 4))
    plain = Requant(
        scaling=Scales.MULTIPLIER16, low=-128, high=127, zero_point=0, shift=8, left=False, wrap=False
    )
    one, two = (
        product_code(Architecture.AIE, mode, DataType.INT8, replace(plain, left=left))
        for left in (False, True)
    )
    apart = begin_and_finish(two, (1, 1), is_scaled=True) - begin_and_finish(one, (1, 1), is_scaled=True)
    assert apart == 3 + 6 + 3


def test_a_long_body_is_not_pipelined() -> None:
    """600 operations are still pipelined, two loads a cycle, and 400 cycles; numbers that are found before the loop are none."""

    def many(code: Code, loads: int) -> None:
        code.constant(32)
        for _ in range(loads):
            code.op("load")

    def late(code: Code, *more: str) -> None:
        last = code.op("load")
        for kind in (*["load"] * 49, *more):
            last = code.op(kind, [last])

    assert (
        pipeline_of(lambda c: many(c, 600), AIE).interval,
        pipeline_of(lambda c: many(c, 601), AIE).interval,
    ) == (300, 308)
    made = pipeline_of(late, AIE)
    assert (made.length, made.interval) == (50 * 8, 25)
    longer = pipeline_of(lambda c: late(c, "move"), AIE)
    assert (longer.length, longer.interval) == (401, 401)


def test_layers_that_differ_in_their_numbers_alone_are_scheduled_once() -> None:
    """Shifts and zero points are numbers of the code; a bound is a comparison more."""
    mode = mmul_modes(Architecture.AIE, DataType.INT8, DataType.INT8)[0]

    def code(low: int, zero_point: int, shift: int) -> object:
        requant = Requant(
            scaling=Scales.MULTIPLIER16,
            low=low,
            high=127,
            zero_point=zero_point,
            shift=shift,
            left=False,
            wrap=False,
        )
        return product_code(Architecture.AIE, mode, DataType.INT8, requant)

    assert code(-128, 3, 8) == code(-128, -5, 11) != code(0, 3, 8)
