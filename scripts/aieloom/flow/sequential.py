"""`doit` for networks that run layer by layer on one engine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.flow.logic import Outcome, show, write_outcome, write_summary
from aieloom.flow.logic_system import LogicSystem
from aieloom.flow.project import SequentialProject, write_plan
from aieloom.flow.samples import load_samples
from aieloom.flow.sim import RESULT
from aieloom.flow.timing import record
from aieloom.flow.work import Work
from aieloom.progress import working
from aieloom.report.site import SUMMARY
from aieloom.sequential.cost import MODEL
from aieloom.sequential.emit import (
    COMMANDS,
    WEIGHTS,
    has_engine,
    kernel_sources,
    output_names,
    program_name,
    render,
)
from aieloom.sequential.plan import SequentialPlan
from aieloom.sequential.reference import reference

Values = NDArray[np.float32]
AGAINST = {
    "int8": "the integers' definition in NumPy",
    "float32": "NumPy in the engine's order of accumulation, float32",
}


def work_of(project: SequentialProject) -> Work:
    """Return what the tasks of such a project do."""
    system = system_of(project)
    return Work(
        project=project,
        write_plan=lambda: write_plan(project),
        sources=output_names(project.plan),
        steps=system.steps(),
        programs=(system.program, system.xclbin),
        lines=project.plan.lines(),
        render=lambda: render(project.plan, project.parameters),
        link=system.link,
        simulate=lambda: simulate(project),
        results=(RESULT,),
        report=lambda _: write_summary(project),
        reports=(SUMMARY,),
        show=lambda: show(project),
    )


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


def simulate(project: SequentialProject) -> None:
    """Run the project's samples, compare with the reference, write summary.json.

    Raises:
        RunFailed: the program ended with an error.
        SpecError: the samples cannot be used.
    """
    samples, plan = load_samples(project), project.plan
    with working(f"emulating {len(samples)} samples"):
        run = system_of(project).run(samples.x)
    record(project.build, "run", run.seconds)
    with working("computing the reference"):
        wanted = reference(plan.steps, project.parameters, samples.x)
    engine = plan.engine
    units = [u for u in (engine if has_engine(plan) else None, plan.unit, plan.array) if u]
    pl = {
        "produced_by": "model of the engines and movers",
        "dsp": sum(u.dsp for u in units),
        "lut": sum(u.lut for u in units),
        "ff": engine.ff if has_engine(plan) else 0,
    }
    outcome = Outcome(
        samples=samples,
        y=run.y,
        wanted=wanted,
        against=AGAINST[engine.element],
        pl={**pl, "bram36": engine.bram if has_engine(plan) else 0},
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
        "latency_us": round(plan.interval_us * plan.batch, 3),
        "throughput_fps": round(1e6 / plan.interval_us, 2),
        "images_of_a_batch": plan.batch,
        "bottleneck": next(iter(times)),
        "us_by_cause": {what: round(us, 3) for what, us in times.items()},
        "memory_bytes_per_image": round(plan.bytes_per_image),
        "per_layer": [
            {"name": s.layer, "op": s.op, "on": s.on, "us_per_image": round(s.total_us / plan.batch, 3)}
            for s in plan.costs
        ],
    }
