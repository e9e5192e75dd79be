"""Plans of matrix products."""

from __future__ import annotations

from typing import Any

from aieloom.spec.device import load_device
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.plan import make_gemm
from aieloom.strategies.array_gemm.types import PlacedProduct, Request


def plan_of(
    m: int, k: int, n: int, target: str = "vck190", dtype: str = "float32", **more: Any
) -> PlacedProduct:
    outs = {"int8": DataType.INT32}
    more.setdefault("out", outs.get(dtype, DataType.FLOAT32))
    return make_gemm(load_device(target), Request(m=m, k=k, n=n, dtype=DataType(dtype), **more))
