"""The weights of products as each engine reads them: an order of elements over the trained tensors (aieloom.layout)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from aieloom.arrays import Values
from aieloom.layout.channel_words import LANES, words_of
from aieloom.layout.expression import Expression, Index, index
from aieloom.layout.nest import Axis, Layout, Table, axis
from aieloom.network.elements import stored
from aieloom.network.layers import Parameters
from aieloom.sequential.array import TILE_N, ArrayEngine, group_words, passes_of
from aieloom.sequential.engine import ConvEngine
from aieloom.sequential.steps import ConvStep, Mode

CHANNEL_NUMBERS = 4  # that stand beside an output channel's weights


def filled(count: int, block: int) -> int:
    """Return a count filled up to whole blocks."""
    return -(-count // block) * block


def tiles_of(step: ConvStep, engine: ConvEngine) -> int:
    """Return the tiles of output channels of all groups."""
    outputs = step.y.shape[0] // step.engine_groups
    return step.engine_groups * -(-outputs // engine.out)


def rows_of(step: ConvStep) -> int:
    """Return the rows of weights of a tile."""
    return step.window.kernel[0] * step.window.kernel[1] * _channels_of_tap(step)


def _channels_of_tap(step: ConvStep) -> int:
    """Return the input channels of a group's tap, filled up to whole words."""
    one = step.mode is Mode.DEPTHWISE
    return 1 if one else filled(step.window.channels // step.engine_groups, LANES)


def weight_bytes(step: ConvStep, engine: ConvEngine) -> int:
    """Return the bytes of a layer's weights in device memory."""
    return tiles_of(step, engine) * rows_of(step) * engine.out * engine.bytes


def matrix(step: ConvStep) -> Layout:
    """Return the weights as `[group][k][output]`, of the trained ones `[output][input][y][x]`.

    K is taps, then input channels filled up to whole words. A folded input's channels are rows and columns of a pixel, then
    the image's channels: where their tap lies outside the kernel, and of groups that the engine takes for one between them,
    there is padding.
    """
    of, groups, (rows, columns) = step.origin or step, step.engine_groups, step.fold
    m, outputs, wide = step.y.shape[0], step.y.shape[0] // groups, _channels_of_tap(step)
    group, k, n = index("group", groups), index("k", rows_of(step)), index("output", outputs)
    output, tap, channel = group * outputs + n, k // wide, k % wide
    image = of.window.channels // groups  # channels of the image that a group sees
    first: Expression | int = 0
    seen = 1 if step.mode is Mode.DEPTHWISE else image
    if step.mode is Mode.FILLED:
        seen = image // step.groups
        first = output // (m // step.groups) * seen
    cell = channel // image
    above, left = (
        here * by - before
        for here, by, before in zip(step.window.padding, step.fold, of.window.padding, strict=True)
    )
    places = {
        "output": (output, m),
        "input": (channel % image - first, seen),
        "y": (tap // step.window.kernel[1] * rows + cell // columns - above, of.window.kernel[0]),
        "x": (tap % step.window.kernel[1] * columns + cell % columns - left, of.window.kernel[1]),
    }
    limit = axis("channel", channel, image * rows * columns)
    return Layout((group, k, n), tuple(axis(name, *place) for name, place in places.items()), (limit,))


def matrix_of(step: ConvStep, trained: Parameters) -> Values:
    """Return weights as `(groups, K, outputs of a group)`."""
    order = matrix(step)
    return order.gather(_trained(step, trained)).reshape(order.shape)


def _trained(step: ConvStep, trained: Parameters) -> Values:
    return np.asarray(trained["weight"]).reshape(step.y.shape[0], -1, *(step.origin or step).window.kernel)


def _weights(
    step: ConvStep, trained: Parameters, loops: Sequence[Index], k: Expression, n: Expression
) -> Table:
    """Return weights in an order of `[group][k][output]`: in which group's, on which k, for which of its outputs."""
    own = matrix(step)
    places = (loops[0], k, n)
    order = Layout(
        tuple(loops), tuple(Axis(i.name, p, i.count) for i, p in zip(own.loops, places, strict=True))
    )
    return Table("weights", stored(_trained(step, trained), step.x.dtype), order.then(own))


def engine_tables(step: ConvStep, engine: ConvEngine, trained: Parameters) -> Iterator[Table]:
    """Yield what the engine in the logic reads: `[group][tile][k][output]`, and what each output channel needs beside."""
    groups = step.engine_groups
    tiles = tiles_of(step, engine) // groups
    if not step.sets:  # else its weights are another tensor
        group, tile = index("group", groups), index("tile", tiles)
        k, n = index("k", rows_of(step)), index("out", engine.out)
        yield _weights(step, trained, (group, tile, k, n), k, tile * n.count + n)
    yield channels_table(step, groups, tiles * engine.out, trained)


def array_tables(step: ConvStep, engine: ArrayEngine, trained: Parameters) -> Iterator[Table]:
    """Yield what the array reads, and what each output channel needs beside.

    Weights are `[group][tile][column of chains][part of K][pass]`, each a core's tile `[column block][K block][k][n]`.
    """
    _, bk, bn = engine.mmul
    tiles = -(-group_words(step) * LANES // engine.tile_channels)
    group, tile = index("group", step.engine_groups), index("tile", tiles)
    column, part = index("column", engine.columns), index("part", engine.parts)
    turn = index("pass", passes_of(step, engine.parts, engine.depth))
    nt, kt = index("nt", TILE_N // bn), index("kt", engine.depth // bk)
    i, j = index("row", bk), index("col", bn)
    k = (turn * engine.parts + part) * engine.depth + kt * bk + i
    n = tile * engine.tile_channels + column * TILE_N + nt * bn + j
    yield _weights(step, trained, (group, tile, column, part, turn, nt, kt, i, j), k, n)
    yield channels_table(step, step.engine_groups, tiles * engine.tile_channels, trained)


def depthwise_tables(step: ConvStep, trained: Parameters) -> Iterator[Table]:
    """Yield what the vector unit reads of a depthwise layer: its channels, of floats a bias alone; weights `[tap][channel]`."""
    group, k = index("group", 1), index("k", rows_of(step))
    channel = index("channel", words_of(step.y.shape[0]) * LANES)
    numbers = CHANNEL_NUMBERS if step.requant else 1
    channels = channels_table(step, 1, channel.count.number, trained, numbers)
    yield from (
        replace(t, name="table") for t in (channels, _weights(step, trained, (group, k, channel), k, channel))
    )


def channels_table(
    step: ConvStep, groups: int, wide: int, trained: Parameters, numbers: int = CHANNEL_NUMBERS
) -> Table:
    """Return bias, multiplier, shift and a fourth number of each output channel, of a group's filled up to `wide`.

    Of floats the fourth is 1 of those that only fill up: what they make of an infinity, NaN, is not kept.
    """
    m = step.y.shape[0]
    names = ("bias", "multiplier", "shift") if step.requant else ("bias",)
    values = np.zeros((numbers, m), "<i4" if step.requant else "<f4")
    for row, name in zip(values, names, strict=False):
        row[:] = trained.get(name, 0)
    group, n, number = index("group", groups), index("output", wide), index("number", numbers)
    place = axis("channel", group * (m // groups) + n, m)
    order = Layout(
        (group, n, number), (axis("number", number, numbers), place), (axis("output", n, m // groups),)
    )
    fourth = np.arange(order.elements) % numbers == CHANNEL_NUMBERS - 1
    return Table("channels", values, order, fourth & (step.requant is None))
