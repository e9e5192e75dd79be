"""The matrix engine's kernel, and what the template of its class in host programs prints."""

from __future__ import annotations

from aieloom.cpp_text import Constant
from aieloom.emit.instance import Instance, memory, registers
from aieloom.matrix_engine.arithmetic import Element
from aieloom.matrix_engine.engine import NAME, EnginePlan

SOURCE = f"src/pl/{NAME}.cpp"
BURSTS = "max_read_burst_length=16 max_write_burst_length=16 num_read_outstanding=16 num_write_outstanding=16"
# Of elements: the library's header and type that the kernel computes with, and types of host programs: of A and B, of C.
KINDS: dict[Element, tuple[str, str, str, str]] = {
    "float32": ("matrix_engine", "Float", "float", "float"),
    "float16": ("matrix_engine_half", "Half", "float", "float"),
    "int8": ("matrix_engine", "Integer", "std::int8_t", "std::int32_t"),
}


def kernel_of(engine: EnginePlan, title: str) -> Instance:
    """Return the engine's kernel."""
    block, (header, kind, *_) = engine.block, KINDS[engine.element]
    values = f"product::{kind}Products"
    places = [(r.begin, r.end, r.step.add.title(), r.step.mul.title()) for r in block.ranges]
    ranges = (f"product::Range<{a}, {b}, product::{add}, product::{mul}>" for a, b, add, mul in places)
    return Instance(
        name=NAME,
        title=title,
        libraries=(f"engine/{header}",),
        function="product::engine",
        what="R = alpha A B + beta C, block after block.",
        why=(*block.why(), f"{block.cycles} cycles of {engine.clock_mhz:g} MHz a block, modelled"),
        types={
            "Values": values,
            "Places": f"product::Chain<{', '.join(ranges)}>",
        },
        numbers={"kM": block.m, "kN": block.n, "kK": block.k},
        arguments=(
            *(memory(f"const {values}::Memory", name) for name in "ab"),
            memory(f"const {values}::Scalar", "c"),
            memory(f"{values}::Scalar", "r"),
            *registers("blocks_m blocks_n blocks_k"),
            *registers("alpha beta", f"{values}::Scalar"),
        ),
        bursts=BURSTS,
    )


def host_values(engine: EnginePlan) -> dict[str, object]:
    """Return the engine as the class of host programs reads it."""
    block, (*_, memory_type, scalar) = engine.block, KINDS[engine.element]
    return {
        "name": NAME,
        "memory": memory_type,
        "scalar": scalar,
        "blocks": (
            Constant("kBlockM", block.m, "rows of a block of A and C"),
            Constant("kBlockN", block.n, "columns of a block of B and C"),
            Constant("kBlockK", block.k, "columns of a block of A, rows of B"),
        ),
    }
