"""`doit build` of designs in which not every layer has cores of its own: layers in their turn, circuits, the matrix engine; the board's host program runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.circuit import networks as circuits
from tests.toolchain.install import Standin
from tests.vitis.conftest import Folder
from tests.vitis.designs import circuit, hybrid, in_logic, in_turn

Use = Callable[..., Standin]


STAGES: dict[Callable[[Path], Folder], tuple[str, ...]] = {
    in_turn: (
        "aiecom",
        "hls/array_load",
        "hls/sequencer",
        "hls/vector_unit",
        "hw/link",
        "host",
        "hw/package",
    ),
    in_logic: ("hls/conv_engine", "hls/vector_unit", "hw/link", "host", "hw/package"),
    circuit: ("hls/circuit", "hw/link", "host", "hw/package"),
    hybrid: (
        "aiecom",
        "hls/array_load",
        "hls/sequencer",
        "hls/mm2s",
        "hls/s2mm",
        "hw/link",
        "host",
        "hw/package",
    ),
}
ON_CORES = (in_turn, hybrid)


def folders(standin: Standin, folder: Folder) -> list[str]:
    build = str(folder.build())
    return [str(c["cwd"]).removeprefix(f"{build}/").removeprefix("vitis/") for c in standin.calls()]


@pytest.mark.integration
@pytest.mark.parametrize(
    "made",
    [pytest.param(f, id=f.__name__, marks=[] if f is in_turn else [pytest.mark.slow]) for f in STAGES],
)
def test_a_design_is_built_and_its_host_program_passes_on_a_board(
    use: Use, tmp_path: Path, made: Callable[[Path], Folder]
) -> None:
    standin = use()
    folder = made(tmp_path / "small")
    built = folder.doit("run", "-n", "0", "build")
    assert built.code == 0, built.text
    called = folders(standin, folder)
    assert set(STAGES[made]) <= set(called)
    assert len(called) == len(set(called)), "every stage runs once"
    assert ("aiecom" in called) == (made in ON_CORES)
    assert "sd_card.img" in built.text
    standin.forget()
    again = folder.doit("run", "build")
    assert again.code == 0 and folders(standin, folder) == []

    assert folder.doit("run", "sim").code == 0
    ran = folder.doit("run", "board", "host=192.168.0.7")
    assert ran.code == 0, ran.text
    assert "TEST PASSED" in ran.text
    summary = json.loads((folder.build() / "report/summary.json").read_text())
    assert summary["passed"] and summary["runs"]["hw"]["run"]["passed"]


@pytest.mark.integration
def test_layers_in_their_turn_run_in_hardware_emulation(use: Use, tmp_path: Path) -> None:
    use()
    folder = in_turn(tmp_path / "small")
    emulated = folder.doit("run", "emulate", "stage=hw_emu")
    assert emulated.code == 0, emulated.text
    assert "PASS v++ hw_emu, Vitis 2024.2" in emulated.text


def test_a_board_without_a_platform_is_refused_by_name(use: Use, tmp_path: Path) -> None:
    use()
    folder = Folder(circuits.written(tmp_path / "small"))
    built = folder.doit("run", "build")
    assert built.code == 2
    assert "network.yaml:2: [build-1] zynq-7020 has no Vitis platform" in built.text
    assert "use target=" in built.text


def test_what_such_designs_have_not_is_refused_with_the_reason(use: Use, tmp_path: Path) -> None:
    use()
    folder = circuit(tmp_path / "small")
    searched = folder.doit("run", "dse", "plio=4")
    assert searched.code == 2 and "plio= is for layers that have cores of their own" in searched.text
    simulated = folder.doit("run", "sim", "mode=aie")
    assert (
        simulated.code == 2
        and "mode=aie is for designs whose layers have cores of their own" in simulated.text
    )
    listed = folder.doit("list")
    assert listed.code == 0 and "build" in listed.text and "x86sim" not in listed.text
