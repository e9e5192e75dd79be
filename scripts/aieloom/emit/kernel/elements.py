"""How a PL kernel's code handles elements: their C++ type, and their bits in words."""

from __future__ import annotations

from aieloom.cpp_text import View
from aieloom.network.tensor import TensorType
from aieloom.pl.kernel import PlKernel
from aieloom.spec.types import DataType

# what makes an element of bits, and bits of an element
FROM_BITS = {
    DataType.FLOAT32: "as_float",
    DataType.BFLOAT16: "from_bfloat16",
    DataType.INT8: "as_int8",
    DataType.INT16: "as_int16",
}
TO_BITS = {
    DataType.FLOAT32: "float_bits",
    DataType.BFLOAT16: "bfloat16_bits",
    DataType.INT8: "int8_bits",
    DataType.INT16: "int16_bits",
}


def elements_view(kernel: PlKernel) -> View:
    """Return what a kernel calls where it reads words, and where it writes them."""
    read, written = {i.dtype for i in kernel.inlets}, {o.dtype for o in kernel.outlets}
    dtype = kernel.x.dtype
    bits = 8 * dtype.bytes
    return View(
        integer=View(
            type=f"std::{dtype.value}_t", bits=bits, from_bits=FROM_BITS[dtype], to_bits=TO_BITS[dtype]
        )
        if kernel.x.quant is not None
        else None,
        reads_float=bool(read & {DataType.FLOAT32, DataType.BFLOAT16}),
        reads_bfloat=DataType.BFLOAT16 in read,
        writes_float=DataType.FLOAT32 in written,
        writes_bfloat=DataType.BFLOAT16 in written,
    )


def lane_bits(dtype: DataType) -> str:
    """Return where element `lane` of a word lies."""
    bits = 8 * dtype.bytes
    return f"{bits} * lane + {bits - 1}, {bits} * lane"


def type_of(tensor: TensorType) -> str:
    """Return the C++ type of a tensor's elements inside a kernel: of bfloat16 float, which is rounded when it leaves."""
    return f"std::{tensor.dtype.value}_t" if tensor.quant is not None else "float"


def zero_of(tensor: TensorType) -> str:
    """Return a zero of that type."""
    return "0" if tensor.quant is not None else "0.0F"


def padding_of(tensor: TensorType) -> str:
    """Return what lies outside a result, for the layer that reads it."""
    return str(tensor.zero) if tensor.quant is not None else "0.0F"
