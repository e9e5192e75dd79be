"""PyTorch modules as projects that run layer by layer: opened, emulated, and beside onnxruntime."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from aieloom.flow.opening import open_any
from aieloom.flow.project import Project
from aieloom.flow.sequential import design_of
from aieloom.sequential.plan import engines_of
from aieloom.sequential.reference import reference
from tests.heavy import nn
from tests.onnx.tokens import exported
from tests.onnx_session import session as onnx_session

YAML = """\
name: {name}
target: {target}
weights: model.onnx
execution: sequential
input: {{name: x, shape: {shape}}}
"""


def opened(
    folder: Path, module: nn.Module, shape: tuple[int, ...], target: str, more: str = "", *, opset: int = 17
) -> Project:
    exported(module, shape, folder / "model.onnx", opset=opset)
    (folder / "network.yaml").write_text(YAML.format(name="small", target=target, shape=list(shape)) + more)
    return reopened(folder)


def reopened(folder: Path) -> Project:
    return open_any(folder, build=folder / "build")


def emulated(project: Project, x: np.ndarray) -> np.ndarray:
    """Return what the emulator gives, equal to the reference, in the order of the model's file."""
    design = design_of(project)
    design.emulated.make(design.render())
    inside = project.network.x.to_inside(x)
    y = design.emulated.run(inside).y
    assert y.tobytes() == reference(engines_of(project.plan).steps, project.parameters, inside).tobytes()
    return project.network.y.to_outside(y)


def by_onnxruntime(folder: Path, x: np.ndarray) -> np.ndarray:
    session = onnx_session(folder / "model.onnx")
    name = session.get_inputs()[0].name
    return np.concatenate([session.run(None, {name: one[None]})[0] for one in x])
