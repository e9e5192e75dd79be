"""The floor plan as PNG, for places that show no SVG: the same tiles, colours and numbers, drawn with Pillow."""

from __future__ import annotations

import re
from io import BytesIO
from xml.etree import ElementTree

from PIL import Image, ImageColor, ImageDraw, ImageFont

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
