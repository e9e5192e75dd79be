"""What every planned project gives, however it is planned: to tasks, commands, the Python binding and the vendor's flow.

A kind of design says what differs (files, kernels, reference, figures); how it is built, run, judged and told is written once.
What prints, builds and draws takes time to import, and checking does without: it is imported where it is used.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from aieloom.arrays import Values
from aieloom.errors import SpecError
from aieloom.flow.dse_words import UNITS, Options
from aieloom.flow.project import Project
from aieloom.flow.sources import Sources
from aieloom.plan.types import ArrayPart
from aieloom.spec.board import Board
from aieloom.units import plan as units
from aieloom.units.plan import Plan
from aieloom.units.types import HOST, Task, Unit

if TYPE_CHECKING:
    from aieloom.emit.files import Files
    from aieloom.flow.emulated_system import EmulatedSystem
    from aieloom.flow.layer_alone import LayerAlone
    from aieloom.makers import Maker
    from aieloom.reference.evaluated import Evaluated
    from aieloom.reference.results import Analysis
    from aieloom.report.files import Shown
    from aieloom.report.shape import Performance, Resources
    from aieloom.search.candidates import Evaluator
    from aieloom.search.design import Design as FoundDesign
    from aieloom.search.design import Found
    from aieloom.search.goal import Goal, Tell
    from aieloom.search.suggestions import Suggestions
    from aieloom.vitis.design import VitisDesign


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What `aieloom check` says of a design: values for programs, lines for people."""

    values: Mapping[str, object]
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Design:
    """A planned project, of one kind of unit where nothing else is said; `str` is a line about it."""

    project: Project

    # What kinds of units say.

    @property
    def maker(self) -> Maker:
        """The way in which a unit computes it."""
        from aieloom.makers import maker_of  # noqa: PLC0415

        return maker_of(self.project.home)

    @property
    def how(self) -> str:
        """How the network runs on the board, for the user."""
        return self.maker.how

    @property
    def counted_by(self) -> str:
        """What says how much of the logic it takes."""
        return self.maker.model

    @property
    def against(self) -> str:
        """What the reference is, for the user."""
        return self.maker.against(self.plan)

    @property
    def sources(self) -> Sources:
        """What is generated of it, without making it."""
        from aieloom.vitis.design import CompiledKernel  # noqa: PLC0415

        kernels = (
            CompiledKernel(name=name, source=f"src/pl/{name}.cpp", hz=round(place.clock_mhz * 1e6))
            for name, place in self.plan.in_logic.items()
        )
        return Sources(names=self.maker.files(self.plan), kernels=tuple(kernels))

    def render(self) -> Files:
        """Print its files."""
        return self.maker.render(self.plan, self.project.parameters)

    def evaluated(self, x: Values) -> Iterator[Evaluated]:
        """Yield each layer of the planned network as the design computes it of `x` `(n, channels, height, width)`."""
        from aieloom.reference.evaluated import by_layers  # noqa: PLC0415

        return by_layers(self.maker.evaluated(self.plan, self.project.parameters, x), self.project.planned)

    def why(self, name: str, unit: Unit, tasks: Sequence[Task]) -> Iterator[str]:
        """Yield why a unit does these of its tasks as it does, or what the host program's time goes to; `name` is asked for."""
        if not tasks:
            yield f"{name} of {self}"
        if unit is HOST and not tasks:
            spent, ahead = units.time_by_cause(self.plan), units.ahead_us(self.plan)
            yield from (f"  {us:,.3f} us of an image: {what}" for what, us in spent.items())
            yield from [f"  {ahead:,.3f} us meanwhile: the next images are laid out"] if ahead else []
        for task in tasks:
            yield from self.maker.why(self.plan, task)

    def performance(self) -> Performance:
        """Return the modelled figures."""
        from aieloom.report.summary import energy_json  # noqa: PLC0415

        plan, unit = self.plan, self.maker
        return {
            "produced_by": unit.model,
            "kind": "modelled, not measured",
            "latency_us": round(unit.latency_us(plan), 3),
            "throughput_fps": round(1e6 / units.interval_us(plan), 2),
            "bottleneck": unit.bottleneck(plan),
            **unit.further(plan),
            **energy_json(unit.energy(plan)),
            "per_layer": unit.stages(plan),
        }

    # What all have alike.

    @property
    def plan(self) -> Plan:
        """Its units, tasks, links, buffers and turns."""
        return self.project.plan

    @property
    def board(self) -> Board:
        """What it is planned for."""
        return self.project.plan.board

    emulated_tolerance = 0.0  # the largest absolute difference of an emulated run that counts as agreement

    @property
    def tolerance(self) -> float:
        """The largest absolute difference of hardware that counts as agreement."""
        return 0.0

    def resources(self) -> Resources:
        """Return what the design takes of the device."""
        from aieloom.report.summary import resources  # noqa: PLC0415

        return resources(self.plan, self.counted_by)

    def reference(self, x: Values, /) -> Values:
        """Return what the hardware computes by definition of `(n, channels, height, width)`."""
        (last,) = deque(self.evaluated(x), maxlen=1)
        return np.asarray(last.made.meaning, np.float32)

    @property
    def arrays(self) -> tuple[ArrayPart, ...]:
        """The plans of the parts on an array."""
        return ()

    @property
    def streams(self) -> ArrayPart | None:
        """The part that is all of the design, where all of it works at the same time on successive images."""
        return None

    @property
    def shown(self) -> Shown:
        """What its page is about."""
        from aieloom.report.files import Shown  # noqa: PLC0415

        return Shown(plan=self.plan, how=self.how, arrays=self.arrays, streams=self.streams)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the plan says of itself, in summary.json."""
        return self.plan.remarks

    def checked(self) -> Checked:
        """Return what it is, and how much of the logic it takes, each with its limit; what does not fit was refused."""
        project, performance, logic = self.project, self.performance(), self.board.logic
        use = units.resources(self.plan)
        kinds = {"DSP slices": "dsp", "LUTs": "lut", "block RAMs": "bram36", "UltraRAM blocks": "uram288"}
        used = {what: (getattr(use, kind), getattr(logic, kind)) for what, kind in kinds.items()}
        lines = (
            f"{project.name} on {project.target}: {project.given} to {project.plan.y}, {self.how}",
            f"  throughput {performance['throughput_fps']:,.1f} images/s end to end (modelled)",
            *(f"  {line}" for line in self.remarks),
            *(f"  {what}: {n:,} of {limit:,}" for what, (n, limit) in used.items() if limit),
        )
        resources = {what: n for what, (n, limit) in used.items() if limit}
        return Checked(values={"performance": performance, "resources": resources}, lines=lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """What is said of the plan when it is made."""
        return self.remarks

    # What a search asks: whose words of `doit dse` it takes, the types of elements that it can have, and who proposes designs.

    words = UNITS

    @property
    def types(self) -> tuple[str, ...]:
        """The types of elements that are tried where they are asked for."""
        return self.maker.types

    def searched(
        self, goal: Goal, _options: Options, _workers: int | Evaluator, tell: Tell
    ) -> Found[FoundDesign]:
        """Search for other designs of the project's network."""
        from aieloom.search.made import search_made  # noqa: PLC0415

        return search_made(self.maker, self.project.planned, self.plan, goal, tell)

    def suggestions(self, name: str, _unit: Unit, _tasks: Sequence[Task]) -> Suggestions:
        """Return what is near the settings of the unit that computes it and is better; a layer's `name` is asked for."""
        from aieloom.search.near_settings import suggest_settings  # noqa: PLC0415

        return suggest_settings(self.maker, self.project.planned, self.plan, name)

    def analysis(self, _x: Values) -> Analysis | None:
        """Return the results of samples with what rounding can make of them, where more is said than the results."""
        return None

    def alone(self, layer: str) -> LayerAlone:
        """Return a layer's own system.

        Raises:
            SpecError: there is no such layer, or layers have no systems of their own, as those of a circuit.
        """
        text = f"{self.project.name} has no systems of single layers: it runs {self.how}, not '{layer}' by itself"
        remedy = "emulate the whole network, or its layers with execution: sequential"
        raise SpecError(
            self.project.network.spec.source.problem("sequential-3", ("execution",), text, remedy)
        )

    def drawing(self) -> str:
        """Return a picture of it for notebooks, as HTML; empty where there is none."""
        return ""

    def __str__(self) -> str:
        project, told = self.project, self.performance()
        return (
            f"{project.name} on {project.target}, {self.how}: {project.given} to {project.plan.y}, "
            f"modelled {told['throughput_fps']:,.0f} images/s end to end, "
            f"bound by {told['bottleneck']}"
        )

    @property
    def emulated(self) -> EmulatedSystem:
        """The emulated system, built or not."""
        from aieloom.flow.emulated_system import EmulatedSystem  # noqa: PLC0415

        project = self.project
        few = project.on_array and project.network.spec.data is None  # generated ones
        return EmulatedSystem(project.name, project.build, project.plan.y, self.sources, few)

    def write_report(self, compare: Path | None = None) -> None:
        """Write summary.json and the page of the last run, beside another design's where there is one.

        Raises:
            SpecError: there was no run yet, nothing to compare with, or the folder cannot be written.
        """
        from aieloom.flow.tool_runs import write_summary  # noqa: PLC0415
        from aieloom.report.site import write_page  # noqa: PLC0415

        write_summary(self.project)
        write_page(self.shown, self.project.build / "report", compare=compare)

    def vitis_design(self) -> VitisDesign:
        """Return the files, kernels and clocks as the vendor's tools take them."""
        from aieloom.emit.names import HOST_FOLDERS  # noqa: PLC0415
        from aieloom.vitis.design import VitisDesign  # noqa: PLC0415

        sources = self.sources
        return VitisDesign(
            project=self.project.name,
            aie_sources=tuple(sorted(n for n in sources.names if n.startswith("src/aie/"))),
            kernels=sources.built,
            host_source=str(sources.host),
            host_program=sources.host.stem,
            host_headers=tuple(n for n in sources.names if n.startswith(HOST_FOLDERS) and n.endswith(".h")),
            beside=sources.beside,
            register_mhz=sources.register_mhz,
        )


# Homes that have a module of this room; the others are units' of makers.py.
OWN_DESIGNS = ("array", "sequential")


def design_of(project: Project) -> Design:
    """Return a project's design; the module that makes it is imported when it is asked for."""
    if project.home not in OWN_DESIGNS:
        return Design(project)
    return cast(Design, import_module(f"aieloom.flow.{project.home}").design_of(project))
