"""Between real values and what a tensor's elements are: integers, bfloat16 numbers, or float32 as it is.

bfloat16 in NumPy is the upper half of a float32, rounded to the nearest, halves to even.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.network.quantisation import NUMPY, dequantise, quantise
from aieloom.network.tensor import TensorType
from aieloom.spec.types import DataType


def to_elements(x: Values, tensor: TensorType) -> Values:
    """Return the elements that stand for `x`: the nearest ones."""
    if tensor.quant:
        return quantise(x, tensor.quant, tensor.dtype)
    return to_bfloat16(x) if tensor.dtype is DataType.BFLOAT16 else x


def stored(values: Values, dtype: DataType) -> Values:
    """Return elements as memory and sources have them: bfloat16 by its bits."""
    if dtype is DataType.BFLOAT16:
        return bfloat16_bits(values).view(np.int16)
    return values.astype(NUMPY.get(dtype, np.float32))


def meaning(elements: Values, tensor: TensorType) -> Values:
    """Return what elements mean, as float32; of bfloat16 what memory would hold of them."""
    if tensor.quant:
        return dequantise(elements, tensor.quant)
    if tensor.dtype is DataType.BFLOAT16:
        return to_bfloat16(elements)
    return np.asarray(elements)


def bfloat16_bits(x: Values) -> NDArray[np.uint16]:
    """Return the bits of the nearest bfloat16 numbers; NaN stays NaN."""
    values = np.ascontiguousarray(x, np.float32)
    bits = values.view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    result: NDArray[np.uint16] = np.where(np.isnan(values), (bits >> 16) | 0x40, rounded).astype(np.uint16)
    return result


def to_bfloat16(x: Values) -> NDArray[np.float32]:
    """Return the nearest bfloat16 numbers, as float32."""
    result: NDArray[np.float32] = (bfloat16_bits(x).astype(np.uint32) << 16).view(np.float32)
    return result
