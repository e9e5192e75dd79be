"""The plan's figures beside what the vendor's tools say of a design, line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from aieloom.flow.designs import design_of
from aieloom.flow.project import Project
from aieloom.pl.kernel import PlKernel
from aieloom.pl.movers import MoverPlan
from aieloom.pl.use import logic_use
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.report.summary import performance
from aieloom.vitis import reports
from aieloom.vitis.design import VitisDesign
from aieloom.vitis.loops import CoreLoop, loops_of_core, loops_of_kernel, spills_of_core

WORK = "vitis/aiecom/Work"
LOGIC = ("lut", "ff", "bram36", "uram288", "dsp")


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
    bodies = (unit.body for unit in project.plan.units)
    pl = made.resources()["pl"]
    planned = Planned(
        name=project.name,
        arrays=made.arrays,
        kernels={k.name: _figures(k) for k in bodies if isinstance(k, PlKernel | MoverPlan)},
        logic={kind: cast(float, pl.get(kind, 0)) for kind in LOGIC},
    )
    yield from _lines(planned, design, project.build)
    if project.on_array:
        yield from _simulated(project.array, project.name, project.build / "report" / "aie.json")


def product_lines(
    array: ArrayPart, movers: Sequence[MoverPlan], design: VitisDesign, build: Path
) -> Iterator[Line]:
    """Yield the lines of one product."""
    figures = {m.name: _figures(m) for m in movers}
    use = logic_use((), movers, 1)
    logic = {kind: getattr(use, kind) for kind in LOGIC}
    yield from _lines(
        Planned(name=design.project, arrays=(array,), kernels=figures, logic=logic), design, build
    )


def _figures(kernel: PlKernel | MoverPlan) -> dict[str, float]:
    return {kind: getattr(kernel, kind) for kind in (*LOGIC, "cycles") if hasattr(kernel, kind)}


def _lines(planned: Planned, design: VitisDesign, build: Path) -> Iterator[Line]:
    if planned.arrays:
        yield from _array(planned, build / WORK)
        for plan in planned.arrays:
            for layer in plan.aie:
                yield from _core(planned.name, layer, build / WORK)
    yield from _kernels(planned, design, build / "vitis")
    yield from _linked(planned, design, build / "vitis" / "hw" / "link")


def _array(planned: Planned, work: Path) -> Iterator[Line]:
    found = reports.array_figures(work)
    layers = [la.draft for plan in planned.arrays for la in plan.aie]
    for what, unit, mine, key in (
        ("cores", "cores", sum(p.cores for p in planned.arrays), "aie_cores"),
        (
            "largest program (the plan: an estimate)",
            "bytes",
            max((d.program_bytes for d in layers), default=None),
            "largest_program_bytes",
        ),
        (
            "largest stack (the plan: room for it)",
            "bytes",
            max((d.stack_bytes for d in layers), default=None),
            "largest_stack_bytes",
        ),
    ):
        yield Line(
            project=planned.name, what=what, unit=unit, plan=mine, tool=found.get(key), source="AIE compiler"
        )


def _core(name: str, layer: AieLayerPlan, work: Path) -> Iterator[Line]:
    """Yield what the compiler tells of the loops of a layer's kernel, by the first of its cores that it tells of."""
    tiles = [kernel.tile for kernel in layer.kernels]
    tile = next((t for t in tiles if loops_of_core(work, t)), tiles[0])
    loops = loops_of_core(work, tile)
    source = "AIE compiler"
    inner = max((loop for loop in loops if loop.folded), key=lambda loop: loop.resources or 0, default=None)
    yield Line(
        project=name,
        what=f"{layer.name}: a trip of the longest pipelined loop",
        unit="cycles, by loads and MACs",
        plan=layer.draft.trip_cycles or None,
        tool=inner.cycles if inner else None,
        source=source,
    )
    for loop in loops:
        yield Line(
            project=name,
            what=f"{layer.name}: {_described(loop)}",
            unit="cycles of a trip",
            plan=None,  # it says the call's
            tool=loop.cycles,
            source=source,
        )
    yield Line(
        project=name,
        what=f"{layer.name}: registers to the stack and back",
        unit="instructions",
        plan=0,
        tool=spills_of_core(work, tile),
        source="microcode",
    )


def _described(loop: CoreLoop) -> str:
    folded = f"folded {loop.folded} x" if loop.folded else "not folded"
    return f"{loop.at} {folded}, {loop.resources} by resources, {loop.dependences} by dependences"


def _simulated(plan: ArrayPart, name: str, file: Path) -> Iterator[Line]:
    try:
        told = json.loads(file.read_text(encoding="utf-8")).get("performance", {})
    except (OSError, ValueError):
        told = {}
    modelled = performance(plan)["rates"]["array"]["images_per_s"]
    source = "aiesimulator"
    rate = told.get("throughput_fps")
    yield Line(project=name, what="the array alone", unit="images/s", plan=modelled, tool=rate, source=source)
    places = {k.tile: la for la in plan.all_aie for k in la.kernels}
    cycles: dict[str, list[float]] = {}
    for core in (told.get("profile") or {}).get("cores", ()):
        layer = places.get((core["tile"][0], core["tile"][1]))
        if layer and core["cycles_per_call"]:
            cycles.setdefault(layer.name, []).append(core["cycles_per_call"])
    for layer in plan.aie:
        seen = cycles.get(layer.name)
        yield Line(
            project=name,
            what=f"{layer.name}: cycles of a call",
            unit="cycles",
            plan=layer.draft.kernel_cycles,
            tool=max(seen) if seen else None,
            source=source,
        )


def _kernels(planned: Planned, design: VitisDesign, folder: Path) -> Iterator[Line]:
    for kernel in design.kernels:
        found = reports.synthesis_figures(folder, kernel.name)
        mine = planned.kernels.get(kernel.name, {})
        rows: Sequence[tuple[str, str, float | None, str]] = (
            ("clock (the tool: its estimate)", "MHz", kernel.hz / 1e6, "clock_mhz"),
            ("cycles of an image", "cycles", mine.get("cycles"), "interval_cycles"),
            *((kind, kind, mine.get(kind), kind) for kind in LOGIC),
        )
        for what, unit, plan, key in rows:
            yield Line(
                project=planned.name,
                what=f"{kernel.name}: {what}",
                unit=unit,
                plan=plan,
                tool=found.get(key),
                source="csynth",
            )
        for loop in loops_of_kernel(folder, kernel.name):
            yield Line(
                project=planned.name,
                what=f"{kernel.name}: II of {loop.name}, {loop.depth} deep",
                unit="cycles; plan: what was asked for",
                plan=loop.asked,
                tool=loop.found,
                source="HLS",
            )


def _linked(planned: Planned, design: VitisDesign, folder: Path) -> Iterator[Line]:
    figures = reports.build_figures(folder)
    timing, used = figures.get("timing", {}), figures.get("pl", {})
    slack = timing.get("wns_ns")
    yield Line(
        project=planned.name,
        what="worst slack",
        unit="ns; plan: none below 0",
        plan=0,
        tool=slack,
        source="timing",
    )
    asked = {k.hz / 1e6 for k in design.kernels}
    given = {
        c["asked_mhz"]: c["given_mhz"] for c in reports.clocks_given(asked, timing.get("clocks_mhz", {}))
    }
    for mhz in sorted(asked):
        what = f"clock of kernels of {mhz:g} MHz"
        yield Line(
            project=planned.name, what=what, unit="MHz", plan=mhz, tool=given.get(mhz), source="timing"
        )
    for kind in LOGIC:
        yield Line(
            project=planned.name,
            what=f"all PL kernels: {kind}",
            unit=kind,
            plan=planned.logic.get(kind),
            tool=used.get(kind, {}).get("used"),
            source="utilisation",
        )
