"""Memory ports on the banks of a board: in the first, and spread where the first would hold the design up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aieloom.emit.system import system
from aieloom.flow.opening import open_project
from aieloom.plan.banks import Port, banks_of
from aieloom.plan.rates import banks
from aieloom.plan.whole import whole
from aieloom.simulation.of_plan import modelled_rates
from tests.designs import ESPCN, ROOT, plan_of

PORTS = [Port("c", False, 90), Port("a", True, 50), Port("b", True, 80), Port("d", True, 30)]


def test_ports_are_in_the_first_bank_while_it_carries_them() -> None:
    assert set(banks_of(("DDR", "LPDDR"), PORTS, room=250).values()) == {"DDR"}


def test_ports_are_spread_over_banks_by_what_they_carry() -> None:
    assert banks_of(("DDR", "LPDDR"), PORTS, room=249) == {"c": "DDR", "b": "LPDDR", "a": "LPDDR", "d": "DDR"}
    assert set(banks_of(("DDR",), PORTS, room=0).values()) == {"DDR"}
    assert banks_of(("X", "Y", "Z"), PORTS, room=0) == {"c": "X", "b": "Y", "a": "Z", "d": "Z"}


def test_the_linker_is_told_a_bank_of_the_board_for_every_port() -> None:
    tags = system(whole(plan_of(ESPCN))).memory
    assert tags == {"mm2s_1.memory": "DDR", "s2mm_1.memory": "DDR"}
    plan = open_project(ROOT / "projects" / "mnist").array
    assert {*system(whole(plan)).memory.values()} == {"LPDDR"}, "all that the VEK280's platform has"


@pytest.mark.parametrize("project", ["espcn", "jet"])
def test_a_second_bank_is_used_only_where_the_first_one_holds_the_design_up(project: str) -> None:
    """Counted here: a bank carries all that an image moves in the time between two images of the array."""
    plan = open_project(ROOT / "projects" / project, target="vck190").array
    us = modelled_rates(plan).array.interval_us
    moved = sum(m.image_bytes for s in plan.subgraphs for m in (s.mm2s, s.s2mm)) * plan.tiles
    assert (len(set(banks(plan).values())) == 1) == (moved <= plan.device.memory.bank_mb_s * us)


def test_copies_that_share_images_share_their_bank() -> None:
    plan = open_project(ROOT / "projects" / "espcn-720p").array
    slow = plan.device.model_copy(update={"memory": plan.device.memory.model_copy(update={"bank_mb_s": 1})})
    memory = system(whole(replace(plan, device=slow))).memory
    tags = {port.split("_")[0]: set[str]() for port in memory}
    for port, tag in memory.items():
        tags[port.split("_")[0]].add(tag)
    assert tags == {"mm2s": {"LPDDR"}, "s2mm": {"DDR"}}
