"""The stand-ins of EDF's tools: emconfigutil, dtc, wic (whose disk image is a zip archive here), and QEMU's launcher."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from tests.toolchain import faults
from tests.toolchain.files import read_zip, write
from tests.toolchain.install import EDF_WIC
from tests.toolchain.options import Refused

MAGIC = "dtb overlay of "


def _pairs(argv: list[str], known: dict[str, int], tool: str) -> tuple[dict[str, str], list[str]]:
    told: dict[str, str] = {}
    inputs: list[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            inputs.append(word)
            continue
        name, equals, value = word.partition("=")
        if name not in known or (known[name] and not equals and not rest):
            raise Refused(f"{tool}: unknown or incomplete argument {word}")
        told[name] = value if equals else rest.pop(0) if known[name] else ""
    return told, inputs


def emconfigutil(argv: list[str]) -> None:
    """--platform LINKED.xsa --od DIR --nd 1."""
    told, inputs = _pairs(argv, {"--platform": 1, "--od": 1, "--nd": 1}, "emconfigutil")
    if inputs or told.get("--nd") != "1":
        raise Refused("emconfigutil: --platform, --od and --nd 1 are needed")
    if read_zip(Path(told["--platform"]), "xsa")["target"] != "hw_emu":
        raise Refused("emconfigutil: the .xsa was not linked for hw_emu")
    write(Path(told["--od"]) / "emconfig.json", "{}\n")


def dtc(argv: list[str]) -> None:
    """-@ -O dtb -I dts -o FILE SOURCE; a source without its head is refused."""
    told, inputs = _pairs(argv, {"-@": 0, "-O": 1, "-I": 1, "-o": 1}, "dtc")
    if len(inputs) != 1 or "-@" not in told:
        raise Refused("dtc: an overlay needs -@ and one source")
    text = Path(inputs[0]).read_text()
    if not text.startswith("/dts-v1/") or text.count("/dts-v1/") != 1:
        raise Refused(f"Error: {inputs[0]}:1.1 syntax error: FATAL ERROR: Unable to parse input tree")
    write(Path(told["-o"]), MAGIC + str(len(text)))


def wic(argv: list[str]) -> None:
    """cp --sector-size=512 FILE IMAGE:PARTITION."""
    if argv[:1] != ["cp"]:
        raise Refused("wic: only cp is known here")
    told, inputs = _pairs(argv[1:], {"--sector-size": 1}, "wic")
    if told.get("--sector-size") != "512" or len(inputs) != 2:
        raise Refused("wic cp: --sector-size=512 SOURCE IMAGE:PARTITION")
    faults.before("disk")
    source, (image, _, partition) = Path(inputs[0]), inputs[1].rpartition(":")
    if partition not in {"1", "2"} or not zipfile.is_zipfile(image):
        raise Refused(f"wic cp: {inputs[1]} is no partition of a disk image")
    if not source.is_file():
        raise Refused(f"wic cp: {source} does not exist")
    with zipfile.ZipFile(image) as old:
        kept = {n: old.read(n) for n in old.namelist() if n != f"{partition}/{source.name}"}
    with zipfile.ZipFile(image, "w") as new:
        for name, data in {**kept, f"{partition}/{source.name}": source.read_bytes()}.items():
            new.writestr(name, data)


def launch(told: dict[str, str], run_script: Callable[[Path, str], int]) -> None:
    """Boot the disk: its first partition must hold the design's boot image, its second what the script needs."""
    config = Path(told["-qemu-config"])
    script = _check_arguments(told, config)
    faults.before("hw_emu")
    print("Booting Linux on physical CPU 0x0", flush=True)
    with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(config.parent / EDF_WIC) as disk:
        disk.extractall(name)
        _check_disk(Path(name), script)
        run_script(Path(name) / "2", script)
    print("[LAUNCH_EMULATOR] INFO: 12:00:00 : PS-QEMU exited")


def _check_arguments(told: dict[str, str], config: Path) -> str:
    """Return the script that the guest runs."""
    if not config.is_absolute() or not config.is_file():
        raise Refused(f"[LAUNCH_EMULATOR] -qemu-config {config} does not exist")
    if (told.get("-login"), told.get("-password")) != ("amd-edf", "amd-edf"):
        raise Refused("[LAUNCH_EMULATOR] login incorrect")
    work = Path(told.get("-aie-sim-options", "")).read_text().strip().removeprefix("AIE_PKG_DIR=")
    if not Path(work, "standin.json").is_file():
        raise Refused(f"[LAUNCH_EMULATOR] AIE_PKG_DIR={work} has no compiled graph")
    steps = [step.strip() for step in told["-run-app"].split(";")]
    if steps[:2] != ["mount /dev/mmcblk0p2 /media", "cd /media"] or len(steps) != 3:
        raise Refused(f"[LAUNCH_EMULATOR] nothing to run: {steps}")
    return steps[2].split("/")[-1]


def _check_disk(disk: Path, script: str) -> None:
    text = (disk / "2" / script).read_text()
    if "design" not in (disk / "1/boot.bin").read_text():
        raise Refused("the PLM loaded no PL and AIE image")
    if "fpgautil -o design.dtbo" not in text or not (disk / "2/design.dtbo").read_text().startswith(MAGIC):
        raise Refused("No such device with index '0'")
    if not (disk / "2/emconfig.json").is_file() or "XCL_EMULATION_MODE=hw_emu" not in text:
        raise Refused("XRT: no emulated device")
