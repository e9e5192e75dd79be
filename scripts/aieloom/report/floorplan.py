"""The array as a picture: which tile computes or stores for which layer, and where streams enter and leave."""

from __future__ import annotations

import re
from io import BytesIO
from xml.etree import ElementTree

from PIL import Image, ImageColor, ImageDraw, ImageFont

from aieloom.plan.shared_buffers import ENTRY, EXIT
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.report.svg import colour, document, line, rect, text
from aieloom.spec.device import Tile
from aieloom.units.types import KernelPlan
from aieloom.words import plural

CELL, LEFT, TOP = 18, 48, 40


def floorplan(plan: ArrayPart) -> str:
    """Return the floor plan as SVG: row 0 at the bottom, interface tiles below it."""
    array = plan.device.array
    width = LEFT + array.columns * CELL + 20
    bottom = TOP + array.core_rows * CELL
    parts = [
        text(
            LEFT,
            22,
            f"{plan.project} on {plan.device.name}: {plan.cores} cores, {plan.tiles_in_use} tiles{_memory(plan)}",
            size=14,
        )
    ]
    parts += _axes(plan, bottom)
    owners = _owners(plan)
    for col in range(array.columns):
        for row in range(array.core_rows):
            parts.append(_tile((col, row), bottom, owners))
    parts += _borrowed(plan, bottom)
    parts += _cascades(plan, bottom)
    parts += memory_tiles(plan, LEFT, bottom, CELL)
    bottom += rows_shown(plan) * CELL
    parts += _interface(plan, bottom)
    legend, end = _legend(plan, bottom + 64, width)
    return document(width, end + 20, [*parts, *legend], label=f"floor plan of {plan.project}")


def _memory(plan: ArrayPart) -> str:
    tiles = len({b.tile for b in plan.buffers})
    return f", {plural(tiles, 'memory tile')}" if tiles else ""


def _axes(plan: ArrayPart, bottom: float) -> list[str]:
    rows = range(plan.device.array.core_rows)
    cols = range(0, plan.device.array.columns, 5)
    return [
        *(text(LEFT - 6, bottom - r * CELL - 5, str(r), size=10, anchor="end") for r in rows),
        *(text(LEFT + c * CELL + CELL / 2, TOP - 4, str(c), size=10, anchor="middle") for c in cols),
    ]


def _coloured(plan: ArrayPart) -> list[tuple[int, AieLayerPlan]]:
    """Return every layer with its colour's number: that of the layer that it is a copy of."""
    return [(i % len(plan.aie), layer) for i, layer in enumerate(plan.all_aie)]


def _owners(plan: ArrayPart) -> dict[Tile, tuple[int, str, bool]]:
    """Return for each used tile: index of the layer, what it does, whether a kernel runs there."""
    owners: dict[Tile, tuple[int, str, bool]] = {}
    for index, layer in _coloured(plan):
        for number, kernel in enumerate(layer.kernels):
            for tile in kernel.memory_tiles:
                owners.setdefault(tile, (index, f"memory of {layer.name}[{number}]", False))
    for index, layer in _coloured(plan):
        for number, kernel in enumerate(layer.kernels):
            roles = ", ".join(kernel.blocks)
            note = f"{layer.name}[{number}]: group {kernel.group}, part {kernel.part}{_link(layer, kernel)}; {roles}"
            owners[kernel.tile] = (index, note, True)
        for number, tile in enumerate(layer.feeders):
            owners[tile] = (index, f"feeder of {layer.name}[{number}]: its weights", True)
    return owners


def _link(layer: AieLayerPlan, kernel: KernelPlan) -> str:
    cascade = layer.grid.cascade
    return f", link {kernel.link} of {cascade}" if cascade > 1 else ""


def _tile(tile: Tile, bottom: float, owners: dict[Tile, tuple[int, str, bool]]) -> str:
    x, y = LEFT + tile[0] * CELL, bottom - (tile[1] + 1) * CELL
    frame = "stroke='#ccc' stroke-width='0.5'"
    if tile not in owners:
        return rect(x, y, CELL, CELL, fill="#f6f6f6", title=f"tile {tile}: free", more=frame)
    index, note, computes = owners[tile]
    opacity = "1" if computes else "0.35"
    return rect(
        x,
        y,
        CELL,
        CELL,
        fill=colour(index),
        title=f"tile {tile}: {note}",
        more=f"{frame} fill-opacity='{opacity}'",
    )


def _borrowed(plan: ArrayPart, bottom: float) -> list[str]:
    """Return a line from each core to the tile beside it whose memory it uses."""
    return [
        line(_centre(kernel.tile, bottom), _centre(tile, bottom), stroke="#222", width=1.2)
        for layer in plan.all_aie
        for kernel in layer.kernels
        for tile in kernel.memory_tiles
        if tile != kernel.tile
    ]


def _cascades(plan: ArrayPart, bottom: float) -> list[str]:
    """Return an arrow from each core of a chain to the next."""
    parts = []
    for layer in plan.all_aie:
        for before, after in zip(layer.kernels, layer.kernels[1:], strict=False):
            if after.link:
                (x1, y1), (x2, y2) = _centre(before.tile, bottom), _centre(after.tile, bottom)
                tip = x2 - (3 if x2 > x1 else -3)
                parts.append(line((x1, y1), (x2, y2), stroke="#b00", width=1.2))
                parts += [line((tip, y2 + dy), (x2, y2), stroke="#b00", width=1.2) for dy in (-2.5, 2.5)]
    return parts


def _centre(tile: Tile, bottom: float) -> tuple[float, float]:
    return LEFT + (tile[0] + 0.5) * CELL, bottom - (tile[1] + 0.5) * CELL


def _interface(plan: ArrayPart, bottom: float) -> list[str]:
    parts = [text(LEFT - 6, bottom + 20, "PLIO", size=10, anchor="end")]
    inside = set(plan.device.plio_column_list)
    for col in range(plan.device.array.columns):
        here = [p for p in plan.plios if p.column == col]
        into, out = sum(p.is_input for p in here), sum(not p.is_input for p in here)
        x = LEFT + col * CELL
        fill = "#e8f0e8" if here else "#f6f6f6" if col in inside else "#ddd"
        note = ", ".join(p.name for p in here) or ("no PLIO" if col in inside else "no PL interface")
        parts.append(
            rect(
                x,
                bottom + 6,
                CELL,
                30,
                fill=fill,
                title=f"column {col}: {note}",
                more="stroke='#ccc' stroke-width='0.5'",
            )
        )
        if into:
            parts.append(text(x + CELL / 2, bottom + 18, f"{into}↑", size=8, anchor="middle"))
        if out:
            parts.append(text(x + CELL / 2, bottom + 31, f"{out}↓", size=8, anchor="middle"))
    return parts


def _legend(plan: ArrayPart, y: float, width: float) -> tuple[list[str], float]:
    """Return the legend, in as many rows as it needs, and where its last row is."""
    parts: list[str] = []
    x = float(LEFT)
    for index, layer in enumerate(plan.aie):
        words = f"{layer.name}: {plural(plan.copies * len(layer.kernels), 'core')}"
        length = 40 + 7 * len(words)
        if x + length > width and x > LEFT:
            x, y = float(LEFT), y + 20
        parts += [rect(x, y - 10, 12, 12, fill=colour(index)), text(x + 17, y, words)]
        x += length
    for note in _notes(plan):
        y += 20
        parts.append(text(LEFT, y, note))
    return parts, y


def _notes(plan: ArrayPart) -> tuple[str, ...]:
    """Return what the signs mean, of those that are there."""
    kernels = [k for layer in plan.all_aie for k in layer.kernels]
    signs = {
        "pale: lends its memory along the line": any(len(k.memory_tiles) > 1 for k in kernels),
        "red arrows: cascades": any(k.link for k in kernels),
        "numbers: streams in ↑ and out ↓": True,
    }
    memory = ("mem: memory tiles, in the colour of the layer that reads them",) if plan.buffers else ()
    return "; ".join(sign for sign, there in signs.items() if there), *memory


def rows_shown(plan: ArrayPart) -> int:
    """Return how many rows of memory tiles are drawn: those of the device where the design uses any."""
    return plan.device.array.memory_tile_rows if plan.buffers else 0


def memory_tiles(plan: ArrayPart, left: float, bottom: float, cell: float) -> list[str]:
    """Return the memory tiles below row 0 of the cores; row 0 of theirs is the lowest."""
    rows, own = rows_shown(plan), len(plan.aie)
    colours = {la.name: colour(i % own) for i, la in enumerate(plan.all_aie)}
    parts = []
    for row in range(rows):
        y = bottom + (rows - 1 - row) * cell + 4
        parts.append(text(left - 6, y + cell - 5, f"mem {row}", size=10, anchor="end"))
        for col in range(plan.device.array.columns):
            held = [b for b in plan.buffers if b.tile == (col, row)]
            note = "; ".join(
                f"{b.name}: {_end(b.before)} to {_end(b.after)}, {b.copies} x {b.bytes} B, "
                f"{plural(len(b.writers), 'writer')}, {plural(len(b.readers), 'reader')}"
                for b in held
            )
            parts.append(
                rect(
                    left + col * cell,
                    y,
                    cell,
                    cell,
                    fill=colours[held[0].layer] if held else "#f6f6f6",
                    title=f"memory tile ({col}, {row}): {note or 'free'}",
                    more=f"stroke='{'#222' if held else '#ccc'}' stroke-width='{1 if held else 0.5}' rx='4'",
                )
            )
    return parts


def _end(name: str) -> str:
    return {ENTRY: "PL", EXIT: "PL"}.get(name, name)


SCALE = 2
_SVG = "{http://www.w3.org/2000/svg}"
_ANCHOR = {"start": "ls", "middle": "ms", "end": "rs"}


def as_png(svg: str) -> bytes:
    """Return one of our drawings as PNG: rectangles, lines and texts, which is all that a floor plan has."""
    root = ElementTree.fromstring(svg)
    size = (round(float(root.get("width", "1")) * SCALE), round(float(root.get("height", "1")) * SCALE))
    sheet = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(sheet)
    for element in root.iter():
        if element.tag == f"{_SVG}rect":
            _rect(draw, element)
        elif element.tag == f"{_SVG}line":
            _line(draw, element)
        elif element.tag == f"{_SVG}text":
            _text(draw, element)
    out = BytesIO()
    sheet.save(out, format="PNG", optimize=True)
    return out.getvalue()


def _number(element: ElementTree.Element, name: str) -> float:
    return float(element.get(name, "0")) * SCALE


def _rect(draw: ImageDraw.ImageDraw, element: ElementTree.Element) -> None:
    x, y = _number(element, "x"), _number(element, "y")
    box = (x, y, x + _number(element, "width"), y + _number(element, "height"))
    opacity = float(element.get("fill-opacity", "1"))
    red, green, blue = ImageColor.getrgb(element.get("fill", "white"))[:3]
    fill = tuple(round(255 - (255 - c) * opacity) for c in (red, green, blue))
    stroke = element.get("stroke")
    draw.rectangle(box, fill=fill, outline=ImageColor.getrgb(stroke) if stroke else None)


def _line(draw: ImageDraw.ImageDraw, element: ElementTree.Element) -> None:
    ends = [(_number(element, f"x{n}"), _number(element, f"y{n}")) for n in (1, 2)]
    width = max(1, round(_number(element, "stroke-width")))
    draw.line(ends, fill=element.get("stroke", "black"), width=width)


def _text(draw: ImageDraw.ImageDraw, element: ElementTree.Element) -> None:
    font = ImageFont.load_default(size=_number(element, "font-size"))
    words = re.sub("[\u2191]", "^", re.sub("[\u2193]", "v", element.text or ""))
    draw.text(
        (_number(element, "x"), _number(element, "y")),
        words,
        fill=element.get("fill", "black"),
        font=font,
        anchor=_ANCHOR[element.get("text-anchor", "start")],
    )
