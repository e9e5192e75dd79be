"""A Keras model as the ONNX model that computes the same: its layers in order, images with their channels first.

Images are (height, width, channels) in Keras, (channels, height, width) here; sequences that convolutions read are images of
one row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aieloom.errors import Problem, SpecError
from aieloom.network.readers.keras_file import RULE, KerasCall, load_keras, refused
from aieloom.network.readers.keras_flow import Builder, Flow
from aieloom.network.readers.keras_layers import JOINS, NOTHING, TAKEN
from aieloom.network.readers.keras_reads import ReadConfig, refuse_unread
from aieloom.network.readers.refused import Refused
from aieloom.spec.types import MAX_ELEMENTS

if TYPE_CHECKING:
    import onnx

OPSET = 20
CHANNELS_LAST = "channels_last"
# Sizes of layers, and the least of each.
SIZES = {
    **dict.fromkeys(("kernel_size", "strides", "dilation_rate", "pool_size", "size", "filters"), 1),
    **dict.fromkeys(("groups", "units", "depth_multiplier"), 1),
    **dict.fromkeys(("cropping",), 0),
}
LINES = ("Conv1D", "DepthwiseConv1D", "SeparableConv1D")


def read_keras(path: Path, shown: str) -> onnx.ModelProto:
    """Return a Keras file as an ONNX model of one sample.

    Raises:
        SpecError: it is none, or damaged; or layers cannot be taken, each of which is named.
    """
    model = load_keras(path, shown)
    builder = Builder(model)
    given = _begun(builder, shown)
    problems: list[Problem] = []
    for made in model.calls:
        call = replace(made, config=ReadConfig(made.config)) if isinstance(made.config, dict) else made
        try:
            _check(call)
            builder.layer = call.name
            if not problems:  # else shapes are not known, and kinds alone are looked at
                builder.flows[call.gives] = _taken(builder, call, [builder.flows[at] for at in call.reads])
                if call.kind not in NOTHING:
                    refuse_unread(call.config)
        except Refused as e:
            title = f"layer '{call.name}' ({call.kind})"
            problems.append(Problem(rule=RULE, file=shown, text=f"{title}: {e.problem}", remedy=e.remedy))
    if problems:
        raise SpecError(problems)
    return _ended(builder, given, shown)


def _check(call: KerasCall) -> None:
    if call.kind not in TAKEN and call.kind not in JOINS:
        known = ", ".join(sorted(k for k in {*TAKEN, *JOINS} if not k.startswith("keras.ops.")))
        raise Refused("the layer is not supported", f"these are: {known}")


def _taken(b: Builder, call: KerasCall, flows: list[Flow]) -> Flow:
    """Return what a call gives.

    Raises:
        Refused: it cannot be taken.
    """
    said = call.config.get("data_format") or CHANNELS_LAST
    if said != CHANNELS_LAST:
        raise Refused(f"has data_format '{said}'", f"save it with {CHANNELS_LAST}")
    _check_sizes(call)
    try:
        if call.kind in JOINS and len(flows) > 1:
            return JOINS[call.kind](b, call, flows)
        if len(flows) != 1 or call.kind not in TAKEN:
            raise Refused(f"reads {len(flows)} tensors", "give it what it needs as tensors of the model")
        return TAKEN[call.kind](b, call, flows[0])
    except (
        KeyError,
        TypeError,
        ValueError,
        IndexError,
        AttributeError,
        ArithmeticError,
    ) as e:  # a damaged configuration
        raise Refused(f"its configuration cannot be read: {e!r}", "save the model again") from e


def _check_sizes(call: KerasCall) -> None:
    """Refuse sizes of a layer that are none, before anything is divided by them or made so large."""
    inner = call.config.get("layer")  # of TimeDistributed
    config = (
        inner["config"] if isinstance(inner, dict) and isinstance(inner.get("config"), dict) else call.config
    )
    for key, least in SIZES.items():
        said = config.get(key)
        for size in _leaves(said):
            if type(size) is not int or not least <= size <= MAX_ELEMENTS:
                text = f"has {key} {said}; whole numbers from {least} to {MAX_ELEMENTS:,} are taken"
                raise Refused(text, "change it in the layer, and save the model again")


def _leaves(said: Any) -> Iterator[Any]:
    """Yield the numbers of a size, which may be one, some of all axes, or some of both ends of each."""
    if isinstance(said, list | tuple):
        for one in said:
            yield from _leaves(one)
    elif said is not None:
        yield said


def _begun(b: Builder, shown: str) -> Any:
    """Begin with the model's input; return what ONNX says of it."""
    from onnx import TensorProto, helper  # noqa: PLC0415

    shape = b.model.shape
    if not 1 <= len(shape) <= 3 or min(shape) < 1 or max(shape) > MAX_ELEMENTS:
        text = f"its input has the shape {shape}"
        raise refused(
            shown, text, "(height, width, channels), (steps, features) and (features,) are supported"
        )
    first = next((c for c in b.model.calls if c.kind not in NOTHING), None)
    line = len(shape) == 2 and first is not None and first.kind in LINES
    flow = Flow(name="x", shape=shape, line=line)
    b.flows[0] = flow
    height, width, channels = flow.sizes if flow.is_image else (0, 0, 0)
    dims = [1, channels, height, width] if flow.is_image else [1, *shape]
    return helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)


def _ended(b: Builder, given: Any, shown: str) -> onnx.ModelProto:
    """Return the whole model."""
    from onnx import TensorProto, helper  # noqa: PLC0415

    flow = b.flows[b.model.result]
    flow = flow if flow.is_image else b.as_rows(flow)
    if not b.nodes:
        raise refused(shown, "has no layers that compute anything", "use a trained network")
    result = helper.make_tensor_value_info(flow.name, TensorProto.FLOAT, None)
    return b.whole("keras", given, result, OPSET)
