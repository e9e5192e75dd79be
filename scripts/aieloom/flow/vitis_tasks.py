"""The doit tasks of designs whose layers have cores of their own: beside the build, their array alone in simulators."""

from __future__ import annotations

from collections.abc import Callable

from doit import get_var

from aieloom import messages
from aieloom.flow.build_tasks import BuildTasks, chosen, removed, timed_task
from aieloom.flow.listing import DOCS
from aieloom.flow.results import Task, always, asked, made
from aieloom.flow.tool_runs import has_told, show_run
from aieloom.flow.vitis_flow import TIMED_FILES, Flow

MODES = ("emu", "timed", "x86", "aie")


def chosen_mode(flow: Flow) -> str:
    """Return which simulator `doit sim` runs: `mode=`, or the most faithful one that can run here."""
    if get_var("mode") is not None:
        return chosen("mode", "emu", MODES)
    if flow.found.lacks((*flow.aie_compile(x86=False).needs, "aiesimulator")) == ():
        return "aie"
    if flow.found.lacks((*flow.aie_compile(x86=True).needs, "x86simulator")) == ():
        return "x86"
    return "emu"


class VitisTasks(BuildTasks):
    """The tasks of one project."""

    def __init__(self, flow: Flow, inputs: str, refresh_report: Callable[[], None]) -> None:
        super().__init__(flow, inputs, refresh_report)
        self.mode = chosen_mode(flow)

    def creators(self) -> dict[str, Callable[[], object]]:
        """Return the task creators by name."""
        return {
            **super().creators(),
            "plio": self.plio,
            "timedsim": self.timed,
            "x86com": lambda: self._stage("x86com", self.flow.aie_compile(x86=True), ["gen"]),
            "x86sim": lambda: self._simulation("x86"),
            "aiesim": lambda: self._simulation("aie"),
            "sim": self.sim,
        }

    def _simulation(self, mode: str) -> Task:
        compiled = "x86com" if mode == "x86" else "aiecom"
        stage = self.flow.simulation(mode)

        def act() -> None:
            from aieloom.flow.vitis_stages import simulate  # noqa: PLC0415

            simulate(self.flow, mode)

        task = self._stage(stage.name, stage, [compiled, "plio"], act)
        told = self.flow.project.build / "report" / f"{mode}.json"
        heard = asked(self.flow.project.build, lambda: has_told(self.flow.project, mode))
        return {**task, "targets": [*task["targets"], str(told)], "uptodate": [*task["uptodate"], heard]}

    def timed(self) -> Task:
        """The array alone in the emulator, with times."""
        build = self.flow.project.build
        made_files = [build / "report" / name for name in ("timed.json", *TIMED_FILES)]

        def act() -> None:
            from aieloom.flow.vitis_stages import simulate_in_time  # noqa: PLC0415

            simulate_in_time(self.flow)

        return made(
            self._results("timedsim", made_files),
            act,
            doc=DOCS["timedsim"],
            targets=made_files,
            after=["gen", "plio"],
        )

    def plio(self) -> Task:
        """Input streams for the simulators."""
        folder = self.flow.project.build / "vitis" / "plio"
        stage = self.flow.simulation("x86")
        files = [self.flow.project.build / name for name in stage.reads if name.startswith("vitis/plio/")]
        results = self._results("plio", files)

        def act() -> None:
            from aieloom.flow.vitis_stages import write_plio  # noqa: PLC0415

            write_plio(self.flow)

        task = made(results, act, doc=DOCS["plio"], targets=files, after=["plan"])
        return {**task, "clean": [(removed, [folder])]}

    def ci(self) -> Task:
        """What a machine without hardware can verify."""
        modes = [m for m in ("x86", "aie") if self._can(m)]

        def act() -> None:
            left = [f"{m}sim" for m in ("x86", "aie") if m not in modes]
            out = messages.console()
            for mode in modes:
                show_run(self.flow.project, mode)
            if left:
                out.print(
                    f"left out, their tools are not installed: {', '.join(left)} (aieloom doctor says what is missing)"
                )
            self.judge("emulated")

        after = ["plan", "gen", "images", "report", "card", "plio", *(f"{m}sim" for m in modes)]
        return always("ci", act, doc=DOCS["ci"], after=after)

    def _can(self, mode: str) -> bool:
        stage = self.flow.simulation(mode)
        compiled = self.flow.aie_compile(x86=mode == "x86")
        return self.flow.found.lacks((*compiled.needs, *stage.needs)) == ()

    def sim(self) -> Task:
        """`doit sim`: the emulator always, and the vendor's simulator that was chosen."""
        vendor = [] if self.mode == "emu" else [f"{self.mode}sim"]
        after = ["plan", "images", *vendor, "report"]  # which tells what they told
        return always("sim", lambda: self.judge("last", self.mode), doc=DOCS["sim"], after=after)

    def emulate(self) -> Task:
        """`doit emulate`: also in the emulator with times, by mode=timed."""
        if self.mode == "timed":
            return timed_task(self.flow.made)
        return super().emulate()
