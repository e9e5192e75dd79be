"""Trained tensors from a file, and which layer each belongs to. No file is ever allowed to run code."""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aieloom.errors import Problem, SpecError
from aieloom.kept import code_digest, digest, kept_arrays
from aieloom.model.network import Array, Layer, Network
from aieloom.model.onnx_graph import SUFFIX
from aieloom.model.onnx_import import read_onnx
from aieloom.paths import cache_folder
from aieloom.spec.network import ParametricLayerSpec

TORCH_SUFFIXES = (".pt", ".pth")
SAFETENSORS_SUFFIX = ".safetensors"


def read_tensors(path: Path, *, shown_as: str) -> dict[str, Array]:
    """Read a state_dict (.pt, .pth, `weights_only=True`), a .safetensors or an .onnx file, in the file's order.

    A batch norm's counter of batches is left out: nothing is computed from it.

    Raises:
        SpecError: the file is absent, truncated, not of its kind, tries to run code, holds no tensors, or
            holds NaN or infinite values.
    """
    if not path.is_file():
        remedy = "train it (doit train) or correct 'weights:' in network.yaml"
        raise SpecError(
            Problem(rule="weights", file=shown_as, text="there is no such weights file", remedy=remedy)
        )
    if path.suffix in TORCH_SUFFIXES:
        tensors = _read_torch(path, shown_as)
    elif path.suffix == SAFETENSORS_SUFFIX:
        tensors = _read_safetensors(path, shown_as)
    elif path.suffix == SUFFIX:
        tensors = dict(read_onnx(path, shown_as=shown_as).tensors)
    else:
        known = ", ".join((*TORCH_SUFFIXES, SAFETENSORS_SUFFIX, SUFFIX))
        text = f"weights of the kind '{path.suffix}' cannot be read"
        raise SpecError(Problem(rule="weights", file=shown_as, text=text, remedy=f"use one of: {known}"))
    return {
        name: _checked(name, t, shown_as)
        for name, t in tensors.items()
        if name.rpartition(".")[2] != "num_batches_tracked"
    }


def _read_torch(path: Path, shown_as: str) -> dict[str, NDArray[np.generic]]:
    """Return the tensors of a state_dict; of a content that was read before without starting PyTorch (two seconds)."""
    data = path.read_bytes()
    key = digest(code_digest(), data)
    kept = cache_folder() / "tensors" / f"{key}.npz"
    return kept_arrays(kept, key, lambda: _loaded_torch(data, shown_as))


def _loaded_torch(data: bytes, shown_as: str) -> dict[str, NDArray[np.generic]]:
    try:
        import torch  # noqa: PLC0415 - seconds of start-up that only this format needs
    except ImportError as e:
        remedy = "pip install torch, or save the weights as .safetensors"
        raise SpecError(
            Problem(
                rule="weights",
                file=shown_as,
                text="reading .pt files needs PyTorch, which is not installed",
                remedy=remedy,
            )
        ) from e
    try:
        loaded = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as e:
        text = "the file holds more than tensors (loading it would run code) or is damaged; it was not loaded"
        remedy = "save the tensors alone: torch.save(model.state_dict(), ...), or use .safetensors"
        raise SpecError(Problem(rule="weights", file=shown_as, text=text, remedy=remedy)) from e
    except (
        Exception
    ) as e:  # torch raises many kinds for damaged archives: EOFError, RuntimeError, KeyError ...
        text = f"not a readable PyTorch file: {str(e).splitlines()[0] if str(e) else type(e).__name__}"
        raise SpecError(
            Problem(rule="weights", file=shown_as, text=text, remedy="save or copy it again")
        ) from e
    if isinstance(loaded, Mapping) and isinstance(loaded.get("state_dict"), Mapping):
        loaded = loaded["state_dict"]
    if not isinstance(loaded, Mapping):
        text = f"holds a {type(loaded).__name__}, not a state_dict"
        raise SpecError(
            Problem(
                rule="weights",
                file=shown_as,
                text=text,
                remedy="save it with torch.save(model.state_dict(), ...)",
            )
        )
    tensors = {str(k): v for k, v in loaded.items() if isinstance(v, torch.Tensor)}
    return {k: (v.float() if v.is_floating_point() else v).detach().numpy() for k, v in tensors.items()}


def _read_safetensors(path: Path, shown_as: str) -> dict[str, NDArray[np.generic]]:
    from safetensors import SafetensorError, safe_open  # noqa: PLC0415 - only this format needs it

    try:
        with safe_open(path, framework="numpy") as f:
            return {name: f.get_tensor(name) for name in f.offset_keys()}
    except (SafetensorError, TypeError, ValueError) as e:
        text = f"not a readable .safetensors file: {str(e).splitlines()[0]}"
        raise SpecError(
            Problem(rule="weights", file=shown_as, text=text, remedy="save or copy it again")
        ) from e


def _checked(name: str, tensor: NDArray[np.generic], shown_as: str) -> Array:
    if not np.issubdtype(tensor.dtype, np.floating):
        text = f"'{name}' has elements of type {tensor.dtype}"
        raise SpecError(
            Problem(rule="weights", file=shown_as, text=text, remedy="save floating-point tensors")
        )
    values = np.asarray(tensor, dtype=np.float32)
    bad = int(values.size - np.isfinite(values).sum())
    if bad:
        text = f"'{name}' has {bad} of {values.size} values that are NaN or infinite"
        raise SpecError(
            Problem(rule="weights", file=shown_as, text=text, remedy="train again with a lower rate")
        )
    return values


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsMatch:
    """Which tensor of the file each layer's parameter is.

    `tensors[layer][parameter]` is the name in the file; `by` says how they were found.
    """

    by: str
    tensors: dict[str, dict[str, str]]
    transposed: frozenset[str] = frozenset()  # tensors of the file that are a layer's weight transposed

    def lines(self) -> tuple[str, ...]:
        """Return the match as text, one layer a line; empty when names agreed."""
        if self.by == NAME:
            return ()
        rows = (f"  {layer}: {', '.join(names.values())}" for layer, names in self.tensors.items())
        return (f"weights matched by {self.by}:", *rows)


NAME = "name"
ORDER = "order and shape"


def match_weights(network: Network, shapes: Mapping[str, tuple[int, ...]], *, file: str) -> WeightsMatch:
    """Find each layer's tensors: by name (or its `param:`), else by order and shape.

    `shapes` are the file's tensors in the file's order.

    Raises:
        SpecError: neither way accounts for every tensor on both sides; both sides are listed.
    """
    wanted = [layer for layer in network.layers if layer.parameters]
    by_name = {
        layer.name: {p.name: f"{_prefix(layer)}.{p.name}" for p in layer.parameters} for layer in wanted
    }
    if _agrees(wanted, by_name, shapes):
        return WeightsMatch(by=NAME, tensors=by_name, transposed=_transposed(wanted, by_name))
    by_order = _by_order(wanted, shapes)
    if by_order and _agrees(wanted, by_order, shapes):
        return WeightsMatch(by=ORDER, tensors=by_order, transposed=_transposed(wanted, by_order))
    spec = network.spec
    raise SpecError(
        spec.source.problem(
            "weights",
            ("weights",),
            f"the tensors of {file} are not those of the layers\n{_both_sides(wanted, by_name, shapes)}",
            "correct the layers, name the tensors with 'param:', or use the weights of this network",
        )
    )


def _transposed(wanted: Sequence[Layer], names: Mapping[str, Mapping[str, str]]) -> frozenset[str]:
    return frozenset(names[la.name][p.name] for la in wanted for p in la.parameters if p.transposed)


def _prefix(layer: Layer) -> str:
    spec = layer.spec
    return spec.param if isinstance(spec, ParametricLayerSpec) and spec.param else layer.name


def _agrees(
    wanted: Sequence[Layer], names: Mapping[str, Mapping[str, str]], shapes: Mapping[str, tuple[int, ...]]
) -> bool:
    """Tell whether `names` uses every tensor once, each with the shape its layer needs."""
    used = [names[layer.name][p.name] for layer in wanted for p in layer.parameters]
    fits = all(
        shapes.get(names[layer.name][p.name]) == p.stored for layer in wanted for p in layer.parameters
    )
    return fits and sorted(used) == sorted(shapes)


def _by_order(
    wanted: Sequence[Layer], shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, dict[str, str]] | None:
    """Pair layers and groups of tensors (same name up to the last dot) in order; None when counts differ.

    Layers with `param:` keep their named group.
    """
    groups: dict[str, dict[str, str]] = {}
    for name in shapes:
        prefix, _, short = name.rpartition(".")
        groups.setdefault(prefix, {})[short] = name
    named = {layer.name: _prefix(layer) for layer in wanted if _prefix(layer) != layer.name}
    free = [prefix for prefix in groups if prefix not in named.values()]
    unnamed = [layer for layer in wanted if layer.name not in named]
    if len(free) != len(unnamed) or any(prefix not in groups for prefix in named.values()):
        return None
    prefixes = named | {layer.name: prefix for layer, prefix in zip(unnamed, free, strict=True)}
    if any(p.name not in groups[prefixes[layer.name]] for layer in wanted for p in layer.parameters):
        return None
    return {
        layer.name: {p.name: groups[prefixes[layer.name]][p.name] for p in layer.parameters}
        for layer in wanted
    }


def _both_sides(
    wanted: Sequence[Layer], names: Mapping[str, Mapping[str, str]], shapes: Mapping[str, tuple[int, ...]]
) -> str:
    """Return two columns: what the layers need and what the file has under that name."""
    rows = ["    the layers need                     the file has"]
    used = set()
    for layer in wanted:
        for p in layer.parameters:
            name = names[layer.name][p.name]
            used.add(name)
            have = str(shapes[name]) if name in shapes else "missing"
            mark = "" if shapes.get(name) == p.stored else "   <- differs"
            rows.append(f"    {f'{name} {p.stored}':<35} {have}{mark}")
    rows += [
        f"    {'(nothing)':<35} {name} {shape}   <- extra"
        for name, shape in shapes.items()
        if name not in used
    ]
    return "\n".join(rows)


def layer_parameters(tensors: Mapping[str, Array], match: WeightsMatch) -> dict[str, dict[str, Array]]:
    """Return `{layer: {parameter: values}}` of a matched file."""
    return {
        layer: {
            p: np.ascontiguousarray(tensors[name].T) if name in match.transposed else tensors[name]
            for p, name in names.items()
        }
        for layer, names in match.tensors.items()
    }
