"""batch_matmul: products of two activations beside PyTorch's matmul of every head."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.network.layers import ShapeError
from aieloom.network.tensor import TensorType
from aieloom.ops.batch_matmul import BatchMatmulSpec, by_head, sizes_of
from aieloom.spec.types import DataType


def layer(random: np.random.Generator, x: TensorType) -> dict[str, Any]:
    """Return the keys of a product of `x` with itself."""
    fits = [h for h in range(1, x.pixels + 1) if x.pixels % h == 0]
    return {
        "heads": int(random.choice(fits)),
        "transpose": True,
        "factor": round(float(random.uniform(0.1, 2)), 3),
    }


def rows(features: int, count: int) -> TensorType:
    return TensorType((features, count, 1), DataType.FLOAT32, rows=True)


@given(
    heads=st.integers(1, 4),
    n=st.integers(1, 6),
    m=st.integers(1, 7),
    k=st.integers(1, 5),
    transpose=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_operands_are_divided_into_heads(heads: int, n: int, m: int, k: int, transpose: bool) -> None:
    random = np.random.default_rng(n)
    a, b = random.normal(size=(2, heads, n, k)), random.normal(size=(2, heads, k, m))
    of_b = rows(k, heads * m) if transpose else rows(m, heads * k)
    spec = BatchMatmulSpec(name="l", op="batch_matmul", heads=heads, transpose=transpose)
    sizes = sizes_of(spec, rows(k, heads * n), of_b)
    assert (sizes.rows, sizes.depth, sizes.columns) == (n, k, m)
    given_a = a.transpose(0, 3, 1, 2).reshape(2, k, heads * n, 1)
    stored = b.swapaxes(2, 3) if transpose else b
    given_b = stored.transpose(0, 3, 1, 2).reshape(2, *of_b.shape)
    left, right = by_head(sizes, given_a, given_b)
    assert np.allclose(np.einsum("bhkn,bhkm->bhnm", left, right), a @ b)


@pytest.mark.parametrize(
    ("heads", "says"),
    [(2, "3 and 4 rows are not divided into 2 heads"), (1, "rows of 5 features meet columns of 4")],
)
def test_operands_that_do_not_meet_are_refused(heads: int, says: str) -> None:
    with pytest.raises(ShapeError, match=says):
        sizes_of(BatchMatmulSpec(name="l", op="batch_matmul", heads=heads), rows(5, 3), rows(5, 4))
