"""A TensorFlow Lite model on a device, whole: arrays have the axes and types that its own interpreter takes and gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.flow.onnx_project import onnx_project_files
from aieloom.network.inputs import quantised
from aieloom.network.readers.onnx_import import read_onnx
from aieloom.network.readers.tflite_build import TO_NCHW, TO_NHWC
from aieloom.network.readers.tflite_file import LiteTensor, load_lite
from aieloom.network.readers.tflite_onnx import is_plain
from aieloom.runtime.ends import End, Place, type_of
from aieloom.runtime.kept import NAME, kept_design


class LiteNetwork:
    """What `aieloom.Session` has of a TensorFlow Lite model: its own project on the device.

    Raises:
        SpecError: it is no such model, or has operators that are not taken; the processor computes none of them here.
    """

    def __init__(self, path: Path, target: str) -> None:
        lite = load_lite(path, path.name)
        network = read_onnx(path, shown_as=path.name)
        (given,), (made,) = lite.inputs, lite.outputs
        x, y = lite.tensors[given], lite.tensors[made]
        self._shape, self._integers = y.shape[1:], network.output_integers
        self._is_turned = len(x.shape) == len(TO_NCHW) and not is_plain(lite)
        self.inputs, self.outputs = (_end(x),), (_end(y),)
        self.places = (
            Place(
                engine=target,
                inputs=(x.name,),
                outputs=(y.name,),
                nodes=tuple(op.kind for op in lite.operators),
            ),
        )
        files = onnx_project_files(path, NAME, target, more=["execution: auto"])
        self._device = kept_design(files, target, shown_as=path.name)

    def run(self, outputs: Sequence[str], inputs: Mapping[str, Values]) -> dict[str, NDArray[Any]]:
        """Return the results by name."""
        x = np.asarray(inputs[self.inputs[0].name])
        if self._is_turned and x.ndim == len(TO_NCHW):
            x = np.ascontiguousarray(x.transpose(TO_NCHW))
        y = self._device.emulate(x)
        if y.ndim == len(TO_NHWC) and len(self._shape) == len(TO_NHWC) - 1:
            y = y.transpose(TO_NHWC)
        values = np.ascontiguousarray(y).reshape(len(y), *self._shape)
        found = quantised(values, self._integers) if self._integers else values
        return dict.fromkeys(outputs, found)


def _end(tensor: LiteTensor) -> End:
    return End(name=tensor.name, shape=(None, *tensor.shape[1:]), type=type_of(str(tensor.dtype)))
