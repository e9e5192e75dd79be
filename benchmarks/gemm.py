"""Matrix products over the array: modelled throughput beside the published ones, and how long planning takes.

    python -m benchmarks.gemm [--plot docs/gemm-planning.png]

The throughputs are modelled (the cost model's version and error are printed); the seconds are this machine's.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aieloom.flow.gemm.files import render_gemm
from aieloom.hardware.mmul import Shape
from aieloom.spec.device import load_device
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.cost import pass_cycles
from aieloom.strategies.array_gemm.place import layouts, stream_columns
from aieloom.strategies.array_gemm.plan import make_gemm
from aieloom.strategies.array_gemm.search import candidates, modes
from aieloom.strategies.array_gemm.types import PlacedProduct, Request
from aieloom.strategies.array_gemm.whole import whole
from tools.measured.shapes import peak_macs

SHORT = {DataType.FLOAT32: "fp32", DataType.BFLOAT16: "bf16", DataType.INT8: "int8"}
SCALING = ((1, 1, 10), (2, 2, 10), (4, 2, 10), (4, 4, 10), (4, 5, 10), (4, 5, 14), (4, 5, 17), (4, 5, 20))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A product on a board, and what was published about one like it."""

    board: str
    size: Shape
    dtype: DataType
    out: DataType
    shift: int = 0
    note: str = ""


def _case(board: str, size: Shape, types: str, note: str = "", **more: Any) -> Case:
    dtype, out = (DataType(t) for t in types.split())
    return Case(board=board, size=size, dtype=dtype, out=out, note=note, **more)


SQUARE = (4096, 4096, 4096)
CASES = (
    _case("vck190", (416, 512, 192), "int8 int32", "MaxEVA 77.01"),
    _case("vck190", (320, 384, 320), "int8 int32", "the same, 77.01 at most"),
    _case("vck190", (352, 512, 224), "int8 int32"),
    _case("vck190", (352, 384, 288), "int8 int32"),
    _case("vck190", (384, 512, 192), "int8 int32"),
    _case("vck190", (384, 384, 256), "int8 int32"),
    _case("vck190", SQUARE, "int8 int32"),
    _case("vck190", (416, 128, 192), "float32 float32", "MaxEVA 5.44 at most"),
    _case("vck190", (320, 96, 320), "float32 float32", "the same, 5.44 at most"),
    _case("vck190", SQUARE, "float32 float32"),
    _case("vek280", (512, 736, 576), "int8 int16", "GAMA 159", shift=8),
    _case("vek280", (512, 864, 576), "int8 int8", "GAMA 82 %", shift=8),
    _case("vek280", SQUARE, "int8 int32", "GAMA 133"),
    _case("vek280", SQUARE, "bfloat16 float32"),
)


def request_of(case: Case) -> Request:
    """Return what a case asks the planner for."""
    m, k, n = case.size
    return Request(m=m, k=k, n=n, dtype=case.dtype, out=case.out, shift=case.shift)


def peak_tera_ops(plan: PlacedProduct) -> float:
    """Return the array's peak for the type of the matrices."""
    array = plan.device.array
    name = SHORT[plan.request.dtype]
    macs = peak_macs(plan.device.architecture.value, name, name) or 0.0
    return 2 * macs * array.columns * array.core_rows * plan.device.clocks.aie_mhz / 1e6


def throughput() -> list[str]:
    """Return a table of modelled throughputs."""
    lines = [
        "| board | M x K x N | types | cores | chains | tile | modelled Top/s, steady | of the peak "
        "| one product: the array | with memory | end to end | published |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    model = ""
    for case in CASES:
        plan = make_gemm(load_device(case.board), request_of(case))
        (x, y, z), rate = plan.cut.grid, plan.cost.steady_tera_ops
        size, tile = (" x ".join(map(str, v)) for v in (case.size, plan.cut.tile))
        three = " | ".join(f"{plan.cut.operations / r.interval_us / 1e6:.2f}" for r in plan.cost.rates)
        lines.append(
            f"| {case.board} | {size} | {case.dtype.value} to {case.out.value} | {plan.cut.cores} "
            f"| {x} x {z} of {y} | {tile} | {rate:.2f} | {rate / peak_tera_ops(plan):.0%} | {three} | {case.note} |"
        )
        model = plan.cost.produced_by
    return [*lines, "", f"By {model}."]


# MaxEVA's public configurations: X x Y x Z cores that multiply tiles of these sizes, their sums added by other cores.
ADDER_TREES = ((13, 4, 6), (10, 3, 10))
ADDER_TILES = {DataType.INT8: (32, 128, 32), DataType.FLOAT32: (32, 32, 32)}


def adder_trees() -> list[str]:
    """Return what the same model gives a published design whose cores pass nothing over cascades."""
    device, lines = load_device("vck190"), []
    for dtype, tile in ADDER_TILES.items():
        fits = [m for m in modes(device, dtype) if not any(t % s for t, s in zip(tile, m.shape, strict=True))]
        cycles = min(pass_cycles(device, tile, m, dtype, cascade=False) for m in fits)
        for x, y, z in ADDER_TREES:
            rate = 2 * math.prod(tile) * x * y * z / cycles * device.clocks.aie_mhz / 1e6
            lines.append(
                f"adder trees, {dtype.value}, {x} x {y} x {z} cores: {cycles} cycles, {rate:.2f} Top/s"
            )
    return lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """Seconds for a design of so many cores."""

    cores: int
    plan: float
    place: float
    emit: float


def planning() -> list[Timed]:
    """Time whole plans, placement alone, and printing, for growing numbers of cores; the faster of two runs."""
    found = []
    for x, y, z in SCALING:
        runs = [_timed(x, y, z) for _ in range(2)]
        found.append(min(runs, key=lambda r: r.plan + r.emit))
    return found


def _timed(x: int, y: int, z: int) -> Timed:
    device = load_device("vck190")
    request = Request(
        m=32 * x,
        k=128 * y,
        n=32 * z,
        dtype=DataType.INT8,
        out=DataType.INT32,
        tile=(32, 128, 32),
        grid=(x, y, z),
    )
    began = time.perf_counter()
    plan = make_gemm(device, request)
    planned = time.perf_counter()
    render_gemm(whole(plan))
    printed = time.perf_counter()
    _, cut, bits = candidates(device, request)[0]
    placing = time.perf_counter()
    stream_columns(device, cut, next(layouts(device, cut)), bits)
    placed = time.perf_counter() - placing
    return Timed(cores=plan.cut.cores, plan=planned - began, place=placed, emit=printed - planned)


def exponent(rows: list[Timed]) -> float:
    """Return how planning and printing grow with n log n: the exponent of a fit in logarithms, 1 for n log n itself."""
    xs = [math.log(r.cores * math.log(r.cores)) for r in rows]
    ys = [math.log(r.plan + r.emit) for r in rows]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / sum(
        (x - mean_x) ** 2 for x in xs
    )


def plot(rows: list[Timed], path: Path) -> None:
    """Draw seconds over cores beside n log n through the last point."""
    import matplotlib  # noqa: PLC0415 - only for the picture

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    cores = [r.cores for r in rows]
    seconds = [r.plan + r.emit for r in rows]
    scale = seconds[-1] / (cores[-1] * math.log(cores[-1]))
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.loglog(cores, seconds, "o-", color="#0072B2", label="plan and print")
    axes.loglog(cores, [r.place for r in rows], "s-", color="#009E73", label="place (cores and streams)")
    axes.loglog(cores, [scale * c * math.log(c) for c in cores], "--", color="#999999", label="n log n")
    axes.set_xlabel("cores")
    axes.set_ylabel("seconds")
    axes.legend()
    figure.savefig(path, dpi=110, metadata={"Software": None})


def main() -> None:
    """Print the tables; draw the plot when asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--plot", type=Path, help="where to draw the planning times")
    options = parser.parse_args()
    print("\n".join([*throughput(), "", *adder_trees()]))
    rows = planning()
    print("\ncores  plan s  of which placement s  print s")
    for r in rows:
        print(f"{r.cores:>5} {r.plan:>7.2f} {r.place:>21.3f} {r.emit:>8.2f}")
    print(f"grows with (n log n)^{exponent(rows):.2f}")
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
