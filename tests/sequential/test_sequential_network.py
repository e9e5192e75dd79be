"""Networks that run layer by layer: emulated against their reference to the bit, the reference against PyTorch."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from aieloom.cli import main
from aieloom.errors import CannotFit, SpecError
from aieloom.flow.opening import open_any, open_project
from aieloom.flow.project import Project
from aieloom.flow.sequential import design_of
from aieloom.layout.channel_words import LANES
from aieloom.layout.grid import Window
from aieloom.network.tensor import TensorType
from aieloom.reference.results import hardware_reference, torch_reference
from aieloom.sequential import commands as c
from aieloom.sequential import planning
from aieloom.sequential.array import candidates, split_of, tap_words
from aieloom.sequential.array import weight_bytes as array_weight_bytes
from aieloom.sequential.engine import BLOCKS, solve_engines
from aieloom.sequential.fusion import with_folded_input
from aieloom.sequential.packing import packed
from aieloom.sequential.plan import command_list, commands, engines_of
from aieloom.sequential.reference import reference
from aieloom.sequential.steps import ConvStep, Mode
from aieloom.sequential.vector import Operation, vector_unit, vector_units
from aieloom.sequential.weights import array_tables, matrix_of
from aieloom.spec.device import Device, load_board
from aieloom.spec.network import INPUT
from aieloom.spec.types import DataType
from aieloom.units.plan import Plan, interval_us, resources
from tests.sequential.command_reader import from_bytes
from tests.sequential.networks import NETWORK, conv_step, inputs, opened, plan_of, quantised


@pytest.mark.slow
def test_an_emulated_network_equals_its_reference_and_pytorch(tmp_path: Path) -> None:
    project = opened(tmp_path)
    in_turn = engines_of(project.plan)
    assert {s.mode for s in in_turn.steps if isinstance(s, ConvStep)} == set(Mode)
    x = inputs(project.plan.schedule.batch + 1)
    design = design_of(project)
    design.emulated.make(design.render())
    y = design.emulated.run(x).y
    wanted = reference(in_turn.steps, project.parameters, x)
    assert y.tobytes() == wanted.tobytes()
    floats = torch_reference(project.network, project.float_parameters, x)
    assert np.allclose(y, floats, rtol=0, atol=1e-5)
    assert set(design.sources.names) == {
        str(f.relative_to(project.build)) for f in (project.build / "src").rglob("*") if f.is_file()
    }


@pytest.mark.parametrize(
    "scales",
    ["multiplier", "multiplier16", "power_of_two", "onnx"],
)
@pytest.mark.slow
def test_emulated_integers_equal_their_definition(scales: str, tmp_path: Path) -> None:
    project = opened(tmp_path, quantised(scales) + "engine: pl\n")
    in_turn = engines_of(project.plan)
    assert in_turn.engine.element == "int8"
    x = inputs(project.plan.schedule.batch + 1)
    design = design_of(project)
    design.emulated.make(design.render())
    y = design.emulated.run(x).y
    wanted = reference(in_turn.steps, project.parameters, x)
    assert y.tobytes() == wanted.tobytes()
    floats = torch_reference(project.network, project.float_parameters, x)
    assert np.mean(y.argmax(axis=1) == floats.argmax(axis=1)) > 0.5


VECTORS = """\
name: vectors
target: vck190
weights: weights.safetensors
execution: sequential
input: {name: x, shape: [3, 13, 11]}
layers:
  - {name: conv, op: conv2d, out_channels: 40, kernel: [3, 2], stride: [2, 1], padding: [1, 0]}
  - {name: most, op: max_pool, kernel: [3, 2], stride: [2, 1], padding: [1, 1, 0, 0]}
  - {name: mean, op: avg_pool, kernel: 3, stride: 1, padding: 1, count_include_pad: false}
  - {name: share, op: avg_pool, inputs: [most], kernel: 3, stride: 1, padding: [0, 2, 2, 0]}
  - {name: sum, op: add, inputs: [mean, share]}
  - {name: act, op: relu}
  - {name: six, op: clip, inputs: [sum], min: -0.05, max: 0.6}
  - {name: both, op: add, inputs: [act, six]}
  - {name: all, op: global_avg_pool}
  - {name: fc, op: dense, out_features: 10}
"""


@pytest.mark.integration
@pytest.mark.parametrize(
    ("scales", "on_processor"),
    [
        ("multiplier", set()),
        pytest.param("onnx", {"mean", "share"}, marks=pytest.mark.slow),  # ONNX's averages are of floats
        pytest.param(None, set(), marks=pytest.mark.slow),
    ],
)
def test_the_vector_unit_gives_what_the_operators_define(
    scales: str | None, on_processor: set[str], tmp_path: Path
) -> None:
    quantised = f"quantize: {{activations: int8, weights: int8, calibration: calib.npz, scales: {scales}}}\n"
    project = opened(tmp_path, VECTORS + (f"{quantised}engine: pl\n" if scales else ""))
    in_turn = engines_of(project.plan)
    assert {s.layer for s in in_turn.functions} == on_processor
    assert {f.operation for f in in_turn.forms.values()} >= {Operation.ADD, Operation.MAXIMUM}
    x = inputs(project.plan.schedule.batch + 1)
    design = design_of(project)
    design.emulated.make(design.render())
    assert design.emulated.run(x).y.tobytes() == reference(in_turn.steps, project.parameters, x).tobytes()


@pytest.mark.parametrize(
    ("target", "scales"),
    [
        (target, scales)
        for target in ("vck190", "vek280")
        for scales in ("multiplier", "onnx", "power_of_two")
    ],
)
@pytest.mark.slow
def test_the_array_gives_the_same_integers(target: str, scales: str, tmp_path: Path) -> None:
    text = quantised(scales).replace("vck190", target) + "engine: aie\n"
    project = opened(tmp_path, text)
    plan = project.plan
    in_turn = engines_of(plan)
    assert in_turn.array
    assert not in_turn.in_logic, "depthwise layers are the vector units'"
    assert in_turn.forms["apart"].operation is Operation.DEPTHWISE
    assert {s.mode for s in in_turn.products} == set(Mode)
    x = inputs(in_turn.array.rows + 1)  # a round in which only one row of chains has a band
    design = design_of(project)
    design.emulated.make(design.render())
    y = design.emulated.run(x).y
    assert y.tobytes() == reference(in_turn.steps, project.parameters, x).tobytes()
    assert set(design.sources.names) == {
        str(f.relative_to(project.build)) for f in (project.build / "src").rglob("*") if f.is_file()
    }


def test_the_choice_of_the_engine_is_told(tmp_path: Path) -> None:
    text = quantised("multiplier")
    assert engines_of(opened(tmp_path, text + "engine: pl\n").plan).array is None
    reason = engines_of(opened(tmp_path, text).plan).reason
    assert re.search(
        r"engine: (aie|pl), since products take .* on the array, .* in the logic \(modelled\)", reason
    )
    with pytest.raises(CannotFit, match=r"\[sequential-1\] engine: aie: the array of zcu104 has no array"):
        opened(tmp_path, text.replace("vck190", "zcu104") + "engine: aie\n")
    assert engines_of(opened(tmp_path, NETWORK.replace("zcu104", "vck190") + "engine: aie\n").plan).array, (
        "float32"
    )


@given(
    channels=st.integers(1, 70),
    outputs=st.integers(1, 150),
    kernel=st.tuples(st.integers(1, 3), st.integers(1, 4)),
    images=st.integers(1, 9),
    side=st.integers(4, 40),
)
@settings(max_examples=40, deadline=None)
def test_bands_and_weights_of_the_array_are_a_convolution(
    channels: int, outputs: int, kernel: tuple[int, int], images: int, side: int
) -> None:
    """The split covers all pixels and channels once, and a product of the packed tiles is the layer's."""
    random = np.random.default_rng(channels)
    step = conv_step(channels, outputs, kernel, side)
    device = load_board("vck190")
    assert isinstance(device, Device)
    engine = random.choice(np.array(list(candidates(device, [step], "int8", "logic")), dtype=object))
    split = split_of(step, engine, images)
    assert (split.bands - 1) * split.rows < step.window.out_height <= split.bands * split.rows
    assert split.tiles * engine.tile_channels >= outputs
    weight = random.integers(-128, 128, (outputs, channels, *kernel), np.int8)
    table, _ = array_tables(step, engine, {"weight": weight})
    assert table.order
    packed = table.elements.reshape(table.order.shape)
    assert packed.nbytes == array_weight_bytes(step, engine)
    parts, passes, _, blocks_k, k = packed.shape[3:8]
    seen = random.integers(-128, 128, (kernel[0] * kernel[1], tap_words(step) * LANES), np.int64)
    window = np.zeros(passes * parts * blocks_k * k, np.int64)
    window[: seen.size] = seen.ravel()
    cut = window.reshape(passes, parts, blocks_k, k)
    sums = np.einsum("otcypbgkn,pygk->otcbn", packed.astype(np.int64), cut).reshape(-1)
    by_channel = seen[:, :channels].T.reshape(channels, *kernel)
    assert np.array_equal(sums[:outputs], np.einsum("ockl,ckl->o", weight.astype(np.int64), by_channel))
    assert not sums[outputs:].any()


@pytest.mark.slow
def test_the_integers_are_those_of_the_array(tmp_path: Path) -> None:
    project = opened(tmp_path, quantised("multiplier"))
    (tmp_path / "network.yaml").write_text(quantised("multiplier").replace("execution: sequential\n", ""))
    spatial = open_project(tmp_path, build=tmp_path / "build")
    x = inputs(2)
    on_array = hardware_reference(spatial.array, spatial.parameters, x)
    assert np.array_equal(reference(engines_of(project.plan).steps, project.parameters, x), on_array)


def test_a_small_board_has_a_narrow_vector_unit() -> None:
    for name, lanes in (("zynq-7020", 1), ("vck190", 16)):
        board = load_board(name)
        unit = vector_unit(board, "int8")
        assert unit.lanes == lanes
        engine, *_ = solve_engines(board, "int8", beside_dsp=unit.dsp, beside_lut=unit.lut)
        margin, whole = board.rooms
        room = margin if name == "vck190" else whole  # the smallest of the zynq-7020's is above the margin
        assert engine.dsp + unit.dsp <= room.dsp
        assert engine.lut + unit.lut <= room.lut


def may_not_close(plan: Plan) -> bool:
    return any(plan.board.logic.crowded(asdict(resources(plan)), engines_of(plan).mhz))


@pytest.mark.parametrize(
    "settings", ["", "quantize: {activations: int8, weights: int8, calibration: calib.npz}\n"]
)
def test_no_other_engine_that_fits_takes_less_time(
    settings: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    best = opened(tmp_path, NETWORK + settings).plan
    others = []
    for pixels, out in BLOCKS:
        with suppress(CannotFit):
            other = opened(
                tmp_path, f"{NETWORK}{settings}engine: {{where: pl, block: [{pixels}, {out}]}}\n"
            ).plan
            engine = engines_of(other).engine
            assert (engine.pixels, engine.out) == (pixels, out)
            others.append((may_not_close(other), interval_us(other)))  # what may not close comes last
    assert len({*others}) > 2, "else it shows nothing"
    assert (may_not_close(best), interval_us(best)) == min(others)
    alone = []
    for unit in vector_units(load_board("zcu104"), engines_of(best).element):
        with monkeypatch.context() as patched:
            patched.setattr(planning, "vector_units", lambda *_, unit=unit: (unit,))
            alone.append(interval_us(opened(tmp_path, NETWORK + settings).plan))
    assert len({*alone}) > 1, "else it shows nothing"
    assert interval_us(best) == min(alone)


def test_a_board_without_room_is_told_what_is_needed_and_left() -> None:
    """Finishing 16 lanes takes 2 DSP slices of each in float32; 2 x 16 + 16 products a multiplier and an adder."""
    board = load_board("zynq-7020")
    with pytest.raises(CannotFit) as error:
        solve_engines(board, "float32", beside_dsp=215)
    (problem,) = error.value.problems
    assert "of 2 pixels x 16 output channels: it needs 32 DSP" in problem.text
    assert "and 48 multipliers with adders, each 5 DSP and 749 LUT, or 0 DSP and 1,354 LUT" in problem.text
    assert "; 5 DSP, 53,200 LUT and 140 block RAMs are left" in problem.text
    with pytest.raises(CannotFit, match="of 16 pixels x 64 output channels: it needs 32 DSP"):
        solve_engines(board, "float32", block=(16, 64))


def test_auto_is_spatial_where_that_fits_and_says_why_not(tmp_path: Path) -> None:
    on_board = opened(tmp_path, NETWORK.replace("execution: sequential", "execution: auto"))
    assert "zcu104 has no AI Engine array" in engines_of(on_board.plan).reason


def test_auto_looks_for_no_mapping_of_hundreds_of_layers(tmp_path: Path) -> None:
    """150 convolutions whose weights fill less than half of the array: a search of their mappings took over ten minutes."""
    layers = range(150)
    listed = "".join(
        f"  - {{name: c{i}, op: conv2d, out_channels: 64, kernel: 3, padding: 1}}\n  - {{name: r{i}, op: relu}}\n"
        for i in layers
    )
    (tmp_path / "network.yaml").write_text(
        "name: deep\ntarget: vck190\nexecution: auto\nweights: weights.safetensors\n"
        "input: {name: x, shape: [64, 8, 8]}\nquantize: {calibration: calib.npz}\nlayers:\n" + listed
    )
    rng = np.random.default_rng(3)
    weights = {f"c{i}.weight": rng.normal(0, 0.06, (64, 64, 3, 3)).astype(np.float32) for i in layers}
    biases = {f"c{i}.bias": np.zeros(64, np.float32) for i in layers}
    save_file({**weights, **biases}, tmp_path / "weights.safetensors")
    np.savez(tmp_path / "calib.npz", x=rng.normal(0, 1, (2, 64, 8, 8)).astype(np.float32))
    project = open_any(tmp_path, build=tmp_path / "build")
    assert "150 layers would share the 400 cores, more than the 32" in engines_of(project.plan).reason


def test_a_network_whose_weights_fill_the_array_is_told_the_way(tmp_path: Path) -> None:
    side = 2048
    head = NETWORK[: NETWORK.index("layers:")].replace("zcu104", "vck190").replace("[3, 13, 11]", f"[{side}]")
    text = head.replace("execution: sequential\n", "") + (
        f"layers:\n  - {{name: fc, op: dense, out_features: {side}, bias: false}}\n"
        "mapping:\n  fc: {tile: [16, 2048, 2], mmul: [4, 2, 2]}\n"
    )
    (tmp_path / "network.yaml").write_text(text)
    save_file({"fc.weight": np.ones((side, side), np.float32)}, tmp_path / "weights.safetensors")
    with pytest.raises(
        CannotFit, match=r"; or run the layers one after another on one engine \(execution: auto\)"
    ):
        open_project(tmp_path, build=tmp_path / "build")


def test_check_and_explain_tell_of_it_and_report_says_what_to_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened(tmp_path)
    assert main(["check", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "3x13x11 float32 to 10x1x1 float32, layer by layer" in said
    assert "bound by " in said
    for layer, what in (
        ("apart", "every channel sees itself alone"),
        ("six", "six is part of it"),
        ("pool", "on the vector unit"),
        ("shares", "on the processor"),
    ):
        assert main(["explain", layer, "--project", str(tmp_path)]) == 0
        assert what in capsys.readouterr().out
    assert main(["explain", "none", "--project", str(tmp_path)]) == 2
    assert "there is no layer 'none'" in capsys.readouterr().err
    assert main(["report", str(tmp_path)]) == 2
    assert "run `doit sim` first" in capsys.readouterr().err


def test_hundreds_of_layers_are_planned(tmp_path: Path) -> None:
    layers = "".join(
        f"  - {{name: c{i}, op: conv2d, out_channels: 3, kernel: 1, groups: 3}}\n" for i in range(300)
    )
    head = NETWORK[: NETWORK.index("layers:")]
    (tmp_path / "network.yaml").write_text(f"{head}layers:\n{layers}")
    tensors = {
        f"c{i}.{n}": np.ones(s, np.float32)
        for i in range(300)
        for n, s in (("weight", (3, 1, 1, 1)), ("bias", (3,)))
    }
    save_file(tensors, tmp_path / "weights.safetensors")
    plan = plan_of(tmp_path).plan
    design = engines_of(plan)
    assert len(design.products) == 300
    assert design.memory_bytes <= 4 * plan.schedule.batch * 13 * 11 * 16 * 4, (
        "two tensors at a time beside two inputs"
    )


def test_refusals_name_what_to_do(tmp_path: Path) -> None:
    settings = "quantize: {activations: int16, weights: int16, calibration: calib.npz}\n"
    with pytest.raises(SpecError, match=r"\[sequential-1\] .*quantised to int16\n  fix: write quantize"):
        opened(tmp_path, NETWORK.replace("zcu104", "vck190") + settings)
    opened(tmp_path)
    board = load_board("zynq-7020")
    none = board.model_copy(update={"logic": board.logic.model_copy(update={"dsp": 10})})
    with pytest.raises(CannotFit, match=r"\[sequential-2\]"):
        solve_engines(none, "int8")


RESIDUAL = """\
name: residual
target: vck190
weights: weights.safetensors
execution: sequential
engine: aie
input: {name: x, shape: [3, 14, 12]}
layers:
  - {name: conv, op: conv2d, out_channels: 40, kernel: [3, 2], stride: [2, 1], padding: [1, 0]}
  - {name: most, op: max_pool, kernel: 3, stride: 1, padding: 1}
  - {name: side, op: conv2d, out_channels: 600, kernel: 1}
  - {name: trunk, op: conv2d, inputs: [most], out_channels: 600, kernel: 3, padding: 1}
  - {name: first, op: add, inputs: [trunk, side]}
  - {name: again, op: conv2d, out_channels: 600, kernel: 1}
  - {name: second, op: add, inputs: [first, again]}
  - {name: both, op: add, inputs: [second, first]}
  - {name: all, op: global_avg_pool}
  - {name: fc, op: dense, out_features: 10}
"""
RESIDUAL_SHAPES = {
    "conv.weight": (40, 3, 3, 2),
    "side.weight": (600, 40, 1, 1),
    "trunk.weight": (600, 40, 3, 3),
    "again.weight": (600, 600, 1, 1),
    "fc.weight": (10, 600),
}


def residual(folder: Path, scales: str, target: str = "vck190") -> Project:
    settings = f"quantize: {{activations: int8, weights: int8, calibration: calib.npz, scales: {scales}}}\n"
    (folder / "network.yaml").write_text(RESIDUAL.replace("vck190", target) + settings)
    random = np.random.default_rng(3)
    tensors = {n: random.normal(0, 0.1, s).astype(np.float32) for n, s in RESIDUAL_SHAPES.items()}
    tensors |= {
        n.replace("weight", "bias"): random.normal(0, 0.1, s[:1]).astype(np.float32)
        for n, s in RESIDUAL_SHAPES.items()
    }
    save_file(tensors, folder / "weights.safetensors")
    np.savez(folder / "calib.npz", x=random.normal(0, 1, (8, 3, 14, 12)).astype(np.float32))
    return plan_of(folder)


@pytest.mark.integration
@pytest.mark.parametrize(
    ("scales", "target"),
    [("multiplier", "vck190"), pytest.param("onnx", "vek280", marks=pytest.mark.slow)],
)
def test_products_add_other_tensors_on_their_way_to_memory(scales: str, target: str, tmp_path: Path) -> None:
    """The product first and second; sets of several tiles that share loads, the last of fewer; images shared by vector units."""
    project = residual(tmp_path, scales, target)
    plan = project.plan
    in_turn = engines_of(plan)
    sums = {s.layer: s.sum for s in in_turn.products if s.sum}
    assert {name: s.first for name, s in sums.items()} == {"trunk": True, "again": False}
    assert in_turn.products[0].fold == (2, 1), "the image's rows are channels of a pixel, two of each"
    assert {s.layer for s in in_turn.steps if s.layer in in_turn.forms} == {"most", "both", "all"}
    assert in_turn.array
    products = [command for command in commands(plan) if isinstance(command, c.Product)]
    assert any(command.together > 1 for command in products)
    x = (
        np.random.default_rng(5).normal(0, 1, (2 * plan.schedule.batch + 1, 3, 14, 12)).astype(np.float32)
    )  # three batches: the third has its images where the first had them
    design = design_of(project)
    design.emulated.make(design.render())
    assert design.emulated.run(x).y.tobytes() == reference(in_turn.steps, project.parameters, x).tobytes()
    assert from_bytes(*listed(project)).commands == commands(plan)


def listed(project: Project) -> tuple[bytes, bytes]:
    weights = packed(project.plan, project.parameters)
    return c.to_bytes(command_list(project.plan), weights), weights


@given(
    channels=st.integers(1, 4),
    kernel=st.tuples(st.integers(1, 7), st.integers(1, 7)),
    stride=st.tuples(st.integers(1, 3), st.integers(1, 2)),
    cells=st.tuples(st.integers(3, 6), st.integers(4, 6)),
    data=st.data(),
)
@settings(max_examples=60, deadline=None)
def test_a_convolution_of_a_folded_image_is_the_images(
    channels: int,
    kernel: tuple[int, int],
    stride: tuple[int, int],
    cells: tuple[int, int],
    data: st.DataObject,
) -> None:
    random = np.random.default_rng(channels)
    height, width = (n * s for n, s in zip(cells, stride, strict=True))
    padding = tuple(data.draw(st.integers(0, k // 2)) for k in kernel)
    window = Window(
        channels=channels,
        height=height,
        width=width,
        kernel=kernel,
        stride=stride,
        padding=(padding[0], padding[1]),
    )
    assume(window.height + 2 * padding[0] >= kernel[0] and window.width + 2 * padding[1] >= kernel[1])
    int8 = DataType.INT8
    step = replace(
        conv_step(channels, 5, kernel, 8), inputs=(INPUT,), window=window,
        x=TensorType((channels, height, width), int8),
        y=TensorType((5, window.out_height, window.out_width), int8),
    )  # fmt: skip
    (folded,) = with_folded_input((step,), lambda _: True)
    assert isinstance(folded, ConvStep)
    if folded.origin is None:
        return
    assert folded.products == step.products
    x = random.integers(-9, 9, (channels, height, width))
    weight = random.integers(-9, 9, (5, channels, *kernel))
    rows, columns = stride
    cut = x.reshape(channels, cells[0], rows, cells[1], columns).transpose(2, 4, 0, 1, 3)
    image = cut.reshape(-1, *cells)
    assert image.shape == folded.x.shape
    wanted = slid(x, weight, stride, window.padding, step.y.shape)
    by_tap = matrix_of(folded, {"weight": weight}).reshape(*folded.window.kernel, -1, 5)
    of_image = by_tap[:, :, : len(image)].transpose(3, 2, 0, 1)
    made = slid(image, of_image, (1, 1), folded.window.padding, step.y.shape)
    assert np.array_equal(made, wanted)


def slid(
    x: np.ndarray,
    weight: np.ndarray,
    stride: tuple[int, int],
    padding: tuple[int, int],
    shape: tuple[int, ...],
) -> np.ndarray:
    """A convolution by its definition; beyond the image lies 3."""
    (top, left), (ky, kx) = padding, weight.shape[2:]
    reach = 20
    whole = np.pad(x, ((0, 0), (top, reach), (left, reach)), constant_values=3)
    made = np.zeros(shape, np.int64)
    for i in range(shape[1]):
        for j in range(shape[2]):
            y, z = i * stride[0], j * stride[1]
            made[:, i, j] = (weight * whole[None, :, y : y + ky, z : z + kx]).sum(axis=(1, 2, 3))
    return made
