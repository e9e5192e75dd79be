"""A unit from a project's own folder, as docs/adding-a-unit.md has it: run by `doit sim`, linted, explained, refused."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from aieloom.cli import main
from aieloom.emit.files import write_tree
from aieloom.errors import SpecError
from aieloom.flow.designs import design_of
from aieloom.flow.opening import open_any
from aieloom.ops import REGISTRY, plugins
from aieloom.ops.registry import UNITS
from aieloom.trust import trust
from tests.designs import ROOT

DOCUMENT = (ROOT / "docs" / "adding-a-unit.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """Return the document's block of code in a language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """The document's project; the registries are afterwards as they were."""
    (tmp_path / "operators").mkdir()
    (tmp_path / "network.yaml").write_text(block("yaml"))
    (tmp_path / "operators" / "engine16.py").write_text(block("python"))
    (tmp_path / "operators" / "engine16.cpp.j2").write_text(block("cpp"))
    random = np.random.default_rng(3)
    tensors = {
        f"{name}.{part}": random.normal(0, 0.3, shape).astype(np.float32)
        for name, (o, i) in {"fc1": (24, 40), "fc2": (10, 24)}.items()
        for part, shape in (("weight", (o, i)), ("bias", (o,)))
    }
    save_file(tensors, tmp_path / "weights.safetensors")
    np.savez(tmp_path / "calib.npz", x=random.normal(0, 1, (64, 40, 1, 1)).astype(np.float32))
    trust(tmp_path)
    before, units = set(REGISTRY), dict(UNITS)
    files, folders = dict(plugins._files), list(plugins._folders)
    yield tmp_path
    REGISTRY.keep(before)
    UNITS.clear()
    UNITS.update(units)
    plugins._files.clear()
    plugins._files.update(files)
    plugins._folders[:] = folders


def test_the_page_is_short() -> None:
    assert len(DOCUMENT.splitlines()) <= 300


@pytest.mark.integration
def test_the_document_s_unit_runs_by_sim_with_a_report(project: Path) -> None:
    command = [sys.executable, "-m", "aieloom", "sim", "."]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "PASS" in done.stdout and "bit for bit equal" in done.stdout
    (report,) = project.glob("build/mynet/*/report")
    summary = json.loads((report / "summary.json").read_text())
    assert [s["on"] for s in summary["performance"]["per_layer"]] == ["engine16"] * 2
    page = (report / "index.html").read_text()
    assert "It runs on 16 multipliers in the logic." in page


def test_its_integers_are_those_of_the_definition(project: Path) -> None:
    """Products, sums and scaling by hand, of the quantised network's own integers."""
    opened = open_any(project, build=project / "build")
    design, q = design_of(opened), opened.quantised
    assert q
    x = np.random.default_rng(4).normal(0, 1, (5, 40, 1, 1)).astype(np.float32)
    layers = {found.layers[-1]: found for found in design.evaluated(x)}
    (first,) = (found for found in layers.values() if "fc1" in found.layers)
    given, made = first.given[0].values.reshape(5, 40).astype(np.int64), first.made.values.reshape(5, 24)
    t = {name: np.asarray(v).astype(np.int64) for name, v in opened.parameters["fc1"].items()}
    sums = given @ t["weight"].reshape(24, 40).T + t["bias"]
    scaled = sums * t["multiplier"] * 2.0 ** (t["shift"] - 31)
    zero = q.network.layers[0].y.zero
    assert np.abs(np.clip(scaled + zero, zero, 127) - made).max() <= 1, (
        "TensorFlow Lite's scaling rounds twice; of a relu nothing is below zero"
    )


def test_the_lint_of_the_hls_subset_finds_nothing_in_its_kernel(project: Path) -> None:
    pytest.importorskip("clang.cindex")
    write_tree(project, design_of(open_any(project, build=project / "build")).render(), owned=())
    command = [sys.executable, "-m", "tools.hls_lint", str(project / "src" / "pl" / "engine16.cpp")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_a_layer_is_explained_and_others_are_refused_by_line(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", "fc1", "--project", str(project)]) == 0
    assert "fc1: dense, 40x1x1 int8" in capsys.readouterr().out
    text = (project / "network.yaml").read_text()
    cases = {
        text.replace("unit: engine16", "unit: engine17"): r"\[unit-1\] there is no unit 'engine17'",
        text.replace("op: relu", "op: tanh"): r"\[unit-1\] layer 'act' \(tanh\) is no dense layer",
        f"{text}execution: sequential\n": r"\[option\] unit: engine16 computes the whole network",
    }
    for changed, message in cases.items():
        (project / "network.yaml").write_text(changed)
        with pytest.raises(SpecError, match=message):
            open_any(project, build=project / "build")


def test_a_name_that_is_taken_is_refused_and_the_unit_can_be_edited(project: Path) -> None:
    source = project / "operators" / "engine16.py"
    open_any(project, build=project / "build")
    (project / "operators" / "other.py").write_text(source.read_text())
    with pytest.raises(SpecError, match=r"operators/other.py:\d+: .*two units are called 'engine16'"):
        open_any(project, build=project / "build")
    (project / "operators" / "other.py").unlink()
    source.write_text(source.read_text().replace('how="on 16', 'how="on sixteen'))
    assert design_of(open_any(project, build=project / "build")).how == "on sixteen multipliers in the logic"


def test_a_unit_without_settings_has_one_design_and_dse_and_suggest_say_so(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (["dse"], ["suggest", "fc1"]):
        assert main([*command, "--project", str(project)]) == 0
        said = capsys.readouterr().out
        assert "runs on 16 multipliers in the logic, and it has no settings in network.yaml" in said
    assert main(["dse", "--project", str(project), "--dtypes", "int8"]) == 2
    assert "its elements are what network.yaml says: mynet runs on 16 multipliers" in capsys.readouterr().err
