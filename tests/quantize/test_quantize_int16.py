"""16-bit integers: exact integer reference, accuracy, refusals, whole systems on both architectures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aieloom.flow.opening import open_project
from aieloom.layout.nest import PADDING
from aieloom.network.quantisation import dequantise, quantise
from aieloom.network.tensor import Quantisation
from aieloom.pl.steps import LineTable
from aieloom.plan.element_tables import looked_up, table_of_elements
from aieloom.plan.gemm import usable_modes
from aieloom.reference.results import hardware_reference, torch_reference
from aieloom.spec.architecture import Architecture
from aieloom.spec.types import DataType
from tests.designs import edited, refusal
from tests.quantize.designs import EVERY, check
from tests.quantize.projects import inputs, write_project

INT16 = "activations: int16, weights: int16"
WIDE = """\
name: wide
target: vck190
weights: w.safetensors
input: {name: x, shape: [3, 6, 6]}
layers:
  - {name: first, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: act, op: relu}
  - {name: up, op: upsample, scale: 2}
  - {name: second, op: conv2d, out_channels: 5, kernel: 3, stride: 2}
  - {name: fc, op: dense, out_features: 6}
mapping:
  second: {cascade: 3}
"""


def test_the_shapes_are_those_with_wide_sums() -> None:
    """aie_api: int16 x int16 accumulates in acc48 on AIE; on AIE-ML some shapes have acc32, which two products fill."""
    aie = {m.shape: m.accumulator for m in usable_modes(Architecture.AIE, DataType.INT16)}
    assert aie == {(4, 4, 4): "acc48", (2, 4, 8): "acc48", (4, 4, 8): "acc48", (4, 2, 8): "acc48"}
    ml = {m.shape: m.accumulator for m in usable_modes(Architecture.AIE_ML, DataType.INT16)}
    assert ml == {(4, 4, 4): "acc64", (2, 4, 8): "acc64", (4, 4, 8): "acc64"}


def test_the_reference_is_exact_integer_arithmetic(tmp_path: Path) -> None:
    """Every output of the first layer by Python's own integers: bias, products, shift with halves up, saturation, relu."""
    project = open_project(write_project(tmp_path, WIDE, INT16))
    draft, params = project.array.aie[0].draft, project.parameters["first"]
    requant = draft.requant
    assert requant is not None
    assert requant.shift > 0
    assert (draft.x.zero, draft.y.zero, requant.low) == (0, 0, 0)
    elements = np.random.default_rng(3).integers(-32768, 32768, (1, 3, 6, 6)).astype(np.int16)
    from aieloom.reference.forward import forward  # noqa: PLC0415

    found = forward(draft, params, elements)[0].reshape(8, -1)
    flat = [int(v) for v in elements.ravel()]
    weight = params["weight"].reshape(8, -1)
    places = draft.window.layout.flat().reshape(27, 36)
    for channel in range(8):
        for pixel in (0, 7, 21, 35):
            total = int(params["bias"][channel]) << requant.bias_shift
            for k in range(27):
                place = int(places[k, pixel])
                total += 0 if place == PADDING else int(weight[channel, k]) * flat[place]
            wanted = max(0, min(32767, (total + (1 << requant.shift >> 1)) >> requant.shift))
            assert found[channel, pixel] == wanted


def test_little_is_lost_against_floats(tmp_path: Path) -> None:
    project = open_project(write_project(tmp_path, WIDE, INT16))
    x = inputs(project.plan.x.shape, 64)
    y = hardware_reference(project.array, project.parameters, x)
    torch = torch_reference(project.network, project.float_parameters, x)
    noise = float(((y - torch) ** 2).mean() / (torch**2).mean())
    assert 10 * np.log10(1 / noise) > 65


@pytest.mark.parametrize(
    ("quantize", "words"),
    [
        (f"{INT16}, scales: multiplier", ["value", "int16 has scales: power_of_two"]),
        (f"{INT16}, symmetric: false", ["value", "int16 has"]),
        ("activations: int16", ["value", "use one type for both"]),
    ],
)
def test_settings_that_int16_cannot_have_are_refused(quantize: str, words: list[str]) -> None:
    message = refusal(f"{WIDE}quantize: {{{quantize}, calibration: c.npz}}\n")
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "second: {cascade: 3}",
            "second: {tile: [8, 24, 8]}",
            ["gemm-4", "3 passes", "cascade: 3 with K = 24"],
        ),
    ],
)
def test_what_has_no_16_bit_form_is_refused(old: str, new: str, words: list[str], tmp_path: Path) -> None:
    from aieloom.errors import SpecError  # noqa: PLC0415

    with pytest.raises(SpecError) as caught:
        _ = open_project(write_project(tmp_path, edited(WIDE, old, new), INT16)).plan
    for word in words:
        assert word in str(caught.value)


FUNCTIONS_16: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    "tanh": (np.tanh, 2.0**-12, 2.0**-15),
    "a slope": (lambda x: np.where(x > 0, x, 0.1 * x), 2.0**-12, 2.0**-12),
    "a bound off the entries": (lambda x: np.minimum(x, 1.2345), 2.0**-12, 2.0**-14),
    "a root": (lambda x: np.sqrt(np.maximum(x, 0)), 2.0**-13, 2.0**-14),
    "a step": (np.sign, 2.0**-13, 2.0**-14),
}


@pytest.mark.parametrize("name", FUNCTIONS_16)
def test_tables_of_16_bits_are_within_one_element(name: str) -> None:
    """All 65536 elements, against the function itself; and the definition by Python's own integers."""
    function, scale, step = FUNCTIONS_16[name]
    x, y = Quantisation(scale=scale, zero_point=0), Quantisation(scale=step, zero_point=0)

    def nearest(elements: Any) -> Any:
        return quantise(function(dequantise(elements, x).astype(np.float64)), y, DataType.INT16)

    table = table_of_elements(DataType.INT16, nearest)
    assert isinstance(table, LineTable)
    assert len(table.values) == (1 << 16 - table.shift) + 1
    elements = np.arange(-32768, 32768)
    found = looked_up(table, elements.astype(np.int16))
    assert found.dtype == np.int16
    assert np.abs(found.astype(np.int64) - nearest(elements)).max() <= 1
    assert table.shift == {"tanh": 5, "a slope": 7}.get(name, table.shift)
    assert table.shift > 0 or name in ("a root", "a step", "a bound off the entries")
    for element in (-32768, -32767, -129, -1, 0, 1, 5037, 32766, 32767):
        index, rest = divmod(element + 32768, 1 << table.shift)
        first, second = table.values[index], table.values[index + 1]
        wanted = first + (((second - first) * rest + (1 << table.shift >> 1)) >> table.shift)
        assert found[element + 32768] == wanted


def test_every_operator_takes_16_bits(tmp_path: Path) -> None:
    """The reference in integers against PyTorch; all layers run on the device."""
    pytest.importorskip("torch")
    project = open_project(write_project(tmp_path, EVERY.format(target="vck190"), INT16))
    assert project.array.processor is None
    x = inputs(project.plan.x.shape, 64)
    y = hardware_reference(project.array, project.parameters, x)
    torch = torch_reference(project.network, project.float_parameters, x)
    assert np.abs(y - torch).max() < 1e-3
    assert y.max() > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("target", ["vck190", "vek280"])
def test_networks_of_every_operator_in_16_bits_run_to_the_bit(target: str, tmp_path: Path) -> None:
    check(tmp_path, EVERY.format(target=target), INT16)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["vck190", "vek280"])
@pytest.mark.parametrize("overflow", ["saturate", "wrap"])
def test_networks_of_16_bits_run_to_the_bit(target: str, overflow: str, tmp_path: Path) -> None:
    check(tmp_path, WIDE.replace("vck190", target), f"{INT16}, overflow: {overflow}")
