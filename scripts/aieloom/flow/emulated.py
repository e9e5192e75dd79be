"""Designs that are emulated as kernels in the logic and a host program: building, running, comparing, telling the outcome."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from aieloom import messages
from aieloom.digests import bytes_digest, code_digest, text_digest
from aieloom.emit.files import Files, write_text
from aieloom.emulator.build import runtime_digest
from aieloom.emulator.compiler import build_identity
from aieloom.errors import Problem, SpecError
from aieloom.flow.batch import Run
from aieloom.flow.designs import Alone, Checked, design_of
from aieloom.flow.logic_system import LogicSystem
from aieloom.flow.own_integers import own_integers
from aieloom.flow.programs import FOLDER
from aieloom.flow.project import CircuitProject, LogicProject, SequentialProject, write_plan
from aieloom.flow.reproduce import reproduce
from aieloom.flow.samples import Samples, load_samples
from aieloom.flow.timing import record, stage_times
from aieloom.flow.tool_runs import RESULT, write_summary
from aieloom.flow.vitis_system import System, no_platform
from aieloom.flow.work import Work
from aieloom.plan.types import Plan
from aieloom.progress import working
from aieloom.quantize.loss import accuracy
from aieloom.report.shape import LogicFigures, Performance, Summary
from aieloom.report.site import SUMMARY, read_summary
from aieloom.report.summary import array_use
from aieloom.spec.board import Board
from aieloom.spec.device import Device
from aieloom.version import __version__
from aieloom.vitis.design import CompiledKernel, VitisDesign

Values = NDArray[np.float32]
EmulatedProject = LogicProject | SequentialProject | CircuitProject
_NAME = 20  # digits of a folder's name


@dataclass(frozen=True, kw_only=True)
class EmulatedDesign:
    """A project's design as the tasks take it.

    Attributes:
        how: the network runs on the board, for the user.
        kernels: the sources of its kernels, in the project's build folder.
        program_name: the host program's.
        sources: the names of all files that `render` makes.
        render: prints them.
        reference: what the hardware computes by definition of `(n, channels, height, width)`.
        against: what that is, for the user.
        pl: what the design takes of the logic, `dsp`, `lut`, `ff` and `bram36`, and what said so.
        performance: gives the model's figures.
        board: what it is planned for.
        clock_mhz: of its kernels.
        register_mhz: as of `VitisDesign`.
        pages: writes the report's pages, where there are some beside summary.json.
        page_files: what these are.
        beside: files that the host program reads beside its xclbin.
        device: where part of it is on an array, whose graph lies in src/aie.
        arrays: the plans of those parts.
        cores: the sources of the cores' kernels there.
        together: inputs that it takes at a time.
        checked: gives what `aieloom check` says.
        layer_alone: gives the system of a layer, where layers have some.
    """

    project: EmulatedProject
    how: str
    kernels: tuple[str, ...]
    program_name: str
    sources: tuple[str, ...]
    render: Callable[[], Files]
    reference: Callable[[Values], Values]
    against: str
    pl: LogicFigures
    performance: Callable[[], Performance]
    checked: Callable[[], Checked]
    board: Board
    clock_mhz: float
    register_mhz: float | None = None
    pages: Callable[[], None] | None = None
    page_files: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    device: Device | None = None
    arrays: tuple[Plan, ...] = ()
    cores: tuple[str, ...] = ()
    together: int = 1
    layer_alone: Callable[[str], Alone] | None = None

    @property
    def emulated(self) -> LogicSystem:
        """The emulated system, built or not."""
        return LogicSystem(
            name=self.project.name,
            build=self.project.build,
            kernels=self.kernels,
            program_name=self.program_name,
            y=self.project.plan.y,
            beside=self.beside,
            device=self.device,
            cores=self.cores,
            together=self.together,
        )

    def build(self) -> None:
        """Write, compile and link the emulated system in the build folder.

        Raises:
            ToolError: the C++ compiler fails.
        """
        self.emulated.make(self.render())

    def run(self, x: Values) -> Run:
        """Run what is linked on `x` `(n, channels, height, width)`.

        Raises:
            RunFailed: the program ended with an error.
        """
        return self.emulated.run(x)

    def simulate(self, run_on: Callable[[Values], Run] | None = None) -> None:
        """Run the project's samples, compare with the reference, write summary.json; `run_on` is another program's than doit's.

        Raises:
            RunFailed: the program ended with an error.
            SpecError: the samples cannot be used.
        """
        samples = load_samples(self.project)
        with working(f"emulating {len(samples)} samples"):
            run = (run_on or self.run)(samples.x)
        record(self.project.build, "run", run.seconds)
        with working("computing the reference"):
            wanted = self.reference(samples.x)
        self.write_outcome(samples, run, wanted)

    def write_outcome(self, samples: Samples, run: Run, wanted: Values) -> None:
        """Write a run's result beside what it should be, and summary.json."""
        text = json.dumps(self._summary(samples, run, wanted), indent=1) + "\n"
        write_text(self.project.build / "report" / RESULT, text)
        self.write_summary()

    def write_summary(self) -> None:
        """Write summary.json: what the emulator's run told, with what the vendor's tools told."""
        write_summary(self.project)

    def write_report(self, compare: Path | None = None) -> None:
        """Write summary.json and the pages of the last run.

        Raises:
            SpecError: there was no run yet, or the user wants another design beside it.
        """
        if compare:
            text = f"compare={compare}: the report of a design that runs {self.how} stands alone"
            remedy = "leave compare out, and compare both folders' summary.json"
            raise SpecError(Problem(rule="option", text=text, remedy=remedy))
        self.write_summary()
        if self.pages:
            self.pages()

    def work(self) -> Work:
        """Return what the tasks of the project do."""
        return Work(
            project=self.project,
            write_plan=lambda: write_plan(self.project),
            sources=self.sources,
            steps=self.emulated.steps(),
            programs=(self.emulated.program, self.emulated.xclbin),
            lines=self.project.plan.lines(),
            render=self.render,
            link=self.emulated.link,
            simulate=self.simulate,
            results=(RESULT,),
            report=self.write_report,
            reports=(SUMMARY, *self.page_files),
            show=self.show,
        )

    def program(self) -> EmulatedProgram:
        """Return its program, which is not doit's."""
        return EmulatedProgram.of(self)

    def alone(self, layer: str) -> Alone:
        """Return a layer's own system on the design's engines.

        Raises:
            SpecError: there is no such layer, or layers have no systems of their own, as those of a circuit.
        """
        if self.layer_alone:
            return self.layer_alone(layer)
        text = f"{self.project.name} has no systems of single layers: it runs {self.how}"
        remedy = "emulate the whole network, or its layers with execution: sequential"
        raise SpecError(
            self.project.network.spec.source.problem("sequential-3", ("execution",), text, remedy)
        )

    def drawing(self) -> str:
        """Return nothing: there is no picture of it."""
        return ""

    def system(self) -> System:
        """Return what the vendor's tools build.

        Raises:
            SpecError: Vitis has no platform of the board that the catalogue knows.
        """
        if not isinstance(self.board, Device):
            raise no_platform(self.project, self.board)
        hz, program = round(self.clock_mhz * 1e6), self.program_name
        return System(
            project=self.project,
            device=self.board,
            design=VitisDesign(
                project=self.project.name,
                aie_sources=tuple(sorted(n for n in self.sources if n.startswith("src/aie/"))),
                kernels=tuple(CompiledKernel(name=Path(k).stem, source=k, hz=hz) for k in self.kernels),
                host_source=f"src/host/{program}.cpp",
                host_program=program,
                host_headers=tuple(n for n in self.sources if n.startswith("src/host/") and n.endswith(".h")),
                beside=self.beside,
                register_mhz=self.register_mhz,
            ),
            reference=self.reference,
            tolerance=0.0,
            show=self.show,
        )

    def __str__(self) -> str:
        project, told = self.project, self.performance()
        return (
            f"{project.name} on {project.target}, {self.how}: {project.given} to {project.plan.y}, "
            f"modelled {told['throughput_fps']:,.0f} images/s with memory and the host program, "
            f"bound by {told['bottleneck']}"
        )

    def _summary(self, samples: Samples, run: Run, wanted: Values) -> Summary:
        y, project = run.y, self.project
        own = own_integers(project, samples.x, y)
        errors = np.abs(y.astype(np.float64) - wanted).reshape(len(y), -1).max(axis=1)
        exact = y.tobytes() == wanted.tobytes()
        faults = (
            [] if exact else [f"{int((errors != 0).sum())} of {len(y)} samples differ from the reference"]
        )
        return {
            "project": project.name,
            "target": project.target,
            "mode": "emu",
            "produced_by": f"aieloom {__version__}, its own emulator",
            "passed": exact,
            "faults": faults,
            "golden": {
                "against": self.against,
                "max_abs_err": float(errors.max()),
                "tolerance": 0.0,
                "bit_exact": exact,
                "samples": len(samples),
            },
            "quality": self._quality(samples, y) | (own.quality if own else {}),
            "samples": [
                {"name": n, "max_abs_err": float(e)} for n, e in zip(samples.names, errors, strict=True)
            ],
            "network_yaml": project.network.spec.source.data,
            "resources": {**array_use(*self.arrays), "pl": self.pl},
            "performance": {
                **self.performance(),
                "emulated_s_per_image": round(run.seconds / len(samples), 3),
                "emulated_peak_mb": round(run.peak_bytes / 1e6, 1),
            },
            "remarks": [*project.plan.lines(), *([own.line] if own else [])],
            "reproduce": reproduce(project),
            "timing_s": stage_times(project.build),
            "peak_memory_bytes": run.peak_bytes,
        }

    def _quality(self, samples: Samples, y: Values) -> dict[str, float]:
        project = self.project
        found: dict[str, float] = {}
        try:
            from aieloom.reference.results import torch_reference  # noqa: PLC0415 - where PyTorch is installed

            floats = torch_reference(project.network, project.float_parameters, samples.x)
            found["max_abs_err_pytorch"] = float(np.abs(y - floats).max())
            found["peak_pytorch"] = float(np.abs(floats).max())
        except ImportError:
            floats = None
        if samples.labels is not None:
            if floats is not None:
                found["accuracy_float"] = accuracy(floats, samples.labels)
            found["accuracy_emulated"] = accuracy(y, samples.labels)
        return found

    def show(self) -> bool:
        """Print the table of the last run; return whether it passed."""
        s = read_summary(self.project.build / "report")
        console = messages.console()
        table = Table(title=f"{s['project']} on {s['target']} ({s['produced_by']})", title_justify="left")
        table.add_column("sample")
        table.add_column("error vs reference", justify="right")
        for row in s["samples"]:
            table.add_row(str(row["name"]), f"{row['max_abs_err']:.1e}")
        console.print(table)
        golden, resources, performance = s["golden"], s["resources"], s["performance"]
        verdict = "[green]PASS[/]" if s["passed"] else "[red]FAIL[/]"
        exact = "bit for bit equal" if golden["bit_exact"] else f"largest error {golden['max_abs_err']:.3g}"
        console.print(
            f"{verdict} {golden['samples']} samples in aieloom's emulator; against {golden['against']}: {exact}"
        )
        for line in (*s["faults"], *(f"{k.replace('_', ' ')} {v:.4g}" for k, v in s["quality"].items())):
            console.print(f"  {line}", markup=False)
        pl = resources["pl"]
        if resources["aie_cores"]:
            streams = f"{resources['plio_in']} streams in, {resources['plio_out']} out"
            console.print(f"{resources['aie_cores']} AIE cores on {resources['aie_tiles']} tiles, {streams}")
        # Of movers of an engine on the array there is no model of flip-flops.
        flip_flops = f"{pl['ff']} FF, " if pl["ff"] else ""
        console.print(
            f"{pl['dsp']} DSP, {pl['lut']} LUT, {flip_flops}{pl['bram36']} block RAMs ({pl['produced_by']})"
        )
        console.print(
            f"modelled on the board, not measured: {performance['latency_us']:,.1f} us latency, "
            f"{performance['throughput_fps']:,.1f} images/s with the host program, slowest {performance['bottleneck']}"
        )
        for line in s["remarks"]:
            console.print(line, markup=False)
        return bool(s["passed"])


def checked(
    project: EmulatedProject,
    what: str,
    *,
    rates: tuple[str, ...] = (),
    performance: Mapping[str, object],
    used: Mapping[str, tuple[int, int]],
) -> Checked:
    """Return what a design is, and how much of the board it takes, each with its limit; what does not fit was refused."""
    plan = project.plan
    lines = (
        f"{project.name} on {project.target}: {project.given} to {plan.y}, {what}",
        *(f"  {line}" for line in (*rates, *plan.lines())),
        *(f"  {what}: {n:,} of {limit:,}" for what, (n, limit) in used.items()),
    )
    resources = {what: n for what, (n, _) in used.items()}
    return Checked(values={"performance": performance, "resources": resources}, lines=lines)


@dataclass(frozen=True, kw_only=True)
class EmulatedProgram:
    """A design whose build folder is its program's own, with the sources that are linked in it."""

    design: EmulatedDesign
    sources: Files
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _built: list[bool] = field(default_factory=list)

    @classmethod
    def of(cls, design: EmulatedDesign) -> EmulatedProgram:
        """Print a design's sources, and name the folder by them and by all else that makes the program.

        Raises:
            SpecError: the weights cannot be read, or are not of this network.
        """
        project, sources = design.project, design.render()
        named = (
            part
            for name, made in sorted(sources.items())
            for part in (name, bytes_digest(made if isinstance(made, bytes) else made.encode()))
        )
        name = text_digest(code_digest(), runtime_digest(), *build_identity(), *named)[:_NAME]
        own = cast(EmulatedDesign, design_of(replace(project, build=project.build / FOLDER / name)))
        return cls(design=own, sources=sources)

    @property
    def project(self) -> EmulatedProject:
        """The project whose build folder is the program's."""
        return self.design.project

    def run(self, x: Values) -> Run:
        """Build the program unless it is there, and run it on `x` `(n, channels, height, width)`.

        Raises:
            ToolError: the C++ compiler fails.
            RunFailed: the emulator refuses the design.
        """
        with self._lock:
            if not self._built:
                self.design.emulated.make(self.sources)
                self._built.append(True)
        with working(f"emulating {len(x)} inputs of {self.design.project.name}"):
            return self.design.run(x)
