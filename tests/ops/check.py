"""What every operator on programmable logic is tested for, in its own test file: the kernels' bits, and its readers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from aieloom.network.tensor import TensorType
from aieloom.ops import REGISTRY
from aieloom.pl.steps import PlStep
from aieloom.spec.types import DataType
from tests.designs import plan_of
from tests.ops.kernels import check, random_image
from tests.ops.networks import MAKERS, network_yaml, row
from tests.ops.not_finite import ends_image

SHAPES = ((1, 1, 1), (5, 1, 1), (3, 4, 5))
CONV = "  - {name: last, op: conv2d, out_channels: 2, kernel: 1}"


def check_operator(op: str, folder: Path) -> None:
    """Compare an operator's kernels with its reference, bit for bit: from memory, behind a layer, beside a fork and a join."""
    texts = []
    for seed, shape in enumerate(SHAPES):
        keys = MAKERS[op](np.random.default_rng(seed), TensorType(shape, DataType.FLOAT32)) or {}
        layer, channels = row("l", op, keys), shape[0]
        first = f"  - {{name: first, op: conv2d, out_channels: {channels}, kernel: 1}}"
        texts += [
            network_yaml(shape, [layer, CONV]),
            network_yaml(shape, [first, "  - {name: act, op: tanh}", layer]),
        ]
        texts.append(
            network_yaml(shape, [first, layer, "  - {name: sum, op: add, inputs: [first, l]}", CONV])
        )
    for text in texts:
        found = [s for s in plan_of(text).steps if s.op == op]
        assert [type(s) for s in found] == [PlStep], f"{op} is not on programmable logic in\n{text}"
    for name in ("usual", "ends"):
        (folder / name).mkdir()
    check(texts, folder / "usual", image_of=random_image)
    with np.errstate(all="ignore"):
        check(texts[:6], folder / "ends", image_of=ends_image)


def check_readers(module: Any, op: str, folder: Path) -> None:
    """Hold what torch.export and an ONNX file of `module` behind a convolution become to the module's own results."""
    import torch

    from tests.api.modules import Of, as_layers  # noqa: PLC0415
    from tests.onnx.exported import export  # noqa: PLC0415
    from tests.onnx.models import run_imported  # noqa: PLC0415

    torch.manual_seed(5)
    whole = Of(module)
    x = torch.rand(1, 2, 5, 4) * 8 - 4
    found, wanted = as_layers(whole, x)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    path = folder / "m.onnx"
    given = export(whole, (2, 5, 4), 17, path)
    y, imported = run_imported(path, given)
    assert op in [layer["op"] for layer in imported.layers]
    with torch.no_grad():
        np.testing.assert_allclose(y, whole(torch.from_numpy(given)).numpy(), rtol=1e-5, atol=1e-5)
    assert op in REGISTRY
