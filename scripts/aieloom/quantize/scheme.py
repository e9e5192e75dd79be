"""Which integers stand for which real values: scales and zero points from ranges, ranges from calibration."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.network.quantisation import dequantise, limits, quantise
from aieloom.network.tensor import Quantisation
from aieloom.quantize.floats import Function, itself
from aieloom.spec.quantize import QuantizeSpec, Scales
from aieloom.spec.types import DataType

SHRINKS = tuple(1 - i / 32 for i in range(26))  # parts of the whole range that method mse tries
SAMPLED = 1 << 18  # of a tensor's values, every so manyth of them (an odd number), that method mse weighs
BIAS_LIMITS = {DataType.INT8: 2.0**29, DataType.INT16: 2.0**45}  # of the 32 or 48 bits of sums
SMALLEST_PART = 2.0**-14  # of the largest channel's scale
SMALLEST_SCALE = 2.0**-100  # keeps a quotient of float32 numbers finite
LARGEST_SCALE = 2.0**127  # a power of two that float32 has


def activation_quantisation(
    x: Values, spec: QuantizeSpec, dtype: DataType, seen: Function = itself
) -> Quantisation:
    """Return the quantisation of a tensor of which calibration shows the values `x`.

    Method mse weighs errors as `seen` shows them: the function of one value that alone reads the tensor. What a tanh makes
    one of its two ends anyway may lie beyond the range, and the steps of the rest are the finer.
    """
    low, high = float(x.min(initial=0.0)), float(x.max(initial=0.0))
    if spec.method == "percentile":
        low, high = (float(v) for v in np.percentile(x, [100 - spec.percentile, spec.percentile]))
    whole = of_range(low, high, spec, dtype)
    if spec.method != "mse":
        return whole
    candidates = dict.fromkeys(of_range(low * s, high * s, spec, dtype) for s in SHRINKS)
    some = x.reshape(-1)[:: -(-x.size // SAMPLED) | 1]
    meant, elements = seen(some), np.arange(limits(dtype)[0], limits(dtype)[1] + 1)

    def square_error(quant: Quantisation) -> float:
        found = seen(dequantise(elements, quant))[quantise(some, quant, dtype).astype(np.int64) - elements[0]]
        return float(((found - meant) ** 2).mean())

    return min(candidates, key=square_error)


def of_range(low: float, high: float, spec: QuantizeSpec, dtype: DataType) -> Quantisation:
    """Return the quantisation whose integers reach from `low` to `high`; 0 is always one of its values."""
    least, most = limits(dtype)
    low, high = min(low, 0.0), max(high, 0.0)
    scale = max(-low, high) / most if spec.symmetric else (high - low) / (most - least)
    scale = rounded_scale(scale, spec.scaling)
    zero = 0 if spec.symmetric else int(np.clip(round(least - low / scale), least, most))
    return Quantisation(scale=scale, zero_point=zero)


def rounded_scale(scale: float, scaling: Scales) -> float:
    """Return a scale as it is used: a float32, or the next power of two; 1 where there is nothing to scale.

    Infinity beyond float32.
    """
    if scale == 0:
        return 1.0
    if not scale <= LARGEST_SCALE:
        return math.inf
    scale = max(scale, SMALLEST_SCALE)
    return 2.0 ** math.ceil(math.log2(scale)) if scaling is Scales.POWER_OF_TWO else float(np.float32(scale))


def weight_scales(
    weight: Values, bias: Values, x_scale: float, spec: QuantizeSpec, dtype: DataType
) -> NDArray[np.float64]:
    """Return the scale of each output channel's weights, symmetric; all alike unless `per_channel`.

    A channel whose weights are next to nothing beside its bias, or beside the other channels' weights, gets a larger
    scale than its weights ask for: its bias, in units of the sums, must fit 32 bits, and its multiplier the layer's shift.
    """
    _, most = limits(dtype)
    peaks = np.abs(weight.reshape(len(weight), -1).astype(np.float64)).max(axis=1) / most
    needed = np.abs(bias.astype(np.float64)) / (x_scale * BIAS_LIMITS[dtype])
    least = peaks.max(initial=0.0) * SMALLEST_PART
    found = np.maximum(np.maximum(peaks, needed), least)
    if not spec.by_channel:
        found = np.full_like(found, found.max(initial=0.0))
    if spec.method != "mse":
        return _rounded_scales(found, spec)
    tried = np.stack([_rounded_scales(np.maximum(found * s, needed), spec) for s in SHRINKS])
    errors = np.stack([_weight_errors(weight, scales, most) for scales in tried])
    if not spec.by_channel:
        errors = np.repeat(errors.sum(axis=1, keepdims=True), len(weight), axis=1)
    best: NDArray[np.float64] = np.take_along_axis(tried, errors.argmin(axis=0)[None], axis=0)[0]
    return best


def _rounded_scales(scales: Values, spec: QuantizeSpec) -> NDArray[np.float64]:
    return np.array([rounded_scale(s, spec.scaling) for s in scales.tolist()], np.float64)


def _weight_errors(weight: Values, scales: Values, most: int) -> Values:
    """Return the square error of each channel's weights as integers up to `most`."""
    flat = weight.reshape(len(weight), -1).astype(np.float64)
    steps = scales[:, None]
    return np.asarray(((np.clip(np.rint(flat / steps), -most, most) * steps - flat) ** 2).sum(axis=1))
