"""What the templates of the matrix engine print: its kernel, and its class in host programs."""

from __future__ import annotations

from aieloom.cpp_text import Constant, View
from aieloom.matrix_engine.arithmetic import DSP, Element
from aieloom.matrix_engine.block import packing
from aieloom.matrix_engine.engine import NAME, PORTS, EnginePlan

TEMPLATE = "matrix_engine/engine.cpp.j2"
SOURCE = f"src/pl/{NAME}.cpp"
REGISTERS = ("blocks_m", "blocks_n", "blocks_k", "alpha", "beta")
BURSTS = "max_read_burst_length=16 max_write_burst_length=16 num_read_outstanding=16 num_write_outstanding=16"


# How the kernel computes with a type of elements: C++ types, operators of HLS, what builds them (bind_op), a sum's result.
_FLOAT = {"add_dsp": "fulldsp", "mul_dsp": "maxdsp", "add_fabric": "fabric", "mul_fabric": "fabric"}
_INTEGER = {"add_fabric": "fabric", "mul_dsp": "dsp", "mul_fabric": "fabric"}
_SCALED, _COMBINED = "alpha * Scalar(sums.read())", "alpha * Scalar(sums.read()) + beta * c[e]"
_FLOAT32 = View(
    memory="float",
    type="float",
    product="float",
    sum="float",
    scalar="float",
    headers=(),
    add="fadd",
    mul="fmul",
    impl=_FLOAT,
    scaled=_SCALED,
    combined=_COMBINED,
)
_VIEWS: dict[Element, View] = {
    "float32": _FLOAT32,
    "float16": _FLOAT32.but(
        type="half", product="half", sum="half", headers=("hls_half.h",), add="hadd", mul="hmul"
    ),
    "int8": View(
        memory="std::int8_t",
        type="std::int8_t",
        product="std::int32_t",
        sum="std::int32_t",
        scalar="std::int32_t",
        headers=(),
        add="add",
        mul="mul",
        impl=_INTEGER,
        scaled="Scalar(std::uint32_t(alpha) * std::uint32_t(sums.read()))",
        combined="Scalar(std::uint32_t(alpha) * std::uint32_t(sums.read()) + std::uint32_t(beta) * std::uint32_t(c[e]))",
    ),
}


def kernel_values(engine: EnginePlan) -> dict[str, object]:
    """Return the engine as its kernel's template reads it."""
    block, view = engine.block, _VIEWS[engine.element]
    together = packing(engine.element)
    ranges = [
        {
            "begin": r.begin,
            "end": r.end,
            "note": f"add from {_named(r.step.add)}, mul from {_named(r.step.mul)}",
            "add": view.add,
            "mul": view.mul,
            "add_impl": view.impl[f"add_{r.step.add}"],
            "mul_impl": view.impl[f"mul_{r.step.mul}"],
        }
        for r in block.ranges
    ]
    return {
        "name": NAME,
        "why": (*block.why(), f"{block.cycles} cycles of {engine.clock_mhz:g} MHz a block, modelled"),
        "headers": view.headers,
        "constants": (
            Constant("kM", block.m, "rows of a block of A and C", "int"),
            Constant("kN", block.n, "columns of a block of B and C", "int"),
            Constant("kK", block.k, "columns of a block of A, rows of B: multipliers in the chain", "int"),
            Constant("kTogether", together, "elements of a 32-bit word of a bank", "int"),
            Constant("kBanks", -(-block.k // together), "banks of A, and of B", "int"),
        ),
        "ranges": ranges,
        "ports": PORTS,
        "registers": REGISTERS,
        "bursts": BURSTS,
        **{n: getattr(view, n) for n in ("memory", "type", "product", "sum", "scalar", "scaled", "combined")},
    }


def _named(where: str) -> str:
    return "DSP slices" if where == DSP else "LUTs"


def host_values(engine: EnginePlan) -> dict[str, object]:
    """Return the engine as the class of host programs reads it."""
    block, view = engine.block, _VIEWS[engine.element]
    return {
        "name": NAME,
        "memory": view.memory,
        "scalar": view.scalar,
        "blocks": (
            Constant("kBlockM", block.m, "rows of a block of A and C"),
            Constant("kBlockN", block.n, "columns of a block of B and C"),
            Constant("kBlockK", block.k, "columns of a block of A, rows of B"),
        ),
    }
