"""`quality:` of network.yaml: its keys, what each is measured by, and what a run is told that breaks one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aieloom.errors import SpecError
from aieloom.flow.quality import Measured, check_measurable, faults, remedy_for
from aieloom.flow.samples import Samples
from aieloom.ops import REGISTRY
from aieloom.quantize.loss import LayerLoss
from aieloom.spec.lines import parse_yaml
from aieloom.spec.load import parse_network
from aieloom.spec.network import NetworkSpec
from aieloom.spec.quality import DEFAULTS, QualitySpec
from aieloom.spec.quantize import QuantizeSpec
from aieloom.spec.types import DataType
from tests.designs import ROOT

YAML = """name: small
target: vck190
weights: w.safetensors
input: {name: x, shape: [1, 4, 4]}
layers:
  - {name: first, op: conv2d, out_channels: 2, kernel: 3}
"""
KEYS = tuple(QualitySpec.model_fields)
LOSSES = (
    LayerLoss(layer="first", sqnr_db=30.0, own_sqnr_db=30.0),
    LayerLoss(layer="second", sqnr_db=12.0, own_sqnr_db=11.5),
    LayerLoss(layer="third", sqnr_db=11.0, own_sqnr_db=25.0),
)


def read(more: str) -> NetworkSpec:
    return parse_network(parse_yaml(YAML + more, "network.yaml"), REGISTRY)


def measured(psnr: list[float], loss: list[float], float_accuracy: float, accuracy: float) -> Measured:
    return Measured(
        names=[f"picture {i}" for i in range(len(psnr))],
        psnr=np.array(psnr, np.float32),
        psnr_loss=np.array(loss, np.float32),
        accuracies={"float": float_accuracy, "emulated": accuracy},
        losses=lambda: LOSSES,
    )


@pytest.mark.parametrize("dtype", list(DEFAULTS))
@pytest.mark.parametrize("key", KEYS)
def test_each_bound_is_a_key_whose_default_depends_on_the_type(key: str, dtype: DataType) -> None:
    assert getattr(read("").quality.bounds(dtype), key) == getattr(DEFAULTS[dtype], key)
    said = read(f"quality: {{{key}: 0.5}}\n").quality.bounds(dtype)
    assert {k: getattr(said, k) for k in KEYS} == {k: getattr(DEFAULTS[dtype], k) for k in KEYS} | {key: 0.5}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("value", [".nan", ".inf", "high", "[1]"])
def test_what_no_figure_is_compared_with_is_refused(key: str, value: str) -> None:
    with pytest.raises(SpecError) as refused:
        read(f"quality:\n  {key}: {value}\n")
    (problem,) = refused.value.problems
    assert (problem.line, problem.rule) == (8, "value")


@pytest.mark.parametrize("key", ["min_sqnr_db", "max_accuracy_loss"])
def test_a_bound_in_another_section_is_told_its_own(key: str) -> None:
    with pytest.raises(SpecError) as refused:
        read(f"quantize: {{{key}: 0.5}}\n")
    (problem,) = refused.value.problems
    assert problem.line == 7 and f"unknown key '{key}'" in problem.text
    assert problem.remedy.startswith("write it under quality:; known keys here: activations")


DB = st.floats(0, 60, width=32)


@given(
    st.lists(st.tuples(DB, DB), min_size=1, max_size=6),
    st.tuples(DB, DB, DB),
    st.tuples(*[st.floats(0, 1)] * 3),
)
def test_a_run_fails_by_the_bounds_that_it_breaks(
    pictures: list[tuple[float, float]],
    bounds: tuple[float, float, float],
    accuracies: tuple[float, float, float],
) -> None:
    psnr, loss = (list(v) for v in zip(*pictures, strict=True))
    least, most, sqnr = bounds
    quality = QualitySpec(
        min_psnr_db=least, max_psnr_loss_db=most, min_sqnr_db=sqnr, max_accuracy_loss=accuracies[2]
    )
    found = faults(measured(psnr, loss, *accuracies[:2]), quality, quality.bounds(DataType.INT8), "do better")
    mean = math.fsum(psnr) / len(psnr)
    if abs(mean - least) > 1e-3:
        assert any("min_psnr_db is" in f for f in found) == (mean < least)
    assert any("max_psnr_loss_db" in f for f in found) == any(v > most for v in loss)
    assert any("min_sqnr_db is" in f for f in found) == (min(la.sqnr_db for la in LOSSES) < sqnr)
    assert any("max_accuracy_loss is" in f for f in found) == (accuracies[0] - accuracies[1] > accuracies[2])
    blame = "the layer that loses most by itself is 'second' (11.5 dB); do better"
    assert all(f.endswith(blame) for f in found)


def test_a_figure_that_is_no_number_breaks_its_bound() -> None:
    quality = QualitySpec(min_psnr_db=1.0)
    found = faults(
        measured([math.nan, 30.0], [math.nan, 0.0], 0.5, 0.5),
        quality,
        quality.bounds(DataType.INT8),
        "do better",
    )
    assert [f.split(";")[0] for f in found] == [
        "the pictures' mean PSNR is nan dB, min_psnr_db is 1",
        "1 of 2 pictures lose more than max_psnr_loss_db 1 against the float network",
    ]


@pytest.mark.parametrize("key", ["min_psnr_db", "max_psnr_loss_db", "max_accuracy_loss"])
def test_a_bound_that_nothing_measures_is_refused_on_its_line(key: str) -> None:
    samples = Samples(names=("one",), x=np.zeros((1, 1, 4, 4), np.float32))
    check_measurable(read(""), samples)
    with pytest.raises(SpecError) as refused:
        check_measurable(read(f"quality:\n  min_sqnr_db: 3\n  {key}: 0.5\n"), samples)
    (problem,) = refused.value.problems
    assert problem.line == 9 and problem.text.startswith(f"{key} cannot be measured: the samples have no ")


def test_the_remedy_offers_what_is_not_done_yet() -> None:
    plain, done = QuantizeSpec(calibration="c.npz"), QuantizeSpec(calibration="c.npz", method="mse")
    assert "method: mse" in remedy_for(plain, imported=False)
    assert "method: mse" not in remedy_for(done, imported=False)
    assert remedy_for(plain, imported=True).startswith("quantise the model again")
    assert "lut" in remedy_for(None, imported=False)


def test_the_document_has_the_defaults() -> None:
    rows = (ROOT / "docs" / "network-yaml.md").read_text(encoding="utf-8").splitlines()
    types = (DataType.FLOAT32, DataType.INT16, DataType.BFLOAT16, DataType.INT8)
    for key in KEYS:
        (row,) = (r for r in rows if r.startswith(f"| `{key}` |"))
        cells = [c.strip() for c in row.split("|")[3:-1]]
        wanted = [getattr(DEFAULTS[t], key) for t in types]
        assert cells == ["" if v is None else f"{v:g}" for v in wanted], key


@pytest.mark.parametrize("dtype", [DataType.INT8, DataType.INT16])
def test_what_a_model_of_integers_loses_itself_is_no_fault_by_default(dtype: DataType) -> None:
    own, given = (QualitySpec().bounds(dtype, given=g) for g in (False, True))
    assert own.min_sqnr_db == DEFAULTS[dtype].min_sqnr_db and given.min_sqnr_db is None
    noisy = Measured(names=["a"], psnr=None, psnr_loss=None, accuracies={}, losses=lambda: LOSSES)
    assert not faults(noisy, QualitySpec(), given, "mend it")
    said = QualitySpec(min_sqnr_db=999.0)
    assert "min_sqnr_db is 999" in faults(noisy, said, said.bounds(dtype, given=True), "mend it")[0]
