"""The doit tasks that build a board's files with the vendor's tools, whatever the design is made of.

A stage's own stamp decides whether it is up to date (content and tool version, see vitis/stamps.py); doit gives the
order. So a lost or damaged task database costs nothing: the next run finds every stage as it was. What a task does is imported
when it is done: doit asks for all tasks whenever one of them is wanted.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from doit import get_var

from aieloom import messages
from aieloom.digests import text_digest
from aieloom.errors import RunFailed, SpecError
from aieloom.flow.designs import Design
from aieloom.flow.listing import DOCS
from aieloom.flow.results import Results, Task, always, checked, made
from aieloom.flow.tool_runs import show, show_host_run, show_run
from aieloom.flow.vitis_flow import Flow
from aieloom.vitis.commands import TARGETS, Stage
from aieloom.vitis.releases import Image
from aieloom.vitis.settings import ENVIRONMENT


def chosen(name: str, default: str, allowed: tuple[str, ...]) -> str:
    """Return what a variable of the command line says, one of some words.

    Raises:
        SpecError: it says something else.
    """
    value = str(get_var(name, default))
    if value not in allowed:
        remedy = f"use {name}={' or '.join(allowed)}"
        raise SpecError(rule="option", text=f"{name}={value} is unknown", remedy=remedy)
    return value


def said() -> dict[str, str]:
    """Return what doit's command line says of tools."""
    return {key: str(value) for key in ENVIRONMENT if (value := get_var(key)) is not None}


def open_flow(design: Design, root: Path) -> Flow:
    """Return the flow of a design with what doit's command line says."""
    return Flow(made=design, root=root, target=chosen("stage", "hw", TARGETS), command_line=said())


def timed_task(design: Design) -> Task:
    """Return doit's task that runs a design's whole system in the emulator, with times."""

    def show() -> None:
        from aieloom.flow.timed_system import show_timed  # noqa: PLC0415 - only a timed run needs it

        show_timed(design)

    doc = "run the whole system in the emulator with times (needs clang 14)"
    return always("emulate", show, doc=doc, after=["plan", "gen"], build=design.project.build)


class BuildTasks:
    """The tasks of one system.

    `inputs` is a digest of all that its results follow from; `refresh_report` writes what a tool told into the report.
    """

    def __init__(self, flow: Flow, inputs: str, refresh_report: Callable[[], None]) -> None:
        self.flow, self.inputs, self.refresh_report = flow, inputs, refresh_report

    def creators(self) -> dict[str, Callable[[], object]]:
        """Return the task creators by name."""
        flow = self.flow
        graph = {stage.name: partial(self._stage, stage.name, stage, ["gen"]) for stage in flow.graph()}
        return {
            "card": self.card,
            **graph,
            "hls": self.hls,
            "xsa": lambda: self._stage("xsa", flow.link(), [*graph, "hls"]),
            "host": lambda: self._stage("host", flow.host(), ["gen"]),
            "package": self.package,
            "_vitis": self.vitis,
            "build": self.build,
            "board": self.board,
            "ci": self.ci,
            "emulate": self.emulate,
        }

    def _stage(
        self, name: str, stage: Stage, after: list[str], act: Callable[[], object] | None = None
    ) -> Task:
        flow = self.flow
        build, act, is_done = flow.project.build, act or partial(flow.run, stage), partial(flow.done, stage)
        doc = DOCS[name.partition(":")[0]]
        task = checked(name, build, act, is_done, doc=doc, targets=[build / stage.stamp], after=after)
        return {**task, "clean": [(removed, [build / stage.folder])]}

    def hls(self) -> Iterator[Task]:
        """One task a kernel: they run beside each other."""
        yield {"basename": "hls", "name": None, "doc": DOCS["hls"]}
        for stage in self.flow.kernels():
            task = self._stage("hls", stage, ["gen"])
            yield {**task, "name": stage.name.partition(":")[2]}

    def _results(self, task: str, files: Iterable[Path]) -> Results:
        """Return files that follow from the project's inputs, for hardware or its emulation."""
        listed = [*files]
        made_of = text_digest(self.inputs, self.flow.target)
        return Results(
            task=task, build=self.flow.project.build, made_of=lambda: made_of, files=lambda: listed
        )

    def card(self) -> Task:
        """Data and script for the board."""
        files = self.flow.card_files
        results = self._results(f"card-{self.flow.target}", files)

        def act() -> None:
            from aieloom.flow.vitis_stages import write_card  # noqa: PLC0415

            write_card(self.flow)

        task = made(results, act, doc=DOCS["card"], targets=files, after=["plan"])
        return {**task, "basename": "card"}

    def package(self) -> Task:
        """The last tool of a build."""
        flow = self.flow
        stage = flow.package()

        def act() -> None:
            flow.run(stage)
            if flow.found.image is Image.EDF and flow.target == "hw":
                from aieloom.flow.vitis_stages import collect_edf_card  # noqa: PLC0415

                collect_edf_card(flow)

        return self._stage("package", stage, ["xsa", "host", "card"], act)

    def build(self) -> Task:
        """Everything; what needs no vendor tool comes first."""

        def act() -> None:
            from aieloom.flow.vitis_results import finish_build  # noqa: PLC0415

            self._told(finish_build)

        host_first = [] if self.flow.found.lacks(self.flow.host().needs) else ["host"]
        graph = (stage.name for stage in self.flow.graph())
        after = ["_vitis", "plan", "gen", "card", *host_first, *graph, "hls", "xsa", "host", "package"]
        return always("build", act, doc=DOCS["build"], after=after)

    def _told(self, run: Callable[[Flow], None]) -> None:
        """Run what tells of the design; what it told gets into the report also where it did not pass."""
        try:
            run(self.flow)
        finally:
            self.refresh_report()

    def vitis(self) -> Task:
        """Tell first what a build will lack."""
        flow = self.flow
        stages = (*flow.graph(), *flow.kernels(), flow.link(), flow.host(), flow.package())
        missing = flow.found.lacks(tuple(dict.fromkeys(need for s in stages for need in s.needs)))

        def act() -> None:
            if missing:
                names = ", ".join(sorted((m.what for m in missing), key=lambda what: what != "v++"))
                head = (
                    "Vitis is not on this machine" if "v++" in names else "this machine cannot end the build"
                )
                # Notes, in order with what doit tells of tasks.
                messages.note(f"{head}: it lacks {names}")
                messages.note("the plan, the sources and the card's data are written, then the build stops")

        return always("_vitis", act)

    def board(self) -> Task:
        """A run on hardware."""

        def act() -> None:
            from aieloom.flow.vitis_board import run_on_board  # noqa: PLC0415

            self._told(run_on_board)
            show_host_run(self.flow.project, self.flow.target)

        return always("board", act, doc=DOCS["board"], after=["package", "host", "card"])

    def ci(self) -> Task:
        """What a machine without hardware can verify."""
        after = ["plan", "gen", "images", "report", "card"]
        return always("ci", lambda: self.judge("emulated"), doc=DOCS["ci"], after=after)

    def judge(self, what: str, mode: str = "emu") -> None:
        """Print how the emulated run went, with what the vendor's tools told, and how that in one's simulator, by `mode`.

        Raises:
            RunFailed: one did not pass.
        """
        project = self.flow.project
        self.refresh_report()
        passed = show(project)
        if mode != "emu":
            passed &= show_run(project, mode)
        if not passed:
            raise RunFailed(f"the {what} run of {project.name} did not pass; see the table")

    def emulate(self) -> Task:
        """`doit emulate`: the whole system, in the emulator, or in hardware emulation with stage=hw_emu."""
        hardware = get_var("stage") == "hw_emu"

        def act() -> None:
            if hardware:
                from aieloom.flow.vitis_stages import emulate_hardware  # noqa: PLC0415

                self._told(emulate_hardware)
            try:
                self.judge("last")
            finally:
                if hardware:
                    show_host_run(self.flow.project, "hw_emu")

        after = ["plan", "images", "report", *(["build"] if hardware else [])]
        return always("emulate", act, doc=DOCS["emulate"], after=after)


def removed(folder: Path) -> None:
    """Remove what a task made."""
    shutil.rmtree(folder, ignore_errors=True)
