"""`aieloom.compare(module, design, x)`: a PyTorch module beside a design, layer by layer.

The module runs once with a hook on each of its leaf modules. They are matched with the design's layers by name, where a layer
is called as its weights' module, and the others in order: a leaf belongs to the next layer whose operator it is and whose
output has as many values. A product that integers fuse with the relu behind it is compared with its module's output behind a
relu. A batch norm that reads nothing but a convolution or a linear layer is one function with it, as in the design, where it
is folded into the weights. What has no counterpart, such as a functional call in the module, is left out and named, and so are
modules that compute nothing, a flatten or a dropout.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from aieloom.api import DesignHandle, design
from aieloom.arrays import Values, is_tensor
from aieloom.errors import SpecError
from aieloom.flow.designs import design_of
from aieloom.ops import REGISTRY
from aieloom.reference.layerwise import LayerError, difference, shown_layers

if TYPE_CHECKING:  # seconds of start-up, and not everybody has it
    import torch

# Classes that compute nothing in evaluation; what is left of them in a design is a layer that moves values.
IDLE = ("Flatten", "Unflatten", "Identity", "Dropout", "Dropout1d", "Dropout2d", "AlphaDropout")
HEAD = ("layer", "module", "largest error", "mean error", "SQNR")
MOVES = ("flatten", "identity")  # operators that stand for what is idle
RELU = "relu"  # which products of integers are fused with
FOLDS = ("conv2d", "dense")  # into whose weights a batch norm goes


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A layer beside the module that it stands for."""

    layer: str
    module: str
    error: LayerError


@dataclass(frozen=True, kw_only=True)
class ModuleComparison:
    """How a design differs from a PyTorch module; prints as a table."""

    design: str
    matches: tuple[Match, ...]
    output: LayerError  # the last layer against what the module returns
    unmatched_layers: tuple[str, ...]
    unmatched_modules: tuple[str, ...]
    idle_modules: tuple[str, ...]  # that compute nothing when they are evaluated, and have no layer for that

    def _rows(self) -> Iterator[tuple[str, str, str, str, str]]:
        for match in self.matches:
            yield (match.layer, match.module, *_figures(match.error))
        yield ("output", "the module's result", *_figures(self.output))

    def __str__(self) -> str:
        rows = [HEAD, *self._rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows
        ]
        return "\n".join([self.design, *lines, *self._left_out()])

    def _left_out(self) -> Iterator[str]:
        if self.unmatched_layers:
            yield f"layers without a module: {', '.join(self.unmatched_layers)}"
        if self.unmatched_modules:
            yield f"modules without a layer: {', '.join(self.unmatched_modules)}"
        if self.idle_modules:
            yield f"modules that compute nothing: {', '.join(self.idle_modules)}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        head = "".join(f"<th>{h}</th>" for h in HEAD)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self._rows()
        )
        notes = "".join(f"<p>{escape(line)}</p>" for line in self._left_out())
        return f"<p><b>{escape(self.design)}</b></p><table><tr>{head}</tr>{rows}</table>{notes}"


def _figures(e: LayerError) -> tuple[str, str, str]:
    sqnr = "equal" if e.sqnr_db is None else f"{e.sqnr_db:.1f} dB"
    return f"{e.max_abs_err:.3g}", f"{e.mean_abs_err:.3g}", sqnr


def compare(
    module: torch.nn.Module | torch.export.ExportedProgram,
    of: DesignHandle | str,
    x: ArrayLike | torch.Tensor,
) -> ModuleComparison:
    """Compare a PyTorch module with a design (or a project's folder), layer by layer, on `x`.

    The design's side is its hardware reference, which the emulated system equals.

    Args:
        module: a `torch.nn.Module`; it is run in evaluation mode, and left in the mode it was in.
        of: what `aieloom.design()` gives, or a project's folder.
        x: `(n, channels, height, width)` or `(n, rows, features)`, an array or a tensor.

    Raises:
        SpecError: the module's result has another number of values than the design's, or `x` another shape.
        ImportError: PyTorch is not installed.
    """
    handle = of if isinstance(of, DesignHandle) else design(of)
    given = x.detach().cpu().numpy() if is_tensor(x) else np.asarray(x)
    project, inside = handle.project, handle.inputs(given)
    values = given.astype(np.float32)
    layers_y = {layer.name: layer.y for layer in project.network.layers}
    evaluated = shown_layers(design_of(project).evaluated(inside), project.shown_layers)
    found = [(name, layers_y[name].to_outside(y)) for name, y in evaluated]
    leaves, result = _run(module, values)
    last, y = found[-1]
    if result.size != y.size:
        text = f"the module gives {list(result.shape)}, the design's {last} gives {list(y.shape)}"
        raise SpecError(rule="shape", text=text, remedy="compare the module that the weights are of")
    # A layer that is fused into the product before it stands in the network as written, and is what that product gives.
    ops = {layer.name: layer.op for layer in (*project.network.layers, *project.planned.layers)}
    shown = {name for name, _ in found}
    behind = {
        layer.inputs[0]: layer.name
        for layer in project.network.layers
        if layer.op == RELU and layer.inputs[0] not in shown
    }
    matches, layers, modules = _matched(found, ops, leaves, behind)
    return ModuleComparison(
        design=f"{project.name} on {project.target}, {len(values)} samples, against {type(module).__name__}",
        matches=matches,
        output=difference("output", y, result),
        unmatched_layers=layers,
        unmatched_modules=tuple(f"{name} ({kind})" for name, kind in modules if kind not in IDLE),
        idle_modules=tuple(f"{name} ({kind})" for name, kind in modules if kind in IDLE),
    )


def _run(
    module: torch.nn.Module | torch.export.ExportedProgram, x: Values
) -> tuple[list[tuple[str, str, Values]], Values]:
    """Return what each leaf module gave, in order of their calls: name, class, output; and the result."""
    import torch  # noqa: PLC0415 - seconds of start-up, and not everybody has it

    if not isinstance(module, torch.nn.Module):
        text = f"a {type(module).__name__} has no modules to compare with"
        remedy = "compare the module itself: aieloom.compare(module, design, x)"
        raise SpecError(rule="torch", text=text, remedy=remedy)
    seen: list[_Leaf] = []
    handles = [
        leaf.register_forward_hook(_hook(seen, name, type(leaf).__name__))
        for name, leaf in module.named_modules()
        if not list(leaf.children())
    ]
    training = module.training
    try:
        module.eval()
        with torch.no_grad():
            result = module(torch.from_numpy(np.ascontiguousarray(x)))
    finally:
        module.train(training)
        for handle in handles:
            handle.remove()
    return [(leaf.name, leaf.kind, leaf.values) for leaf in _folded(seen)], result.numpy()


@dataclass(frozen=True, kw_only=True)
class _Leaf:
    """What a leaf module was given and gave: the tensors themselves, and the values at that time."""

    name: str
    kind: str
    given: object  # compared by identity alone
    gave: object
    values: Values


def _hook(
    seen: list[_Leaf], name: str, kind: str
) -> Callable[[torch.nn.Module, tuple[object, ...], object], None]:
    def hook(_module: torch.nn.Module, given: tuple[object, ...], output: object) -> None:
        if is_tensor(output):
            values = output.detach().cpu().numpy().copy()  # a relu may write into the tensor itself
            first = given[0] if given else None
            seen.append(_Leaf(name=name or kind, kind=kind, given=first, gave=output, values=values))

    return hook


def _folded(seen: list[_Leaf]) -> Iterator[_Leaf]:
    """Yield the leaves, each product with the batch norm that reads it as one: what that gives, in the product's place."""
    folds = {kind for op in FOLDS for kind in _classes(op)}
    inside: set[int] = set()
    for i, leaf in enumerate(seen):
        if i in inside:
            continue
        norm = next((k for k, other in enumerate(seen) if other.given is leaf.gave), None)
        if leaf.kind in folds and norm is not None and seen[norm].kind in _classes("batch_norm"):
            inside.add(norm)
            yield replace(leaf, name=f"{leaf.name} + {seen[norm].name}", values=seen[norm].values)
        else:
            yield leaf


def _classes(op: str) -> tuple[str, ...]:
    """Return the classes of torch.nn that do what a layer's operator does."""
    return IDLE if op in MOVES else REGISTRY[op].torch_modules


def _layer_of(leaf: str) -> str:
    """Return what a layer is called that is made of a leaf's weights: its name, or that of the product a norm goes into."""
    return re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", leaf.partition(" + ")[0])).strip("_")


def _matched(
    found: list[tuple[str, Values]],
    ops: dict[str, str],
    leaves: list[tuple[str, str, Values]],
    behind: dict[str, str],
) -> tuple[tuple[Match, ...], tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Match leaves with layers: those of one name, the others in order; return matches and what is left on both sides.

    Leaves that are left have their class. `behind` are the relus that products were fused with, by the product.
    """
    matches: list[Match] = []
    lost: list[tuple[str, str]] = []
    at = 0
    own = {layer: i for i, (layer, _) in enumerate(found)}
    named = {name: own[layer] for name, _, _ in leaves if (layer := _layer_of(name)) in own}
    taken = {*named.values()}
    for name, kind, output in leaves:
        fits = (
            i
            for i in ([named[name]] if name in named else range(at, len(found)))
            if kind in _classes(ops[found[i][0]]) and found[i][1].size == output.size
        )
        there = next((i for i in fits if name in named or i not in taken), None)
        fused = own.get(behind.get(_layer_of(name), ""))
        if there is None and fused is not None and found[fused][1].size == output.size:
            layer, values = found[fused]
            error = difference(layer, values, np.maximum(output, 0))
            matches.append(Match(layer=layer, module=f"{name}, then relu", error=error))
            continue
        if there is None:
            lost.append((name, kind))
            continue
        layer, values = found[there]
        matches.append(Match(layer=layer, module=name, error=difference(layer, values, output)))
        at = there + 1
    known = {m.layer for m in matches}
    return tuple(matches), tuple(name for name, _ in found if name not in known), tuple(lost)
