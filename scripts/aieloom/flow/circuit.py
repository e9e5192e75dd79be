"""`doit` for networks that are one circuit in the logic."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.circuit.emit import SOURCE, output_names, program_name, render
from aieloom.circuit.plan import MODEL, CircuitPlan
from aieloom.flow.logic import Outcome, emulated_work, write_outcome
from aieloom.flow.logic_system import LogicSystem
from aieloom.flow.project import CircuitProject
from aieloom.flow.samples import load_samples
from aieloom.flow.timing import record
from aieloom.flow.work import Work
from aieloom.sequential.reference import reference

Values = NDArray[np.float32]
AGAINST = "the integers' definition in NumPy"


def work_of(project: CircuitProject) -> Work:
    """Return what the tasks of such a project do."""
    return emulated_work(
        project,
        system_of(project),
        sources=output_names(project.plan),
        render=lambda: render(project.plan, project.parameters),
        simulate=lambda: simulate(project),
    )


def system_of(project: CircuitProject) -> LogicSystem:
    """Return the emulated system."""
    plan = project.plan
    return LogicSystem(
        name=project.name, build=project.build, kernels=(SOURCE,), program_name=program_name(plan), y=plan.y
    )


def build(project: CircuitProject) -> None:
    """Write, compile and link the emulated system in the build folder.

    Raises:
        ToolError: the C++ compiler fails.
    """
    system_of(project).make(render(project.plan, project.parameters))


def emulate(project: CircuitProject, x: Values) -> Values:
    """Run what is linked on `x` `(n, channels, height, width)`.

    Raises:
        RunFailed: the program ended with an error.
    """
    return system_of(project).run(x).y


def simulate(project: CircuitProject) -> None:
    """Run the project's samples, compare with the reference, write summary.json.

    Raises:
        RunFailed: the program ended with an error.
        SpecError: the samples cannot be used.
    """
    samples, plan = load_samples(project), project.plan
    run = system_of(project).run(samples.x)
    record(project.build, "run", run.seconds)
    outcome = Outcome(
        samples=samples,
        y=run.y,
        wanted=reference(plan.steps, project.parameters, samples.x),
        against=AGAINST,
        pl={"produced_by": MODEL, "dsp": plan.dsp, "lut": plan.lut, "ff": plan.ff, "bram36": plan.bram},
        performance=_performance(plan),
        remarks=plan.lines(),
    )
    write_outcome(project, outcome)


def _performance(plan: CircuitPlan) -> dict[str, Any]:
    mhz = plan.clock_mhz
    return {
        "produced_by": MODEL,
        "kind": "modelled, not measured",
        "latency_us": round(plan.latency_cycles / mhz, 3),
        "throughput_fps": round(1e6 / plan.interval_us, 1),
        "circuit_fps": round(mhz * 1e6 / plan.interval_cycles, 1),
        "bottleneck": plan.bottleneck,
        "per_layer": [
            {"name": s.layer, "op": s.op, "cycles": s.cycles, "lanes": s.lanes, "depth": s.depth}
            for s in plan.stages
        ],
    }
