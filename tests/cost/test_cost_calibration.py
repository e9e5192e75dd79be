"""Calibration: finds the values that made the rows, keeps experiments together, admits what it cannot know."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from aieloom.cost.parameters import FILE, definitions, held_out_errors, load_parameters
from aieloom.cost.published import LAYERS, core_us, published_pl_kernels, published_times
from tests.cost.made import conv, row
from tests.designs import ESPCN
from tools.calibrate import cross_validate, determined, evaluate_unseen, fit, leave_sources_out
from tools.cost_document import document
from tools.cost_store import with_errors, with_values
from tools.measured.evaluate import errors, evaluate, grouped, held_out
from tools.measured.model import model_row
from tools.measured.rows import MeasuredRow, Modelled, NotModelled, read_rows

ROOT = Path(__file__).resolve().parents[2]
MEASURED = Path(os.environ.get("AIELOOM_MEASURED", ROOT.parent / "shared" / "facts" / "measured.csv"))
P = load_parameters()
# Correlations, cumulative sums, outer products, Hadamard products, distances, tables: what no design of ours does on cores.
DSP_LIBRARY = {"DSPL-CC", "DSPL-CS", "DSPL-OT", "DSPL-HD", "DSPL-ED", "DSPL-FA"}


def measured_by(parameters: dict[str, float], made: list[MeasuredRow]) -> list[MeasuredRow]:
    """Give rows the figures that a machine with these parameters would show."""
    found = []
    for number, r in enumerate(made):
        result = model_row(P.replaced(parameters), r)
        assert isinstance(result, Modelled)
        fields = {name: getattr(r, name) for name in r.__slots__}
        found.append(MeasuredRow(**{**fields, "id": f"MADE-{number}", "value": repr(result.value)}))
    return found


def convolutions() -> list[MeasuredRow]:
    """Convolutions whose loops differ enough to tell the parameters apart."""
    sizes = [(c, k, m) for c in (1, 2, 6) for k in (1, 3, 5) for m in (2, 8)]
    return [conv(shape=f"40x40x{c} k{k}x{k} s1x1 p0 -> 32x32x{m}") for c, k, m in sizes]


def test_a_fit_finds_the_values_that_made_the_rows() -> None:
    true = {"conv.fp32.tap": 1.31, "conv.fp32.row": 3.4, "conv.fp32.output_window": 9.0}
    rows = measured_by(true, convolutions())
    found = fit(P, definitions(), rows)
    for name, value in true.items():
        assert found[name] == pytest.approx(value, rel=0.2), name
    before, after = (errors(evaluate(p, rows)) for p in (P, found))
    assert before and after
    assert after.median_pct < 2 < before.median_pct


def test_a_fit_repeats_and_leaves_the_rest_alone() -> None:
    rows = measured_by({"conv.fp32.tap": 1.5}, convolutions()[:6])
    one, two = fit(P, definitions(), rows), fit(P, definitions(), rows)
    assert dict(one) == dict(two)
    assert one["softmax.vector"] == P["softmax.vector"]
    assert one["iteration"] == P["iteration"] == 53, "a documented value is never moved"


def test_versions_of_one_experiment_stay_together() -> None:
    for number in range(40):
        made = row(shape=f"{number + 1}x32x32")
        twin = row(shape=made.shape, id="MADE-9", notes="earlier code version", value="7")
        assert held_out(made) == held_out(twin)
    share = sum(held_out(row(shape=f"{n}x32x32")) for n in range(1, 401)) / 400
    assert 0.15 < share < 0.35, "about a quarter"


def test_our_own_design_is_never_fitted() -> None:
    assert held_out(row(id="ESPCN-002")) and held_out(row(id="ESPCN-9", shape="1x1x1"))


def test_a_parameter_that_no_row_determines_gives_no_figure() -> None:
    short = conv(shape="8x8x1 k1x1 s1x1 p0 -> 8x8x1")  # which tells what a call takes
    seen, other = [*convolutions()[:4], short], conv(dtype_in="int8", op="conv2d+requant")
    outcomes = evaluate_unseen(P, definitions(), seen, [other, seen[0]])
    assert isinstance(outcomes[0].result, NotModelled)
    assert "conv.int8.row" in outcomes[0].result.reason
    assert isinstance(outcomes[1].result, Modelled)


def test_a_row_determines_what_its_figure_depends_on() -> None:
    """A convolution of 5 x 5 tells of its taps; of the call's cycles, a thousandth of its time, it tells nothing."""
    big = [conv(shape="100x100x32 k5x5 s1x1 p0 -> 96x96x32")]
    known = determined(P, definitions(), big)
    assert "conv.fp32.tap" in known
    assert "call" not in known
    moved = fit(P, definitions(), measured_by({"conv.fp32.tap": 1.4}, big))
    assert moved["conv.fp32.tap"] != P["conv.fp32.tap"]
    assert moved["call"] == P["call"], "it would only take up what is wrong elsewhere"
    small = [conv(shape="8x8x1 k1x1 s1x1 p0 -> 8x8x1")]
    assert "call" in determined(P, definitions(), small)


def test_a_cascade_lengthens_a_product_by_a_vector() -> None:
    def cycles(cascade: int) -> float:
        made = row(
            what="graph", op="matvec", shape="32x64 (x1 frames)", tiles_used="4", metric="latency_us",
            notes=f"column-major matrix, cascade {cascade} x SSR {4 // cascade}",
        )  # fmt: skip
        result = model_row(P, made)
        assert isinstance(result, Modelled)
        return result.value * made.aie_mhz

    assert cycles(4) - cycles(1) == pytest.approx(3 * P["matvec.cascade"])


def test_folds_and_sources_cover_every_row_once() -> None:
    rows = measured_by({}, convolutions()[:8])
    for way in (cross_validate, leave_sources_out):
        outcomes = way(P, definitions(), rows)
        assert sorted(o.row.id for o in outcomes) == sorted(r.id for r in rows)
    by_source = leave_sources_out(P, definitions(), rows)
    assert all(isinstance(o.result, NotModelled) for o in by_source), "the only source: nothing else knows it"


def test_errors_by_group() -> None:
    rows = [row(id="A-1", value="1000"), row(id="B-1", shape="?")]
    groups = grouped(evaluate(P, rows), lambda r: r.family)
    assert (groups["A"].rows, groups["A"].not_modelled) == (1, 0)
    assert (groups["B"].rows, groups["B"].not_modelled) == (0, 1)
    result = model_row(P, rows[0])
    assert isinstance(result, Modelled)
    assert groups["A"].worst_pct == pytest.approx(abs(result.value / 1000 - 1) * 100)


def test_stored_values_are_the_only_change_in_the_file() -> None:
    text = FILE.read_text(encoding="utf-8")
    changed = with_values(text, definitions(), P.replaced({"call": 12.25}))
    assert yaml.safe_load(changed)["parameters"]["call"]["value"] == 12.25
    different = [(a, b) for a, b in zip(text.splitlines(), changed.splitlines(), strict=True) if a != b]
    assert len(different) == 1
    found = errors(evaluate(P, [row()]))
    assert found
    stored = yaml.safe_load(with_errors(text, {"kernel": found}))["held_out"]
    assert stored["kernel"]["rows"] == 1


def test_every_parameter_is_explained_and_within_its_bounds() -> None:
    for d in definitions():
        assert d.meaning and d.unit and d.source in {"calibrated", "documented"}, d.name
        assert d.low <= d.value <= d.high, d.name


@pytest.fixture(scope="module")
def published() -> list[MeasuredRow]:
    if not MEASURED.is_file():
        pytest.skip("the file of published measurements is not here")
    return read_rows(MEASURED)


def test_every_published_row_has_a_figure_or_a_reason(published: list[MeasuredRow]) -> None:
    outcomes = evaluate(P, published)
    assert len(outcomes) == len(published)
    ours = [o for o in outcomes if o.row.family not in DSP_LIBRARY]
    assert sum(isinstance(o.result, Modelled) for o in ours) >= 0.8 * len(ours)
    reasons = [o.result.reason for o in outcomes if isinstance(o.result, NotModelled)]
    assert all(len(r) > 20 for r in reasons)
    assert not [r for r in reasons if "no parameter" in r], "a model asks for a parameter that does not exist"


def test_the_stored_errors_are_those_of_the_hold_out(published: list[MeasuredRow]) -> None:
    seen, unseen = [r for r in published if not held_out(r)], [r for r in published if held_out(r)]
    found = grouped(evaluate_unseen(P, definitions(), seen, unseen), lambda r: r.what)
    assert {n: (e.rows, round(e.median_pct, 1)) for n, e in found.items()} == {
        n: (e["rows"], e["median_pct"]) for n, e in held_out_errors().items()
    }, "run python -m tools.cost_model"
    assert found["kernel"].median_pct <= 10 and found["graph"].median_pct <= 10, "the goals"


def test_kernels_of_a_source_that_no_fit_saw(published: list[MeasuredRow]) -> None:
    """The largest source, whose kernels are most of all: those that others' rows tell something of."""
    seen = [r for r in published if not held_out(r)]
    others = [r for r in seen if r.family != "O2V-K"]
    inside = [r for r in seen if r.family == "O2V-K"]
    found = errors(evaluate_unseen(fit(P, definitions(), others), definitions(), others, inside))
    assert found
    assert found.rows >= 9
    assert found.median_pct <= 20


def test_the_published_design(published: list[MeasuredRow]) -> None:
    latency, interval = published_times(P)
    figures = {r.metric: r.measured for r in published if r.family == "ESPCN" and r.tiles_used == "160"}
    assert latency == pytest.approx(figures["latency_us"], rel=0.25)
    assert 1e6 / interval == pytest.approx(figures.get("fps", 518.0), rel=0.25)


def test_an_image_passes_every_kernel_core_and_mover_of_the_published_design() -> None:
    latency, interval = published_times(P)
    kernels = [k.latency_us for k in published_pl_kernels()]
    assert latency > sum(kernels) + sum(core_us(P, layer) for layer in LAYERS) > sum(kernels) >= interval


def test_the_published_design_is_the_one_of_the_project() -> None:
    """Channels and kernels follow on each other, and each core has the tile that projects/espcn gives it."""
    design = yaml.safe_load(ESPCN)
    layers = {la["name"]: la for la in design["layers"]}
    channels = design["input"]["shape"][0]
    for layer in LAYERS:
        given = layers[layer.name]
        assert (layer.inputs, layer.outputs, layer.kernel) == (
            channels,
            given["out_channels"],
            given["kernel"],
        )
        assert list(layer.core) == design["mapping"][layer.name]["tile"]
        channels = layer.outputs


def test_the_document_admits_a_missed_goal_and_an_estimate() -> None:
    good, bad = (evaluate(P, [row(value=str(v))]) for v in (4440, 44400))
    usual = {
        "version": "9",
        "values": P,
        "one_in": 4,
        "folds_of": 5,
        "known": {"call"},
        "fitted": [],
        "folds": [],
    }
    for outcomes, verdict in ((good, "yes"), (bad, "**no**")):
        text = document(**usual, sources=[], held_out=outcomes, design=(3700.0, 1900.0))  # type: ignore[arg-type]
        line = next(x for x in text.splitlines() if x.startswith("| median error of kernels"))
        assert line.endswith(f"| {verdict} |")
    assert "| `call` | " in text and "cycles | calibrated | enter" in text
    assert "cycles | estimate | " in text and "cycles | documented | " in text
    assert "one\nconfiguration in 4" in text
