"""A tool or file that this machine lacks: what, for what, and the line that mends it.

Of AMD's EDF download hardware emulation needs some parts, and of Vitis for it others [Vitis-Tutorials 2026.1, Versal_w_EDF].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aieloom.errors import MISSING, AieloomError


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """One thing that was not found. `name` is how a stage asks for it."""

    name: str
    what: str
    fix: str


class ToolMissing(AieloomError):
    """The flow stops where a vendor tool begins that is not installed; exit code 4."""

    exit_code = MISSING

    def __init__(self, stage: str, missing: Sequence[Missing], would_run: str) -> None:
        self.stage = stage
        self.missing = tuple(missing)
        first, *others = self.missing
        also = f"\n  also missing: {', '.join(m.what for m in others)}" if others else ""
        super().__init__(
            f"{stage} needs {first.what}, which is not on this machine{also}"
            f"\n  would run:\n{would_run}\n  fix: {first.fix}\n  `aieloom doctor` lists what every stage needs"
        )


DISK_IMAGE = "amd-cortexa72-common_edf-platform-disk-image"
WIC = "edf-platform-disk-image-amd-cortexa72-common.rootfs.wic.qemu-sd"
# below Vitis; has wic
SDK_SETUP = "data/emulation/qemu/comp/qemu_edf/environment-setup-x86_64-amdedfsdk-linux"


def qemu_prebuilt(board: str) -> str:
    """Return the folder of a board's QEMU files."""
    return f"amd-cortexa72-common_{board}_qemu_prebuilt"


def missing_parts(edf: Path | None, vitis: Path | None, board: str) -> str:
    """Return what of the EDF download hardware emulation lacks; empty when all is there."""
    places = [edf / name for name in (DISK_IMAGE, qemu_prebuilt(board))] if edf else []
    places += [vitis / SDK_SETUP] if vitis else []
    return ", ".join(str(place) for place in places if not place.exists())
