"""`doit` for designs without an array: products on the matrix engine in the logic, other layers on the processor."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from aieloom import messages
from aieloom.emit.files import Files, write_text
from aieloom.flow.logic_system import LogicSystem
from aieloom.flow.project import CircuitProject, LogicProject, Opened, SequentialProject, write_plan
from aieloom.flow.reproduce import reproduce
from aieloom.flow.samples import Samples, load_samples
from aieloom.flow.sim import RESULT
from aieloom.flow.timing import record
from aieloom.flow.work import Work
from aieloom.logic.emit import SOURCE
from aieloom.logic.emit_network import output_names, program_name, render
from aieloom.logic.engine import MODEL
from aieloom.logic.network import LogicPlan, reference
from aieloom.quantize.loss import accuracy
from aieloom.report.site import SUMMARY, read_summary
from aieloom.version import __version__

Values = NDArray[np.float32]
AGAINST = "NumPy in the engine's order of accumulation, {element}"


def work_of(project: LogicProject) -> Work:
    """Return what the tasks of such a project do."""
    return emulated_work(
        project,
        system_of(project),
        sources=output_names(project.plan),
        render=lambda: render(project.plan, project.parameters),
        simulate=lambda: simulate(project),
    )


def emulated_work(
    project: LogicProject | SequentialProject | CircuitProject,
    system: LogicSystem,
    *,
    sources: tuple[str, ...],
    render: Callable[[], Files],
    simulate: Callable[[], None],
) -> Work:
    """Return what the tasks of a project do that is emulated as kernels in the logic and a host program."""
    return Work(
        project=project,
        write_plan=lambda: write_plan(project),
        sources=sources,
        steps=system.steps(),
        programs=(system.program, system.xclbin),
        lines=project.plan.lines(),
        render=render,
        link=system.link,
        simulate=simulate,
        results=(RESULT,),
        report=lambda _: write_summary(project),
        reports=(SUMMARY,),
        show=lambda: show(project),
    )


def system_of(project: LogicProject) -> LogicSystem:
    """Return the emulated system."""
    plan = project.plan
    return LogicSystem(
        name=project.name, build=project.build, kernels=(SOURCE,), program_name=program_name(plan), y=plan.y
    )


def build(project: LogicProject) -> None:
    """Write, compile and link the emulated system in the build folder.

    Raises:
        ToolError: the C++ compiler fails.
    """
    system_of(project).make(render(project.plan, project.parameters))


def emulate(project: LogicProject, x: Values) -> tuple[Values, float]:
    """Run what is linked on `x` `(n, channels, height, width)`; return the results and the seconds it took.

    Raises:
        RunFailed: the program ended with an error.
    """
    done = system_of(project).run(x)
    return done.y, done.seconds


def simulate(project: LogicProject) -> None:
    """Run the project's samples, compare with the reference, write summary.json.

    Raises:
        RunFailed: the program ended with an error.
        SpecError: the samples cannot be used.
    """
    samples = load_samples(project)
    y, seconds = emulate(project, samples.x)
    record(project.build, "run", seconds)
    wanted = reference(project.plan, project.parameters, samples.x)
    plan, block = project.plan, project.plan.engine.block
    pl = {"produced_by": "the solved block", "dsp": block.dsp, "lut": block.lut, "ff": block.ff}
    outcome = Outcome(
        samples=samples,
        y=y,
        wanted=wanted,
        against=AGAINST.format(element=plan.engine.element),
        pl={**pl, "bram36": block.bram},
        performance=_performance(plan),
        remarks=plan.lines(),
    )
    write_outcome(project, outcome)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a run gave, beside what it should give and what is modelled of it."""

    samples: Samples
    y: Values
    wanted: Values
    against: str
    pl: dict[str, Any]
    performance: dict[str, Any]
    remarks: tuple[str, ...]


def write_outcome(project: Opened, outcome: Outcome) -> None:
    """Write a run's result, and summary.json."""
    text = json.dumps(_summary(project, outcome), indent=1) + "\n"
    write_text(project.build / "report" / RESULT, text)
    write_summary(project)


def write_summary(project: Opened) -> None:
    """Write summary.json: what the emulator's run told."""
    folder = project.build / "report"
    write_text(folder / SUMMARY, json.dumps(read_summary(folder, RESULT), indent=1) + "\n")


def _summary(project: Opened, run: Outcome) -> dict[str, Any]:
    y, samples = run.y, run.samples
    errors = np.abs(y.astype(np.float64) - run.wanted).reshape(len(y), -1).max(axis=1)
    exact = y.tobytes() == run.wanted.tobytes()
    faults = [] if exact else [f"{int((errors != 0).sum())} of {len(y)} samples differ from the reference"]
    return {
        "project": project.name,
        "target": project.target,
        "mode": "emu",
        "produced_by": f"aieloom {__version__}, its own emulator",
        "passed": exact,
        "faults": faults,
        "golden": {
            "against": run.against,
            "max_abs_err": float(errors.max()),
            "tolerance": 0.0,
            "bit_exact": exact,
            "samples": len(samples),
        },
        "quality": _quality(project, samples, y),
        "samples": [{"name": n, "max_abs_err": float(e)} for n, e in zip(samples.names, errors, strict=True)],
        "network_yaml": project.network.spec.source.data,
        "resources": {
            "aie_cores": 0,
            "aie_tiles": 0,
            "plio_in": 0,
            "plio_out": 0,
            "mem_tiles": 0,
            "pl": run.pl,
        },
        "performance": run.performance,
        "remarks": list(run.remarks),
        "reproduce": reproduce(project),
    }


def _performance(plan: LogicPlan) -> dict[str, Any]:
    stages = {s.layer: s.cost.total_us for s in plan.products} | {"the processor's layers": plan.processor_us}
    return {
        "produced_by": MODEL,
        "kind": "modelled, not measured",
        "latency_us": round(plan.interval_us, 3),
        "throughput_fps": round(1e6 / plan.interval_us, 1),
        "bottleneck": max(stages, key=lambda name: stages[name]),
        "per_layer": [{"name": s.layer, **asdict(s.cost)} for s in plan.products],
    }


def _quality(project: Opened, samples: Samples, y: Values) -> dict[str, float]:
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


def show(project: Opened) -> bool:
    """Print the table of the last run; return whether it passed."""
    s = read_summary(project.build / "report")
    console = messages.console()
    table = Table(title=f"{s['project']} on {s['target']} ({s['produced_by']})", title_justify="left")
    table.add_column("sample")
    table.add_column("error vs reference", justify="right")
    for row in s["samples"]:
        table.add_row(row["name"], f"{row['max_abs_err']:.1e}")
    console.print(table)
    golden, pl, performance = s["golden"], s["resources"]["pl"], s["performance"]
    verdict = "[green]PASS[/]" if s["passed"] else "[red]FAIL[/]"
    exact = "bit for bit equal" if golden["bit_exact"] else f"largest error {golden['max_abs_err']:.3g}"
    console.print(
        f"{verdict} {golden['samples']} samples in aieloom's emulator; against {golden['against']}: {exact}"
    )
    for line in (*s["faults"], *(f"{k.replace('_', ' ')} {v:.4g}" for k, v in s["quality"].items())):
        console.print(f"  {line}", markup=False)
    console.print(
        f"{pl['dsp']} DSP, {pl['lut']} LUT, {pl['ff']} FF, {pl['bram36']} block RAMs ({pl['produced_by']})"
    )
    console.print(
        f"modelled on the board, not measured: {performance['latency_us']:,.1f} us latency, "
        f"{performance['throughput_fps']:,.1f} images/s with the host program, slowest {performance['bottleneck']}"
    )
    for line in s["remarks"]:
        console.print(line, markup=False)
    return bool(s["passed"])
