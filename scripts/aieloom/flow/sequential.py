"""`doit` for networks that run layer by layer on one engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.errors import Problem, SpecError
from aieloom.flow.batch import Run
from aieloom.flow.logic import Outcome, emulated_work, write_outcome, write_summary
from aieloom.flow.logic_system import LogicSystem
from aieloom.flow.project import SequentialProject
from aieloom.flow.samples import load_samples
from aieloom.flow.timing import record
from aieloom.flow.work import Work
from aieloom.progress import working
from aieloom.report.site import SUMMARY
from aieloom.sequential.cost import MODEL
from aieloom.sequential.emit import (
    COMMANDS,
    WEIGHTS,
    kernel_sources,
    output_names,
    program_name,
    render,
)
from aieloom.sequential.page import files_of, write_page
from aieloom.sequential.plan import SequentialPlan
from aieloom.sequential.reference import reference

Values = NDArray[np.float32]
AGAINST = {
    "int8": "the integers' definition in NumPy",
    "float32": "NumPy in the engine's order of accumulation, float32",
}


def work_of(project: SequentialProject) -> Work:
    """Return what the tasks of such a project do."""
    work = emulated_work(
        project,
        system_of(project),
        sources=output_names(project.plan),
        render=lambda: render(project.plan, project.parameters),
        simulate=lambda: simulate(project),
    )
    return replace(
        work, report=lambda other: write_report(project, other), reports=(SUMMARY, *files_of(project.plan))
    )


def write_report(project: SequentialProject, compare: Path | None = None) -> None:
    """Write summary.json and the page of the last run.

    Raises:
        SpecError: there was no run yet, or the user wants another design beside it.
    """
    if compare:
        text = f"compare={compare}: pages of networks that run layer by layer stand alone"
        remedy = "leave compare out, and compare both folders' summary.json"
        raise SpecError(Problem(rule="option", text=text, remedy=remedy))
    write_summary(project)
    write_page(project.plan, project.build / "report")


def system_of(project: SequentialProject) -> LogicSystem:
    """Return the emulated system."""
    plan = project.plan
    return LogicSystem(
        name=project.name,
        build=project.build,
        kernels=kernel_sources(plan),
        program_name=program_name(plan),
        y=plan.y,
        beside=(COMMANDS, WEIGHTS),
        device=plan.array.device if plan.array else None,
    )


def build(project: SequentialProject) -> None:
    """Write, compile and link the emulated system in the build folder.

    Raises:
        ToolError: the C++ compiler fails.
    """
    system_of(project).make(render(project.plan, project.parameters))


def emulate(project: SequentialProject, x: Values) -> Values:
    """Run what is linked on `x` `(n, channels, height, width)`.

    Raises:
        RunFailed: the program ended with an error.
    """
    return system_of(project).run(x).y


def simulate(project: SequentialProject, run_on: Callable[[Values], Run] | None = None) -> None:
    """Run the project's samples, compare with the reference, write summary.json; `run_on` is another program's than doit's.

    Raises:
        RunFailed: the program ended with an error.
        SpecError: the samples cannot be used.
    """
    samples, plan = load_samples(project), project.plan
    with working(f"emulating {len(samples)} samples"):
        run = (run_on or system_of(project).run)(samples.x)
    record(project.build, "run", run.seconds)
    with working("computing the reference"):
        wanted = reference(plan.steps, project.parameters, samples.x)
    outcome = Outcome(
        samples=samples,
        y=run.y,
        wanted=wanted,
        against=AGAINST[plan.engine.element],
        pl={"produced_by": "model of the engines and movers", **plan.logic_use},
        performance={
            **_performance(plan),
            "emulated_s_per_image": round(run.seconds / len(samples), 3),
            "emulated_peak_mb": round(run.peak_bytes / 1e6, 1),
        },
        remarks=plan.lines(),
    )
    write_outcome(project, outcome)


def _performance(plan: SequentialPlan) -> dict[str, Any]:
    times = plan.time_by_cause()
    return {
        "produced_by": MODEL,
        "kind": "modelled, not measured",
        "latency_us": round(plan.latency_us, 3),
        "throughput_fps": round(1e6 / plan.interval_us, 2),
        "images_of_a_batch": plan.batch,
        "bottleneck": next(iter(times)),
        "leaves_out": list(plan.leaves_out),
        "us_by_cause": {what: round(us, 3) for what, us in times.items()},
        "memory_bytes_per_image": round(plan.bytes_per_image),
        "per_layer": [
            {
                "name": s.layer,
                "op": s.op,
                "on": s.on,
                "us_per_image": round(s.total_us / plan.batch, 3),
                "bound_by": s.bound,
                "bytes_per_image": round(s.bytes / plan.batch),
            }
            for s in plan.costs
        ],
    }
