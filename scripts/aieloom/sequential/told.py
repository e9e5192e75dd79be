"""What is said of a layer that runs in its turn: where, on what tensors, how long by the model, and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from aieloom.sequential import commands as c
from aieloom.sequential.array import TILE_M, ArrayEngine, on_array
from aieloom.sequential.array import weight_bytes as array_bytes
from aieloom.sequential.array_cost import split_for
from aieloom.sequential.listing import operands
from aieloom.sequential.onchip.cost import row_split
from aieloom.sequential.onchip.engine import RowEngine
from aieloom.sequential.plan import InTurn, commands, engines_of
from aieloom.sequential.remarks import energy, issued_by, on
from aieloom.sequential.steps import ConvStep, HeadProduct, Mode
from aieloom.sequential.weights import rows_of, tiles_of, weight_bytes
from aieloom.units.plan import Plan, interval_us
from aieloom.units.types import VIEW, Task

MODES = {
    Mode.WHOLE: "every output channel sees every input channel",
    Mode.GROUPS: "{groups} groups one after another",
    Mode.DEPTHWISE: "every channel sees itself alone: one product for each output channel of a tile a cycle",
    Mode.FILLED: "{groups} groups that are no whole words of 16 channels: as one, with zeros between them",
}


def why(plan: Plan, task: Task) -> Iterator[str]:
    """Yield why a layer's turn is as it is."""
    design, batch = engines_of(plan), plan.schedule.batch
    beside = design.spatial.layers if design.spatial else ()
    step = design.spatial if task.name in beside else next(s for s in design.steps if s.layer == task.name)
    assert step
    if step.unit == VIEW or step.rounds:
        yield f"{step.layer}: {step.why[0]}"
        return
    turns = enumerate(plan.schedule.turns)
    number, turn = next((i, t) for i, t in turns if t.name == step.layer and t.op == step.op)
    yield f"{step.layer}: {step.op}, {step.x} to {step.y}, on the {on(turn)}"
    if product := step.product:
        heads = product.heads
        yield from _heads(product, heads, batch) if heads else _products(design, product, batch)
    reasons = (step.called.reason,) if step.called and step.called.reason else ()
    yield from (f"  {line}" for line in (*reasons, *step.why))
    for what, us in turn.us.items():
        yield f"  {us:,.1f} us an image: {what}"
    total = f"{turn.total_us:,.1f} us of the {interval_us(plan):,.1f} us of an image"
    yield f"  {total}, {batch} at a time (modelled)"
    given, y = operands(cast(c.Command, turn.record))
    assert y
    read = ", ".join(map(_place, given[: 1 + len(step.others)]))
    yield f"  command {number} of {len(commands(plan))}: {read} to {_place(y)}"
    yield f"  commands are {issued_by(plan)}"
    yield from (f"  energy of the whole design: {e.text}" for e in [energy(plan)] if e)


def _on_array(array: ArrayEngine, staying: RowEngine | None, step: ConvStep, batch: int) -> Iterator[str]:
    yield f"  {MODES[step.mode].format(groups=step.groups)}"
    if step.origin:
        rows, columns = step.fold
        kernel = " x ".join(map(str, step.window.kernel))
        yield f"  {rows} x {columns} pixels of the image are channels of one, the kernel is {kernel} by 1"
    if step.sum:
        yield f"  {step.gives} is part of it: {step.inputs[1]} is added on the way to memory"
    if staying:
        own = row_split(step, staying)
        tiles, passes, together, once = own.tiles, own.passes, own.together, f"for {staying.rows} images"
        cut = f"an image in each row of chains: {len(own.blocks)} bands of {own.rows} rows, {sum(own.blocks)}"
    else:
        split = split_for(step, array, batch)
        tiles, passes, together, once = split.tiles, split.passes, split.together, "a batch"
        cut = f"{batch} x {split.bands} bands of {split.rows} rows, each {split.blocks}"
    at_a_time = "" if staying else f", {array.rows} bands at a time"
    yield (
        f"  {step.products:,} products an image; {tiles} tiles of {array.tile_channels} output channels, {passes} "
        f"passes over K of {array.parts * array.depth}, {array_bytes(step, array):,} B of weights, read once {once}"
    )
    yield f"  {cut} blocks of {TILE_M} pixels{at_a_time}; {together} tiles share loads of the input"


def _heads(step: ConvStep, heads: HeadProduct, batch: int) -> Iterator[str]:
    what = "keys are columns" if heads.transposed else "values are places of K"
    yield f"  {heads.heads} heads: {step.y.pixels} rows of {heads.depth} x {heads.columns}, read where they lie; {what}"
    yield f"  the row unit lays them out as the array reads weights, then {batch} images are products of their own"


def _place(tensor: c.Tensor) -> str:
    if tensor.local:
        return f"{tensor.image_bytes:,} B at {tensor.offset:,} of each row's store"
    return f"{tensor.image_bytes:,} B an image at {tensor.offset:,}"


def _products(design: InTurn, step: ConvStep, batch: int) -> Iterator[str]:
    array = design.array
    if step.layer in design.forms:
        yield f"  {MODES[Mode.DEPTHWISE].partition(':')[0]}: {step.products:,} products an image, folded tap by tap"
        return
    if array and on_array(step):
        yield from _on_array(array, design.staying, step, batch)
        return
    engine = design.engine
    blocks = -(-batch * step.y.pixels // engine.block_pixels)
    tiles, rows = tiles_of(step, engine), rows_of(step)
    yield f"  {MODES[step.mode].format(groups=step.groups)}"
    if step.gives != step.layer:
        yield f"  {step.gives} is part of it: bounds on the way to memory"
    yield (
        f"  {step.products:,} products an image; {tiles} tiles of {engine.out} output channels, {rows:,} rows of weights each, "
        f"{weight_bytes(step, engine):,} B"
    )
    yield (
        f"  {batch} x {step.y.pixels} output pixels in {blocks} blocks of {engine.block_pixels}: weights are read "
        f"{blocks} times a batch"
    )
