"""An ONNX file as layers of network.yaml and their trained tensors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from pydantic import TypeAdapter, ValidationError

from aieloom.arrays import Values
from aieloom.digests import named_digest
from aieloom.errors import Problem, SpecError
from aieloom.network.layers import Array
from aieloom.network.readers import LITE
from aieloom.network.readers.onnx_expanded import RULES
from aieloom.network.readers.onnx_external import external_files
from aieloom.network.readers.onnx_functions import FUNCTIONS
from aieloom.network.readers.onnx_graph import Graph, Node, graph_of, image_shape, load_graph
from aieloom.network.readers.onnx_inputs import GraphInput
from aieloom.network.readers.onnx_layers import JOINS, SOURCE, Entry, OnnxLayers
from aieloom.network.readers.onnx_model import RULE, is_matrix
from aieloom.network.readers.onnx_nodes import TRANSLATORS, Piece, Pieces, Translator
from aieloom.network.readers.onnx_patterns import fused
from aieloom.network.readers.onnx_quant import QUANTISED, with_scales
from aieloom.network.readers.onnx_reads import unread
from aieloom.network.readers.onnx_recurrent import NODES, TAKEN
from aieloom.network.readers.onnx_rounding import unlike_readers
from aieloom.network.readers.onnx_rows import OF_ROWS
from aieloom.network.readers.onnx_views import OF_IMAGES, ON_PROCESSOR, OWN, viewed
from aieloom.network.readers.refused import Refused
from aieloom.network.readers.registry import fingerprint, onnx_readers
from aieloom.network.tensor import Quantisation
from aieloom.spec.network import GRAPH_INPUT, IntegersSpec
from aieloom.spec.quantize import Scales
from aieloom.spec.types import MAX_ELEMENTS, Name

if TYPE_CHECKING:
    import onnx

# Operators that work on a matrix: on each value, on each row, or on the order of its values.
ROWWISE = frozenset(
    """Add BatchNormalization Cast Clip Concat DequantizeLinear Div Dropout Flatten Gelu Gemm Identity LayerNormalization
    LeakyRelu MatMul Mul Neg Pow QLinearMatMul QuantizeLinear ReduceMean Relu Reshape Softmax Squeeze Sub Sum Swish
    Transpose Unsqueeze""".split()  # noqa: SIM905 - many lines else
)
MOVED = ("Expand", "GRU", "Gather", "LSTM", "Slice", "Split")  # followed by strides: onnx_views
_NAME: TypeAdapter[str] = TypeAdapter(Name)


@dataclass(frozen=True, slots=True)
class OnnxNetwork:
    """An imported model: `inputs` and `layers` as network.yaml would say them, `tensors` by `layer.parameter`."""

    inputs: tuple[Mapping[str, object], ...]
    layers: tuple[dict[str, object], ...]
    tensors: Mapping[str, Array]
    input_quant: Quantisation | None = None
    quants: Mapping[str, Quantisation] = field(default_factory=dict)  # by layer: what its results mean
    scales: Mapping[str, Values] = field(default_factory=dict)  # by layer: of its weights
    output_integers: IntegersSpec | None = None
    names: tuple[str, ...] = ()  # of the inputs in the file
    scaling: Scales = Scales.ONNX  # by whose definition sums become elements

    @property
    def input_name(self) -> str:
        """The name of the input, where there is one."""
        return str(self.inputs[0]["name"])

    @property
    def is_quantised(self) -> bool:
        """Whether the model says what its integers are."""
        return self.input_quant is not None or bool(self.quants)


@dataclass(frozen=True)
class _Last:
    """The model that was read last: of which files with which content, by which readers."""

    files: tuple[Path, ...]
    content: str
    readers: tuple[object, ...]
    network: OnnxNetwork


_last: list[_Last] = []


def read_onnx(path: Path, *, shown_as: str) -> OnnxNetwork:
    """Read an ONNX or TensorFlow Lite file of known operators, of float32 or 8-bit integers; branches meet in those of JOINS.

    The model that was read last is kept: opening a project asks for its layers, its scales and its tensors, and 100 MB take
    seconds to check.

    Raises:
        SpecError: it is not; every node that cannot be taken is named with its operator and the reason.
    """
    readers = fingerprint()
    for last in _last:
        if (
            last.files[0] == path.absolute()
            and last.readers == readers
            and last.content == _content(last.files)
        ):
            return last.network
    files = (path.absolute(), *external_files(path.absolute()))
    content = _content(files)
    network = _read(path, shown_as)
    _last[:] = [_Last(files, content, readers, network)]
    return network


def _content(files: tuple[Path, ...]) -> str:
    return named_digest((str(f), f) for f in files)


def _read(path: Path, shown_as: str) -> OnnxNetwork:
    scaling = Scales.MULTIPLIER if path.suffix == LITE else Scales.ONNX
    return _layers(load_graph(path, shown_as=shown_as), shown_as, scaling)


def read_model(model: onnx.ModelProto, known: Mapping[str, Values], *, shown_as: str) -> OnnxNetwork:
    """Return the layers and tensors of a model that another format became; `known` are its constants' values.

    Raises:
        SpecError: nodes cannot be taken; each is named.
    """
    return _layers(graph_of(model, shown_as, known=known), shown_as, Scales.ONNX)


def _layers(read: Graph, shown_as: str, scaling: Scales) -> OnnxNetwork:
    try:
        graph = viewed(fused(read))
    except Refused as e:
        raise SpecError(rule=RULE, file=shown_as, text=e.problem, remedy=e.remedy) from e
    layers = OnnxLayers(graph)
    refused: list[tuple[str, Refused]] = []
    for node in graph.nodes:
        try:
            layers.add(node, _translate, _check)
        except Refused as e:
            refused.append((node.title, e))
    if not refused:
        refused += unread(read.nodes)
    if not refused:
        refused += [*unlike_readers(graph, layers.moving), *(("a Pad", e) for e in layers.settled())]
    if refused:
        raise SpecError(
            Problem(rule=RULE, file=shown_as, text=f"{title}: {e.problem}", remedy=e.remedy)
            for title, e in refused
        )
    entries = layers.entries or [Entry(Piece("identity"), (SOURCE,))]
    names = LayerNames()
    named = {names.of(e.piece): e.piece for e in entries}
    several = len(graph.inputs) if len(graph.inputs) > 1 else 0
    source = _safe(graph.input_name) or "x"
    while source.lower() in {name.lower() for name in named}:
        source += "_in"
    said = [*named][:several] or [source]
    return OnnxNetwork(
        inputs=tuple(_said(name, i, graph.ends.given) for name, i in zip(said, graph.inputs, strict=True)),
        names=tuple(i.name for i in graph.inputs),
        layers=tuple(rows_of(entries, tuple(named), source))[several:],
        tensors={f"{name}.{n}": _float32(v) for name, p in named.items() for n, v in p.tensors.items()},
        input_quant=layers.source.quant if layers.source else None,
        quants={name: p.quant for name, p in named.items() if p.quant is not None},
        scales={name: p.scales for name, p in named.items() if p.scales is not None},
        output_integers=graph.ends.made,
        scaling=scaling,
    )


def _said(name: str, given: GraphInput, integers: IntegersSpec | None) -> dict[str, object]:
    """Return an input as network.yaml says it."""
    more: dict[str, object] = {"integers": integers.model_dump()} if integers else {}
    more |= {"below": given.below} if given.below else {}
    return {"name": name, "shape": list(image_shape(given.shape)), **more}


def rows_of(entries: list[Entry], names: tuple[str, ...], source: str) -> Iterator[dict[str, object]]:
    """Yield each layer as network.yaml says it: with `inputs` where it does not read the layer before it alone."""
    for i, entry in enumerate(entries):
        inputs = [source if k == SOURCE else names[k] for k in entry.inputs]
        plain = entry.inputs == (i - 1 if i else SOURCE,) and not (
            i and entries[i - 1].piece.op == GRAPH_INPUT
        )
        more = {} if plain else {"inputs": inputs}
        yield {"name": names[i], "op": entry.piece.op, **more, **entry.piece.keys}


def translators() -> dict[str, Translator]:
    """Return what takes each ONNX operator."""
    brought = {kind: reader.read for kind, reader in onnx_readers().items()}
    return {**TRANSLATORS, **FUNCTIONS, **QUANTISED, **OF_ROWS, **brought}


def rowwise() -> frozenset[str]:
    """Return the operators that are taken of a matrix."""
    return ROWWISE | set(OWN) | {kind for kind, reader in onnx_readers().items() if reader.rows}


def _translate(node: Node, pieces: Pieces) -> Pieces:
    """Return the pieces with those of `node`, which may change the last one (a bias that is added)."""
    known = translators()
    if node.op in known:
        return with_scales(node, known[node.op](node, pieces))
    if len(node.inputs) > 1:
        raise Refused(
            f"joins a branch and a constant ({', '.join(node.inputs)})",
            "join branches that depend on the input",
        )
    return pieces


def _check(node: Node) -> None:
    """Refuse a node of an unknown operator, of unknown shapes or with constants that are no numbers.

    Raises:
        Refused: with the reason.
    """
    _check_operator(node)
    if any(d < 1 for d in (*node.x_shape, *node.y_shape)) or not node.y_shape:
        raise Refused(
            f"its shapes {node.x_shape} to {node.y_shape} are not all known", "export it with fixed sizes"
        )
    if prod(node.y_shape) > MAX_ELEMENTS:
        text = f"gives {node.y_shape}, {prod(node.y_shape)} values; at most {MAX_ELEMENTS} are taken"
        raise Refused(text, "export a smaller network")
    if node.matrix and node.op not in rowwise():
        if node.op in OF_IMAGES:
            text = f"computes with {node.x_shape}; images are taken, (1, channels, height, width)"
            raise Refused(
                text, "write it in two dimensions: a height of 1 by Unsqueeze, and a kernel of 1 along it"
            )
        known = ", ".join(sorted(rowwise() - set(OWN)))
        raise Refused(f"reads rows of features, {node.x_shape}", f"these operators do: {known}")
    if not is_matrix(node.y_shape) and (len(node.y_shape) not in (2, 4) or node.y_shape[0] != 1):
        raise Refused(
            f"gives the shape {node.y_shape}; (1, channels, height, width), (1, features) or rows of features are needed",
            "keep the batch first, and images or features behind it",
        )
    bad = [n for n in node.inputs if n in node.constants and _not_finite(node.constants[n])]
    if bad:
        raise Refused(f"its constant '{bad[0]}' has NaN or infinite values", "train again with a lower rate")


def _check_operator(node: Node) -> None:
    """Refuse a node of an operator that no layer has, or in a form that none has.

    Raises:
        Refused: with the reason.
    """
    if node.op in NODES and node.op not in onnx_readers():  # what is taken is another node by now
        raise Refused(f"the operator is not supported as it is here: {node.op}", TAKEN)
    if node.op not in (taken := {*translators(), *JOINS}):
        known = ", ".join(sorted({*taken, *MOVED, *RULES} - set(OWN)))
        if node.op in {*MOVED, *RULES}:
            raise Refused(
                f"the operator is not supported in this form: {node.op} of {node.x_shape}", ON_PROCESSOR
            )
        raise Refused(f"the operator is not supported: {node.op}", f"these are: {known}")


def _not_finite(values: Values) -> bool:
    return bool(
        np.issubdtype(values.dtype, np.floating) and values.ndim > 0 and not np.isfinite(values).all()
    )


def _float32(values: Values) -> Array:
    return np.ascontiguousarray(values, np.float32)


class LayerNames:
    """Gives each piece a name that a C++ class and a file can have: that of its weights, or operator and number."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}

    def of(self, piece: Piece) -> str:
        """Return the name of a piece, which nothing has yet."""
        wanted = _safe(piece.name) if piece.name else ""
        if wanted and wanted.lower() not in self._taken:
            self._taken.add(wanted.lower())
            return wanted
        stem = {"conv2d": "conv", "batch_norm": "norm"}.get(piece.op, piece.op)
        while True:
            self._counts[stem] = self._counts.get(stem, 0) + 1
            name = f"{stem}{self._counts[stem]}"
            if name not in self._taken:
                self._taken.add(name)
                return name


def _safe(name: str) -> str:
    """Return a name as network.yaml takes it, or nothing when nothing of it is left."""
    text = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", name)).strip("_")
    try:
        return _NAME.validate_python(text)
    except ValidationError:
        return ""
