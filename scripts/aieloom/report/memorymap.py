"""What lies where in the memory of a layer's cores: one bar a memory, one for all cores, which are laid out alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aieloom.plan.memory import reserved_bytes
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.plan.weights import FEEDER_STACK_BYTES
from aieloom.report.svg import document, line, rect, text
from aieloom.words import plural

WIDTH, LEFT, BAR, STEP, TOP = 760.0, 96.0, 30.0, 50.0, 40.0
_SPAN = WIDTH - LEFT - 16
COLOURS = {
    "input": "#56B4E9",
    "output": "#E69F00",
    "weights": "#009E73",
    "bias": "#CC79A7",
    "biases": "#CC79A7",
}
_SYSTEM, _OTHER = "#999999", "#F0E442"
LEGEND = (
    *((name, shade) for name, shade in COLOURS.items() if name != "biases"),
    ("other", _OTHER),
    ("stack, heap, tools", _SYSTEM),
)
_LEGIBLE = 7.0  # pixels of a letter


@dataclass(frozen=True, kw_only=True)
class Block:
    """A block in a memory: 0 is the core's own tile."""

    memory: int
    offset: int
    bytes: int
    label: str


def blocks(plan: ArrayPart, layer: AieLayerPlan) -> tuple[Block, ...]:
    """Return what a core of the layer keeps, in order of place."""
    draft = layer.draft
    found = [
        Block(
            memory=slot.memory,
            offset=slot.offset,
            bytes=need.bytes,
            label=f"{need.label} {copy}" if need.copies > 1 else need.label,
        )
        for need in draft.needs
        for copy, slot in enumerate(draft.memory.slots[need.role])
    ]
    stacks = (draft.stack_bytes, FEEDER_STACK_BYTES)  # a feeder is on the tile beside, or none
    for memory, stack in enumerate(stacks[: 2 if layer.feeders else 1]):
        reserved = reserved_bytes(plan.device, stack)
        own = plan.device.tile.memory_bytes - reserved
        found.append(Block(memory=memory, offset=own, bytes=reserved, label="stack, heap, tools"))
    return tuple(sorted(found, key=lambda b: (b.memory, b.offset)))


def memory_map(plan: ArrayPart, layer: AieLayerPlan) -> str:
    """Return the memories of one core as SVG."""
    size = plan.device.tile.memory_bytes
    found = blocks(plan, layer)
    memories = layer.draft.memory.memories
    parts = [
        text(
            8,
            20,
            f"{layer.name}: {plural(len(layer.kernels), 'core')}, {memories} of the {size}-byte memories each",
            size=13,
        )
    ]
    for number in range(memories):
        y = TOP + number * STEP
        parts.append(text(LEFT - 8, y + 19, "own tile" if number == 0 else "neighbour's", anchor="end"))
        parts.append(rect(LEFT, y, _SPAN, BAR, fill="#f6f6f6", more="stroke='#bbb'"))
        for block in found:
            if block.memory == number:
                parts += _block(block, size, y)
        parts += _banks(plan, size, y)
    return document(WIDTH, TOP + memories * STEP + 4, parts, label=f"memory of a core of {layer.name}")


def _block(block: Block, size: int, y: float) -> Iterator[str]:
    x, width = LEFT + block.offset / size * _SPAN, max(1.0, block.bytes / size * _SPAN)
    kind = block.label.split()[0].rstrip(",")
    fill = COLOURS.get(kind, _SYSTEM if kind == "stack" else _OTHER)
    end = block.offset + block.bytes
    title = f"{block.label}: {block.bytes} B, {block.offset} to {end - 1}"
    yield rect(x, y, width, BAR, fill=fill, title=title, more="stroke='#333' stroke-width='0.7'")
    label = f"{block.label} {block.bytes} B"
    if len(label) * _LEGIBLE < width:
        yield text(x + width / 2, y + 19, label, anchor="middle", fill="#111")
    elif len(block.label) * _LEGIBLE < width:
        yield text(x + width / 2, y + 19, block.label, anchor="middle", fill="#111")


def _banks(plan: ArrayPart, size: int, y: float) -> Iterator[str]:
    bank = plan.device.tile.bank_bytes
    for edge in range(0, size + 1, bank):
        x = LEFT + edge / size * _SPAN
        yield line((x, y + BAR), (x, y + BAR + 5), stroke="#333")
        anchor = "start" if edge == 0 else "end" if edge == size else "middle"
        yield text(x, y + BAR + 14, str(edge), size=9, anchor=anchor, fill="#555")
