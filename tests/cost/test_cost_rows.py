"""Rows: read strictly, modelled or refused with a reason, never skipped, never a crash."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest

from aieloom.cost.parameters import load_parameters
from aieloom.errors import SpecError
from tests.cost.made import COLUMNS, conv, row
from tools.measured.model import model_row
from tools.measured.rows import CannotModel, MeasuredRow, Modelled, NotModelled, dims, from_cycles, read_rows

P = load_parameters()


def figure(r: MeasuredRow) -> float:
    result = model_row(P, r)
    assert isinstance(result, Modelled), result
    return result.value


def reason(r: MeasuredRow) -> str:
    result = model_row(P, r)
    assert isinstance(result, NotModelled), result
    return result.reason


def written(path: Path, *lines: str) -> Path:
    file = path / "rows.csv"
    file.write_text("\n".join((COLUMNS, *lines)) + "\n", encoding="utf-8")
    return file


def line(r: MeasuredRow) -> str:
    return ",".join(f'"{getattr(r, f.name)}"' for f in dataclasses.fields(r))


def test_rows_are_read_as_they_stand(tmp_path: Path) -> None:
    made = [row(id="A-1", notes="one, two"), row(id="A-2", value="2.5")]
    assert read_rows(written(tmp_path, *map(line, made))) == made


@pytest.mark.parametrize("value", ["", "fast", "-1", "0", "nan", "inf"])
def test_a_figure_must_be_a_positive_number(tmp_path: Path, value: str) -> None:
    file = written(tmp_path, line(row()), line(row(id="BAD-7", value=value)))
    with pytest.raises(SpecError, match=r"rows.csv:3: \[value\] row 'BAD-7'"):
        read_rows(file)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("id,source,value\nA,b,1\n", encoding="utf-8")
    with pytest.raises(SpecError, match="column year, device, arch"):
        read_rows(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"none\.csv"):
        read_rows(tmp_path / "none.csv")


def test_metrics_of_one_time() -> None:
    """1000 cycles at 1250 MHz are 0.8 us; a million operations in that are 1250 GFLOPS."""
    for metric, expected in {
        "cycles": 1000.0, "ii_cycles": 1000.0, "latency_us": 0.8, "fps": 1.25e6, "gflops": 1250.0, "tops": 1.25,
        "efficiency_pct": 25.0,
    }.items():  # fmt: skip
        found = from_cycles(row(metric=metric), 1000.0, operations=1e6, ideal=250.0)
        assert found == pytest.approx(expected), metric
    assert from_cycles(row(metric="latency_us", aie_clock_mhz="1000"), 1000.0) == pytest.approx(1.0)
    with pytest.raises(CannotModel, match="watts"):
        from_cycles(row(metric="watts"), 1000.0)


def test_shapes_are_found_in_text() -> None:
    assert dims("one 16x32x8 product") == (16, 32, 8)
    assert dims("nothing") is None


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"arch": "pl"}, "unrolled"),
        ({"arch": "gpu"}, "'gpu' is no AI Engine"),
        ({"what": "planet"}, "what = 'planet'"),
        ({"op": "sorting"}, "no kernel model for the operation 'sorting'"),
        ({"shape": ""}, "no M x K x N"),
        ({"dtype_in": "fp64"}, "no data type 'fp64'"),
        ({"arch": "aie", "dtype_in": "bf16", "dtype_w": "bf16"}, "multiplies no bf16"),
        ({"metric": "power_w"}, "power is not modelled"),
        ({"op": "conv2d", "shape": "big"}, "no shape of the convolution"),
        (
            {"what": "graph", "shape": "64x64x64", "metric": "mb_s", "tiles_used": "4"},
            "how the product is cut",
        ),
        ({"notes": "odd; treat with caution"}, "caution"),
    ],
)
def test_a_row_without_a_figure_says_why(given: dict[str, str], why: str) -> None:
    assert why in reason(row(**given))


def test_any_mixture_of_rows_has_a_figure_or_a_reason() -> None:
    """Fields of very different rows thrown together: no crash, no figure that is no positive number."""
    kinds = [
        row(), conv(), conv(notes="class ConvReluScalarStream"), conv(dtype_in="int8", op="conv2d+requant"),
        row(op="dense+relu", shape="2x36x10"), row(op="softmax", shape="10x10", notes="scalar"),
        row(op="mean (reduce) of 512 elements"), row(op="concat", shape="3 inputs of 1x32 -> 1x84"),
        row(what="graph", shape="16x64x16", notes="cascade 2 x SSR 2, no tilers", tiles_used="4"),
        row(what="graph", op="matvec", shape="16x32 (x4 frames)", arch="aie-ml", metric="latency_us"),
        row(what="graph", op="z-score graph (in series)", shape="blocks of 256x64", metric="mb_s"),
        row(what="system", shape="512x512x512", device="ryzen-ai", arch="aie-ml", dtype_in="int8", dtype_w="int8"),
        row(what="system", op="ESPCN x2", tiles_used="160", metric="fps"),
        row(what="graph", op="net", shape="1x16 -> 64 -> 8 + softmax"),
        row(op="matmul inner loop", notes="8 VMUL/VMAC (load bound)", metric="ii_cycles"),
    ]  # fmt: skip
    names = [f.name for f in dataclasses.fields(MeasuredRow) if f.name not in {"id", "value"}]
    rng, figures = random.Random(3), 0
    for _ in range(3000):
        mixed = rng.choice(kinds)
        for name in rng.sample(names, rng.randint(1, 4)):
            mixed = dataclasses.replace(mixed, **{name: getattr(rng.choice(kinds), name)})
        result = model_row(P, mixed)
        if isinstance(result, Modelled):
            assert 0 < result.value < 1e12, (mixed, result)
            figures += 1
        else:
            assert result.reason
    assert figures > 300


def test_all_made_rows_are_modelled() -> None:
    assert figure(row()) > 32**3 / 8
    assert (
        figure(row(what="graph", shape="16x64x16", notes="cascade 2 x SSR 2, no tilers", tiles_used="4")) > 0
    )


def test_more_work_takes_longer() -> None:
    assert figure(row(shape="64x32x32")) > 1.9 * figure(row(shape="32x32x32")) - P["call"]
    assert figure(conv(shape="26x28x4 k3x3 s1x1 p0 -> 24x24x4")) > figure(conv())
    scalar = conv(notes="kernel class ConvReluScalar; scalar loops")
    assert figure(scalar) > 5 * figure(conv()), "scalar code does one product at a time"


def test_a_filter_takes_its_products() -> None:
    """32 taps on 512 samples of cint16 are 16384 complex products, 8 a cycle [AM009]."""
    made = row(op="fir", dtype_in="cint16", dtype_w="cint16", shape="32 taps, 512 samples")
    assert figure(made) == pytest.approx(2048 + P["call"])
    assert "taps and samples" in reason(row(op="fir", shape="big"))


def test_a_streamed_interval_is_longer_than_the_work() -> None:
    made = {"arch": "aie-ml", "dtype_in": "bf16", "shape": "2048"}
    assert figure(row(op="softmax interval", **made)) == pytest.approx(
        figure(row(op="softmax", **made)) + 4096
    )


def test_a_stream_bound_product_takes_its_stream() -> None:
    """B of 64 x 16 int16 at 4 bytes a cycle: 512 cycles, however fast the cores are."""
    bound = row(
        what="graph", dtype_in="int16", dtype_w="int16", shape="16x64x16", metric="ii_cycles", tiles_used="2",
        notes="cascade 1 x SSR 2, no tilers",
    )  # fmt: skip
    assert figure(bound) == pytest.approx(512 + P["stream.gap"])


def test_a_rate_and_a_time_are_of_one_model() -> None:
    time = figure(row(metric="latency_us"))
    assert figure(row(metric="gflops")) == pytest.approx(2 * 32**3 / time / 1e3)
    assert figure(row(metric="efficiency_pct")) == pytest.approx(100 * 32**3 / 8 / figure(row()))


def test_the_published_espcn_is_close_to_what_was_measured() -> None:
    """3.7 ms for one image, 518 images/s (thesis by A. Tzomaka, 2022); no parameter is fitted to them."""
    usual = {"what": "system", "op": "ESPCN x2", "tiles_used": "160"}
    assert figure(row(metric="latency_us", **usual)) == pytest.approx(3700, rel=0.25)
    assert figure(row(metric="fps", **usual)) == pytest.approx(518, rel=0.25)


def test_flattened_kernels_of_a_published_array_overlap_their_register_blocks() -> None:
    """MaxEVA's int8 kernels: 16 blocks of 64 products; its float32 ones pipeline the loop over K: 32 blocks of 128."""
    given = {"what": "graph", "dtype_acc": "int32", "aie_clock_mhz": "1250", "metric": "cycles"}
    array = {"shape": "kernels 32x128x32", "notes": "adder-tree", "dtype_in": "int8", "dtype_w": "int8"}
    meeting = P["gemm.iteration.aie"] + P["array.exchange.aie"]
    flat = figure(row(**given, **array, source="MaxEVA"))
    assert flat == pytest.approx(16 * (64 + P["gemm.flat_block.aie"]) + meeting)
    other = figure(row(**given, **array))
    assert other == pytest.approx(16 * (64 + P["gemm.block.aie"]) + meeting)
    floats = {"shape": "kernels 32x32x32", "notes": "adder-tree", "dtype_in": "fp32", "dtype_w": "fp32"}
    assert figure(row(**given, **floats, source="MaxEVA")) == pytest.approx(
        32 * (128 + P["gemm.block.aie"]) + meeting
    )
