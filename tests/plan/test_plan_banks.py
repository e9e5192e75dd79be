"""Memory ports on the banks of a board: what the processor reads in the first, the rest where there is least to carry."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.emit.system import system_view
from aieloom.flow.opening import open_project
from aieloom.plan.banks import banks_of
from tests.designs import ESPCN, ROOT, plan_of


@dataclass(frozen=True)
class Port:
    name: str
    reads_memory: bool
    image_bytes: int


def test_ports_are_spread_over_banks_by_what_they_carry() -> None:
    ports = [Port("c", False, 90), Port("a", True, 50), Port("b", True, 80), Port("d", True, 30)]
    found = banks_of(("DDR", "LPDDR"), ports, [Port("table", True, 7)])
    assert found == {"c": "DDR", "b": "LPDDR", "a": "LPDDR", "d": "DDR", "table": "DDR"}
    assert set(banks_of(("DDR",), ports).values()) == {"DDR"}
    three = banks_of(("X", "Y", "Z"), ports)
    assert three == {"c": "X", "b": "Y", "a": "Z", "d": "Z"}


def test_the_linker_is_told_a_bank_of_the_board_for_every_port() -> None:
    tags = {m.port: m.tag for m in system_view(plan_of(ESPCN)).memory}
    assert tags == {"mm2s_1.memory": "LPDDR", "s2mm_1.memory": "DDR"}
    plan = open_project(ROOT / "projects" / "mnist").plan
    assert {m.tag for m in system_view(plan).memory} == {"LPDDR"}, "all that the VEK280's platform has"


def test_copies_that_share_images_share_their_bank() -> None:
    plan = open_project(ROOT / "projects" / "espcn-720p").plan
    tags = {m.port.split("_")[0]: set[str]() for m in system_view(plan).memory}
    for m in system_view(plan).memory:
        tags[m.port.split("_")[0]].add(m.tag)
    assert tags == {"mm2s": {"LPDDR"}, "s2mm": {"DDR"}}
