"""`aieloom gemm M K N`: a project that multiplies matrices of that size on the whole array."""

from __future__ import annotations

import argparse
from pathlib import Path

from aieloom import answer, messages, progress
from aieloom.errors import Problem, RunFailed, SpecError
from aieloom.gemm.plan import make_gemm
from aieloom.gemm.run import run, write_design
from aieloom.gemm.types import GemmPlan, Request
from aieloom.plan.gap import MOST_STREAMS
from aieloom.spec.device import load_device
from aieloom.spec.types import DataType

DTYPES = ("float32", "int8", "bfloat16")
OUTS = {DataType.INT8: DataType.INT32}  # what results are by default; else float32


def request_of(options: argparse.Namespace) -> Request:
    """Return what the command line asks for.

    Raises:
        SpecError: a number is none that can be.
    """
    for name in ("m", "k", "n", "cores"):
        value = getattr(options, name)
        if value is not None and not 0 < value <= 1 << 20:
            raise _option(f"{name} = {value}", "use a number from 1 to 1,048,576")
    for name in ("tile", "grid"):
        if any(v < 1 for v in getattr(options, name) or ()):
            raise _option(f"--{name} {' '.join(map(str, getattr(options, name)))}", "use numbers above 0")
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


def _option(text: str, remedy: str) -> SpecError:
    return SpecError(Problem(rule="option", text=text, remedy=remedy))


def gemm(options: argparse.Namespace) -> int:
    """Write a project of one matrix product, and run it where that is asked for."""
    request = request_of(options)
    plan = make_gemm(load_device(options.target), request)
    folder = options.out or Path(f"gemm_{request.m}x{request.k}x{request.n}")
    out = messages.console()
    cut, cost = plan.cut, plan.cost
    answer.give(folder=folder, cores=cut.cores, tile=cut.tile, mmul=cut.mmul, grid=cut.grid, cost=cost)
    for line in report(plan):
        out.print(line, markup=False)
    if not options.run:
        write_design(plan, folder)
        out.print(f"written to {folder}; add --run to emulate it", markup=False)
        return 0
    with progress.working(f"building and running {folder}"):
        checked = run(plan, folder, options.seed)
    answer.give(elements=checked.c.size, different=checked.different)
    out.print(checked.output.strip(), markup=False)
    if checked.different:
        raise RunFailed(f"{checked.different} of {checked.c.size} elements differ from the reference")
    out.print(f"all {checked.c.size} elements equal the reference, bit for bit; in {folder}", markup=False)
    return 0


def report(plan: GemmPlan) -> list[str]:
    """Return the plan in a few lines."""
    cut, cost, r = plan.cut, plan.cost, plan.request
    (x, y, z), (mi, ki, ni) = cut.grid, cut.times
    tile, mmul = (" x ".join(map(str, v)) for v in (cut.tile, cut.mmul))
    a, b, c = cut.streams
    return [
        f"C = A x B, {r.m} x {r.k} x {r.n}, {r.dtype.value} to {r.out.value}, on {plan.device.name}",
        f"  {cut.cores} cores: {x} rows x {z} columns of chains of {y}; tile {tile}, mmul {mmul}",
        f"  {mi} x {ni} blocks of C, {ki} passes over K; {a} + {b} streams in, {c} out, {plan.plio_bits} bits",
        f"  modelled ({cost.produced_by}):",
        *(
            f"    {r.what}: {r.interval_us:,.1f} us, {cut.operations / r.interval_us / 1e6:.3f} Top/s; bound by "
            f"{r.bottleneck}; leaves out {r.leaves_out}"
            for r in cost.rates
        ),
        f"    the array from block to block, as publications give it: {cost.steady_tera_ops:.2f} Top/s",
        f"  {len(plan.units)} movers with a memory port each, for at most {MOST_STREAMS} streams each",
    ]
