"""The roofline: what each layer does a second, against what its cores and its streams could do.

Two roofs: the multiplications of all the array's cores, and the bytes that all PLIO columns carry. A layer's point is
its MACs over its modelled interval; the mark above it is the layer's own roof, the lower of its cores and its streams.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from aieloom.plan.energy import peak_macs
from aieloom.plan.shared_buffers import LinkedGrid
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.report.svg import colour, document, line, rect, text

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 940.0, 400.0, 76.0, 300.0, 46.0, 56.0
LINE = 17.0  # of the legend
_NEAR = 10.0  # pixels within which points share a number
_FAR = (0.0, 12.0, 24.0)  # pixels that a number may lie farther away than beside its point
_DIGIT = 8.0  # width of one
Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True, kw_only=True)
class Point:
    """A layer in the roofline: MACs a byte of its streams, billions of MACs a second, and its own roof there."""

    layer: str
    intensity: float
    gmacs: float
    compute_roof: float
    stream_roof: float

    @property
    def roof(self) -> float:
        """The lower of both."""
        return min(self.compute_roof, self.stream_roof)

    @property
    def bound_by(self) -> str:
        """Which of both it is."""
        return "streams" if self.stream_roof < self.compute_roof else "cores"


def points(plan: ArrayPart) -> tuple[Point, ...]:
    """Return one point for each layer on the array that multiplies."""
    return tuple(_point(plan, layer) for layer in plan.aie if multiplies(layer))


def multiplies(layer: AieLayerPlan) -> bool:
    """Tell whether a layer's kernels do sums of products; those of a pool compare."""
    return not isinstance(layer.grid, LinkedGrid) or bool(layer.grid.executed_macs)


def _point(plan: ArrayPart, layer: AieLayerPlan) -> Point:
    """Return a layer's point; what one of a chain moves are the streams of its cores, a broadcast counts once."""
    grid = layer.grid
    if isinstance(grid, LinkedGrid):
        macs, streams = grid.counting_macs, grid.groups * grid.in_ports + grid.cores
        bandwidth = streams * plan.device.streams.bytes_per_cycle * plan.device.clocks.aie_mhz / 1e3
        moved = grid.groups * grid.in_elements + grid.cores * grid.out_elements
    else:
        macs, plios = grid.m * grid.k * grid.n, [p for p in plan.plios if p.layer == layer.name]
        bandwidth = sum(_gigabytes(plan, p.bits, p.clock_mhz) for p in plios if not p.weights)
        sent = grid.in_streams * grid.passes * grid.in_elements
        moved = grid.rounds * (sent + grid.chains * grid.out_elements)
    intensity = macs / (moved * layer.draft.dtype.bytes)
    return Point(
        layer=layer.name,
        intensity=intensity,
        gmacs=macs / plan.cost.stage(layer.name).interval_us / 1e3,
        compute_roof=grid.cores * peak_macs(plan, layer) * plan.device.clocks.aie_mhz / 1e3,
        stream_roof=bandwidth * intensity,
    )


def _gigabytes(plan: ArrayPart, bits: int, pl_mhz: float) -> float:
    """Return what one PLIO carries: the slower of its PL side and the array's stream."""
    array = plan.device.streams.bytes_per_cycle * plan.device.clocks.aie_mhz
    return min(bits / 8 * pl_mhz, array) / 1e3


def _device_roofs(plan: ArrayPart) -> tuple[float, float]:
    """Return all cores' GMAC/s at the best layer's mmul, and the GB/s of all interface columns, in and out."""
    array, face = plan.device.array, plan.device.interface
    best = max(peak_macs(plan, layer) for layer in plan.aie)
    cores = array.cores * best * plan.device.clocks.aie_mhz / 1e3
    streams = len(plan.device.plio_column_list) * (face.in_channels + face.out_channels)
    each = plan.device.streams.bytes_per_cycle * plan.device.clocks.aie_mhz / 1e3
    return cores, streams * each


class _Axes:
    """Logarithmic axes around what is shown."""

    def __init__(self, found: tuple[Point, ...], cores: float, bandwidth: float) -> None:
        ridge = cores / bandwidth
        xs = [p.intensity for p in found] + [ridge]
        ys = [v for p in found for v in (p.gmacs, p.roof)] + [cores]
        self.x0, self.x1 = _decades(min(xs) / 2, max(xs) * 4)
        self.y0, self.y1 = _decades(min(ys) / 2, max(ys) * 1.5)

    def x(self, value: float) -> float:
        return LEFT + (math.log10(value) - self.x0) / (self.x1 - self.x0) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - (math.log10(value) - self.y0) / (self.y1 - self.y0) * (HEIGHT - TOP - BOTTOM)


def _decades(low: float, high: float) -> tuple[int, int]:
    return math.floor(math.log10(low)), math.ceil(math.log10(high))


def roofline(plan: ArrayPart) -> str:
    """Return the roofline as SVG."""
    found = points(plan)
    cores, bandwidth = _device_roofs(plan)
    axes = _Axes(found, cores, bandwidth)
    parts = [
        text(LEFT, 22, f"{plan.project} on {plan.device.name}: modelled rate against the roofs", size=14)
    ]
    parts += _grid(axes)
    parts += _roofs(axes, cores, bandwidth)
    for index, point in enumerate(found):
        parts += _mark(axes, point, index)
    parts += _numbers(axes, found)
    parts += _legend(found)
    height = max(HEIGHT, TOP + LINE * (len(found) + 2))
    return document(WIDTH, height, parts, label=f"roofline of {plan.project}")


def _grid(axes: _Axes) -> Iterator[str]:
    for power in range(axes.x0, axes.x1 + 1):
        x = axes.x(10.0**power)
        yield line((x, TOP), (x, HEIGHT - BOTTOM), stroke="#ddd")
        yield text(x, HEIGHT - BOTTOM + 16, f"{10.0**power:g}", anchor="middle")
    for power in range(axes.y0, axes.y1 + 1):
        y = axes.y(10.0**power)
        yield line((LEFT, y), (WIDTH - RIGHT, y), stroke="#ddd")
        yield text(LEFT - 6, y + 4, f"{10.0**power:g}", anchor="end")
    middle = LEFT + (WIDTH - LEFT - RIGHT) / 2
    yield text(middle, HEIGHT - 14, "MACs a byte that passes the layer's streams", size=12, anchor="middle")
    yield (
        f"<g transform='translate(16 {(TOP + HEIGHT - BOTTOM) / 2:g}) rotate(-90)'>"
        + text(0, 0, "GMAC/s", size=12, anchor="middle")
        + "</g>"
    )


def _roofs(axes: _Axes, cores: float, bandwidth: float) -> Iterator[str]:
    low, high = 10.0**axes.x0, 10.0**axes.x1
    start = max(low, 10.0**axes.y0 / bandwidth)
    ridge = min(max(cores / bandwidth, start), high)
    corner = (axes.x(ridge), axes.y(min(cores, bandwidth * ridge)))
    yield line((axes.x(start), axes.y(bandwidth * start)), corner, stroke="#333", width=2)
    yield line(corner, (axes.x(high), axes.y(cores)), stroke="#333", width=2)
    yield text(WIDTH - RIGHT - 4, axes.y(cores) - 6, f"all cores: {cores:,.0f} GMAC/s", anchor="end")
    yield text(LEFT + 6, TOP + 14, f"slope: all PLIO columns, {bandwidth:,.0f} GB/s", anchor="start")


def _mark(axes: _Axes, p: Point, index: int) -> Iterator[str]:
    x, y, top = axes.x(p.intensity), axes.y(p.gmacs), axes.y(p.roof)
    shade = colour(index)
    yield line((x, y), (x, top), stroke=shade, width=1.5, dashes="4 3")
    yield line((x - 9, top), (x + 9, top), stroke=shade, width=3)
    title = (
        f"{p.layer}: {p.gmacs:.3g} GMAC/s of {p.roof:.3g} that its {p.bound_by} allow "
        f"({p.gmacs / p.roof:.0%}); {p.intensity:.2f} MACs a byte"
    )
    yield rect(x - 6, y - 6, 12, 12, fill=shade, title=title, more="stroke='#222' rx='6'")


def _numbers(axes: _Axes, found: tuple[Point, ...]) -> Iterator[str]:
    """Yield each point's number in the legend; points that lie on each other share a place."""
    places: list[tuple[float, float, list[int]]] = []
    for number, p in enumerate(found, 1):
        x, y = axes.x(p.intensity), axes.y(p.gmacs)
        near = next((at for at in places if abs(at[0] - x) < _NEAR and abs(at[1] - y) < _NEAR), None)
        if near:
            near[2].append(number)
        else:
            places.append((x, y, [number]))
    taken = [box for p in found for box in _boxes(axes, p)]
    for x, y, numbers in places:
        words = ",".join(map(str, numbers))
        box = _free(x, y, _DIGIT * len(words), taken)
        taken.append(box)
        yield text(box[0], box[3] - 2, words, size=12)


def _boxes(axes: _Axes, p: Point) -> Iterator[Box]:
    """Yield what a point covers: its circle, and its roof's mark."""
    x, y, top = axes.x(p.intensity), axes.y(p.gmacs), axes.y(p.roof)
    yield x - 7, y - 7, x + 7, y + 7
    yield x - 10, top - 3, x + 10, top + 3


def _free(x: float, y: float, width: float, taken: list[Box]) -> Box:
    """Return the first place of a number around a point that covers nothing; right of it if there is none."""
    half = width / 2
    places = [
        (left, middle - 6, left + width, middle + 6)
        for far in _FAR
        for left, middle in (
            (x + 10 + far, y),
            (x - 10 - far - width, y),
            (x - half, y + 15 + far),
            (x - half, y - 15 - far),
            (x + 8 + far, y + 10 + far),
            (x + 8 + far, y - 10 - far),
            (x - 8 - far - width, y + 10 + far),
            (x - 8 - far - width, y - 10 - far),
        )
    ]
    return next((b for b in places if not any(_overlap(b, other) for other in taken)), places[0])


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _legend(found: tuple[Point, ...]) -> Iterator[str]:
    """Yield one line a layer, right of the axes."""
    x = WIDTH - RIGHT + 22
    yield text(x, TOP + 4, "GMAC/s, and the share of its cores' peak", size=11, fill="#555")
    for index, p in enumerate(found):
        y = TOP + LINE * (index + 1.4)
        yield rect(x, y - 9, 10, 10, fill=colour(index), more="stroke='#222'")
        words = f"{index + 1}  {p.layer}: {p.gmacs:.3g}, {p.gmacs / p.compute_roof:.0%}"
        if p.bound_by == "streams":
            words += f"; its streams allow {p.stream_roof / p.compute_roof:.0%}"
        yield text(x + 16, y, words, size=12)
