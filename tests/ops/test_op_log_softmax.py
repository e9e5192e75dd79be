"""log_softmax on programmable logic: PyTorch's values, the kernels' bits, and what is read as one."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from aieloom.ops.log_softmax.logarithm import log_of
from tests.heavy import torch
from tests.ops.check import check_operator, check_readers


def test_kernels_give_the_references_bits(tmp_path: Path) -> None:
    check_operator("log_softmax", tmp_path)


def test_the_logarithm_is_within_a_few_units_of_the_true_one() -> None:
    x = np.concatenate([np.linspace(1, 4, 60_001), np.geomspace(1, 1e6, 20_001)]).astype(np.float32)
    wanted = np.log(x.astype(np.float64))
    assert np.abs(log_of(x) - wanted).max() <= 2e-7 * max(1.0, wanted.max())
    assert log_of(np.ones(1, np.float32)).tolist() == [0]
    assert np.isnan(log_of(np.array([np.nan], np.float32))).all()


def test_models_have_it(tmp_path: Path) -> None:
    check_readers(torch.nn.LogSoftmax(1), "log_softmax", tmp_path)
