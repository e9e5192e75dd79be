"""What the templates of integer kernels print about scaling sums back."""

from __future__ import annotations

from typing import Any

from aieloom.cpp_text import Constant
from aieloom.network.layers import Requant
from aieloom.network.quantisation import limits
from aieloom.plan.scaling_code import row_vectors
from aieloom.spec.quantize import Scales
from aieloom.spec.types import DataType


def requant_view(requant: Requant | None, dtype: DataType) -> dict[str, Any]:
    """Return the epilogue of an integer kernel, or that of floats, which float32 kernels by im2col do not print.

    Optional parts are tuples of none or one.
    """
    folder = "product/requant"
    least, most = limits(dtype) if requant else (0, 0)
    scaling = requant.scaling.value if requant else "float"
    saturation = "none" if requant and requant.wrap else "saturate"
    rounding = "positive_inf" if requant and requant.scaling is not Scales.ONNX else "conv_even"
    return {
        "requant_template": f"{folder}/{scaling}.j2",
        "bounds_template": f"{folder}/bounds.j2",
        "narrows": dtype is not DataType.INT16,
        "of_float": "bfloat16" if dtype is DataType.BFLOAT16 else "float",
        "modes": (  # the calls that set the vector unit's
            f"aie::set_saturation(aie::saturation_mode::{saturation})",
            f"aie::set_rounding(aie::rounding_mode::{rounding})",
        ),
        "left": (row_vectors(requant) - 1,) if requant and requant.left else (),  # the vector of left shifts
        "low": (requant.low,) if requant and requant.low > least else (),
        "high": (requant.high,) if requant and requant.high < most else (),
        # what follows the bias where sums start with it
        "bias_shift": ", kBiasShift" if requant and requant.bias_shift else "",
    }


def requant_constants(requant: Requant | None, dtype: DataType, *, narrow: bool) -> tuple[Constant, ...]:
    """Return the constants of an integer kernel."""
    if requant is None:
        return (
            (Constant("kRowVectors", 1, "vectors for each row of mmul blocks: the bias"),) if narrow else ()
        )
    view, vectors = requant_view(requant, dtype), row_vectors(requant)
    found = [Constant("kRowVectors", vectors, "vectors for each row of mmul blocks, the bias first")]
    if requant.scaling is not Scales.MULTIPLIER:
        found.append(Constant("kShift", requant.shift, "to the right", "int"))
    if requant.scaling is not Scales.POWER_OF_TWO:
        found.append(Constant("kZeroPoint", requant.zero_point, "the element that means 0", "int32"))
    if requant.bias_shift:
        found.append(
            Constant("kBiasShift", requant.bias_shift, "the bias counts 2^kBiasShift of a sum's units", "int")
        )
    kind = "int16" if requant.scaling is Scales.POWER_OF_TWO else "int32"
    found += [Constant("kLow", v, "no element is below", kind) for v in view["low"]]
    found += [Constant("kHigh", v, "no element is above", kind) for v in view["high"]]
    return tuple(found)
