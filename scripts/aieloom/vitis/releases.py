"""What each Vitis release wants to be told: one entry a release, 2022.2 to 2026.1.

Sources: UG1076, UG1702, UG1393, UG1399, UG1400, UG1701 of these releases. An entry says only what differs.
Older ones have no buffer ports (`adf::input_buffer`, UG1076 2022.2), of which all graphs are made.
Where a release takes an old and a new form, the new one is used as soon as the manual describes it as the rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class AieForm(Enum):
    """The program that compiles graphs."""

    AIECOMPILER = "aiecompiler"
    VPP = "v++ --mode aie"  # appears in 2023.1, the manual's rule from 2023.2 [UG1553 2023.1, UG1076 2023.2]


class HlsForm(Enum):
    """How a PL kernel becomes an .xo."""

    KERNEL = "v++ -k"
    CONFIG = "v++ --mode hls"  # appears in 2023.1 [UG1553 2023.1]


class Image(Enum):
    """Which Linux the board runs: it decides how a design is packaged."""

    PETALINUX = "petalinux"  # the common image, packaged into an SD card
    EDF = "edf"  # the Embedded Development Framework's disk image, from 2026.1 [UG1701 2026.1]


_FLOW_TARGET = "flow_target=vitis"
_DEFAULT_AXI = "syn.interface.default_axi=1"  # replaces flow_target; false unless written [UG1702 2026.1]
_OLD_LIBRARIES = ("xrt_core", "xrt_coreutil")  # [UG1393 2022.2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One release of Vitis; what an entry does not say is as in most of them."""

    name: str
    xrt: str
    aie: AieForm = AieForm.VPP
    hls: HlsForm = HlsForm.CONFIG
    hls_interfaces: str = _FLOW_TARGET  # the line of [hls] that gives ports their Vitis defaults
    images: tuple[Image, ...] = (Image.PETALINUX,)
    host_libraries: tuple[str, ...] = (
        "xrt_coreutil",
    )  # xrt::graph alone needs no more [Vitis-Tutorials 2025.2]
    has_sw_emu: bool = False  # gone from the manual in 2025.1

    def sysroot_name(self, image: Image) -> str:
        """Folder of the target's root inside an SDK: its vendor part was renamed with EDF [UG1701 2026.1]."""
        return f"cortexa72-cortexa53-{'amd' if image is Image.EDF else 'xilinx'}-linux"


def _old(name: str, xrt: str) -> Release:
    return Release(
        name=name,
        xrt=xrt,
        aie=AieForm.AIECOMPILER,
        hls=HlsForm.KERNEL,
        host_libraries=_OLD_LIBRARIES,
        has_sw_emu=True,
    )


RELEASES: tuple[Release, ...] = (
    _old("2022.2", "2.14"),
    _old("2023.1", "2.15"),
    Release(name="2023.2", xrt="2.16", has_sw_emu=True),
    Release(name="2024.1", xrt="2.17", has_sw_emu=True),
    Release(name="2024.2", xrt="2.18", has_sw_emu=True),
    Release(name="2025.1", xrt="2.19"),
    Release(name="2025.2", xrt="2.20"),
    Release(name="2026.1", xrt="2.23", hls_interfaces=_DEFAULT_AXI, images=(Image.PETALINUX, Image.EDF)),
)
OLDEST, NEWEST = RELEASES[0], RELEASES[-1]

_VERSION = re.compile(r"20\d\d\.\d")


@dataclass(frozen=True, slots=True)
class Known:
    """The entry that serves a version, and what to tell the user about the choice (empty: an exact match)."""

    release: Release
    note: str = ""


def release_for(version: str) -> Known | None:
    """Return the entry that serves `version`; None for releases that are too old, or no version at all."""
    older = [r for r in RELEASES if r.name <= version] if _VERSION.fullmatch(version) else []
    if not older:
        return None
    best = older[-1]
    if best.name == version:
        return Known(best)
    return Known(
        best,
        f"Vitis {version} is not in the table; it is driven like {best.name}, the newest known before it",
    )


def find_version(text: str) -> str | None:
    """Return the first `2024.2` in a text."""
    found = _VERSION.search(text)
    return found[0] if found else None


def platform_suffix(version: str) -> str:
    """Return what the base platforms' names of a version end with: `_202420_1` for 2024.2."""
    year, _, minor = version.partition(".")
    return f"_{year}{minor}0_1"


def version_of_platform(name: str) -> str | None:
    """Return the release that a base platform's name carries: xilinx_vck190_base_202420_1 is 2024.2."""
    found = re.search(r"_(20\d\d)([12])0_\d+$", name)
    return f"{found[1]}.{found[2]}" if found else None
