"""What people give a network: arrays of numbers in the network's shape, checked before anything is computed with them.

A network's features may come as (n, features), which is what PyTorch and ONNX call that tensor, or as (n, features, 1, 1);
results have the rank of what was given. Of a model whose input is integers, integers of that type mean what its
DequantizeLinear says; floats are real values for every network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aieloom.errors import SpecError
from aieloom.network.layers import Network
from aieloom.network.tensor import TensorType, tensor_of
from aieloom.spec.network import InputSpec, IntegersSpec
from aieloom.spec.types import FLOATS, DataType

Values = NDArray[np.float32]
# Samples of a network's input, or of its inputs by name
Given: TypeAlias = ArrayLike | Mapping[str, ArrayLike]
RULE = "data"
ATTENTION_MASK = 3  # of an attention's inputs: queries, keys, values, a mask of keys
MATRIX_RANK = 2  # of samples that are features


def taken(
    given: ArrayLike,
    tensor: TensorType,
    *,
    name: str = "the input",
    file: str = "",
    integers: IntegersSpec | None = None,
) -> Values:
    """Return samples as float32 `(n, channels, height, width)`; `integers` of their type become what they mean.

    Raises:
        SpecError: they are no array of real numbers, some lie beyond float32, or their shape is not the network's.
    """
    numbers = _numbers(given, name, file)
    if integers and numbers.dtype == integers.dtype:
        numbers = dequantised(numbers, integers)
    values = _float32(numbers, name, file)
    shape = tensor.outside
    if not values.size or values.shape[1:] not in (shape, _features(tensor)):
        text = f"{name} has the shape {values.shape}"
        raise _refused(text, f"give {_wanted(tensor)}", file)
    return tensor.to_inside(values)


def real_values(given: ArrayLike, *, name: str) -> Values:
    """Return numbers as float32, of whatever shape they are given.

    Raises:
        SpecError: they are no array of real numbers, or some lie beyond float32.
    """
    return _float32(_numbers(given, name, ""), name, "")


def taken_record(
    given: Given,
    x: TensorType,
    inputs: Sequence[InputSpec],
    *,
    file: str = "",
) -> Values:
    """Return samples of a network's `inputs` as what its design takes, `(n, channels, height, width)` of `x`.

    Several inputs are given by name, and become the record in which the values of each, in order of channel, row and column,
    lie behind those of the one before; a single one may be given by name too.

    Raises:
        SpecError: an input is missing, there is another one, they are not as many samples of each, or as of `taken`.
    """
    if not isinstance(given, Mapping):
        if len(inputs) > 1:
            wanted = ", ".join(f"{i.name!r}: {_wanted(tensor_of(i.shape, i.dtype))}" for i in inputs)
            raise _refused(
                f"the network has {len(inputs)} inputs, and one array is given", f"give {{{wanted}}}", file
            )
        given = {inputs[0].name: given}
        names = ["the input"] if not file else ["'x'"]
    else:
        names = [f"'{i.name}'" for i in inputs]
    wrong = [i.name for i in inputs if i.name not in given], sorted(set(given) - {i.name for i in inputs})
    if any(wrong):
        what = " and ".join(
            f"{', '.join(w)} {s}" for w, s in zip(wrong, ("missing", "too many"), strict=True) if w
        )
        raise _refused(f"inputs are given by name: {what}", f"give {', '.join(i.name for i in inputs)}", file)
    types = [tensor_of(i.shape, i.dtype) for i in inputs] if len(inputs) > 1 else [x]
    each = zip(inputs, types, names, strict=True)
    parts = [_taken_input(given[i.name], i, t, name, file) for i, t, name in each]
    counts = [len(part) for part in parts]
    if len(set(counts)) > 1:
        said = ", ".join(f"{count} of {name}" for count, name in zip(counts, names, strict=True))
        raise _refused(f"there are not as many samples of each input: {said}", "give as many of each", file)
    if len(parts) == 1:
        return parts[0]
    whole = np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)
    return whole.reshape(len(whole), *x.shape)


def taken_of_layer(
    xs: Sequence[ArrayLike], types: Sequence[TensorType], names: Sequence[str], layer: str
) -> list[Values]:
    """Return a layer's inputs `(n, channels, height, width)`, as many samples of each.

    Raises:
        SpecError: they are not as many as the layer has, or one is no array of finite numbers in its shape.
    """
    if len(xs) != len(types):
        text = f"layer '{layer}' has {len(types)} inputs, {len(xs)} were given"
        raise SpecError(rule="layer", text=text, remedy=f"give them in order: {', '.join(names)}")
    values = [taken(x, t, name=name) for x, t, name in zip(xs, types, names, strict=True)]
    for each, t, name in zip(values, types, names, strict=True):
        check_finite(each, t.dtype, name=name)
    if len({len(v) for v in values}) > 1:
        text = f"the inputs of layer '{layer}' have {', '.join(str(len(v)) for v in values)} samples"
        raise SpecError(rule="layer", text=text, remedy="give as many of each")
    return values


def _taken_input(given: ArrayLike, spec: InputSpec, tensor: TensorType, name: str, file: str) -> Values:
    """Return an input's samples `(n, channels, height, width)`.

    Raises:
        SpecError: as of `taken`, or some are no whole numbers below what the input says.
    """
    values = taken(given, tensor, name=name, file=file, integers=spec.integers)
    if spec.below is None:
        return values
    with np.errstate(invalid="ignore"):  # of infinities
        bad = values[~((values >= 0) & (values < spec.below) & (values % 1 == 0))]
    if bad.size:
        text = f"{name} has {bad.size} of {values.size} values that are no whole numbers from 0 to {spec.below - 1}"
        raise _refused(
            f"{text}, the first is {bad[0]:g}", "correct them, or what the input is `below:`", file
        )
    return values


def dequantised(values: NDArray[Any], integers: IntegersSpec) -> Values:
    """Return what integers mean, as ONNX's DequantizeLinear has it: rounded to float32 once."""
    steps = values.astype(np.int32) - integers.zero_point
    reals: Values = steps.astype(np.float32) * np.float32(integers.scale)
    return reals


def quantised(values: Values, integers: IntegersSpec) -> NDArray[Any]:
    """Return the integers for real values, as ONNX's QuantizeLinear has it: halves to even, then saturated."""
    limits = np.iinfo(integers.dtype)
    steps = np.rint(values / np.float32(integers.scale)) + integers.zero_point
    found: NDArray[Any] = np.clip(steps, limits.min, limits.max).astype(integers.dtype)
    return found


def returned(y: Values, tensor: TensorType, given: Given) -> Values:
    """Return results `(n, channels, height, width)` in the user's order, of `given`'s rank, of several the highest."""
    features = _features(tensor)
    rank = max(map(np.ndim, given.values())) if isinstance(given, Mapping) else np.ndim(given)
    if rank == MATRIX_RANK and features is not None:
        return y.reshape(len(y), *features)
    return tensor.to_outside(y)


def check_finite(x: Values, elements: DataType, *, name: str = "the input") -> None:
    """Refuse what a device that computes in `elements` cannot carry: NaN; of floats infinities too.

    Integers saturate, as ONNX's QuantizeLinear has it. Of the AI Engines' vector units no public document says what a NaN
    or an infinity becomes (AM009, AM020 list exception flags alone), and AIE-ML makes a float32 product of bfloat16 parts,
    where infinity less infinity is NaN.

    Raises:
        SpecError: with their number.
    """
    floats = elements in FLOATS
    bad = int((~np.isfinite(x) if floats else np.isnan(x)).sum())
    if bad:
        what = "NaN or infinite" if floats else "NaN"
        text = f"{name} has {bad} of {x.size} values that are {what}, which the device cannot carry in {elements.value}"
        raise SpecError(rule=RULE, text=text, remedy="leave those samples out, or replace the values")


def _features(tensor: TensorType) -> tuple[int, ...] | None:
    """Return the shape of a sample that is features alone, None of images and matrices."""
    return None if tensor.rows or tensor.outside[1:] != (1, 1) else (tensor.outside[0],)


def _wanted(tensor: TensorType) -> str:
    features = _features(tensor)
    shapes = (*([features] if features else []), tensor.outside)
    return " or ".join(f"(n, {', '.join(map(str, shape))})" for shape in shapes)


def _numbers(given: ArrayLike, name: str, file: str) -> NDArray[Any]:
    """Return an array of real numbers."""
    if isinstance(given, np.ma.MaskedArray):
        raise _refused(f"{name} is a masked array", "fill what is masked: x.filled(value)", file)
    try:
        values = np.asarray(given)
    except Exception as e:  # ragged lists, sparse tensors, tensors that need a gradient or lie on a GPU
        said = str(e).splitlines()[0] if str(e) else type(e).__name__
        raise _refused(f"{name} is no array: {said}", "give a NumPy array of float32", file) from e
    if values.dtype.kind not in "biuf" and not _is_small_float(values.dtype):
        text = f"{name} has elements of type {values.dtype}, which are no real numbers"
        raise _refused(text, "give an array of float32", file)
    return values


def _is_small_float(dtype: np.dtype[Any]) -> bool:
    """Tell whether elements are floats that NumPy does not know, as ml_dtypes' bfloat16."""
    return dtype.kind == "V" and dtype.fields is None and np.can_cast(dtype, np.float32)


def _float32(values: NDArray[Any], name: str, file: str) -> Values:
    with np.errstate(over="ignore"):  # it is looked at
        made = values.astype(np.float32)
    if values.dtype.kind == "f" and values.dtype.itemsize > made.itemsize:
        beyond = int((np.isinf(made) & ~np.isinf(values)).sum())
        if beyond:
            text = f"{name} has {beyond} of {values.size} values beyond float32's largest, {np.finfo(np.float32).max:.3g}"
            raise _refused(text, "scale the input", file)
    return made


def _refused(text: str, remedy: str, file: str) -> SpecError:
    return SpecError(rule=RULE, file=file, text=text, remedy=remedy)


def check_keys(network: Network, record: Values) -> None:
    """Refuse samples whose mask leaves an attention no key: it gives 0, where a model's own sums would give their mean.

    Raises:
        SpecError: with the mask and the first such sample.
    """
    masked = [la for la in network.layers if la.op == "attention" and len(la.inputs) > ATTENTION_MASK]
    attended = {la.inputs[ATTENTION_MASK] for la in masked}
    at, flat = 0, record.reshape(len(record), -1)
    for given in network.spec.graph_inputs:
        size = prod(given.shape)
        hidden = np.flatnonzero(~flat[:, at : at + size].any(axis=1))
        at += size
        if given.name in attended and hidden.size:
            text = f"'{given.name}' of sample {hidden[0]} is 0 everywhere: it hides all keys of an attention"
            raise SpecError(rule="data", text=text, remedy="leave one key at least, or that sample out")
