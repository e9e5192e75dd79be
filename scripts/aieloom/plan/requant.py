"""What it takes to make elements of 32-bit sums in a core: vectors beside the weights, a sentence."""

from __future__ import annotations

from aieloom.cost.generated import Epilogue
from aieloom.cost.machine import SUM_BYTES, access_count
from aieloom.network.layers import Requant
from aieloom.spec.architecture import Architecture
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


def epilogue(lanes: int, size: int, requant: Requant | None, architecture: Architecture) -> Epilogue:
    """Return what it takes to make elements of the `lanes` sums of an mmul block, as the templates write it.

    `size` is that of an element in bytes.
    """
    words, times = access_count(lanes, SUM_BYTES), _multiplications(requant)
    return Epilogue(
        sum_accesses=words,
        scale_loads=(row_vectors(requant) - 1) * words,
        scale_products=times,
        scale_macs=times * -(-lanes // architecture.facts.wide_products),
        stores=access_count(lanes, size),
    )


def _multiplications(requant: Requant | None) -> int:
    """Return how often a sum of 32 bits is multiplied with a number of 32 bits."""
    if requant is None or requant.scaling is Scales.POWER_OF_TWO:
        return 0
    return {Scales.MULTIPLIER: 2, Scales.MULTIPLIER16: 1, Scales.ONNX: 1}[requant.scaling] + requant.left


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
