"""`python -m tools.rooms`: the picture and the table of docs/architecture.md, from the import graph and the contracts.

Rows are the layers of pyproject.toml's import contract. An arrow goes from a room to one that it imports and that no other of
its rooms leads to: what follows from other arrows is left out. What everybody uses, messages, digests and words, is one box.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import grimp

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from aieloom.report import svg
from tools.page import with_between

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "aieloom"
GROUND = "cached_arrays"  # the layer with it and those below are what everybody uses
EVERYBODY = "messages, digests, files, words"
WIDTH, ROW, HEIGHT, GAP, LETTER = 720, 58, 30, 26, 8.2

Layers = list[list[str]]
Arrows = dict[str, set[str]]


def layers() -> Layers:
    """Return the rooms from the top to the ground, as the contract has them; what everybody uses is the last one."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    contracts = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
    found = [row.split(" | ") for c in contracts if c["type"] == "layers" for row in c["layers"]]
    ground = next(i for i, row in enumerate(found) if GROUND in row)
    return [[room for room in row if room != "__main__"] for row in found[1:ground]]


def arrows(rooms: Layers) -> Arrows:
    """Return which room imports which, without those that follow from others."""
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    known = {room for row in rooms for room in row}
    direct: Arrows = {room: set() for room in known}
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            room, other = _room(module), _room(imported)
            if room in known and other in known and room != other:
                direct[room].add(other)
    reached: Arrows = {}
    for row in reversed(rooms):  # a room imports only rows below it
        for room in row:
            reached[room] = direct[room].union(*(reached[other] for other in direct[room]))
    return {
        room: others - set[str]().union(*(reached[other] for other in others))
        for room, others in direct.items()
    }


def _room(module: str) -> str:
    return [*module.split("."), ""][1]


def picture(rooms: Layers, found: Arrows) -> str:
    """Return the drawing: a row for each layer, what everybody uses at the ground."""
    boxes = dict(_boxes(rooms))
    parts = [svg.ARROW_HEAD]
    for room, others in sorted(found.items()):
        x, y, _ = boxes[room]
        parts += [
            svg.arrow(x, y + HEIGHT, boxes[other][0], boxes[other][1], width=1) for other in sorted(others)
        ]
    for room, (x, y, wide) in boxes.items():
        parts.append(svg.rect(x - wide / 2, y, wide, HEIGHT, fill="#eef3f8", more="stroke='#0072B2' rx='4'"))
        parts.append(svg.text(x, y + HEIGHT / 2 + 4, room, size=13, anchor="middle"))
    y = ROW * len(rooms) + GAP / 2
    parts.append(svg.rect(GAP, y, WIDTH - 2 * GAP, HEIGHT, fill="#f4f4f4", more="stroke='#999' rx='4'"))
    parts.append(svg.text(WIDTH / 2, y + HEIGHT / 2 + 4, EVERYBODY, size=13, anchor="middle"))
    return svg.document(WIDTH, y + HEIGHT + GAP / 2, parts, label="which room of aieloom imports which")


def _boxes(rooms: Layers) -> Iterator[tuple[str, tuple[float, float, float]]]:
    """Yield each room's middle, top and width; rows with one room go a little to the left and right, so that arrows part."""
    for i, row in enumerate(rooms):
        wide = [LETTER * len(room) + 20 for room in row]
        side = 0 if len(row) > 1 else (-1) ** i * WIDTH * 0.12
        x = (WIDTH - sum(wide) - 2 * GAP * (len(row) - 1)) / 2 + side
        for room, width in zip(row, wide, strict=True):
            yield room, (x + width / 2, ROW * i + GAP / 2, width)
            x += width + 2 * GAP


def table(rooms: Layers) -> str:
    """Return what each room holds: the first sentence of its docstring."""
    lines = ["| room | what it holds |", "|---|---|"]
    lines += [f"| `{room}` | {_says(room)} |" for row in rooms for room in row]
    return "\n".join(lines) + "\n"


def _says(room: str) -> str:
    home = ROOT / "scripts" / PACKAGE / room
    file = home / "__init__.py" if home.is_dir() else home.with_suffix(".py")
    said = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return said.partition("\n")[0].rstrip(".")


def pages() -> Mapping[Path, str]:
    """Return the files that follow from the code, with their texts."""
    rooms = layers()
    page = ROOT / "docs" / "architecture.md"
    return {
        page: with_between(page, "rooms", table(rooms).rstrip()),
        ROOT / "docs" / "rooms.svg": picture(rooms, arrows(rooms)),
    }


if __name__ == "__main__":
    for path, made in pages().items():
        path.write_text(made, encoding="utf-8")
