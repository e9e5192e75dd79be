"""Rows about whole systems: array, memory and host together."""

from __future__ import annotations

import re

from aieloom.cost.kernels import Values, gemm_kernel
from aieloom.cost.published import published_times
from tools.measured.products import gemm_dims, make_gemm, types
from tools.measured.rows import CannotModel, MeasuredRow, number_in
from tools.measured.shapes import BYTES, peak_macs

Result = tuple[float, str]


def system(p: Values, row: MeasuredRow) -> Result:
    """Return the figure of a system row and how it came about.

    Raises:
        CannotModel: the row lacks what a model needs.
    """
    if row.op.startswith("GMIO loop"):
        return _gmio(p, row)
    if row.op.startswith("ESPCN") and row.tiles_used:
        return espcn_published(p, row)
    if row.op.startswith("z-score"):
        raise CannotModel("measured on a board; the graph row of the same design is what is modelled")
    if row.op == "matmul":
        return _matmul(p, row)
    if "DPU" in row.op or "DPU" in row.source:
        raise CannotModel("a general overlay: the row gives neither layers nor schedule")
    raise CannotModel(f"no model of a system for '{row.op}': the row gives no layers and no mapping")


def _gmio(p: Values, row: MeasuredRow) -> Result:
    """Channels in parallel until the memory behind the network on chip is busy."""
    pairs = number_in(r"(\d+) in \+", row.op)
    if pairs is None:
        raise CannotModel("the row does not say how many channels")
    smooth = 4.0  # how sharply the two limits meet
    channel, memory = pairs * p["gmio.channel_mb_s"], p["memory.mb_s"]
    return (channel**-smooth + memory**-smooth) ** (-1 / smooth), "GMIO"


def _matmul(p: Values, row: MeasuredRow) -> Result:
    m, k, n = gemm_dims(row)
    a, b = types(row)
    operations = 2.0 * m * k * n
    if row.metric not in ("gflops", "tops", "latency_us", "fps"):
        raise CannotModel(f"the metric '{row.metric}' of a system is not modelled")
    if "ryzen" in row.device:
        micros = _ryzen(p, row, a, b, operations)
    elif "one 32x32x32 kernel per core" in row.notes:
        micros = _scaled(p, row, operations)
    elif found := re.search(r"up to (\d+) cores of 32x32x32", row.notes):
        if "VCK5000" in row.notes:
            raise CannotModel("the same design on another board: its array clock and memory are not stated")
        micros = _from_memory(p, (m, k, n), BYTES[a], int(found[1]), operations)
    else:
        raise CannotModel("the row does not say how many cores multiply and how they are fed")
    rate = {"gflops": operations / micros / 1e3, "tops": operations / micros / 1e6, "fps": 1e6 / micros}
    return (micros if row.metric == "latency_us" else rate[row.metric]), "gemm system"


def _ryzen(p: Values, row: MeasuredRow, a: str, b: str, operations: float) -> float:
    """Microseconds on a Ryzen AI part: dispatch by the host, then the array at what its memory lets it do."""
    peak = peak_macs(row.arch, a, b)
    if f"npu.efficiency.{a}" not in p:
        raise CannotModel(f"no product of '{a}' on a Ryzen AI part is calibrated")
    if peak is None:
        raise CannotModel(f"the vector unit of {row.arch} multiplies no {a} by {b}")
    rate = row.tiles * peak * 2 * p["npu.mhz"]
    return p["npu.dispatch_us"] + operations / rate / p[f"npu.efficiency.{a}"]


def _scaled(p: Values, row: MeasuredRow, operations: float) -> float:
    """Microseconds of cores that share their feeds: each doubling of the cores costs a share of the time."""
    kernel = gemm_kernel(p, row.arch, make_gemm(row.arch, "fp32", "fp32", (32, 32, 32)))
    doublings = max(0, row.tiles.bit_length() - 1)
    slower = 1.0 + p["array.sharing"] * doublings
    return operations / (2 * 32**3 * row.tiles) * kernel.cycles * slower / row.aie_mhz


def _from_memory(p: Values, size: tuple[int, int, int], element: int, cores: int, operations: float) -> float:
    """Microseconds of a design on a VCK190 that reads and writes its matrices in memory, array at 1 GHz."""
    m, k, n = size
    kernel = gemm_kernel(p, "aie", make_gemm("aie", "fp32", "fp32", (32, 32, 32)))
    compute = operations / (2 * 32**3 * cores) * kernel.cycles / 1000.0
    moved = (m * k + k * n + m * n) * element * p["memory.reload"]
    return compute + moved / p["memory.mb_s"]


def espcn_published(p: Values, row: MeasuredRow) -> tuple[float, str]:
    """Return the published design's latency or rate.

    Raises:
        CannotModel: the row asks for something else, or is about another mapping.
    """
    if row.tiles != 160:
        raise CannotModel("only the published mapping on 160 cores is modelled")
    latency, interval = published_times(p)
    figures = {"latency_us": latency, "fps": 1e6 / interval}
    if row.metric not in figures:
        raise CannotModel(f"no figure '{row.metric}' of this design in the model")
    return figures[row.metric], "published ESPCN"
