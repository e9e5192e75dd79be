"""Trained tensors from a file, and which layer each belongs to. No file is ever allowed to run code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from aieloom.cached_arrays import cached_arrays, digest
from aieloom.digests import code_digest
from aieloom.errors import SpecError
from aieloom.network.layers import Array, Layer, Network
from aieloom.network.operator import Operators
from aieloom.network.readers import SUFFIXES
from aieloom.network.readers.models import read_model
from aieloom.paths import cache_folder
from aieloom.spec.network import ParametricLayerSpec
from aieloom.spec.types import MAX_ELEMENTS

TORCH_SUFFIXES = (".pt", ".pth")
SAFETENSORS_SUFFIX = ".safetensors"
_NOTE = ""  # its place among the kept arrays: no tensor has an empty name
_NUMPY_TYPES = ("F64", "F32", "F16", "BF16", "I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8", "BOOL")


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorFile:
    """A file's tensors in its order, and in words which of its dictionaries they are; empty where it has only one."""

    tensors: dict[str, Array]
    note: str = ""


def read_tensors(path: Path, *, shown_as: str) -> dict[str, Array]:
    """Return the tensors of `read_tensor_file`."""
    return read_tensor_file(path, shown_as=shown_as).tensors


def read_tensor_file(path: Path, *, shown_as: str) -> TensorFile:
    """Read a state_dict or a checkpoint with one (.pt, .pth, `weights_only=True`), a .safetensors, or a model of SUFFIXES.

    A batch norm's counter of batches is left out: nothing is computed from it.

    Raises:
        SpecError: the file is absent, truncated, not of its kind, tries to run code, holds no tensors, or
            holds NaN or infinite values.
    """
    note = ""
    if not path.is_file():
        remedy = "train it (doit train) or correct 'weights:' in network.yaml"
        raise SpecError(rule="weights", file=shown_as, text="there is no such weights file", remedy=remedy)
    if path.suffix in TORCH_SUFFIXES:
        tensors, note = _read_torch(path, shown_as)
    elif path.suffix == SAFETENSORS_SUFFIX:
        tensors = _read_safetensors(path, shown_as)
    elif path.suffix in SUFFIXES:
        tensors = dict(read_model(path, shown_as=shown_as).tensors)
    else:
        known = ", ".join((*TORCH_SUFFIXES, SAFETENSORS_SUFFIX, *SUFFIXES))
        text = f"weights of the kind '{path.suffix}' cannot be read"
        raise SpecError(rule="weights", file=shown_as, text=text, remedy=f"use one of: {known}")
    checked = {
        name: _checked(name, t, shown_as)
        for name, t in tensors.items()
        if name.rpartition(".")[2] != "num_batches_tracked"
    }
    return TensorFile(tensors=checked, note=note)


def _refused(shown: str, text: str, remedy: str) -> SpecError:
    return SpecError(rule="weights", file=shown, text=text, remedy=remedy)


def _read_torch(path: Path, shown_as: str) -> tuple[dict[str, NDArray[np.generic]], str]:
    """Return the tensors of a state_dict; of a content that was read before without starting PyTorch (two seconds)."""
    data = path.read_bytes()
    key = digest(code_digest(), data)
    kept = cache_folder() / "tensors" / f"{key}.npz"

    def load() -> dict[str, NDArray[np.generic]]:
        from aieloom.network.readers.torch_file import load_torch  # noqa: PLC0415 - of what was not read before

        loaded = load_torch(data, shown_as)
        return {**loaded.tensors, _NOTE: np.array(loaded.note)}

    arrays = cached_arrays(kept, key, load)
    return arrays, str(arrays.pop(_NOTE))


def _read_safetensors(path: Path, shown_as: str) -> dict[str, NDArray[np.generic]]:
    from safetensors import SafetensorError, deserialize, safe_open  # noqa: PLC0415 - only this format needs it

    try:
        with safe_open(path, framework="numpy") as f:
            names = f.offset_keys()
            types = {name: f.get_slice(name).get_dtype() for name in names}
            strange = {name: kind for name, kind in types.items() if kind not in _NUMPY_TYPES}
            if strange:
                name, kind = next(iter(strange.items()))
                raise _refused(
                    shown_as, f"'{name}' has elements of type {kind}", "save floating-point tensors"
                )
            wide = {name: f.get_tensor(name) for name in names if types[name] != "BF16"}
        if len(wide) == len(names):
            return wide
        narrow = {
            n: _from_bfloat16(t)
            for n, t in deserialize(path.read_bytes())  # type: ignore[no-untyped-call]
            if n not in wide
        }
        return {name: wide[name] if name in wide else narrow[name] for name in names}
    except (SafetensorError, TypeError, ValueError, OSError) as e:
        text = f"not a readable .safetensors file: {str(e).splitlines()[0]}"
        raise _refused(shown_as, text, "save or copy it again") from e


class _Stored(TypedDict):
    data: bytes
    shape: list[int]


def _from_bfloat16(tensor: _Stored) -> NDArray[np.generic]:
    """Return bfloat16 numbers, which NumPy does not know, as float32: their bits are its upper half."""
    bits = np.frombuffer(tensor["data"], "<u2").astype(np.uint32) << 16
    return bits.view(np.float32).reshape(tensor["shape"])


def _checked(name: str, tensor: NDArray[np.generic], shown_as: str) -> Array:
    if not np.issubdtype(tensor.dtype, np.floating):
        text = f"'{name}' has elements of type {tensor.dtype}"
        raise _refused(shown_as, text, "save floating-point tensors")
    if tensor.size > MAX_ELEMENTS:
        text = f"'{name}' has {tensor.size} values, more than {MAX_ELEMENTS}"
        raise _refused(shown_as, text, "aieloom is for networks that are smaller")
    with np.errstate(over="ignore"):  # float64 beyond float32 becomes infinite, which is refused
        values = np.asarray(tensor, dtype=np.float32)
    bad = int(values.size - np.isfinite(values).sum())
    if bad:
        what = "beyond float32" if np.isfinite(tensor).all() else "that are NaN or infinite"
        text = f"'{name}' has {bad} of {values.size} values {what}"
        raise SpecError(rule="weights", file=shown_as, text=text, remedy="train again with a lower rate")
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


def match_weights(
    network: Network,
    shapes: Mapping[str, tuple[int, ...]],
    *,
    file: str,
    operators: Operators | None = None,
) -> WeightsMatch:
    """Find each layer's tensors: by name (or its `param:`), else by order and shape.

    `shapes` are the file's tensors in the file's order. With `operators` a mismatch is followed to the number at fault.

    Raises:
        SpecError: neither way accounts for every tensor on both sides; the numbers at fault, or both sides, are listed.
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
    spec, prefixes = network.spec, _prefixes(wanted, shapes)
    if operators and prefixes:
        from aieloom.network.mismatch import wrong_numbers  # noqa: PLC0415 - weights that fit need no search

        groups = _groups(shapes)
        found = wrong_numbers(
            network, {name: groups[prefix] for name, prefix in prefixes.items()}, operators, file
        )
        if found:
            raise SpecError(found)
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
    """Tell whether `names` uses every tensor, each with the shape its layers need: `param:` may name one for several."""
    used = [names[layer.name][p.name] for layer in wanted for p in layer.parameters]
    fits = all(
        shapes.get(names[layer.name][p.name]) == p.stored for layer in wanted for p in layer.parameters
    )
    return fits and set(used) == set(shapes)


def _by_order(
    wanted: Sequence[Layer], shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, dict[str, str]] | None:
    """Pair layers and groups of tensors in order; None when counts differ, or a group lacks a tensor."""
    groups, prefixes = _groups(shapes), _paired(wanted, shapes)
    if prefixes is None or any(
        p.name not in groups[prefixes[la.name]] for la in wanted for p in la.parameters
    ):
        return None
    return {la.name: {p.name: _name(prefixes[la.name], p.name) for p in la.parameters} for la in wanted}


def _name(prefix: str, short: str) -> str:
    return f"{prefix}.{short}" if prefix else short


def _groups(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, dict[str, tuple[int, ...]]]:
    """Return a file's tensors by their name up to the last dot."""
    groups: dict[str, dict[str, tuple[int, ...]]] = {}
    for name, shape in shapes.items():
        prefix, _, short = name.rpartition(".")
        groups.setdefault(prefix, {})[short] = shape
    return groups


def _prefixes(wanted: Sequence[Layer], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, str] | None:
    """Return the group of tensors that is meant to be each layer's, whatever their shapes: by name, else by order."""
    by_name = {layer.name: _prefix(layer) for layer in wanted}
    return by_name if set(by_name.values()) == set(_groups(shapes)) else _paired(wanted, shapes)


def _paired(wanted: Sequence[Layer], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, str] | None:
    """Pair layers and groups of tensors in order; None when counts differ. Layers with `param:` keep their named group."""
    groups = _groups(shapes)
    named = {layer.name: _prefix(layer) for layer in wanted if _prefix(layer) != layer.name}
    free = [prefix for prefix in groups if prefix not in named.values()]
    unnamed = [layer for layer in wanted if layer.name not in named]
    if len(free) != len(unnamed) or any(prefix not in groups for prefix in named.values()):
        return None
    return named | {layer.name: prefix for layer, prefix in zip(unnamed, free, strict=True)}


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
