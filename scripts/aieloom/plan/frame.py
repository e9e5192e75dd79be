"""Images larger than the design's input: where the tiles lie, and which part of each result is the image's.

Tiles begin at multiples of a step and the last one ends with the image, so every tile lies in the image, and at the
image's border the network's own padding is the true one. Neighbours overlap by what the network sees beyond a pixel;
the results there are wrong at a tile's inner sides and are left out. Every output pixel comes from one tile: the last
one that has it right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Network
from aieloom.network.tensor import TensorType
from aieloom.plan.step import Step

AXES = ("rows", "columns")


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """Tiles along an axis: `count` of them, at multiples of `step`, the last one flush with the image.

    `size`, `tile`, `step` are pixels of the input, `out_...`, `before`, `after` of the output.
    """

    size: int
    tile: int
    step: int
    count: int
    out_size: int
    out_tile: int
    out_step: int
    before: int  # outputs that are wrong at a tile's inner side
    after: int

    @property
    def last(self) -> int:
        """Place of the last tile."""
        return self.size - self.tile

    @property
    def out_last(self) -> int:
        """Place of the last tile's results."""
        return self.out_size - self.out_tile

    def places(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield each tile's place in the input and in the output, and which of its outputs are written: first, end."""
        for i in range(self.count):
            at, after = (min((i + n) * self.out_step, self.out_last) for n in (0, 1))
            first = self.before if i else 0
            end = self.out_tile if i == self.count - 1 else after + self.before - at
            yield min(i * self.step, self.last), at, first, end


@dataclass(frozen=True, slots=True, kw_only=True)
class FramePlan:
    """An image that is cut into tiles for the design: the image's types, the tile's, and where tiles lie."""

    x: TensorType
    y: TensorType
    tile_x: TensorType
    tile_y: TensorType
    rows: Axis
    cols: Axis
    # the plan's, for the whole image: for references
    steps: tuple[Step, ...] = field(metadata={"printed": False})

    @property
    def tiles(self) -> int:
        """Tiles of an image."""
        return self.rows.count * self.cols.count

    @property
    def halo_share(self) -> float:
        """Share of the pixels computed that belong to neighbouring tiles."""
        computed = self.tiles * self.rows.tile * self.cols.tile
        return 1 - self.rows.size * self.cols.size / computed

    def cut(self, images: Values) -> Values:
        """Return the tiles of some images, one image's after another's, row by row."""
        places = [(r[0], c[0]) for r in self.rows.places() for c in self.cols.places()]
        size = self.rows.tile, self.cols.tile
        tiles = [images[:, :, y : y + size[0], x : x + size[1]] for y, x in places]
        return np.stack(tiles, axis=1).reshape(-1, *self.tile_x.shape)

    @property
    def why(self) -> tuple[str, ...]:
        """Return the arithmetic, as lines."""
        lines = [
            f"{self.x} in {self.rows.count} x {self.cols.count} tiles of {self.rows.tile}x{self.cols.tile}: "
            f"{self.halo_share:.1%} of the work is halo"
        ]
        for name, axis in zip(AXES, (self.rows, self.cols), strict=True):
            if axis.count > 1:
                lines.append(
                    f"{name}: a tile's {axis.out_tile} outputs less {axis.before} + {axis.after} at inner sides, so a step of "
                    f"{axis.step} pixels ({axis.out_step} outputs); 1 + ({axis.size} - {axis.tile}) / {axis.step}, "
                    f"rounded up, = {axis.count} tiles"
                )
        return tuple(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A network as it is planned: for one tile, or for a whole image where there are no `tiles`."""

    network: Network  # of a tile
    axes: tuple[Axis, Axis] | None  # rows and columns of tiles

    def frame(self, whole: Network, steps: tuple[Step, ...]) -> FramePlan | None:
        """Return how images of `whole` are cut; `steps` are the plan's for a whole image."""
        if not self.axes:
            return None
        rows, cols = self.axes
        tile = self.network
        return FramePlan(
            x=whole.x, y=whole.y, tile_x=tile.x, tile_y=tile.y, rows=rows, cols=cols, steps=steps
        )
