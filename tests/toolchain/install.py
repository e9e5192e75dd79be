"""Laying a stand-in installation out on disk as a release does: tools, platforms, Linux image, sysroot."""

from __future__ import annotations

import json
import os
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("v++", "aiecompiler", "x86simulator", "aiesimulator", "emconfigutil", "dtc")
EDF_DISK = "amd-cortexa72-common_edf-platform-disk-image"
EDF_WIC = "edf-platform-disk-image-amd-cortexa72-common.rootfs.wic.qemu-sd"
CROSS = "aarch64-xilinx-linux-g++"
BOARDS = {
    # memory tags and architecture: platform documentation of the two boards
    "vck190": {"architecture": "aie", "memory": ["DDR", "LPDDR"]},
    "vek280": {"architecture": "aie-ml", "memory": ["LPDDR"]},
}
# "Clocks for Kernels" of the platforms' README by board and first release, MHz, and their status in PFM.CLOCK
# (Xilinx/Vitis_Embedded_Platform_Source; XilinxCEDStore for what became of it with 2025.1).
CLOCKS = {
    ("vck190", "2022.1"): {
        "default": 312.5,
        "fixed": [156.25, 104.166666, 312.5, 78.125, 208.333333, 416.666666, 625],
        "fixed_non_ref": [],
    },
    ("vek280", "2022.1"): {"default": 300, "fixed": [150, 100, 300, 75, 200, 400, 600], "fixed_non_ref": []},
    ("vck190", "2025.1"): {"default": 312.5, "fixed": [100], "fixed_non_ref": [625, 312.5, 156.25, 78.125]},
    ("vek280", "2025.1"): {"default": 312.5, "fixed": [100], "fixed_non_ref": [625, 312.5, 156.25, 78.125]},
}


def clocks_of(board: str, release: str) -> dict[str, object]:
    """What platforminfo would list."""
    return CLOCKS[board, "2025.1" if release >= "2025.1" else "2022.1"]


@dataclass(frozen=True)
class Standin:
    """An installation: the environment that finds it, and where the calls are recorded."""

    root: Path
    release: str
    environment: Mapping[str, str]

    @property
    def record(self) -> Path:
        return self.root / "calls.jsonl"

    def calls(self) -> list[dict[str, object]]:
        if not self.record.is_file():
            return []
        return [json.loads(line) for line in self.record.read_text().splitlines()]

    def forget(self) -> None:
        self.record.unlink(missing_ok=True)


def install(root: Path, release: str, *, image: str = "petalinux", on_path: bool = True) -> Standin:
    """Write an installation of `release` below `root`; `image` is the Linux that its boards run."""
    new_layout = release >= "2025.1"
    vitis = root / release / "Vitis" if new_layout else root / "Vitis" / release
    for tool in (*TOOLS, CROSS, "ssh", "scp"):
        _script(vitis / "bin" / tool, tool)
    # The script of the vendor also puts its own Python first; nothing of aieloom may start that one.
    (vitis / "settings64.sh").write_text(
        f'export XILINX_VITIS="{vitis}"\nexport PATH="{vitis}/bin:$PATH"\nexport AIELOOM_STANDIN_SOURCED=1\n'
    )
    platforms = root / "platforms"
    for board in BOARDS:
        _platform(platforms, board, release, image)
    name = "amd" if image == "edf" else "xilinx"
    common = root / f"xilinx-versal-common-v{release}"
    sysroot = common / "sysroots" / f"cortexa72-cortexa53-{name}-linux"
    (sysroot / "usr/include/xrt").mkdir(parents=True)
    (sysroot / "usr/lib").mkdir()
    for library in ("xrt_coreutil", "xrt_core"):
        (sysroot / f"usr/lib/lib{library}.so").write_text("library")
    (common / "rootfs.ext4").write_text("rootfs")
    (common / "Image").write_text("kernel")
    environment = {
        "PLATFORM_REPO_PATHS": str(platforms),
        "SDKTARGETSYSROOT": str(sysroot),
        "CXX": f"{CROSS} -march=armv8-a -mtune=cortex-a72 --sysroot={sysroot}",  # as the SDK's script leaves it
        "AIELOOM_STANDIN_RELEASE": release,
        "AIELOOM_STANDIN_IMAGE": image,
        "AIELOOM_STANDIN_RECORD": str(root / "calls.jsonl"),
        "AIELOOM_STANDIN_BOARD": str(root / "board"),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "scripts"), str(ROOT)]),
    }
    if image == "edf":
        environment["YOCTO_ARTIFACTS"] = str(common)
        _edf(common, vitis)
    else:
        environment["COMMON_IMAGE_VERSAL"] = str(common)
    (root / "board").mkdir()
    if on_path:
        environment["XILINX_VITIS"] = str(vitis)
        environment["PATH"] = f"{vitis / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return Standin(root, release, environment)


def _script(path: Path, tool: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tests.toolchain.main {tool} "$@"\n')
    path.chmod(0o755)


def _platform(platforms: Path, board: str, release: str, image: str) -> None:
    year, _, minor = release.partition(".")
    name = f"{board}_base" if image == "edf" else f"xilinx_{board}_base_{year}{minor}0_1"
    what = {
        "name": name,
        "release": release,
        "clocks": clocks_of(board, release),
        **BOARDS[board],
    }
    (platforms / name).mkdir(parents=True)
    (platforms / name / f"{name}.xpfm").write_text(json.dumps(what))


def _edf(common: Path, vitis: Path) -> None:
    """The EDF downloads as they unpack, and the SDK with wic inside Vitis [Vitis-Tutorials 2026.1, Versal_w_EDF]."""
    (common / EDF_DISK).mkdir()
    with zipfile.ZipFile(common / EDF_DISK / EDF_WIC, "w") as disk:
        disk.writestr("1/boot.bin", "the prebuilt boot image")
    for board in BOARDS:
        prebuilt = common / f"amd-cortexa72-common_{board}_qemu_prebuilt"
        prebuilt.mkdir()
        (prebuilt / "combined.qemuboot.conf").write_text("[config_bsp]\n")
        (prebuilt / f"BOOT-versal-{board}-multidomain.bin").write_text("the prebuilt boot image")
    sdk = vitis / "data/emulation/qemu/comp/qemu_edf"
    _script(sdk / "sysroots/bin/wic", "wic")
    (sdk / "environment-setup-x86_64-amdedfsdk-linux").write_text(
        f'export PATH="{sdk}/sysroots/bin:$PATH"\nexport AIELOOM_UNSET_IN_SDK="$NO_SUCH_VARIABLE"\n'
    )
