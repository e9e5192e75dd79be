"""Networks whose layers have cores of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from aieloom.arrays import Values
from aieloom.flow.alone import LayerAlone, layer_alone
from aieloom.flow.batch import Run
from aieloom.flow.designs import Checked
from aieloom.flow.project import Project, write_plan
from aieloom.plan.tolerance import golden_tolerance
from aieloom.reference.results import hardware_reference
from aieloom.spec.device import Device

if TYPE_CHECKING:
    from aieloom.flow.programs import LinkedProgram
    from aieloom.flow.vitis_system import System
    from aieloom.flow.work import Work

# What prints, builds and draws takes time to import, and checking does without: it is imported where it is used.


@dataclass(frozen=True)
class ArrayDesign:
    """The project's design; see flow/designs.py."""

    project: Project
    how: ClassVar[str] = "on the array"

    @property
    def board(self) -> Device:
        """What it is planned for."""
        return self.project.plan.device

    @property
    def page_files(self) -> tuple[str, ...]:
        """The report's files beside summary.json."""
        from aieloom.report.site import FILES  # noqa: PLC0415

        return FILES

    def reference(self, x: Values) -> Values:
        """Return what the hardware computes by definition: float32 in the plan's order of accumulation."""
        return hardware_reference(self.project.plan, self.project.parameters, x)

    def program(self) -> LinkedProgram:
        """Return its program, which is not doit's."""
        from aieloom.flow.programs import LinkedProgram  # noqa: PLC0415

        return LinkedProgram.of(self.project)

    def alone(self, layer: str) -> LayerAlone:
        """Return a layer's own system, cut as in the design.

        Raises:
            SpecError: there is no such layer, or it has no system of its own.
        """
        return layer_alone(self.project, layer)

    def simulate(self, run_on: Callable[[Values], Run] | None = None) -> None:
        """Run the project's samples, by default on doit's program; compare them, write summary.json and pictures.

        Raises:
            RunFailed: the emulated system refuses or fails.
            SpecError: a picture cannot be used.
        """
        from aieloom.flow import emulation, sim  # noqa: PLC0415

        sim.simulate(self.project, (lambda _, x: run_on(x)) if run_on else emulation.run_system)

    def write_report(self, compare: Path | None = None) -> None:
        """Write summary.json and the pages of the last run, beside another design's where there is one.

        Raises:
            SpecError: there was no run yet, nothing to compare with, or the folder cannot be written.
        """
        from aieloom.flow.tool_runs import write_summary  # noqa: PLC0415
        from aieloom.report.site import write_report  # noqa: PLC0415

        write_summary(self.project)
        write_report(self.project.plan, self.project.build / "report", compare=compare)

    def drawing(self) -> str:
        """Return the floor plan."""
        from aieloom.report.floorplan import floorplan  # noqa: PLC0415

        return floorplan(self.project.plan)

    def checked(self) -> Checked:
        """Return its rates, and every design rule with its numbers."""
        from aieloom.plan.energy import plan_energy  # noqa: PLC0415
        from aieloom.plan.rates import rate_lines  # noqa: PLC0415
        from aieloom.report.partition import partition_lines  # noqa: PLC0415
        from aieloom.report.summary import performance, resources  # noqa: PLC0415
        from aieloom.simulation.of_plan import modelled_rates  # noqa: PLC0415

        project, plan = self.project, self.project.plan
        modelled, rates = performance(plan), modelled_rates(plan)
        rate = f"{modelled['throughput_fps']:,.0f} images/s with movers and memory"
        head = f"{project.name} on {project.target}: {project.given} to {plan.y}"
        lines = (
            f"{head}, {plan.cores} cores, {plan.tiles_in_use} tiles",
            f"  latency {modelled['latency_us']:,.1f} us, throughput {rate} (modelled)",
            *(f"  modelled: {line}" for line in rate_lines(rates)),
            *(f"  energy: {e.text}" for e in [plan_energy(plan, rates.memory.interval_us)] if e),
            *(f"  {line}" for line in (*partition_lines(plan), *(plan.frame.why if plan.frame else ()))),
            *(f"  {c.rule:<10} {c.what}: {c.used:g} of {c.limit:g} ({c.where})" for c in plan.checks),
        )
        values = {
            "cores": plan.cores,
            "tiles": plan.tiles_in_use,
            "performance": modelled,
            "resources": resources(plan),
            "processor": list(partition_lines(plan)),
            "checks": list(plan.checks),
        }
        return Checked(values=values, lines=lines)

    def work(self) -> Work:
        """Return what the tasks of the project do."""
        from aieloom.emit.project import output_names, render  # noqa: PLC0415
        from aieloom.flow import emulation, sim, tool_runs  # noqa: PLC0415
        from aieloom.flow.work import Work  # noqa: PLC0415
        from aieloom.report import partition, site  # noqa: PLC0415

        project, plan = self.project, self.project.plan
        return Work(
            project=project,
            write_plan=lambda: write_plan(project),
            sources=output_names(plan),
            steps=emulation.steps(project),
            programs=(emulation.program(project), emulation.xclbin(project)),
            lines=(*partition.partition_lines(plan), *plan.remarks),
            render=lambda: render(plan, project.parameters),
            link=lambda: emulation.link_system(project),
            simulate=self.simulate,
            results=(tool_runs.RESULT, *sim.pictures(project)),
            report=self.write_report,
            reports=(site.SUMMARY, *site.FILES),
            show=lambda: sim.show(project),
        )

    def system(self) -> System:
        """Return what the vendor's tools build."""
        from aieloom.flow import sim  # noqa: PLC0415
        from aieloom.flow.vitis_system import System  # noqa: PLC0415
        from aieloom.vitis import design as vitis  # noqa: PLC0415

        project, plan = self.project, self.project.plan
        return System(
            project=project,
            device=plan.device,
            design=vitis.design_of(plan),
            reference=self.reference,
            tolerance=golden_tolerance(plan),
            show=lambda: sim.show(project),
        )

    def __str__(self) -> str:
        from aieloom.report.summary import performance  # noqa: PLC0415

        plan = self.project.plan
        modelled = performance(plan)
        rates = modelled["rates"]
        return (
            f"{plan.project} on {plan.device.name}: {self.project.given} to {plan.y}, {plan.cores} cores, "
            f"{plan.tiles_in_use} tiles, modelled {modelled['throughput_fps']:,.0f} images/s "
            f"with movers and memory ({rates['array']['images_per_s']:,.0f} the array, "
            f"{rates['system']['images_per_s']:,.0f} end to end), slowest {modelled['bottleneck']}"
        )


def design_of(project: Project) -> ArrayDesign:
    """Return the project's design."""
    return ArrayDesign(project)
