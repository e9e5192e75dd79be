"""The arithmetic of one product in integers: its bias, multipliers and shifts, and what its sums may reach."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np

from aieloom.arrays import Values
from aieloom.errors import SpecError
from aieloom.network.layers import Layer, Network, Requant, Tensor
from aieloom.network.quantisation import (
    FLOAT_BITS,
    INT32,
    NUMPY,
    divide_by_power,
    float_multiplier_of,
    high_product,
    limits,
    multiplier16_of,
    multiplier_of,
    quantise,
)
from aieloom.network.tensor import Quantisation, TensorType
from aieloom.ops import REGISTRY
from aieloom.plan.operators import ProductOperator
from aieloom.spec.quantize import QuantizeSpec, Scales
from aieloom.spec.types import DataType

MAX_SPREAD = 15  # bits between the shifts of one layer's channels that multiplier16 can level
SUM_BITS = {DataType.INT8: 32, DataType.INT16: 48}
BIAS_BITS = 30  # a bias of 16-bit elements is kept in so many bits
CONSTANT_BITS = 8  # by which a constant result is shifted left to be a bias
MAX_RIGHT = 30  # bits of the second of `multiplier`'s shifts
ROOM = 7  # bits by which a 24-bit multiplier can grow in 32 bits, to level the exponents of channels
MAX_LEFT = 30  # bits by which a sum can be shifted left by a product of 32-bit numbers
# Up to it a sum that saturates on its way saturates as an element too: 2^31 * 2^30 / 2^52 = 2^9
MAX_EXPONENT = 52
FAR = "let calibration show typical inputs: the output's range is far beyond what the weights give"


def is_product(layer: Layer) -> bool:
    """Tell whether a layer multiplies by trained weights: its bias can make a result of 0 mean 0."""
    return isinstance(REGISTRY[layer.op], ProductOperator)


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A convolution or dense layer in integers: its sums start at `bias`, in units of x.scale * scales[channel]."""

    layer: Layer
    fused: tuple[Layer, ...]
    x: TensorType
    y: Quantisation
    weight: Values
    bias: Values
    scales: Values


def finish_product(
    network: Network, p: Product, made: dict[str, dict[str, Tensor]], settings: QuantizeSpec
) -> Layer:
    """Return the integer layer; its tensors go to `made`.

    Raises:
        SpecError: sums of the layer could exceed 32 bits, or its scales lie too far apart.
    """
    x = p.x.means
    flat = p.weight.reshape(len(p.weight), -1)
    ratios = x.scale * p.scales / p.y.scale
    pairs = [multiplier_of(float(r)) for r in ratios]
    multiplier, shift = (np.array(v, np.int64) for v in zip(*pairs, strict=True))
    if settings.scaling is Scales.MULTIPLIER:
        p, multiplier, shift = _constants_apart(p, multiplier, shift)
        flat = p.weight.reshape(len(p.weight), -1)
    start, common = p.bias - x.zero_point * flat.sum(axis=1), 0
    wide = p.x.dtype is DataType.INT16
    if settings.scaling is Scales.POWER_OF_TWO:
        common = int(-np.log2(ratios[0]))
        _check_shifts(network, p.layer, np.array([-common]), settings.scaling)  # before it shifts anything
        start = start + (p.y.zero_point << common)
    elif settings.scaling is Scales.MULTIPLIER16:
        multiplier = np.array([multiplier16_of(int(m)) for m in multiplier], np.int64)
        common = int((15 - shift).max())
    elif settings.scaling is Scales.ONNX:
        multiplier, shift, common = _float_multipliers(network, p)
    if settings.scaling is not Scales.ONNX:
        _check_shifts(network, p.layer, shift, settings.scaling)
    bias_shift = max(0, int(np.abs(start).max(initial=0)).bit_length() - BIAS_BITS) if wide else 0
    start = (start + (1 << bias_shift >> 1)) >> bias_shift
    saturates = settings.scaling is Scales.ONNX  # a sum that is shifted beyond 32 bits
    _check_sums(network, p, start << bias_shift, np.zeros_like(shift) if saturates else np.maximum(shift, 0))
    low, high = bounds_of(p.fused, p.y, p.x.dtype)
    requant = Requant(
        scaling=settings.scaling,
        low=low,
        high=high,
        zero_point=p.y.zero_point,
        shift=common,
        left=settings.scaling in (Scales.MULTIPLIER, Scales.ONNX) and bool((shift > 0).any()),
        wrap=settings.overflow == "wrap",
        bias_shift=bias_shift,
    )
    made[p.layer.name] = {
        "weight": p.weight.astype(NUMPY[p.x.dtype]),
        "bias": start.astype(np.int32),
        "multiplier": multiplier.astype(np.int32),
        "shift": shift.astype(np.int32),
    }
    y = replace(p.layer.y, dtype=p.x.dtype, quant=p.y)
    return replace(p.layer, x=p.x, y=y, requant=requant)


def _constants_apart(p: Product, multiplier: Values, shift: Values) -> tuple[Product, Values, Values]:
    """Return a product whose channels beyond MAX_RIGHT, where each gives one result whatever comes, have that as their bias.

    Converters leave such channels behind: of weights that training made 0, beside a bias that is none.
    """
    far = shift < -MAX_RIGHT
    if not far.any():
        return p, multiplier, shift
    flat = p.weight.reshape(len(p.weight), -1)
    middle, reach = p.bias - p.x.means.zero_point * flat.sum(axis=1), _products(p)
    least, most = (
        divide_by_power(high_product(middle + side * reach, multiplier), np.maximum(-shift, 0))
        for side in (-1, 1)
    )
    fixed = far & (least == most) & (np.abs(middle) + reach < INT32)
    one, right = multiplier_of(2.0**-CONSTANT_BITS)
    weight = np.where(fixed.reshape(-1, *(1,) * (p.weight.ndim - 1)), 0, p.weight)
    bias = np.where(fixed, least << CONSTANT_BITS, p.bias)
    made = replace(p, weight=weight, bias=bias)
    return made, np.where(fixed, one, multiplier), np.where(fixed, right, shift)


def _float_multipliers(network: Network, p: Product) -> tuple[Values, Values, int]:
    """Return the channels' multipliers and left shifts, and the common shift to the right, of (x * w) / y in float32.

    Multipliers grow by up to ROOM bits towards the smallest channel's exponent; what lacks then the sum is shifted left.

    Raises:
        SpecError: a quotient is too small, or so large that a result could exceed 32 bits.
    """
    ratios = np.float32(p.x.means.scale) * p.scales.astype(np.float32) / np.float32(p.y.scale)
    text = ""
    if not (np.isfinite(ratios).all() and (ratios > 0).all()):
        text = "are no finite numbers above 0"
    pairs = [] if text else [float_multiplier_of(r) for r in ratios]
    exponents = np.array([e for _, e in pairs], np.int64)
    low = int(exponents.max(initial=0))
    if low > MAX_EXPONENT:
        text = f"go down to 2^{FLOAT_BITS - 1 - low}; the smallest is 2^-{MAX_EXPONENT - FLOAT_BITS + 1}"
    elif not text and (_peaks(p) * ratios.astype(np.float64)).max() >= INT32 - 256:
        text = f"go up to {ratios.max():g}, so that results before saturation could exceed 32 bits"
    if text:
        _refuse_multipliers(network, p.layer, text, FAR)
    missing = low - exponents
    grown = np.minimum(missing, ROOM)
    if missing.max() > ROOM + MAX_LEFT:
        text = f"differ by 2^{missing.max()}; 2^{ROOM + MAX_LEFT} can be levelled"
        _refuse_multipliers(network, p.layer, text, "use scales that are nearer to each other")
    multiplier = np.array([m for m, _ in pairs], np.int64) << grown
    return multiplier, missing - grown, low


def bounds_of(fused: tuple[Layer, ...], y: Quantisation, dtype: DataType) -> tuple[int, int]:
    """Return the smallest and largest element that the layer may give."""
    low, high = limits(dtype)
    if fused:
        low = max(low, y.zero_point)
        top = getattr(fused[0].spec, "max", None)
        if top is not None:
            high = min(high, int(quantise(np.array(top), y, dtype)))
    return low, high


def _products(p: Product) -> Values:
    """Return how large the sum of a channel's products may become."""
    largest = -limits(p.x.dtype)[0]
    total: Values = largest * np.abs(p.weight.reshape(len(p.weight), -1)).sum(axis=1)
    return total


def _peaks(p: Product) -> Values:
    """Return how large the sums may become, with what the zero point and the bias add."""
    start = p.bias - p.x.means.zero_point * p.weight.reshape(len(p.weight), -1).sum(axis=1)
    total: Values = np.abs(start) + _products(p)
    return total


def _check_sums(network: Network, p: Product, start: Values, left: Values) -> None:
    """Refuse sums that 32 bits (of 16-bit elements: the 48 of AIE's accumulators) could not hold for some input."""
    layer, bits = p.layer, SUM_BITS[p.x.dtype]
    peaks = (np.abs(start) + _products(p)) << left
    worst = int(np.argmax(peaks))
    if peaks[worst] >= 1 << (bits - 1):
        text = (
            f"layer '{layer.name}': the sums of channel {worst} may reach {int(peaks[worst])}, "
            f"{bits} bits hold {(1 << (bits - 1)) - 1}"
        )
        remedy = "train with smaller biases, or let calibration show the whole range of the activations"
        raise SpecError(network.spec.problem("quant-2", layer.index, text, remedy))


def _check_shifts(network: Network, layer: Layer, shift: Values, scaling: Scales) -> None:
    """Refuse channels whose multipliers a layer's epilogue cannot have."""
    low, spread = int(shift.min()), int(shift.max() - shift.min())
    text, remedy = "", "use scales: multiplier or per_channel: false"
    if scaling is Scales.MULTIPLIER16 and spread > MAX_SPREAD:
        text = f"differ by 2^{spread}; multiplier16 has one shift for all and levels 2^{MAX_SPREAD}"
    elif low < -MAX_RIGHT:
        text = f"go down to 2^{low}; the smallest is 2^-{MAX_RIGHT}"
        remedy = FAR
    if text:
        _refuse_multipliers(network, layer, text, remedy)


def _refuse_multipliers(network: Network, layer: Layer, text: str, remedy: str) -> NoReturn:
    message = f"layer '{layer.name}': the multipliers of its channels {text}"
    raise SpecError(network.spec.problem("quant-3", layer.index, message, remedy))
