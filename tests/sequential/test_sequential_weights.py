"""Weights as each engine reads them, against plain loops over the indices of the documented order."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.arrays import Values
from aieloom.layout.channel_words import LANES
from aieloom.network.layers import Requant
from aieloom.network.tensor import TensorType
from aieloom.sequential.array import TILE_N, ArrayEngine, candidates
from aieloom.sequential.engine import ConvEngine, solve_engines
from aieloom.sequential.float_rows import FloatRow
from aieloom.sequential.recurrent import Cell, RecurrentStep, recurrence_tables
from aieloom.sequential.row_unit import RowForm, RowOperation, RowStep, row_tables
from aieloom.sequential.steps import ConvStep, Mode
from aieloom.sequential.weights import array_tables, depthwise_tables, engine_tables
from aieloom.spec.device import Device, load_board
from aieloom.spec.quantize import Scales
from aieloom.spec.types import DataType
from tests.sequential.networks import conv_step

REQUANT = Requant(
    scaling=Scales.MULTIPLIER, low=-128, high=127, zero_point=0, shift=0, left=False, wrap=False
)
FLOAT = DataType.FLOAT32


@cache
def grids() -> tuple[ArrayEngine, ...]:
    device = load_board("vck190")
    assert isinstance(device, Device)
    return tuple(candidates(device, [conv_step(3, 5, (3, 3), 9)], "int8", "logic"))


@cache
def engines() -> tuple[ConvEngine, ...]:
    return solve_engines(load_board("zcu104"), "int8")


@st.composite
def steps(draw: st.DrawFn) -> ConvStep:
    """Return a product in one of the four modes, of integers or of floats."""
    groups = draw(st.sampled_from((1, 2, 3)))
    mode = Mode.WHOLE if groups == 1 else draw(st.sampled_from((Mode.GROUPS, Mode.FILLED)))
    each = LANES if mode is Mode.GROUPS else draw(st.integers(1, 9))
    outputs = groups * (2 * LANES if mode is Mode.GROUPS else draw(st.integers(1, 21)))
    kernel = draw(st.tuples(st.integers(1, 2), st.integers(1, 3)))
    step = replace(conv_step(each * groups, outputs, kernel, 4), mode=mode, groups=groups)
    return replace(step, requant=REQUANT) if draw(st.booleans()) else floats(step)


def floats(step: ConvStep) -> ConvStep:
    return replace(step, x=replace(step.x, dtype=FLOAT), y=replace(step.y, dtype=FLOAT))


def trained_of(step: ConvStep, seen: int) -> dict[str, Values]:
    """Return numbers none of which is another's, as far as a byte tells."""
    m = step.y.shape[0]
    weight = np.arange(1, 1 + m * seen * step.window.kernel[0] * step.window.kernel[1])
    kind = np.int8 if step.requant else np.float32
    found = {"weight": weight.astype(kind).reshape(m, seen, *step.window.kernel), "bias": np.arange(7, 7 + m)}
    return found | (
        {n: np.arange(m) * 3 + i for i, n in enumerate(("multiplier", "shift"))} if step.requant else {}
    )


def weight_at(step: ConvStep, weight: Values, group: int, k: int, output: int) -> float:
    """The definition: of a group's matrix K, by taps then channels in whole words, times outputs."""
    per = step.window.channels // step.engine_groups
    tap, channel = divmod(k, -(-per // LANES) * LANES)
    outputs = step.y.shape[0] // step.engine_groups
    if tap >= step.window.kernel[0] * step.window.kernel[1] or channel >= per or output >= outputs:
        return 0
    row = group * outputs + output
    if step.mode is Mode.FILLED:
        seen = weight.shape[1]
        if channel // seen != row // (len(weight) // step.groups):
            return 0
        channel %= seen
    return float(weight[row, channel, tap // step.window.kernel[1], tap % step.window.kernel[1]])


def channels_by_loops(
    step: ConvStep, trained: dict[str, Values], groups: int, wide: int
) -> list[list[float]]:
    found: list[list[float]] = []
    outputs = step.y.shape[0] // groups
    for group, n in product(range(groups), range(wide)):
        if n >= outputs:
            found.append([0, 0, 0, 0 if step.requant else 1])
        else:
            at = group * outputs + n
            more = [float(trained[name][at]) for name in ("multiplier", "shift")] if step.requant else [0, 0]
            found.append([float(trained["bias"][at]), *more, 0])
    return found


@settings(max_examples=25, deadline=None)
@given(steps(), st.integers(0, 1000))
def test_the_array_reads_core_after_core(step: ConvStep, number: int) -> None:
    engine = grids()[number % len(grids())]
    trained = trained_of(step, step.window.channels // step.groups)
    weights, channels = array_tables(step, engine, trained)
    _, bk, bn = engine.mmul
    outputs = step.y.shape[0] // step.engine_groups
    tiles = -(-outputs // engine.tile_channels)
    rows = step.window.kernel[0] * step.window.kernel[1]
    k_all = rows * -(-step.window.channels // step.engine_groups // LANES) * LANES
    passes = -(-k_all // (engine.parts * engine.depth))
    found = iter(weights.elements.tolist())
    for group, tile, column, part, turn in product(
        *(range(n) for n in (step.engine_groups, tiles, engine.columns, engine.parts, passes))
    ):
        for nt, kt, k, n in product(*(range(n) for n in (TILE_N // bn, engine.depth // bk, bk, bn))):
            place = (turn * engine.parts + part) * engine.depth + kt * bk + k
            output = tile * engine.tile_channels + column * TILE_N + nt * bn + n
            assert next(found) == weight_at(step, trained["weight"], group, place, output)
    assert next(found, None) is None
    wide = tiles * engine.tile_channels
    assert channels.elements.reshape(-1, 4).tolist() == channels_by_loops(
        step, trained, step.engine_groups, wide
    )


@settings(max_examples=25, deadline=None)
@given(steps(), st.integers(0, 1000))
def test_the_engine_in_the_logic_reads_tile_after_tile(step: ConvStep, number: int) -> None:
    engine = engines()[number % len(engines())]
    trained = trained_of(step, step.window.channels // step.groups)
    weights, channels = engine_tables(step, engine, trained)
    outputs, words = (
        step.y.shape[0] // step.engine_groups,
        -(-step.window.channels // step.engine_groups // LANES),
    )
    tiles, rows = -(-outputs // engine.out), step.window.kernel[0] * step.window.kernel[1] * words * LANES
    wanted = [
        weight_at(step, trained["weight"], group, k, tile * engine.out + n)
        for group, tile, k, n in product(*(range(n) for n in (step.engine_groups, tiles, rows, engine.out)))
    ]
    assert weights.elements.tolist() == wanted
    wide = tiles * engine.out
    assert channels.elements.reshape(-1, 4).tolist() == channels_by_loops(
        step, trained, step.engine_groups, wide
    )
    own = replace(step, sets=2)  # its weights are another tensor
    assert [t.name for t in engine_tables(own, engine, trained)] == ["channels"]


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 40), st.tuples(st.integers(1, 3), st.integers(1, 3)), st.booleans())
def test_the_vector_unit_reads_tap_after_tap(channels: int, kernel: tuple[int, int], integers: bool) -> None:
    step = replace(conv_step(channels, channels, kernel, 5), mode=Mode.DEPTHWISE, groups=channels)
    step = replace(step, requant=REQUANT) if integers else floats(step)
    trained = trained_of(step, 1)
    beside, weights = depthwise_tables(step, trained)
    wide = -(-channels // LANES) * LANES
    wanted = [
        float(trained["weight"][c, 0, y, x]) if c < channels else 0
        for y, x, c in product(range(kernel[0]), range(kernel[1]), range(wide))
    ]
    assert weights.elements.tolist() == wanted
    rows = channels_by_loops(step, trained, 1, wide)
    assert beside.elements.tolist() == [v for row in rows for v in (row if integers else row[:1])]


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(Cell), st.integers(1, 40))
def test_the_recurrent_unit_reads_feature_after_feature(cell: Cell, hidden: int) -> None:
    x = TensorType((cell.gates * hidden, 3, 1), FLOAT)
    step = RecurrentStep(
        layer="r", op="r", x=x, y=replace(x, shape=(hidden, 3, 1)), inputs=("x",), cell=cell, hidden=hidden,
        reverse=False, why=(),
    )  # fmt: skip
    weight = np.arange(1.0, 1 + cell.gates * hidden * hidden).reshape(-1, hidden)
    bias = np.arange(1.0, 1 + hidden)
    found = [
        v for t in recurrence_tables(step, {"weight": weight, "bias": bias}) for v in t.elements.tolist()
    ]
    wanted, begin = [], 0
    for gates, words in zip(cell.products, step.row_words, strict=True):
        for feature, gate in product(range(hidden), range(words * LANES)):
            wanted.append(weight[begin + gate, feature] if gate < gates * hidden else 0)
        begin += gates * hidden
    wanted += [bias[i] if i < hidden else 0 for i in range(step.bias_words * LANES)]
    assert found == wanted
    assert 4 * len(found) == step.trained_bytes


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 40), st.integers(1, 5), st.booleans())
def test_the_row_unit_reads_factor_and_offset_of_each_channel(channels: int, pixels: int, each: bool) -> None:
    x = TensorType((channels, pixels, 1), FLOAT)
    words = -(-channels // LANES)
    step = RowStep(
        layer="a", op="affine", x=x, y=x, inputs=("x",), part_of="a", why=(),
        form=RowForm(operation=RowOperation.AFFINE, groups=1, words=words, valid=channels, each=each),
        detail=FloatRow(op="affine", channels=channels, each=each, eps=0.5, factor=2.0),
    )  # fmt: skip
    size = (channels, pixels) if each else (channels, 1)
    weight, bias = (
        np.arange(1.0, 1 + size[0] * size[1]).reshape(size),
        -np.arange(1.0, 1 + size[0] * size[1]).reshape(size),
    )
    trained = {"weight": weight.ravel(), "bias": bias.ravel()}
    found = [v for t in row_tables(step, trained) for v in t.elements.tolist()]
    wanted = [0.5, 2.0, *[0.0] * (LANES - 2)]
    for pixel, channel, of in product(range(size[1]), range(words * LANES), (weight, bias)):
        wanted.append(of[channel, pixel] if channel < channels else 0)
    assert found == wanted
    assert 4 * len(found) == step.table_bytes
