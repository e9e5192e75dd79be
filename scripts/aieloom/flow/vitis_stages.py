"""What the tasks of the vendor's flow do: prepare data, run stages, judge simulations, keep what they told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from aieloom.emit.files import write_text
from aieloom.errors import SpecError
from aieloom.flow.project import Project
from aieloom.flow.samples import load_samples
from aieloom.flow.sim import GOLDEN_TOLERANCE
from aieloom.flow.timing import timed
from aieloom.model.reference import hardware_reference
from aieloom.report.site import read_summary
from aieloom.vitis import commands, reports, simdata
from aieloom.vitis.commands import Stage
from aieloom.vitis.design import VitisDesign, design_of
from aieloom.vitis.discover import Installation, discover
from aieloom.vitis.releases import Image
from aieloom.vitis.run import LOG, Machine, StageFailed, run_stage, stage_done
from aieloom.vitis.settings import read_settings

RUNS = ("x86", "aie", "hw_emu", "hw")
EMULATED_SAMPLES = 1  # hardware emulation takes minutes an image
_SHOWN_PROBLEMS = 5


@dataclass(frozen=True)
class Flow:
    """A project, and the tools of this machine for its board. `target` is hw or hw_emu."""

    project: Project
    root: Path
    target: str
    command_line: Mapping[str, str]

    @cached_property
    def found(self) -> Installation:
        """What this machine has."""
        folders = dict.fromkeys((self.project.folder, self.root))
        settings = read_settings(folders, command_line=self.command_line, environment=os.environ)
        return discover(self.project.plan.device, settings, os.environ)

    @cached_property
    def design(self) -> VitisDesign:
        """The design as the tools see it."""
        return design_of(self.project.plan)

    @cached_property
    def machine(self) -> Machine:
        """Where stages run."""
        console = Console(soft_wrap=True, highlight=False)
        return Machine(
            found=self.found,
            build=self.project.build,
            environment=os.environ,
            say=lambda line: console.print(f"    {line}", markup=False),
        )

    def done(self, stage: Stage) -> bool:
        """Return whether a stage has nothing to do."""
        return stage_done(stage, self.machine)

    def run(self, stage: Stage, judge: Callable[[str], None] | None = None) -> bool:
        """Run a stage unless it is done; return whether its tool ran."""
        with timed(self.project.build, f"vitis:{stage.name}"):
            return run_stage(stage, self.machine, judge=judge)

    # The stages of the flow.

    def aie_compile(self, *, x86: bool) -> Stage:
        """The graph, for simulation or for the array."""
        return commands.aie_compile(self.design, self.found, x86=x86)

    def simulation(self, mode: str) -> Stage:
        """The array alone, functionally (x86) or in time (aie)."""
        inputs = tuple(f"vitis/plio/{name}" for name in simdata.input_files(self.project.plan))
        return commands.x86_simulate(inputs) if mode == "x86" else commands.aie_simulate(self.design, inputs)

    def kernels(self) -> tuple[Stage, ...]:
        """One stage for each PL kernel."""
        return tuple(commands.hls(k, self.found, self.target) for k in self.design.kernels)

    def link(self) -> Stage:
        """The whole system."""
        return commands.link(self.design, self.found, self.target)

    def host(self) -> Stage:
        """The host program."""
        return commands.host(self.design, self.found)

    def package(self) -> Stage:
        """The card."""
        return commands.package(self.design, self.found, self.target)

    @property
    def card_folder(self) -> Path:
        """Where the files for the card are written."""
        return self.project.build / "vitis" / self.target / "data"


def write_plio(flow: Flow) -> None:
    """Write the input files of the array alone, for the first sample."""
    simdata.write_inputs(flow.project.build / "vitis" / "plio", _streams(flow))


def _streams(flow: Flow) -> tuple[simdata.Stream, ...]:
    project = flow.project
    return simdata.streams(project.plan, project.parameters, load_samples(project).x[0])


def write_card(flow: Flow) -> None:
    """Write what the host program reads on the board: samples, expected results, and the script that starts it."""
    project = flow.project
    x = load_samples(project).x[: EMULATED_SAMPLES if flow.target == "hw_emu" else None]
    golden = hardware_reference(project.plan, project.parameters, x)
    script = commands.run_script(flow.design, flow.target)
    write_text(flow.card_folder / commands.RUN_SCRIPT, script)
    for name, values in (("input.bin", x), ("golden.bin", golden)):
        _write_bytes(flow.card_folder / name, values.astype("<f4").tobytes())


def card_targets(flow: Flow) -> tuple[Path, ...]:
    """Return the files that `write_card` makes."""
    return tuple(flow.card_folder / name for name in (commands.RUN_SCRIPT, "input.bin", "golden.bin"))


def _write_bytes(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_bytes(data)
    temporary.replace(path)


def simulate(flow: Flow, mode: str) -> None:
    """Run a simulator of the array, compare every stream with the reference, keep what it told.

    Raises:
        StageFailed: the simulator failed, or its outputs are short or wrong, whatever its exit code says.
    """
    stage = flow.simulation(mode)
    folder = flow.project.build / stage.folder / f"{stage.name.removesuffix('sim')}simulator_output"
    streams = _streams(flow)

    def judge(_log: str) -> None:
        agreement = simdata.compare(folder, streams)
        _keep_simulation(flow, mode, agreement, folder)
        if not agreement.passed(GOLDEN_TOLERANCE):
            raise StageFailed(_disagreement(flow, stage, agreement), known="wrong")

    if not flow.run(stage, judge):
        judge("")


def _disagreement(flow: Flow, stage: Stage, a: simdata.Agreement) -> str:
    lines = [
        f"{stage.name} failed: the simulator claims success, but its outputs do not agree with the reference"
    ]
    lines += [f"  {p}" for p in a.problems[:_SHOWN_PROBLEMS]]
    if len(a.problems) > _SHOWN_PROBLEMS:
        lines.append(f"  and {len(a.problems) - _SHOWN_PROBLEMS} more")
    lines.append(
        f"  {a.received} of {a.expected} values, {a.differing} differ, largest error {a.max_abs_err:.3g} "
        f"(at most {GOLDEN_TOLERANCE:g})"
    )
    log = flow.project.build / stage.folder / LOG
    return "\n".join(
        [*lines, f"  log: {log}", "  fix: see the log; `doit sim mode=emu` tells whether the design is right"]
    )


def _tool_name(flow: Flow, tool: str) -> str:
    return f"{tool}, Vitis {flow.found.version}"


def _keep_simulation(flow: Flow, mode: str, a: simdata.Agreement, folder: Path) -> None:
    clock = flow.project.plan.device.clocks.aie_mhz
    told: dict[str, Any] = {
        "mode": mode,
        "produced_by": _tool_name(flow, "x86simulator" if mode == "x86" else "aiesimulator"),
        "passed": a.passed(GOLDEN_TOLERANCE),
        "what": "the array alone on one image, each PLIO stream against the reference",
        "golden": {**asdict(a), "bit_exact": a.bit_exact},
    }
    if mode == "aie":
        told["performance"] = {
            "interval_us": a.interval_us,
            "throughput_fps": round(1e6 / a.interval_us, 1) if a.interval_us else None,
            "aie_mhz": clock,
            "profile": reports.profile_figures(folder),
        }
    _keep(flow, mode, told)


def _keep(flow: Flow, mode: str, told: Mapping[str, Any]) -> None:
    write_text(flow.project.build / "report" / f"{mode}.json", json.dumps(told, indent=1) + "\n")
    merge_runs(flow.project)


def merge_runs(project: Project) -> None:
    """Put what the vendor's tools told into summary.json, beside the emulator's and the model's figures."""
    folder = project.build / "report"
    try:
        summary = read_summary(folder)
    except SpecError:
        return  # no emulation yet: the figures wait in their own files
    runs: dict[str, Any] = {}
    for mode in RUNS:
        file = folder / f"{mode}.json"
        if file.is_file():
            runs[mode] = json.loads(file.read_text(encoding="utf-8"))
    if runs and summary.get("runs") != runs:
        write_text(folder / "summary.json", json.dumps({**summary, "runs": runs}, indent=1) + "\n")


def show_run(project: Project, mode: str) -> bool:
    """Print what a vendor's simulator said; return whether it passed."""
    told = json.loads((project.build / "report" / f"{mode}.json").read_text(encoding="utf-8"))
    golden = told["golden"]
    verdict = "PASS" if told["passed"] else "FAIL"
    exact = "bit for bit equal" if golden["bit_exact"] else f"largest error {golden['max_abs_err']:.3g}"
    out = Console(soft_wrap=True, highlight=False)
    out.print(
        f"{verdict} {told['produced_by']}: {golden['streams']} streams, {golden['received']} values, {exact}",
        markup=False,
    )
    performance = told.get("performance")
    if performance and performance["interval_us"]:
        profile = performance["profile"]
        slowest = profile.get("slowest")
        cores = (
            f"; slowest core {tuple(slowest['tile'])}: {slowest['cycles_per_call']:,.0f} cycles a call of {slowest['kernel']}, "
            f"waiting {slowest['waiting_share']:.0%}"
            if slowest
            else ""
        )
        out.print(
            f"simulated in time ({told['produced_by']}): {performance['interval_us']:.2f} us an image{cores}",
            markup=False,
        )
    return bool(told["passed"])


def finish_build(flow: Flow) -> None:
    """Keep the build's figures and say how the design is run."""
    build = flow.project.build
    figures = reports.build_figures(build / flow.link().folder)
    told = {
        "mode": flow.target,
        "produced_by": f"Vitis {flow.found.version}",
        "what": "linked and packaged; not run",
        **figures,
        "array": reports.array_figures(build / "vitis" / "aiecom" / "Work"),
        "warnings": _warnings(flow),
    }
    file = build / "report" / f"{flow.target}.json"
    earlier = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    run = {k: earlier[k] for k in ("run",) if k in earlier}
    _keep(flow, flow.target, told | run)
    lines = [*_figure_lines(figures), *how_to_run(flow)]
    Console(soft_wrap=True, highlight=False).print("\n".join(lines), markup=False)


def _warnings(flow: Flow) -> dict[str, int]:
    from aieloom.vitis.logs import read_log  # noqa: PLC0415 - only here

    counted: dict[str, int] = {}
    for stage in (flow.aie_compile(x86=False), *flow.kernels(), flow.link(), flow.package()):
        log = flow.project.build / stage.folder / LOG
        if log.is_file():
            counted[stage.name] = read_log(log.read_text(encoding="utf-8", errors="replace")).warnings
    return counted


def _figure_lines(figures: Mapping[str, Any]) -> list[str]:
    timing, pl = figures.get("timing", {}), figures.get("pl", {})
    lines = []
    if "wns_ns" in timing:
        met = (
            "met"
            if timing["wns_ns"] >= 0
            else "NOT MET: give the slowest PL kernel a lower clock_mhz in network.yaml"
        )
        clocks = ", ".join(f"{name} {mhz:g} MHz" for name, mhz in timing.get("clocks_mhz", {}).items())
        lines.append(f"timing {met}: WNS {timing['wns_ns']:g} ns ({clocks})")
    if pl:
        parts = (f"{v['used']:,} {k} ({v.get('percent', 0):g}%)" for k, v in pl.items())
        lines.append("PL kernels use " + ", ".join(parts))
    return lines


def how_to_run(flow: Flow) -> list[str]:
    """Return what to do with a finished build."""
    folder = flow.project.build / flow.package().folder
    if flow.target == "hw_emu":
        return ["run it in hardware emulation:", "    doit emulate stage=hw_emu"]
    if flow.found.image is Image.EDF:
        card = flow.project.build / "vitis" / "hw" / "card"
        return [
            f"copy {card} to a board that runs the EDF image, then on the board:",
            "    fpgautil -b design.pdi -o design.dtbo && sh run_app.sh",
        ]
    return [
        "write the SD card (sdX is the card's device), boot the board from it, log in, then:",
        f"    dd if={folder / 'out' / 'sd_card.img'} of=/dev/sdX bs=4M conv=fsync",
        f"    cd /run/media/mmcblk0p1 && sh {commands.RUN_SCRIPT}",
        "or on a board that is up: doit board host=ADDRESS",
    ]


def collect_edf_card(flow: Flow) -> None:
    """Gather what a board with the EDF image needs: pdi, device tree overlay, xclbin, host and data.

    Without the overlay XRT sees no device [UG1701 2026.1]; it is compiled here where dtc is installed.
    """
    build = flow.project.build
    package = build / flow.package().folder
    card = build / "vitis" / "hw" / "card"
    card.mkdir(parents=True, exist_ok=True)
    for name in commands.card_files(flow.design, flow.target):
        shutil.copy(build / name, card)
    shutil.copy(package / flow.design.xclbin, card)
    shutil.copy(next(iter(sorted((package / "out").glob("*.pdi")))), card / "design.pdi")
    overlay = next(iter(sorted(package.rglob("updated_zocl.dtsi"))), None)
    if overlay is None:
        return
    compiler = shutil.which("dtc")
    if compiler:
        subprocess.run(
            [compiler, "-@", "-o", str(card / "design.dtbo"), str(overlay)], check=False, capture_output=True
        )
    if not (card / "design.dtbo").is_file():
        shutil.copy(overlay, card / "design.dtsi")
        note = "    note: no dtc here (apt-get install device-tree-compiler); on the board: dtc -@ -o design.dtbo design.dtsi"
        Console(soft_wrap=True).print(note, markup=False)


def emulate_hardware(flow: Flow) -> None:
    """Boot the packaged design in hardware emulation, run the host program, judge what it printed.

    Raises:
        StageFailed: it did not pass; the launcher's exit code says nothing about the program's.
    """
    if flow.found.image is Image.EDF:
        raise StageFailed(
            "hw_emu failed: with the EDF image QEMU boots the prebuilt disk, which aieloom does not write into\n"
            "  fix: use the PetaLinux platform (image=petalinux), or `doit emulate` in the built-in emulator"
        )
    hours = flow.found.limits.get("run", commands.LIMIT_HOURS["run"])
    stage = commands.hardware_emulation(round(hours * 3600 * 0.9))

    def judge(log: str) -> None:
        keep_host_run(flow, log, "v++ hw_emu")

    flow.run(stage, judge)


def keep_host_run(flow: Flow, log: str, tool: str, **more: Any) -> None:
    """Judge what a host program printed and keep it beside the build's figures.

    Raises:
        StageFailed: the program did not say that its results agree.
    """
    passed = "TEST PASSED, RC=0" in log
    lines = [
        line.strip()
        for line in log.splitlines()
        if "images" in line or "difference" in line or "TEST" in line
    ]
    file = flow.project.build / "report" / f"{flow.target}.json"
    told = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {"mode": flow.target}
    told["run"] = {"produced_by": _tool_name(flow, tool), "passed": passed, "output": lines, **more}
    _keep(flow, flow.target, told)
    if not passed:
        said = "\n".join(f"  | {line}" for line in lines) or "  | nothing"
        raise StageFailed(
            f"the host program did not pass; it said:\n{said}\n  fix: see the log", known="host"
        )


def results_match(path: Path, flow: Flow) -> bool:
    """Return whether a file of results has the expected number of values and agrees with golden.bin."""
    golden = np.fromfile(flow.card_folder / "golden.bin", "<f4")
    found = np.fromfile(path, "<f4")
    return found.size == golden.size and bool(np.abs(found - golden).max(initial=0) <= GOLDEN_TOLERANCE)
