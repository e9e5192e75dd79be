"""Every clock in every generated configuration file is one that the platform of the release lists or derives."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from aieloom.emit.system import system as linked
from aieloom.errors import SpecError
from aieloom.flow.designs import design_of
from aieloom.flow.opening import open_project
from aieloom.flow.tool_runs import figure_lines
from aieloom.plan.clocks import TOLERANCE_PPM, origin, source_of, sources, synthesised
from aieloom.plan.whole import whole
from aieloom.spec.device import load_device
from aieloom.vitis import reports
from aieloom.vitis.commands import hls_config
from aieloom.vitis.discover import Installation
from aieloom.vitis.doctor import diagnose
from aieloom.vitis.releases import RELEASES, Image
from tests.designs import ROOT
from tests.toolchain import config, system
from tests.toolchain.install import clocks_of
from tests.toolchain.options import Refused
from tests.vitis.conftest import Folder

BOARDS = ("vck190", "vek280")


@pytest.mark.parametrize("board", BOARDS)
def test_the_catalogue_lists_what_the_platforms_of_each_release_list(board: str) -> None:
    listed = {c.releases: c for c in load_device(board).platform.clocks}
    for release in RELEASES:
        ours = [c for (first, last), c in listed.items() if first <= release.name <= last]
        theirs = clocks_of(board, release.name)
        assert len(ours) == 1, f"{release.name} has one entry"
        assert sorted(ours[0].fixed_mhz) == sorted(theirs["fixed"])  # type: ignore[call-overload]
        assert sorted(ours[0].fixed_non_ref_mhz) == sorted(theirs["fixed_non_ref"])  # type: ignore[call-overload]
        assert ours[0].default_mhz == theirs["default"]


def test_a_clock_within_20_millionths_is_the_one_that_is_listed() -> None:
    """So far platforminfo may round; what is farther off is made of a fixed clock, where that comes nearer."""
    given = load_device("vek280").platform.clocks[-1]
    for ppm, reference in ((19.5, None), (20.5, 2 * 100.00205)):
        asked = 100 * (1 + ppm / 1e6)
        clocks = given.model_copy(update={"fixed_mhz": (2 * asked,), "fixed_non_ref_mhz": (100.0,)})
        found = source_of(clocks, asked)
        assert found.reference_mhz == (reference and pytest.approx(reference))
        assert found.mhz == pytest.approx(asked if reference else 100.0, rel=1e-9)


def _installed(board: str, release_name: str) -> Installation:
    release = next(r for r in RELEASES if r.name == release_name)
    return Installation(
        board=board,
        vitis=None,
        version=release_name,
        release=release,
        tools={},
        platform=None,
        platform_name="p",
        image=Image.PETALINUX,
    )


@pytest.mark.parametrize(
    ("project", "board"), [("espcn", "vck190"), ("small", "vck190"), ("small", "vek280")]
)
def test_each_clock_of_each_generated_file_is_the_platforms_or_derived(
    board: str, project: str, small: Folder, tmp_path: Path
) -> None:
    folder = ROOT / "projects" / "espcn" if project == "espcn" else small.path
    opened = open_project(folder, target=board, build=tmp_path)
    kernels = design_of(opened).sources.kernels
    asked = {c.hz for c in linked(whole(opened.array)).clocks}
    assert asked == {k.hz for k in kernels}, "system.cfg and hls.cfg ask for the same clocks"
    for release in RELEASES:
        for kernel in kernels:
            file = tmp_path / "hls.cfg"
            file.write_text(hls_config(kernel, _installed(board, release.name), "x.cpp"))
            told = config.values(config.read(file), "", "freqhz")
            assert told == [str(kernel.hz)]
        for hz in asked:
            assert system.obtainable(hz, clocks_of(board, release.name)), (release.name, hz)


def test_system_cfg_says_where_each_clock_comes_from(small: Folder) -> None:
    small.edit("squash: {lut: ", "squash: {clock_mhz: 260, lut: ")
    assert small.doit("run", "gen").code == 0
    text = (small.build() / "src/system.cfg").read_text()
    assert "# 312.5 MHz of the platform's clocks: listed (2022.1 to 2026.1)\nfreqHz=312500000:mm2s_1" in text
    assert re.search(
        r"# 260 MHz of the platform's clocks: by MMCM from [\d.]+ \(2022.1 to 2024.2\), "
        r"by MMCM from 100 \(2025.1 to 2026.1\)\nfreqHz=260000000:",
        text,
    )


def test_a_clock_that_no_platform_gives_is_refused_before_anything_is_written(small: Folder) -> None:
    small.edit("squash: {lut: ", "squash: {clock_mhz: 3, lut: ")
    line = (
        (small.path / "network.yaml")
        .read_text()
        .splitlines()
        .index("  squash: {clock_mhz: 3, lut: {entries: 256, range: [-4, 4]}}")
    )
    with pytest.raises(SpecError) as error:
        _ = open_project(small.path).plan
    said = str(error.value)
    assert f"network.yaml:{line + 1}: [clk-3]" in said
    assert "78.125, 104.167, 156.25" in said and "2025.1 to 2026.1: 78.125, 100, 156.25" in said
    assert not small.build().exists() or not (small.build() / "src").exists()


def test_the_mmcm_makes_what_its_counters_allow() -> None:
    assert synthesised(312.5, 260.0) == pytest.approx(260.0)  # 312.5 x 208 / 25 / 10, VCO 2600
    assert synthesised(100.0, 312.5) == pytest.approx(312.5)  # 100 x 25 / 8: VCO 2500
    assert synthesised(100.0, 4.0) is None, "2160 MHz / 511 is the slowest output"
    for board in BOARDS:
        for mhz in (78.125, 100.0, 137.0, 260.0, 299.7, 312.5, 431.3, 500.0):
            for source, release in zip(sources(load_device(board), mhz), ("2024.2", "2026.1"), strict=True):
                assert source.given == (source.ppm <= TOLERANCE_PPM)
                assert source.given == system.obtainable(round(mhz * 1e6), clocks_of(board, release))


def test_a_clock_of_status_fixed_non_ref_feeds_no_wizard() -> None:
    device = load_device("vck190")
    late = device.platform.clocks[-1]
    without = late.model_copy(update={"fixed_mhz": (), "fixed_non_ref_mhz": (625.0, 312.5)})
    stripped = device.model_copy(
        update={"platform": device.platform.model_copy(update={"clocks": (without,)})}
    )
    assert not sources(stripped, 260.0)[0].given
    assert origin(stripped, 312.5).endswith("listed (2025.1 to 2026.1)")


def test_the_linker_refuses_a_clock_that_it_would_replace(use: Callable[..., object]) -> None:
    use("2025.2")
    units = {"a_1": {"hz": 0}}
    device = {"clocks": clocks_of("vck190", "2025.2")}
    system._clocks(["260000000:a_1"], units, device)
    with pytest.raises(Refused, match="no MMCM derives"):
        system._clocks(["3000000:a_1"], units, device)
    with pytest.raises(Refused, match="was compiled for"):
        system._clocks(["260000000:a_1"], {"a_1": {"hz": 300000000}}, device)


def test_a_clock_that_the_linker_replaced_is_told() -> None:
    achieved = {"clk_pl_0": 312.5, "clkout2_primitive": 260.01}
    given = reports.clocks_given([312.5, 260.0, 312.5], achieved)
    assert [c["given_mhz"] for c in given] == [260.01, 312.5]
    assert figure_lines({"clocks": given}) == []
    lost = figure_lines({"clocks": reports.clocks_given([350.0, 260.0], achieved)})
    assert len(lost) == 1
    assert "asked for 350 MHz" in lost[0] and "is 312.5" in lost[0]
    assert reports.clocks_given([260.0], {}) == [], "hw_emu has no timing"


@pytest.mark.parametrize(("release", "said"), [("2023.2", "208.333"), ("2025.2", "derived from 100")])
def test_the_doctor_tells_the_platform_s_clocks(release: str, said: str) -> None:
    line = next(text for text in diagnose(_installed("vck190", release)) if "its clocks" in text)
    assert "312.5" in line and "default 312.5" in line and said in line
