"""Weights of any other shape than the layers', in every kind of file: a refusal that tells the shape, never another exception."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from aieloom.cli import main
from aieloom.errors import SpecError
from aieloom.flow.onnx_project import onnx_project_files
from tests.heavy import torch
from tests.onnx.models import Builder
from tests.onnx_session import session

YAML = """\
name: small
target: vck190
weights: {file}
input: {{name: x, shape: [2, 5, 4]}}
layers:
  - {{name: conv, op: conv2d, out_channels: 3, kernel: [3, 2]}}
  - {{name: apart, op: conv2d, out_channels: 6, kernel: 1, groups: 3}}
  - {{name: flat, op: flatten}}
  - {{name: fc, op: dense, out_features: 4}}
"""
SHAPES: dict[str, tuple[int, ...]] = {
    "conv.weight": (3, 2, 3, 2),
    "conv.bias": (3,),
    "apart.weight": (6, 1, 1, 1),
    "apart.bias": (6,),
    "fc.weight": (4, 54),
    "fc.bias": (4,),
}


def safetensors(folder: Path, arrays: dict[str, np.ndarray]) -> str:
    save_file(arrays, folder / "w.safetensors")
    return "w.safetensors"


def state_dict(folder: Path, arrays: dict[str, np.ndarray]) -> str:
    torch.save({n: torch.from_numpy(v) for n, v in arrays.items()}, folder / "w.pt")
    return "w.pt"


@st.composite
def other_shapes(draw: st.DrawFn) -> dict[str, tuple[int, ...]]:
    """Return the shapes with some that are others: any, or the right one turned, squeezed, widened, cut."""
    found = dict(SHAPES)
    for name in draw(st.sets(st.sampled_from(sorted(SHAPES)), min_size=1, max_size=2)):
        right = SHAPES[name]
        near = [
            right[::-1],
            (*right, 1),
            (1, *right),
            right[1:],
            (*right[:-1], right[-1] + 1),
            (0, *right[1:]),
        ]
        anything = st.lists(st.integers(0, 7), max_size=6).map(tuple)
        found[name] = draw(st.sampled_from(near) | anything)
    return found


def folded(shapes: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    return {n: np.full(s, 0.25, np.float32) for n, s in shapes.items()}


@pytest.mark.parametrize("write", [safetensors, state_dict])
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shapes=other_shapes())
def test_a_file_beside_layers_is_refused(
    write: Callable[[Path, dict[str, np.ndarray]], str],
    shapes: dict[str, tuple[int, ...]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = write(tmp_path, folded(shapes))
    (tmp_path / "network.yaml").write_text(YAML.format(file=file))
    if shapes == SHAPES:
        return
    capsys.readouterr()
    assert main(["check", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "error: " in said and "fix: " in said
    wrong = [n for n, s in shapes.items() if s != SHAPES[n]]
    assert any(n in said or n.partition(".")[0] in said for n in wrong)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shapes=other_shapes())
def test_initialisers_of_a_model_are_refused_or_make_layers(
    shapes: dict[str, tuple[int, ...]], tmp_path: Path
) -> None:
    b = Builder([1, 2, 5, 4])
    for name, values in folded(shapes).items():
        b.constant(name, values)
    b.add("Conv", "conv.weight", "conv.bias").add("Conv", "apart.weight", "apart.bias", group=3)
    b.add("Flatten").add("Gemm", "fc.weight", "fc.bias", transB=1)
    path = b.save(tmp_path / "m.onnx", out_rank=2)
    try:
        onnx_project_files(path, "small", "vck190")
    except SpecError as e:
        assert all(p.remedy for p in e.problems)
        return
    session(path)  # onnxruntime takes it too
