"""`python -m tests.toolchain.main TOOL ARGUMENTS`: what every program of the stand-in installation calls."""

from __future__ import annotations

import sys

from tests.toolchain import ai_engines, board, edf, hls, system
from tests.toolchain.files import record
from tests.toolchain.options import Refused


def vpp(argv: list[str]) -> None:
    """Tell v++'s modes apart."""
    if "--version" in argv:
        board.version()
        return
    modes = [m for m in (("-c", "--compile"), ("-l", "--link"), ("-p", "--package")) if set(m) & set(argv)]
    if len(modes) != 1:
        raise Refused("exactly one of --compile, --link and --package is needed")
    if modes[0][0] == "-l":
        system.link(argv)
    elif modes[0][0] == "-p":
        system.package(argv)
    elif "--mode" in argv:
        mode = argv[argv.index("--mode") + 1]
        if mode not in {"aie", "hls"}:
            raise Refused(f"--mode {mode}: use aie or hls")
        (ai_engines.compile_new if mode == "aie" else hls.config_mode)(argv)
    else:
        hls.kernel_mode(argv)


TOOLS = {
    "v++": vpp,
    "aiecompiler": ai_engines.compile_old,
    "x86simulator": ai_engines.x86simulate,
    "aiesimulator": ai_engines.aiesimulate,
    "aarch64-xilinx-linux-g++": board.cross_compile,
    "launch_hw_emu.sh": board.launch,
    "emconfigutil": edf.emconfigutil,
    "dtc": edf.dtc,
    "wic": edf.wic,
    "ssh": board.ssh,
    "scp": board.scp,
}


def main() -> int:
    tool, argv = sys.argv[1], sys.argv[2:]
    if argv != ["--version"]:
        record(tool, argv)
    try:
        TOOLS[tool](argv)
    except Refused as e:
        text = str(e)
        print(text if "error:" in text or "cannot find" in text else f"ERROR: {text}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
