"""A project's whole system in a timed run: host program, PL kernels and array, end to end (`doit emulate mode=timed`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aieloom import messages
from aieloom.emit.files import write_text
from aieloom.emulator.build import Design
from aieloom.emulator.libraries import Program
from aieloom.emulator.program import XCLBIN, build, cycles_of, run
from aieloom.emulator.timed.board import facts_of
from aieloom.emulator.timed.page import page
from aieloom.emulator.timed.result import Cycles
from aieloom.emulator.timed.text import as_text
from aieloom.emulator.timed.trace import trace
from aieloom.errors import RunFailed
from aieloom.flow.emulated import EmulatedDesign
from aieloom.flow.emulation import emulated_design
from aieloom.flow.logic_system import link_beside
from aieloom.flow.project import Project
from aieloom.flow.results import Task, alone
from aieloom.flow.samples import load_samples
from aieloom.network.tensor import TensorType
from aieloom.plan.types import Plan
from aieloom.spec.device import Device

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


def run_timed(
    design: Design, x: Values, y: TensorType, *, board: Device, build_folder: Path, beside: Sequence[str] = ()
) -> TimedRun:
    """Build generated sources with times and run them on `x` `(n, channels, height, width)`.

    Args:
        design: the sources, with a host program.
        x: images.
        y: an image's results.
        board: whose figures of memory and host program count.
        build_folder: the project's, below which the program is built.
        beside: files there that the host program reads beside its xclbin.

    Raises:
        ToolError: clang 14 is missing, or refuses a source.
        RunFailed: the program ended with an error.
    """
    folder = build_folder / FOLDER
    assert design.graph is not None
    program = Program(
        graph=design.graph,
        architecture=board.architecture,
        includes=design.includes,
        pl=design.pl,
        host=design.host,
        config=design.config,
        timed=True,
    )
    target = build(program, folder)
    link_beside(build_folder, beside, folder)
    given, made, table = folder / "input.bin", folder / "output.bin", folder / "blocks.txt"
    given.write_bytes(np.ascontiguousarray(x, "<f4").data)
    done = run(
        target,
        data=folder,
        out=folder / "out",
        arguments=(str(folder / XCLBIN), str(given), "--output", str(made)),
        timed=table,
        board=facts_of(board),
    )
    if done.code or not table.is_file():
        raise RunFailed(done.stderr.strip() or f"the timed run ended with exit code {done.code}")
    results = np.fromfile(made, "<f4").reshape(len(x), *y.shape)
    return TimedRun(y=results, cycles=cycles_of(table, target), output=done.stdout)


def run_project(project: Project, x: Values) -> TimedRun:
    """Run a project whose layers have cores of their own, as `run_timed` does."""
    device = project.plan.device
    return run_timed(emulated_design(project), x, project.plan.y, board=device, build_folder=project.build)


def run_in_turn(design: EmulatedDesign, x: Values) -> TimedRun:
    """Run a design whose layers follow one another on an engine of the array, as `run_timed` does."""
    assert design.device is not None
    return run_timed(
        design.emulated.design,
        x,
        design.project.plan.y,
        board=design.device,
        build_folder=design.project.build,
        beside=design.beside,
    )


def _show(build_folder: Path, name: str, done: TimedRun) -> None:
    """Print what a run took, leave the page and the trace in report/."""
    title = f"{name}: the whole system, {len(done.y)} images"
    for file, text in zip(FILES, (page(done.cycles, title), trace(done.cycles.times)), strict=True):
        write_text(build_folder / "report" / file, text)
    messages.console().print(as_text(done.cycles), markup=False)


def show_timed(project: Project) -> None:
    """Run IMAGES samples at most with times; print what it took beside the plan.

    Raises:
        ToolError: clang 14 is missing, or refuses a source.
        RunFailed: the program ended with an error.
    """
    done = run_project(project, load_samples(project).x[:IMAGES])
    _show(project.build, project.name, done)
    messages.console().print(per_image(project.plan, done.cycles, len(done.y)), markup=False)


def show_in_turn(design: EmulatedDesign) -> None:
    """Run as many images as the engine takes at a time, samples over again where those are fewer, as `show_timed` does.

    Raises:
        ToolError: clang 14 is missing, or refuses a source.
        RunFailed: the program ended with an error.
    """
    samples = load_samples(design.project).x
    count = max(design.together, min(IMAGES, len(samples)))
    done = run_in_turn(design, samples[np.arange(count) % len(samples)])
    _show(design.project.build, design.project.name, done)


def timed_task(folder: Path, show: Callable[[], None]) -> Task:
    """Return doit's task that runs the whole system of the project built in `folder` in the emulator, with times."""
    return {
        "basename": "emulate",
        "actions": [alone(folder, show)],
        "doc": "run the whole system in the emulator with times (needs clang 14)",
        "task_dep": ["plan", "gen"],
        "uptodate": [False],
    }


def per_image(plan: Plan, cycles: Cycles, images: int) -> str:
    """Say how long an image takes at the outputs of the logic, beside the plan."""
    interval = interval_us(cycles, images, plan)
    return f"an image every {interval:,.2f} us at the outputs (the plan: {1e6 / plan.cost.throughput_fps:,.2f} us)"


def interval_us(cycles: Cycles, images: int, plan: Plan) -> float:
    """Return microseconds from image to image: of the unit or core that ends last, its own calls apart.

    Copies of the design take turns at the images, and at the tiles of one that is cut.
    """
    times, turns = cycles.times, -(-images * plan.tiles // plan.copies)
    ends: dict[str, list[int]] = {}
    for s in times.slices:
        if s.what.startswith("call "):
            ends.setdefault(s.core, []).append(s.end)
    repeated = {name: at for name, at in ends.items() if len(at) >= turns and len(at) % turns == 0}
    if turns < 2 or not repeated:
        return times.end / times.mhz
    at = max(repeated.values(), key=lambda found: found[-1])
    a_turn = len(at) // turns
    return (at[-1] - at[-1 - a_turn]) / times.mhz / plan.copies * plan.tiles
