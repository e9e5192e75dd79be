"""Transformers in integers: attention on the array, whole rows on the row unit; to the bit, beside onnxruntime, fuzzed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file
from scipy.special import softmax

import aieloom
from aieloom.errors import SpecError
from aieloom.flow.project import Project
from aieloom.flow.sequential import design_of
from aieloom.sequential import commands as c
from aieloom.sequential.alone import types_of
from aieloom.sequential.emit import COMMANDS, WEIGHTS, render
from aieloom.sequential.packing import packed
from aieloom.sequential.plan import command_list, commands, engines_of
from aieloom.sequential.reference import reference
from aieloom.sequential.row_unit import RowStep
from aieloom.sequential.steps import ViewStep
from tests.designs import network_of, stored_of
from tests.emit.golden import GOLDEN, compare
from tests.heavy import torch
from tests.sequential.command_reader import Refused, from_bytes
from tests.sequential.lists import changed, signed
from tests.sequential.transformers import by_onnxruntime, emulated, opened, reopened
from tests.sequential.vit import SHAPE, Vit

ALONE = """\
name: alone
target: vck190
execution: sequential
weights: weights.safetensors
input: {name: x, shape: [8, 32]}
layers: [%s{name: mix, op: attention, heads: 2, width: 16, factor: 0.25, inputs: [%s, %s, %s]}]
"""
INTEGERS = "quantize: {activations: int8, weights: int8, calibration: calib.npz}\n"
pytestmark = pytest.mark.filterwarnings("ignore")


def samples(folder: Path) -> np.ndarray:
    """Return inputs, and write them as those of the calibration."""
    x = np.random.default_rng(2).normal(size=(20, *SHAPE)).astype(np.float32)
    np.savez(folder / "calib.npz", x=x)
    return x


def small(folder: Path, target: str = "vck190", more: str = "", **keys: bool) -> Project:
    samples(folder)
    torch.manual_seed(1)  # of the weights
    return opened(folder, Vit(**keys), SHAPE, target, INTEGERS + more)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return small(tmp_path_factory.mktemp("whole"))


@pytest.mark.parametrize("own", [False, True])
def test_nothing_of_a_transformer_is_left_to_the_processor(own: bool, tmp_path: Path) -> None:
    plan = small(tmp_path, own=own).plan
    design = engines_of(plan)
    assert design.functions == ()
    assert [s.heads.transposed for s in design.products if s.heads] == [True, False]
    assert sorted(s.op for s in design.steps if isinstance(s, RowStep)) == [
        "affine",
        "affine",
        *["layer_norm"] * 3,
        "softmax",
    ]
    assert [s.op for s in design.steps if isinstance(s, ViewStep)] == ["rearrange"], (
        "patches are rows as they lie"
    )
    kinds = [type(command).__name__ for command in commands(plan)]
    assert kinds.count("Columns") == kinds.count("Heads") == 2
    assert "Call" not in kinds
    assert "Convert" not in kinds


def test_no_head_leaves_its_place_where_heads_are_no_words(tmp_path: Path) -> None:
    """Heads of 8 features: the products stay the engine's in float32, or the processor's."""
    samples(tmp_path)
    plan = opened(tmp_path, Vit(heads=4), SHAPE, "vck190", INTEGERS).plan
    design = engines_of(plan)
    assert not [s for s in design.products if s.heads]
    assert [s for s in design.functions if s.op == "batch_matmul"]


@pytest.mark.parametrize(("target", "more"), [("zcu104", ""), ("vck190", "engine: pl\n")])
def test_the_engine_in_the_logic_leaves_nothing_to_the_processor_either(
    target: str, more: str, tmp_path: Path
) -> None:
    plan = small(tmp_path, target, more).plan
    design = engines_of(plan)
    assert design.array is None
    assert design.row_unit
    assert design.functions == ()
    assert sum(bool(s.heads) for s in design.in_logic) == 2


def test_where_the_logic_has_no_room_for_the_unit_whole_rows_stay_in_floats(tmp_path: Path) -> None:
    plan = small(tmp_path, "zynq-7020").plan
    design = engines_of(plan)
    assert design.row_unit is None
    assert {"layer_norm", "batch_matmul"} <= {s.op for s in design.functions}


def test_a_layer_that_the_user_gives_the_processor_stays_there(tmp_path: Path) -> None:
    project = small(tmp_path, more="mapping: {norms_1: {engine: ps}, softmax1: {engine: ps}}\n")
    design = engines_of(project.plan)
    assert {"layer_norm", "softmax"} <= {s.op for s in design.functions}
    assert not [s for s in design.products if s.heads]
    assert sum(isinstance(s, RowStep) for s in design.steps) == 4


@pytest.mark.parametrize(
    ("before", "kv"),
    [
        ("", "x"),
        ("{name: p, op: pad, padding: [0, 0]}, {name: m, op: identity}, ", "m"),
        ("{name: r, op: relu}, ", "r"),
        ("{name: s, op: sigmoid}, {name: m, op: identity}, ", "m"),
    ],
    ids=["input", "moved", "relu", "sigmoid"],
)
def test_keys_and_values_mean_0_by_0_whatever_makes_them(before: str, kv: str, tmp_path: Path) -> None:
    """Elements of 0 to 1 have their zero at -128, which nothing takes back from what is multiplied as weights are."""
    save_file({}, tmp_path / "weights.safetensors")
    random = np.random.default_rng(3)
    x = random.uniform(size=(12, 8, 32)).astype(np.float32)
    np.savez(tmp_path / "calib.npz", x=x)
    (tmp_path / "network.yaml").write_text(ALONE % (before, "x", kv, kv) + INTEGERS)
    design = aieloom.design(tmp_path)
    assert [s.layer for s in engines_of(design.plan).products if s.heads], (
        "no float attention of the processor"
    )
    q = x.astype(np.float64)
    k = 1 / (1 + np.exp(-q)) if "sigmoid" in before else q
    parts = [(q[..., i : i + 16], k[..., i : i + 16]) for i in (0, 16)]
    wanted = np.concatenate([softmax(0.25 * a @ b.swapaxes(1, 2), axis=2) @ b for a, b in parts], axis=2)
    error = design.reference(x).reshape(wanted.shape) - wanted
    assert 10 * np.log10((wanted**2).sum() / (error**2).sum()) > 35


@pytest.mark.parametrize("then", ["", ", {name: last, op: dense, out_features: 16}"], ids=["alone", "dense"])
@pytest.mark.parametrize("count", [4096, 4097])
@pytest.mark.parametrize("op", ["attention", "affine"])
def test_rows_longer_than_the_units_are_the_processors(
    op: str, count: int, then: str, tmp_path: Path
) -> None:
    """The design's own host program refuses them: a plan has none, and alone they leave no integers."""
    shapes = {"q": (2, 16), "kv": (count, 16)} if op == "attention" else {"x": (2, count)}
    layer = "width: 16, inputs: [q, kv, kv]" if op == "attention" else "over: channels"
    inputs = [f"{{name: {name}, shape: {list(shape)}}}" for name, shape in shapes.items()]
    of_one = f"inputs: [{', '.join(inputs)}]" if op == "attention" else f"input: {inputs[0]}"
    text = ALONE.replace("input: {name: x, shape: [8, 32]}", of_one).split("layers:")[0]
    text += f"layers: [{{name: mix, op: {op}, {layer}}}{then}]\n"
    (tmp_path / "network.yaml").write_text(text + INTEGERS)
    save_file(stored_of(network_of(text)), tmp_path / "weights.safetensors")
    random = np.random.default_rng(0)
    x = {name: random.normal(size=(1, *shape)).astype(np.float32) for name, shape in shapes.items()}
    np.savez(tmp_path / "calib.npz", **x)  # type: ignore[arg-type]
    if count == 4097 and not then:
        with pytest.raises(SpecError, match=r"\[quant-7\] no layer is computed in int8"):
            reopened(tmp_path)
        return
    plan = reopened(tmp_path).plan
    design = engines_of(plan)
    assert bool([s for s in design.steps if isinstance(s, RowStep)]) == (count == 4096)
    assert [s.layer for s in design.functions] == ([] if count == 4096 else ["mix"])
    assert [s.layer for s in design.products if not s.heads] == (["last"] if then else [])


@pytest.mark.integration
@pytest.mark.parametrize(
    "target", ["vck190", *(pytest.param(b, marks=pytest.mark.slow) for b in ("zcu104", "vek280"))]
)
def test_a_small_vit(target: str, tmp_path: Path) -> None:
    project = small(tmp_path, target)
    x = np.random.default_rng(7).normal(size=(project.plan.schedule.batch + 3, *SHAPE)).astype(np.float32)
    y, wanted = emulated(project, x), by_onnxruntime(tmp_path, x)
    ratio = 10 * np.log10((wanted**2).sum() / ((y.reshape(wanted.shape) - wanted) ** 2).sum())
    assert ratio > 32, "38 dB with these weights"


def test_rows_and_columns_equal_the_golden_files(whole: Project) -> None:
    tree = render(whole.plan, whole.parameters)
    names = ("src/pl/row_unit.cpp", "src/pl/sequencer.cpp")
    compare({n: text for n in names if isinstance(text := tree[n], str)}, GOLDEN / "attention")


def test_a_list_is_read_as_it_was_written(whole: Project) -> None:
    weights = packed(whole.plan, whole.parameters)
    data = c.to_bytes(command_list(whole.plan), weights)
    found = from_bytes(data, weights)
    assert found.commands == commands(whole.plan)
    assert c.to_bytes(found, weights) == data


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_forged_list_is_refused_or_stays_within_its_memory(whole: Project, data: st.DataObject) -> None:
    weights = packed(whole.plan, whole.parameters)
    forged = signed(changed(c.to_bytes(command_list(whole.plan), weights), data), weights)
    try:
        found = from_bytes(forged, weights)
    except Refused:
        return
    for command in found.commands:
        if isinstance(command, c.Heads | c.Columns):
            assert 16 * (command.first + command.heads * command.words) <= -(-command.x.channels // 16) * 16
        for name in ("x", "w", "y"):
            tensor = getattr(command, name, None)
            if isinstance(tensor, c.Tensor):
                assert tensor.offset + found.batch * tensor.image_bytes <= found.memory_bytes


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes, bytes]:
    """A folder with a linked program and its files, the right results, and the list and weights that belong to it."""
    project = small(tmp_path_factory.mktemp("program"))
    design = design_of(project)
    design.emulated.make(design.render())
    folder = design.emulated.folder
    list_, weights = ((project.build / name).read_bytes() for name in (COMMANDS, WEIGHTS))
    x = np.random.default_rng(1).normal(size=(1, *SHAPE)).astype(np.float32)
    (folder / c.WEIGHTS_FILE).write_bytes(weights)
    (folder / "in.bin").write_bytes(x.tobytes())
    right = reference(engines_of(project.plan).steps, project.parameters, x)
    (folder / "right.bin").write_bytes(np.ascontiguousarray(right, "<f4").tobytes())
    return folder, list_, weights


def run(folder: Path, commands: bytes) -> subprocess.CompletedProcess[str]:
    (folder / c.FILE).write_bytes(commands)
    command = [str(folder / "small_host"), "small.xclbin", "in.bin", "--output", "out.bin"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.integration
@pytest.mark.parametrize(
    "name",
    [
        "batch_matmul2_scores",
        *(pytest.param(n, marks=pytest.mark.slow) for n in ("batch_matmul2_shares", "norms_0")),
    ],
)
def test_a_layer_alone(name: str, tmp_path: Path) -> None:
    """Two samples, a batch each: the second one's inputs lie in the other place of the input, all of them."""
    project = small(tmp_path)
    step = next(s for s in engines_of(project.plan).steps if s.layer == name)
    random = np.random.default_rng(1)
    xs = [random.normal(size=(2, *t.outside)).astype(np.float32) for t in types_of(step)]
    layer = aieloom.design(tmp_path, target="vck190").layer(name)
    assert np.array_equal(layer.emulate(*xs), layer.reference(*xs))


@pytest.mark.integration
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_the_host_program_refuses_it_too(program: tuple[Path, bytes, bytes], data: st.DataObject) -> None:
    folder, good, weights = program
    forged = signed(changed(good, data), weights)
    done = run(folder, forged)
    assert done.returncode in (0, 1), done.stderr  # never a signal, never for ever
    if done.returncode:
        assert done.stderr.startswith("error: ")


@pytest.mark.integration
def test_the_host_program_runs_its_own_list(program: tuple[Path, bytes, bytes]) -> None:
    folder, good, _ = program
    assert run(folder, good).returncode == 0
    assert (folder / "out.bin").read_bytes() == (folder / "right.bin").read_bytes()
