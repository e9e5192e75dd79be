"""What hardware emulation needs of AMD's EDF download, and of Vitis for it [Vitis-Tutorials 2026.1, Versal_w_EDF]."""

from __future__ import annotations

from pathlib import Path

DISK_IMAGE = "amd-cortexa72-common_edf-platform-disk-image"
WIC = "edf-platform-disk-image-amd-cortexa72-common.rootfs.wic.qemu-sd"
SDK_SETUP = (
    "data/emulation/qemu/comp/qemu_edf/environment-setup-x86_64-amdedfsdk-linux"  # below Vitis; has wic
)


def qemu_prebuilt(board: str) -> str:
    """Return the folder of a board's QEMU files."""
    return f"amd-cortexa72-common_{board}_qemu_prebuilt"


def missing_parts(edf: Path | None, vitis: Path | None, board: str) -> str:
    """Return what of the EDF download hardware emulation lacks; empty when all is there."""
    places = [edf / name for name in (DISK_IMAGE, qemu_prebuilt(board))] if edf else []
    places += [vitis / SDK_SETUP] if vitis else []
    return ", ".join(str(place) for place in places if not place.exists())
