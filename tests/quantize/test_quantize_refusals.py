"""What a quantised network is refused for, as messages; and a softmax of any width against the float one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aieloom.errors import CannotFit, SpecError
from aieloom.flow.opening import open_project
from aieloom.flow.samples import load_samples
from aieloom.ops import REGISTRY
from aieloom.plan.build import make_plan
from aieloom.quantize.network import quantise_network
from aieloom.reference.results import hardware_reference
from aieloom.spec.device import load_device
from aieloom.spec.quantize import QuantizeSpec
from tests.designs import network_of, refusal, weights_of
from tests.ops.networks import network_yaml
from tests.quantize.projects import inputs, write_project

TEXT = network_yaml((2, 3, 3), ["  - {name: fc, op: dense, out_features: 4}"])


def message(folder: Path, text: str = TEXT, quantize: str = "") -> str:
    with pytest.raises(SpecError) as caught:
        open_project(write_project(folder, text, quantize))
    return str(caught.value)


def test_calibration_is_needed(tmp_path: Path) -> None:
    folder = write_project(tmp_path, TEXT)
    file = folder / "network.yaml"
    file.write_text(file.read_text().replace("calibration: calib.npz", "method: mse"))
    with pytest.raises(SpecError, match=r"network.yaml:7: \[quant-1\] there are no inputs to calibrate on"):
        open_project(folder)


@pytest.mark.parametrize(
    ("arrays", "text"),
    [
        ({"y": np.zeros((3, 2, 3, 3))}, "has no array 'x', only y"),
        ({"x": np.zeros((3, 2, 3, 4))}, "'x' has the shape (3, 2, 3, 4)"),
        ({"x": np.zeros((0, 2, 3, 3))}, "'x' has the shape (0, 2, 3, 3)"),
        ({"x": np.full((1, 2, 3, 3), np.nan)}, "'x' has NaN or infinite values"),
    ],
)
def test_calibration_inputs_are_those_of_the_network(
    arrays: dict[str, Any], text: str, tmp_path: Path
) -> None:
    folder = write_project(tmp_path, TEXT)
    np.savez(folder / "calib.npz", **arrays)
    with pytest.raises(SpecError) as caught:
        open_project(folder)
    assert text in str(caught.value)


def test_a_file_of_samples_that_is_none_is_refused(tmp_path: Path) -> None:
    folder = write_project(tmp_path, TEXT + "data: {samples: test.npz}\n")
    (folder / "test.npz").write_text("no archive")
    with pytest.raises(SpecError, match=r"test.npz: \[data\] is no readable .npz file"):
        load_samples(open_project(folder))
    np.savez(folder / "test.npz", x=inputs((2, 3, 3), 4), labels=np.zeros(3))
    with pytest.raises(SpecError, match="'labels' has the shape"):
        load_samples(open_project(folder))


def test_data_is_pictures_or_samples() -> None:
    assert "give either images" in refusal(TEXT + "data: {images: a.png, samples: b.npz}\n")
    assert "give either images" in refusal(TEXT + "data: {}\n")


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("activations: int4", "use one of: 'int8', 'int16' or 'bfloat16'"),
        ("weights: bfloat16", "use one type for both"),
        ("scales: power_of_two, per_channel: true", "use per_channel: false, or scales: multiplier"),
        ("method: median", "use one of: 'min_max', 'percentile' or 'mse'"),
    ],
)
def test_wrong_settings_are_refused(keys: str, text: str) -> None:
    assert text in refusal(f"{TEXT}quantize: {{{keys}}}\n")


def quantised(text: str, scale: float = 1.0, **weights: Any) -> Any:
    network = network_of(text)
    trained = weights_of(network)
    trained["fc"].update(weights)
    return quantise_network(
        network, trained, QuantizeSpec(**{}), inputs(network.x.shape, 16) * np.float32(scale)
    )


def test_a_dead_channel_with_a_bias_gives_its_bias() -> None:
    """Its weights' own scale would put the bias beyond 32 bits."""
    network = network_of(TEXT)
    trained = weights_of(network)
    trained["fc"]["weight"][2] *= np.float32(1e-12)
    for scales in ("multiplier", "multiplier16", "power_of_two"):
        x = inputs(network.x.shape, 16)
        q = quantise_network(network, trained, QuantizeSpec.model_validate({"scales": scales}), x)
        plan = make_plan(q.network, load_device("vck190"), REGISTRY)
        assert plan.y.quant is not None
        y = hardware_reference(plan, q.parameters, x)[:, 2]
        assert np.abs(y - trained["fc"]["bias"][2]).max() <= plan.y.quant.scale


def test_a_window_without_an_integer_form_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pad = REGISTRY["pad"]
    bare = type("Bare", (type(pad),), {"integer_step": None})()  # Protocols take None as not there
    monkeypatch.setitem(REGISTRY._operators, "pad", bare)
    rows = ["  - {name: border, op: pad, padding: 1}", "  - {name: fc, op: dense, out_features: 4}"]
    q = quantised(network_yaml((2, 3, 3), rows))
    with pytest.raises(
        CannotFit, match=r"network.yaml:6: \[quant-4\] layer 'border': op pad has no integer form"
    ):
        make_plan(q.network, load_device("vck190"), REGISTRY)


@pytest.mark.parametrize("width", [3, 5, 10, 1000])
def test_a_softmax_is_within_a_quantum_of_the_float_one(width: int) -> None:
    rows = [f"  - {{name: fc, op: dense, out_features: {width}}}", "  - {name: shares, op: softmax}"]
    network = network_of(network_yaml((6, 1, 1), rows))
    trained = weights_of(network)
    trained["fc"]["weight"] *= np.float32(4)
    x = inputs(network.x.shape, 40)
    q = quantise_network(network, trained, QuantizeSpec(), x)
    plan = make_plan(q.network, load_device("vck190"), REGISTRY)
    given = plan.pl[-1].steps[-1].x.quant
    assert given is not None
    y = hardware_reference(plan, q.parameters, x)[:, :, 0, 0]
    before = make_plan(q.network, load_device("vck190"), REGISTRY).aie[0].draft
    operator: Any = REGISTRY["dense"]
    from aieloom.network.elements import meaning, to_elements  # noqa: PLC0415

    elements = operator.hardware(before, q.parameters["fc"], to_elements(x, plan.x))
    scores = meaning(elements, before.y).astype(np.float64)[:, :, 0, 0]
    power = np.exp(scores - scores.max(axis=1, keepdims=True))
    share = power / power.sum(axis=1, keepdims=True)
    assert np.abs(y - share).max() <= 1 / 256
    assert y.max() > 0.5 or width == 1000
