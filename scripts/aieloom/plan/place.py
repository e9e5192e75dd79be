"""Which tile each kernel gets.

Kernels of a group, which share one input stream, stand above each other. A kernel that borrows memory takes
two tiles side by side: on VC1902 the core of an even row reaches the memory to its west, of an odd row the
one to its east (AM009), so such kernels alternate between two columns. A chain of cores lies along its row, in the
direction in which cascades lead there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aieloom.plan.cascade import link_roles
from aieloom.plan.memory import MemoryMap
from aieloom.plan.types import AieLayerDraft, AieLayerPlan, Region
from aieloom.spec.device import Device, Tile
from aieloom.units.types import Address, KernelPlan


class NoRoom(Exception):
    """The kernels do not fit on the array or in the region: `problem` with the numbers, `remedy`."""

    def __init__(self, layer: AieLayerDraft, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.layer = layer
        self.problem = problem
        self.remedy = remedy


def footprint(device: Device, kernel: Tile, memories: int) -> tuple[Tile, ...]:
    """Return the kernel's own tile and, for two memories, the tile beside it whose memory it reaches."""
    return device.reach(kernel)[:memories]


def core_tile(device: Device, left: int, row: int, memories: int) -> Tile:
    """Return the core's tile in a slot of `memories` tiles that starts at column `left`."""
    if memories == 1:
        return left, row
    east_core = (left + 1, row)
    return east_core if left in {t[0] for t in footprint(device, east_core, 2)} else (left, row)


def place_layer(device: Device, draft: AieLayerDraft, region: Region) -> AieLayerPlan:
    """Put the layer's kernels into `region`, column by column from the lower left, in stream order.

    Raises:
        NoRoom: the region is outside the array or too small.
    """
    width = draft.slot_columns
    slots = region.cols // width * region.rows
    far = region.col + region.cols - 1, region.row + region.rows - 1
    if not (device.has_tile((region.col, region.row)) and device.has_tile(far)):
        last = f"columns 0..{device.array.columns - 1}, rows 0..{device.array.core_rows - 1}"
        raise NoRoom(
            draft, f"its region {_show(region)} leaves the array ({last})", _suggest(device, draft, region)
        )
    if slots < draft.grid.chains:
        tiles = draft.grid.chains * width
        what = "kernels" if draft.grid.cascade == 1 else "chains"
        text = (
            f"{draft.grid.chains} {what} of {width} tile(s) each do not fit into {_show(region)}, "
            f"which holds {slots}"
        )
        raise NoRoom(draft, text, f"give it {tiles} tiles: {_suggest(device, draft, region)}")
    kernels = []
    for index, (group, part) in enumerate(draft.grid.streams()):
        left = region.col + index // region.rows * width
        row = region.row + index % region.rows
        if draft.grid.cascade == 1:
            tile = core_tile(device, left, row, width)
            kernels.append(_kernel(device, draft.memory, group, part, tile))
        else:
            kernels += _chain(device, draft, (group, part), left, row)
    return AieLayerPlan(draft=draft, kernels=tuple(kernels))


def _chain(
    device: Device, draft: AieLayerDraft, stream: tuple[int, int], left: int, row: int
) -> list[KernelPlan]:
    """Put a chain's cores side by side from column `left`, the first where the row's cascades come from."""
    cols = range(left, left + draft.grid.cascade)
    kernels = []
    for link, col in enumerate(cols[:: device.cascade_step(row)]):
        whole = _kernel(device, draft.memory, *stream, (col, row))
        kept = link_roles(draft, link)
        blocks = {role: places for role, places in whole.blocks.items() if role in kept}
        kernels.append(replace(whole, blocks=blocks, link=link))
    return kernels


def _show(region: Region) -> str:
    return f"{region.cols}x{region.rows} tiles at column {region.col}, row {region.row}"


def _suggest(device: Device, draft: AieLayerDraft, wish: Region) -> str:
    """Name a region that holds the layer, as near to the wish as the array allows."""
    array = device.array
    rows = min(array.core_rows, draft.grid.chains, max(wish.rows, 1))
    cols = -(-draft.grid.chains // rows) * draft.slot_columns
    if cols > array.columns:
        rows = array.core_rows
        cols = -(-draft.grid.chains // rows) * draft.slot_columns
    if cols > array.columns:
        return "use a larger tile or fewer groups"
    col, row = min(wish.col, array.columns - cols), min(wish.row, array.core_rows - rows)
    return f"use place: {{col: {col}, row: {row}, cols: {cols}, rows: {rows}}}"


def _kernel(device: Device, memory: MemoryMap, group: int, part: int, tile: Tile) -> KernelPlan:
    tiles = footprint(device, tile, memory.memories)
    blocks = {
        role: tuple(Address(*tiles[s.memory], s.offset) for s in slots)
        for role, slots in memory.slots.items()
    }
    return KernelPlan(group=group, part=part, tile=tile, blocks=blocks)


def default_regions(device: Device, drafts: Sequence[AieLayerDraft]) -> dict[str, Region]:
    """Choose a region for every layer that has none: side by side, low rows first, near the PL's columns.

    A column takes at most as many kernels as output streams can go straight down; where that asks for more
    columns than there are, all rows are used.

    Raises:
        NoRoom: the layers need more columns than the array has.
    """
    fixed = {d.name: d.region for d in drafts if d.region}
    stacks = {s[0].name: s for s in stacks_of([d for d in drafts if not d.region])}
    free = _wide_in_the_middle(device, [s[0] for s in stacks.values()])
    for straight_down in (True, False):
        shapes = {
            d.name: _stack_shape(device, stacks[d.name])
            if len(stacks[d.name]) > 1
            else _shape(device, d, straight_down)
            for d in free
        }
        regions = _side_by_side(device, free, shapes, list(fixed.values()))
        if regions is not None:
            return fixed | regions | _unstacked(stacks, regions)
    need = sum(_shape(device, d, straight_down=False)[0] for d in free)
    worst = max(free, key=lambda d: (d.grid.chains * d.slot_columns, d.grid.cores))
    largest = sorted(free, key=lambda d: -d.grid.chains * d.slot_columns)
    each = ", ".join(
        f"{d.name} {d.grid.cores} cores on {d.grid.chains * d.slot_columns} tiles" for d in largest[:4]
    )
    each += f" and {len(free) - 4} more layers" if len(free) > 4 else ""
    text = (
        f"the layers together need {need} columns of {device.array.core_rows} rows beside what is placed, "
        f"the array has {device.array.columns}: {each}"
    )
    raise NoRoom(worst, text, "use larger tiles or fewer groups on this layer, or on the other large ones")


def stacks_of(drafts: Sequence[AieLayerDraft]) -> list[list[AieLayerDraft]]:
    """Return the layers in runs whose cores hand on in shared memory, most of them alone."""
    stacks: list[list[AieLayerDraft]] = []
    for draft in drafts:
        behind = next((s for s in stacks if draft.handed and s[-1].name == draft.inputs[0]), None)
        if behind:
            behind.append(draft)
        else:
            stacks.append([draft])
    return stacks


def _stack_shape(device: Device, stack: Sequence[AieLayerDraft]) -> tuple[int, int]:
    rows = min(device.array.core_rows, len(stack))
    return -(-len(stack) // rows), rows


def _unstacked(stacks: dict[str, list[AieLayerDraft]], regions: dict[str, Region]) -> dict[str, Region]:
    """Return a tile for each layer of a stack: up one column, down the next, so that every core stands beside the last.

    A core reaches the memories above and below it, on AIE-ML the one to its west as well [UG1603].
    """
    found = {}
    for name, stack in stacks.items():
        whole = regions[name]
        for number, draft in enumerate(stack if len(stack) > 1 else ()):
            col, up = divmod(number, whole.rows)
            row = whole.rows - 1 - up if col % 2 else up
            found[draft.name] = Region(col=whole.col + col, row=whole.row + row, cols=1, rows=1)
    return found


def _wide_in_the_middle(device: Device, drafts: Sequence[AieLayerDraft]) -> list[AieLayerDraft]:
    """Order layers so that those with 128-bit PLIOs have neighbours on both sides.

    An interface column takes four streams straight down but only three 128-bit PLIOs; the fourth goes to a
    column beside it. Layers exchange data through the PL, so their order along the columns is free.
    """
    bits = {d.name: d.out_bits if d.grid.out_streams else 0 for d in drafts}
    narrow = [d for d in drafts if bits[d.name] <= device.interface.channel_bits]
    wide = [d for d in drafts if bits[d.name] > device.interface.channel_bits]
    half = (len(narrow) + 1) // 2
    return [*narrow[:half], *wide, *narrow[half:]]


def _shape(device: Device, draft: AieLayerDraft, straight_down: bool) -> tuple[int, int]:
    """Return (columns, rows) of a layer's region."""
    return shape_of(device, draft.grid.chains, draft.slot_columns, straight_down)


def shape_of(device: Device, cores: int, memories: int, straight_down: bool) -> tuple[int, int]:
    """Return (columns, rows) of the region of `cores` kernels that use the memories of `memories` tiles each."""
    rows = device.array.core_rows
    if straight_down:
        rows = min(rows, device.streams.south * memories)
    rows = min(rows, cores)
    return -(-cores // rows) * memories, rows


def _side_by_side(
    device: Device,
    drafts: Sequence[AieLayerDraft],
    shapes: dict[str, tuple[int, int]],
    taken: Sequence[Region],
) -> dict[str, Region] | None:
    """Put regions from left to right, skipping columns that are taken; None when they do not fit."""
    blocked = {c for r in taken for c in range(r.col, r.col + r.cols)}
    total = sum(cols for cols, _ in shapes.values())
    first, last = device.array.plio_columns
    start = first if first + total <= device.array.columns else max(0, device.array.columns - total)
    for begin in dict.fromkeys((min(start, max(0, (first + last + 1 - total) // 2)), start, 0)):
        regions: dict[str, Region] = {}
        col = begin
        for draft in drafts:
            cols, rows = shapes[draft.name]
            while any(c in blocked for c in range(col, col + cols)):
                col += 1
            regions[draft.name] = Region(col=col, row=0, cols=cols, rows=rows)
            col += cols
        if col <= device.array.columns:
            return regions
    return None
