"""What the vendor's tools told of a project, report/<mode>.json: read, put into summary.json, printed."""

from __future__ import annotations

import json

from aieloom import messages
from aieloom.emit.files import write_text
from aieloom.errors import SpecError
from aieloom.flow.project import Project
from aieloom.paths import json_object
from aieloom.plan.clocks import TOLERANCE_PPM
from aieloom.report.files import SUMMARY, read_summary
from aieloom.report.shape import HostRun, StreamTiming, Summary, Told

RUNS = ("timed", "x86", "aie", "hw_emu", "hw")
RESULT = "emu.json"  # what the emulated run told; summary.json has it with what the vendor's tools told


def write_summary(project: Project) -> None:
    """Write summary.json: what the emulator's run told, with what the vendor's tools told."""
    folder = project.build / "report"
    try:
        summary = read_summary(folder, RESULT)
    except SpecError:
        return  # no emulation yet: the figures wait in their own files
    runs: dict[str, Told] = {}
    for mode in RUNS:
        if has_told(project, mode):
            told = read_told(project, mode)
            runs[mode] = {**told, "lines": _lines(told)}
    whole: Summary = {**summary}
    if runs:
        whole["runs"] = runs
    write_text(folder / SUMMARY, json.dumps(whole, indent=1) + "\n")


def show_run(project: Project, mode: str) -> bool:
    """Print what a vendor's simulator said; return whether it passed."""
    told = read_told(project, mode)
    messages.say("\n".join(simulation_lines(told)))
    return bool(told["passed"])


def has_told(project: Project, mode: str) -> bool:
    """Tell whether there is what a tool told, whole; what is damaged is as nothing."""
    return "produced_by" in json_object(project.build / "report" / f"{mode}.json")


def read_told(project: Project, mode: str) -> Told:
    """Return what a tool told."""
    told: Told = json.loads((project.build / "report" / f"{mode}.json").read_text(encoding="utf-8"))
    return told


def simulation_lines(told: Told) -> list[str]:
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


def _timing_lines(tool: str, performance: StreamTiming) -> list[str]:
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


def figure_lines(figures: Told) -> list[str]:
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


def show_host_run(project: Project, target: str) -> None:
    """Print how the host program went in hardware emulation, or on the board."""
    lines = host_lines(read_told(project, target)["run"])
    messages.say("\n".join(lines))


def host_lines(run: HostRun) -> list[str]:
    """Return how a host program went, for people."""
    lines = [f"{'PASS' if run['passed'] else 'FAIL'} {run['produced_by']}: {'; '.join(run['output'])}"]
    power = run.get("power_w")
    if power:
        rails = ", ".join(f"{name} {watts:.2f} W" for name, watts in power.items())
        lines.append(f"power, by the board's own sensors: {rails}")
    return lines


def _lines(told: Told) -> list[str]:
    """Return any run for people: a simulation, or a build that may have run."""
    if "golden" in told:
        return simulation_lines(told)
    return [*figure_lines(told), *(host_lines(told["run"]) if "run" in told else ["built, not run"])]
