"""Between real values and what a tensor's elements are: integers, bfloat16 numbers, or float32 as it is."""

from __future__ import annotations

import numpy as np

from aieloom.arrays import Values
from aieloom.network.bfloat16 import bfloat16_bits, to_bfloat16
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
