"""The host program against the XRT of this machine: where there is no sysroot of a board, its C++ is checked all the same.

XRT's headers are the same for every processor: g++ finds what another XRT does not take, and asks for no licence.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from aieloom.vitis.design import VitisDesign
from aieloom.vitis.logs import read_log
from aieloom.vitis.run import LOG, StageFailed

FOLDERS = ("/usr/include/xrt", "/opt/xilinx/xrt/include")  # of Debian's libxrt-dev; of AMD's package
HEADER = "xrt/xrt_device.h"
FLAGS = ("-std=c++17", "-fsyntax-only", "-Wall", "-Wextra")


def native_headers(environment: Mapping[str, str]) -> Path | None:
    """Return where this machine's own XRT has its headers; None where it has none, or no g++."""
    named = environment.get("XILINX_XRT")
    folders = [*([Path(named) / "include"] if named else []), *map(Path, FOLDERS)]
    if not shutil.which("g++", path=environment.get("PATH")):
        return None
    return next((folder for folder in folders if (folder / HEADER).is_file()), None)


def check_host(design: VitisDesign, build: Path, headers: Path) -> None:
    """Have g++ read the host program with these headers; its log is the stage's.

    Raises:
        StageFailed: it refuses it.
    """
    folder = build / "vitis" / "host"
    folder.mkdir(parents=True, exist_ok=True)
    source = os.path.relpath(build / design.host_source, folder)
    command = ["g++", *FLAGS, f"-I{headers}", source]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    text = done.stdout + done.stderr
    (folder / LOG).write_text(text, encoding="utf-8")
    if done.returncode:
        found = read_log(text)
        lines = [f"host failed: {found.first_error or f'exit code {done.returncode}'}"]
        if found.known:
            lines += [
                f"  meaning [{found.known.name}]: {found.known.meaning}",
                f"  fix: {found.known.remedy}",
            ]
        raise StageFailed("\n".join(lines), known=found.known.name if found.known else "")
