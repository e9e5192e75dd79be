"""Every kind of plan as the one plan: it hangs together, and says of the design what the kind's own plan and sources say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from aieloom.emit.project import render
from aieloom.emit.system import SystemView, system
from aieloom.flow.designs import design_of
from aieloom.flow.gemm import engine as in_logic
from aieloom.flow.gemm.files import render_gemm
from aieloom.flow.opening import open_any
from aieloom.flow.project import Project
from aieloom.matrix_engine.arithmetic import Element
from aieloom.matrix_engine.engine import plan_engine, product_cost
from aieloom.network.layers import infer_shapes
from aieloom.network.tensor import TensorType
from aieloom.ops import REGISTRY
from aieloom.ops.batch_norm import fold_network
from aieloom.plan.nets import nets_of
from aieloom.plan.types import ArrayPart
from aieloom.plan.whole import whole as spatial
from aieloom.sequential.plan import TAKEN, InTurn, engines_of
from aieloom.sequential.planning import plan_sequential
from aieloom.spec.device import Tile, load_board, load_device
from aieloom.spec.lines import parse_yaml
from aieloom.spec.load import parse_network
from aieloom.spec.network import INPUT
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.plan import make_gemm
from aieloom.strategies.array_gemm.types import Request
from aieloom.strategies.array_gemm.whole import whole
from aieloom.units.plan import Plan, faults, interval_us, resources, time_by_cause
from aieloom.units.types import (
    HOST,
    PROCESSOR,
    VIEW,
    Bank,
    Buffer,
    Cause,
    Cores,
    End,
    Inside,
    KernelPlan,
    Link,
    Logic,
    Schedule,
    Task,
    Time,
    Turn,
    Unit,
)
from tests.designs import ROOT, network_of, weights_of
from tests.ops.networks import design_of_yaml, on_processor, random_graph_yaml
from tests.strategies.chained.designs import bfloat16_plan
from tools.ledger.designs import designs

PORT = re.compile(r"#pragma HLS interface (m_axi|axis) port=(\w+)")
ARRAY_OF_PORTS = re.compile(r"_\d+$")  # HLS calls the streams of an array name_0, name_1, ...
EXACT = 1e-9  # relative: sums of the same terms in another order
LOGIC = ("dsp", "lut", "ff", "bram36", "uram288")


def opened(name: str, folder: Path) -> Project:
    """Return a design of the ledger, planned; a project where it stands, beside those whose weights it reads."""
    (found,) = (d for d in designs() if d.name == name)
    if name.startswith("zoo-") and not (ROOT / "projects" / "zoo" / name[4:] / "model.onnx").is_file():
        pytest.skip(f"projects/zoo/make.py {name[4:]} has not made its model")
    place = ROOT / "projects" / name.removesuffix(f"-{found.target}")
    if not (found.target and place.is_dir()):
        place = folder / name
        found.make(place)
    project = open_any(place, target=found.target or None, build=folder / "build")
    return design_of(project).alone(found.layer).project if found.layer else project


def arrays_of(plan: object) -> tuple[ArrayPart, ...]:
    """Return the parts of a kind's plan that lie on an array."""
    if isinstance(plan, ArrayPart):
        return (plan,)
    if not isinstance(plan, InTurn):
        return ()
    engine = plan.array.gemm.array if plan.array and plan.array.gemm else None
    return tuple(part for part in (engine, plan.spatial and plan.spatial.plan) if part)


def logic_of(plan: object) -> dict[str, int]:
    """Return what a kind's plan takes of the logic, counted kernel by kernel."""
    if isinstance(plan, ArrayPart):
        kernels = (*plan.pl, *plan.movers)
        return {kind: plan.copies * sum(getattr(k, kind, 0) for k in kernels) for kind in LOGIC}
    if isinstance(plan, InTurn):
        held = [*plan.in_use]
        return {what: sum(getattr(unit, name, 0) for unit in held) for what, name in TAKEN.items()}
    return {kind: getattr(plan, "bram" if kind == "bram36" else kind, 0) for kind in LOGIC}


def takes(plan: Plan, kind: object) -> None:
    """Compare what a plan takes with what the kind's own plan has, kernel by kernel."""
    found, arrays = resources(plan), arrays_of(kind)
    assert found.cores == sum(a.cores for a in arrays)
    assert found.tiles == sum(a.tiles_in_use for a in arrays)
    assert found.memory_tiles == sum(len({b.tile for b in a.buffers}) for a in arrays)
    assert found.plio_in == sum(p.is_input for a in arrays for p in a.plios)
    assert found.plio_out == sum(not p.is_input for a in arrays for p in a.plios)
    kernels = ((la, la.kernels) for a in arrays for la in a.all_aie)
    assert found.memory_bytes == sum(
        n.total_bytes for la, own in kernels for n in la.draft.needs for _ in own
    )
    logic = logic_of(kind)
    assert {key: getattr(found, key) for key in logic} == logic


def units_of(view: SystemView) -> dict[str, str]:
    """Return the kernel of each compute unit: `nk` gives their names, or their number alone."""
    found: dict[str, str] = {}
    for kernel, text in view.kernels.items():
        count, _, names = text.partition(":")
        units = names.split(",") if names else [f"{kernel}_{i + 1}" for i in range(int(count))]
        assert len(units) == int(count)
        found |= dict.fromkeys(units, kernel)
    return found


def agrees(view: SystemView, files: Mapping[str, str | bytes]) -> None:
    """Compare system.cfg with the kernels' sources: each port that a source declares is linked, once, and nothing else is."""
    declared: dict[str, set[tuple[str, str]]] = {}
    for name, text in files.items():
        if name.startswith("src/pl/") and name.endswith(".cpp"):
            declared[Path(name).stem] = {*PORT.findall(str(text))}
    units = units_of(view)
    assert declared.keys() == {*units.values()}
    assert sorted(unit for clock in view.clocks for unit in clock.units.split(",")) == sorted(units)
    ends = [("axis", end) for c in view.connections for end in (c.source, c.target)]
    ends += [("m_axi", port) for port in view.memory]
    assert len({*ends}) == len(ends)
    linked: dict[str, set[tuple[str, str]]] = {unit: set() for unit in units}
    for kind, end in ends:
        unit, _, port = end.partition(".")
        if unit != "ai_engine_0":
            linked[unit].add((kind, ARRAY_OF_PORTS.sub("", port)))
    for unit, kernel in units.items():
        wanted = {(kind, ARRAY_OF_PORTS.sub("", port)) for kind, port in declared[kernel]}
        if not view.memory:  # the board's file names no banks
            wanted = {(kind, port) for kind, port in wanted if kind != "m_axi"}
        assert linked[unit] == wanted, unit


# Those that plan in a second or two; the others of the ledger are slow, and of kinds that these have.
QUICK = (
    *(
        "xor-vck190",
        "xor-vek280",
        "iris-vck190",
        "iris-vek280",
        "jet-vck190",
        "mnist-vek280",
        "caffe-conv-zynq-7020",
    ),
    *("espcn-720p-vck190", "circuit-xor", "circuit-iris", "zoo-ds_cnn", "hybrid-front", "hybrid-back"),
)
REFUSED = (  # their mapping is for the other board
    *("espcn-vek280", "espcn-720p-vek280", "espcn-fast-vek280"),
    *("mnist-vck190", "mnist-tutorial-vck190", "mnist_wide-vck190"),
)
REST = [d.name for d in designs() if not d.product and d.name not in (*QUICK, *REFUSED)]


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in REST)])
def test_a_project_is_the_same_design_as_the_one_plan(name: str, tmp_path: Path) -> None:
    project = opened(name, tmp_path)
    plan = design_of(project).plan
    assert [*faults(plan)] == []
    if plan.schedule.kind == "commands":
        takes(plan, engines_of(plan))
    if project.on_array:
        takes(plan, project.array)
        assert interval_us(plan) == pytest.approx(project.array.cost.interval_us, rel=EXACT)
    agrees(system(plan), design_of(project).render())


@pytest.mark.parametrize(
    ("size", "dtype", "out", "target"),
    [
        ((256, 256, 256), DataType.FLOAT32, DataType.FLOAT32, "vck190"),
        ((512, 256, 128), DataType.INT8, DataType.INT8, "vek280"),
    ],
)
def test_a_product_over_the_array(
    size: tuple[int, int, int], dtype: DataType, out: DataType, target: str
) -> None:
    m, k, n = size
    made = make_gemm(load_device(target), Request(m=m, k=k, n=n, dtype=dtype, out=out))
    plan = whole(made)
    assert [*faults(plan)] == []
    assert interval_us(plan) == pytest.approx(made.cost.system.interval_us, rel=EXACT)
    found = resources(plan)
    streams = [p.is_input for p in made.array.plios]
    assert (found.cores, found.plio_in, found.plio_out) == (
        len(made.cores),
        sum(streams),
        len(streams) - sum(streams),
    )
    assert found.lut == sum(u.mover.lut for u in made.units)
    view = system(plan)
    assert view.connections == made.array.connections
    assert view.memory == {f"{u.name}.memory": u.bank for u in made.units}
    agrees(view, render_gemm(plan))


@pytest.mark.parametrize(("element", "target"), [("float32", "zcu104"), ("int8", "vck190")])
def test_a_product_in_the_logic(element: Element, target: str) -> None:
    board = load_board(target)
    plan = in_logic.plan_product(board, in_logic.EngineRequest(m=100, k=90, n=80, element=element))
    engine = plan_engine(board, element)
    assert [*faults(plan)] == []
    cost = product_cost(engine, 100, 80, 90)
    assert interval_us(plan) == pytest.approx(cost.total_us, rel=EXACT)
    assert (resources(plan).dsp, resources(plan).bram36) == (engine.block.dsp, engine.block.bram)
    agrees(system(plan), in_logic.render_engine(plan))


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_random_networks_on_the_array_and_the_processor(seed: int) -> None:
    text = on_processor(random_graph_yaml(seed), seed)
    products = re.findall(r"name: (\w+), op: (?:conv2d|dense)", text)
    assume(any(f"{name}: {{engine: ps}}" not in text for name in products))
    made = design_of_yaml(text)
    assume(made)
    assert made
    plan = spatial(made.plan)
    assert [*faults(plan)] == []
    assert interval_us(plan) == pytest.approx(made.plan.cost.interval_us, rel=EXACT)
    takes(plan, made.plan)
    view = system(plan)
    assert view.connections == made.plan.connections
    assert view.kernels.keys() == {u.name for u in made.plan.units}


@settings(max_examples=10)
@given(st.integers(0, 10_000), st.sampled_from(["vck190", "zcu104"]))
def test_random_networks_layer_by_layer(seed: int, target: str) -> None:
    text = random_graph_yaml(seed)
    network = fold_network(
        infer_shapes(parse_network(parse_yaml(text, "network.yaml"), REGISTRY), REGISTRY)
    ).network
    plan = plan_sequential(network, load_board(target), REGISTRY, "this test says so")
    assert [*faults(plan)] == []
    takes(plan, engines_of(plan))
    assert sum(time_by_cause(plan).values()) == pytest.approx(interval_us(plan), rel=EXACT)


def test_cascades_lead_where_the_arrays_do() -> None:
    made = make_gemm(
        load_device("vck190"), Request(m=256, k=256, n=256, dtype=DataType.FLOAT32, out=DataType.FLOAT32)
    )
    plan = whole(made)
    tiles = [kernel.tile for kernel in plan.on_cores["gemm"].kernels]
    ways = [
        (tiles[link.source.instance], tiles[link.target.instance])
        for link in plan.links
        if link.target and link.way == Inside(by="cascade")
    ]
    x, y, z = made.cut.grid
    assert len(ways) == x * (y - 1) * z > 0
    assert all(made.device.cascade_next(before) == after for before, after in ways)


def test_what_memory_tiles_exchange_with_cores_are_the_routers_nets(tmp_path: Path) -> None:
    project = opened("mnist-vek280", tmp_path)
    plan = design_of(project).plan
    ours: Counter[tuple[str, str, Tile]] = Counter()
    for link in plan.links:
        if isinstance(link.way, Inside) and link.way.by == "memory_tile":
            end = link.source
            kernel = plan.on_cores[end.unit].kernels[end.instance]
            ours[link.way.buffer, end.port[:-3], kernel.blocks[end.port][0].tile] += 1
    routed: Counter[tuple[str, str, Tile]] = Counter()
    for net in nets_of(project.array):
        buffer, _, side = net.name.rpartition(" ")[0].partition(" ")
        routed.update(
            {"in": [(buffer, "out", net.source)], "out": [(buffer, "in", t) for t in net.sinks]}.get(side, ())
        )
    assert ours == routed != Counter()


CHAIN = """\
name: chain
target: vek280
weights: w.safetensors
input: {name: x, shape: [16, 1, 1]}
layers:
  - {name: fc1, op: dense, out_features: 64}
  - {name: act1, op: relu}
  - {name: fc2, op: dense, out_features: 32}
  - {name: act2, op: relu}
  - {name: fc3, op: dense, out_features: 5}
mapping:
  fc1: {strategy: chained}
  fc2: {strategy: chained}
  fc3: {strategy: chained}
"""


def test_neighbours_that_share_a_buffer_are_those_of_the_graph() -> None:
    made = bfloat16_plan(CHAIN)
    ways = {
        (link.source.unit, link.target.unit)
        for link in spatial(made).links
        if link.target and link.way == Inside(by="neighbour")
    }
    graph = str(render(made, weights_of(network_of(CHAIN)))["src/aie/graph.h"])
    found = re.findall(r"adf::connect<>\((\w+)_\.out\[0\], (\w+)_\.in\[0\]\)", graph)
    buffers = {b.name for b in made.buffers}
    assert ways == {pair for pair in found if pair[0] not in buffers} != set()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda p: {"tasks": p.tasks[1:]}, "which nothing before it makes"),
        (lambda p: {"tasks": (replace(p.tasks[0], unit="nobody"), *p.tasks[1:])}, "nobody, which is no unit"),
        (lambda p: {"units": p.units[:-1]}, "is nowhere"),
        (lambda p: {"units": (*p.units, p.units[0])}, "2 units are called"),
        (lambda p: {"schedule": replace(p.schedule, turns=())}, "is in 0 turns"),
        (lambda p: {"schedule": replace(p.schedule, turns=2 * p.schedule.turns)}, "is in 2 turns"),
        (lambda p: {"schedule": replace(p.schedule, turns=p.schedule.turns[::-1])}, "is made in turn"),
        (lambda _: {"buffers": ()}, "is no buffer"),
        (lambda p: {"buffers": (replace(p.buffers[0], life=(0, 99)), *p.buffers)}, "lives from turn 0 to 99"),
    ],
)
def test_what_does_not_hang_together_is_told(change: Callable[[Plan], dict[str, Any]], told: str) -> None:
    assert [*faults(TWO)] == []
    assert any(told in line for line in faults(replace(TWO, **change(TWO))))


ELEMENTS = TensorType((1, 1, 1), DataType.INT8)


def _task(name: str, unit: str, *inputs: str) -> Task:
    return Task(
        name=name, layers=(name,), op="relu", xs=(ELEMENTS,), y=ELEMENTS, inputs=inputs, unit=unit, form=None
    )


# The host program, then a kernel in the logic with a core beside it.
TWO = Plan(
    project="two",
    board=load_board("vck190"),
    x=ELEMENTS,
    y=ELEMENTS,
    tasks=(_task("first", PROCESSOR, INPUT), _task("view", VIEW, "first"), _task("second", "k", "view")),
    units=(
        HOST,
        Unit(name="c", place=Cores(kernels=(KernelPlan(group=0, part=0, tile=(0, 0), blocks={}),))),
        Unit(name="k", place=Logic(instances=("k_1",), clock_mhz=300.0, clock_origin="")),
    ),
    links=(
        Link(source=End(unit="k", port="memory"), target=None, way=Bank(tag="DDR")),
        Link(source=End(unit="c", port="out[0]"), target=None, way=Inside(by="memory_tile", buffer="b")),
    ),
    buffers=(Buffer(name="b", where="memory_tile", offset=0, bytes=4, tile=(0, 0)),),
    schedule=Schedule(
        kind="stream",
        batch=1,
        turns=(Turn(units=(PROCESSOR,), tasks=("first",)), Turn(units=("k", "c"), tasks=("second",))),
    ),
)


def test_the_rate_of_turns_of_pipelines_and_of_what_is_done_ahead() -> None:
    """Two turns of 5 and 4 us; 3 us of the host's are shared by its cores, beside what it does ahead."""
    cores = TWO.board.processor.cores

    def plan(ahead_us: float) -> Plan:
        turns = (
            Turn(units=(PROCESSOR,), times=(Time(unit=PROCESSOR, us={Cause.HOST: ahead_us}),), ahead=True),
            Turn(
                units=("k", "c"),
                times=(
                    Time(unit="k", us={Cause.READ: 2.0, Cause.COMPUTE: 3.0}),
                    Time(unit="c", us={Cause.COMPUTE: 4.5}),
                ),
            ),
            Turn(units=(PROCESSOR,), times=(Time(unit=PROCESSOR, us={Cause.HOST: 3.0, Cause.START: 1.0}),)),
        )
        return replace(TWO, tasks=(), schedule=replace(TWO.schedule, turns=turns))

    assert interval_us(plan(1.0)) == 9.0
    assert interval_us(plan(20.0)) == pytest.approx(20.0 + 3.0 / cores)
