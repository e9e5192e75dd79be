"""The device catalogue against the documents; the figures here are typed from them, not from our files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from aieloom.cost.parameters import load_parameters
from aieloom.errors import SpecError
from aieloom.hardware.mmul import mmul_modes
from aieloom.plan.published import modelled_by, uncalibrated
from aieloom.spec.architecture import Architecture, architecture_names
from aieloom.spec.device import Device, device_names, load_board, load_device, parse_board
from aieloom.spec.lines import parse_yaml
from aieloom.spec.types import DataType
from tests.designs import ROOT
from tools import traits

FACTS = Path(os.environ.get("AIELOOM_FACTS", ROOT.parent / "shared" / "facts"))
CATALOGUE = ROOT / "scripts" / "aieloom" / "spec"

# AM009 1.4 (array, memory, channels, streams, interface), UG1079 (banks, program), UG1702 (stack, heap),
# DS957 -2M (clocks)
VCK190 = {
    "array.columns": 50,
    "array.core_rows": 8,
    "array.memory_tile_rows": 0,
    "array.plio_columns": (6, 44),
    "tile.memory_bytes": 32768,
    "tile.bank_bytes": 8192,
    "tile.program_bytes": 16384,
    "tile.default_stack_bytes": 1024,
    "tile.default_heap_bytes": 1024,
    "tile.sync_bytes": 32,
    "tile.s2mm_channels": 2,
    "tile.mm2s_channels": 2,
    "tile.buffer_descriptors": 16,
    "tile.stream_inputs": 2,
    "tile.stream_outputs": 2,
    "tile.descriptor.dimensions": 2,
    "streams.north": 6,
    "streams.south": 4,
    "streams.bytes_per_cycle": 4,
    "interface.in_channels": 8,
    "interface.out_channels": 6,
    "clocks.aie_mhz": 1250,
    "clocks.pl_interface_max_mhz": 625,
    "logic.dsp": 1968,
    "part": "xcvc1902-vsva2197-2MP-e-S",
    "architecture.macro": 10,
}
# AM020 1.5, UG1603, DS958 -2M
VEK280 = {
    "array.columns": 38,
    "array.core_rows": 8,
    "array.memory_tile_rows": 2,
    "array.plio_columns": (5, 32),
    "tile.memory_bytes": 65536,
    "tile.bank_bytes": 16384,
    "tile.program_bytes": 16384,
    "tile.s2mm_channels": 2,
    "tile.mm2s_channels": 2,
    "tile.buffer_descriptors": 16,
    "tile.locks": 16,
    "tile.stream_inputs": 1,
    "tile.stream_outputs": 1,
    "tile.descriptor.dimensions": 3,
    "interface.in_channels": 8,
    "interface.out_channels": 6,
    "clocks.aie_mhz": 1250,
    "clocks.pl_interface_max_mhz": 625,
    "logic.uram288": 264,
    "part": "xcve2802-vsvh1760-2MP-e-S",
    "architecture.macro": 20,
}


@pytest.mark.parametrize(("name", "facts"), [("vck190", VCK190), ("vek280", VEK280)])
def test_device_files_say_what_the_documents_say(name: str, facts: dict[str, Any]) -> None:
    device = load_device(name)
    found = {}
    for path in facts:
        value: Any = device
        for part in path.split("."):
            value = getattr(value, part)
        found[path] = value
    assert found == facts


def test_reach_follows_row_parity_on_aie() -> None:
    """AM009: even rows reach the memory to the west, odd rows the one to the east."""
    device = load_device("vck190")
    assert set(device.reach((10, 2))) == {(10, 2), (10, 3), (10, 1), (9, 2)}
    assert set(device.reach((10, 3))) == {(10, 3), (10, 4), (10, 2), (11, 3)}
    assert set(device.reach((0, 0))) == {(0, 0), (0, 1)}, "no memory beyond the array"
    assert set(device.reach((49, 7))) == {(49, 7), (49, 6)}
    assert device.reach((10, 2))[0] == (10, 2), "its own first"


def test_reach_is_own_north_south_west_on_aie_ml() -> None:
    device = load_device("vek280")
    for row in (2, 3):
        assert set(device.reach((10, row))) == {(10, row), (10, row + 1), (10, row - 1), (9, row)}


@given(st.sampled_from(["vck190", "vek280"]), st.integers(-2, 52), st.integers(-2, 9))
def test_reach_stays_in_the_array(name: str, col: int, row: int) -> None:
    device = load_device(name)
    inside = 0 <= col < device.array.columns and 0 <= row < 8
    assert device.has_tile((col, row)) == inside
    if inside:
        near = device.reach((col, row))
        assert len(near) == len(set(near)) <= 4
        assert all(device.has_tile(t) and abs(t[0] - col) + abs(t[1] - row) <= 1 for t in near)


def test_an_unknown_device_is_refused_with_the_known_ones() -> None:
    assert device_names() == (
        "vck190",
        "ve2302",
        "vek280",
        "vek385",
        "vp2802",
        "zcu104",
        "zcu106",
        "zynq-7020",
    )
    with pytest.raises(
        SpecError, match="use one of: vck190, ve2302, vek280, vek385, vp2802, zcu104, zcu106, zynq-7020"
    ):
        load_device("zcu102")


def test_a_wrong_device_file_is_refused_with_its_line() -> None:
    text = (CATALOGUE / "devices" / "vck190.yaml").read_text(encoding="utf-8")
    wrong = text.replace("memory_bytes: 32768", "memory_bytes: lots").replace("  locks: 16", "  # locks: 16")
    with pytest.raises(SpecError) as error:
        parse_board(parse_yaml(wrong, "devices/mine.yaml"))
    line = next(i for i, row in enumerate(wrong.splitlines(), 1) if "lots" in row)
    assert f"devices/mine.yaml:{line}: [value] tile.memory_bytes is 'lots'" in str(error.value)
    assert "'locks' is missing" in str(error.value)


def test_the_emulators_traits_are_those_of_the_architectures_files() -> None:
    assert traits.HEADER.read_text(encoding="utf-8") == traits.header(), "python -m tools.traits writes it"


def test_every_architecture_is_modelled_by_one_that_is_calibrated() -> None:
    for name in architecture_names():
        costs = Architecture(name).costs
        assert {f"gemm.block.{costs.value}", f"array.exchange.{costs.value}"} <= set(load_parameters())
        assert costs.costs is costs


def test_figures_of_an_architecture_without_measured_rows_say_so() -> None:
    v2 = Architecture("aie-mlv2")
    assert "aie-mlv2 is modelled as aie-ml" in modelled_by(v2, DataType.INT8)
    assert ["is modelled as aie-ml" in said for said in uncalibrated(v2, DataType.INT8, 10_000)] == [True]
    assert list(uncalibrated(Architecture.AIE_ML, DataType.INT8, 10_000)) == []


def test_every_group_of_facts_names_its_source() -> None:
    for name in device_names():
        device = load_board(name)
        groups: tuple[Any, ...] = (device.clocks, device.logic, device.memory, device.processor)
        if isinstance(device, Device):
            groups += (device.array, device.tile, device.streams, device.interface)
        assert all(any(c.isdigit() for c in g.source) or "[U]" in g.source for g in groups), name


def test_float_shapes_are_those_of_the_aie_api() -> None:
    """aie_api user guide, "Matrix multiplication": the float rows of its table."""
    aie = {m.shape for m in mmul_modes(Architecture.AIE, DataType.FLOAT32, DataType.FLOAT32)}
    assert (4, 2, 4) in aie
    assert (4, 4, 4) not in aie
    assert mmul_modes(Architecture.AIE, DataType.BFLOAT16, DataType.BFLOAT16) == (), "AIE has no bfloat16"
    assert (4, 8, 4) in {
        m.shape for m in mmul_modes(Architecture.AIE_ML, DataType.BFLOAT16, DataType.BFLOAT16)
    }


@pytest.mark.skipif(
    not (FACTS / "mmul_shapes.yaml").is_file(), reason="the vendor facts are not beside this checkout"
)
def test_the_mmul_table_is_the_vendors() -> None:
    facts = yaml.safe_load((FACTS / "mmul_shapes.yaml").read_text(encoding="utf-8"))
    for arch, theirs in (("aie", facts["aie"]), ("aie-ml", facts["aie_ml"])):
        wanted = {
            (a, b, s["acc"], *s["mkn"], s["issue"], int(s["manip"]))
            for row in theirs
            for a in row["a"]
            for b in row["b"]
            for s in row["shapes"]
        }
        found = {
            (a, b, acc, *shape)
            for row in Architecture(arch).facts.mmul
            for a in row["a"]
            for b in row["b"]
            for acc, shapes in row["shapes"].items()
            for shape in shapes
        }
        assert found == wanted
        assert [r["peak_macs"] for r in Architecture(arch).facts.mmul] == [r["peak_macs"] for r in theirs]
