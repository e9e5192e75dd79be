"""What of an ONNX model the device does not take: parts that are cut out of it, and run by onnxruntime's CPU provider."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from aieloom.arrays import Values
from aieloom.errors import SpecError
from aieloom.network.readers.onnx_model import first_line
from aieloom.network.readers.onnx_session import session_of

if TYPE_CHECKING:
    import onnx


class Processor:
    """A part of a model on onnxruntime's CPU provider.

    Raises:
        SpecError: onnxruntime is missing, or does not take the part.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        self.model = model
        check_inside(model)
        try:
            import onnxruntime  # noqa: F401, PLC0415 - only models that need it
        except ImportError as e:
            remedy = "pip install 'aieloom[runtime]', or use a model that the device takes whole"
            raise _refused(
                "a part of the model runs on the processor, for which onnxruntime is missing", remedy
            ) from e
        try:
            self._session = session_of(model.SerializeToString())
        except Exception as e:  # onnxruntime's own have no class in common
            ends = (", ".join(v.name for v in values) for values in (model.graph.input, model.graph.output))
            text = f"onnxruntime does not take the part from {' to '.join(ends)}: {first_line(e)}"
            raise _refused(text, "correct the model; onnx.checker.check_model may say more") from e

    def run(self, known: Mapping[str, Values]) -> dict[str, Values]:
        """Return all results by name.

        Raises:
            SpecError: an array has another type or shape than the model's tensor, or onnxruntime fails on it.
        """
        ends = self._session.get_inputs()
        names = [o.name for o in self._session.get_outputs()]
        try:
            given = {i.name: np.asarray(known[i.name]) for i in ends}
            return dict(zip(names, self._session.run(names, given), strict=True))
        except Exception as e:  # of a ragged list NumPy's, of others onnxruntime's
            said = "; ".join(
                f"'{i.name}' is {_described(known[i.name])}, {i.type} of {_sizes(i.shape)} is taken"
                for i in ends
            )
            text = f"onnxruntime does not take what it is given: {first_line(e)} ({said})"
            raise _refused(
                text, "give arrays of these types and shapes: x.astype(...), x.reshape(...)"
            ) from e


def check_options(options: object) -> None:
    """Check that options of a run ask for nothing: a device has none of them.

    What `add_run_config_entry` put into them cannot be listed, and counts for nothing.

    Raises:
        SpecError: they are of another type than onnxruntime's, or one is set.
    """
    if options is None:
        return
    remedy = "give None, or an onnxruntime.RunOptions with nothing set"
    kind: type[Any] | None = None
    with suppress(ImportError):
        import onnxruntime  # noqa: PLC0415 - who gives options has it

        kind = onnxruntime.RunOptions
    if kind is None or not isinstance(options, kind):
        raise _refused(f"run_options is a {type(options).__name__}", remedy)
    plain = kind()
    names = (n for n in dir(plain) if not n.startswith("_") and not callable(getattr(plain, n)))
    changed = [n for n in names if getattr(options, n) != getattr(plain, n)]
    if changed:
        text = f"options of a run are not supported, and these are set: {', '.join(changed)}"
        raise _refused(text, remedy)


def extracted(model: onnx.ModelProto, sources: Sequence[str], results: Sequence[str]) -> onnx.ModelProto:
    """Return the part of a model that leads from the tensors `sources` to `results`, as a model.

    Raises:
        SpecError: the type of such a tensor is not known, or the part cannot be cut out.
    """
    import onnx  # noqa: PLC0415 - only models need it

    known = {v.name for v in infos(model)}
    missing = [f"'{name}'" for name in (*sources, *results) if name not in known]
    if missing:
        text = f"nothing says the type and shape of {', '.join(missing)}, where the model would be cut"
        raise _refused(
            text, "export the model with fixed sizes, or name the tensor in the graph's value_info"
        )
    try:
        return onnx.utils.Extractor(model).extract_model([*sources], [*results])
    except Exception as e:  # sparse initializers, annotations, two nodes that make one tensor
        text = (
            f"the part from {', '.join(sources)} to {', '.join(results)} cannot be cut out: {first_line(e)}"
        )
        raise _refused(text, "export the model without sparse initializers and annotations") from e


def infos(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    """Return what a model says of its tensors."""
    graph = model.graph
    return [*graph.input, *graph.value_info, *graph.output]


def check_inside(model: onnx.ModelProto) -> None:
    """Check that the values of all of a model's tensors are inside it.

    onnxruntime is given models as bytes and would read the rest from below the working directory: a model that a client
    sends could read files there. onnx.load takes inside what lies in files beside the model, of initializers and attributes
    alone, so this looks at every tensor wherever it stands.

    Raises:
        SpecError: those of one are elsewhere.
    """
    import onnx  # noqa: PLC0415

    for tensor in _tensors(model):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            where = ", ".join(e.value for e in tensor.external_data if e.key == "location")
            text = f"the values of tensor '{tensor.name}' lie outside of the model, in '{where}'"
            remedy = "put them into the model; of sparse tensors, and inside of subgraphs and functions, no others are read"
            raise _refused(text, remedy)


def _tensors(message: Any) -> Iterator[onnx.TensorProto]:
    """Yield every tensor below a message of protobuf's: whatever of ONNX has some, now or later, none is left out."""
    import onnx  # noqa: PLC0415

    for field, value in message.ListFields():
        if field.message_type is None:  # numbers and texts
            continue
        for one in value if field.is_repeated else (value,):
            if isinstance(one, onnx.TensorProto):
                yield one
            else:
                yield from _tensors(one)


def _described(values: object) -> str:
    try:
        x = np.asarray(values)
    except ValueError:
        return "no array"
    return f"{x.dtype} of {_sizes(x.shape)}"


def _sizes(shape: Sequence[object]) -> str:
    return " x ".join("N" if size is None else str(size) for size in shape) or "no dimensions"


def _refused(text: str, remedy: str) -> SpecError:
    return SpecError(rule="session", text=text, remedy=remedy)
