"""How models are read by operators of a project: its own reader, expansion and pattern come before aieloom's tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from aieloom.errors import SpecError
from aieloom.flow.onnx_project import write_onnx_project
from aieloom.flow.opening import open_project
from aieloom.network.readers import registry
from aieloom.ops import REGISTRY, plugins
from aieloom.reference.results import hardware_reference
from aieloom.trust import trust
from tests.designs import Design
from tests.heavy import nn, torch
from tests.onnx.models import Builder
from tests.ops.cases import cases_of, run_cases

SHAPE = (2, 4, 5)
ALONE = f"name: mynet\ntarget: vck190\nweights: model.onnx\ninput: {{name: x, shape: {list(SHAPE)}}}\n"
IMPORTS = """\
from typing import Literal

import numpy as np

from aieloom.network.readers.onnx_nodes import Piece
from aieloom.network.readers.onnx_patterns import computes_with, one
from aieloom.network.readers.registry import expands_onnx, from_onnx, from_torch, fuses_onnx
from aieloom.ops.pl import TINY, UNIT, Elementwise, pl_step
from aieloom.ops.registry import operator
from aieloom.pl.steps import ELEMENTWISE
from aieloom.spec.network import LayerSpec
"""
CLASS = """

class SoftsignSpec(LayerSpec):
    "y = x / (1 + |x|)."

    op: Literal["softsign"]


@operator
class Softsign(Elementwise[SoftsignSpec]):
    name, layer_model = "softsign", SoftsignSpec

    def plan_pl(self, spec, at, mapping):
        return pl_step(spec, at, kind=ELEMENTWISE, template="softsign.h.j2", detail=None, clock_mhz=None, why=("softsign",))

    def hardware(self, plan, params, x):
        return x / (x.dtype.type(1) + np.abs(x))

    def rounding(self, plan, params, x):
        return np.abs(self.hardware(plan, params, x.astype(np.float64))) * 3 * UNIT + TINY
"""
READER = """

@from_onnx("Softsign", rows=True)
def onnx_node(_node, pieces):
    return [*pieces, Piece("softsign")]
"""
PATTERN = """

@fuses_onnx("Div")
def pattern(uses, div):
    "Match x / (1 + |x|) from its division on."
    plus = uses.maker(div.inputs[1], "Add")
    size = plus and uses.maker(plus.x, "Abs")
    if not size or size.x != div.inputs[0] or not computes_with(plus, 1):
        return None
    return one("Softsign", div, size, (size, plus, div))
"""
EXPANSION = """

@expands_onnx("Celu")
def expansion(e):
    return e.add("Softsign", e.node.input[0])
"""
TEMPLATE = """\
/// softsign: x / (1 + |x|).
float {{ step.function }}(float x) { return x / (1.0F + std::fabs(x)); }
"""


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """The registries are afterwards as they were."""
    before, files, folders = set(REGISTRY), dict(plugins._files), list(plugins._folders)
    yield
    REGISTRY.keep(before)
    plugins._files.clear()
    plugins._files.update(files)
    plugins._folders[:] = folders
    registry.use(plugins._packages)


def project(folder: Path, brings: str, *nodes: str) -> Path:
    """Return a project of a convolution and these nodes behind it, whose operator softsign brings what is said."""
    (folder / "operators").mkdir(parents=True)
    (folder / "operators" / "softsign.py").write_text(IMPORTS + CLASS + brings)
    (folder / "operators" / "softsign.h.j2").write_text(TEMPLATE)
    (folder / "network.yaml").write_text(ALONE)
    model(folder / "model.onnx", *nodes)
    trust(folder)
    return folder


def model(path: Path, *nodes: str) -> Path:
    b = Builder([1, *SHAPE])
    b.add("Conv", b.weights("conv.weight", 3, 2, 3, 3), pads=[1, 1, 1, 1])
    for node in nodes:
        if node == "x/(1+|x|)":
            x = b.last
            b.add("Abs").add("Add", b.constant("one", np.float32(1))).add("Div", x, first=False)
        else:
            b.add(node)
    return b.save(path)


def ops_of(folder: Path) -> list[str]:
    return [layer.op for layer in open_project(folder).network.layers]


def test_a_projects_own_reader_is_not_overruled_by_what_aieloom_knows(tmp_path: Path) -> None:
    """Softsign is written as abs, scale and div where nobody else reads it; here it is the project's operator, to the bit."""
    folder = project(tmp_path / "mine", READER, "Softsign")
    assert ops_of(folder) == ["conv2d", "softsign"]
    opened = open_project(folder)
    x = np.random.default_rng(4).normal(size=(2, *SHAPE)).astype(np.float32) * 4
    y = hardware_reference(opened.array, opened.parameters, x)
    conv = opened.parameters["conv"]["weight"]
    sums: Any = torch.nn.functional.conv2d(torch.from_numpy(x), torch.from_numpy(conv.copy()), padding=1)
    np.testing.assert_allclose(y, nn.Softsign()(sums).numpy(), rtol=1e-5, atol=1e-6)
    parameters = {layer: dict(tensors) for layer, tensors in opened.parameters.items()}
    design = Design(opened.network, opened.array, parameters)
    cases = cases_of(design, x[0])
    ends = [end for case in cases for end in zip(case.counts, case.wanted, strict=True)]
    for (counts, wanted), made in zip(ends, run_cases([(design, cases)], tmp_path), strict=True):
        assert np.array_equal(made[counts].view(np.int32), wanted[counts].view(np.int32))


def test_without_a_reader_of_its_own_aieloom_writes_the_node_as_others(tmp_path: Path) -> None:
    assert ops_of(project(tmp_path, "", "Softsign")) == ["conv2d", "abs", "scale", "div"]


def test_what_a_project_brings_is_for_its_own_models(tmp_path: Path) -> None:
    mine = project(tmp_path / "mine", READER, "Softsign")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "network.yaml").write_text(ALONE)
    model(tmp_path / "other" / "model.onnx", "Softsign")
    for _ in range(2):
        assert ops_of(mine)[1:] == ["softsign"]
        assert ops_of(tmp_path / "other")[1:] == ["abs", "scale", "div"]


def test_a_projects_pattern_puts_nodes_back_into_its_operator(tmp_path: Path) -> None:
    assert ops_of(project(tmp_path, READER + PATTERN, "x/(1+|x|)", "Relu")) == ["conv2d", "softsign", "relu"]


def test_a_projects_expansion_comes_before_that_of_the_table(tmp_path: Path) -> None:
    assert ops_of(project(tmp_path, READER + EXPANSION, "Celu")) == ["conv2d", "softsign"]


@pytest.mark.parametrize(("kind", "nodes"), [("Sigmoid", ("Sigmoid",)), ("HardSwish", ("HardSwish",))])
def test_a_projects_reader_comes_before_those_of_aieloom(
    tmp_path: Path, kind: str, nodes: tuple[str, ...]
) -> None:
    assert ops_of(project(tmp_path, READER.replace("Softsign", kind), *nodes))[1:] == ["softsign"]


def test_no_pattern_of_aieloom_takes_a_node_that_a_project_reads(tmp_path: Path) -> None:
    """x sigmoid(x) is a silu, unless sigmoid is the project's."""
    for name, brings, wanted in (
        ("a", "", ["silu"]),
        ("b", READER.replace("Softsign", "Sigmoid"), ["softsign", "mul"]),
    ):
        folder = project(tmp_path / name, brings.replace("softsign", f"soft_{name}"))
        file = folder / "operators" / "softsign.py"
        file.write_text(file.read_text().replace('"softsign"', f'"soft_{name}"'))
        b = Builder([1, *SHAPE])
        b.add("Conv", b.weights("conv.weight", 3, 2, 3, 3), pads=[1, 1, 1, 1])
        x = b.last
        b.add("Sigmoid").add("Mul", x).save(folder / "model.onnx")
        assert [op.replace(f"soft_{name}", "softsign") for op in ops_of(folder)[1:]] == wanted


def test_a_reader_takes_several_tensors_that_flow(tmp_path: Path) -> None:
    brings = READER.replace("Softsign", "Max").replace(
        '[*pieces, Piece("softsign")]', '[Piece("add"), Piece("softsign")]'
    )
    folder = project(tmp_path, brings)
    b = Builder([1, *SHAPE])
    b.add("Conv", b.weights("conv.weight", 3, 2, 3, 3), pads=[1, 1, 1, 1])
    x = b.last
    b.add("Relu").add("Max", x).save(folder / "model.onnx")
    layers = open_project(folder).network.layers
    assert [layer.op for layer in layers] == ["conv2d", "relu", "add", "softsign"]
    assert layers[2].inputs == ("relu1", "conv")


def test_a_file_that_fails_leaves_what_it_brought_before(tmp_path: Path) -> None:
    folder = project(tmp_path, READER, "Softsign")
    file = folder / "operators" / "softsign.py"
    text = file.read_text()
    assert ops_of(folder)[1:] == ["softsign"]
    file.write_text(text.replace('Softsign"', 'Celu"') + "\nraise ValueError\n")
    with pytest.raises(SpecError, match="ValueError"):
        ops_of(folder)
    file.write_text(text.replace(READER, ""))
    assert ops_of(folder)[1:] == ["abs", "scale", "div"], "what the file no longer brings is gone"


def test_a_new_project_of_a_model_asks_installed_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "softsign_package.py").write_text(IMPORTS + CLASS + READER)
    (package / "softsign.h.j2").write_text(TEMPLATE)
    monkeypatch.syspath_prepend(str(package))
    monkeypatch.setattr(plugins, "_packages", set())
    monkeypatch.setattr(plugins, "_package_folders", [])
    point = SimpleNamespace(
        name="softsign", value="softsign_package", load=lambda: __import__("softsign_package")
    )
    monkeypatch.setattr(
        plugins, "entry_points", lambda group: [point] if group == "aieloom.operators" else []
    )
    write_onnx_project(tmp_path / "made", model(tmp_path / "model.onnx", "Softsign"), "vck190")
    assert "op: softsign" in (tmp_path / "made" / "network.yaml").read_text()
