"""The plan's figures beside what the vendor's tools say of a design, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from aieloom.flow.designs import design_of
from aieloom.flow.project import Project
from aieloom.paths import json_object
from aieloom.pl.kernel import PlKernel
from aieloom.pl.movers import MoverPlan
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.report.summary import performance
from aieloom.units.types import logic_use
from aieloom.vitis import reports
from aieloom.vitis.design import VitisDesign
from aieloom.vitis.loops import CoreLoop, loops_of_core, loops_of_kernel, spills_of_core

WORK = "vitis/aiecom/Work"
LOGIC = ("lut", "ff", "bram36", "uram288", "dsp")
Row = tuple[str, str, float | None, float | None]  # what, its unit, the plan's figure, the tool's


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A figure of the plan beside a tool's; None where one of both has none."""

    project: str
    what: str
    unit: str
    plan: float | None
    tool: float | None
    source: str  # of the tool's

    @property
    def ratio(self) -> float | None:
        """The tool's figure over the plan's."""
        return self.tool / self.plan if self.tool is not None and self.plan else None

    @property
    def text(self) -> str:
        """The line for people."""
        plan, tool = (f"{v:,.6g}" if v is not None else "none" for v in (self.plan, self.tool))
        ratio = f"{self.ratio:8.2f} x" if self.ratio is not None else " " * 10
        return f"{self.project:<9} {self.what:<52} {plan:>12} {tool:>12} {ratio}  {self.unit}, {self.source}"


@dataclass(frozen=True, kw_only=True)
class Planned:
    """What a design's plan says: of its parts on the array, of each PL kernel, of the logic in all."""

    name: str
    arrays: tuple[ArrayPart, ...]
    kernels: Mapping[str, Mapping[str, float]]
    logic: Mapping[str, float]


def lines_of(project: Project, design: VitisDesign) -> Iterator[Line]:
    """Yield the lines of a project."""
    made = design_of(project)
    pl = made.resources()["pl"]
    planned = Planned(
        name=project.name,
        arrays=made.arrays,
        kernels={k.name: _figures(k) for part in made.arrays for k in part.units},
        logic={kind: cast(float, pl.get(kind, 0)) for kind in LOGIC},
    )
    yield from _lines(planned, design, project.build)
    if project.on_array:
        rows = _simulated(project.array, project.build / "report" / "aie.json")
        yield from _told(project.name, "aiesimulator", rows)


def product_lines(
    array: ArrayPart, movers: Sequence[MoverPlan], design: VitisDesign, build: Path
) -> Iterator[Line]:
    """Yield the lines of one product."""
    figures = {m.name: _figures(m) for m in movers}
    use = logic_use(movers)
    logic = {kind: getattr(use, kind) for kind in LOGIC}
    yield from _lines(
        Planned(name=design.project, arrays=(array,), kernels=figures, logic=logic), design, build
    )


def _figures(kernel: PlKernel | MoverPlan) -> dict[str, float]:
    return {kind: getattr(kernel, kind) for kind in (*LOGIC, "cycles") if hasattr(kernel, kind)}


def _told(project: str, source: str, rows: Iterable[Row]) -> Iterator[Line]:
    """Yield the lines of what one tool tells of a project."""
    for what, unit, plan, tool in rows:
        yield Line(project=project, what=what, unit=unit, plan=plan, tool=tool, source=source)


def _lines(planned: Planned, design: VitisDesign, build: Path) -> Iterator[Line]:
    if planned.arrays:
        yield from _told(planned.name, "AIE compiler", _array(planned, build / WORK))
        for plan in planned.arrays:
            for layer in plan.aie:
                yield from _core(planned.name, layer, build / WORK)
    yield from _kernels(planned, design, build / "vitis")
    yield from _linked(planned, design, build / "vitis" / "hw" / "link")


def _array(planned: Planned, work: Path) -> Iterator[Row]:
    found = reports.array_figures(work)
    layers = [la.draft for plan in planned.arrays for la in plan.aie]
    program = max((d.program_bytes for d in layers), default=None)
    stack = max((d.stack_bytes for d in layers), default=None)
    yield "cores", "cores", sum(p.cores for p in planned.arrays), found.get("aie_cores")
    yield "largest program (the plan: an estimate)", "bytes", program, found.get("largest_program_bytes")
    yield "largest stack (the plan: room for it)", "bytes", stack, found.get("largest_stack_bytes")


def _core(name: str, layer: AieLayerPlan, work: Path) -> Iterator[Line]:
    """Yield what the compiler tells of the loops of a layer's kernel, by the first of its cores that it tells of."""
    tiles = [kernel.tile for kernel in layer.kernels]
    tile = next((t for t in tiles if loops_of_core(work, t)), tiles[0])
    loops = loops_of_core(work, tile)
    inner = max((loop for loop in loops if loop.folded), key=lambda loop: loop.resources or 0, default=None)
    trip = layer.draft.trip_cycles or None
    longest = f"{layer.name}: a trip of the longest pipelined loop"
    rows: list[Row] = [(longest, "cycles, by loads and MACs", trip, inner.cycles if inner else None)]
    # Of single loops the plan says nothing: it says the call's.
    rows += [(f"{layer.name}: {_described(loop)}", "cycles of a trip", None, loop.cycles) for loop in loops]
    yield from _told(name, "AIE compiler", rows)
    moved = f"{layer.name}: registers to the stack and back"
    yield from _told(name, "microcode", [(moved, "instructions", 0, spills_of_core(work, tile))])


def _described(loop: CoreLoop) -> str:
    folded = f"folded {loop.folded} x" if loop.folded else "not folded"
    return f"{loop.at} {folded}, {loop.resources} by resources, {loop.dependences} by dependences"


def _simulated(plan: ArrayPart, file: Path) -> Iterator[Row]:
    told = json_object(file).get("performance", {})
    modelled = performance(plan)["rates"]["array"]["images_per_s"]
    yield "the array alone", "images/s", modelled, told.get("throughput_fps")
    places = {k.tile: la for la in plan.all_aie for k in la.kernels}
    cycles: dict[str, list[float]] = {}
    for core in (told.get("profile") or {}).get("cores", ()):
        layer = places.get((core["tile"][0], core["tile"][1]))
        if layer and core["cycles_per_call"]:
            cycles.setdefault(layer.name, []).append(core["cycles_per_call"])
    for layer in plan.aie:
        slowest = max(cycles.get(layer.name, ()), default=None)
        yield f"{layer.name}: cycles of a call", "cycles", layer.draft.kernel_cycles, slowest


def _kernels(planned: Planned, design: VitisDesign, folder: Path) -> Iterator[Line]:
    for kernel in design.kernels:
        found = reports.synthesis_figures(folder, kernel.name)
        mine = planned.kernels.get(kernel.name, {})
        figures: tuple[tuple[str, str, float | None, str], ...] = (
            ("clock (the tool: its estimate)", "MHz", kernel.hz / 1e6, "clock_mhz"),
            ("cycles of an image", "cycles", mine.get("cycles"), "interval_cycles"),
            *((kind, kind, mine.get(kind), kind) for kind in LOGIC),
        )
        rows = ((f"{kernel.name}: {what}", unit, plan, found.get(key)) for what, unit, plan, key in figures)
        yield from _told(planned.name, "csynth", rows)
        loops = loops_of_kernel(folder, kernel.name)
        asked = "cycles; plan: what was asked for"
        of_loops = (
            (f"{kernel.name}: II of {x.name}, {x.depth} deep", asked, x.asked, x.found) for x in loops
        )
        yield from _told(planned.name, "HLS", of_loops)


def _linked(planned: Planned, design: VitisDesign, folder: Path) -> Iterator[Line]:
    figures = reports.build_figures(folder)
    timing, used = figures.get("timing", {}), figures.get("pl", {})
    asked = {k.hz / 1e6 for k in design.kernels}
    clocks = reports.clocks_given(asked, timing.get("clocks_mhz", {}))
    given = {c["asked_mhz"]: c["given_mhz"] for c in clocks}
    rows: list[Row] = [("worst slack", "ns; plan: none below 0", 0, timing.get("wns_ns"))]
    rows += [(f"clock of kernels of {mhz:g} MHz", "MHz", mhz, given.get(mhz)) for mhz in sorted(asked)]
    yield from _told(planned.name, "timing", rows)
    use = (
        (f"all PL kernels: {kind}", kind, planned.logic.get(kind), used.get(kind, {}).get("used"))
        for kind in LOGIC
    )
    yield from _told(planned.name, "utilisation", use)
