"""PL kernels of small designs that have, among them, every kernel that aieloom writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import jinja2
import numpy as np
import pytest
from safetensors.numpy import save_file

from aieloom.flow.designs import design_of
from aieloom.flow.gemm.engine import EngineRequest, plan_product, render_engine
from aieloom.flow.gemm.files import render_gemm
from aieloom.flow.opening import open_any
from aieloom.flow.project import Project
from aieloom.matrix_engine.arithmetic import Element
from aieloom.spec.device import load_board
from aieloom.strategies.array_gemm.whole import whole
from tests.circuit import networks as circuits
from tests.designs import ESPCN, SMALL, STREAMED
from tests.emit.golden import sources
from tests.ops.heads import JOINED
from tests.ops.lines import PLACES, WRAPPED
from tests.pl import lanes
from tests.sequential import networks
from tests.sequential.on_chip import staying
from tests.strategies.array_gemm.plans import plan_of as gemm_of
from tools.hls_lint.report import Checked, Reached

# Whole rows, attention and a recurrence, of integers and of floats.
ROWS = """\
name: rows
target: vck190
execution: sequential
weights: weights.safetensors
input: {name: x, shape: [160, 32]}
layers:
  - {name: norm, op: layer_norm, over: channels}
  - {name: mix, op: attention, heads: 2, width: 16, factor: 0.25, inputs: [norm, norm, norm]}
  - {name: sum, op: add, inputs: [mix, x]}
  - {name: wide, op: matmul, out_features: 64}
  - {name: act, op: gelu}
  - {name: shares, op: softmax}
"""
ROWS_SHAPES = {"norm.weight": (32,), "norm.bias": (32,), "wide.weight": (32, 64)}
RECURRENT = """\
name: recurrent
target: vck190
execution: sequential
weights: weights.safetensors
input: {name: x, shape: [8, 128]}
layers:
  - {name: first, op: lstm, hidden: 32}
  - {name: gates, op: matmul, out_features: 96}
  - {name: second, op: gru, hidden: 32, reset_after: false}
"""
RECURRENT_SHAPES = {"first.weight": (128, 32), "gates.weight": (32, 96), "second.weight": (96, 32)}
INTEGERS = "quantize: {activations: int8, weights: int8, calibration: calib.npz}\n"


def _in_turn(text: str, shapes: Mapping[str, tuple[int, ...]]) -> Callable[[Path], Path]:
    def written(folder: Path) -> Path:
        random = np.random.default_rng(3)
        save_file(
            {n: random.normal(0, 0.3, s).astype(np.float32) for n, s in shapes.items()},
            folder / "weights.safetensors",
        )
        np.savez(folder / "calib.npz", x=random.normal(0, 1, (8, 160, 32)).astype(np.float32))
        (folder / "network.yaml").write_text(text)
        return folder

    return written


def _small(text: str) -> Callable[[Path], Path]:
    def written(folder: Path) -> Path:
        networks.opened(folder, text)
        return folder

    return written


def _staying(folder: Path) -> Path:
    staying(folder)
    return folder


SPATIAL = {
    "small": SMALL,
    "espcn": ESPCN,
    "streamed": STREAMED,
    "wrapped": WRAPPED,
    "places": PLACES,
    "joined": JOINED,
}
FOLDERS: dict[str, Callable[[Path], Path]] = {
    "aie": _small(networks.quantised("multiplier") + "engine: aie\n"),
    "pl": _small(networks.NETWORK.replace("zcu104", "vck190\nengine: pl")),
    "bfloat16": _small(
        networks.NETWORK.replace("zcu104", "vek280")
        + "quantize: {activations: bfloat16, weights: bfloat16}\n"
    ),
    "chip": _staying,
    "rows": _in_turn(ROWS + INTEGERS, ROWS_SHAPES),
    "rows-float": _in_turn(ROWS, ROWS_SHAPES),
    "recurrent": _in_turn(RECURRENT, RECURRENT_SHAPES),
    "circuit": circuits.written,
}


ENGINES: dict[str, Element] = {"engine": "int8", "engine-half": "float16"}


def _trees(folder: Path) -> Iterator[tuple[str, dict[str, object]]]:
    for name, text in SPATIAL.items():
        yield name, dict(sources(text))
    for name, written in FOLDERS.items():
        (folder / name).mkdir()
        project = open_any(written(folder / name), build=folder / name / "build")
        yield name, dict(design_of(project).render())
    yield "lanes", dict(lanes.sources())
    yield "gemm", dict(render_gemm(whole(gemm_of(64, 64, 64))))
    for name, element in ENGINES.items():
        request = EngineRequest(m=37, k=29, n=21, element=element, block=(16, 16, 8))
        yield name, dict(render_engine(plan_product(load_board("zynq-7020"), request)))


def _written(folder: Path, tree: Mapping[str, object]) -> Iterator[Path]:
    folder.mkdir(exist_ok=True)
    for path, text in tree.items():
        if path.startswith("src/include/"):
            header = folder.parent / path.removeprefix("src/")
            header.parent.mkdir(parents=True, exist_ok=True)
            header.write_text(str(text))
        if path.startswith("src/pl/") and path.endswith(".cpp"):
            file = folder / Path(path).name
            file.write_text(str(text))
            yield file


def kernels(folder: Path) -> Iterator[Path]:
    """Write the kernels of all small designs, and yield their files; of movers and sequencers one for each kind of elements."""
    for name, tree in _trees(folder):
        files = list(_written(folder / name, tree))
        yield from (f for f in files if name not in ("rows", "recurrent") or f.name.endswith("_unit.cpp"))


def project_kernels(project: Project, folder: Path) -> list[Path]:
    """Write the kernels of a project with the headers that they include; return their files."""
    return list(_written(folder / "pl", design_of(project).render()))


class Kernels:
    """All kernels of the small designs, the templates that printed them, and what the lint says."""

    def __init__(self, folder: Path) -> None:
        self.templates: set[str] = set()
        load = jinja2.Environment.get_template

        def traced(
            environment: jinja2.Environment, name: str, *args: object, **more: object
        ) -> jinja2.Template:
            self.templates.add(name)
            return load(environment, name, *args, **more)  # type: ignore[arg-type]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(jinja2.Environment, "get_template", traced)
            self.files = list(kernels(folder))
        self.checked = [Checked(file) for file in self.files]
        self.findings = [(c.path, f) for c in self.checked for f in c.findings if not f.is_note]

    def loops(self, *designs: str) -> list[Reached]:
        """Return what the loops of some designs' kernels reach."""
        return [loop for c in self.checked if c.path.parent.name in designs for loop in c.reached]
