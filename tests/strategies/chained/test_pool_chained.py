"""Pools of a chain on cores of their own: how they are cut and placed, what is refused, and their array to the bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from aieloom.errors import CannotFit, SpecError
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.products.strategy import strategy_of
from aieloom.simulation.of_plan import simulate_plan
from aieloom.spec.quantize import QuantizeSpec
from aieloom.strategies.chained.pool import PoolGrid
from tests.designs import edited, network_of
from tests.quantize.kernels import BFLOAT16, integer_design, run_array
from tests.strategies.chained.checks import BFLOAT16 as QUANTIZE
from tests.strategies.chained.checks import check
from tests.strategies.chained.designs import CHAIN, bfloat16_plan

ALONE = CHAIN.replace("mapping:\n", "mapping:\n  pool1: {strategy: chained}\n")
INT8 = QuantizeSpec.model_validate({"symmetric": True})


def pools(size: tuple[int, int], channels: int, lines: list[tuple[str, str]]) -> str:
    """Return a convolution of one core and pools behind it: keys of each layer, and of its mapping beside the strategy."""
    head = (
        f"name: pools\ntarget: vek280\nweights: w.pt\ninput: {{name: x, shape: [2, {size[0]}, {size[1]}]}}\n"
    )
    layers = [f"  - {{name: one, op: conv2d, out_channels: {channels}, kernel: 1}}"]
    mapping = ["  one: {strategy: chained}"]
    for i, (keys, cut) in enumerate(lines):
        layers.append(f"  - {{name: pool{i}, op: max_pool, {keys}}}")
        mapping.append(f"  pool{i}: {{strategy: chained{cut}}}")
    return "\n".join([head + "layers:", *layers, "mapping:", *mapping, ""])


def layer_of(plan: ArrayPart, name: str) -> AieLayerPlan:
    return next(la for la in plan.aie if la.name == name)


def test_a_pool_that_names_the_strategy_has_cores_of_its_own() -> None:
    fused, alone = bfloat16_plan(CHAIN), bfloat16_plan(ALONE)
    assert [la.name for la in fused.aie] == ["conv1", "conv2", "fc"]
    assert [la.name for la in alone.aie] == ["conv1", "pool1", "conv2", "fc"]
    assert layer_of(alone, "conv1").draft.fused == ("act1",)
    assert [b.name for b in alone.buffers] == ["conv1_input", "pool1_input", "conv2_input", "fc_input"]
    assert [s.after for s in alone.cost.stages if s.name == "pool1"] == [("conv1",)]
    assert simulate_plan(alone).latency_us > simulate_plan(fused).latency_us


def test_a_pool_reads_where_the_one_core_before_it_wrote() -> None:
    """Of 11 rows it reads 10: the buffer is that of the core before it, and the rest means nothing."""
    text = edited(pools((11, 11), 8, [("kernel: 2", "")]), "kernel: 1}", "kernel: 1, bias: false}")
    plan = bfloat16_plan(text)
    pool = layer_of(plan, "pool0").grid
    assert isinstance(pool, PoolGrid)
    assert (pool.handed, pool.in_elements) == (True, layer_of(plan, "one").grid.out_elements)
    assert pool.need.rows in (11, 12) and [b.name for b in plan.buffers] == ["one_input", "pool0_output"]


@pytest.mark.parametrize(
    ("old", "new", "rule", "said"),
    [
        ("kernel: 2}", "kernel: 5, stride: 1}", "chain-5", "a window of 5 x 5 by 1 x 1: cores take windows of up to 4 x 4"),
        ("kernel: 2}", "kernel: 3, stride: 3}", "chain-5", "a window of 3 x 3 by 3 x 3"),
        ("kernel: 2}", "kernel: 3, stride: 2, padding: 1}", "chain-5", "by 2 x 2 with padding"),
        ("pool1: {strategy: chained", "pool1: {strategy: chained, cores: 3", "chain-3", "3 cores in 1 bands"),
        ("conv1: {strategy: chained, cores: 4, bands: 2}", "conv1: {tile: [16, 9, 12]}", "chain-5", "no chained layer stands before it"),
        ("conv1: {strategy: chained, cores: 4, bands: 2}", "conv1: {strategy: chained, cores: 8, bands: 4}", "chain-4", "has 8 cores"),
    ],
)  # fmt: skip
def test_what_a_pool_of_a_chain_cannot_be_is_refused(old: str, new: str, rule: str, said: str) -> None:
    with pytest.raises(CannotFit) as e:
        bfloat16_plan(edited(ALONE, old, new))
    message = str(e.value)
    assert f"[{rule}]" in message and said in message and "fix: " in message


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("{strategy: chained, clock_mhz: 200}", "has cores of its own and no clock_mhz"),
        ("{cores: 2}", "strategy: chained alone has cores"),
        ("{strategy: streaming, place: {col: 1, cols: 1, rows: 1}}", "strategy: chained alone has place"),
    ],
)
def test_keys_that_a_pool_does_not_read_are_refused(keys: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        network_of(edited(ALONE, "pool1: {strategy: chained}", f"pool1: {keys}"))


def test_another_target_has_the_pool_in_the_logic() -> None:
    plan = bfloat16_plan(ALONE, float32_on="vck190")
    assert [la.name for la in plan.aie] == ["conv1", "conv2", "fc"] and plan.buffers == ()


@st.composite
def windows(draw: st.DrawFn) -> str:
    """Return a chain of a convolution and pools of any windows, cuts and buffers, ending in one of them."""
    size = (draw(st.integers(9, 15)), draw(st.integers(9, 18)))
    blocks = draw(st.sampled_from([1, 2, 4]))
    lines, left = [], list(size)
    for _ in range(draw(st.integers(1, 3))):
        kernel, stride = ([draw(st.integers(1, n)) for _ in range(2)] for n in (4, 2))
        if any(k > n for k, n in zip(kernel, left, strict=True)):
            break
        left = [(n - k) // s + 1 for n, k, s in zip(left, kernel, stride, strict=True)]
        parts, bands = (
            draw(st.sampled_from([p for p in (1, 2, 4) if blocks % p == 0])),
            draw(st.integers(1, min(2, left[0]))),
        )
        if parts * bands > 6:
            bands = 1
        cut = f", cores: {parts * bands}, bands: {bands}, buffers: {draw(st.sampled_from(['single', 'ping_pong']))}"
        lines.append((f"kernel: {kernel}, stride: {stride}", cut if draw(st.booleans()) else ""))
    return pools(size, 8 * blocks - draw(st.integers(0, 7)), lines or [("kernel: 2", "")])


APART = pools(
    (10, 10), 26, [("kernel: [2, 3], stride: 2", ", cores: 4"), ("kernel: 4, stride: [1, 2]", ", cores: 4")]
)


@settings(deadline=None, max_examples=25)
@given(windows(), st.integers(0, 2**31))
@example(APART, 0)
def test_any_pools_give_numpys_and_the_rules_hold(text: str, seed: int) -> None:
    """What the cores compute is the largest of each window; the cycles of a call are at least those of its stores."""
    plan = bfloat16_plan(text)
    for layer in plan.aie[1:]:
        grid, draft = layer.grid, layer.draft
        assert isinstance(grid, PoolGrid)
        x = np.random.default_rng(seed).integers(-99, 99, (2, *draft.x.shape)).astype(np.float32)
        y = strategy_of(grid).hardware(draft, {}, x)
        (ky, kx), (sy, sx) = grid.window.kernel, grid.window.stride
        for c, i, j in np.ndindex(*draft.y.shape):
            assert (
                y[:, c, i, j] == x[:, c, i * sy : i * sy + ky, j * sx : j * sx + kx].max(axis=(1, 2))
            ).all()
        written = {k for b in plan.buffers for a in b.writers for k in a.kernels if a.layer == layer.name}
        assert written == set(range(grid.cores)) or grid.hands or grid.exits_directly
        read = [k for b in plan.buffers for a in b.readers for k in a.kernels if a.layer == layer.name]
        assert sorted(read) == list(range(grid.cores)) or grid.handed
        assert draft.kernel_cycles > grid.band_rows * grid.col_steps * grid.blocks
    simulate_plan(plan)


MANY = pools(
    (14, 13),
    24,
    [
        ("kernel: 3, stride: 1", ", cores: 3"),
        ("kernel: [1, 4], stride: [1, 2]", ", bands: 2"),
        ("kernel: [3, 2], stride: [2, 1]", ""),
        ("kernel: 2", ", buffers: single"),
    ],
)


@pytest.mark.integration
@pytest.mark.parametrize("quantize", [BFLOAT16, INT8], ids=["bfloat16", "int8"])
def test_arrays_of_pools_give_the_references_bits(quantize: QuantizeSpec, tmp_path: Path) -> None:
    """Windows with and without columns beyond a step, parts, bands, single buffers; the counts of every kernel."""
    run_array(integer_design(MANY, quantize), tmp_path, least=24)


@pytest.mark.slow
@settings(deadline=None, max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(windows(), st.sampled_from([BFLOAT16, INT8]))
def test_arrays_of_any_pools_give_the_references_bits(
    tmp_path_factory: pytest.TempPathFactory, text: str, quantize: QuantizeSpec
) -> None:
    run_array(integer_design(text, quantize), tmp_path_factory.mktemp("pools"), least=1)


@pytest.mark.slow
def test_a_whole_system_with_a_pool_of_its_own_runs_to_the_bit(tmp_path: Path) -> None:
    """A relu behind the pool is done by its kernel."""
    text = ALONE.replace("  - {name: act1, op: relu}\n", "")
    text = edited(text, "kernel: 2}\n", "kernel: 2}\n  - {name: act1, op: relu}\n")
    check(tmp_path, text.replace("mapping:\n", QUANTIZE + "mapping:\n"), 0.02)
