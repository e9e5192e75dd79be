"""What runs told of a project, the emulator's and the vendor's tools', report/<mode>.json: put into summary.json, printed."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rich.table import Table

from aieloom import messages
from aieloom.emit.files import write_text
from aieloom.errors import SpecError
from aieloom.flow.project import Project
from aieloom.paths import json_object
from aieloom.plan.clocks import TOLERANCE_PPM
from aieloom.report.files import SUMMARY, read_summary
from aieloom.report.shape import HostRun, Quantisation, StreamTiming, Summary, Told

RUNS = ("timed", "x86", "aie", "hw_emu", "hw")
RESULT = "emu.json"  # what the emulated run told; summary.json has it with what the vendor's tools told
PICTURES = "images.png"
SHOWN_ROWS = 12


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


def pictures(project: Project) -> tuple[str, ...]:
    """Return the names of the pictures that a run of the project makes."""
    return (PICTURES,) if project.images else ()


def show(project: Project) -> bool:
    """Print the table of the last emulated run; return whether it passed."""
    s = read_summary(project.build / "report")
    console = messages.console()
    console.print(_table(s))
    golden = s["golden"]
    verdict = "[green]PASS[/]" if s["passed"] else "[red]FAIL[/]"
    exact = "bit for bit equal" if golden["bit_exact"] else f"largest error {golden['max_abs_err']:.3g}"
    of_plan = golden["against"].startswith(
        "hardware"
    )  # in the plan's own order: what that is stands on the page
    against = "the hardware reference" if of_plan else golden["against"]
    console.print(f"{verdict} {golden['samples']} samples in aieloom's emulator; against {against}: {exact}")
    for line in _run_lines(s):
        messages.say(line)
    shared = project.build.parts[-3] == "build"  # beside others: below the folder where the command is typed
    build = "/".join(project.build.parts[-3:]) if shared else project.build
    messages.say(f"pictures and floor plan: {build}/report/index.html")
    return bool(s["passed"])


def _run_lines(s: Summary) -> Iterator[str]:
    """Yield what there is to say of a run below its verdict."""
    resources, performance = s["resources"], s["performance"]
    yield from (f"  {fault}" for fault in s["faults"])
    yield _quality_line(s["quality"])
    if "quantisation" in s:
        yield _quantisation_line(s["quantisation"])
    if resources["aie_cores"]:
        streams = f"{resources['plio_in']} + {resources['plio_out']} PLIO in and out"
        yield f"{resources['aie_cores']} AIE cores on {resources['aie_tiles']} tiles, {streams}"
    pl = resources["pl"]
    flip_flops = (
        f"{pl['ff']:,} FF, " if pl["ff"] else ""
    )  # of movers of an engine on the array there is no model
    yield f"{pl['dsp']:,} DSP, {pl['lut']:,} LUT, {flip_flops}{pl['bram36']:,} block RAMs ({pl['produced_by']})"
    yield (
        f"modelled on the board ({performance['produced_by']}, not measured): {performance['latency_us']:,.1f} us latency, "
        f"{performance['throughput_fps']:,.0f} images/s end to end, slowest {performance['bottleneck']}"
    )
    if "rates" in performance:
        yield from (f"  {line}" for line in performance["rates"]["lines"])
        yield from performance["rates"]["published"]
    yield from s["remarks"]
    if "tiles" in performance:
        cut = performance["tiles"]
        yield f"an image is {cut['of_an_image']} tiles; {cut['halo_share']:.1%} of the work is halo"


def _quality_line(quality: dict[str, float]) -> str:
    parts = [
        f"{k.removesuffix('_db').replace('_', ' ')} {v:.2f} dB"
        for k, v in quality.items()
        if k.endswith("_db")
    ]
    parts += [f"{k.replace('_', ' ')} {v:.4f}" for k, v in quality.items() if k.startswith("accuracy_")]
    if parts:
        return "mean over all: " + ", ".join(parts)
    if "max_abs_err_pytorch" in quality:
        return f"largest difference to PyTorch {quality['max_abs_err_pytorch']:.3g}"
    return "not compared with PyTorch, which is not installed"


def _quantisation_line(q: Quantisation) -> str:
    """Say how much signal is left, and where most is lost."""
    worst = min(q["layers"], key=lambda la: float(la["own_sqnr_db"]))
    scales = f" ({q['scales']})" if q["activations"] in ("int8", "int16") else ""
    return (
        f"{q['activations']}{scales}: {q['sqnr_db']:.1f} dB signal to quantisation noise end to end; "
        f"'{worst['layer']}' loses most by itself ({worst['own_sqnr_db']:.1f} dB)"
    )


def _table(s: Summary) -> Table:
    """Return the samples as a table; the first ones and the worst one when there are many."""
    rows = s["samples"]
    keys = [k for k in ("psnr_bicubic_db", "psnr_pytorch_db", "psnr_emulated_db") if k in rows[0]]
    table = Table(title=f"{s['project']} on {s['target']} ({s['produced_by']})", title_justify="left")
    table.add_column("sample")
    for key in keys:
        table.add_column(key.removeprefix("psnr_").removesuffix("_db") + " dB", justify="right")
    table.add_column("error vs reference", justify="right")
    for row in rows[:SHOWN_ROWS]:
        table.add_row(str(row["name"]), *(f"{row[k]:.2f}" for k in keys), f"{row['max_abs_err']:.1e}")
    if len(rows) > SHOWN_ROWS:
        table.add_row(f"... {len(rows) - SHOWN_ROWS} more in summary.json")
    return table
