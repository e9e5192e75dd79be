"""What a tile of the input says about the output, and where tiles may begin.

A tile at place `p` of the image is the image's part from `p` on, and the network computes on it as if it were all there is: the
`p`-th input pixel's results stand where those of pixel 0 stand. So at a side where the image goes on, outputs that see beyond
the tile are wrong; `Margin` counts them, layer by layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm

from aieloom.errors import SpecError
from aieloom.network.layers import Layer, Network
from aieloom.network.operator import Operators, Reach, Span
from aieloom.spec.network import INPUT


@dataclass(frozen=True, slots=True)
class Margin:
    """A tensor of a tile along an axis: its pixels for one of the input, and those wrong at sides where the image goes on."""

    scale: Fraction = Fraction(1)
    before: int = 0
    after: int = 0

    def behind(self, span: Span, size: int, out_size: int) -> Margin:
        """Return the margins of a layer's output, `out_size` pixels, when this is its input, `size` pixels."""
        first = max(0, ceil(Fraction(self.before + span.before, span.stride)))
        last = (size - 1 - self.after + span.before - span.kernel + 1) // span.stride
        return Margin(
            self.scale * span.up / span.stride,
            first * span.up,
            max(0, out_size // span.up - 1 - last) * span.up,
        )


@dataclass(frozen=True, slots=True)
class Margins:
    """The output's margins along an axis, and the input pixels of which tiles' places must be multiples."""

    output: Margin
    pitch: int


def margins(network: Network, operators: Operators, axis: int) -> Margins:
    """Return what a tile of `network.x` is good for along `axis` (0 vertical, 1 horizontal).

    Raises:
        SpecError: a layer sees the whole image, or two branches that meet have different scales.
    """
    found = {INPUT: Margin()}
    for layer in network.layers:
        span = _span(network, operators, layer, axis)
        into = _joined(network, layer, [found[name] for name in layer.inputs])
        found[layer.name] = into.behind(span, layer.x.shape[1 + axis], layer.y.shape[1 + axis])
    pitch = lcm(*(m.scale.denominator for m in found.values()))
    return Margins(found[network.layers[-1].name], pitch)


def _span(network: Network, operators: Operators, layer: Layer, axis: int) -> Span:
    reach: Reach | None = operators[layer.op].reach(layer.spec)
    if reach is None:
        text = f"layer '{layer.name}' ({layer.op}) sees the whole image, so that a tile cannot stand for its part of it"
        remedy = (
            "leave 'tiles' out, or let the network end before this layer and do the rest on the processor"
        )
        raise SpecError(network.spec.problem("tiles-1", layer.index, text, remedy))
    return reach[axis]


def _joined(network: Network, layer: Layer, given: list[Margin]) -> Margin:
    scales = {m.scale for m in given}
    if len(scales) > 1:
        text = f"layer '{layer.name}' joins branches of {' and '.join(map(str, sorted(scales)))} pixels for one of the input"
        remedy = "give the branches the same strides and upsampling"
        raise SpecError(network.spec.problem("tiles-1", layer.index, text, remedy))
    return Margin(given[0].scale, max(m.before for m in given), max(m.after for m in given))
