"""report/summary.json of every kind of design has the published schema's shape, and says what the plan takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aieloom.cli import main
from aieloom.flow.gemm import told
from aieloom.flow.gemm.engine import EngineRequest, plan_product
from aieloom.flow.gemm.run import Checked
from aieloom.flow.opening import open_any
from aieloom.report.schema import summary_schema
from aieloom.sequential.plan import engines_of
from aieloom.spec.device import load_board
from aieloom.strategies.array_gemm.whole import whole
from tests.report.kinds import KINDS, SCHEMA, checked_file, jsonschema, told_of
from tests.strategies.array_gemm.plans import plan_of
from tests.vitis import designs


@pytest.mark.parametrize("kind", KINDS)
def test_a_project_s_summary_has_the_schema_s_shape(kind: str, tmp_path: Path) -> None:
    folder = KINDS[kind](tmp_path / kind)
    project = open_any(folder, build=tmp_path / "build")
    summary = told_of(project)
    assert summary["timing_s"]["run"] == 0.5
    resources = summary["resources"]
    assert resources["pl"]["lut"] > 0
    on_the_array = kind in {"spatial", "in_turn", "hybrid"}
    for what in ("aie_cores", "aie_tiles", "plio_in", "plio_out", "memory_bytes"):
        assert (resources[what] > 0) == on_the_array, what
    if project.home == "sequential":
        design = engines_of(project.plan)
        cores = design.array.cores if design.array else 0
        cores += design.spatial.plan.cores if design.spatial else 0
        assert resources["aie_cores"] == cores
        assert bool(design.row_unit) == (kind == "in_logic")


def test_layers_in_turn_on_the_array_say_its_tiles_and_streams(tmp_path: Path) -> None:
    project = open_any(designs.in_turn(tmp_path / "net").path, build=tmp_path / "build")
    grid = engines_of(project.plan).array
    assert grid
    x, y, z = grid.grid
    resources = told_of(project)["resources"]
    assert resources["aie_cores"] == x * y * z
    assert resources["aie_tiles"] >= x * y * z
    # each link of a chain has a stream of A for its row and one of B for its column; each chain gives one of C
    assert resources["plio_in"] == x * y + z * y
    assert resources["plio_out"] == x * z


@pytest.mark.parametrize("engine", ["array", "logic"])
def test_a_product_s_summary_has_it_too(engine: str, tmp_path: Path) -> None:
    if engine == "array":
        plan = whole(plan_of(14, 90, 15, dtype="int8", tile=(8, 16, 16), grid=(2, 3, 2)))
        said = told.on_array(plan)
    else:
        request = EngineRequest(m=37, k=29, n=21, element="float32", block=(16, 16, 8))
        plan = plan_product(load_board("zynq-7020"), request)
        said = told.on_engine(plan)
    checked = Checked(c=np.zeros((2, 2)), different=0, largest=0.0, output="")
    told.summarised(plan, said, checked, tmp_path)
    summary = checked_file(tmp_path)
    taken = summary["resources"]["aie_cores"], summary["resources"]["plio_out"]
    assert taken == ((12, 4) if engine == "array" else (0, 0))
    assert summary["remarks"] == list(plan.remarks) != []
    assert summary["project"].startswith("gemm_") and summary["reproduce"]["commands"][0].startswith(
        "aieloom gemm"
    )


def test_what_is_not_in_the_schema_is_refused(tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(summary_schema())
    project = open_any(designs.circuit(tmp_path / "net").path, build=tmp_path / "build")
    summary = told_of(project)
    damages: tuple[dict[str, Any], ...] = (
        {"golden": {}},
        {"resources": {**summary["resources"], "aie_core": 1}},
        {"passed": "yes"},
    )
    for damage in damages:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**summary, **damage}, SCHEMA)


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--summary"]) == 0
    assert json.loads(capsys.readouterr().out) == summary_schema()
