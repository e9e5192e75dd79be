"""Whether a model with an open batch computes each sample by itself, as the device does, one after another.

A node may slice or average along the batch, multiply by its length or reshape across it. That is not told from shapes, so the
model is run once, without the device, on two random samples together and on each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aieloom.errors import SpecError
from aieloom.runtime.processor import Processor

if TYPE_CHECKING:
    import onnx

SAMPLES = 2
CLOSE = 1e-3  # of the peak: sums of two samples may be taken in another order
SHARE = 0.98  # of the values: a rounding at a half may go the other way


def check_samples_apart(model: onnx.ModelProto) -> None:
    """Refuse a model whose results for several samples are not those of each.

    Raises:
        SpecError: with an output's name; or onnxruntime is missing, or does not take two samples.
    """
    if find_spec("onnxruntime") is None:
        names = ", ".join(o.name for o in model.graph.output)
        text = f"onnxruntime finds whether {names} of a sample depends on the others of its batch, and is not installed"
        remedy = "pip install 'aieloom[runtime]', or run samples one by one: x[i : i + 1]"
        raise SpecError(rule="session", text=text, remedy=remedy)
    processor = Processor(model)
    given = _samples(model)
    whole = processor.run(given)
    alone = [processor.run({n: v[i : i + 1] for n, v in given.items()}) for i in range(SAMPLES)]
    for name, values in whole.items():
        parts = [one[name] for one in alone]
        if any(p.ndim != values.ndim for p in parts) or not _alike(values, np.concatenate(parts)):
            text = f"its output '{name}' is of all samples of a batch together: {list(values.shape)} of {SAMPLES}"
            raise SpecError(
                rule="session", text=text, remedy="run samples one by one: x[i : i + 1], and join them"
            )


def _alike(whole: NDArray[Any], parts: NDArray[Any]) -> bool:
    if whole.shape != parts.shape:
        return False
    a, b = whole.astype(np.float64), parts.astype(np.float64)
    off = np.abs(a - b) > CLOSE * max(float(np.abs(a).max(initial=0.0)), 1e-9)
    return float((~off).mean()) >= SHARE


def _samples(model: onnx.ModelProto) -> Mapping[str, NDArray[Any]]:
    """Return random samples of a model's inputs: of whole numbers and truth values zeros and ones."""
    import onnx  # noqa: PLC0415 - only models need it

    random = np.random.default_rng(0)
    constants = {t.name for t in model.graph.initializer}
    found: dict[str, NDArray[Any]] = {}
    for given in model.graph.input:
        if given.name in constants:
            continue
        kind = given.type.tensor_type
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        shape = (SAMPLES, *(d.dim_value for d in kind.shape.dim[1:]))
        real = np.issubdtype(dtype, np.floating)
        found[given.name] = (random.normal(0, 1, shape) if real else random.integers(0, 2, shape)).astype(
            dtype
        )
    return found
