"""`doit dse dtypes=`: each type is judged by the samples and searched; the winner can be pasted into network.yaml."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest
import yaml

from aieloom.cli import main
from aieloom.errors import SpecError
from aieloom.flow import dtypes
from aieloom.flow.dse import search
from aieloom.flow.opening import open_project
from aieloom.search.mapped import timed
from aieloom.spec.quantize import QuantizeSpec, settings_for
from aieloom.spec.types import DataType
from tests.designs import ROOT


@pytest.fixture
def jet(tmp_path: Path) -> Path:
    """A copy of jet: float weights, samples with labels, inputs to calibrate on."""
    folder = tmp_path / "jet"
    shutil.copytree(ROOT / "projects" / "jet", folder, ignore=shutil.ignore_patterns("build", "__pycache__"))
    return folder


def rows_of(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "dtypes.csv").open() as f:
        return {row["dtype"]: row for row in csv.DictReader(f)}


def test_the_winner_is_the_fastest_type_and_can_be_pasted(jet: Path, tmp_path: Path) -> None:
    project = open_project(jet, build=tmp_path / "build")
    found = search(project, {"dtypes": "int8,bfloat16"})
    rows = rows_of(project.build / "dse")
    rates = {name: float(row["images_per_s"]) for name, row in rows.items()}
    assert list(rows) == sorted(rates, key=lambda name: -rates[name]) and len(rows) == 2
    best = next(iter(rows))
    assert rates[best] == pytest.approx(1e6 / found.winner.interval_us, abs=0.1)
    assert all("accuracy 0.8" in row["quality"] for row in rows.values())
    said = yaml.safe_load((project.build / "dse" / "mapping.yaml").read_text())
    text = yaml.safe_load((jet / "network.yaml").read_text())
    (jet / "network.yaml").write_text(yaml.safe_dump({**text, **said}, sort_keys=False))
    pasted = open_project(jet, build=tmp_path / "build")
    assert 1e6 / timed(pasted.array)[0] == pytest.approx(rates[best], rel=1e-4)
    assert {la.draft.dtype.value for la in pasted.array.aie} == {best}


def test_a_type_that_loses_too_much_is_left_out_with_its_reason(jet: Path, tmp_path: Path) -> None:
    file = jet / "network.yaml"
    file.write_text(file.read_text().replace("quantize: {", "quality: {min_sqnr_db: 39}\nquantize: {"))
    project = open_project(jet, build=tmp_path / "build")
    search(project, {"dtypes": "int8,int16"})
    rows = rows_of(project.build / "dse")
    assert list(rows) == ["int16", "int8"]
    assert "min_sqnr_db is 39" in rows["int8"]["refused"] and not rows["int8"]["images_per_s"]
    with pytest.raises(SpecError, match=r"no type is left: int8: .*min_sqnr_db is 39"):
        search(project, {"dtypes": "int8"})


def test_a_type_that_the_board_lacks_is_told(jet: Path, tmp_path: Path) -> None:
    project = open_project(jet, build=tmp_path / "build", target="vck190")
    search(project, {"dtypes": "bfloat16,int8"})
    rows = rows_of(project.build / "dse")
    assert list(rows) == ["int8", "bfloat16"] and "bfloat16" in rows["bfloat16"]["refused"]


def test_wrong_words_are_refused(jet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dse", "--project", str(jet), "--dtypes", "int4"]) == 2
    assert "'int4' is none of float32, bfloat16, int16, int8" in capsys.readouterr().err


def test_a_quantised_model_keeps_its_types(
    jet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = open_project(jet, build=tmp_path)
    monkeypatch.setattr(dtypes, "is_quantised_model", lambda _: True)
    with pytest.raises(SpecError, match="it is quantised"):
        search(project, {"dtypes": "int8,int16"})


def test_what_a_type_has_no_choice_in_is_left_out() -> None:
    given = QuantizeSpec.model_validate({"calibration": "c.npz", "scales": "multiplier16", "method": "mse"})
    assert settings_for(given, DataType.FLOAT32) is None
    wide = settings_for(given, DataType.INT16)
    assert wide and (wide.scales, wide.symmetric, wide.calibration, wide.method) == (
        "power_of_two",
        True,
        "c.npz",
        "mse",
    )
    brain = settings_for(given, DataType.BFLOAT16)
    assert brain and brain.calibration is None and brain.method == "min_max"
    assert settings_for(None, DataType.INT8) == QuantizeSpec()
