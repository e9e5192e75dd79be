"""What the tasks of the vendor's flow do: prepare data, run stages, judge simulations."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np

from aieloom import messages
from aieloom.emit.files import write_bytes, write_text
from aieloom.emit.names import SIMULATED_IMAGES
from aieloom.emulator.program import emulate
from aieloom.errors import RunFailed
from aieloom.flow.samples import load_samples
from aieloom.flow.vitis_flow import TIMED_FILES, Flow
from aieloom.flow.vitis_results import keep_host_run, keep_simulation
from aieloom.vitis import commands, edf, simdata
from aieloom.vitis.commands import Stage
from aieloom.vitis.releases import Image
from aieloom.vitis.run import LOG, StageFailed
from aieloom.vitis.settings import LIMIT_HOURS

EMULATED_SAMPLES = 1  # hardware emulation takes minutes an image
_SHOWN_PROBLEMS = 5


def write_plio(flow: Flow) -> None:
    """Write the input files of the array alone, for the first samples."""
    simdata.write_inputs(flow.project.build / "vitis" / "plio", _streams(flow))


def _streams(flow: Flow) -> tuple[simdata.Stream, ...]:
    project = flow.project
    x = load_samples(project).x
    images = x[np.arange(SIMULATED_IMAGES) % len(x)]  # fewer samples come round again
    return simdata.streams(project.array, project.parameters, images)


def write_card(flow: Flow) -> None:
    """Write what the host program reads on the board: samples, expected results, and the script that starts it."""
    project = flow.project
    x = load_samples(project).x[: EMULATED_SAMPLES if flow.target == "hw_emu" else None]
    golden = flow.made.reference(x)
    script = commands.run_script(flow.design, flow.target, flow.found.image)
    write_text(flow.card_folder / commands.RUN_SCRIPT, script)
    for name, values in (("input.bin", x), ("golden.bin", golden)):
        write_bytes(flow.card_folder / name, values.astype("<f4").tobytes())


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
        keep_simulation(flow, mode, agreement, folder)
        if not agreement.passed(flow.made.tolerance):
            raise StageFailed(_disagreement(flow, stage, agreement), known="wrong")

    if not flow.run(stage, judge):
        judge("")


TIMED = "vitis/timed"  # folder of the array's timed run


def simulate_in_time(flow: Flow) -> None:
    """Run the array alone in the emulator with times, compare every stream with the reference, keep what it told.

    Raises:
        ToolError: clang 14 is missing.
        RunFailed: the run failed, or its outputs are short or wrong.
    """
    project, folder = flow.project, flow.project.build / TIMED
    done = emulate(
        project.build / "src" / "aie" / "graph.cpp",
        arch=project.array.device.architecture.value,
        data=project.build / "vitis" / "plio",
        out=folder / "out",
        folder=folder / "build",
        timed=True,
        timestamps=True,
    )
    if done.code or done.cycles is None:
        raise RunFailed(done.stderr.strip())
    agreement = simdata.compare(folder / "out", _streams(flow))
    keep_simulation(flow, "timed", agreement, folder / "out")
    title = f"{project.name}: the array alone, {SIMULATED_IMAGES} images"
    from aieloom.flow.timed_system import keep_times  # noqa: PLC0415 - only a timed run needs it

    keep_times(done.cycles, title, [project.build / "report" / name for name in TIMED_FILES])
    if not agreement.passed(flow.made.tolerance):
        raise RunFailed("\n".join(agreement.problems[:_SHOWN_PROBLEMS]) or "values differ from the reference")


def _disagreement(flow: Flow, stage: Stage, a: simdata.Agreement) -> str:
    lines = [
        f"{stage.name} failed: the simulator claims success, but its outputs do not agree with the reference"
    ]
    lines += [f"  {p}" for p in a.problems[:_SHOWN_PROBLEMS]]
    if len(a.problems) > _SHOWN_PROBLEMS:
        lines.append(f"  and {len(a.problems) - _SHOWN_PROBLEMS} more")
    lines.append(
        f"  {a.received} of {a.expected} values, {a.differing} differ, largest error {a.max_abs_err:.3g} "
        f"(at most {flow.made.tolerance:g})"
    )
    log = flow.project.build / stage.folder / LOG
    return "\n".join(
        [*lines, f"  log: {log}", "  fix: see the log; `doit sim mode=emu` tells whether the design is right"]
    )


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
    made = next(iter(sorted(package.rglob("updated_zocl.dtsi"))), None)
    if made is None:
        return
    text = made.read_text(encoding="utf-8")
    overlay = card / "design.dtsi"  # the packager leaves the head of the file to whoever compiles it
    write_text(overlay, text if "/dts-v1/" in text else f"/dts-v1/; /plugin/;\n{text}")
    compiler = shutil.which("dtc")
    if compiler:
        subprocess.run(
            [compiler, "-@", "-O", "dtb", "-I", "dts", "-o", "design.dtbo", overlay.name],
            cwd=card,
            check=False,
            capture_output=True,
        )
    if not (card / "design.dtbo").is_file():
        note = "    note: no dtc here (apt-get install device-tree-compiler); on the board: dtc -@ -o design.dtbo design.dtsi"
        messages.say(note)


def emulation_stage(flow: Flow) -> Stage:
    """Return the stage of hardware emulation; QEMU gives up a little before we do."""
    hours = flow.found.limits.get("run", LIMIT_HOURS["run"])
    seconds = round(hours * 3600 * 0.9)
    boot = edf.hardware_emulation if flow.found.image is Image.EDF else commands.hardware_emulation
    return boot(seconds, array=bool(flow.design.aie_sources))


def emulate_hardware(flow: Flow) -> None:
    """Boot the packaged design in hardware emulation, run the host program, judge what it printed.

    Raises:
        StageFailed: it did not pass; the launcher's exit code says nothing about the program's.
    """
    if flow.found.image is Image.EDF:
        flow.run(edf.disk(flow.design, flow.found))
    stage = emulation_stage(flow)

    def judge(log: str) -> None:
        keep_host_run(flow, log, "v++ hw_emu")

    if not flow.run(stage, judge):
        judge((flow.project.build / stage.folder / LOG).read_text(encoding="utf-8", errors="replace"))
