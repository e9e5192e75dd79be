"""Rows about convolutions on one core: from the shape and the named code style to a loop nest."""

from __future__ import annotations

import re
from dataclasses import dataclass

from aieloom.cost.kernels import Kernel, Values, gemm_kernel
from aieloom.cost.loops import Loop
from tools.measured.kernels import RowConvolution, row_convolution, scalar_nest
from tools.measured.products import make_gemm, types
from tools.measured.rows import CannotModel, MeasuredRow, number_in

LANES = {"fp32": 8, "int8": 16, "uint8": 16, "int16": 16, "bf16": 16}
_SHAPE = re.compile(
    r"(\d+)x(\d+)x(\d+) k(\d+)x(\d+)(?: s(\d+)x(\d+))?(?: p\S+)? -> (\d+)x(\d+)x(\d+)", re.ASCII
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvShape:
    """Height, width, channels; kernel; stride; outputs."""

    in_channels: int
    kernel_height: int
    kernel_width: int
    stride: int
    out_height: int
    out_width: int
    out_channels: int
    groups: int
    padded_width: int

    @property
    def outputs(self) -> int:
        """Output values."""
        return self.out_height * self.out_width * self.out_channels

    @property
    def taps(self) -> int:
        """Products of one output."""
        return self.in_channels // self.groups * self.kernel_height * self.kernel_width


def conv_shape(row: MeasuredRow) -> ConvShape:
    """Read `HxWxC kAxB sAxB pP -> HxWxM`.

    Raises:
        CannotModel: the shape is not given this way.
    """
    found = _SHAPE.search(row.shape)
    if not found:
        raise CannotModel("the row gives no shape of the convolution as HxWxC kAxB -> HxWxM")
    _, _, c, kh, kw, sh, _, oh, ow, m = (int(n) if n else 1 for n in found.groups())
    return ConvShape(
        in_channels=c,
        kernel_height=kh,
        kernel_width=kw,
        stride=sh,
        out_height=oh,
        out_width=ow,
        out_channels=m,
        groups=int(number_in(r"groups=(\d+)", row.notes) or 1),
        padded_width=int(number_in(r"padded to (\d+)", row.notes) or ow),
    )


def conv_kernel(p: Values, row: MeasuredRow) -> tuple[Kernel, str]:
    """Return a convolution's kernel and the name of its style."""
    shape = conv_shape(row)
    if row.dtype_in not in ("fp32", "int8", "uint8") or row.arch != "aie":
        return _as_product(p, row, shape), f"conv as gemm.{row.arch}"
    kind = "int8" if row.dtype_in in ("int8", "uint8") else "fp32"
    if "Scalar" in row.notes or "scalar" in row.notes:
        style = _scalar_style(row, kind)
        return scalar_nest(p, outputs=shape.outputs, macs=shape.taps, style=style), style
    vectors = -(-shape.padded_width // LANES[row.dtype_in])
    streamed = "Stream" in row.notes
    wide = "on8" in row.notes or "Hx8" in row.notes  # weights of a row padded to a vector
    width = shape.kernel_width if kind == "fp32" else 0  # int8: one MAC instruction takes a whole kernel row
    convolution = RowConvolution(
        outputs=shape.out_channels * shape.out_height * vectors,
        rows=shape.in_channels // shape.groups * shape.kernel_height,
        width=width,
        stride=shape.stride,
        style=_vector_style(row, kind, wide),
        streamed=streamed,
    )
    return row_convolution(p, convolution), convolution.style + (".stream" if streamed else "")


def _as_product(p: Values, row: MeasuredRow, shape: ConvShape) -> Kernel:
    """Return a convolution that no row-wise code is calibrated for: the product it amounts to, in mmul blocks."""
    a, b = types(row)
    pixels = shape.out_height * shape.out_width
    size = pixels, shape.taps, shape.out_channels // shape.groups
    one = gemm_kernel(p, row.arch, make_gemm(row.arch, a, b, size))
    return Kernel(nodes=(Loop(trips=shape.groups, body=one.nodes),), issue=one.issue, call=one.call)


def _vector_style(row: MeasuredRow, kind: str, wide: bool) -> str:
    if kind == "int8":
        return "conv.int8_scale32" if "Scale32" in row.notes else "conv.int8"
    plain = re.search(r"Conv5x5Relu", row.notes) and not wide  # one accumulator, unpadded weights
    return "conv.fp32_plain" if plain else "conv.fp32"


def _scalar_style(row: MeasuredRow, kind: str) -> str:
    if kind == "int8":
        return "scalar.conv_int8"
    if "Gmem" in row.notes:
        return "scalar.conv_gmem"
    if "CacheHW" in row.notes or "BCHWStream" in row.notes:
        return "scalar.conv_weights_streamed"
    return "scalar.conv_stream" if "Stream" in row.notes else "scalar.conv"
