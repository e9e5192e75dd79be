"""One product over a part of the array, as a first contact with the vendor's tools tries it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from aieloom.emit.names import host_library
from aieloom.flow.first_contact_lines import Line, product_lines
from aieloom.flow.gemm.files import HOST_HEADERS
from aieloom.flow.gemm.run import sources_of
from aieloom.spec.device import load_device
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.plan import make_gemm
from aieloom.strategies.array_gemm.types import Request
from aieloom.strategies.array_gemm.whole import product_of, whole
from aieloom.units.plan import Plan
from aieloom.vitis.design import VitisDesign

NAME = "gemm"
PRODUCT = Request(m=256, k=256, n=256, dtype=DataType.INT8, out=DataType.INT32, cores=16)


def tried(target: str) -> Plan:
    """Return the product that is tried on a device."""
    return whole(make_gemm(load_device(target), PRODUCT))


def lines_of_tried(plan: Plan, design: VitisDesign, build: Path) -> Iterator[Line]:
    """Return the lines of a product, plan beside tool."""
    product = product_of(plan)
    return product_lines(product.array, [unit.mover for unit in product.units], design, build)


def product_design(plan: Plan) -> VitisDesign:
    """Return a product as the vendor's tools see it."""
    sources = sources_of(plan, ())
    return VitisDesign(
        project=NAME,
        aie_sources=tuple(f"src/aie/{name}" for name in ("gemm.cc", "gemm.h", "graph.cpp", "graph.h")),
        kernels=sources.built,
        host_source="src/host/gemm_host.cpp",
        host_program="gemm_host",
        host_headers=host_library(HOST_HEADERS),
        register_mhz=sources.register_mhz,
    )
