"""The stand-ins behind the host compiler, QEMU's launcher, ssh and scp: the host program really runs, in the emulator.

The cross compiler's "program" names its source; running it builds host, PL kernels and graph with aieloom's
emulator, natively, and runs that on the files of the card.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.toolchain import edf, faults
from tests.toolchain.files import digest, release, write
from tests.toolchain.options import Refused
from tests.toolchain.system import unpack

HOST_MAGIC = "\x7fELF standin host "


def cross_compile(argv: list[str]) -> None:
    """aarch64-...-g++: needs a sysroot with XRT, C++17, and libraries that the sysroot has."""
    text = " ".join(argv)
    sysroot = re.search(r"--sysroot=(\S+)", text)
    if not sysroot or not Path(sysroot[1], "usr/include/xrt").is_dir():
        raise Refused("fatal error: xrt/xrt_device.h: No such file or directory")
    if "-std=c++17" not in argv:
        raise Refused("error: XRT needs C++17")
    for word in argv:
        if word.startswith("-l") and not Path(sysroot[1], "usr/lib", f"lib{word[2:]}.so").exists():
            raise Refused(f"/usr/bin/ld: cannot find {word}")
    sources = [Path(w) for w in argv if w.endswith(".cpp")]
    if len(sources) != 1 or not sources[0].is_file():
        raise Refused(f"error: no input files: {sources}")
    faults.before("host")
    output = Path(argv[argv.index("-o") + 1])
    if faults.during("host"):
        return
    what = {"source": str(sources[0].resolve()), "digest": digest(sources)}
    write(output, HOST_MAGIC + json.dumps(what))
    output.chmod(0o755)


def _run_host(card: Path, arguments: list[str]) -> int:
    """Run the card's host program on the card's files; its outputs are written there."""
    from aieloom.emulator.build import (  # noqa: PLC0415
        Design,
        compile_step,
        design_steps,
        runtime_steps,
        write_xclbin,
    )
    from aieloom.emulator.compiler import link  # noqa: PLC0415
    from aieloom.emulator.units import unit_objects  # noqa: PLC0415
    from aieloom.spec.architecture import Architecture  # noqa: PLC0415

    program, xclbin = card / arguments[0], card / arguments[1]
    host = Path(json.loads(program.read_text().removeprefix(HOST_MAGIC))["source"])
    system = unpack(xclbin)
    aie = next((Path(a["sources"]) for a in system["archives"]), None)  # none: no part of it is on the array
    architecture = Architecture("aie" if "vck190" in system["platform"] else "aie-ml")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        design = Design(
            name="board",
            architecture=architecture,
            graph=aie / "graph.cpp" if aie else None,
            kernels=tuple(sorted(aie.rglob("*.cc"))) if aie else (),
            pl=tuple(Path(k["source"]) for k in system["kernels"]),
            host=(host,),
            config=Path(system["config"][0]),
            includes=(*filter(None, [aie]), host.parent),
        )
        steps = (*runtime_steps(folder), *design_steps(design, folder))
        for step in steps:
            compile_step(step)
        link(unit_objects(steps, Path(system["config"][0]), folder), folder / "program")
        for file in card.iterdir():  # what a program reads beside its xclbin
            if file != xclbin and file.is_file():
                (folder / file.name).symlink_to(file.resolve())
        write_xclbin(Path(system["config"][0]), folder / xclbin.name)
        words = [str(folder / "program"), str(folder / xclbin.name), *arguments[2:]]
        done = subprocess.run(words, cwd=card, capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr, sep="", end="")
    return done.returncode


def _run_script(card: Path, script: str) -> int:
    """Run the card's script as the board's shell would: the line that starts the host is all that matters here."""
    text = (card / script).read_text()
    line = re.search(r"^\./(.+)$", text, re.MULTILINE)
    if not line or "RC=" not in text:
        raise Refused(f"{script} does not run the host program")
    code = _run_host(card, line[1].split())
    print("INFO: TEST PASSED, RC=0" if code == 0 else f"ERROR: Embedded host run failed, RC={code}")
    print("INFO: Embedded host run completed.")
    return code


def _spoil_golden(step: str, card: Path) -> None:
    """Have the host program find a difference, where that fault is asked for."""
    if faults.kind_of(step) == "wrong":
        golden = bytearray((card / "golden.bin").read_bytes())
        golden[3] ^= 0x40
        (card / "golden.bin").write_bytes(golden)


def launch(argv: list[str]) -> None:
    """launch_hw_emu.sh -run-app SCRIPT ...: its own exit code does not tell how the application went."""
    known = {"-no-reboot": 0, "-run-app": 1, "-timeout": 1, "-add-env": 1, "-pid-file": 1, "-g": 0}
    if os.environ.get("AIELOOM_STANDIN_IMAGE") == "edf":
        known |= {"-qemu-config": 1, "-login": 1, "-password": 1, "-aie-sim-options": 1}
    told: dict[str, str] = {}
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word not in known or len(rest) < known[word]:
            raise Refused(f"[LAUNCH_EMULATOR] unknown or incomplete argument {word}")
        told[word] = rest.pop(0) if known[word] else ""
    if "-qemu-config" in told:
        edf.launch(told, _run_script)
        return
    name, _, work = told.get("-add-env", "").partition("=")
    if name != "AIE_COMPILER_WORKDIR" or not Path(work, "standin.json").is_file():
        raise Refused(f"[LAUNCH_EMULATOR] AIE_COMPILER_WORKDIR={work} has no compiled graph")
    faults.before("hw_emu")
    print("Booting Linux on physical CPU 0x0", flush=True)
    if faults.kind_of("hw_emu") == "silent":
        print("[LAUNCH_EMULATOR] INFO: 12:00:00 : PS-QEMU exited")
        return
    card = Path("sd_card")
    _spoil_golden("hw_emu", card)
    _run_script(card, told["-run-app"])
    print("[LAUNCH_EMULATOR] INFO: 12:00:00 : PS-QEMU exited")


def ssh(argv: list[str]) -> None:
    """ssh [-o K=V] HOST COMMAND: a board that is a folder, AIELOOM_STANDIN_BOARD."""
    words = _without_options(argv)
    faults.before("ssh")
    board = Path(os.environ["AIELOOM_STANDIN_BOARD"])
    host, command = words[0], " ".join(words[1:])
    if "unreachable" in host:
        print(f"ssh: connect to host {host} port 22: No route to host", file=sys.stderr)
        sys.exit(255)
    made = re.fullmatch(r"mkdir -p (\S+)", command)
    if made:
        (board / made[1].lstrip("/")).mkdir(parents=True, exist_ok=True)
        return
    run = re.fullmatch(r"cd (\S+) && sh (\S+)", command)
    if run:
        card = board / run[1].lstrip("/")
        _spoil_golden("ssh", card)
        sys.exit(_run_script(card, run[2]))
    if "hwmon" in command:
        print("ina226_u1 12500000\nina226_u2 2500000")
        return
    raise Refused(f"ssh: {command}: not found")


def scp(argv: list[str]) -> None:
    words = _without_options(argv)
    board = Path(os.environ["AIELOOM_STANDIN_BOARD"])
    *sources, target = [re.sub(r"^[^/:]+:", lambda _m: f"{board}/", w) for w in words]
    for source in sources:
        shutil.copy(source.replace("//", "/"), target.replace("//", "/"))


def _without_options(argv: list[str]) -> list[str]:
    words, rest = [], list(argv)
    while rest:
        word = rest.pop(0)
        if word in {"-o", "-p", "-P"}:
            rest.pop(0)
        elif not re.fullmatch(r"-[qBr]", word):
            words.append(word)
    return words


def version() -> None:
    year, minor = release()
    print(f"****** v++ v{year}.{minor} (64-bit)\n  **** SW Build 3671529 on 2022-10-13-17:52:11")
