"""A project's whole system in a timed run: host program, PL kernels and array, end to end (`doit emulate mode=timed`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aieloom import messages
from aieloom.arrays import Floats
from aieloom.emit.files import write_text
from aieloom.emulator.libraries import Program
from aieloom.emulator.program import XCLBIN, build, cycles_of, run
from aieloom.emulator.timed.board import facts_of
from aieloom.emulator.timed.page import page
from aieloom.emulator.timed.result import Cycles
from aieloom.emulator.timed.text import as_text
from aieloom.emulator.timed.trace import trace
from aieloom.errors import RunFailed
from aieloom.flow.designs import Design
from aieloom.flow.emulated_system import link_beside
from aieloom.flow.samples import load_samples
from aieloom.plan.types import ArrayPart

FOLDER = "emu_timed"  # below the build folder
IMAGES = 8  # what such a run takes
FILES = ("system.html", "system-trace.json")  # below report/


@dataclass(frozen=True, kw_only=True)
class TimedRun:
    """Results `(n, channels, height, width)` of a timed run, its cycles, and what the host program said."""

    y: Floats
    cycles: Cycles
    output: str


def run_timed(design: Design, x: Floats) -> TimedRun:
    """Build a design's generated sources with times and run them on `x` `(n, channels, height, width)`.

    Raises:
        ToolError: clang 14 is missing, or refuses a source.
        RunFailed: the program ended with an error.
    """
    system = design.emulated
    board = system.sources.device
    made_of = system.design
    assert board is not None
    assert made_of.graph is not None
    folder = system.build / FOLDER
    program = Program(
        graph=made_of.graph,
        architecture=board.architecture,
        includes=made_of.includes,
        pl=made_of.pl,
        host=made_of.host,
        config=made_of.config,
        timed=True,
    )
    target = build(program, folder)
    link_beside(system.build, system.sources.beside, folder)
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
    results = np.fromfile(made, "<f4").reshape(len(x), *system.y.shape)
    return TimedRun(y=results, cycles=cycles_of(table, target), output=done.stdout)


def show_timed(design: Design) -> TimedRun:
    """Run IMAGES samples at most with times, or as many as an engine takes at a time; print what it took, beside the plan.

    Raises:
        ToolError: clang 14 is missing, or refuses a source.
        RunFailed: the program ended with an error.
    """
    project = design.project
    samples = load_samples(project).x
    count = max(design.sources.together, min(IMAGES, len(samples)))
    done = run_timed(design, samples[np.arange(count) % len(samples)])
    title = f"{project.name}: the whole system, {len(done.y)} images"
    keep_times(done.cycles, title, [project.build / "report" / file for file in FILES])
    if project.on_array:
        messages.say(per_image(project.array, done.cycles, len(done.y)))
    return done


def keep_times(cycles: Cycles, title: str, files: Sequence[Path]) -> None:
    """Write the page and the trace of a timed run to `files`, and print what it took."""
    for file, text in zip(files, (page(cycles, title), trace(cycles.times)), strict=True):
        write_text(file, text)
    messages.say(as_text(cycles))


def per_image(plan: ArrayPart, cycles: Cycles, images: int) -> str:
    """Say how long an image takes at the outputs of the logic, beside the plan."""
    interval = interval_us(cycles, images, plan)
    return f"an image every {interval:,.2f} us at the outputs (the plan: {1e6 / plan.cost.throughput_fps:,.2f} us)"


def interval_us(cycles: Cycles, images: int, plan: ArrayPart) -> float:
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
