"""hard_swish on programmable logic: PyTorch's values, the kernels' bits, and what is read as one."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from aieloom.ops import REGISTRY
from tests.heavy import torch
from tests.ops.check import check_operator, check_readers


def test_kernels_give_the_references_bits(tmp_path: Path) -> None:
    check_operator("hard_swish", tmp_path)


def test_it_is_pytorchs_at_the_corners() -> None:
    x = np.array([-4, -3, -2.9999998, -0.0, 0, 1, 2.9999998, 3, 10], np.float32).reshape(1, 1, 1, -1)
    wanted = torch.nn.functional.hardswish(torch.from_numpy(x)).numpy()
    operator: Any = REGISTRY["hard_swish"]
    plan = SimpleNamespace(detail=None)  # it has no keys
    np.testing.assert_allclose(operator.hardware(plan, {}, x), wanted, rtol=2e-7, atol=1e-7)


def test_models_have_it(tmp_path: Path) -> None:
    check_readers(torch.nn.Hardswish(), "hard_swish", tmp_path)
