"""What rows about products share: sizes, types, and the cut into mmul blocks."""

from __future__ import annotations

from aieloom.cost.kernels import Gemm
from aieloom.cost.machine import Shape
from tools.measured.rows import CannotModel, MeasuredRow, dims
from tools.measured.shapes import BYTES, best_shape, register_block


def gemm_dims(row: MeasuredRow) -> tuple[int, int, int]:
    """Return M, K, N.

    Raises:
        CannotModel: the shape names no three numbers.
    """
    found = dims(row.shape)
    if not found or len(found) != 3:
        raise CannotModel("the row gives no M x K x N")
    return found


def types(row: MeasuredRow) -> tuple[str, str]:
    """Return the operand types, the second like the first where it is not given."""
    a, b = row.dtype_in.replace("uint", "int"), (row.dtype_w or row.dtype_in).replace("uint", "int")
    if a not in BYTES or b not in BYTES:
        raise CannotModel(f"no data type '{row.dtype_in}' x '{row.dtype_w}' in the model")
    return a, b


def make_gemm(arch: str, a: str, b: str, size: tuple[int, int, int], *, shape: Shape | None = None,
              block: tuple[int, int] | None = None) -> Gemm:  # fmt: skip
    """Return a product cut into mmul blocks: the least wasteful shape and as many in flight as fit, unless said otherwise.

    Raises:
        CannotModel: the architecture has no such multiplier.
    """
    m, k, n = size
    chosen = shape or best_shape(arch, a, b, size)
    if chosen is None:
        raise CannotModel(f"the vector unit of {arch} multiplies no {a} by {b}")
    held = register_block(arch, a, b, chosen)
    rows, cols = block or (min(held[0], max(1, m // chosen.m)), min(held[1], max(1, n // chosen.n)))
    return Gemm(
        m=m,
        k=k,
        n=n,
        shape=chosen,
        rows=rows,
        cols=cols,
        a_bytes=BYTES[a],
        b_bytes=BYTES[b],
        emulated=arch == "aie-ml" and "fp32" in (a, b),
    )
