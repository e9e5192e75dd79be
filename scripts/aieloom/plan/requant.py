"""What it takes to make elements of 32-bit sums in a core: vectors beside the weights, a sentence."""

from __future__ import annotations

from aieloom.network.layers import Requant
from aieloom.spec.quantize import Scales


def row_vectors(requant: Requant | None) -> int:
    """Return how many vectors stand beside the weights for each row of mmul blocks.

    The bias; of `multiplier` also multipliers and dividing factors, of `onnx` multipliers, of both left shifts where a
    channel has one.
    """
    if requant is None or requant.scaling is Scales.POWER_OF_TWO:
        return 1
    return {Scales.MULTIPLIER: 3, Scales.MULTIPLIER16: 2, Scales.ONNX: 2}[requant.scaling] + requant.left


def rows_label(requant: Requant | None) -> str:
    """Return what these vectors are called in plans and reports."""
    return "bias" if row_vectors(requant) == 1 else "biases and multipliers"


def requant_note(requant: Requant) -> str:
    """Return how sums become elements, as a sentence of plan.json and the kernel's header."""
    how = {
        Scales.MULTIPLIER: "a 32-bit multiplier and a shift for each channel, rounded twice (TensorFlow Lite's definition)",
        Scales.MULTIPLIER16: f"a 16-bit multiplier for each channel and a shift by {requant.shift}, halves up",
        Scales.ONNX: "the scales' quotient as float32, a 24-bit multiplier for each channel, and a shift by "
        f"{requant.shift}, rounded once, halves to even (ONNX's definition)",
        Scales.POWER_OF_TWO: f"a shift by {requant.shift}, halves up; the zero point is in the bias",
    }[requant.scaling]
    edge = "wrapped" if requant.wrap else "saturated"
    return f"sums scaled by {how}, zero point {requant.zero_point}, {edge}, at least {requant.low}"
