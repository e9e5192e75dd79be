"""`tiles: auto`: the largest tiles whose design the device holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from aieloom.errors import CannotFit
from aieloom.network.layers import Network
from aieloom.network.margins import margins
from aieloom.network.operator import Operators
from aieloom.plan.types import ArrayPart
from aieloom.spec.network import TilesSpec

MOST_CUTS = 64  # along an axis
ALIGNED = 16  # widths are multiples of it where that covers the image: whole stream words, whole vectors


def largest_tiles(network: Network, operators: Operators, plan: Callable[[Network], ArrayPart]) -> ArrayPart:
    """Return the plan of the largest tiles that fit, of the whole image if it does.

    Raises:
        CannotFit: not even the smallest tried fit; what is said of them is the last refusal.
        SpecError: a layer sees the whole image.
    """
    refusal: CannotFit | None = None
    for size in sizes(network, operators):
        whole = size == network.x.shape[1:]
        try:
            return plan(with_tiles(network, None if whole else size))
        except CannotFit as e:
            refusal = e
    assert refusal is not None  # the whole image is tried at least
    raise refusal


def with_tiles(network: Network, size: tuple[int, int] | None) -> Network:
    """Return the network cut into tiles of a size, or not at all."""
    tiles = TilesSpec(size=size) if size else None
    return replace(network, spec=network.spec.model_copy(update={"tiles": tiles}))


def sizes(network: Network, operators: Operators) -> Iterator[tuple[int, int]]:
    """Yield sizes of tiles, each axis cut into 1, 2, 3 ... parts, larger tiles first and wide ones before high ones."""
    rows, cols = (lengths(network, operators, axis) for axis in (0, 1))
    both = {(h, w) for h in rows for w in cols}
    yield from sorted(both, key=lambda s: (-s[0] * s[1], -s[1]))


def lengths(network: Network, operators: Operators, axis: int) -> list[int]:
    """Return the length of a tile that covers the image in 1, 2, 4 ... parts, each the shortest that does."""
    found = margins(network, operators, axis)
    size, pitch = network.x.shape[1 + axis], found.pitch
    halo = -(-(found.output.before + found.output.after) // found.output.scale)
    unit = pitch * ALIGNED if axis else pitch
    lengths = [size]
    for parts in (1 << i for i in range(1, MOST_CUTS.bit_length())):
        shortest = -(-(size - halo) // parts) + halo
        for step in (unit, pitch):
            length = (
                size - (size - shortest) // pitch * pitch if step == pitch else -(-shortest // step) * step
            )
            if halo + pitch <= length < size and (size - length) % pitch == 0:
                lengths.append(length)
                break
    return list(dict.fromkeys(lengths))
