"""What the vendor's tools told: kept as report/<mode>.json, put into summary.json beside the emulator's figures, shown."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from aieloom import messages
from aieloom.emit.files import write_text
from aieloom.errors import SpecError
from aieloom.flow.project import Project
from aieloom.flow.sim import RESULT
from aieloom.flow.vitis_flow import Flow
from aieloom.plan.clocks import TOLERANCE_PPM
from aieloom.plan.tolerance import golden_tolerance
from aieloom.report.site import SUMMARY, read_summary, write_report
from aieloom.vitis import commands, reports, simdata
from aieloom.vitis.logs import read_log
from aieloom.vitis.releases import Image
from aieloom.vitis.run import LOG, StageFailed

RUNS = ("timed", "x86", "aie", "hw_emu", "hw")


TIMED = "aieloom emulate --timed"


def _tool_name(flow: Flow, tool: str) -> str:
    return f"{tool}, Vitis {flow.found.version}"


def keep_simulation(flow: Flow, mode: str, a: simdata.Agreement, folder: Path) -> None:
    """Keep how a simulation of the array compared, and what it told about time."""
    told: dict[str, Any] = {
        "mode": mode,
        "produced_by": TIMED
        if mode == "timed"
        else _tool_name(flow, "x86simulator" if mode == "x86" else "aiesimulator"),
        "passed": a.passed(golden_tolerance(flow.project.plan)),
        "what": f"the array alone on {a.images} images, each PLIO stream against the reference",
        "golden": {**asdict(a), "bit_exact": a.bit_exact},
    }
    if mode in {"aie", "timed"}:
        told["performance"] = _performance(a, folder, flow.project.plan.device.clocks.aie_mhz)
    _keep(flow, mode, told)


def _performance(a: simdata.Agreement, folder: Path, aie_mhz: float) -> dict[str, Any]:
    """Return what a simulation in time tells: from its output's timestamps, and each core's profile beside it."""
    profile = reports.profile_figures(folder)
    found: dict[str, Any] = {"aie_mhz": aie_mhz, "profile": profile}
    if a.timing:
        found |= {**asdict(a.timing), "source": "timestamps of the output words"}
        if a.timing.throughput_fps:
            found["throughput_fps"] = round(a.timing.throughput_fps, 1)
            found["throughput_of"] = (
                "the array: interval between images at the outputs of "
                f"{', and then of '.join(a.timing.slowest_of_stretches)}"
            )
    if profile:
        found["bound_fps"] = round(aie_mhz * 1e6 / profile["slowest"]["kernel_cycles"] * a.images, 1)
        found["bound_of"] = "the slowest core's kernel cycles for an image, streams not waiting"
    return found


def _keep(flow: Flow, mode: str, told: Mapping[str, Any]) -> None:
    write_text(flow.project.build / "report" / f"{mode}.json", json.dumps(told, indent=1) + "\n")


def merge_runs(project: Project) -> None:
    """Put what the vendor's tools told into summary.json and the report, beside the emulator's and the model's."""
    if write_summary(project):
        write_report(project.plan, project.build / "report")


def write_summary(project: Project) -> bool:
    """Write summary.json: what the emulator's run told, with what the vendor's tools told; return whether it changed."""
    folder = project.build / "report"
    try:
        summary = read_summary(folder, RESULT)
    except SpecError:
        return False  # no emulation yet: the figures wait in their own files
    runs: dict[str, Any] = {}
    for mode in RUNS:
        if has_told(project, mode):
            told = _told(project, mode)
            runs[mode] = {**told, "lines": _lines(told)}
    whole = {**summary, **({"runs": runs} if runs else {})}
    return write_text(folder / SUMMARY, json.dumps(whole, indent=1) + "\n")


def show_run(project: Project, mode: str) -> bool:
    """Print what a vendor's simulator said; return whether it passed."""
    told = _told(project, mode)
    messages.console().print("\n".join(simulation_lines(told)), markup=False)
    return bool(told["passed"])


def has_told(project: Project, mode: str) -> bool:
    """Tell whether there is what a tool told, whole; what is damaged is as nothing."""
    try:
        told = _told(project, mode)
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(told, dict) and "produced_by" in told


def _told(project: Project, mode: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((project.build / "report" / f"{mode}.json").read_text(encoding="utf-8"))
    return told


def simulation_lines(told: Mapping[str, Any]) -> list[str]:
    """Return how a simulation of the array went, for people."""
    golden = told["golden"]
    verdict = "PASS" if told["passed"] else "FAIL"
    exact = "bit for bit equal" if golden["bit_exact"] else f"largest error {golden['max_abs_err']:.3g}"
    lines = [
        f"{verdict} {told['produced_by']}: {golden['streams']} streams, {golden['received']} values, {exact}"
    ]
    performance = told.get("performance")
    if performance:
        lines += _timing_lines(told["produced_by"], performance)
    return lines


def _timing_lines(tool: str, performance: Mapping[str, Any]) -> list[str]:
    """Return interval, latency and the slowest core, for people."""
    if "latency_us" not in performance:
        return [f"{tool} put no times into its output files: no throughput"]
    rate = performance.get("throughput_fps")
    steady = (
        f"an image every {performance['interval_us']:.2f} us ({rate:,.0f} images/s, {performance['slowest_layer']})"
        if rate
        else "too few images for an interval"
    )
    latency = f"latency of the array's layers together at most {performance['latency_us']:.2f} us"
    lines = [f"timestamps of {tool}: {steady}; {latency}"]
    slowest = performance["profile"].get("slowest")
    if slowest:
        lines.append(
            f"slowest core {tuple(slowest['tile'])}: {slowest['kernel_cycles']:,} cycles in {slowest['kernel']}, "
            f"waiting {slowest['waiting_share']:.0%}; alone at most {performance['bound_fps']:,.0f} images/s"
        )
    return lines


def finish_build(flow: Flow) -> None:
    """Keep the build's figures and say how the design is run."""
    told = _build_told(flow)
    _keep(flow, flow.target, told)
    merge_runs(flow.project)
    lines = [*figure_lines(told), *how_to_run(flow)]
    messages.console().print("\n".join(lines), markup=False)


def _build_told(flow: Flow) -> dict[str, Any]:
    """Return the figures of the packaged design, with its last run when it was this very design that ran."""
    build = flow.project.build
    figures = reports.build_figures(build / flow.link().folder)
    told: dict[str, Any] = {
        "mode": flow.target,
        "produced_by": f"Vitis {flow.found.version}",
        "what": "linked and packaged; `run` is there when this very design ran",
        "packaged": _packaged(flow),
        **figures,
        "clocks": reports.clocks_given(
            (k.hz / 1e6 for k in flow.design.kernels), figures.get("timing", {}).get("clocks_mhz", {})
        ),
        "array": reports.array_figures(build / "vitis" / "aiecom" / "Work"),
        "warnings": _warnings(flow),
    }
    try:
        earlier = _told(flow.project, flow.target)
    except (OSError, ValueError):
        return told
    same = earlier.get("packaged") == told["packaged"] and "run" in earlier
    return {**told, "run": earlier["run"]} if same else told


def _packaged(flow: Flow) -> str:
    """Return what tells one packaged design from another."""
    return hashlib.sha256((flow.project.build / flow.package().stamp).read_bytes()).hexdigest()[:16]


def _warnings(flow: Flow) -> dict[str, int]:
    counted: dict[str, int] = {}
    for stage in (flow.aie_compile(x86=False), *flow.kernels(), flow.link(), flow.package()):
        log = flow.project.build / stage.folder / LOG
        if log.is_file():
            counted[stage.name] = read_log(log.read_text(encoding="utf-8", errors="replace")).warnings
    return counted


def figure_lines(figures: Mapping[str, Any]) -> list[str]:
    """Return timing and utilisation of a build, for people."""
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
    lines += [
        f"CLOCK NOT GIVEN: kernels asked for {c['asked_mhz']:g} MHz, the nearest clock of the design is "
        f"{c['given_mhz']:g}: the linker put them on the platform's default; see its log, or give another clock_mhz"
        for c in figures.get("clocks", ())
        if c["ppm"] > TOLERANCE_PPM
    ]
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
    told = _build_told(flow)
    told["run"] = {"produced_by": _tool_name(flow, tool), "passed": passed, "output": lines, **more}
    _keep(flow, flow.target, told)
    merge_runs(flow.project)
    if not passed:
        said = "\n".join(f"  | {line}" for line in lines) or "  | nothing"
        raise StageFailed(
            f"the host program did not pass; it said:\n{said}\n  fix: see the log", known="host"
        )


def show_host_run(project: Project, target: str) -> None:
    """Print how the host program went in hardware emulation, or on the board."""
    lines = host_lines(_told(project, target)["run"])
    messages.console().print("\n".join(lines), markup=False)


def host_lines(run: Mapping[str, Any]) -> list[str]:
    """Return how a host program went, for people."""
    lines = [f"{'PASS' if run['passed'] else 'FAIL'} {run['produced_by']}: {'; '.join(run['output'])}"]
    power = run.get("power_w")
    if power:
        rails = ", ".join(f"{name} {watts:.2f} W" for name, watts in power.items())
        lines.append(f"power, by the board's own sensors: {rails}")
    return lines


def _lines(told: Mapping[str, Any]) -> list[str]:
    """Return any run for people: a simulation, or a build that may have run."""
    if "golden" in told:
        return simulation_lines(told)
    return [*figure_lines(told), *(host_lines(told["run"]) if "run" in told else ["built, not run"])]


def results_match(path: Path, flow: Flow) -> bool:
    """Return whether a file of results has the expected number of values and agrees with golden.bin."""
    golden = np.fromfile(flow.card_folder / "golden.bin", "<f4")
    found = np.fromfile(path, "<f4")
    worst = np.abs(found - golden).max(initial=0) if found.size == golden.size else np.inf
    return bool(worst <= golden_tolerance(flow.project.plan))
