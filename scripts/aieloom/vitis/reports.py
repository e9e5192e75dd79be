"""Figures from the tools' reports: timing, utilisation, the array's use, and the AIE simulator's profile.

Files are searched by name, because their folder differs between releases. A figure that was not found is absent,
never zero; each carries the file that it was read from.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from aieloom.report.shape import BuildFigures, CoreProfile, Profile, Timing

_NUMBER = r"-?\d+(?:\.\d+)?"
_CLOCK = re.compile(rf"^\s*(\S+)\s+\{{[^}}]*\}}\s+({_NUMBER})\s+({_NUMBER})\s*$")
_USED = re.compile(r"\|\s*Used Resources\s*\|(.*)")
_HEADER = re.compile(r"\|\s*Name\s*\|(.*)")
_COUNT = re.compile(r"^\s*([\d,]+)\s*(?:\[\s*([\d.]+)%\s*\])?")
_UTILISATION = {
    "LUT": "lut",
    "REG": "ff",
    "BRAM": "bram36",
    "URAM": "uram288",
    "DSP": "dsp",
    "LUTAsMem": "lut_memory",
}
_RUNTIME = {
    "main",
    "_main",
    "_main_init",
    "_main_no_exit_init",
    "_start",
    "_fini",
    "__cxa_finalize",
    "_cxa_finalize",
}


def read_timing(text: str) -> Timing:
    """Return slacks and clocks of a Vivado timing summary."""
    found: Timing = {}
    _, mark, rest = text.partition("Design Timing Summary")
    if mark:
        rows = (line.split() for line in rest.splitlines())
        numbers = next(
            (r for r in rows if len(r) >= 6 and all(re.fullmatch(_NUMBER, n) for n in r[:6])), None
        )
        if numbers:
            found["wns_ns"], found["tns_ns"] = float(numbers[0]), float(numbers[1])
            found["failing_endpoints"] = int(numbers[2])
            found["whs_ns"] = float(numbers[4])
    _, mark, rest = text.partition("| Clock Summary")
    if mark:
        section = re.split(r"^\| Intra Clock", rest, maxsplit=1, flags=re.MULTILINE)[0]
        clocks = {m[1]: float(m[3]) for line in section.splitlines() if (m := _CLOCK.match(line))}
        if clocks:
            found["clocks_mhz"] = clocks
    return found


def read_utilisation(text: str) -> dict[str, dict[str, float]]:
    """Return what the kernels use, from a `kernel_util_routed` report: counts and percent of the device."""
    header, used = _HEADER.search(text), _USED.search(text)
    if not header or not used:
        return {}
    names = [c.strip() for c in header[1].split("|")]
    cells = [c.strip() for c in used[1].split("|")]
    found: dict[str, dict[str, float]] = {}
    for name, cell in zip(names, cells, strict=False):
        number = _COUNT.match(cell)
        if name in _UTILISATION and number:
            entry: dict[str, float] = {"used": int(number[1].replace(",", ""))}
            if number[2]:
                entry["percent"] = float(number[2])
            found[_UTILISATION[name]] = entry
    return found


def build_figures(link: Path) -> BuildFigures:
    """Return timing and utilisation of a linked design; empty values are left out."""
    found: BuildFigures = {}
    timing = _newest(link, "*timing_summary*.rpt")
    if timing:
        found |= {"timing": read_timing(_text(timing)), "timing_report": timing.name}
    utilisation = _newest(link, "*kernel_util_routed.rpt")
    if utilisation:
        found |= {"pl": read_utilisation(_text(utilisation)), "utilisation_report": utilisation.name}
    return found


def _newest(folder: Path, pattern: str) -> Path | None:
    """Return the last written match; routed reports go before those of earlier steps."""
    files = [p for p in folder.rglob(pattern) if p.is_file()]
    return max(files, key=lambda p: ("route" in p.name, p.stat().st_mtime_ns, p.name), default=None)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


_PM = re.compile(r"PM Size Used\s*=\s*(\d+)")
_STACK = re.compile(r"Stack Size Used\s*=\s*(\d+)")


def array_figures(work: Path) -> dict[str, int]:
    """Return what the AIE compiler says of the cores: how many, largest program and stack, PLIOs."""
    found: dict[str, int] = {}
    cores = [p for p in (work / "aie").glob("*_*") if re.fullmatch(r"\d+_\d+", p.name)]
    if cores:
        found["aie_cores"] = len(cores)
    for key, name, pattern in (
        ("program_bytes", "report_pm.txt", _PM),
        ("stack_bytes", "report_stack.txt", _STACK),
    ):
        file = work / "reports" / name
        sizes = [int(m[1]) for m in pattern.finditer(_text(file))] if file.is_file() else []
        if sizes:
            found[f"largest_{key}"] = max(sizes)
    return found


def _functions(root: ET.Element) -> Iterator[tuple[str, int, int]]:
    for function in root.iter("function"):
        name = (function.findtext("function_name") or "").strip()
        cycles = function.findtext("function_and_descendants_time/total_cycle_count") or "0"
        if name and name not in _RUNTIME:
            yield name, int(function.findtext("calls") or 0), int(cycles)


def profile_figures(output: Path) -> Profile:
    """Return cycles by core from the AIE simulator's profile: in kernels, waiting, in all.

    What a core's total holds beyond its kernel is lock stalls and the code around it.
    """
    cores: list[CoreProfile] = []
    for file in sorted(output.rglob("profile_funct_*.xml")):
        place = re.fullmatch(r"profile_funct_(\d+)_(\d+)\.xml", file.name)
        try:
            root = ET.parse(file).getroot()
        except (ET.ParseError, OSError):
            continue
        busiest = max(_functions(root), key=lambda f: f[2], default=None)
        total = int(root.findtext("total_cycle_count") or 0)
        if place and busiest and total:
            name, calls, cycles = busiest
            cores.append(
                {
                    "tile": [int(place[1]), int(place[2])],
                    "kernel": name,
                    "calls": calls,
                    "cycles_per_call": round(cycles / calls, 1) if calls else None,
                    "kernel_cycles": cycles,
                    "total_cycles": total,
                    "waiting_share": round(max(0.0, 1 - cycles / total), 4),
                }
            )
    if not cores:
        return {}
    slowest = max(cores, key=lambda c: c["kernel_cycles"])
    return {"cores": cores, "slowest": slowest, "total_cycles": max(c["total_cycles"] for c in cores)}


# csynth.xml, as the tool's users read it: hls4ml (hls4ml/report/vivado_report.py) takes AreaEstimates/Resources and
# PerformanceEstimates/SummaryOfOverallLatency from it. A BRAM_18K is half of a block RAM.
_AREA = {
    "LUT": ("lut", 1.0),
    "FF": ("ff", 1.0),
    "BRAM_18K": ("bram36", 0.5),
    "URAM": ("uram288", 1.0),
    "DSP": ("dsp", 1.0),
}


_PERIOD = "PerformanceEstimates/SummaryOfTimingAnalysis/EstimatedClockPeriod"  # ns
_TIMES = {"Interval-max": "interval_cycles", "Worst-caseLatency": "latency_cycles"}


def synthesis_figures(folder: Path, kernel: str) -> dict[str, float]:
    """Return what HLS estimates of a PL kernel: logic, its clock, its interval and latency in cycles where they are numbers."""
    found: dict[str, float] = {}
    for file in sorted(folder.rglob("*csynth.xml")):
        if kernel in file.parts or file.name.startswith(f"{kernel}_csynth"):
            found |= _synthesised(file, kernel)
    return found


def _synthesised(file: Path, kernel: str) -> dict[str, float]:
    try:
        root = ET.parse(file).getroot()
    except (ET.ParseError, OSError):
        return {}
    if (root.findtext("UserAssignments/TopModelName") or kernel) != kernel:  # a function inside
        return {}
    area = {key: (f"AreaEstimates/Resources/{name}", share) for name, (key, share) in _AREA.items()}
    times = {
        key: (f"PerformanceEstimates/SummaryOfOverallLatency/{name}", 1.0) for name, key in _TIMES.items()
    }
    said = {key: ((root.findtext(at) or "").strip(), share) for key, (at, share) in (area | times).items()}
    found = {key: share * int(text) for key, (text, share) in said.items() if text.isdecimal()}
    period = (root.findtext(_PERIOD) or "").strip()
    if re.fullmatch(r"\d*\.?\d+", period) and float(period):
        found["clock_mhz"] = round(1e3 / float(period), 1)
    return found


def clocks_given(asked_mhz: Iterable[float], achieved: Mapping[str, float]) -> list[dict[str, float]]:
    """Return, for each clock that kernels ask for, the nearest of the timing summary and how far off it is.

    The linker only warns when it puts a kernel on another clock [UG1393 2023.1 --clock Options].
    """
    if not achieved:
        return []
    found = []
    for mhz in sorted(set(asked_mhz)):
        nearest = min(achieved.values(), key=lambda f: abs(f - mhz))
        found.append(
            {"asked_mhz": mhz, "given_mhz": nearest, "ppm": round(abs(nearest - mhz) / mhz * 1e6, 1)}
        )
    return found
