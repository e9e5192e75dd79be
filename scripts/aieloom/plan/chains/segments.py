"""Chains of layers on the AIE-ML array: which layers follow each other core to core, and what lies between them.

A chain is a run of layers with `strategy: chained` where each alone reads the one before it. Behind and between them a relu, a
clip and a 2x2 max_pool become part of the kernel; anything else ends the chain. From outside a chain is one layer on the
array: one stream in, one stream out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from aieloom.model.network import Layer, Network
from aieloom.model.operator import Operators
from aieloom.plan.chain_grid import BLOCK, POOL, STRATEGY, ChainGrid, Link
from aieloom.plan.operators import ProductOperator
from aieloom.plan.shared_buffers import ENTRY, EXIT, Access, SharedBuffer, Traversal
from aieloom.plan.types import AieLayerDraft, AieLayerPlan
from aieloom.spec.device import Device
from aieloom.spec.network import left_to_planner
from aieloom.spec.types import Buffers, pair


@dataclass(slots=True)
class _Fusion:
    """What a kernel does to its sums."""

    layers: list[Layer] = field(default_factory=list)
    pooled: bool = False
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A layer of a chain and what becomes part of it."""

    layer: Layer
    fused: tuple[Layer, ...]
    fusion: _Fusion


@dataclass(frozen=True, slots=True)
class Chain:
    """Layers that hand images on core to core."""

    members: tuple[Member, ...]

    @property
    def names(self) -> frozenset[str]:
        """All layers of it."""
        return frozenset(
            name for m in self.members for name in (m.layer.name, *(layer.name for layer in m.fused))
        )


def chains(network: Network, outside: frozenset[str] = frozenset()) -> tuple[Chain, ...]:
    """Return the chains of a network, in order; layers `outside` the device are in none."""
    found: list[Chain] = []
    inside: set[str] = set()
    for layer in network.layers:
        if is_chained(network, layer) and layer.name not in inside | outside:
            chain = _from(network, layer, outside)
            inside |= chain.names
            found.append(chain)
    return tuple(found)


def on_device(network: Network, device: Device) -> Network:
    """Return the network for a device that its file was not written for: one without memory tiles has no chains.

    There the planner cuts the layers as matrix products. A file that names such a device itself is refused ([chain-1]).
    """
    spec = network.spec
    if device.memory_tile or spec.source.data.get("target") == spec.target:
        return network
    return unchained(network)


def unchained(network: Network) -> Network:
    """Return the network whose layers are cut as matrix products."""
    spec = network.spec
    mapping = {
        name: left_to_planner(m) if getattr(m, "strategy", None) == STRATEGY else m
        for name, m in spec.mapping.items()
    }
    return replace(network, spec=spec.model_copy(update={"mapping": mapping}))


def is_chained(network: Network, layer: Layer) -> bool:
    """Tell whether a layer's mapping asks for a chain."""
    return getattr(network.spec.mapping[layer.name], "strategy", None) == STRATEGY


def _from(network: Network, first: Layer, outside: frozenset[str]) -> Chain:
    members: list[Member] = []
    at: Layer | None = first
    while at is not None:
        fused, at_next = _behind(network, at, outside)
        members.append(Member(layer=at, fused=tuple(fused.layers), fusion=fused))
        at = at_next
    return Chain(tuple(members))


def _behind(network: Network, layer: Layer, outside: frozenset[str]) -> tuple[_Fusion, Layer | None]:
    """Return what becomes part of a layer, and the next one of its chain."""
    fusion, at, flat = _Fusion(), layer, list[Layer]()
    while len(readers := network.readers(at.name)) == 1 and not readers[0].others:
        (after,) = readers
        if after.name in outside:
            break
        if is_chained(network, after):
            fusion.layers += flat
            return fusion, after
        if after.op in ("flatten", "identity"):
            flat.append(after)
        elif flat or not _take(fusion, after):
            break
        at = after
    return fusion, None


def _take(fusion: _Fusion, layer: Layer) -> bool:
    """Make a layer part of the kernel, if it can."""
    spec: Any = layer.spec
    floats = layer.x.quant is None
    if layer.op == "max_pool" and not fusion.pooled and layer.x.quant == layer.y.quant:
        stride = spec.kernel if spec.stride is None else spec.stride
        padded = any(spec.padding) if isinstance(spec.padding, tuple) else spec.padding
        if pair(spec.kernel) != (POOL, POOL) or pair(stride) != (POOL, POOL) or padded:
            return False
        fusion.pooled = True
    elif layer.op in ("relu", "clip") and floats and fusion.high is None:
        low = 0.0 if layer.op == "relu" else getattr(spec, "min", None)
        if low is not None:
            fusion.low = low if fusion.low is None else max(fusion.low, low)
        fusion.high = getattr(spec, "max", None)
        if fusion.high is not None and fusion.low is not None and fusion.low > fusion.high:
            return False
    else:
        return False
    fusion.layers.append(layer)
    return True


def drafts_of(network: Network, device: Device, operators: Operators, chain: Chain) -> list[AieLayerDraft]:
    """Return the drafts of a chain's layers; each reads the one before it.

    Raises:
        CannotFit: a mapping breaks a rule.
    """
    found: list[AieLayerDraft] = []
    for number, member in enumerate(chain.members):
        layer = member.layer
        fusion = member.fusion
        real = [f for f in member.fused if f.op == "max_pool"]
        before = found[-1] if found else None
        link = Link(
            x=before.y if before else layer.x,
            y=real[-1].y if real else layer.y,
            fused=tuple(f.name for f in member.fused),
            pooled=fusion.pooled,
            low=fusion.low,
            high=fusion.high,
            before=cast(ChainGrid, before.grid) if before else None,
            beside=before is not None
            and _beside(device, before, getattr(network.spec.mapping[layer.name], "place", None)),
            last=number == len(chain.members) - 1,
        )
        mapping = network.spec.mapping[layer.name]
        operator = operators[layer.op]
        assert isinstance(operator, ProductOperator)  # what a chain is made of
        draft = operator.chained(network.spec, device, layer, mapping, link)
        if before and draft.handed:
            found[-1] = replace(before, grid=replace(cast(ChainGrid, before.grid), hands=True))
        found.append(replace(draft, inputs=(before.name,) if before else layer.inputs))
    return found


def _beside(device: Device, before: AieLayerDraft, place: Any) -> bool:
    """Tell whether the one core of a layer with this place can reach the memory of the one core before it."""
    if before.slot_columns > 1 or before.buffers is Buffers.SINGLE:
        return False
    if before.region and place:
        return (before.region.col, before.region.row) in device.reach((place.col, place.row))
    return before.region is None and place is None


def as_one(drafts: Sequence[AieLayerDraft]) -> AieLayerDraft:
    """Return a chain as the one layer that the rest of the plan sees: the last one, with the first one's input."""
    first, last = drafts[0], drafts[-1]
    grid = replace(cast(ChainGrid, last.grid), entry=cast(ChainGrid, first.grid).entry)
    return replace(last, inputs=first.inputs, x=first.x, grid=grid)


def is_inner(draft: AieLayerDraft) -> bool:
    """Tell whether a layer reads another one without the PL between."""
    return isinstance(draft.grid, ChainGrid) and draft.grid.entry is None


def handed_on(layers: Sequence[AieLayerPlan]) -> tuple[tuple[str, str], ...]:
    """Return (layer, layer behind it) whose two cores share a buffer."""
    return tuple((la.draft.inputs[0], la.name) for la in layers if la.draft.handed)


def chain_to(layers: Mapping[str, AieLayerPlan], name: str) -> list[AieLayerPlan]:
    """Return the layers of the chain that ends in layer `name`, in order; of another layer itself alone."""
    found = [layers[name]]
    while is_inner(found[0].draft):
        found.insert(0, layers[found[0].draft.inputs[0]])
    return found


def buffers_of(drafts: Sequence[AieLayerDraft]) -> tuple[SharedBuffer, ...]:
    """Return the memory tiles' buffers of all chains among the layers, in order of the data's way."""
    by_name = {d.name: d for d in drafts}
    found: list[SharedBuffer] = []
    for draft in drafts:
        if isinstance(draft.grid, ChainGrid):
            if draft.grid.handed:
                found += _behind_the_last(draft)
                continue
            before = by_name.get(draft.inputs[0]) if draft.grid.entry is None else None
            found += [_between(before, draft, p) for p in range(len(draft.grid.in_blocks))]
            found += _behind_the_last(draft)
    return tuple(found)


def _behind_the_last(draft: AieLayerDraft) -> list[SharedBuffer]:
    """Return the buffer that collects a chain's result, if the layer is its last one and needs one."""
    grid = cast(ChainGrid, draft.grid)
    return [_exit_buffer(draft)] if grid.exit and not grid.exits_directly else []


def _between(before: AieLayerDraft | None, after: AieLayerDraft, port: int) -> SharedBuffer:
    grid = cast(ChainGrid, after.grid)
    if before is None:
        dimensions, writers, boundary = _entry_side(after)
        readers = [_entry_read(after, band, boundary) for band in range(grid.groups)]
    else:
        source = cast(ChainGrid, before.grid)
        first = sum(grid.in_blocks[:port])
        parts = range(first // source.make.blocks, -(-(first + grid.in_blocks[port]) // source.make.blocks))
        dimensions = (
            source.make.cols * BLOCK,
            len(parts) * source.make.blocks,
            source.groups * source.make.rows,
        )
        writers = [
            _write(before, g, part, (part - parts[0]) * source.make.blocks)
            for g in range(source.groups)
            for part in parts
        ]
        readers = [_read(source, after, port, band, dimensions[1]) for band in range(grid.groups)]
    suffix = f"_{port}" if len(grid.in_blocks) > 1 else ""
    return SharedBuffer(
        name=f"{after.name}_input{suffix}",
        dtype=after.dtype,
        dimensions=dimensions,
        writers=tuple(writers),
        readers=tuple(readers),
        copies=2,
        before=before.name if before else ENTRY,
        after=after.name,
    )


def _write(draft: AieLayerDraft, group: int, part: int, block: int) -> Access:
    """Return how a core writes its channels of its band."""
    grid = cast(ChainGrid, draft.grid)
    make = grid.make
    return Access(
        layer=draft.name,
        kernels=(group * grid.parts + part,),
        port=0,
        tile=(make.cols * BLOCK, make.blocks, make.rows),
        offset=(0, block, group * make.rows),
    )


def _border(grid: ChainGrid) -> tuple[int, int]:
    """Return rows and columns of zeros before the image that the memory tile adds; the PL may have sent the border."""
    sent = grid.entry.window.padding if grid.entry else (0, 0)
    return grid.window.padding[0] - sent[0], grid.window.padding[1] - sent[1]


def _first_row(grid: ChainGrid, band: int) -> int:
    """Return the first row that a band reads."""
    return band * grid.band_rows * grid.fold - _border(grid)[0]


def _kernels(grid: ChainGrid, band: int) -> tuple[int, ...]:
    return tuple(range(band * grid.parts, (band + 1) * grid.parts))


def _read(source: ChainGrid, after: AieLayerDraft, port: int, band: int, blocks: int) -> Access:
    """Return how the cores of a band read: a window with its border, zeros beyond the image."""
    grid = cast(ChainGrid, after.grid)
    rows, cols = source.out_size
    left = grid.window.padding[1]
    return Access(
        layer=after.name,
        kernels=_kernels(grid, band),
        port=port,
        tile=(grid.need.cols * BLOCK, grid.in_blocks[port], grid.need.rows),
        offset=(-left * BLOCK, 0, _first_row(grid, band)),
        boundary=(cols * BLOCK, blocks, rows),
    )


def _entry_side(after: AieLayerDraft) -> tuple[tuple[int, ...], list[Access], tuple[int, ...]]:
    """Return a first buffer, block after block in each row, and how the PL fills it: pixel after pixel, each with its blocks.

    So a band's rows and columns are the dimensions in which a descriptor that reads adds zeros: see plan.chains.descriptor.
    """
    grid = cast(ChainGrid, after.grid)
    assert grid.entry is not None
    window = grid.entry.window
    blocks = sum(grid.in_blocks)
    dimensions = (BLOCK * window.out_width, blocks, window.out_height)
    whole = blocks == 1
    write = Access(
        layer=ENTRY,
        kernels=(),
        port=0,
        tile=dimensions if whole else (BLOCK, 1, 1),
        offset=(0, 0, 0),
        traversal=()
        if whole
        else (
            Traversal(dimension=1, stride=1, wrap=blocks),
            Traversal(dimension=0, stride=BLOCK, wrap=window.out_width),
            Traversal(dimension=2, stride=1, wrap=window.out_height),
        ),
    )
    return dimensions, [write], dimensions


def _entry_read(after: AieLayerDraft, band: int, boundary: tuple[int, ...]) -> Access:
    grid = cast(ChainGrid, after.grid)
    need = grid.need
    return Access(
        layer=after.name,
        kernels=_kernels(grid, band),
        port=0,
        tile=(need.cols * BLOCK, need.blocks, need.rows),
        offset=(-_border(grid)[1] * BLOCK, 0, _first_row(grid, band)),
        boundary=boundary,
    )


def _exit_buffer(draft: AieLayerDraft) -> SharedBuffer:
    """Return the buffer that collects the last layer's result: channels, rows and columns as the PL takes them."""
    grid = cast(ChainGrid, draft.grid)
    make, (rows, cols) = grid.make, grid.out_size
    dimensions = (make.cols * BLOCK, grid.parts * make.blocks, grid.groups * make.rows)
    read = Access(
        layer=EXIT,
        kernels=(),
        port=0,
        tile=(cols * BLOCK, 1, 1),
        offset=(0, 0, 0),
        traversal=(
            Traversal(dimension=2, stride=1, wrap=rows),
            Traversal(dimension=1, stride=1, wrap=dimensions[1]),
        ),
    )
    writers = [_write(draft, g, p, p * make.blocks) for g in range(grid.groups) for p in range(grid.parts)]
    return SharedBuffer(
        name=f"{draft.name}_output",
        dtype=draft.dtype,
        dimensions=dimensions,
        writers=tuple(writers),
        readers=(read,),
        copies=2,
        before=draft.name,
        after=EXIT,
    )
