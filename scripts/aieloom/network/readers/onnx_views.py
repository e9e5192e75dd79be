"""Tensors of more axes than images and rows have, as ONNX files of transformers hold them: by strides, laid out when needed.

Between two products a transformer reshapes, transposes, splits and selects. These nodes compute nothing: what they give
is read from the tensor before them by strides (a View), and one node REARRANGE lays out what a node that computes takes.
That one sees rows of features, (1, rows, features), whose leading axes are one, or an image, (1, channels, height, width).
Facts: ONNX operator specifications, by operator and opset.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.onnx_factors import BATCH_MATMUL, folded_factors
from aieloom.network.readers.onnx_graph import GRAPH_INPUT, GRAPH_OUTPUTS, Graph, Node
from aieloom.network.readers.onnx_model import is_matrix
from aieloom.network.readers.onnx_nodes import axes_of, check_idle_dropout
from aieloom.network.readers.onnx_reads import changed
from aieloom.network.readers.onnx_recurrent import GRU, LSTM, NODES, Recurrent, recurrent_of
from aieloom.network.readers.refused import Refused
from aieloom.network.readers.registry import read_by_plug_ins
from aieloom.network.strides import Shape, View, view_of

REARRANGE, PAD_ROWS = "aieloom.Rearrange", "aieloom.PadRows"
OWN = (REARRANGE, BATCH_MATMUL, GRU, LSTM, PAD_ROWS, GRAPH_INPUT, GRAPH_OUTPUTS)  # nodes that no file has
RESHAPES = frozenset("Reshape Flatten Squeeze Unsqueeze".split())  # noqa: SIM905
LAYOUT = RESHAPES | frozenset("Expand Gather Slice Transpose".split())  # noqa: SIM905
SAME = frozenset("Cast Dropout Identity".split())  # noqa: SIM905
# What takes images, if what flows in has four axes.
OF_IMAGES = frozenset(
    """AveragePool BatchNormalization Conv ConvTranspose DepthToSpace GlobalAveragePool GlobalMaxPool InstanceNormalization
    MaxPool Pad QLinearConv Resize SpaceToDepth Upsample""".split()  # noqa: SIM905
)
ON_PROCESSOR = "aieloom.Session runs the model with this node on the processor"
ARITHMETIC = frozenset("Add Div Mul Sub Sum".split())  # noqa: SIM905


def rows_shape(seen: Shape) -> Shape:
    """Return the shape that nodes see of rows: (1, rows, features), or (1, features)."""
    lead = prod(seen[:-1])
    return (1, seen[-1]) if lead == 1 else (1, lead, seen[-1])


def viewed(graph: Graph) -> Graph:
    """Return a graph whose nodes see images, rows and features alone, where the file's have more axes than these.

    Raises:
        Refused: a node cannot be written of rows; it is named.
    """
    shapes = (s for node in graph.nodes for s in (*node.x_shapes, node.y_shape))
    if any(min(s, default=0) < 1 for s in shapes) or not any(_is_beyond(node) for node in graph.nodes):
        return graph
    return replace(graph, nodes=tuple(folded_factors(_Walk(graph).nodes())))


def _is_beyond(node: Node) -> bool:
    """Tell whether a node is beyond images, rows and features as they are translated one by one."""
    x, y = node.x_shape, node.y_shape
    if max(len(x), len(y)) > 4 or node.op in ("Expand", "GRU", "Gather", "LSTM", "Slice"):
        return True
    if node.op in ("Add", "Sum") and len(set(node.x_shapes)) > 1:
        return True  # one is repeated
    if node.op == "MatMul":
        return len(node.xs) > 1 or len(x) > 3
    if node.op in RESHAPES:
        return is_matrix(y) and (x[-2:] != y[-2:] or not node.matrix)
    return len(x) == 3 and _is_beyond_rows(node)


def _is_beyond_rows(node: Node) -> bool:
    """Tell it of a node on rows of features."""
    if node.op in ARITHMETIC:
        values = [v for i in range(len(node.inputs)) if (v := node.optional(i)) is not None]
        return any(v.size > 1 and v.shape != node.x_shape[-1:] for v in values)
    if node.op == "Softmax":
        return bool(node.opset >= 13 and node.get("axis", -1) % 3 != 2)
    return node.op == "ReduceMean" or (node.op == "Transpose" and (_permutes(node) or node.y_shape[0] != 1))


def _permutes(node: Node) -> bool:
    order = [a for a in (node.integers("perm") or [*range(len(node.x_shape))[::-1]]) if node.x_shape[a] > 1]
    return order != sorted(order)


def _mean_of_rows(node: Node) -> list[int]:
    """Return the axes of rows, (1, rows, features), over which a ReduceMean averages; none where it is of other values."""
    shape, said = node.x_shape, axes_of(node)
    last = len(shape) - 1
    axes = {a % len(shape) for a in said or []}
    axes = {a for a in axes if shape[a] > 1 or a == last}
    lead = {a for a in range(last) if shape[a] > 1}
    rows = [1] if lead else []
    of_rows = {frozenset({last}): [len(rows) + 1], frozenset({*lead, last}): [*rows, len(rows) + 1]}
    return of_rows.get(frozenset(axes)) or (rows if axes == lead else [])


class _Walk:
    """One pass along the nodes, with what is known of each tensor."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        name = graph.input_name
        seen = next(s for n in graph.nodes for x, s in zip(n.xs, n.x_shapes, strict=True) if x == name)
        stored = rows_shape(seen) if len(seen) != 4 else seen
        self.views = {name: view_of(name, stored, seen, image=len(seen) == 4)}
        self.constants: dict[str, Values] = {}
        self.laid: dict[tuple[View, bool], View] = {}
        self.made: list[Node] = []
        self.count = 0

    def nodes(self) -> list[Node]:
        """Return the nodes."""
        for node in self.graph.nodes:
            if node.op == GRAPH_INPUT:
                self._put(node, self._read(node), image=len(node.y_shape) == 4)
            else:
                self._followed(node)
        last = self.graph.nodes[-1]
        view = self.views[last.y]
        self._laid_out(last, view, image=view.image and len(view.seen) == 4)
        constants: dict[str, Values] = {}
        for known in {id(node.constants): node.constants for node in self.graph.nodes}.values():
            constants |= known  # one for all nodes, but for those that a pattern gave a constant
        constants |= self.constants
        return [replace(node, constants=constants) for node in self.made]

    def _followed(self, node: Node) -> None:
        try:
            self._take(node)
        except Refused as e:
            raise Refused(f"{node.title}: {e.problem}", e.remedy) from e

    def _take(self, node: Node) -> None:
        views = self._read(node)
        if node.op == GRAPH_OUTPUTS:
            laid = [self._laid_out(node, v, image=v.image and len(v.seen) == 4) for v in views]
            self._put(node, laid, image=False)
            return
        if self._followed_here(node, views):
            return
        image = self._takes_image(node, views)
        laid = [self._laid_out(node, v, image=image) for v in views]
        self._put(node, laid, image=image and len(node.y_shape) == 4)

    def _followed_here(self, node: Node, views: list[View]) -> bool:
        """Take a node that is followed by strides, or written of rows; leave one that a plug-in reads."""
        if node.op in read_by_plug_ins():
            return False
        if node.op in LAYOUT or node.op in SAME:
            found = self._moved(node, views[0]) if len(views) == 1 else None
            if found is not None:
                self.views[node.y] = found
                return True
        if node.op == "MatMul":
            return len(views) == 2 and self._batch_matmul(node, views)
        if node.op == "Concat":
            return self._concat(node, views)
        if node.op in NODES:
            return self._recurrent(node, views[0])
        return node.op == "Softmax" and self._softmax(node, views[0])

    def _read(self, node: Node) -> list[View]:
        """Return what a node reads; of arithmetic on rows all of the result's shape, unless the layer repeats them."""
        views = [self.views[x] for x in node.xs]
        if node.op not in ARITHMETIC or len(views) < 2 or self._repeats(node, views):
            return views
        return [self._spread(v, node) for v in views]

    @staticmethod
    def _repeats(node: Node, views: list[View]) -> bool:
        """Tell whether the layer of an operation repeats rows, or features, of its second input itself."""
        if node.op in ("Add", "Sum"):
            return False
        whole, *parts = sorted((rows_shape(v.seen) for v in views), key=prod, reverse=True)
        fits = (
            len(p) == len(whole) and all(b in (1, a) for a, b in zip(whole, p, strict=True)) for p in parts
        )
        return whole == rows_shape(node.y_shape) and all(fits)

    @classmethod
    def _spread(cls, view: View, node: Node) -> View:
        """Return rows that are repeated along axes of what they are computed with; of images the layers do that."""
        if view.seen == node.y_shape or (view.image and len(view.seen) == 4):
            return view
        return cls._expanded(view, node.y_shape) or view

    def _takes_image(self, node: Node, views: list[View]) -> bool:
        if any(len(v.seen) != 4 for v in views):
            return False
        if node.op == "ReduceMean" and not _mean_of_rows(node):
            return views[0].seen[0] == 1
        if node.op == "Concat" and int(node.get("axis", 1)) % 4 != 1:
            return any(v.image and v.in_order for v in views)
        parts = all(v.image for v in views)  # of images: channels, or a piece, of one that was split
        return node.op in OF_IMAGES or (
            node.op != "MatMul" and (parts or any(v.image and v.in_order for v in views))
        )

    def _put(
        self,
        node: Node,
        laid: list[View],
        *,
        image: bool,
        op: str = "",
        inputs: tuple[str, ...] | None = None,
        attributes: Mapping[str, object] | None = None,
    ) -> None:
        """Add a node that reads what is laid out, under its rows' shapes; what is said of it takes the place of its own."""
        seen = node.y_shape
        y_shape = seen if image else rows_shape(seen)
        names = dict(zip(node.xs, (v.of for v in laid), strict=True))
        inputs = node.inputs if inputs is None else inputs
        own = node.attributes if attributes is None else attributes
        if not (image or any(v.image and len(v.shape) == 4 for v in laid)):
            inputs, of_rows = self._of_rows(node, inputs)
            own = of_rows if attributes is None else attributes
        made = replace(
            node,
            inputs=tuple(names.get(i, i) for i in inputs),
            x=laid[0].of,
            xs=tuple(v.of for v in laid),
            x_shape=laid[0].shape,
            x_shapes=tuple(v.shape for v in laid),
            y_shape=y_shape,
            op=op or node.op,
            attributes=own,
        )
        self.made.append(made)
        self.views[node.y] = view_of(node.y, y_shape, seen, image=image)

    def _of_rows(self, node: Node, inputs: tuple[str, ...]) -> tuple[tuple[str, ...], Mapping[str, object]]:
        """Return a node's inputs and attributes as they are of rows, all of whose leading axes are one."""
        rank, more = len(node.x_shape), dict[str, object]()
        if node.op == "Concat" and len(node.xs) == 1:
            return inputs, node.attributes  # a border: _concat
        if node.op in ("Softmax", "LayerNormalization", "ArgMax", "Concat", "LogSoftmax") and (
            rank > 2 or node.x_shape[0] > 1
        ):
            more["axis"] = self._axis_of_rows(node, int(node.get("axis", -1)) % rank)
        if node.op == "ReduceMean":
            axes = _mean_of_rows(node)
            if not axes:
                text = f"averages {node.x_shape} over the axes {axes_of(node)}"
                raise Refused(text, "average the last axis, or all between the first and the last")
            more |= {"axes": axes, "keepdims": 1}
            inputs = inputs[:1]
        if node.op in ARITHMETIC:
            inputs = tuple(self._as_rows(node, i) for i in inputs)
        return inputs, changed(node.attributes, more)

    @staticmethod
    def _axis_of_rows(node: Node, axis: int) -> int:
        """Return what an axis is among those of rows: (1, rows, features).

        Raises:
            Refused: it is none of them.
        """
        rank = len(node.x_shape)
        if axis == rank - 1:
            return -1
        onwards = node.op == "LayerNormalization" or (node.op.endswith("Softmax") and node.opset < 13)
        if onwards and prod(node.x_shape[:axis]) == 1:  # takes all axes from one on
            return 1
        raise Refused(f"is along axis {axis} of {node.x_shape}", "let it be along the last axis")

    def _as_rows(self, node: Node, name: str) -> str:
        """Return a constant that is computed with under the shape of rows: one for each feature, or for each value."""
        value = node.named(name)
        if value is None or value.size == 1 or value.shape == node.y_shape[-1:]:
            return name
        try:
            whole = np.broadcast_to(value, node.y_shape)
        except ValueError:
            return name
        changed = f"{name} of {node.y}"
        alike = value.ndim == 1 or prod(value.shape[:-1]) == 1
        self.constants[changed] = (
            value.reshape(-1)
            if alike and value.shape[-1] == node.y_shape[-1]
            else whole.reshape(rows_shape(whole.shape))
        )
        return changed

    def _laid_out(self, node: Node, view: View, *, image: bool) -> View:
        """Return a tensor as rows or as an image: as it lies, or as a new node has laid it out."""
        seen = view.seen
        shape = seen if image else rows_shape(seen)
        if view.in_order and view.image == image and view.shape == shape:
            return view
        if view.in_order and view.image != image and 1 in (prod(shape[2:]), len(view.shape) - 1):
            plain = len(view.shape) == 2 and len(shape) == 2
            if plain:  # features, whatever they are called
                return replace(view, image=image)
        if (view, image) in self.laid:
            return self.laid[view, image]
        self.count += 1
        name = f"{view.of} laid out {self.count}"
        parts = view.parts or [(1, 1)]
        keys = {
            "shape": list(shape[1:]) if image or len(shape) == 3 else [shape[-1]],
            "sizes": [n for n, _ in parts],
            "strides": [s for _, s in parts],
            "offset": view.offset,
        }
        flat = view.in_order and len(shape) == 2
        made = replace(
            node,
            op="Flatten" if flat else REARRANGE,
            attributes={} if flat else keys,
            inputs=(view.of,),
            x=view.of,
            xs=(view.of,),
            x_shape=view.shape,
            x_shapes=(view.shape,),
            y=name,
            y_shape=shape,
        )
        self.made.append(made)
        found = view_of(name, shape, seen, image=image)
        self.laid[view, image] = found
        return found

    def _moved(self, node: Node, view: View) -> View | None:
        """Return what a node that moves values gives; None of one that cannot be followed."""
        if node.op in SAME:
            if node.op == "Dropout":
                check_idle_dropout(node)
            return view if node.op != "Cast" or node.get("to", 1) == 1 else None
        if node.op in RESHAPES:
            found = view.reshaped(node.y_shape)
            return found or self._laid_out(node, view, image=False).reshaped(node.y_shape)
        if node.op == "Transpose":
            return view.transposed(node.integers("perm") or [*range(len(view.dims))[::-1]])
        if node.op == "Expand":
            found = self._expanded(view, node.y_shape)
            if found is None:
                text = f"repeats {view.seen} to {node.y_shape}: more than axes of length 1"
                raise Refused(text, ON_PROCESSOR)
            return found
        if node.inputs[0] != node.x:
            return None
        return self._gathered(node, view) if node.op == "Gather" else self._sliced(node, view)

    @staticmethod
    def _expanded(view: View, shape: Shape) -> View | None:
        dims = ((),) * (len(shape) - len(view.dims)) + view.dims
        pairs = zip(dims, shape, strict=True)
        new = tuple(((n, 0),) if not dim and n > 1 else dim for dim, n in pairs)
        found = replace(view, dims=new)
        return found if found.seen == shape else None

    @staticmethod
    def _gathered(node: Node, view: View) -> View | None:
        indices = node.optional(1)
        axis = int(node.get("axis", 0)) % len(view.dims)
        if (
            indices is None
            or not np.issubdtype(indices.dtype, np.integer)
            or indices.ndim > 1
            or not indices.size
        ):
            return None
        at = indices.reshape(-1).astype(np.int64) % view.seen[axis]
        steps = set(np.diff(at).tolist()) or {1}
        if len(steps) > 1 or min(steps) < 1:
            text = (
                f"picks the places {at.tolist()[:8]} of axis {axis}; places of one step forwards are followed"
            )
            raise Refused(text, ON_PROCESSOR)
        found = view.sliced(axis, int(at[0]), len(at), steps.pop())
        return found.dropped(axis) if found and indices.ndim == 0 else found

    @staticmethod
    def _sliced(node: Node, view: View) -> View | None:
        given = [node.optional(i) for i in range(1, 5)]
        starts, ends = (
            node.integers(k) if v is None else [int(i) for i in v]
            for k, v in zip(("starts", "ends"), given, strict=False)
        )
        if starts is None or ends is None:
            return None
        axes = node.get("axes", [*range(len(starts))]) if given[2] is None else [int(a) for a in given[2]]
        steps = [1] * len(starts) if given[3] is None else [int(s) for s in given[3]]
        found: View | None = view
        for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
            if step < 1:
                text = f"goes backwards along axis {axis}, in steps of {step}"
                raise Refused(text, ON_PROCESSOR)
            if found is None:
                return None
            place = axis % len(found.dims)
            kept = range(found.seen[place])[start:end:step]
            if not len(kept):
                return None
            found = found.sliced(place, kept[0], len(kept), step)
        return found

    def _softmax(self, node: Node, view: View) -> bool:
        """Take a softmax along another axis than the last of rows: the axis is brought there, and back."""
        rank = len(view.dims)
        axis = int(node.get("axis", -1)) % rank
        if axis == rank - 1 or rank < 3 or node.opset < 13 or (axis == 1 and view.image and view.in_order):
            return False
        order = [*(i for i in range(rank) if i != axis), axis]
        turned = view.transposed(order)
        inner = replace(node, attributes={"axis": rank - 1}, x_shape=turned.seen, y_shape=turned.seen)
        self._put(inner, [self._laid_out(node, turned, image=False)], image=False)
        self.views[node.y] = self.views[node.y].transposed([order.index(i) for i in range(rank)])
        return True

    def _batch_matmul(self, node: Node, views: list[View]) -> bool:
        """Take a product of two activations, one for each of the leading axes' places."""
        a, b = views[::1] if node.inputs[0] == node.xs[0] else views[::-1]
        if (
            len(a.dims) < 2
            or len(b.dims) < 2
            or a.seen[:-2] != b.seen[:-2]
            or node.inputs[0] == node.inputs[1]
        ):
            return False
        depth = b.dims[-2]
        transpose = bool(depth) and depth[-1][1] == 1 and b.dims[-1:] != (depth,)
        if transpose:
            b = b.transposed([*range(len(b.dims) - 2), len(b.dims) - 1, len(b.dims) - 2])
        laid = [self._laid_out(node, v, image=False) for v in (a, b)]
        keys = {"heads": prod(a.seen[:-2]), "transpose": transpose}
        self._put(node, laid, image=False, op=BATCH_MATMUL, attributes=keys)
        return True

    def _recurrent(self, node: Node, view: View) -> bool:
        """Take an LSTM or GRU as a product of all steps at once and the recurrence of what it gives to the gates."""
        found = recurrent_of(node)
        if not found:
            return False
        made = [self._direction(node, view, one, f"{node.y}/{i}") for i, one in enumerate(found)]
        whole = (1, view.seen[0], len(made) * node.y_shape[-1])
        name = made[0]
        if len(made) > 1:  # both side by side, as the result has them of each step
            name, one = f"{node.y}/both", self.views[made[0]]
            joined = replace(
                node,
                op="Concat",
                inputs=tuple(made),
                x=made[0],
                xs=tuple(made),
                x_shape=one.shape,
                x_shapes=(one.shape,) * len(made),
                y=name,
                y_shape=whole,
            )
            laid = [self.views[m] for m in made]
            self._put(joined, laid, image=False, attributes={"axis": -1})
        self.views[node.y] = view_of(name, rows_shape(whole), node.y_shape, image=False)
        return True

    def _direction(self, node: Node, view: View, found: Recurrent, y: str) -> str:
        """Add the product of all steps and the recurrence of one direction; return what its result is called."""
        steps, gates = view.seen[0], len(found.bias)
        names = {what: f"{y}/{what}" for what in ("inputs", "bias", "hidden", "inner", "product", "gates")}
        inner = () if found.inner is None else (names["inner"],)
        self.constants |= {names[what]: getattr(found, what) for what in ("inputs", "bias", "hidden")}
        self.constants |= {name: found.inner for name in inner if found.inner is not None}
        constants = {**node.constants, **self.constants}
        plain = replace(node, attributes={}, constants=constants, y_shape=(1, steps, gates))
        product = replace(plain, op="MatMul", inputs=(node.x, names["inputs"]), y=names["product"])
        self._put(product, [self._laid_out(node, view, image=False)], image=False)
        self._follow(plain, "Add", names["product"], (names["bias"],), names["gates"])
        way = replace(plain, attributes={"reverse": found.reverse})
        self._follow(way, NODES[node.op], names["gates"], (names["hidden"], *inner), y)
        shape = (1, steps, node.y_shape[-1])
        self.views[y] = view_of(y, rows_shape(shape), shape, image=False)
        self.made[-1] = replace(self.made[-1], y_shape=rows_shape(shape))
        return y

    def _follow(self, node: Node, op: str, x: str, constants: tuple[str, ...], y: str) -> None:
        """Add a node that computes with a tensor of rows and constants."""
        made = replace(
            node,
            op=op,
            inputs=(x, *constants),
            x=x,
            xs=(x,),
            x_shape=node.y_shape,
            x_shapes=(node.y_shape,),
            y=y,
        )
        self._put(made, [self.views[x]], image=False)

    def _concat(self, node: Node, views: list[View]) -> bool:
        """Take rows of a constant before or behind the rows that flow: a border, whose values are added."""
        shape, axis = node.y_shape, int(node.get("axis", 1)) % len(node.y_shape)
        if len(views) != 1 or len(shape) != 3 or axis != 1 or shape[0] != 1:
            return False
        before = node.inputs.index(node.x)
        parts = [v for i in node.inputs if i != node.x and (v := node.named(i)) is not None]
        top = sum(p.shape[1] for p in parts[:before])
        bottom = shape[1] - top - views[0].seen[1]
        whole = np.zeros(shape, np.float32)
        whole[:, :top] = np.concatenate([whole[:, :0], *parts[:before]], axis=1)
        whole[:, shape[1] - bottom :] = np.concatenate([whole[:, :0], *parts[before:]], axis=1)
        border, name = f"{node.y} with a border", f"{node.y} constant rows"
        laid = self._laid_out(node, views[0], image=False)
        bordered = replace(node, y=border)
        keys = {"padding": [top, 0, bottom, 0]}
        self._put(bordered, [laid], image=False, op=PAD_ROWS, attributes=keys, inputs=(node.x,))
        self.constants[name] = whole
        constants = {**node.constants, name: whole}
        added = replace(
            node, op="Add", inputs=(border, name), x=border, xs=(border,), x_shape=shape, constants=constants
        )
        self._put(added, [self.views[border]], image=False, attributes={})
        return True
