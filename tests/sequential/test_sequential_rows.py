"""Whole rows of floats on the row unit: to the bit in the emulator, beside onnxruntime and SciPy."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file
from scipy import special

import aieloom
from aieloom.errors import CannotFit
from aieloom.explain.explain import explain
from aieloom.flow.project import Project
from aieloom.matrix_engine.block import Budget
from aieloom.plan.processor import PsStep
from aieloom.sequential.float_rows import FUNCTIONS, TURNS, summed
from aieloom.sequential.plan import engines_of
from aieloom.sequential.row_choice import fitted, unit_widths
from aieloom.sequential.row_unit import RowStep, RowUnit
from aieloom.spec.device import load_board
from aieloom.units.plan import Plan, resources
from tests.designs import network_of, stored_of
from tests.heavy import Module, nn, torch
from tests.sequential.masked import by_onnxruntime as by_onnxruntime_masked
from tests.sequential.masked import exported, samples
from tests.sequential.transformers import by_onnxruntime, emulated, opened, reopened
from tests.sequential.vit import SHAPE, Vit

BFLOAT16 = "quantize: {activations: bfloat16, weights: bfloat16}\n"
ATTENTION = """\
name: shares
target: vck190
execution: sequential
weights: weights.safetensors
input: {{name: x, shape: [6, 32]}}
layers:
  - {{name: qkv, op: dense, out_features: 96}}
  - {{name: mix, op: attention, heads: 2, width: 16, first: [0, 32, 64], factor: {factor}, inputs: [qkv, qkv, qkv]}}
  - {{name: out, op: dense, out_features: 8}}
"""
pytestmark = pytest.mark.filterwarnings("ignore")
EXACT = {
    "gelu": lambda x: x * special.ndtr(x),
    "gelu_tanh": lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x * special.expit(x),
    "sigmoid": special.expit,
    "tanh": np.tanh,
}


def vit(folder: Path, target: str, more: str = "") -> Project:
    torch.manual_seed(1)
    return opened(folder, Vit(), SHAPE, target, more)


class Functions(Module):
    """Every function of the unit, one after another, over rows that are no whole words, and a softmax of them."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Linear(12, 21), nn.LayerNorm(21)
        self.functions = [nn.GELU(), nn.GELU(approximate="tanh"), nn.SiLU(), nn.Tanh(), nn.Sigmoid()]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.first(x))
        for function in self.functions:
            x = function(2 * x - 0.3)
        shares: torch.Tensor = torch.softmax(x, -1)
        return shares


@pytest.mark.slow  # a small ViT of floats on another board is in CI: test_sequential_transformers.py
@pytest.mark.parametrize(("target", "more", "floor"), [("vck190", "", 100), ("vek280", BFLOAT16, 25)])
def test_a_transformer_of_floats(target: str, more: str, floor: float, tmp_path: Path) -> None:
    project = vit(tmp_path, target, more)
    design = engines_of(project.plan)
    taken = sorted(s.op for s in design.steps if isinstance(s, RowStep))
    assert taken == ["affine", "affine", "gelu", *["layer_norm"] * 3, "softmax"]
    assert design.functions == (), "nothing is left to the processor"
    x = np.random.default_rng(7).normal(size=(project.plan.schedule.batch + 3, *SHAPE)).astype(np.float32)
    y, wanted = emulated(project, x), by_onnxruntime(tmp_path, x)
    ratio = 10 * np.log10((wanted**2).sum() / ((y.reshape(wanted.shape) - wanted) ** 2).sum())
    assert ratio > floor


@pytest.mark.integration
@pytest.mark.parametrize("target", ["zcu104", pytest.param("vck190", marks=pytest.mark.slow)])
def test_every_function_over_rows_that_are_no_whole_words(target: str, tmp_path: Path) -> None:
    """Rows enough that a start of the unit is worth it where the processor starts it."""
    torch.manual_seed(3)
    project = opened(tmp_path, Functions(), (300, 12), target, opset=20)
    assert {s.op for s in engines_of(project.plan).steps if isinstance(s, RowStep)} >= {
        *FUNCTIONS,
        "layer_norm",
        "softmax",
    }
    x = 3 * np.random.default_rng(5).normal(size=(2, 300, 12)).astype(np.float32)
    np.testing.assert_allclose(emulated(project, x), by_onnxruntime(tmp_path, x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_are_those_of_scipy(name: str) -> None:
    """Within some units in the last place of 1, and of the value where it is larger."""
    x = np.concatenate([np.linspace(-30, 30, 200_001), [0.0, -0.0, 88.5, -88.5, 1e30, -1e30]]).astype(
        np.float32
    )
    with np.errstate(all="ignore"):
        found, wanted = FUNCTIONS[name](x), EXACT[name](x.astype(np.float64))
    assert found.dtype == np.float32
    assert (np.abs(found - wanted) <= 3e-7 * np.maximum(1, np.abs(wanted))).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 200), st.integers(0, 1 << 30))
def test_rows_are_added_in_turns(channels: int, seed: int) -> None:
    """The order as the source has it, value by value."""
    x = np.random.default_rng(seed).normal(size=(channels,)).astype(np.float32)
    turns = [np.float32(0)] * TURNS
    for begin in range(0, channels, 16):
        word = [np.float32(v) for v in [*x[begin : begin + 16], *[0.0] * 16][:16]]
        while len(word) > 1:
            word = [a + b for a, b in zip(word[0::2], word[1::2], strict=True)]
        turns = [turns[-1] + word[0], *turns[:-1]]
    total = (turns[0] + turns[1]) + (turns[2] + turns[3])
    assert summed(x.reshape(1, -1, 1, 1))[0, 0, 0, 0] == total


@pytest.mark.slow  # masked shares are onnxruntime's in the default tests: ops/test_op_attention.py
def test_what_a_mask_hides_has_no_share(tmp_path: Path) -> None:
    """The mask's arithmetic leaves the network: a key whose mask is 0 changes nothing, as onnxruntime says."""
    exported(tmp_path / "model.onnx", "product")
    text = "name: masked\ntarget: vck190\nexecution: sequential\nweights: model.onnx\n"
    (tmp_path / "network.yaml").write_text(text)
    design = aieloom.design(tmp_path)
    in_turn = engines_of(design.plan)
    rows = [s for s in in_turn.steps if isinstance(s, RowStep) and s.form.masked]
    assert len(rows) == 2
    assert {s.op for s in in_turn.functions} == {"embedding"}
    x = samples(3, seed=9)
    y = design.emulate(x)
    np.testing.assert_array_equal(y, design.reference(x))
    wanted = by_onnxruntime_masked(tmp_path / "model.onnx", x)
    np.testing.assert_allclose(y.reshape(wanted.shape), wanted, rtol=1e-4, atol=1e-5)
    hidden = np.where(x["attention_mask"] == 0, (x["input_ids"] + 1) % 50, x["input_ids"])
    seen = x["attention_mask"] == 1
    again = design.reference({**x, "input_ids": hidden}).reshape(wanted.shape)
    np.testing.assert_array_equal(again[seen], y.reshape(wanted.shape)[seen])


def test_a_layer_that_the_user_gives_the_processor_stays_there(tmp_path: Path) -> None:
    project = vit(tmp_path, "vck190", "mapping: {norms_1: {engine: ps}, softmax1: {engine: ps}}\n")
    design = engines_of(project.plan)
    assert {"layer_norm", "softmax"} <= {s.op for s in design.functions}
    assert sum(isinstance(s, RowStep) for s in design.steps) == 5


def test_where_the_logic_has_no_room_rows_stay_the_processors(tmp_path: Path) -> None:
    plan = vit(tmp_path, "vck190").plan
    design = engines_of(plan)
    assert design.row_unit
    assert unit_widths(design.steps, design.engine.board, "float32")[0] == replace(design.row_unit, units=1)
    assert not unit_widths(design.steps, load_board("zynq-7020"), "float32")


@pytest.mark.parametrize("factor", [0.25, -0.25])
def test_attention_of_a_negative_factor_is_the_processor_s(factor: float, tmp_path: Path) -> None:
    """The unit raises what lies below the largest score: with a factor below 0 that would grow."""
    plan = planned(tmp_path, ATTENTION.format(factor=factor))
    design = engines_of(plan)
    assert [s.op for s in design.functions] == ([] if factor > 0 else ["attention"])
    assert [s.reason for s in design.functions if isinstance(s, PsStep)] == [
        f"with a factor of {factor:g} the largest score has not the largest share"
    ] * (factor < 0)


KEYS = """\
name: far
target: {target}
execution: sequential
weights: weights.safetensors
inputs: [{{name: q, shape: [2, {width}]}}, {{name: kv, shape: [{keys}, {width}]}}]
layers:
  - {{name: keys, op: dense, inputs: [kv], out_features: {width}}}
  - {{name: mix, op: attention, width: {width}, inputs: [q, keys, keys]}}
"""


def planned(folder: Path, text: str) -> Plan:
    (folder / "network.yaml").write_text(text)
    save_file(stored_of(network_of(text)), folder / "weights.safetensors")
    return reopened(folder).plan


@pytest.mark.parametrize(
    ("target", "keys", "width", "more", "why"),
    [
        ("vek280", 4096, 512, BFLOAT16, r"take \d+ block RAMs of a row unit, more than half of vek280's 600"),
        ("vek280", 4096, 64, BFLOAT16, ""),
        ("vck190", 4112, 16, "", "4,112 keys are more than the row unit's 4,096"),
        ("vck190", 64, 24, "", "heads of 24 features are no whole words of 16"),
    ],
)
def test_why_attention_is_the_processors_is_said(
    *, target: str, keys: int, width: int, more: str, why: str, tmp_path: Path
) -> None:
    plan = planned(tmp_path, KEYS.format(target=target, keys=keys, width=width) + more)
    design = engines_of(plan)
    said = [s.reason for s in design.functions if isinstance(s, PsStep) and s.op == "attention"]
    assert len(said) == bool(why)
    assert all(re.search(why, text) for text in said), said
    assert resources(plan).bram36 <= design.engine.board.logic.bram36


def test_why_rows_are_the_processors_is_said(tmp_path: Path) -> None:
    text = ATTENTION.format(factor=1).split("layers:")[0]
    layers = "layers: [{name: wide, op: dense, out_features: 4097}, {name: far, op: softmax}]\n"
    (tmp_path / "long").mkdir()
    plan = planned(tmp_path / "long", text + layers)
    said = "rows of 4,097 elements: the row unit takes 4,096"
    design = engines_of(plan)
    assert [s.reason for s in design.functions if isinstance(s, PsStep)] == [said]
    assert f"  {said}" in explain(reopened(tmp_path / "long"), "far")
    layers = "layers: [{name: few, op: dense, out_features: 16}, {name: near, op: softmax}]\n"
    plan = planned(tmp_path, text.replace("vck190", "zcu104") + layers)
    (why,) = (s.reason for s in engines_of(plan).functions if isinstance(s, PsStep))
    assert re.fullmatch(r"the row unit takes .* for a batch, the processor .* \(modelled\)", why)


def test_a_head_that_the_block_rams_do_not_hold_is_refused_with_the_numbers(tmp_path: Path) -> None:
    """Of integers the network is made for the unit already; none was checked for block RAM beside an array."""
    text = KEYS.format(target="zcu104", keys=4096, width=512)
    text += "quantize: {activations: int8, weights: int8, calibration: calib.npz}\n"
    random = np.random.default_rng(0)
    x = {"q": random.normal(size=(1, 2, 512)), "kv": random.normal(size=(1, 4096, 512))}
    np.savez(tmp_path / "calib.npz", allow_pickle=False, **{k: v.astype(np.float32) for k, v in x.items()})
    with pytest.raises(
        CannotFit, match=r"keeps 2,097,152 values of a head: it takes \d+ block RAMs.* there are 312"
    ):
        planned(tmp_path, text)


def test_units_are_as_many_as_block_rams_are_for() -> None:
    one = RowUnit(
        units=1, most_words=16, held_words=1 << 12, most_sums=1 << 10, element="float32", interval=4
    )
    room = Budget.of(load_board("vck190").logic.whole)
    counts = [fitted([one], replace(room, bram=n * one.bram)) for n in (4, 3, 2, 1)]
    assert [u.units for u in counts if u] == [4, 2, 2, 1]
    assert fitted([one, replace(one, interval=8)], replace(room, bram=one.bram - 1)) is None
    narrow = fitted([one, replace(one, interval=8)], replace(room, dsp=one.dsp - 1))
    assert narrow
    assert narrow.interval == 8
