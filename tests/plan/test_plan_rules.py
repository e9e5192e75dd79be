"""Each design rule finds what it is for: plans that were bent by hand, one fact at a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from aieloom.errors import CannotFit
from aieloom.hardware.registers import Registers
from aieloom.pl.kernel import PlKernel
from aieloom.plan.columns import assign_columns, registered_above, wish
from aieloom.plan.place import NoRoom, place_layer
from aieloom.plan.route import Net, interface_capacity, narrow_cuts, route
from aieloom.plan.rules import FIRST_RULES, RULES, check
from aieloom.plan.types import AieLayerPlan, ArrayPart, Region
from aieloom.spec.device import load_device
from aieloom.units.types import KernelPlan
from tests.designs import ROOT, SMALL, network_of, plan_of

VCK190 = load_device("vck190")
VEK280 = load_device("vek280")
SPEC = network_of(SMALL).spec
PLAN = plan_of(SMALL)


def with_kernel(
    plan: ArrayPart, layer: int, index: int, change: Callable[[KernelPlan], KernelPlan]
) -> ArrayPart:
    layers = list(plan.aie)
    kernels = list(layers[layer].kernels)
    kernels[index] = change(kernels[index])
    layers[layer] = AieLayerPlan(draft=layers[layer].draft, kernels=tuple(kernels))
    return replace(plan, aie=tuple(layers))


def move(kernel: KernelPlan, role: str, *, row: int = 0, offset: int = 0) -> KernelPlan:
    places = tuple(replace(a, row=a.row + row, offset=a.offset + offset) for a in kernel.blocks[role])
    return replace(kernel, blocks={**kernel.blocks, role: places})


def with_draft(plan: ArrayPart, **facts: Any) -> ArrayPart:
    first = plan.aie[0]
    return replace(plan, aie=(replace(first, draft=replace(first.draft, **facts)), *plan.aie[1:]))


def with_plio(plan: ArrayPart, index: int, **facts: Any) -> ArrayPart:
    plios = list(plan.plios)
    plios[index] = replace(plios[index], **facts)
    return replace(plan, plios=tuple(plios))


def with_s2mm(plan: ArrayPart, **facts: Any) -> ArrayPart:
    (subgraph,) = plan.subgraphs
    return replace(plan, subgraphs=(replace(subgraph, s2mm=replace(subgraph.s2mm, **facts)),))


def short_stream(kernel: PlKernel) -> PlKernel:
    inlet = kernel.inlets[0]
    return replace(kernel, inlets=(replace(inlet, streams=replace(inlet.streams, words=11)),))


def crowded() -> ArrayPart:
    """Three kernels' output buffers in one tile: three MM2S channels."""
    plan = PLAN
    home = plan.aie[0].kernels[1].tile
    for index in (0, 2):
        plan = with_kernel(plan, 0, index, lambda k: at_tile(k, home))
    return plan


def at_tile(kernel: KernelPlan, tile: tuple[int, int]) -> KernelPlan:
    offset = 8192 + 1024 * kernel.group
    places = tuple(replace(a, col=tile[0], row=tile[1], offset=offset) for a in kernel.blocks["out[0]"])
    return replace(kernel, blocks={**kernel.blocks, "out[0]": places[:1]})


def apart() -> ArrayPart:
    """Return a plan whose first kernel has the second copy of its input in the tile above, which its core reaches too."""
    first = PLAN.aie[0].kernels[0]
    place = first.blocks["in[0]"][0]
    pair = (place, replace(place, row=place.row + 1))
    return with_kernel(PLAN, 0, 0, lambda k: replace(k, blocks=k.blocks | {"in[0]": pair}))


BENT: dict[str, tuple[Callable[[], ArrayPart], str, str]] = {
    "copies of a buffer in two tiles": (
        apart,
        "dma-3",
        "first[0]: tiles that hold the copies of in[0], which one DMA serves: 2, at most 1",
    ),
    "two kernels on a core": (
        lambda: with_kernel(PLAN, 0, 1, lambda k: replace(k, tile=PLAN.aie[0].kernels[0].tile)),
        "core-2",
        "kernels on core",
    ),
    "a kernel outside": (
        lambda: with_kernel(PLAN, 0, 0, lambda k: replace(k, tile=(50, 0))),
        "core-2",
        "kernels on core (50, 0)",
    ),
    "a block out of reach": (
        lambda: with_kernel(PLAN, 0, 0, lambda k: move(k, "in[0]", row=3)),
        "mem-4",
        "out of reach",
    ),
    "blocks that overlap": (
        lambda: with_kernel(PLAN, 0, 0, lambda k: move(k, "out[0]", offset=-k.blocks["out[0]"][0].offset)),
        "mem-3",
        "bytes over its neighbour's",
    ),
    "a block off the alignment": (
        lambda: with_kernel(PLAN, 0, 0, lambda k: move(k, "param[0]", offset=4)),
        "mem-3",
        "32-byte alignment: 4",
    ),
    "a block beyond the memory": (
        lambda: with_kernel(PLAN, 0, 0, lambda k: move(k, "stack", offset=32)),
        "mem-2",
        "bytes of data memory: 32800, at most 32768",
    ),
    "three output channels in a tile": (crowded, "dma-1", "MM2S channels: 3, at most 2"),
    "a program too long": (
        lambda: with_draft(PLAN, program_bytes=16385),
        "prog-1",
        "16385, at most 16384",
    ),
    "operands beyond the vector registers": (
        lambda: with_draft(PLAN, registers=Registers(vectors=9)),
        "reg-1",
        "vector registers of 256 bits in the inner loop: 9, at most 8",
    ),
    "sums beyond the accumulators": (
        lambda: with_draft(PLAN, registers=Registers(vectors=8, accumulator_bits=3073)),
        "reg-2",
        "bits of accumulators in the inner loop: 3073, at most 3072",
    ),
    "a column without PLIO": (lambda: with_plio(PLAN, 0, column=5), "plio-3", "column 5"),
    "a width that is none": (lambda: with_plio(PLAN, 0, bits=96), "plio-3", "96 bits"),
    "a PLIO's name twice": (lambda: with_plio(PLAN, 0, name=PLAN.plios[1].name), "plio-3", "faults of"),
    "a stream not connected": (
        lambda: replace(PLAN, connections=PLAN.connections[1:]),
        "conn-1",
        "stream_connect: 2, at most 0",
    ),
    "a stream connected at another width": (
        lambda: replace(PLAN, connections=(replace(PLAN.connections[0], bits=32), *PLAN.connections[1:])),
        "conn-1",
        "stream_connect: 1, at most 0",
    ),
    "a stream of too few words": (
        lambda: replace(
            PLAN,
            pl=(short_stream(PLAN.pl[0]), *PLAN.pl[1:]),
        ),
        "rate-1",
        "bytes of difference",
    ),
    "more block RAM than there is": (
        lambda: replace(PLAN, pl=(replace(PLAN.pl[0], bram36=968), *PLAN.pl[1:])),
        "pl-1",
        "BRAM36 (estimate)",
    ),
    "more DSPs than there are": (
        lambda: replace(PLAN, pl=(replace(PLAN.pl[0], dsp=1969), *PLAN.pl[1:])),
        "pl-1",
        "DSP58 (estimate): 1969, at most 1968",
    ),
    "a clock too fast": (
        lambda: with_s2mm(PLAN, clock_mhz=501.0),
        "clk-1",
        "501, at most 500",
    ),
}


@pytest.mark.parametrize("case", BENT)
def test_a_bent_plan_is_refused_by_its_rule(case: str) -> None:
    bend, rule, words = BENT[case]
    with pytest.raises(CannotFit) as error:
        check(bend(), SPEC)
    found = [str(p) for p in error.value.problems if p.rule == rule]
    assert any(words in text for text in found), str(error.value)


def test_a_straight_plan_passes_and_lists_every_rule_with_its_worst_case() -> None:
    checked = check(PLAN, SPEC)
    rules = {c.rule for c in checked.checks}
    assert {"name-1", "place-2", "core-2", "mem-2", "mem-3", "mem-4", "dma-1", "dma-2", "lock-1"} <= rules
    assert {"reg-1", "reg-2", "bank-1"} <= rules
    assert {"prog-1", "plio-1", "plio-3", "route-1", "clk-1", "pl-1", "rate-1", "conn-1"} <= rules
    assert all(c.used <= c.limit for c in checked.checks)
    memory = next(c for c in checked.checks if c.rule == "mem-2")
    findings = [f for rule in (*FIRST_RULES, *RULES) for f in rule(PLAN) if f.rule == "mem-2"]
    assert memory.used == max(f.used for f in findings) > 0


def test_one_cause_is_reported_once() -> None:
    bent = with_draft(PLAN, program_bytes=99999)
    bent = replace(bent, pl=tuple(replace(g, clock_mhz=700.0) for g in bent.pl))
    with pytest.raises(CannotFit) as error:
        check(bent, SPEC)
    assert sorted(p.rule for p in error.value.problems) == ["clk-1", "clk-1", "prog-1"]


def test_kernels_that_borrow_memory_alternate_columns_with_the_rows_parity() -> None:
    text = SMALL.replace("[2, 6, 6]", "[64, 6, 6]").replace(
        "tile: [8, 18, 12]", "tile: [8, 576, 8], buffers: single"
    )
    plan = plan_of(text)
    layer = plan.aie[0]
    assert layer.draft.memory.memories == 2
    for k in layer.kernels:
        (col, row), own = k.tile, k.blocks["out[0]"][0].tile
        assert own == k.tile
        assert k.blocks["param[0]"][0].tile == ((col - 1, row) if row % 2 == 0 else (col + 1, row))


def test_a_region_must_lie_in_the_array_and_hold_the_layer() -> None:
    draft = PLAN.aie[0].draft
    placed = place_layer(VCK190, draft, Region(col=10, row=2, cols=2, rows=2))
    assert [k.tile for k in placed.kernels] == [(10, 2), (10, 3), (11, 2)], "column by column from below"
    with pytest.raises(NoRoom, match="leaves the array"):
        place_layer(VCK190, draft, Region(col=49, row=0, cols=2, rows=2))
    with pytest.raises(NoRoom, match="3 kernels of 1 tile"):
        place_layer(VCK190, draft, Region(col=0, row=0, cols=1, rows=2))


def test_columns_are_near_and_never_over_their_channels() -> None:
    wishes = [wish(f"o{i}", is_input=False, bits=64, tiles=[(20, i)], mhz=300) for i in range(8)]
    wishes += [wish(f"w{i}", is_input=False, bits=128, tiles=[(20, i)], mhz=300) for i in range(8)]
    found = assign_columns(VCK190, wishes)
    assert found is not None
    for column in set(found.values()):
        mine = [w for w in wishes if found[w.name] == column]
        assert sum(2 if w.bits == 128 else 1 for w in mine) <= 6
        assert len(mine) <= 4, "as many as go straight down"
        assert abs(column - 20) <= 3
    too_many = [
        wish(f"o{i}", is_input=False, bits=128, tiles=[(i % 50, 0)], mhz=300) for i in range(39 * 3 + 1)
    ]
    assert assign_columns(VCK190, too_many) is None
    assert assign_columns(VCK190, too_many[:-1]) is not None


def test_fast_streams_enter_by_channels_with_registers() -> None:
    """UG1079, interface performance: above an eighth of 1250 MHz not by channels 3 and 7, so 2 pairs of 128 bits or 6 of 64."""
    assert VCK190.register_thresholds == (156.25, 312.5)
    fast, slow = (VCK190.interface.room(is_input=True, registered=r) for r in (True, False))
    assert ((fast.channels, fast.pairs), (slow.channels, slow.pairs)) == ((6, 2), (8, 4))
    usable = [0, 1, 2, 4, 5, 6]
    for wide in range(5):
        for narrow in range(9):
            pairs = [p for p in ((0, 1), (2, 3), (4, 5), (6, 7)) if set(p) <= set(usable)]
            free = len(usable) - 2 * wide
            assert fast.holds(wide, narrow) == (wide <= len(pairs) and narrow <= free)
    for mhz, each in ((313, 2), (312.5, 4), (156.25, 4)):
        wishes = [
            wish(f"i{i}", is_input=True, bits=128, tiles=[(i % 50, 0)], mhz=mhz) for i in range(39 * each + 1)
        ]
        assert assign_columns(VCK190, wishes) is None
        assert assign_columns(VCK190, wishes[:-1]) is not None


def test_the_threshold_is_raised_only_where_channels_with_registers_do_not_suffice() -> None:
    for wide, narrow, mhz, wanted in (
        (2, 2, 300, 156.25),
        (3, 0, 300, 312.5),
        (0, 7, 300, 312.5),
        (4, 0, 100, 156.25),
        (3, 0, 400, 312.5),
    ):
        plios = [(9, 128, float(mhz))] * wide + [(9, 64, float(mhz))] * narrow
        assert registered_above(VCK190, plios) == wanted


SHIM = VCK190.interface_row


def test_memory_tiles_lead_up_and_down_only() -> None:
    """On the VEK280 a stream between columns goes sideways above the memory tiles or below them, never in them."""
    assert (VEK280.interface_row, VEK280.memory_tile_at((7, 0)), VEK280.memory_tile_at((7, 1))) == (
        -3,
        (7, -2),
        (7, -1),
    )
    shim, low, high = -3, -2, -1
    nets = tuple(Net(f"n{i}", (10, shim), ((11, low), (12, 0))) for i in range(4))
    nets += (Net("between", (10, low), ((11, high),)), Net("out", (13, high), ((14, shim),)))
    found = route(VEK280, nets)
    assert found.feasible
    for path in found.paths.values():
        assert all(a[0] == b[0] or (a[1] not in (low, high)) for a, b in path)
    for ends in (((10, shim), (10, low)), ((10, low), (20, 3))):
        # six ports between the two below, four from or to the tile above, none at the sides
        up = tuple(Net(f"u{i}", ends[0], (ends[1],)) for i in range(11))
        assert route(VEK280, up[:10]).feasible
        assert not route(VEK280, up).feasible


def test_streams_above_the_threshold_are_counted_by_column() -> None:
    plan = plan_of(SMALL)
    first = plan.plios[0]
    fast = [replace(first, name=f"f{i}", bits=128, column=9, clock_mhz=400.0) for i in range(3)]
    with pytest.raises(CannotFit) as error:
        check(replace(plan, plios=(*fast, *plan.plios)), network_of(SMALL).spec)
    (problem,) = (p for p in error.value.problems if p.rule == "plio-4")
    assert problem.line == next(i for i, row in enumerate(SMALL.splitlines(), 1) if row == "mapping:")
    assert problem.text == (
        "interface column 9: streams of 128 bits into the array above 312.5 MHz, by channels with registers: 3, at most 2"
    )
    assert "clocks of at most 312.5 MHz" in problem.remedy
    check(replace(plan, plios=tuple(replace(p, clock_mhz=400.0) for p in plan.plios)), network_of(SMALL).spec)


def test_routes_connect_their_ends_within_the_ports() -> None:
    nets = tuple(Net(f"n{i}", (10, SHIM), ((10 + i % 3, 3), (9, i % 8), (10, 7))) for i in range(6))
    nets += tuple(Net(f"o{i}", (10, i), ((10 + i, SHIM),)) for i in range(4))
    found = route(VCK190, nets)
    assert found.feasible
    use: dict[object, int] = {}
    for net in nets:
        reached, edges = {net.source}, set(found.paths[net.name])
        while edges:
            step = next(e for e in sorted(edges) if e[0] in reached)
            assert abs(step[0][0] - step[1][0]) + abs(step[0][1] - step[1][1]) == 1
            reached.add(step[1])
            edges.remove(step)
            use[step] = use.get(step, 0) + 1
        assert set(net.sinks) <= reached
    ports = {(0, 1): 6, (0, -1): 4, (1, 0): 4, (-1, 0): 4}
    for (a, b), count in ((e, n) for e, n in use.items() if isinstance(e, tuple)):
        assert count <= ports[b[0] - a[0], b[1] - a[1]]


def test_streams_that_no_switch_can_carry_are_found() -> None:
    """Seven streams up one column whose neighbours are out of the way: the edge over the interface has six."""
    nets = tuple(Net(f"n{i}", (49, SHIM), ((49, 7),)) for i in range(11))
    assert not route(VCK190, nets).feasible, "six north and four west leave the corner"
    assert route(VCK190, nets[:6]).feasible
    assert interface_capacity(VCK190, is_input=False) == 39 * 4 + 8
    down = tuple(Net(f"n{i}", (i % 50, 0), ((6 + i % 39, SHIM),)) for i in range(165))
    cut = narrow_cuts(VCK190, down)[0]
    assert (cut.streams, cut.ports) == (165, 164)
    assert narrow_cuts(VCK190, down[:39]) == []


def test_the_same_network_gives_the_same_plan() -> None:
    assert plan_of(SMALL) == PLAN


def test_every_rules_id_is_explained() -> None:
    """docs/errors.md has a row for each id that spec/, model/, ops/ and plan/ can print."""
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    used: set[str] = set()
    for part in ("spec", "model", "ops", "plan"):
        for file in (ROOT / "scripts" / "aieloom" / part).rglob("*.py"):
            source = file.read_text(encoding="utf-8")
            used |= set(re.findall(r'rule="([a-z]+(?:-\d)?)"', source))
            used |= set(re.findall(r'(?:problem|report|fail|IllegalTile)\(\s*"([a-z]+(?:-\d)?)"', source))
            used |= set(re.findall(r'^\s+\("([a-z]+-\d)",', source, re.MULTILINE))
    assert len(used) > 25
    assert [rule for rule in sorted(used) if f"`{rule}`" not in text] == []
