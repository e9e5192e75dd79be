"""How images are cut into tiles: the network for one tile, the places of tiles, the movers that cut and put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import gcd

from aieloom.errors import CannotFit
from aieloom.network.layers import Layer, Network, ShapeError
from aieloom.network.operator import Operators
from aieloom.pl.movers import MoverPlan
from aieloom.pl.streams import RASTER_BITS, RasterStream, Streams
from aieloom.plan.frame import Axis, Cut, FramePlan
from aieloom.plan.linked import chains
from aieloom.plan.types import AieLayerDraft
from aieloom.spec.lines import KeyPath
from aieloom.spec.network import INPUT, NetworkSpec, TilesSpec

ROW_CYCLES = 100  # between two bursts of a row: a request's way to memory and back (estimate)


def resized(network: Network, size: tuple[int, int], operators: Operators) -> Network:
    """Return the network for an input of another height and width.

    Raises:
        ShapeError: a layer cannot take what it is given then.
    """
    types = {INPUT: replace(network.layers[0].x, shape=(network.x.shape[0], *size))}
    layers: list[Layer] = []
    for layer in network.layers:
        operator, xs = operators[layer.op], tuple(types[name] for name in layer.inputs)
        y = replace(layer.y, shape=operator.infer_join(layer.spec, xs).shape)
        layers.append(replace(layer, x=xs[0], others=xs[1:], y=y))
        types[layer.name] = y
    return replace(network, layers=tuple(layers), outer_x=None, outer_y=None)


def axes(network: Network, tile: Network, operators: Operators, lanes: int) -> tuple[Axis, Axis]:
    """Return how tiles of `tile.x` cover `network.x`, rows and columns; steps are multiples of `lanes` where that is free.

    Raises:
        CannotFit: the tile is larger than the image or too small for its halo, or does not end with the image.
        SpecError: a layer sees the whole image.
    """
    rows, cols = (_axis(network, tile, operators, i, lanes if i else 1) for i in (0, 1))
    return rows, cols


def _axis(network: Network, tile: Network, operators: Operators, axis: int, lanes: int) -> Axis:
    size, part = network.x.shape[1 + axis], tile.x.shape[1 + axis]
    out_size, out_part = network.y.shape[1 + axis], tile.y.shape[1 + axis]
    spec, what = network.spec, ("high", "wide")[axis]
    if part > size:
        text = f"a tile of {part} pixels is larger than the image, which is {size} {what}"
        raise _refusal(spec, "tiles-2", axis, text, f"use at most {size}")
    if part == size:
        return Axis(
            size=size,
            tile=part,
            step=0,
            count=1,
            out_size=out_size,
            out_tile=out_part,
            out_step=0,
            before=0,
            after=0,
        )
    from aieloom.network.margins import margins  # noqa: PLC0415 - where an image is cut

    found = margins(tile, operators, axis)
    margin = found.output
    if (size - part) % found.pitch:
        near = [p for p in range(part - found.pitch + 1, part + found.pitch) if (size - p) % found.pitch == 0]
        text = (
            f"tiles {part} pixels {what} begin at multiples of {found.pitch} (the network's strides), so none ends with the "
            f"image, which is {size} {what}"
        )
        raise _refusal(spec, "tiles-3", axis, text, f"use {' or '.join(map(str, near))}")
    right = out_part - margin.before - margin.after
    most = int(right / margin.scale) // found.pitch * found.pitch if right > 0 else 0
    if most < 1:
        text = (
            f"of the {out_part} outputs of a tile {part} pixels {what}, {margin.before} + {margin.after} see beyond it "
            f"at sides where the image goes on: that leaves less than a step of {found.pitch} pixels"
        )
        least = part + int((found.pitch * margin.scale - right) / margin.scale) + found.pitch
        raise _refusal(spec, "tiles-2", axis, text, f"use at least {least}")
    step = _step(size - part, most, found.pitch, lanes)
    return Axis(
        size=size,
        tile=part,
        step=step,
        count=1 + -(-(size - part) // step),
        out_size=out_size,
        out_tile=out_part,
        out_step=int(step * margin.scale),
        before=margin.before,
        after=margin.after,
    )


def _step(way: int, most: int, pitch: int, lanes: int) -> int:
    """Return the largest step that needs the fewest tiles, of those a multiple of as many lanes as can be."""
    fewest = -(-way // most)
    for count in (lanes >> i for i in range(lanes.bit_length())):
        unit = pitch * count // gcd(pitch, count)
        step = most // unit * unit
        if step and -(-way // step) == fewest:
            return step
    return most


def _refusal(spec: NetworkSpec, rule: str, axis: int, text: str, remedy: str) -> CannotFit:
    at: KeyPath = ("tiles", "size", axis)
    return CannotFit(spec.source.problem(rule, at, text, remedy))


def beat_values(frame: FramePlan, lanes: int, *, reads_memory: bool) -> int:
    """Return the values of a memory word: as many of a stream word's as all rows and places are multiples of."""
    c = frame.cols
    if reads_memory:
        return gcd(lanes, c.size, c.tile, c.step, c.last)
    return gcd(lanes, c.out_size, c.out_tile, c.out_step, c.out_last, c.before)


def tile_mover(mover: MoverPlan, streams: Streams, frame: FramePlan) -> MoverPlan:
    """Return the mover that carries tiles from or to images, row by row: each row is a burst."""
    assert isinstance(streams, RasterStream)
    bits = streams.dtype.bytes * 8
    values = beat_values(frame, streams.bits // bits, reads_memory=mover.reads_memory)
    if mover.reads_memory:
        channels, height, width = frame.tile_x.shape
        cycles = channels * height * (width // values + ROW_CYCLES)
    else:
        channels, height, width = frame.tile_y.shape
        kept_rows, kept = (
            max(end - first for _, _, first, end in a.places()) for a in (frame.rows, frame.cols)
        )
        cycles = channels * (height * (width // values) + kept_rows * (kept // values + ROW_CYCLES))
    return replace(
        mover,
        memory_bits=values * bits,
        cycles=cycles,
        task="memory_to_tiles" if mover.reads_memory else "tiles_to_memory",
    )


def cut_into(network: Network, tiles: TilesSpec, operators: Operators) -> Cut:
    """Return the network for one of these tiles, as `cut`."""
    try:
        tile = resized(network, tiles.size, operators)
    except ShapeError as e:
        text = f"tiles of {tiles.size[0]}x{tiles.size[1]}: {e.problem}"
        raise _refusal(network.spec, "tiles-2", 0, text, "use larger tiles") from e
    lanes = RASTER_BITS // (8 * network.x.dtype.bytes)
    return Cut(network=tile, axes=axes(network, tile, operators, lanes))


def refuse_chains(network: Network) -> None:
    """Refuse tiles of a network with chains of layers, whose buffers add the image's border on every side.

    Raises:
        CannotFit: it has some.
    """
    for chain in chains(network):
        layer = chain.members[0].layer
        at = network.spec.at_mapping(layer.name, "strategy")
        text = f"layer '{layer.name}' begins a chain (strategy: {chain.strategy}), which takes whole images, not tiles"
        remedy = f"leave 'tiles' out, or map the layer without strategy: {chain.strategy}"
        raise CannotFit(network.spec.source.problem("tiles-1", at, text, remedy))


def refuse_processor(network: Network, reasons: Mapping[str, str]) -> None:
    """Refuse tiles of a network with layers on the processor, which take whole images; `reasons` names them.

    Raises:
        CannotFit: there are some.
    """
    for name, why in reasons.items():
        text = f"layer '{name}' runs on the processor ({why}), which takes whole images, not tiles"
        remedy = "leave 'tiles' out, or take the layer out of the network"
        raise CannotFit(network.spec.source.problem("tiles-1", network.spec.at_mapping(name), text, remedy))


def whole_draft(draft: AieLayerDraft, layer: Layer) -> AieLayerDraft:
    """Return a layer's draft as if its cores worked on a whole image: for references."""
    window = replace(draft.window, height=layer.x.shape[1], width=layer.x.shape[2])
    return replace(draft, x=layer.x, y=layer.y, window=window)
