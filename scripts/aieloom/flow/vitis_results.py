"""What the vendor's tools told: kept as report/<mode>.json, shown."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import cast

import numpy as np

from aieloom import messages
from aieloom.emit.files import write_text
from aieloom.flow.tool_runs import figure_lines, read_told
from aieloom.flow.vitis_flow import Flow
from aieloom.report.shape import StreamGolden, StreamTiming, Told
from aieloom.vitis import commands, reports, simdata
from aieloom.vitis.logs import read_log
from aieloom.vitis.releases import Image
from aieloom.vitis.run import LOG, StageFailed

TIMED = "aieloom emulate --timed"


def _tool_name(flow: Flow, tool: str) -> str:
    return f"{tool}, Vitis {flow.found.version}"


def keep_simulation(flow: Flow, mode: str, a: simdata.Agreement, folder: Path) -> None:
    """Keep how a simulation of the array compared, and what it told about time."""
    told: Told = {
        "mode": mode,
        "produced_by": TIMED
        if mode == "timed"
        else _tool_name(flow, "x86simulator" if mode == "x86" else "aiesimulator"),
        "passed": a.passed(flow.made.tolerance),
        "what": f"the array alone on {a.images} images, each PLIO stream against the reference",
        "golden": cast(StreamGolden, {**asdict(a), "bit_exact": a.bit_exact}),
    }
    if mode in {"aie", "timed"}:
        told["performance"] = _performance(a, folder, flow.project.array.device.clocks.aie_mhz)
    _keep(flow, mode, told)


def _performance(a: simdata.Agreement, folder: Path, aie_mhz: float) -> StreamTiming:
    """Return what a simulation in time tells: from its output's timestamps, and each core's profile beside it."""
    profile = reports.profile_figures(folder)
    found: StreamTiming = {"aie_mhz": aie_mhz, "profile": profile}
    if a.timing:
        found.update(cast(StreamTiming, asdict(a.timing)))
        found["source"] = "timestamps of the output words"
        if a.timing.throughput_fps:
            found["throughput_fps"] = round(a.timing.throughput_fps, 1)
            found["throughput_of"] = (
                "the array: interval between images at the outputs of "
                f"{', and then of '.join(a.timing.slowest_of_subgraphs)}"
            )
    if profile:
        found["bound_fps"] = round(aie_mhz * 1e6 / profile["slowest"]["kernel_cycles"] * a.images, 1)
        found["bound_of"] = "the slowest core's kernel cycles for an image, streams not waiting"
    return found


def _keep(flow: Flow, mode: str, told: Told) -> None:
    write_text(flow.project.build / "report" / f"{mode}.json", json.dumps(told, indent=1) + "\n")


def finish_build(flow: Flow) -> None:
    """Keep the build's figures and say how the design is run."""
    told = _build_told(flow)
    _keep(flow, flow.target, told)
    lines = [*figure_lines(told), *how_to_run(flow)]
    messages.say("\n".join(lines))


def _build_told(flow: Flow) -> Told:
    """Return the figures of the packaged design, with its last run when it was this very design that ran."""
    build = flow.project.build
    figures = reports.build_figures(build / flow.link().folder)
    told: Told = {
        "mode": flow.target,
        "produced_by": f"Vitis {flow.found.version}",
        "what": "linked and packaged; `run` is there when this very design ran",
        # what tells one packaged design from another
        "packaged": hashlib.sha256((flow.project.build / flow.package().stamp).read_bytes()).hexdigest()[:16],
        "clocks": reports.clocks_given(
            (k.hz / 1e6 for k in flow.design.kernels), figures.get("timing", {}).get("clocks_mhz", {})
        ),
        "warnings": _warnings(flow),
    }
    if flow.design.aie_sources:
        told["array"] = reports.array_figures(build / "vitis" / "aiecom" / "Work")
    told.update(cast(Told, figures))
    try:
        earlier = read_told(flow.project, flow.target)
    except (OSError, ValueError):
        return told
    same = earlier.get("packaged") == told["packaged"] and "run" in earlier
    return {**told, "run": earlier["run"]} if same else told


def _warnings(flow: Flow) -> dict[str, int]:
    counted: dict[str, int] = {}
    for stage in (*flow.graph(), *flow.kernels(), flow.link(), flow.package()):
        log = flow.project.build / stage.folder / LOG
        if log.is_file():
            counted[stage.name] = read_log(log.read_text(encoding="utf-8", errors="replace")).warnings
    return counted


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


def keep_host_run(flow: Flow, log: str, tool: str, power_w: dict[str, float] | None = None) -> None:
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
    told["run"] = {"produced_by": _tool_name(flow, tool), "passed": passed, "output": lines}
    if power_w is not None:
        told["run"]["power_w"] = power_w
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
    worst = np.abs(found - golden).max(initial=0) if found.size == golden.size else np.inf
    return bool(worst <= flow.made.tolerance)
