"""LSTM and GRU on the recurrent unit: to the bit as the reference, and as onnxruntime computes them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aieloom.sequential.commands import Call, Command, Recurrence, to_bytes
from aieloom.sequential.emit import render
from aieloom.sequential.packing import packed
from aieloom.sequential.plan import command_list, engines_of
from aieloom.sequential.recurrent import Cell, RecurrentStep
from aieloom.units.plan import Plan
from tests.heavy import Module, nn, onnx, torch
from tests.sequential.command_reader import Refused, from_bytes
from tests.sequential.transformers import by_onnxruntime, emulated, opened, reopened

STEPS, FEATURES = 24, 20


def recurrences(plan: Plan) -> list[RecurrentStep]:
    return [task.read(RecurrentStep) for task in plan.tasks if task.unit == RecurrentStep.unit]


class Recurrent(Module):
    """A recurrence, and a dense layer of every step."""

    def __init__(self, kind: str, hidden: int, *, both: bool) -> None:
        super().__init__()
        self.inner = getattr(nn, kind)(FEATURES, hidden, batch_first=True, bidirectional=both)
        self.head = nn.Linear(hidden * (1 + both), 10)

    def forward(self, x: Any) -> Any:
        return self.head(self.inner(x)[0])


def samples(count: int) -> np.ndarray:
    return np.random.default_rng(7).standard_normal((count, STEPS, FEATURES)).astype(np.float32)


CASES = [
    pytest.param(
        "LSTM", 288, False, "zcu104", Cell.LSTM, id="weights-read-again-for-each-step", marks=pytest.mark.slow
    ),
    pytest.param("LSTM", 50, True, "vck190", Cell.LSTM, id="no-whole-words-two-directions"),
    pytest.param("GRU", 64, True, "zcu104", Cell.GRU, id="reset-behind-the-product", marks=pytest.mark.slow),
    pytest.param("GRU", 40, False, "zcu104", Cell.GRU_BEFORE, id="reset-before-the-product"),
]


def with_reset_before(file: Path) -> None:
    model = onnx.load(file)
    (node,) = (n for n in model.graph.node if n.op_type == "GRU")
    (attribute,) = (a for a in node.attribute if a.name == "linear_before_reset")
    attribute.i = 0
    onnx.save(model, file)


@pytest.mark.integration
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "hidden", "both", "target", "cell"), CASES)
def test_beside_onnxruntime(  # noqa: PLR0917 - a case
    kind: str, hidden: int, both: bool, target: str, cell: Cell, tmp_path: Path
) -> None:
    torch.manual_seed(3)
    project = opened(tmp_path, Recurrent(kind, hidden, both=both), (STEPS, FEATURES), target)
    if cell is Cell.GRU_BEFORE:
        with_reset_before(tmp_path / "model.onnx")
        project = reopened(tmp_path)
    plan = project.plan
    design = engines_of(plan)
    assert design.recurrent
    assert [s.cell for s in recurrences(plan)] == [cell] * (1 + both)
    assert not any(s.op in ("lstm", "gru") for s in design.functions)
    assert "on the recurrent unit, since it takes" in design.reason
    held = recurrences(plan)[0].weight_words <= design.recurrent.held_words
    assert held == (hidden != 288)
    x = samples(5)  # more than stand side by side
    wanted = by_onnxruntime(tmp_path, x)
    # each step's sums of `hidden` products, rounded as a random walk, and functions within 2e-7
    bound = STEPS * (np.sqrt(hidden) * 2.0**-24 + 2e-7) * max(1.0, float(np.abs(wanted).max()))
    assert np.abs(emulated(project, x).reshape(wanted.shape) - wanted).max() < bound


@pytest.mark.integration
@pytest.mark.filterwarnings("ignore")
def test_recurrences_of_a_network_of_integers_are_floats(tmp_path: Path) -> None:
    x = samples(6)
    np.savez(tmp_path / "calib.npz", x=x)
    torch.manual_seed(3)
    settings = "quantize: {activations: int8, weights: int8, calibration: calib.npz}\n"
    project = opened(tmp_path, Recurrent("LSTM", 64, both=True), (STEPS, FEATURES), "zcu104", settings)
    design = engines_of(project.plan)
    assert {s.y.quant for s in recurrences(project.plan)} == {None}
    assert all(s.requant for s in design.products)
    wanted = by_onnxruntime(tmp_path, x)
    y = emulated(project, x).reshape(wanted.shape)
    assert 10 * np.log10((wanted**2).sum() / ((y - wanted) ** 2).sum()) > 33, "38 dB with these weights"


@pytest.mark.filterwarnings("ignore")
def test_the_faster_one_by_the_model_has_it(tmp_path: Path) -> None:
    project = opened(tmp_path, Recurrent("GRU", 4, both=False), (2, FEATURES), "zcu104")
    design = engines_of(project.plan)
    assert design.recurrent is None
    assert "on the processor, since it takes" in design.reason


@pytest.mark.filterwarnings("ignore")
def test_a_sum_s_next_product_comes_when_the_adder_is_done(tmp_path: Path) -> None:
    """It is read, takes 7 cycles in the adder (operators.yaml), and is written: a row has as many words, and the loop says so."""
    opened(tmp_path, Recurrent("GRU", 40, both=False), (STEPS, FEATURES), "zcu104")
    with_reset_before(tmp_path / "model.onnx")
    project = reopened(tmp_path)
    (step,) = recurrences(project.plan)
    assert (2 * 40 // 16, 40 // 16) == (5, 2), "words of gates, fewer than the adder wants"
    assert step.row_words == (1 + 7 + 1, 1 + 7 + 1)
    text = render(project.plan, project.parameters)["src/pl/recurrent_unit.cpp"]
    assert isinstance(text, str)
    assert "kLeastWords = 9," in text
    header = str(render(project.plan, project.parameters)["src/include/aieloom/pl/engine/recurrent_unit.h"])
    assert re.findall("#pragma HLS dependence (variable=sums .*)", header) == [
        "variable=sums type=inter direction=RAW distance=T::kLeastWords true"
    ]


@pytest.mark.filterwarnings("ignore")
def test_the_list_is_read_as_it_was_written_and_other_sizes_are_refused(tmp_path: Path) -> None:
    project = opened(tmp_path, Recurrent("GRU", 48, both=False), (STEPS, FEATURES), "zcu104")
    weights = packed(project.plan, project.parameters)
    whole = command_list(project.plan)
    assert from_bytes(to_bytes(whole, weights), weights) == replace(
        whole, commands=tuple(_unnamed(command) for command in whole.commands)
    )
    (good,) = (command for command in whole.commands if isinstance(command, Recurrence))
    for wrong in (
        replace(good, cell=3),
        replace(good, cell=0),
        replace(good, hidden=47),
        replace(good, hidden=0),
    ):
        bad = tuple(wrong if command is good else command for command in whole.commands)
        with pytest.raises(Refused, match="has a recurrence of"):
            from_bytes(to_bytes(replace(whole, commands=bad), weights), weights)


def _unnamed(command: Command) -> Command:
    return replace(command, name="") if isinstance(command, Call) else command


@pytest.mark.filterwarnings("ignore")
def test_what_the_user_gives_to_the_processor_stays_there(tmp_path: Path) -> None:
    module = Recurrent("LSTM", 64, both=False)
    (layer,) = recurrences(opened(tmp_path, module, (STEPS, FEATURES), "zcu104").plan)
    text = f"mapping: {{{layer.layer}: {{engine: ps}}}}\n"
    plan = opened(tmp_path, module, (STEPS, FEATURES), "zcu104", text).plan
    design = engines_of(plan)
    assert design.recurrent is None
    assert layer.layer in [s.layer for s in design.functions]
