"""Operators from a project's own folder: the document's example as it stands, changed files, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from aieloom.emit.project import render
from aieloom.errors import SpecError
from aieloom.flow.opening import open_project
from aieloom.ops import REGISTRY, plugins
from aieloom.reference.results import analyse, hardware_reference, torch_reference
from aieloom.trust import trust
from tests.designs import ROOT, Design, weights_of
from tests.ops.cases import cases_of, run_cases

DOCUMENT = (ROOT / "docs" / "adding-an-operator.md").read_text(encoding="utf-8")
NETWORK = """\
name: mynet
target: vck190
weights: w.safetensors
input: {name: x, shape: [2, 4, 5]}
layers:
  - {name: conv, op: conv2d, out_channels: 3, kernel: 3, padding: 1}
  - {name: act, op: swish6}
"""


def block(language: str) -> str:
    """Return the document's first block of code in a language."""
    found = re.search(rf"^```{language}\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """The document's project; the registry is afterwards as it was."""
    (tmp_path / "operators").mkdir()
    (tmp_path / "network.yaml").write_text(NETWORK)
    (tmp_path / "operators" / "swish6.py").write_text(block("python"))
    (tmp_path / "operators" / "swish6.h.j2").write_text(block("cpp"))
    trust(tmp_path)
    before, files, folders = set(REGISTRY), dict(plugins._files), list(plugins._folders)
    packages, package_folders = set(plugins._packages), list(plugins._package_folders)
    yield tmp_path
    REGISTRY.keep(before)
    plugins._files.clear()
    plugins._files.update(files)
    plugins._folders[:] = folders
    plugins._packages.intersection_update(packages)
    plugins._package_folders[:] = package_folders


def design_of(folder: Path) -> Design:
    opened = open_project(folder)
    return Design(opened.network, opened.array, weights_of(opened.network))


def test_the_documents_example_runs_to_the_bit(project: Path, tmp_path: Path) -> None:
    design = design_of(project)
    x = design.images(1, seed=3) * np.float32(4)
    cases = cases_of(design, x[0])
    results = run_cases([(design, cases)], tmp_path)
    ends = [end for case in cases for end in zip(case.counts, case.wanted, strict=True)]
    for (counts, wanted), y in zip(ends, results, strict=True):
        assert np.array_equal(y[counts].view(np.int32), wanted[counts].view(np.int32))
    files = design.files()
    assert "act_value(float x)" in files["src/pl/pl_act.cpp"]


def test_the_documents_example_is_pytorchs_and_its_bounds_hold(project: Path) -> None:
    design = design_of(project)
    x = design.images(50) * np.float32(6)
    y = hardware_reference(design.plan, design.parameters, x)
    np.testing.assert_allclose(y, torch_reference(design.network, design.parameters, x), rtol=1e-5, atol=1e-5)
    assert y.min() > -0.38
    step, operator = next(s for g in design.plan.pl for s in g.steps), REGISTRY["swish6"]
    hardware: Any = operator
    values = np.linspace(-8, 8, 40_001).astype(np.float32)
    exact = hardware.hardware(step, {}, values.astype(np.float64))
    assert (np.abs(hardware.hardware(step, {}, values) - exact) <= hardware.rounding(step, {}, values)).all()
    assert np.abs(np.diff(exact) / np.diff(values.astype(np.float64))).max() <= hardware.slope(step)
    assert analyse(design.plan, design.parameters, x).unreached_error() < 1e-6


def test_a_changed_file_is_read_again_and_a_second_opening_is_not(project: Path) -> None:
    open_project(project)
    first = REGISTRY["swish6"]
    open_project(project)
    assert REGISTRY["swish6"] is first
    file = project / "operators" / "swish6.py"
    file.write_text(file.read_text().replace("dsp = 12", "dsp = 13"))
    assert next(s for g in open_project(project).array.pl for s in g.steps).dsp == 13
    assert REGISTRY["swish6"] is not first


def test_without_its_file_the_operator_is_not_there(project: Path) -> None:
    (project / "operators" / "swish6.py").rename(project / "operators" / "_swish6.py")
    with pytest.raises(SpecError, match="there is no operator 'swish6'"):
        open_project(project)


@pytest.mark.parametrize(
    ("old", "new", "words", "line"),
    [
        ('op: Literal["swish6"]', 'op: Literal["relu"]', "two operators are called 'relu'", True),
        ("from typing import Literal", "from typing import Nothing", "ImportError", True),
        ("class Swish6Spec(LayerSpec):", "class Swish6Spec(LayerSpec:", "SyntaxError", True),
        ("@operator\n", "", "registers no operator", False),
    ],
)
def test_a_file_that_fails_is_named_with_its_line(
    project: Path, old: str, new: str, words: str, line: bool
) -> None:
    file = project / "operators" / "swish6.py"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    before = set(REGISTRY)
    with pytest.raises(SpecError) as refused:
        open_project(project)
    (problem,) = refused.value.problems
    assert words in problem.text
    assert problem.file == "operators/swish6.py"
    assert (problem.line > 0) == line
    assert set(REGISTRY) == before


def test_another_projects_operator_of_the_same_name_is_refused(project: Path, tmp_path: Path) -> None:
    open_project(project)
    other = tmp_path / "other"
    (other / "operators").mkdir(parents=True)
    (other / "network.yaml").write_text(NETWORK)
    (other / "operators" / "mine.py").write_text(block("python") + "\n# another one\n")
    with pytest.raises(SpecError, match="two operators are called 'swish6'"):
        open_project(other)


def test_a_template_that_is_not_there_is_named(project: Path) -> None:
    (project / "operators" / "swish6.h.j2").unlink()
    design = design_of(project)
    with pytest.raises(SpecError, match=r"\[template\] there is no template 'swish6\.h\.j2'"):
        render(design.plan, design.parameters)


def test_a_template_that_asks_for_what_is_not_there_is_named(project: Path) -> None:
    template = project / "operators" / "swish6.h.j2"
    template.write_text(template.read_text().replace("6.0F;\n}", "{{ step.six }};\n}"))
    design = design_of(project)
    with pytest.raises(SpecError, match=r"\[template\].*six"):
        render(design.plan, design.parameters)


def test_packages_are_loaded_by_their_entry_point(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package: its module is imported once, its folder holds the template."""
    package = project / "package"
    package.mkdir()
    (project / "operators" / "swish6.py").rename(package / "swish_package.py")
    (project / "operators" / "swish6.h.j2").rename(package / "swish6.h.j2")
    monkeypatch.syspath_prepend(str(package))
    loads = []

    def load() -> Any:
        loads.append(1)
        return __import__("swish_package")

    point = SimpleNamespace(name="swish6", value="swish_package", load=load)
    monkeypatch.setattr(
        plugins, "entry_points", lambda group: [point] if group == "aieloom.operators" else []
    )
    design = design_of(project)
    open_project(project)
    assert loads == [1]
    assert "swish6" in design.files()["src/pl/pl_act.cpp"]


def test_a_package_that_fails_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> Any:
        raise ImportError("no module named torchvision")

    point = SimpleNamespace(name="broken", value="broken.module", load=load)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point])  # noqa: ARG005
    with pytest.raises(SpecError, match=r"the entry point 'broken = broken\.module'.*torchvision"):
        open_project(project)


def test_a_project_is_described_by_its_operators_and_its_model_too(project: Path) -> None:
    opened = open_project(project)
    assert [f.name for f in opened.description] == ["network.yaml", "swish6.h.j2", "swish6.py"]
