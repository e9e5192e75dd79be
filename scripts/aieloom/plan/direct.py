"""The loops of a direct convolution's kernel, from how the layer is cut: for the cost model and the template."""

from __future__ import annotations

from aieloom.cost.kernels import Direct
from aieloom.plan.layout import LANES, RowGrid


def direct_of(grid: RowGrid) -> Direct:
    """Return one pass of a kernel call, as the cost model and the template take it."""
    together = grid.together
    vectors = 2 if grid.window.out_width % (2 * LANES) == 0 else 1
    taps = grid.window.kernel[1]
    return Direct(
        blocks=grid.tile_m // together * grid.out_rows * (grid.window.out_width // (vectors * LANES)),
        channels=grid.channels,
        lines=grid.window.kernel[0],
        taps=taps,
        outputs_together=together,
        vectors=vectors,
        line_loads=-(-(vectors * LANES + taps - 1) // 4),
        weight_loads=grid.weight_vectors,
        row_vectors=grid.out_elements // LANES,
        outputs=grid.tile_m,
    )
