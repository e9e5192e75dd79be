"""What layers of Keras are taken with: tensors that know how their values lie, and the ONNX nodes made so far."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import prod

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.keras_file import KerasCall, KerasModel
from aieloom.network.readers.onnx_build import Nodes
from aieloom.network.readers.refused import Refused
from aieloom.network.readers.tflite_build import TO_NHWC


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """A tensor: its shape in Keras without the batch, and how its values lie in ONNX.

    (height, width, channels) lie as (1, channels, height, width), (steps, features) as (1, steps, features), or as a `line`:
    (1, features, 1, steps). `image`: features whose values lie as those of an image of these sizes, channels first.
    """

    name: str
    shape: tuple[int, ...]
    line: bool = False
    image: tuple[int, int, int] | None = None

    @property
    def is_image(self) -> bool:
        """Whether it lies as an image."""
        return len(self.shape) == 3 or self.line

    @property
    def sizes(self) -> tuple[int, int, int]:
        """An image's height, width and channels."""
        height, width, channels = (1, *self.shape) if self.line else self.shape
        return height, width, channels


@dataclass(slots=True)
class Builder(Nodes):
    """Takes the calls in order."""

    model: KerasModel
    flows: dict[int, Flow] = field(default_factory=dict)

    def as_image(self, flow: Flow) -> Flow:
        """Return a flow that lies as an image; rows become a line.

        Raises:
            Refused: it is features.
        """
        if flow.is_image:
            return flow
        if len(flow.shape) != 2:
            raise Refused(f"reads {flow.shape}", "give it (height, width, channels) or (steps, channels)")
        steps, features = flow.shape
        turned = self.node("Transpose", [flow.name], perm=[0, 2, 1])
        return replace(
            flow,
            name=self.node("Reshape", [turned, self.integers([1, features, 1, steps])]),
            line=True,
        )

    def as_features(self, flow: Flow) -> Flow:
        """Return a flow whose channels are where ONNX looks for them: an image or a line as it is, all else as Keras has it."""
        return flow if flow.is_image else self.as_rows(flow)

    def as_rows(self, flow: Flow) -> Flow:
        """Return a flow that lies as Keras has it, line by line."""
        if flow.line:
            steps, features = flow.shape
            flat = self.node("Reshape", [flow.name, self.integers([1, features, steps])])
            return replace(flow, name=self.node("Transpose", [flat], perm=[0, 2, 1]), line=False)
        if flow.image is None:
            return flow
        height, width, channels = flow.image
        whole = self.node("Reshape", [flow.name, self.integers([1, channels, height, width])])
        turned = self.node("Transpose", [whole], perm=TO_NHWC)
        sizes = self.integers([1, prod(flow.image)])
        return replace(flow, name=self.node("Reshape", [turned, sizes]), image=None)


def arrays_of(call: KerasCall, *shapes: tuple[int, ...]) -> list[Values]:
    """Return a layer's arrays as float32.

    Raises:
        Refused: they have other shapes, or are no floats.
    """
    found = [tuple(w.shape) for w in call.weights]
    if found != list(shapes):
        text = f"has arrays of the shapes {found}; {list(shapes)} are those of its configuration"
        raise Refused(text, "save the model again")
    if any(w.dtype.kind != "f" for w in call.weights):
        text = f"has arrays of {', '.join(sorted({str(w.dtype) for w in call.weights}))}"
        raise Refused(text, "save it before it is quantised, in float32")
    return [w.astype(np.float32) for w in call.weights]
