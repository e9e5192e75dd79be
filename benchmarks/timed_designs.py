"""Generated designs in a timed run beside the plan, kernel by kernel: a table of docs/evidence/timed.md.

    python -m benchmarks.timed_designs [PROJECT ...] [--target BOARD ...] [--write]

Each project's array alone runs three images in the emulator with times (`aieloom emulate --timed`). Projects that a board has
no room for are left out; docs/evidence/timed.md's table of systems says why.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from aieloom.emit.files import write_tree
from aieloom.emit.names import SIMULATED_IMAGES
from aieloom.emit.project import render
from aieloom.emulator.program import emulate
from aieloom.emulator.timed.result import Cycles
from aieloom.errors import AieloomError
from aieloom.flow.opening import open_project
from aieloom.plan.types import ArrayPart
from aieloom.vitis.simdata import streams, write_inputs
from tools.page import write_between

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "evidence" / "timed.md"
PROJECTS = (
    "xor", "iris", "jet", "mnist", "mnist_float", "mnist_int8", "mnist_wide", "mnist-tutorial", "autoencoder", "resnet8",
    "espcn", "espcn-fast", "espcn-int8", "espcn-int8-pow2", "espcn-720p",
)  # fmt: skip
TARGETS = ("vck190", "vek280")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A layer's kernel, in cycles a call."""

    layer: str
    cores: int
    planned: float  # by schedules of the kernel's code, without a compiler
    timed: float
    least: float
    most: float

    @property
    def off(self) -> float:
        """What the timed run says, over the plan."""
        return self.timed / self.planned


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A project's array: its kernels, and cycles from image to image."""

    name: str
    target: str
    cores: int
    rows: tuple[Row, ...]
    planned: float
    timed: float
    seconds: float  # of the run itself


def measure(name: str, target: str, folder: Path) -> Design:
    """Generate a project for a board, run its array with times, and set both models side by side.

    Raises:
        AieloomError: the board has no room for it.
        RuntimeError: the run failed.
    """
    project = open_project(ROOT / "projects" / name, target=target)
    plan = project.array
    write_tree(folder, render(plan, project.parameters), owned=())
    shape = (SIMULATED_IMAGES, *plan.x.shape)
    x = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    write_inputs(folder, streams(plan, project.parameters, x))
    began = time.monotonic()
    done = emulate(
        folder / "src" / "aie" / "graph.cpp",
        arch=plan.device.architecture.value,
        data=folder,
        folder=folder / "build",
        out=folder / "out",
        timed=True,
    )
    if done.code or done.cycles is None:
        raise RuntimeError(done.stderr[:500])
    seconds = time.monotonic() - began
    return Design(
        name=name,
        target=project.target,
        cores=plan.cores,
        rows=tuple(_rows(plan, done.cycles)),
        planned=max(s.interval_us for s in plan.cost.stages if s.kind == "aie") * plan.device.clocks.aie_mhz,
        timed=_interval(done.cycles),
        seconds=seconds,
    )


def _rows(plan: ArrayPart, cycles: Cycles) -> Iterator[Row]:
    """Yield each layer with the slowest kernel of its class; those of a chain's links are one layer's.

    A call has the locks of its buffers in it, as the plan's has.
    """
    busy = {c.name: c.busy for c in cycles.times.cores}
    for layer in plan.aie:
        names = {f"{layer.draft.class_name}Kernel"}
        names |= {f"{link}Of{layer.draft.class_name}" for link in ("First", "Middle", "Last")}
        own = [k for k in cycles.kernels if k.function.rpartition("::")[0] in names]
        slow = max(own, key=lambda k: k.cycles, default=None)
        if slow:
            yield Row(
                layer=layer.name,
                cores=len(own),
                planned=layer.draft.kernel_cycles,
                timed=busy[slow.name] / slow.calls,
                least=busy[slow.name] / slow.calls - slow.cycles + slow.least,
                most=busy[slow.name] / slow.calls - slow.cycles + slow.most,
            )


def _interval(cycles: Cycles) -> float:
    """Return the cycles from the last but one image to the last, of the core that ends last."""
    times = cycles.times
    late = max(times.cores, key=lambda c: c.last)
    ends = [s.end for s in times.slices if s.core == late.name and s.what.startswith("call ")]
    an_image = len(ends) // SIMULATED_IMAGES
    return ends[-1] - ends[-1 - an_image]


KERNELS = """| project, board | cores | layer | plan, cycles a call | timed | timed / plan | range |
|---|--:|---|--:|--:|--:|--:|"""
WHOLE = """| project, board | cores | plan, cycles from image to image | timed | timed / plan | seconds of build and run |
|---|--:|--:|--:|--:|--:|"""


def page(designs: Sequence[Design]) -> str:
    """Return the part of docs/evidence/timed.md that this script writes."""
    return "\n".join(
        [KERNELS, *map(_kernels, designs), "", WHOLE, *map(_whole, designs), "", _summary(designs)]
    )


def _kernels(d: Design) -> str:
    return "\n".join(
        f"| {d.name}, {d.target} | {r.cores} | {r.layer} | {r.planned:,.0f} "
        f"| {r.timed:,.0f} | {r.off:.2f} | {r.least:,.0f}-{r.most:,.0f} |"
        for r in d.rows
    )


def _whole(d: Design) -> str:
    return (
        f"| {d.name}, {d.target} | {d.cores} | {d.planned:,.0f} | {d.timed:,.0f} | {d.timed / d.planned:.2f} "
        f"| {d.seconds:.0f} |"
    )


def _summary(designs: Sequence[Design]) -> str:
    kernels = sorted(max(r.off, 1 / r.off) for d in designs for r in d.rows)
    wholes = sorted(max(d.timed / d.planned, d.planned / d.timed) for d in designs)
    if not kernels:
        return "none ran"
    return (
        f"{len(kernels)} kernels: median factor {statistics.median(kernels):.2f}, worst {kernels[-1]:.2f}; "
        f"{sum(k <= 1.05 for k in kernels)} within 5 %. "
        f"{len(wholes)} designs: median {statistics.median(wholes):.2f}, "
        f"worst {wholes[-1]:.2f}; {sum(w <= 1.1 for w in wholes)} within 10 %."
    )


def main() -> int:
    """Run the projects and print or write the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("projects", nargs="*", default=PROJECTS)
    parser.add_argument("--target", nargs="*", default=TARGETS)
    parser.add_argument("--write", action="store_true", help="write the tables into docs/evidence/timed.md")
    options = parser.parse_args()
    designs = []
    for name, target in product(options.projects, options.target):
        try:
            with tempfile.TemporaryDirectory() as folder:
                designs.append(measure(name, target, Path(folder)))
            print(page(designs[-1:]), file=sys.stderr, flush=True)
        except (AieloomError, RuntimeError) as e:
            print(f"{name} {target}: {str(e)[:600]}", file=sys.stderr)
    print(page(designs))
    if options.write:
        write_between(PAGE, "designs", page(designs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
