"""The files beside an ONNX model that hold its tensors: torch.onnx.export writes large models so (ONNX, External Data)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx


def external_files(path: Path) -> tuple[Path, ...]:
    """Return the files that a model's tensors lie in, beside its own; none of a file that is no model."""
    if path.suffix != ".onnx":
        return ()
    try:
        import onnx  # noqa: PLC0415 - only this format needs it

        model = onnx.load(path, load_external_data=False)
    except Exception:  # whatever keeps it from being read, reading the model says so (onnx_graph.py)
        return ()
    tensors = (*_tensors(model.graph), *(t for f in model.functions for t in _of_nodes(f.node)))
    named = {e.value for t in tensors for e in t.external_data if e.key == "location"}
    return tuple(path.parent / name for name in sorted(named))


def whole_model(path: Path) -> bytes:
    """Return a model, which was read before, with its tensors inside."""
    if not external_files(path):
        return path.read_bytes()
    import onnx  # noqa: PLC0415

    return bytes(onnx.load(path).SerializeToString())


def _tensors(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    """Yield all tensors of a graph and of the graphs inside its nodes."""
    yield from graph.initializer
    for sparse in graph.sparse_initializer:
        yield from (sparse.values, sparse.indices)
    yield from _of_nodes(graph.node)


def _of_nodes(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.TensorProto]:
    for node in nodes:
        for a in node.attribute:
            yield from (*([a.t] if a.HasField("t") else []), *a.tensors)
            for inner in (*([a.g] if a.HasField("g") else []), *a.graphs):
                yield from _tensors(inner)
