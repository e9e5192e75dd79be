"""Chains of layers: how they are cut, in which order their elements lie, what is refused."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from aieloom.emit.tables import sent_tables
from aieloom.errors import CannotFit
from aieloom.flow.opening import open_project
from aieloom.layout.grid import Window
from aieloom.plan.rules import check
from aieloom.plan.shared_buffers import Access, SharedBuffer
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.products.strategy import strategy_of
from aieloom.simulation.of_plan import simulate_plan
from aieloom.spec.device import load_device
from aieloom.spec.types import DataType
from aieloom.strategies.chained.grid import BLOCK, PIXELS, BlockGrid, ChainGrid
from aieloom.strategies.chained.pool import PoolGrid
from tests.designs import ROOT, edited, line_of, network_of, refusal
from tests.layout.scattered import scattered
from tests.strategies.chained.designs import CHAIN, bfloat16_plan, integer_like
from tests.strategies.chained.walks import Ints, chains, walk

Floats = NDArray[np.float32]
S2MM = 2  # channels of a tile's DMA that write its memory [AM020]


def grids(plan: ArrayPart) -> list[ChainGrid]:
    return [la.grid for la in plan.aie if isinstance(la.grid, ChainGrid)]


def test_a_chain_has_one_stream_in_and_one_out() -> None:
    plan = bfloat16_plan(CHAIN)
    assert [p.name for p in plan.plios] == ["conv1_in_0", "fc_out_0"]
    assert [la.name for la in plan.aie] == ["conv1", "conv2", "fc"]
    assert [g.name for g in plan.pl] == ["pl_input_to_conv1", "pl_shares"]
    assert [la.draft.fused for la in plan.aie] == [("act1", "pool1"), ("act2",), ()]
    assert plan.aie[0].draft.y.shape == (16, 6, 6)
    stages = ["mm2s", "pl_input_to_conv1", "conv1", "conv2", "fc", "pl_shares", "s2mm"]
    assert [s.name for s in plan.cost.stages] == stages
    assert [s.after for s in plan.cost.stages[1:5]] == [(name,) for name in stages[:4]]


def test_a_layer_that_two_read_ends_its_chain() -> None:
    text = CHAIN.replace(
        "{name: fc,",
        "{name: low, op: conv2d, out_channels: 24, kernel: 1}\n  - {name: both, op: add, inputs: [act2, low]}\n  - {name: fc,",
    )
    plan = bfloat16_plan(text + "  low: {strategy: chained}\n")
    assert [p.layer for p in plan.plios if not p.is_input] == ["conv2", "low", "fc"]


@pytest.mark.parametrize(
    ("old", "new", "rule", "said"),
    [
        ("target: vek280", "target: vck190", "chain-1", "vck190 (aie) has none"),
        ("kernel: 3, padding: 1}", "kernel: 3, padding: 1, stride: 2}", "chain-2", "the stride is [2, 2]"),
        ("cores: 3}", "tile: [8, 144, 8]}", "chain-2", "has no tile"),
        ("cores: 3}", "cores: 5}", "chain-3", "cut 3 blocks of 8 channels evenly"),
        ("cores: 3}", "cores: 4, bands: 3}", "chain-3", "4 cores in 3 bands"),
    ],
)
def test_what_a_chain_cannot_be_is_refused(old: str, new: str, rule: str, said: str) -> None:
    text = edited(CHAIN, old, new)
    with pytest.raises(CannotFit) as e:
        bfloat16_plan(text)
    message = str(e.value)
    assert f"[{rule}]" in message
    assert said in message
    assert "fix: " in message


def test_rows_of_a_matrix_are_not_handed_on() -> None:
    text = "name: rows\ntarget: vek280\nweights: w.safetensors\ninput: {name: x, shape: [16, 32]}\nlayers:\n"
    with pytest.raises(
        CannotFit, match=r"\[chain-2\] layer 'up': strategy chained hands images on; .* rows of a matrix"
    ):
        bfloat16_plan(
            text
            + "  - {name: up, op: dense, out_features: 64}\nmapping:\n  up: {strategy: chained, cores: 2}\n"
        )


def test_chains_are_of_narrow_types() -> None:
    said = refusal(CHAIN)
    assert f"network.yaml:{line_of(CHAIN, 'conv1: {')}: [chain-1] layer 'conv1'" in said
    assert "bfloat16 and int8, not for float32" in said


def test_more_writers_than_two_memory_tiles_take_are_refused() -> None:
    text = edited(CHAIN, "out_channels: 24", "out_channels: 128").replace("cores: 3}", "cores: 16}")
    text = edited(text, "[1, 14, 14]", "[1, 8, 8]")
    with pytest.raises(
        CannotFit, match=r"\[chain-4\] layer 'fc': the layer before it has 16 parts x 1 bands"
    ):
        bfloat16_plan(text)
    wide = bfloat16_plan(text.replace("cores: 16}", "cores: 8}"))
    assert [b.name for b in wide.buffers[-2:]] == ["fc_input_0", "fc_input_1"]
    assert [len(b.writers) for b in wide.buffers[-2:]] == [4, 4]


def test_keys_of_chains_are_refused_elsewhere() -> None:
    text = CHAIN.replace("strategy: chained, cores: 3", "cores: 3")
    assert "cores is a key of strategy: chained" in refusal(text)


def test_another_target_without_memory_tiles_has_no_chains() -> None:
    plan = bfloat16_plan(CHAIN, float32_on="vck190")
    assert [la.draft.strategy for la in plan.aie] == ["im2col_gemm"] * 3
    assert plan.buffers == ()


def test_a_chain_pads_integers_with_zeros_only() -> None:
    text = CHAIN.replace("  - {name: act1, op: relu}\n", "")
    assert "0 is the element 3 here" in integer_like(text, zero_point=3)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"dimensions": (48, 1, 3200)}, "memtile-1"),
        ({"writers": 7}, "memtile-2"),
        ({"copies": 13}, "memtile-3"),
        ({"copies": 33}, "memtile-4"),
    ],
)
def test_a_memory_tile_has_limits(changes: dict[str, object], rule: str) -> None:
    plan = bfloat16_plan(CHAIN)
    first: SharedBuffer = plan.buffers[0]
    if "writers" in changes:
        changes = {"writers": first.writers * 7}
    bent = replace(plan, buffers=(replace(first, **changes), *plan.buffers[1:]))  # type: ignore[arg-type]
    with pytest.raises(CannotFit, match=rf"\[{rule}\]"):
        check(bent, network_of(CHAIN).spec)


def scatter(buffer: SharedBuffer, access: Access, values: Ints, memory: Ints) -> None:
    """Let a writer fill its part of a buffer."""
    places = walk(buffer, access, np.arange(math.prod(buffer.dimensions)))
    memory[places] = values


def held_by(plan: ArrayPart, layer: AieLayerPlan, params: dict[str, Floats], core: int) -> tuple[Ints, Ints]:
    """Return the weights and the rows that a core has, compiled in or from the stream that serves it, as whole numbers."""
    table, part = layer.draft.streamed, layer.kernels[core].part
    if table is None:
        bits, rows = (values[part] for values in strategy_of(layer.grid).packed_weights(layer, params))
    else:
        (plio,) = [p for p in plan.plios if p.layer == layer.name and p.weights and core in p.kernels]
        sent = sent_tables(layer, params)[plio.stream]
        assert isinstance(layer.grid, ChainGrid)
        bits = sent.view(np.uint16)[: layer.grid.weights_elements]
        rows = sent[table.rows_at :].view(np.float32)[: layer.grid.tile_m * PIXELS]
    values = (bits.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return values.astype(np.int64), rows.astype(np.int64)


def kernel(grid: ChainGrid, ports: list[Ints], weights: Ints, rows: Ints) -> Ints:
    """Return a core's output: the template's loops over mmuls, with plain matrices."""
    n, taps = grid.mmul[2], grid.taps[1]
    make, need = grid.make, grid.need
    out = np.zeros((make.rows, make.blocks, make.cols, BLOCK), np.int64)
    outputs = grid.step_blocks * grid.halves * grid.positions
    per_step = weights.reshape(grid.block_steps, -1, taps, outputs, BLOCK, n)
    starts = rows.reshape(grid.block_steps, -1, PIXELS, n).repeat(grid.positions, axis=1)
    images = [p.reshape(need.rows, -1, need.cols, BLOCK) for p in ports]
    for step, row, col in np.ndindex(grid.block_steps, grid.row_steps * grid.step_rows, grid.col_steps):
        sums = starts[step].copy()
        trip = 0
        for image in images:
            for ky, block in np.ndindex(grid.taps[0], image.shape[1]):
                for kx in range(taps):
                    a = image[row + ky, block, col * PIXELS + kx : col * PIXELS + kx + PIXELS]
                    sums += a[None] @ per_step[step, trip, kx]
                trip += 1
        best = sums.reshape(-1, grid.positions, PIXELS, n).max(axis=1)
        whole = best.reshape(grid.step_blocks, grid.halves, PIXELS, n).transpose(0, 2, 1, 3)
        blocks = whole.reshape(grid.step_blocks, PIXELS, BLOCK)
        first = step * grid.step_blocks
        if grid.fold == 1:
            out[row, first : first + grid.step_blocks, col * PIXELS : (col + 1) * PIXELS] = blocks
            continue
        pooled = blocks.reshape(grid.step_blocks, PIXELS // 2, 2, BLOCK).max(axis=2)
        place = (row // 2, slice(first, first + grid.step_blocks), slice(col * 2, col * 2 + 2))
        out[place] = pooled if row % 2 == 0 else np.maximum(out[place], pooled)
    flat: Ints = out.ravel()
    return flat


def pool_kernel(grid: PoolGrid, port: Ints) -> Ints:
    """Return a core's output: its windows, from where its template's steps load them."""
    make, need = grid.make, grid.need
    image = port.reshape(need.rows, need.blocks, need.cols, BLOCK)
    out = np.zeros((make.rows, make.blocks, make.cols, BLOCK), np.int64)
    (rows, cols), (down, along) = grid.window.kernel, grid.window.stride
    for row, col in np.ndindex(make.rows, make.cols):
        seen = image[row * down : row * down + rows, :, col * along : col * along + cols]
        out[row, :, col] = seen.max(axis=(0, 2))  # of columns beyond the layer's own fewer are there
    flat: Ints = out.ravel()
    return flat


def largest(x: Ints, window: Window) -> Ints:
    """Return a pool's result by its definition."""
    y = np.zeros((len(x), window.out_height, window.out_width), np.int64)
    for i, j in np.ndindex(*y.shape[1:]):
        top, left = i * window.stride[0], j * window.stride[1]
        y[:, i, j] = x[:, top : top + window.kernel[0], left : left + window.kernel[1]].max(axis=(1, 2))
    return y


def convolved(x: Ints, weight: Ints, bias: Ints, padding: tuple[int, int], *, pooled: bool) -> Ints:
    """Return the layer's result by its definition."""
    py, px = padding
    x = np.pad(x, ((0, 0), (py, py), (px, px)))
    rows, cols = x.shape[1] - weight.shape[2] + 1, x.shape[2] - weight.shape[3] + 1
    y = np.zeros((len(weight), rows, cols), np.int64) + bias[:, None, None]
    for dy, dx in np.ndindex(*weight.shape[2:]):
        y += np.tensordot(weight[:, :, dy, dx], x[:, dy : dy + rows, dx : dx + cols], 1)
    if not pooled:
        return y
    y = y[:, : rows // 2 * 2, : cols // 2 * 2]
    largest: Ints = y.reshape(len(y), rows // 2, 2, cols // 2, 2).max(axis=(2, 4))
    return largest


def defined(grid: BlockGrid, x: Ints, random: np.random.Generator) -> tuple[Ints, dict[str, Floats]]:
    """Return a layer's result by its definition, and weights for it."""
    window = grid.window
    x = x.reshape(window.channels, window.height, window.width)
    if not isinstance(grid, ChainGrid):
        return largest(x, window), {}
    weight = random.integers(-9, 9, (grid.m, window.channels, *window.kernel))
    bias = random.integers(-9, 9, grid.m)
    params = {"weight": weight.astype(np.float32), "bias": bias.astype(np.float32)}
    return convolved(x, weight, bias, window.padding, pooled=grid.pooled), params


def core_s(
    plan: ArrayPart, layer: AieLayerPlan, params: dict[str, Floats], core: int, ports: list[Ints]
) -> Ints:
    """Return what a core makes of its inputs."""
    grid = layer.grid
    if isinstance(grid, PoolGrid):
        return pool_kernel(grid, ports[0])
    assert isinstance(grid, ChainGrid)
    return kernel(grid, ports, *held_by(plan, layer, params, core))


@settings(max_examples=40, deadline=None)
@given(text=chains(), seed=st.integers(0, 99))
def test_any_chain_moves_and_multiplies_what_the_layers_say(text: str, seed: int) -> None:
    """Weights, buffers and loops together, with integers, against the layers' definition."""
    try:
        plan = bfloat16_plan(text)
    except CannotFit as e:
        assert "fix: " in str(e)
        return
    random = np.random.default_rng(seed)
    x = y = random.integers(-9, 9, plan.x.shape)
    memory = {b.name: np.zeros(math.prod(b.dimensions), np.int64) for b in plan.buffers}
    entry, made = grids(plan)[0], list[Ints]()
    assert entry.entry is not None
    sent = entry.inputs(plan.aie[0].draft.window).gather(
        x.reshape(entry.entry.grid.inputs(entry.entry.window).sizes)
    )
    scatter(plan.buffers[0], plan.buffers[0].writers[0], sent, memory[plan.buffers[0].name])
    for layer in plan.aie:
        grid = layer.grid
        assert isinstance(grid, BlockGrid)
        y, params = defined(grid, y, random)
        before, made = made, []
        for number, core in enumerate(layer.kernels):
            ports = [
                walk(b, a, memory[b.name])
                for b in plan.buffers for a in b.readers if a.layer == layer.name and number in a.kernels
            ]  # fmt: skip
            if grid.handed:
                ports = before  # as the core before it has written it, without a DMA
            taken = Counter(p[0].tile for r, p in core.blocks.items() if r[:2] == "in")
            assert max(taken.values(), default=0) <= S2MM
            made.append(core_s(plan, layer, params, number, ports))
        for b in plan.buffers:
            for a in b.writers:
                if a.layer == layer.name:
                    scatter(b, a, made[a.kernels[0]], memory[b.name])
    last = plan.aie[-1].grid
    order = last.output
    exits = [b for b in plan.buffers if b.after == "plio_out"]
    result = walk(exits[0], exits[0].readers[0], memory[exits[0].name]) if exits else made[0]
    assert np.array_equal(scattered(order, result, -1), y.reshape(order.sizes))
    assert y.size == plan.y.elements


def test_types() -> None:
    assert {b.dtype for b in bfloat16_plan(CHAIN).buffers} == {DataType.BFLOAT16}
    assert load_device("vck190").memory_tile is None


@pytest.mark.parametrize(
    ("name", "cores", "memory_tiles", "rate"),
    [("mnist", 18, 5, 250_000), ("mnist_int8", 18, 5, 600_000), ("mnist_wide", 64, 8, 1_000_000)],
)
def test_the_published_networks_are_planned_within_their_bounds(
    name: str, cores: int, memory_tiles: int, rate: float, tmp_path: Path
) -> None:
    plan = open_project(ROOT / "projects" / name, build=tmp_path).array
    assert plan.cores <= cores
    assert len({b.tile for b in plan.buffers}) <= memory_tiles
    assert plan.cost.throughput_fps >= rate  # modelled
    assert 1e6 / simulate_plan(plan).interval_us >= rate
    assert [g.name for g in plan.pl] == ["pl_input_to_conv1", "pl_shares"]
    if name == "mnist":
        tiles = {t for la in plan.aie for t in la.tiles}
        cols, rows = ([t[axis] for t in tiles] for axis in (0, 1))
        assert max(rows) - min(rows) < 2
        assert max(cols) - min(cols) < 9


@pytest.mark.slow
def test_the_same_file_is_planned_without_memory_tiles(tmp_path: Path) -> None:
    plan = open_project(ROOT / "projects" / "mnist_int8", build=tmp_path, target="vck190").array
    assert "chained" not in {la.draft.strategy for la in plan.aie}
