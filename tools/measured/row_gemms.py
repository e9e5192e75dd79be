"""Rows about matrix products on one core: hand-written vector code, mmul kernels, scalar code."""

from __future__ import annotations

import re

from aieloom.cost.kernels import Kernel, Values, gemm_kernel
from aieloom.cost.loops import Issue, Loop, Ops
from aieloom.cost.machine import Shape
from tools.measured.kernels import FP_ACCUMULATE, scalar_nest
from tools.measured.products import gemm_dims, make_gemm, types
from tools.measured.row_convs import LANES
from tools.measured.rows import CannotModel, MeasuredRow
from tools.measured.shapes import best_shape, peak_macs

_MMUL = re.compile(r"(?:mmul |, )?(\d+)x(\d+)x(\d+) mmul|mmul (\d+)x(\d+)x(\d+)")


def mmul_kernel(p: Values, row: MeasuredRow) -> tuple[Kernel, str]:
    """Return a matrix product written with mmul, as its notes describe the code."""
    a, b = types(row)
    size = gemm_dims(row)
    if "one 32x32x32 block" in row.op:
        size = (32, 32, 32)
    shape = _noted_shape(row, a, b)
    split = re.search(r"cascade (\d+)", row.notes)
    m, k, n = size
    gemm = make_gemm(
        row.arch, a, b, (m, k // int(split[1]) if split else k, n), shape=shape, block=_noted_block(row)
    )
    code = "gemm.library_block" if "tilers" in row.notes else "gemm.block"
    kernel = gemm_kernel(p, row.arch, gemm, code)
    if "dependent MACs" in row.notes:
        step = FP_ACCUMULATE + p["gemm.dependent"]
        return Kernel(nodes=kernel.nodes, issue=Issue(load=1.0, mac=step), call=kernel.call), "gemm.dependent"
    return kernel, f"gemm.{row.arch}"


def _noted_shape(row: MeasuredRow, a: str, b: str) -> Shape | None:
    found = _MMUL.search(row.notes)
    if not found:
        return None
    m, k, n = (int(v) for v in found.groups() if v)
    best = best_shape(row.arch, a, b, (m, k, n))
    return Shape(m=m, k=k, n=n, issue=m * k * n * best.issue / (best.m * best.k * best.n)) if best else None


def _noted_block(row: MeasuredRow) -> tuple[int, int] | None:
    if re.search("one mmul per B load|same kernel|basic", row.notes):
        return 1, 1
    return (
        (2, 1) if "two A tiles per B" in row.notes or row.notes.startswith("optimised int16-output") else None
    )


def loop_body(p: Values, row: MeasuredRow) -> tuple[float, str]:
    """Return cycles of one trip of the inner loop whose code the notes describe.

    Raises:
        CannotModel: they do not say how many vector instructions the body has.
    """
    notes = row.notes
    body = re.search(r"(\d+) (?:VMUL/VMAC|mac_\w+)", notes)
    if body:
        macs = float(body[1])
        bound = (
            2.0 if "load bound" in notes or "mac_elem" in notes else 1.0
        )  # two loads to a MAC over one unit
        return macs * bound + (p["loop.pipelined"] if "VMUL" in notes and bound == 1.0 else 0.0), "loop body"
    pool = re.search(r"(\d+) channels x (\d+) pixels per iteration", notes)
    if pool:  # every output vector takes the four inputs of its 2x2 window, one load each
        return 4.0 * float(pool[2]) * float(pool[1]) / 16, "loop body"
    raise CannotModel("the notes do not count the instructions of the loop body")


def dense_kernel(p: Values, row: MeasuredRow) -> tuple[Kernel, str]:
    """Return a dense layer of hand-written vector code: each row of the input against 8 or 16 columns."""
    if row.arch != "aie":
        return mmul_kernel(p, row)
    m, k, n = gemm_dims(row)
    if row.dtype_in not in LANES:
        raise CannotModel(f"no dense layer of hand-written code is calibrated for '{row.dtype_in}'")
    kind = "int8" if row.dtype_in in ("int8", "uint8") else "fp32"
    if "calar" in row.notes:
        return scalar_nest(p, outputs=m * n, macs=k, style=f"scalar.dense_{kind}"), f"scalar.dense_{kind}"
    vectors = m * -(-n // LANES[row.dtype_in])
    streamed = "tream" in row.notes
    body: tuple[Loop | Ops, ...] = (Ops(macs=k),)
    issue = Issue(mac=p[f"dense.{kind}.mac"] * (p["dense.streamed"] if streamed else 1.0))
    nest = Loop(trips=vectors, body=body, each=p[f"dense.{kind}.output"])
    return Kernel(nodes=(nest,), issue=issue, call=p["call"]), f"dense.{kind}" + (
        ".stream" if streamed else ""
    )


def bursts(p: Values, row: MeasuredRow) -> tuple[float, str]:
    """Return cycles of bursts of an 8 x 12 fp32 matrix times vectors, main() included when the row counts it.

    Raises:
        CannotModel: the row does not say how many bursts.
    """
    count = re.search(r"(\d+) bursts? of 8x(\d+)", row.shape)
    if not count:
        raise CannotModel("the row gives no number of bursts")
    each = (
        "burst.api"
        if "AIE API" in row.notes
        else "burst.one_accumulator"
        if "one accumulator" in row.notes
        else "burst"
    )
    work = int(count[1]) * int(count[2]) * p[f"{each}.mac"]
    return work + (p["burst.main"] if "whole main" in row.notes else p["call"]), each


def peak(row: MeasuredRow) -> float | None:
    """Return the most MACs a cycle for the row's types."""
    return peak_macs(row.arch, *types(row))
