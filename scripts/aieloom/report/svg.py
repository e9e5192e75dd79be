"""The few SVG shapes that our drawings are made of."""

from __future__ import annotations

from html import escape

Point = tuple[float, float]
FONT = "font-family='system-ui, sans-serif'"
# Okabe-Ito, told apart also by people who see few colours.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")


def colour(index: int) -> str:
    """Return the colour of the layer `index`."""
    return PALETTE[index % len(PALETTE)]


def rect(x: float, y: float, w: float, h: float, *, fill: str, title: str = "", more: str = "") -> str:
    """Return a rectangle; `title` shows on hovering."""
    hover = f"<title>{escape(title)}</title>" if title else ""
    return f"<rect x='{x:g}' y='{y:g}' width='{w:g}' height='{h:g}' fill='{fill}' {more}>{hover}</rect>"


def text(
    x: float, y: float, words: str, *, size: float = 11, anchor: str = "start", fill: str = "#333"
) -> str:
    """Return a line of text."""
    return f"<text x='{x:g}' y='{y:g}' font-size='{size:g}' {FONT} text-anchor='{anchor}' fill='{fill}'>{escape(words)}</text>"


def arrow(x0: float, y0: float, x1: float, y1: float, *, width: float = 1.5) -> str:
    """Return a line with an arrow head; the document needs ARROW_HEAD."""
    return (
        f"<line x1='{x0:g}' y1='{y0:g}' x2='{x1:g}' y2='{y1:g}' stroke='#555' stroke-width='{width:g}' "
        "marker-end='url(#head)'/>"
    )


def line(start: Point, end: Point, *, stroke: str = "#555", width: float = 1.0, dashes: str = "") -> str:
    """Return a straight line; `dashes` as SVG writes them."""
    dash = f" stroke-dasharray='{dashes}'" if dashes else ""
    return (
        f"<line x1='{start[0]:.1f}' y1='{start[1]:.1f}' x2='{end[0]:.1f}' y2='{end[1]:.1f}' stroke='{stroke}' "
        f"stroke-width='{width:g}'{dash}/>"
    )


ARROW_HEAD = (
    "<defs><marker id='head' viewBox='0 0 8 8' refX='8' refY='4' markerWidth='7' markerHeight='7' orient='auto'>"
    "<path d='M0,0 L8,4 L0,8 z' fill='#555'/></marker></defs>"
)


def document(width: float, height: float, parts: list[str], *, label: str) -> str:
    """Return a whole SVG file."""
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:g} {height:g}' width='{width:g}' "
        f"height='{height:g}' role='img' aria-label='{escape(label)}'>"
    )
    return "\n".join([head, rect(0, 0, width, height, fill="white"), *parts, "</svg>"]) + "\n"
