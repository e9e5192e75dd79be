"""Whatever is given as inputs: taken to the nearest float32, every value of it, or refused in words; nothing in between."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from aieloom.errors import SpecError
from aieloom.network.inputs import check_finite, returned, taken
from aieloom.network.tensor import TensorType, tensor_of
from aieloom.spec.types import FLOATS, DataType

FEATURES = tensor_of([6], DataType.FLOAT32)
IMAGE = tensor_of([2, 3, 1], DataType.FLOAT32)
MATRIX = tensor_of([3, 2], DataType.FLOAT32)
TENSORS = (FEATURES, IMAGE, MATRIX)
DTYPES = st.one_of(
    arrays.scalar_dtypes(),
    arrays.nested_dtypes(max_itemsize=64),
    st.just(np.dtype(object)),
    st.just(np.dtype(np.longdouble)),
)


@st.composite
def things(draw: st.DrawFn) -> Any:
    """Draw an array of any type, often of a shape that fits; or a masked one, a list, a matrix of features."""
    shape = draw(
        st.one_of(st.sampled_from([(2, 6), (2, 6, 1, 1), (1, 2, 3, 1), (2, 3, 2)]), arrays.array_shapes())
    )
    dtype = draw(DTYPES)
    elements = st.one_of(st.none(), st.text(), st.floats(), st.binary()) if dtype.kind == "O" else None
    array = draw(arrays.arrays(dtype, shape, elements=elements))
    kind = draw(st.sampled_from(["as it is", "as it is", "masked", "list"]))
    if kind == "masked":
        with np.errstate(all="ignore"):  # its fill value need not fit the type
            return np.ma.masked_array(array, mask=draw(st.booleans()))
    return array.tolist() if kind == "list" else array


@settings(max_examples=300, deadline=None)
@given(things(), st.sampled_from(TENSORS))
def test_it_is_taken_exactly_or_refused(thing: Any, tensor: TensorType) -> None:
    try:
        x = taken(thing, tensor)
    except SpecError as e:
        assert "fix: " in str(e)
        return
    array = np.asarray(thing)
    assert not isinstance(thing, np.ma.MaskedArray)
    assert array.dtype.kind in "biuf"
    assert x.dtype == np.float32
    assert x.shape[1:] == tensor.shape
    # float() of each element is exact or rounds once, as the conversion to float32 does behind it
    wanted = np.array([np.float32(v) for v in array.ravel()], np.float32).reshape(array.shape)
    np.testing.assert_array_equal(x, tensor.to_inside(wanted))
    assert (np.isfinite(x) == np.isfinite(tensor.to_inside(array.astype(np.longdouble)))).all()


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (np.zeros((1, 6), complex), "complex128"),
        (np.zeros((1, 6), "datetime64[s]"), "datetime64"),
        (np.zeros((1, 6), "timedelta64[s]"), "timedelta64"),
        (np.full((1, 6), "1.5"), "<U3"),
        (np.full((1, 6), b"1.5"), "S3"),
        (np.full((1, 6), 1.5, object), "object"),
        (np.ma.masked_array(np.ones((1, 6)), mask=np.eye(1, 6) == 1), "masked"),
        ([[1, 2, 3, 4, 5, 6], [1]], "no array"),
        (np.full((1, 6), 1e39), "6 of 6 values beyond float32"),
        (np.full((1, 6), -1e300), "beyond float32"),
        (np.zeros((6,)), r"the shape \(6,\)"),
        (np.zeros((1, 6, 1)), r"the shape \(1, 6, 1\)"),
        (np.zeros((0, 6)), r"the shape \(0, 6\)"),
        (1.0, r"the shape \(\)"),
        (None, "object"),
        ("data.npz", "<U8"),
    ],
)
def test_each_is_named(thing: Any, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        taken(thing, FEATURES)


def test_what_is_an_array_of_numbers_is_taken() -> None:
    for dtype in ("bool", "int8", "uint64", "float16", "float32", "float64", "longdouble"):
        assert taken(np.ones((2, 6), dtype), FEATURES).tolist() == np.ones((2, 6, 1, 1)).tolist()
    small: Any = pytest.importorskip("ml_dtypes")
    assert taken(np.full((2, 6), 1.5, small.bfloat16), FEATURES).max() == 1.5
    torch: Any = pytest.importorskip("torch")
    assert taken(torch.ones(2, 6), FEATURES).shape == (2, 6, 1, 1)
    with pytest.raises(SpecError, match="no array"):
        taken(torch.ones(2, 6, requires_grad=True), FEATURES)
    with pytest.raises(SpecError, match="no array"):
        taken(torch.ones(2, 6).to_sparse(), FEATURES)


@given(st.integers(1, 5), st.integers(1, 7), st.integers(1, 4), st.booleans())
def test_results_have_the_rank_of_what_was_given(n: int, inputs: int, outputs: int, flat: bool) -> None:
    given_x = np.ones((n, inputs) if flat else (n, inputs, 1, 1))
    x = taken(given_x, tensor_of([inputs], DataType.FLOAT32))
    assert x.shape == (n, inputs, 1, 1)
    y = returned(
        np.zeros((n, outputs, 1, 1), np.float32), tensor_of([outputs, 1, 1], DataType.FLOAT32), given_x
    )
    assert y.shape == ((n, outputs) if flat else (n, outputs, 1, 1))
    image = returned(
        np.zeros((n, outputs, 2, 3), np.float32), tensor_of([outputs, 2, 3], DataType.FLOAT32), given_x
    )
    assert image.shape == (n, outputs, 2, 3)  # an image has no rank of two


@pytest.mark.parametrize("dtype", [DataType.FLOAT32, DataType.BFLOAT16, DataType.INT8, DataType.INT16])
def test_what_the_device_cannot_carry_is_refused(dtype: DataType) -> None:
    x = np.zeros((1, 6, 1, 1), np.float32)
    check_finite(x, dtype)
    for bad in (np.nan, np.inf, -np.inf):
        x[0, 3] = bad
        if dtype in FLOATS or np.isnan(bad):
            with pytest.raises(SpecError, match="has 1 of 6 values that are"):
                check_finite(x, dtype)
        else:
            check_finite(x, dtype)  # it saturates


def test_float64_keeps_its_largest_that_float32_has() -> None:
    largest = float(np.finfo(np.float32).max)
    assert taken(np.full((1, 6), largest), FEATURES).max() == np.float32(largest)
    assert sys.float_info.max > largest
