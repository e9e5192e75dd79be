"""A matrix product on the matrix engine in the logic: `aieloom gemm M K N --engine pl`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aieloom.arrays import Values
from aieloom.cpp_text import Constant, View, float_literal, joined
from aieloom.emit.files import FileTree, write_text, write_tree
from aieloom.emit.names import SOURCE_FOLDERS
from aieloom.emit.printer import Printer
from aieloom.flow.emulated_system import EmulatedSystem
from aieloom.flow.gemm.files import print_host
from aieloom.flow.gemm.run import Matrices, compiled
from aieloom.flow.sources import Sources
from aieloom.matrix_engine.arithmetic import Element
from aieloom.matrix_engine.emit import SOURCE, host_values, kernel_of
from aieloom.matrix_engine.engine import (
    MODEL,
    NAME,
    EnginePlan,
    Product,
    check_memory,
    engine_of,
    plan_engine,
    product_cost,
    threshold,
)
from aieloom.matrix_engine.reference import RESULT, STORED, product
from aieloom.network.tensor import TensorType
from aieloom.spec.board import Board
from aieloom.spec.types import DataType
from aieloom.units.plan import Plan, as_json
from aieloom.units.types import Schedule, Task
from aieloom.vitis.design import one_clock

NEVER = "no product is faster on the engine than on the processor"
CPP: dict[type[np.number], str] = {np.float32: "float", np.int8: "std::int8_t", np.int32: "std::int32_t"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineRequest:
    """C = alpha op(A) op(B) + beta C, op(A) of M x K, op(B) of K x N; a transposed matrix lies in its file as it is."""

    m: int
    k: int
    n: int
    element: Element
    alpha: float = 1
    beta: float = 0
    transpose_a: bool = False
    transpose_b: bool = False
    block: tuple[int, int, int] | None = None  # M, N, K


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedProduct(Product):
    """A product as it was asked for."""

    request: EngineRequest


def asked(plan: Plan) -> AskedProduct:
    """Return the product of a plan of one."""
    return plan.tasks[0].read(AskedProduct)


def command_of(plan: Plan) -> str:
    """Return the command that makes the design again."""
    r = asked(plan).request
    words = [f"aieloom gemm {r.m} {r.k} {r.n} --engine pl --target {plan.board.name} --dtype {r.element}"]
    words += [f"--alpha {r.alpha:g}"] if r.alpha != 1 else []
    words += [f"--beta {r.beta:g}"] if r.beta else []
    words += ["--transpose-a"] * r.transpose_a + ["--transpose-b"] * r.transpose_b
    words += [f"--block {joined(r.block, ' ')}"] if r.block else []
    return " ".join(words)


def plan_product(board: Board, request: EngineRequest) -> Plan:
    """Decide everything about a product on a board's engine, which computes it once.

    Raises:
        CannotFit: the logic has no room for the engine, or the board's memory for the matrices.
    """
    engine, adds = plan_engine(board, request.element, request.block), request.beta != 0
    m, k, n = request.m, request.k, request.n
    check_memory(engine, m, n, k, adds=adds)
    cost = product_cost(engine, m, n, k, adds=adds)
    form = AskedProduct(size=(m, n, k), adds=adds, cost=cost, request=request)
    x = TensorType((1, m, k), DataType(np.dtype(STORED[request.element]).name))
    y = TensorType((1, m, n), DataType(np.dtype(RESULT[request.element]).name))
    unit, links = engine.placed
    return Plan(
        project=NAME,
        board=board,
        x=x,
        y=y,
        tasks=(Task(name=NAME, layers=(NAME,), op="matmul", xs=(x,), y=y, inputs=(), unit=NAME, form=form),),
        units=(unit,),
        links=links,
        schedule=Schedule(kind="once", batch=1, turns=(form.turn(NAME),)),
        remarks=tuple(_remarks(engine, form)),
    )


def _remarks(engine: EnginePlan, form: AskedProduct) -> Iterator[str]:
    """Yield the plan in a few lines."""
    r, block, cost = form.request, engine.block, form.cost
    operations = 2 * r.m * r.n * r.k + 3 * r.m * r.n
    rate = block.operations_per_cycle * engine.clock_mhz / 1e3
    side = threshold(engine)
    yield f"C = alpha op(A) op(B) + beta C, {r.m} x {r.k} x {r.n}, {r.element}, in the logic of {engine.board.name}"
    yield from (f"  {line}" for line in (*block.why(), *engine.crowded))
    yield f"  {joined(cost.blocks, ' x ')} blocks (M, N, K) of {block.cycles} cycles at {engine.clock_mhz:g} MHz"
    yield f"  modelled ({MODEL}):"
    yield f"    the engine, block after block: {rate:.3f} Gop/s"
    yield f"    this product: {cost.engine_us:,.1f} us, {operations / cost.engine_us / 1e3:.3f} Gop/s"
    yield (
        f"    with the host program: {cost.total_us:,.1f} us, bound by {cost.bottleneck}; on the processor alone "
        f"{cost.processor_us:,.1f} us"
    )
    yield f"    {f'products are faster on the engine from {side} x {side} x {side} on' if side else NEVER}"


def render_engine(plan: Plan) -> FileTree:
    """Return every source file of the design."""
    r, engine = asked(plan).request, engine_of(plan)
    what = f"C = alpha A x B + beta C, {r.m} x {r.k} x {r.n}, {r.element}"
    printer = Printer(plan.project, command=command_of(plan))
    printer.kernel(kernel_of(engine, what))
    print_host(printer, plan, what, _host(plan))
    return printer.tree


def _host(plan: Plan) -> dict[str, object]:
    r = asked(plan).request
    shapes = {
        "a": (r.k, r.m) if r.transpose_a else (r.m, r.k),
        "b": (r.n, r.k) if r.transpose_b else (r.k, r.n),
    }
    scalar = str if r.element == "int8" else float_literal
    return {
        "constants": (
            Constant("kM", r.m, "rows of C"),
            Constant("kK", r.k, "products of a sum"),
            Constant("kN", r.n, "columns of C"),
        ),
        "element": CPP[STORED[r.element]],
        "result": CPP[RESULT[r.element]],
        "element_note": np.dtype(STORED[r.element]).name,
        "result_note": np.dtype(RESULT[r.element]).name,
        **{f"{name}_shape": joined(shape, " x ") for name, shape in shapes.items()},
        "headers": ("engine_product.h", "product.h"),
        "runner": "host::EngineProduct<EngineTraits, Product>",
        "engines": (NAME,),
        "engine": host_values(engine_of(plan)),
        "units": {},
        "truths": tuple(
            View(name=name, value="true" if holds else "false", note=note)
            for name, holds, note in (
                ("kAdds", r.beta, "whether a third matrix is added"),
                ("kTransposedA", r.transpose_a, "in its file"),
                ("kTransposedB", r.transpose_b, "in its file"),
            )
        ),
        "factors": (
            View(name="kAlpha", value=scalar(r.alpha), note="of A B"),
            View(name="kBeta", value=scalar(r.beta), note="of what is added"),
        ),
    }


def write_product(plan: Plan, folder: Path) -> FileTree:
    """Write sources and plan.json below `folder`; return the sources."""
    tree = render_engine(plan)
    write_tree(folder, tree, owned=SOURCE_FOLDERS)
    made = as_json({"made_by": command_of(plan), "modelled_by": MODEL, "plan": plan})
    write_text(folder / "plan.json", json.dumps(made, indent=1) + "\n")
    return tree


def build_product(plan: Plan, folder: Path) -> EmulatedSystem:
    """Write, compile and link the emulated system.

    Raises:
        ToolError: the C++ compiler fails.
    """
    names = write_product(plan, folder)
    return compiled(
        plan, folder, Sources(names=tuple(names), kernels=one_clock([SOURCE], engine_of(plan).clock_mhz))
    )


def operands(request: EngineRequest, seed: int = 1) -> tuple[Values, Values, Values]:
    """Return seeded op(A), op(B) and C in the types of device memory."""
    random = np.random.default_rng(seed)
    shapes = ((request.m, request.k), (request.k, request.n), (request.m, request.n))
    if request.element == "int8":
        x, y = (random.integers(-128, 128, s).astype(np.int8) for s in shapes[:2])
        return x, y, random.integers(-(1 << 20), 1 << 20, shapes[2]).astype(np.int32)
    a, b, c = (random.normal(0, 1, s).astype(np.float32) for s in shapes)
    return a, b, c


def matrices_of(plan: Plan, seed: int) -> Matrices:
    """Return the files that a run of seeded matrices reads, and the reference's result."""
    r = asked(plan).request
    a, b, c = operands(r, seed)
    wanted = product(a, b, r.element, engine_of(plan).block.k, alpha=r.alpha, beta=r.beta, c=c)
    files = {
        "a.bin": (a.T if r.transpose_a else a).tobytes(),
        "b.bin": (b.T if r.transpose_b else b).tobytes(),
        **({"c_in.bin": c.tobytes()} if r.beta else {}),
    }
    return Matrices(files=files, wanted=wanted)
