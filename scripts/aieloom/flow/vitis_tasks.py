"""The doit tasks of the vendor's flow, beside those of the emulator.

A stage's own stamp decides whether it is up to date (content and tool version, see vitis/stamps.py); doit gives the
order. So a lost or damaged task database costs nothing: the next run finds every stage as it was.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from doit import get_var

from aieloom import messages
from aieloom.digests import text_digest
from aieloom.errors import Problem, RunFailed, SpecError
from aieloom.flow import outcome, sim, timed_system, vitis_results, vitis_stages
from aieloom.flow.project import Project
from aieloom.flow.results import Results, alone, asked, made
from aieloom.flow.samples import load_samples
from aieloom.flow.vitis_board import run_on_board
from aieloom.flow.vitis_flow import Flow
from aieloom.vitis.commands import TARGETS, Stage
from aieloom.vitis.releases import Image
from aieloom.vitis.settings import ENVIRONMENT

Task = dict[str, Any]
MODES = ("emu", "timed", "x86", "aie")

DOCS: Mapping[str, str] = {
    "plio": "write the input streams of the array alone, as the vendor's simulators read them",
    "timedsim": "run the array alone in the emulator with times, compare every stream (needs clang 14)",
    "x86com": "Vitis: compile the graph for functional simulation",
    "x86sim": "Vitis: simulate the array functionally, compare every stream",
    "aiecom": "Vitis: compile the graph for the array",
    "aiesim": "Vitis: simulate the array in time, compare every stream",
    "hls": "Vitis: compile each PL kernel",
    "xsa": "Vitis: link kernels, array and platform",
    "host": "cross-compile the host program for the board",
    "card": "write what the host program reads on the board",
    "package": "Vitis: package the linked design (SD card, xclbin)",
    "build": "Vitis: everything for a board [target=vck190|vek280 stage=hw|hw_emu]; says how to run it",
    "board": "run the built design on a board that is up [host=ADDRESS]",
    "ci": "everything that needs no hardware: emulator, and the vendor's simulators where they are installed",
}


def chosen_stage() -> str:
    """Return what `stage=` says: hw or hw_emu.

    Raises:
        SpecError: it says something else.
    """
    return _choice("stage", "hw", TARGETS)


def _choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    value = str(get_var(name, default))
    if value not in allowed:
        remedy = f"use {name}={' or '.join(allowed)}"
        raise SpecError(Problem(rule="option", text=f"{name}={value} is unknown", remedy=remedy))
    return value


def open_flow(project: Project, root: Path) -> Flow:
    """Return the flow of a project with what doit's command line says."""
    said = {key: str(value) for key in ENVIRONMENT if (value := get_var(key)) is not None}
    return Flow(project=project, root=root, target=chosen_stage(), command_line=said)


def chosen_mode(flow: Flow) -> str:
    """Return which simulator `doit sim` runs: `mode=`, or the most faithful one that can run here."""
    if get_var("mode") is not None:
        return _choice("mode", "emu", MODES)
    if flow.found.lacks((*flow.aie_compile(x86=False).needs, "aiesimulator")) == ():
        return "aie"
    if flow.found.lacks((*flow.aie_compile(x86=True).needs, "x86simulator")) == ():
        return "x86"
    return "emu"


class VitisTasks:
    """The tasks of one project."""

    def __init__(self, flow: Flow, inputs: str) -> None:
        self.flow, self.inputs = flow, inputs
        self.mode = chosen_mode(flow)

    def creators(self) -> dict[str, Callable[[], Any]]:
        """Return the task creators by name."""
        flow = self.flow
        return {
            "plio": self.plio,
            "card": self.card,
            "timedsim": self.timed,
            "x86com": lambda: self._stage("x86com", flow.aie_compile(x86=True), ["gen"]),
            "x86sim": lambda: self._simulation("x86"),
            "aiecom": lambda: self._stage("aiecom", flow.aie_compile(x86=False), ["gen"]),
            "aiesim": lambda: self._simulation("aie"),
            "hls": self.hls,
            "xsa": lambda: self._stage("xsa", flow.link(), ["aiecom", "hls"]),
            "host": lambda: self._stage("host", flow.host(), ["gen"]),
            "package": self.package,
            "_vitis": self.vitis,
            "build": self.build,
            "board": self.board,
            "ci": self.ci,
            "sim": self.sim,
            "emulate": self.emulate,
        }

    def _stage(
        self, name: str, stage: Stage, after: list[str], act: Callable[[], object] | None = None
    ) -> Task:
        flow = self.flow
        folder = flow.project.build / stage.folder
        return {
            "basename": name,
            "actions": [alone(flow.project.build, act or (lambda: flow.run(stage)))],
            "doc": DOCS[name.partition(":")[0]],
            "task_dep": after,
            "targets": [str(flow.project.build / stage.stamp)],
            "uptodate": [asked(flow.project.build, lambda: flow.done(stage))],
            "clean": [(_remove, [folder])],
        }

    def _simulation(self, mode: str) -> Task:
        compiled = "x86com" if mode == "x86" else "aiecom"
        stage = self.flow.simulation(mode)
        task = self._stage(
            stage.name, stage, [compiled, "plio"], lambda: vitis_stages.simulate(self.flow, mode)
        )
        told = self.flow.project.build / "report" / f"{mode}.json"
        heard = asked(self.flow.project.build, lambda: vitis_results.has_told(self.flow.project, mode))
        return {**task, "targets": [*task["targets"], str(told)], "uptodate": [*task["uptodate"], heard]}

    def timed(self) -> Task:
        """The array alone in the emulator, with times."""
        build = self.flow.project.build
        made_files = [build / "report" / name for name in ("timed.json", *vitis_stages.TIMED_FILES)]
        return made(
            self._results("timedsim", made_files),
            lambda: vitis_stages.simulate_in_time(self.flow),
            doc=DOCS["timedsim"],
            targets=made_files,
            after=["gen", "plio"],
        )

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

    def plio(self) -> Task:
        """Input streams for the simulators."""
        folder = self.flow.project.build / "vitis" / "plio"
        stage = self.flow.simulation("x86")
        files = [self.flow.project.build / name for name in stage.reads if name.startswith("vitis/plio/")]
        results = self._results("plio", files)
        task = made(
            results,
            lambda: vitis_stages.write_plio(self.flow),
            doc=DOCS["plio"],
            targets=files,
            after=["plan"],
        )
        return {**task, "clean": [(_remove, [folder])]}

    def card(self) -> Task:
        """Data and script for the board."""
        files = vitis_stages.card_targets(self.flow)
        results = self._results(f"card-{self.flow.target}", files)
        task = made(
            results,
            lambda: vitis_stages.write_card(self.flow),
            doc=DOCS["card"],
            targets=files,
            after=["plan"],
        )
        return {**task, "basename": "card"}

    def package(self) -> Task:
        """The last tool of a build."""
        flow = self.flow
        stage = flow.package()

        def act() -> None:
            flow.run(stage)
            if flow.found.image is Image.EDF and flow.target == "hw":
                vitis_stages.collect_edf_card(flow)

        return self._stage("package", stage, ["xsa", "host", "card"], act)

    def build(self) -> Task:
        """Everything; what needs no vendor tool comes first."""
        host_first = [] if self.flow.found.lacks(self.flow.host().needs) else ["host"]
        return {
            "actions": [outcome.guarded(lambda: vitis_results.finish_build(self.flow))],
            "doc": DOCS["build"],
            "task_dep": [
                "_vitis",
                "plan",
                "gen",
                "card",
                *host_first,
                "aiecom",
                "hls",
                "xsa",
                "host",
                "package",
            ],
            "uptodate": [False],
        }

    def vitis(self) -> Task:
        """Tell first what a build will lack."""
        flow = self.flow
        stages = (flow.aie_compile(x86=False), *flow.kernels(), flow.link(), flow.host(), flow.package())
        missing = flow.found.lacks(tuple(dict.fromkeys(need for s in stages for need in s.needs)))

        def act() -> None:
            if missing:
                names = ", ".join(sorted((m.what for m in missing), key=lambda what: what != "v++"))
                head = (
                    "Vitis is not on this machine" if "v++" in names else "this machine cannot end the build"
                )
                out = messages.progress()  # in order with what doit tells of tasks
                out.print(f"{head}: it lacks {names}", markup=False)
                out.print(
                    "the plan, the sources and the card's data are written, then the build stops",
                    markup=False,
                )

        return {"basename": "_vitis", "actions": [outcome.guarded(act)], "uptodate": [False]}

    def board(self) -> Task:
        """A run on hardware."""

        def act() -> None:
            run_on_board(self.flow)
            vitis_results.show_host_run(self.flow.project, self.flow.target)

        return {
            "actions": [outcome.guarded(act)],
            "doc": DOCS["board"],
            "task_dep": ["package", "host", "card"],
            "uptodate": [False],
        }

    def ci(self) -> Task:
        """What a machine without hardware can verify."""
        modes = [m for m in ("x86", "aie") if self._can(m)]

        def act() -> None:
            left = [f"{m}sim" for m in ("x86", "aie") if m not in modes]
            vitis_results.merge_runs(self.flow.project)
            out = messages.console()
            for mode in modes:
                vitis_results.show_run(self.flow.project, mode)
            if left:
                out.print(
                    f"left out, their tools are not installed: {', '.join(left)} (aieloom doctor says what is missing)"
                )
            if not sim.show(self.flow.project):
                raise RunFailed(f"the emulated run of {self.flow.project.name} did not pass; see the table")

        return {
            "actions": [outcome.guarded(act)],
            "doc": DOCS["ci"],
            "task_dep": ["plan", "gen", "images", "report", "card", "plio", *(f"{m}sim" for m in modes)],
            "uptodate": [False],
        }

    def _can(self, mode: str) -> bool:
        stage = self.flow.simulation(mode)
        compiled = self.flow.aie_compile(x86=mode == "x86")
        return self.flow.found.lacks((*compiled.needs, *stage.needs)) == ()

    def sim(self) -> Task:
        """`doit sim`: the emulator always, and the vendor's simulator that was chosen."""
        mode = self.mode
        vendor = [] if mode == "emu" else [f"{mode}sim"]

        def act() -> None:
            vitis_results.merge_runs(self.flow.project)
            passed = sim.show(self.flow.project)
            for _ in vendor:
                passed &= vitis_results.show_run(self.flow.project, mode)
            if not passed:
                raise RunFailed(f"the last run of {self.flow.project.name} did not pass; see the table")

        return {
            "basename": "sim",
            "actions": [outcome.guarded(act)],
            "doc": "simulate and compare [mode=emu|timed|x86|aie; default: the best that is installed]",
            "task_dep": ["plan", "images", "report", *vendor],
            "uptodate": [False],
        }

    def _timed_system(self) -> Task:
        """The whole system in the emulator, with times."""
        project = self.flow.project
        return {
            "basename": "emulate",
            "actions": [
                alone(project.build, lambda: timed_system.show_timed(project, load_samples(project).x))
            ],
            "doc": "run the whole system in the emulator with times (needs clang 14)",
            "task_dep": ["plan", "gen"],
            "uptodate": [False],
        }

    def emulate(self) -> Task:
        """`doit emulate`: the whole system, in the emulator, or in hardware emulation with stage=hw_emu."""
        if self.mode == "timed":
            return self._timed_system()
        hardware = get_var("stage") == "hw_emu"

        def act() -> None:
            if hardware:
                vitis_stages.emulate_hardware(self.flow)
            vitis_results.merge_runs(self.flow.project)
            passed = sim.show(self.flow.project)
            if hardware:
                vitis_results.show_host_run(self.flow.project, "hw_emu")
            if not passed:
                raise RunFailed(f"the last run of {self.flow.project.name} did not pass; see the table")

        return {
            "basename": "emulate",
            "actions": [outcome.guarded(act)],
            "doc": "run the whole system (host, PL, AIE) in the emulator [mode=timed: with times; stage=hw_emu: in Vitis]",
            "task_dep": ["plan", "images", "report", *(["build"] if hardware else [])],
            "uptodate": [False],
        }


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
