"""`aieloom gemm M K N`: a project that multiplies matrices of that size on the whole array."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from aieloom import answer, messages, progress
from aieloom.errors import RunFailed, SpecError
from aieloom.flow.gemm import told
from aieloom.flow.gemm.engine import (
    EngineRequest,
    asked,
    build_product,
    matrices_of,
    plan_product,
    write_product,
)
from aieloom.flow.gemm.run import Checked, run, run_on, write_design
from aieloom.matrix_engine.arithmetic import ELEMENTS
from aieloom.matrix_engine.engine import engine_of
from aieloom.spec.device import load_board, load_device
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.plan import make_gemm
from aieloom.strategies.array_gemm.types import Request
from aieloom.strategies.array_gemm.whole import product_of, whole
from aieloom.units.plan import Plan

DTYPES = ("float32", "int8", "bfloat16")
OUTS = {DataType.INT8: DataType.INT32}  # what results are by default; else float32


def request_of(options: argparse.Namespace) -> Request:
    """Return what the command line asks for.

    Raises:
        SpecError: a number is none that can be.
    """
    _check_sizes(options, ("m", "k", "n", "cores"), ("tile", "grid"))
    _check_for_array(options)
    if not 0 <= options.shift <= MAX_SHIFT:
        raise _option(f"--shift {options.shift}", f"use a number from 0 to {MAX_SHIFT}")
    dtype = DataType(options.dtype)
    out = DataType(options.out_dtype) if options.out_dtype else OUTS.get(dtype, DataType.FLOAT32)
    return Request(
        m=options.m,
        k=options.k,
        n=options.n,
        dtype=dtype,
        out=out,
        shift=options.shift,
        cores=options.cores,
        tile=tuple(options.tile) if options.tile else None,
        grid=tuple(options.grid) if options.grid else None,
    )


MAX_SHIFT = 30


def _check_sizes(options: argparse.Namespace, numbers: Sequence[str], shapes: Sequence[str]) -> None:
    for name in numbers:
        value = getattr(options, name)
        if value is not None and not 0 < value <= 1 << 20:
            raise _option(f"{name} = {value}", "use a number from 1 to 1,048,576")
    for name in shapes:
        if any(v < 1 for v in getattr(options, name) or ()):
            raise _option(f"--{name} {' '.join(map(str, getattr(options, name)))}", "use numbers above 0")


def _check_for_array(options: argparse.Namespace) -> None:
    given = {"alpha": options.alpha != 1, "beta": options.beta != 0, "block": bool(options.block)}
    given |= {"transpose-a": options.transpose_a, "transpose-b": options.transpose_b}
    for name, is_given in given.items():
        if is_given:
            raise _option(f"--{name} is an option of --engine pl", "add --engine pl, or leave it out")
    if options.dtype == "float16":
        raise _option("--dtype float16", f"the array computes {', '.join(DTYPES)}; add --engine pl")


def _option(text: str, remedy: str) -> SpecError:
    return SpecError(rule="option", text=text, remedy=remedy)


def gemm(options: argparse.Namespace) -> int:
    """Write a project of one matrix product, and run it where that is asked for."""
    if options.engine == "pl":
        return on_engine(options)
    request = request_of(options)
    plan = whole(make_gemm(load_device(options.target), request))
    folder = options.out or Path(f"gemm_{request.m}x{request.k}x{request.n}")
    cut, cost = product_of(plan).cut, product_of(plan).cost
    answer.give(folder=folder, cores=cut.cores, tile=cut.tile, mmul=cut.mmul, grid=cut.grid, cost=cost)
    return _write_or_run(
        options,
        folder,
        plan,
        lambda: write_design(plan, folder),
        lambda: told.summarised(plan, told.on_array(plan), run(plan, folder, options.seed), folder),
    )


def _write_or_run(
    options: argparse.Namespace,
    folder: Path,
    plan: Plan,
    write: Callable[[], object],
    check: Callable[[], Checked],
) -> int:
    """Show a plan; write its project, or build and run it and compare."""
    for line in plan.remarks:
        messages.say(line)
    if not options.run:
        write()
        messages.say(f"written to {folder}; add --run to emulate it")
        return 0
    with progress.working(f"building and running {folder}"):
        checked = check()
    answer.give(elements=checked.c.size, different=checked.different)
    messages.say(checked.output.strip())
    if checked.different:
        raise RunFailed(f"{checked.different} of {checked.c.size} elements differ from the reference")
    messages.say(f"all {checked.c.size} elements equal the reference, bit for bit; in {folder}")
    return 0


def engine_request_of(options: argparse.Namespace) -> EngineRequest:
    """Return what the command line asks of the engine in the logic.

    Raises:
        SpecError: a number is none that can be, or an option is one of the array's.
    """
    _check_sizes(options, ("m", "k", "n"), ("block",))
    for name in ("cores", "tile", "grid", "out_dtype", "shift"):
        if getattr(options, name):
            raise _option(f"--{name.replace('_', '-')} is an option of --engine aie", "leave it out")
    element = next((e for e in ELEMENTS if e == options.dtype), None)
    if element is None:
        raise _option(f"--dtype {options.dtype}", f"the engine in the logic computes {', '.join(ELEMENTS)}")
    for name in ("alpha", "beta"):
        value = getattr(options, name)
        whole = element != "int8" or (value == int(value) and abs(value) < 1 << 31)
        if not (math.isfinite(value) and abs(value) < FLOAT32_MOST and whole):
            raise _option(
                f"--{name} {value:g}",
                f"use a {'whole number' if element == 'int8' else 'number'} of C's type",
            )
    cast = int if element == "int8" else float
    return EngineRequest(
        m=options.m,
        k=options.k,
        n=options.n,
        element=element,
        alpha=cast(options.alpha),
        beta=cast(options.beta),
        transpose_a=options.transpose_a,
        transpose_b=options.transpose_b,
        block=tuple(options.block) if options.block else None,
    )


FLOAT32_MOST = 3.4e38


def on_engine(options: argparse.Namespace) -> int:
    """Write a project of one product on the engine in the logic, and run it where that is asked for."""
    request = engine_request_of(options)
    plan = plan_product(load_board(options.target), request)
    folder = options.out or Path(f"gemm_{request.m}x{request.k}x{request.n}")
    block = engine_of(plan).block
    answer.give(folder=folder, block=(block.m, block.n, block.k), cost=asked(plan).cost)
    return _write_or_run(
        options,
        folder,
        plan,
        lambda: write_product(plan, folder),
        lambda: told.summarised(
            plan,
            told.on_engine(plan),
            run_on(matrices_of(plan, options.seed), lambda: build_product(plan, folder), folder),
            folder,
        ),
    )
