"""A project's whole system in a timed run: host program, PL kernels and array, end to end (`doit emulate mode=timed`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aieloom import messages
from aieloom.emit.files import write_text
from aieloom.emulator.libraries import Program
from aieloom.emulator.program import XCLBIN, build, cycles_of, run
from aieloom.emulator.timed.board import facts_of
from aieloom.emulator.timed.page import page
from aieloom.emulator.timed.result import Cycles
from aieloom.emulator.timed.text import as_text
from aieloom.emulator.timed.trace import trace
from aieloom.errors import RunFailed
from aieloom.flow.emulation import emulated_design
from aieloom.flow.project import Project
from aieloom.plan.types import Plan

Values = NDArray[np.float32]
FOLDER = "emu_timed"  # below the build folder
IMAGES = 8  # what such a run takes
FILES = ("system.html", "system-trace.json")  # below report/


@dataclass(frozen=True, kw_only=True)
class TimedRun:
    """Results `(n, channels, height, width)` of a timed run, its cycles, and what the host program said."""

    y: Values
    cycles: Cycles
    output: str


def run_timed(project: Project, x: Values) -> TimedRun:
    """Build the generated sources with times and run them on `x` `(n, channels, height, width)`.

    Raises:
        ToolError: clang 14 is missing, or refuses a source.
        RunFailed: the program ended with an error.
    """
    design, folder = emulated_design(project), project.build / FOLDER
    assert design.graph is not None
    program = Program(
        graph=design.graph,
        architecture=project.plan.device.architecture,
        includes=design.includes,
        pl=design.pl,
        host=design.host,
        config=design.config,
        timed=True,
    )
    target = build(program, folder)
    given, made, table = folder / "input.bin", folder / "output.bin", folder / "blocks.txt"
    given.write_bytes(np.ascontiguousarray(x, "<f4").data)
    done = run(
        target,
        data=folder,
        out=folder / "out",
        arguments=(str(folder / XCLBIN), str(given), "--output", str(made)),
        timed=table,
        board=facts_of(project.plan.device),
    )
    if done.code or not table.is_file():
        raise RunFailed(done.stderr.strip() or f"the timed run ended with exit code {done.code}")
    y = np.fromfile(made, "<f4").reshape(len(x), *project.plan.y.shape)
    return TimedRun(y=y, cycles=cycles_of(table, target), output=done.stdout)


def show_timed(project: Project, x: Values) -> None:
    """Run up to IMAGES of `x` with times; print what it took, leave the page and the trace in report/.

    Raises:
        ToolError: clang 14 is missing, or refuses a source.
        RunFailed: the program ended with an error.
    """
    done = run_timed(project, x[:IMAGES])
    title = f"{project.name}: the whole system, {min(IMAGES, len(x))} images"
    for name, text in zip(FILES, (page(done.cycles, title), trace(done.cycles.times)), strict=True):
        write_text(project.build / "report" / name, text)
    messages.console().print(as_text(done.cycles), markup=False)
    messages.console().print(per_image(project.plan, done.cycles, min(IMAGES, len(x))), markup=False)


def per_image(plan: Plan, cycles: Cycles, images: int) -> str:
    """Say how long an image takes at the outputs of the logic, beside the plan."""
    interval = interval_us(cycles, images, plan.copies)
    return f"an image every {interval:,.2f} us at the outputs (the plan: {1e6 / plan.cost.throughput_fps:,.2f} us)"


def interval_us(cycles: Cycles, images: int, copies: int) -> float:
    """Return microseconds from image to image: of the unit or core that ends last, its own calls apart.

    `copies` of the design take turns: each has its share of the images.
    """
    times = cycles.times
    if images % copies == 0:
        images //= copies
    ends: dict[str, list[int]] = {}
    for s in times.slices:
        if s.what.startswith("call "):
            ends.setdefault(s.core, []).append(s.end)
    repeated = {name: at for name, at in ends.items() if len(at) >= images and len(at) % images == 0}
    if images < 2 or not repeated:
        return times.end / times.mhz
    at = max(repeated.values(), key=lambda found: found[-1])
    an_image = len(at) // images
    return (at[-1] - at[-1 - an_image]) / times.mhz / copies
