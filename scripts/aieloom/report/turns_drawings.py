"""Drawings of a design whose layers take turns: its layers with their branches, and its device memory over the turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aieloom.report.svg import colour, document, line, rect, text
from aieloom.spec.network import INPUT
from aieloom.units.plan import Plan

ROW, LANE, DOT = 18.0, 12.0, 4.0
WIDTH, HEIGHT, LEFT, TOP, RIGHT, FOOT = 960.0, 420.0, 64.0, 24.0, 16.0, 40.0
MB = 1_000_000
MARKS = 8  # of memory, at most
STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_LETTER = 6.0  # pixels of a letter
Shade = Callable[[str], str]  # the colour of a unit


def network_map(plan: Plan, shade: Shade) -> str:
    """Return the layers in order of execution, a row each; lines on the left are tensors that are read later."""
    rows = {INPUT: 0} | {name: i for i, task in enumerate(plan.tasks, 1) for name in task.layers}
    skips = sorted(
        {(rows[name], i) for i, t in enumerate(plan.tasks, 1) for name in t.inputs if rows[name] != i - 1}
    )
    lanes = _lanes(skips)
    x0 = 16 + LANE * (1 + max(lanes.values(), default=0))
    parts = [text(x0 + 14, TOP + 4, f"{plan.x} in", size=12), _dot(x0, TOP, "#ffffff", INPUT)]
    for (begin, end), lane in lanes.items():
        x, top, bottom = x0 - LANE * lane, TOP + ROW * begin, TOP + ROW * end
        parts += [line((x0, top), (x, top + ROW / 2)), line((x, top + ROW / 2), (x, bottom - ROW / 2))]
        parts += [line((x, bottom - ROW / 2), (x0, bottom))]
    for i, task in enumerate(plan.tasks, 1):
        y = TOP + ROW * i
        if any(rows[name] == i - 1 for name in task.inputs):
            parts.append(line((x0, y - ROW), (x0, y)))
        where = f" on {task.unit}" if task.unit else ""  # or it is read where it lies
        parts.append(_dot(x0, y, shade(task.unit) if where else "#ffffff", f"{task.name}{where}"))
        parts.append(text(x0 + 14, y + 4, f"{', '.join(task.layers)}: {task.op}", size=12))
        parts.append(text(x0 + 230, y + 4, str(task.y), size=12, fill="#555"))
    return document(x0 + 420, TOP + ROW * (len(plan.tasks) + 1), parts, label=f"the layers of {plan.project}")


def _dot(x: float, y: float, fill: str, title: str) -> str:
    more = f"rx='{DOT}' stroke='#333'"
    return rect(x - DOT, y - DOT, 2 * DOT, 2 * DOT, fill=fill, title=title, more=more)


def _lanes(spans: list[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """Return a lane for each span of rows, so that those which overlap have different ones."""
    found: dict[tuple[int, int], int] = {}
    for begin, end in spans:
        taken = {lane for (b, e), lane in found.items() if b < end and begin < e}
        found[begin, end] = next(lane for lane in range(1, len(taken) + 2) if lane not in taken)
    return found


def memory_map(plan: Plan, shade: Shade) -> str:
    """Return who lies where in device memory, and from which turn to which; coloured by who makes it."""
    held = [b for b in plan.buffers if b.where == "device"]
    count, size = 1 + max((b.life[1] for b in held), default=0), plan.tensor_bytes
    across, up = (WIDTH - LEFT - RIGHT) / count, (HEIGHT - TOP - FOOT) / max(1, size)
    bottom = HEIGHT - FOOT
    parts = list(_axes(count, size, across, up, bottom))
    for tensor in held:
        first, last = tensor.life
        x, width = LEFT + across * first, across * (last + 1 - first)
        height = max(1.0, up * tensor.bytes)
        y = bottom - up * tensor.offset - height
        end = tensor.offset + tensor.bytes - 1
        title = (
            f"{tensor.name}: {tensor.bytes:,} B at {tensor.offset:,} to {end:,}, commands {first} to {last}"
        )
        fill, more = (
            shade(plan.schedule.turns[first].units[0]),
            "stroke='#fff' stroke-width='0.8' fill-opacity='0.8'",
        )
        parts.append(rect(x, y, width, height, fill=fill, title=title, more=more))
        if len(tensor.name) * _LETTER < width and height > 11:
            at = (x + width / 2, y + height / 2 + 4)
            parts.append(text(*at, tensor.name, anchor="middle", fill="#111", size=10))
    return document(WIDTH, HEIGHT, parts, label=f"device memory of {plan.project} over its commands")


def _axes(count: int, size: int, across: float, up: float, bottom: float) -> Iterator[str]:
    unit, name = (MB, "MB") if size >= 2 * MB else (1000, "kB")
    step = next(s for s in STEPS if MARKS * s * unit >= size)
    yield text(LEFT - 8, TOP - 8, name, anchor="end")
    for value in range(0, size // unit + 1, step):
        y = bottom - up * value * unit
        yield line((LEFT - 4, y), (WIDTH - RIGHT, y), stroke="#ddd")
        yield text(LEFT - 8, y + 4, str(value), anchor="end", size=10)
    every = max(1, -(-count // 20))
    for number in range(0, count + 1, every):
        x = LEFT + across * number
        yield line((x, bottom), (x, bottom + 4))
        yield text(x, bottom + 16, str(number), anchor="middle", size=10)
    yield text(LEFT, bottom + 32, "command", size=11, fill=colour(7))
