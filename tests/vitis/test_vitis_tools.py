"""Releases, discovery and the doctor: against the facts of each release, with installations on disk."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from aieloom.spec.device import load_device
from aieloom.vitis import commands
from aieloom.vitis.discover import Installation, discover, tool_environment
from aieloom.vitis.doctor import WHAT, diagnose, stage_needs
from aieloom.vitis.releases import (
    NEWEST,
    RELEASES,
    AieForm,
    HlsForm,
    Image,
    find_version,
    platform_suffix,
    release_for,
    version_of_platform,
)
from aieloom.vitis.settings import ENVIRONMENT, LIMIT_HOURS, MEANING, read_settings
from tests.toolchain.install import install

# Section 1 of the vendor's facts: commands, base platforms, XRT by release.
FACTS = [
    ("2022.2", AieForm.AIECOMPILER, HlsForm.KERNEL, "xilinx_vck190_base_202220_1", "2.14"),
    ("2023.1", AieForm.AIECOMPILER, HlsForm.KERNEL, "xilinx_vck190_base_202310_1", "2.15"),
    ("2023.2", AieForm.VPP, HlsForm.CONFIG, "xilinx_vck190_base_202320_1", "2.16"),
    ("2024.1", AieForm.VPP, HlsForm.CONFIG, "xilinx_vck190_base_202410_1", "2.17"),
    ("2024.2", AieForm.VPP, HlsForm.CONFIG, "xilinx_vck190_base_202420_1", "2.18"),
    ("2025.1", AieForm.VPP, HlsForm.CONFIG, "xilinx_vck190_base_202510_1", "2.19"),
    ("2025.2", AieForm.VPP, HlsForm.CONFIG, "xilinx_vck190_base_202520_1", "2.20"),
    ("2026.1", AieForm.VPP, HlsForm.CONFIG, "xilinx_vck190_base_202610_1", "2.23"),
]


@pytest.mark.parametrize(("name", "aie", "hls", "platform", "xrt"), FACTS, ids=[f[0] for f in FACTS])
def test_a_release_is_as_documented(name: str, aie: AieForm, hls: HlsForm, platform: str, xrt: str) -> None:
    known = release_for(name)
    assert known and not known.note
    release = known.release
    assert (release.aie, release.hls, release.xrt) == (aie, hls, xrt)
    assert "xilinx_vck190_base" + platform_suffix(name) == platform
    assert version_of_platform(platform) == name
    assert release.has_sw_emu == (name < "2025")
    assert (Image.EDF in release.images) == (name == "2026.1")
    assert (release.hls_interfaces == "flow_target=vitis") == (name < "2026")
    assert release.sysroot_name(Image.PETALINUX) == "cortexa72-cortexa53-xilinx-linux"
    assert release.sysroot_name(Image.EDF) == "cortexa72-cortexa53-amd-linux"


def test_every_release_is_tested() -> None:
    assert [r.name for r in RELEASES] == [f[0] for f in FACTS]


@pytest.mark.parametrize(
    ("version", "serves"),
    [("2027.1", "2026.1"), ("2026.2", "2026.1"), ("2023.3", "2023.2"), ("2030.1", "2026.1")],
)
def test_unknown_releases_use_the_newest_known_before_and_say_so(version: str, serves: str) -> None:
    known = release_for(version)
    assert known and known.release.name == serves
    assert version in known.note and serves in known.note


@pytest.mark.parametrize("version", ["2022.1", "2021.2", "2020.1", "", "banana", "2024"])
def test_what_is_too_old_or_no_release_has_no_entry(version: str) -> None:
    assert release_for(version) is None


def test_versions_are_found_in_banners() -> None:
    banner = "****** v++ v2022.2 (64-bit)\n  **** SW Build 3671529 on 2022-10-13-17:52:11\n"
    assert find_version(banner) == "2022.2"
    assert find_version("v++ v24") is None
    assert version_of_platform("vek280_base") is None


def found(environment: dict[str, str], *folders: Path, board: str = "vck190", **told: str) -> Installation:
    settings = read_settings(folders, command_line=told, environment=environment)
    return discover(load_device(board), settings, environment)


@pytest.fixture
def bare() -> dict[str, str]:
    """An environment that knows of no tool."""
    return {"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/")}


@pytest.mark.parametrize("release", ["2022.2", "2024.2", "2025.2"])
def test_an_installation_on_path_is_found_whole(tmp_path: Path, bare: dict[str, str], release: str) -> None:
    standin = install(tmp_path / "t", release)
    have = found({**bare, **standin.environment}, cxx="aarch64-xilinx-linux-g++")
    assert have.version == release and have.release.name == release
    assert set(have.tools) == {"v++", "aiecompiler", "x86simulator", "aiesimulator"}
    assert not have.missing and not have.notes
    assert have.platform and have.platform.is_file() and have.sysroot and have.rootfs and have.kernel_image
    assert have.compiler == ("aarch64-xilinx-linux-g++",)


def test_an_installation_that_was_not_sourced_is_found_by_its_folder(
    tmp_path: Path, bare: dict[str, str]
) -> None:
    standin = install(tmp_path / "t", "2025.2", on_path=False)
    vitis = tmp_path / "t" / "2025.2" / "Vitis"
    environment = {**standin.environment, **bare}
    assert "v++" in found(environment).missing
    have = found(environment, vitis=str(vitis))
    assert have.version == "2025.2" and "v++" in have.tools
    ready = tool_environment(have, environment)
    assert ready["XILINX_VITIS"] == str(vitis) and ready["AIELOOM_STANDIN_SOURCED"] == "1"
    done = subprocess.run(["v++", "--version"], env=ready, capture_output=True, text=True, check=True)
    assert "2025.2" in done.stdout


def test_a_tool_that_says_no_version_is_known_by_its_folder(tmp_path: Path, bare: dict[str, str]) -> None:
    for parts in (("Vitis", "2024.1"), ("2025.1", "Vitis")):
        vpp = tmp_path.joinpath(*parts, "bin", "v++")
        vpp.parent.mkdir(parents=True)
        vpp.write_text("#!/bin/sh\necho nothing\n")
        vpp.chmod(0o755)
        have = found({**bare, "XILINX_VITIS": str(vpp.parent.parent)})
        assert have.version == next(p for p in parts if p != "Vitis")


def test_an_older_release_is_refused_and_a_newer_one_driven(tmp_path: Path, bare: dict[str, str]) -> None:
    old = install(tmp_path / "old", "2021.2")
    have = found({**bare, **old.environment})
    assert "release" in have.missing and "2021.2" in have.missing["release"].what
    new = install(tmp_path / "new", "2027.1")
    have = found({**bare, **new.environment})
    assert have.release is NEWEST and any("2027.1" in note for note in have.notes)


def test_the_command_line_goes_before_the_file_and_the_file_before_the_environment(
    tmp_path: Path, bare: dict[str, str]
) -> None:
    project, root = tmp_path / "project", tmp_path
    project.mkdir()
    for name in ("one", "two", "three", "four"):
        (tmp_path / name).write_text("rootfs")
    (root / "aieloom.toml").write_text(
        f'[vitis]\nrootfs = "{tmp_path}/two"\n[limits]\nlink = 7\naiecom = 1\n'
    )
    environment = {**bare, "ROOTFS": f"{tmp_path}/one"}
    assert found(environment).rootfs == tmp_path / "one"
    assert found(environment, root).rootfs == tmp_path / "two"
    (project / "aieloom.toml").write_text(f'[vitis]\nrootfs = "{tmp_path}/three"\n[limits]\nlink = 9\n')
    have = found(environment, project, root)
    assert have.rootfs == tmp_path / "three" and have.limits == {"link": 9.0, "aiecom": 1.0}
    assert found(environment, project, root, rootfs=f"{tmp_path}/four").rootfs == tmp_path / "four"


def test_a_file_that_does_not_exist_is_noted(tmp_path: Path, bare: dict[str, str]) -> None:
    have = found({**bare, "ROOTFS": f"{tmp_path}/lost"})
    assert any("ROOTFS names" in note and "does not exist" in note for note in have.notes)
    assert "rootfs" in have.missing


def test_the_edf_image_is_taken_when_only_its_platform_is_there(tmp_path: Path, bare: dict[str, str]) -> None:
    edf = install(tmp_path / "edf", "2026.1", image="edf")
    have = found({**bare, **edf.environment}, board="vek280", cxx="aarch64-xilinx-linux-g++")
    assert (
        have.image is Image.EDF and have.platform_name == "vek280_base" and not have.lacks(("edf", "sysroot"))
    )
    forced = found({**bare, **edf.environment}, image="petalinux")
    assert forced.image is Image.PETALINUX and "platform" in forced.missing


def test_a_platform_can_be_a_name_or_a_file(tmp_path: Path, bare: dict[str, str]) -> None:
    file = tmp_path / "mine" / "mine.xpfm"
    file.parent.mkdir()
    file.write_text("{}")
    assert found({**bare, "PLATFORM_REPO_PATHS": f"/nowhere:{tmp_path}"}, platform="mine").platform == file
    assert found(bare, platform=str(file)).platform == file
    assert "platform" in found(bare, platform=f"{tmp_path}/lost.xpfm").missing
    old = found(bare, platform="/p/xilinx_vck190_base_202320_1/xilinx_vck190_base_202320_1.xpfm")
    assert old.release.name == "2023.2"  # without a Vitis, the platform's name tells the release


def test_the_doctor_says_what_is_missing_for_which_stage(bare: dict[str, str]) -> None:
    text = "\n".join(diagnose(found(bare)))
    for line in (
        "x86com",
        "lacks v++, platform",
        "to mend:",
        "settings64.sh",
        "PLATFORM_REPO_PATHS",
        "sdk.sh -d",
    ):
        assert line in text
    assert re.search(r"^  emu +everything above in the built-in emulator +ready$", text, re.MULTILINE)


def test_without_the_edf_downloads_hardware_emulation_says_what_is_missing(
    tmp_path: Path, bare: dict[str, str]
) -> None:
    standin = install(tmp_path / "t", "2026.1", image="edf")
    environment = {**bare, **standin.environment}
    whole = found(environment, cxx="aarch64-xilinx-linux-g++")
    assert not whole.lacks(stage_needs(whole)["hw_emu"])
    next(standin.root.glob("*/amd-cortexa72-common_vck190_qemu_prebuilt")).rename(tmp_path / "aside")
    have = found(environment, cxx="aarch64-xilinx-linux-g++")
    (missing,) = have.lacks(stage_needs(have)["hw_emu"])
    assert "amd-cortexa72-common_vck190_qemu_prebuilt" in missing.what and "QEMU prebuilt" in missing.fix
    assert not have.lacks(stage_needs(have)["package"]), "the board needs none of it"


def test_the_doctor_finds_a_whole_installation_ready(tmp_path: Path, bare: dict[str, str]) -> None:
    standin = install(tmp_path / "t", "2024.2")
    have = found({**bare, **standin.environment}, cxx="aarch64-xilinx-linux-g++")
    lines = list(diagnose(have))
    assert "to mend:" not in lines
    for stage in stage_needs(have):
        assert any(line.startswith(f"  {stage} ") and line.endswith("ready") for line in lines)


def test_every_setting_is_explained_and_every_stage_limited() -> None:
    assert set(ENVIRONMENT) == set(MEANING) and all(MEANING.values())
    assert set(WHAT) - {commands.EMULATION} <= set(LIMIT_HOURS)
