"""bfloat16 in NumPy against ml_dtypes' and torch's, and what a network of them is refused for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aieloom.errors import CannotFit
from aieloom.network.elements import bfloat16_bits, to_bfloat16
from aieloom.reference.results import hardware_reference, torch_reference
from aieloom.spec.quantize import QuantizeSpec
from tests.designs import weights_of
from tests.ops.networks import network_yaml
from tests.quantize.designs import CLASSIFIER
from tests.quantize.kernels import BFLOAT16, integer_design
from tests.quantize.projects import inputs


@given(st.lists(st.floats(width=32), min_size=1, max_size=20))
def test_rounding_is_torchs(values: list[float]) -> None:
    torch = pytest.importorskip("torch")
    x = np.array(values, np.float32)
    wanted = torch.from_numpy(x).to(torch.bfloat16).to(torch.float32).numpy()
    assert np.array_equal(to_bfloat16(x), wanted, equal_nan=True)


def test_halves_go_to_even_and_large_numbers_to_infinity() -> None:
    bits = np.array([0x3F808000, 0x3F818000, 0x3F808001, 0x7F7FFFFF, 0xFF800000], np.uint32)
    assert bfloat16_bits(bits.view(np.float32)).tolist() == [0x3F80, 0x3F82, 0x3F81, 0x7F80, 0xFF80]


def test_results_stay_near_the_floats() -> None:
    pytest.importorskip("torch")
    text = CLASSIFIER.replace("  - {name: norm, op: batch_norm}\n", "")
    design = integer_design(text, BFLOAT16)
    x = inputs(design.plan.x.shape, 200)
    y = hardware_reference(design.plan, design.parameters, x)
    torch = torch_reference(design.network, weights_of(design.network), x)
    assert (
        np.abs(y - torch).max() < 2**-7
    )  # a share's last bit is worth 2^-8; three layers of rounding before it
    assert (y.argmax(axis=1) == torch.argmax(axis=1)).mean() >= 0.99


def test_the_first_ai_engines_have_none() -> None:
    text = network_yaml((2, 3, 3), ["  - {name: fc, op: dense, out_features: 4}"])
    with pytest.raises(CannotFit, match=r"\[gemm-1\] layer 'fc': aie multiplies no bfloat16 matrices"):
        integer_design(text, BFLOAT16)


def test_activations_and_weights_are_of_one_type() -> None:
    with pytest.raises(ValueError, match="use one type for both"):
        QuantizeSpec(activations="bfloat16")
