"""The picture of a run: input, bicubic, PyTorch and emulated image side by side, one row a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from aieloom.arrays import Floats
from aieloom.emit.files import write_bytes

TILE = 128  # pixels of the longer side of one image
GAP, TITLE, CAPTION = 12, 26, 18
ROWS = 24  # samples shown


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column: a title, images `(n, channels, height, width)` in [0, 1], and a caption for each."""

    title: str
    images: Floats
    captions: Sequence[str]


def side_by_side(columns: Sequence[Column], names: Sequence[str], path: Path) -> None:
    """Write the sheet as PNG.

    Raises:
        SpecError: the place cannot be written.
    """
    rows = min(ROWS, len(names))
    per_row = max(1, 4 if len(columns) <= 2 else 2)  # samples beside each other
    lines = -(-rows // per_row)
    cell_w, cell_h = TILE + GAP, TILE + GAP + CAPTION
    block = len(columns) * cell_w + 2 * GAP
    sheet = Image.new("RGB", (per_row * block + GAP, TITLE + lines * cell_h + GAP), "white")
    draw = ImageDraw.Draw(sheet)
    for i in range(rows):
        left, top = GAP + i % per_row * block, TITLE + i // per_row * cell_h
        for c, column in enumerate(columns):
            x = left + c * cell_w
            if i < per_row:
                draw.text((x, 8), column.title, fill="black")
            sheet.paste(_image(column.images[i]), (x, top))
            draw.text((x, top + TILE + 2), column.captions[i] or (names[i] if c == 0 else ""), fill="#444444")
    data = BytesIO()
    sheet.save(data, format="PNG")
    write_bytes(path, data.getvalue())


def _image(values: Floats) -> Image.Image:
    pixels = (np.clip(values, 0, 1) * 255 + 0.5).astype(np.uint8)
    picture = (
        Image.fromarray(pixels[0], "L")
        if len(pixels) == 1
        else Image.fromarray(pixels.transpose(1, 2, 0), "RGB")
    )
    scale = TILE / max(picture.size)
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    return picture.convert("RGB").resize(size, Image.Resampling.NEAREST)
