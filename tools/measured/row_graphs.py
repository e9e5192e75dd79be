"""Rows about graphs: matrix products over several cores, chains of layers, transfers between tiles."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from aieloom.cost.kernels import FLAT_BLOCK, Values, gemm_kernel
from aieloom.cost.machine import STREAM_BYTES
from tools.measured import chains
from tools.measured.products import gemm_dims, make_gemm, types
from tools.measured.rows import CannotModel, MeasuredRow, dims, from_cycles, number_in
from tools.measured.shapes import BYTES, peak_macs

Result = tuple[float, str]
FULL_ARRAY_MULTIPLIERS = (
    312  # of 400 cores: 13 x 4 x 6, the first of MaxEVA's public configurations of both types
)
FLATTENED = (
    ("MaxEVA", "int8"),
)  # families and types whose public kernels flatten their loop over K (`chess_flatten_loop`)


def graph(p: Values, row: MeasuredRow) -> Result:
    """Return the figure of a graph row and how it came about.

    Raises:
        CannotModel: the row lacks what a model needs.
    """
    models: dict[str, Callable[[Values, MeasuredRow], Result]] = {
        r"matmul": _matmul,
        r"matvec": _matvec,
        r".*hand-over": _hand_over,
        r".*transfer of": _transfer,
        r".*copy graph": _copy,
        r"z-score": _zscore,
        r"": chains.chain,
    }
    return next(model for pattern, model in models.items() if re.match(pattern, row.op))(p, row)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Split:
    """A matrix product over cores: per core m x k x n; bytes per core of each matrix."""

    m: int
    k: int
    n: int
    a: str
    b: str
    out_bytes: int

    @property
    def fill(self) -> float:
        """Cycles to stream a core's two inputs in, side by side."""
        a, b = self.m * self.k * BYTES[self.a], self.k * self.n * BYTES[self.b]
        return max(a, b) / STREAM_BYTES

    @property
    def drain(self) -> float:
        """Cycles to stream a core's result out."""
        return self.m * self.n * self.out_bytes / STREAM_BYTES


def _matmul(p: Values, row: MeasuredRow) -> Result:
    a, b = types(row)
    if not dims(row.shape):
        raise CannotModel("the row gives no M x K x N")
    if "kernel" in row.shape or row.notes.startswith("kernel "):
        return _array(p, row, a, b)
    if "PL movers" in row.notes:
        return _pl_fed(p, row, a, b)
    found = re.search(r"cascade (\d+) x SSR (\d+)", row.notes)
    if found:
        return _library(p, row, cascade=int(found[1]), ssr=int(found[2]))
    if row.tiles == 1:
        return _blocked(p, row, a, b)
    if row.tiles_used and row.metric in ("ii_cycles", "cycles", "gflops", "tops", "efficiency_pct"):
        return _even(p, row, a, b)
    raise CannotModel("the row does not say how the product is cut over its cores")


def _even(p: Values, row: MeasuredRow, a: str, b: str) -> Result:
    """A product of which the row says only on how many cores: the work in equal parts, nothing else in the way."""
    m, k, n = gemm_dims(row)
    rows = next(d for d in range(math.isqrt(row.tiles), 0, -1) if row.tiles % d == 0)
    cut = _Split(m=-(-m // rows), k=k, n=-(-n // (row.tiles // rows)), a=a, b=b, out_bytes=_out_bytes(a, b))
    interval = _core(p, row.arch, cut) + p[f"array.exchange.{row.arch}"]
    ideal = m * k * n / row.tiles / (peak_macs(row.arch, a, b) or 1.0)
    return from_cycles(
        row, interval, operations=2.0 * m * k * n, ideal=ideal
    ), "gemm in equal parts (assumed)"


def _library(p: Values, row: MeasuredRow, *, cascade: int, ssr: int) -> Result:
    """A library's product: K cut over a cascade, M over parallel cascades, every core fed over streams."""
    a, b = types(row)
    m, k, n = gemm_dims(row)
    cut = _Split(m=-(-m // ssr), k=-(-k // cascade), n=n, a=a, b=b, out_bytes=_out_bytes(a, b))
    kernel = _core(p, row.arch, cut, "gemm.library_block")
    tiler = m * k * p["tiler.element"] if "with tiler" in row.notes else 0.0
    if row.metric == "latency_us":
        hops = p[f"latency.base.{row.arch}"] + p["latency.cascade"] * (cascade - 1)
        work = p[f"latency.kernels.{row.arch}"] * kernel + p["latency.wait"] * max(0.0, cut.fill - kernel)
        return from_cycles(row, hops + work + 2 * p["latency.tiler"] * tiler), "gemm latency"
    interval = max(kernel, cut.fill + p["stream.gap"], cut.drain)
    if tiler:
        interval = max(interval, tiler + p["gemm.iteration"])
    if row.metric == "mb_s":
        return m * n * _out_bytes(a, b) / interval * row.aie_mhz, "gemm interval"
    return from_cycles(row, interval, operations=2.0 * m * k * n), "gemm interval"


def _core(p: Values, arch: str, cut: _Split, code: str = "gemm.block") -> float:
    """Return cycles between two iterations of one core: the product, its locks and its call."""
    if (cut.a, cut.b) == ("fp32", "fp32") and arch == "aie-ml":
        raise CannotModel("fp32 on aie-ml is emulated in bf16 steps; no row calibrates such products")
    gemm = make_gemm(arch, cut.a, cut.b, (cut.m, cut.k, cut.n))
    kernel = gemm_kernel(p, arch, gemm, code)
    mixed = p["gemm.mixed_complex"] if "cfloat" in (cut.a, cut.b) and cut.a != cut.b else 1.0
    return (kernel.cycles - kernel.call) * mixed + p[f"gemm.iteration.{arch}"]


def _out_bytes(a: str, b: str) -> int:
    return max(BYTES[a], BYTES[b])


def _blocked(p: Values, row: MeasuredRow, a: str, b: str) -> Result:
    """One core that takes a product in cubes of 32, one after another."""
    m, k, n = gemm_dims(row)
    cubes = math.prod(-(-v // 32) for v in (m, k, n))
    cut = _Split(m=32, k=32, n=32, a=a, b=b, out_bytes=_out_bytes(a, b))
    each = _core(p, row.arch, cut) + cut.fill
    return from_cycles(row, cubes * each, operations=2.0 * m * k * n), "gemm in blocks"


def _array(p: Values, row: MeasuredRow, a: str, b: str) -> Result:
    """A product over a whole array of equal cores, each streamed its operands while it works."""
    found = re.search(r"kernels? (\d+)x(\d+)x(\d+)", row.notes + " " + row.shape)
    if not found:
        raise CannotModel("the row does not give the product of one core")
    m, k, n = (int(v) for v in found.groups())
    cores, in_all = _cores(row)
    out = {"int16": 2, "int32": 4, "fp32": 4, "int8": 1}
    out_name = re.search(r"output (\w+)", row.notes)
    out_bytes = out.get(out_name[1] if out_name else row.dtype_acc, 4)
    cut = _Split(m=m, k=k, n=n, a=a, b=b, out_bytes=out_bytes)
    flattened = any(source in row.source and a == dtype for source, dtype in FLATTENED)
    code = FLAT_BLOCK if flattened else "gemm.block"
    interval = max(_core(p, row.arch, cut, code) + p[f"array.exchange.{row.arch}"], cut.fill, cut.drain)
    operations = 2.0 * m * k * n * cores
    peak = peak_macs(row.arch, a, b) or 1.0
    return from_cycles(
        row, interval, operations=operations, ideal=m * k * n * cores / peak / in_all
    ), "gemm array"


def _cores(row: MeasuredRow) -> tuple[int, int]:
    """Return cores that multiply, and cores that the efficiency is against."""
    example = re.search(r"(?:example |X=)?(\d+)x(\d+)x(\d+) ->", row.shape)
    in_all = number_in(r"against (\d+) cores", row.notes) or number_in(r"of (\d+) cores", row.notes)
    if row.tiles_used:
        return row.tiles, int(in_all or row.tiles)
    if example:
        cores = math.prod(int(v) for v in example.groups())
        return cores, int(in_all or cores)
    stated = number_in(r"\((\d+) matmul cores", row.notes)
    if stated is None and "adder-tree" in row.notes:
        return FULL_ARRAY_MULTIPLIERS, FULL_ARRAY_MULTIPLIERS
    if stated is None:
        raise CannotModel("the row does not say how many cores multiply")
    return int(stated), int(in_all or stated)


def _pl_fed(p: Values, row: MeasuredRow, a: str, b: str) -> Result:
    """A square product fed by PL movers: their start-up and their rows add to the cores' time."""
    m, k, n = gemm_dims(row)
    peak = peak_macs(row.arch, a, b)
    if not peak:
        raise CannotModel(f"the vector unit of {row.arch} multiplies no {a} by {b}")
    ideal = m * k * n / peak / row.tiles
    interval = p["mover.start"] + p["mover.row"] * max(m, k, n) + ideal
    return from_cycles(row, interval, operations=2.0 * m * k * n, ideal=ideal), "PL-fed gemm"


def _matvec(p: Values, row: MeasuredRow) -> Result:
    """A matrix times a vector: the matrix arrives over a stream of each core; in a cascade sums pass from core to core."""
    a, _ = types(row)
    found = re.match(r"(\d+)x(\d+)(?: \(x(\d+) frames\))?", row.shape)
    if not found:
        raise CannotModel("the row gives no matrix")
    elements = int(found[1]) * int(found[2]) * int(found[3] or 1) / row.tiles
    words = elements * BYTES[a] / STREAM_BYTES
    emulated = a == "fp32" and row.arch == "aie-ml"
    work = p["matvec.emulated_mac"] * elements if emulated else p[f"matvec.word.{row.arch}"] * words
    if row.metric not in ("latency_us",):
        return from_cycles(row, max(words, work), operations=2.0 * elements * row.tiles), "matvec"
    links = (number_in(r"cascade (\d+)", row.notes) or 1) - 1
    ends = p[f"matvec.base.{row.arch}"] + p["matvec.cascade"] * links
    return from_cycles(row, ends + words + work), "matvec"


def _hand_over(p: Values, row: MeasuredRow) -> Result:
    given = number_in(r"= (\d+) B", row.shape)
    words = given / STREAM_BYTES if given else number_in(r"(\d+) (?:fp32 )?words", row.shape)
    if words is None:
        raise CannotModel("the row does not say how much is handed over")
    return from_cycles(row, p["hand_over.base"] + p["hand_over.word"] * words), "edge"


def _transfer(_: Values, row: MeasuredRow) -> Result:
    kilobytes = number_in(r"transfer of (\d+) KB", row.op)
    if kilobytes is None:
        raise CannotModel("the row does not say how much is transferred")
    return from_cycles(row, kilobytes * 1024 / STREAM_BYTES), "edge"


def _copy(p: Values, row: MeasuredRow) -> Result:
    """Two kernels that copy small windows: words one by one, then locks and calls."""
    size = number_in(r"(\d+) B", row.shape)
    if size is None:
        raise CannotModel("the row gives no window size")
    words = size / STREAM_BYTES
    interval = p["call"] + words * p["copy.unpipelined_word"] + p["iteration"]
    return size / interval * row.aie_mhz if row.metric == "mb_s" else from_cycles(row, interval), "copy graph"


def _zscore(p: Values, row: MeasuredRow) -> Result:
    """Blocks through a memory tile: three transfers in series, or one PLIO that feeds all kernels."""
    found = re.search(r"blocks of (\d+)x(\d+)", row.shape)
    if not found:
        raise CannotModel("the row gives no block")
    size = int(found[1]) * int(found[2]) * BYTES[types(row)[0]]
    serial = "in series" in row.op
    ports = max(1, int(row.plio_in or 1))
    transfer = size / STREAM_BYTES * p["memtile.word"]
    cycles = 3 * (transfer + p["iteration"]) if serial else transfer / ports
    rate = size / cycles * row.aie_mhz
    if row.metric != "mb_s":
        raise CannotModel(f"only its bandwidth is modelled, not '{row.metric}' of the whole frame")
    return rate, "memory tile, serial" if serial else "memory tile, PLIO bound"
