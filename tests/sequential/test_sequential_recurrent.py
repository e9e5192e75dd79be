"""LSTM and GRU on the recurrent unit: to the bit as the reference, and as onnxruntime computes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from aieloom.sequential.plan import SequentialPlan
from aieloom.sequential.recurrent import Cell
from tests.sequential.transformers import by_onnxruntime, emulated, opened

STEPS, FEATURES = 24, 20


class Recurrent(nn.Module):
    """A recurrence, and a dense layer of its last step."""

    def __init__(self, kind: type[nn.RNNBase], hidden: int, *, both: bool) -> None:
        super().__init__()
        self.inner = kind(FEATURES, hidden, batch_first=True, bidirectional=both)  # type: ignore[arg-type]
        self.head = nn.Linear(hidden * (1 + both), 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.inner(x)[0])


def samples(count: int) -> np.ndarray:
    return np.random.default_rng(7).standard_normal((count, STEPS, FEATURES)).astype(np.float32)


def recurrent_plan(plan: SequentialPlan, cells: list[Cell]) -> None:
    assert plan.recurrent
    assert [s.cell for s in plan.recurrences] == cells
    assert not any(s.op in ("lstm", "gru") for s in plan.functions)
    assert "on the recurrent unit, since it takes" in plan.reason


@pytest.mark.integration
@pytest.mark.parametrize(
    ("kind", "hidden", "both", "target"),
    [
        (nn.LSTM, 64, False, "zcu104"),
        (nn.LSTM, 50, True, "vck190"),  # no whole words; two directions
        (nn.GRU, 64, True, "zcu104"),
    ],
)
def test_beside_onnxruntime(
    kind: type[nn.RNNBase], hidden: int, both: bool, target: str, tmp_path: Path
) -> None:
    torch.manual_seed(3)
    module = Recurrent(kind, hidden, both=both).eval()
    project = opened(tmp_path, module, (STEPS, FEATURES), target)
    recurrent_plan(project.plan, [Cell.LSTM if kind is nn.LSTM else Cell.GRU] * (1 + both))
    x = samples(5)  # more than stand side by side
    wanted = by_onnxruntime(tmp_path, x)
    # each step's sums of `hidden` products, rounded as a random walk, and functions within 2e-7
    bound = STEPS * (np.sqrt(hidden) * 2.0**-24 + 2e-7) * max(1.0, float(np.abs(wanted).max()))
    assert np.abs(emulated(project, x).reshape(wanted.shape) - wanted).max() < bound
