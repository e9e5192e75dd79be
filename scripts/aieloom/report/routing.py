"""The streams through the array as a picture: a way for each, from its PLIO to its cores, as the rule route-1 found it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from aieloom.plan.nets import nets_of
from aieloom.plan.route import Edge, route
from aieloom.plan.types import ArrayPart, PlioPlan
from aieloom.report.svg import colour, document, line, rect, text
from aieloom.spec.device import Tile

CELL, LEFT, TOP = 30.0, 48.0, 40.0
WIDEST = 3.2  # pixels of an edge all of whose ports are taken
NAMES = 3  # of a column at most
LETTER = 5.8  # height that a letter of a turned name takes


def routing(plan: ArrayPart) -> str:
    """Return the picture as SVG: the wider a line, the more of the ports between two switches are taken."""
    array, face = plan.device.array, plan.device.interface_row
    rows = array.core_rows - face
    bottom = TOP + rows * CELL
    names = {c: _together([p for p in plan.plios if p.column == c]) for c in range(array.columns)}
    longest = max((len(n) for found in names.values() for n in found), default=0)
    width = LEFT + array.columns * CELL + 20
    parts = [text(LEFT, 22, f"{plan.project} on {plan.device.name}: streams through the switches", size=14)]
    parts += _tiles(plan, bottom)
    parts += _ways(plan, bottom)
    for column, found in names.items():
        for number, name in enumerate(_shown(found)):
            x = LEFT + column * CELL + 1 + 10 * number
            parts.append(
                f"<g transform='translate({x:g} {bottom + 8:g}) rotate(90)'>"
                + text(0, 0, name, size=9)
                + "</g>"
            )
    end = bottom + 24 + longest * LETTER
    parts.append(
        text(LEFT, end, "Below: the PLIOs of each column. Lines: ways that exist under the documented ports;")
    )
    parts.append(
        text(LEFT, end + 15, "the vendor's router finds its own. The wider, the more of the ports are taken.")
    )
    return document(width, end + 30, parts, label=f"routing of {plan.project}")


def _tiles(plan: ArrayPart, bottom: float) -> Iterator[str]:
    array, face = plan.device.array, plan.device.interface_row
    owners: dict[Tile, tuple[int, str]] = {}
    for number, layer in enumerate(plan.all_aie):
        for kernel in layer.kernels:
            owners[kernel.tile] = number % len(plan.aie), layer.name
    for column in range(array.columns):
        for row in range(face, array.core_rows):
            x, y = _corner((column, row), bottom, face)
            index, name = owners.get((column, row), (None, "interface" if row == face else "free"))
            fill = colour(index) if index is not None else "#eef2ee" if row == face else "#f8f8f8"
            yield rect(
                x + 3,
                y + 3,
                CELL - 6,
                CELL - 6,
                fill=fill,
                title=f"({column}, {row}): {name}",
                more="fill-opacity='0.45' stroke='#ccc' stroke-width='0.5'",
            )


def _ways(plan: ArrayPart, bottom: float) -> Iterator[str]:
    face = plan.device.interface_row
    found = route(plan.device, nets_of(plan))
    use = Counter(edge for path in found.paths.values() for edge in path)
    streams = plan.device.streams
    for edge, count in sorted(use.items()):
        ports = {(0, 1): streams.north, (0, -1): streams.south, (1, 0): streams.east, (-1, 0): streams.west}
        way = (edge[1][0] - edge[0][0], edge[1][1] - edge[0][1])
        share = min(1.0, count / ports[way])
        yield _edge(edge, way, share, bottom=bottom, face=face, title=f"{count} of {ports[way]} ports")


def _edge(edge: Edge, way: tuple[int, int], share: float, *, bottom: float, face: int, title: str) -> str:
    (x0, y0), (x1, y1) = (_centre(t, bottom, face) for t in edge)
    dx, dy = 2.4 * abs(way[1]) * way[1], 2.4 * abs(way[0]) * way[0]  # both directions stand side by side
    shade = "#0b5394" if way[1] > 0 else "#b3541e" if way[1] < 0 else "#555"
    drawn = line((x0 + dx, y0 + dy), (x1 + dx, y1 + dy), stroke=shade, width=0.5 + (WIDEST - 0.5) * share)
    return drawn.replace("/>", f"><title>{title}</title></line>")


def _corner(tile: Tile, bottom: float, face: int) -> tuple[float, float]:
    return LEFT + tile[0] * CELL, bottom - (tile[1] - face + 1) * CELL


def _centre(tile: Tile, bottom: float, face: int) -> tuple[float, float]:
    x, y = _corner(tile, bottom, face)
    return x + CELL / 2, y + CELL / 2


def _shown(found: Sequence[str]) -> Sequence[str]:
    """Return as many names as a column has room for."""
    if len(found) <= NAMES:
        return found
    return [*found[: NAMES - 1], f"and {len(found) - NAMES + 1} more"]


def _together(plios: Sequence[PlioPlan]) -> list[str]:
    """Return the names of a column's PLIOs, those that differ in their number alone as one."""
    numbers: dict[str, list[int]] = {}
    for p in plios:
        stem = p.name.rstrip("0123456789")
        digits = p.name[len(stem) :]
        numbers.setdefault(stem, []).extend([int(digits)] if digits else [])
    return [_named(stem, found) for stem, found in numbers.items()]


def _named(stem: str, found: list[int]) -> str:
    """Return `conv1_in_0`, or `conv1_in_0 to 3`, or `conv1_in_0, 2`."""
    if not found:
        return stem
    low, high = min(found), max(found)
    if high - low + 1 == len(found) and len(found) > 2:
        return f"{stem}{low} to {high}"
    return stem + ", ".join(map(str, sorted(found)))
