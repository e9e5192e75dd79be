"""What torch.save() writes, as arrays: a state_dict, or a checkpoint that holds one. Nothing in the file is ever run."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import is_tensor
from aieloom.errors import SpecError
from aieloom.spec.types import MAX_ELEMENTS

if TYPE_CHECKING:
    import torch

RULE = "weights"
# Where training scripts put a model's tensors beside other things; the first is that of PyTorch's tutorial "Saving and
# loading a general checkpoint", the second Lightning's.
USUAL_KEYS = ("model_state_dict", "state_dict", "model", "net", "weights")
MAX_DEPTH = 4  # of dictionaries in dictionaries
SAVE = "save it with torch.save(model.state_dict(), ...)"
ZIP_MAGIC = b"PK\x03\x04"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Tensors in the file's order, and in words which of a checkpoint's dictionaries they are (empty of a state_dict)."""

    tensors: dict[str, NDArray[np.generic]]
    note: str


def load_torch(data: bytes, shown: str) -> Loaded:
    """Return the tensors of a .pt file with `weights_only=True`.

    Sparse tensors become dense and views are resolved, which changes no value; what has no values, or none that float32
    weights could be made of exactly, is refused by its name.

    Raises:
        SpecError: it cannot be read, would run code, or holds no state_dict of plain tensors.
    """
    found = _unpickled(data, shown)
    if not isinstance(found, Mapping):
        raise refused(shown, f"holds a {type(found).__name__}, not a state_dict", SAVE)
    state, way = _state_dict(found, shown)
    tensors = {str(name): _array(str(name), tensor, shown) for name, tensor in state.items()}
    if not tensors:
        raise refused(shown, f"holds no tensors, only {_names(found) or 'an empty dictionary'}", SAVE)
    beside = _names({k: v for k, v in found.items() if k != way[0]}) if way else ""
    note = f"{shown}: the tensors of {''.join(f'[{k!r}]' for k in way)}" if way else ""
    return Loaded(tensors=tensors, note=f"{note}; left out: {beside}" if beside else note)


def refused(shown: str, text: str, remedy: str) -> SpecError:
    """Return the refusal of a file."""
    return SpecError(rule=RULE, file=shown, text=text, remedy=remedy)


def _unpickled(data: bytes, shown: str) -> object:
    try:
        import torch  # noqa: PLC0415 - seconds of start-up that only this format needs
    except ImportError as e:
        text = "reading .pt files needs PyTorch, which is not installed"
        raise refused(shown, text, "pip install torch, or save the weights as .safetensors") from e
    _check_archive(data, shown)
    try:
        return torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as e:
        text = "the file holds more than tensors (loading it would run code) or is damaged; it was not loaded"
        remedy = "save the tensors alone: torch.save(model.state_dict(), ...), or use .safetensors"
        raise refused(shown, text, remedy) from e
    except (
        Exception
    ) as e:  # damaged files raise EOFError, RuntimeError, KeyError, struct.error, ValueError ...
        text = f"is no PyTorch file, or a truncated or damaged one ({len(data)} bytes)"
        raise refused(shown, text, "save or copy it again") from e


def _check_archive(data: bytes, shown: str) -> None:
    """Refuse archives that end early, and TorchScript's, which are programs."""
    if not data.startswith(ZIP_MAGIC):
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [name.partition("/")[2] for name in archive.namelist()]
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as e:
        text = f"is truncated or damaged: its archive has no table of contents ({len(data)} bytes)"
        raise refused(shown, text, "save or copy it again") from e
    if "constants.pkl" in names:
        remedy = "torch.save(torch.jit.load(FILE).state_dict(), 'weights.pt'), or export the module to ONNX"
        raise refused(shown, "is a TorchScript archive (torch.jit.save), a program and no state_dict", remedy)


def _state_dict(
    found: Mapping[object, object], shown: str
) -> tuple[Mapping[object, torch.Tensor], tuple[str, ...]]:
    """Return the dictionary of tensors and the keys that lead to it.

    Raises:
        SpecError: there are several, and none has a usual name.
    """
    way: tuple[str, ...] = ()
    while len(way) < MAX_DEPTH:
        inner = {str(k): v for k, v in found.items() if isinstance(v, Mapping) and v}
        usual = [k for k in USUAL_KEYS if k in inner]
        plain = [k for k, v in inner.items() if all(map(is_tensor, v.values()))]
        if not usual and any(map(is_tensor, found.values())):
            break
        if not usual and len(plain) > 1:
            text = f"holds several dictionaries of tensors: {', '.join(plain[:8])}"
            raise refused(shown, text, "save the one that network.yaml describes, alone")
        if not usual and not plain:
            break
        key = (usual or plain)[0]
        found, way = inner[key], (*way, key)
    return {k: v for k, v in found.items() if is_tensor(v)}, way


def _names(found: Mapping[object, object]) -> str:
    shown = ["".join(c if c.isprintable() else "?" for c in str(k)[:40]) for k in found]
    return ", ".join(shown[:8]) + (f" and {len(shown) - 8} more" if len(shown) > 8 else "")


def _array(name: str, tensor: torch.Tensor, shown: str) -> NDArray[np.generic]:
    """Return a tensor's values.

    Raises:
        SpecError: it has none, or not as an array of numbers.
    """
    import torch  # noqa: PLC0415

    what = _unfit(tensor)
    if what:
        raise refused(shown, f"'{name}' is {what}", "save it as a plain tensor of float32")
    try:
        dense = tensor.detach().to_dense() if tensor.layout is not torch.strided else tensor.detach()
        plain = dense.resolve_neg()
        if plain.dtype not in (torch.float64, torch.float32, torch.float16) and plain.is_floating_point():
            plain = plain.float()  # bfloat16 and narrower ones, exactly; NumPy has no such types
        values: NDArray[np.generic] = plain.numpy()
    except (
        Exception
    ) as e:  # a layout or a type of which PyTorch makes no array; indices of a sparse one that lie outside
        said = str(e).splitlines()[0] if str(e) else type(e).__name__
        raise refused(
            shown, f"'{name}' cannot be read: {said}", "save it as a plain tensor of float32"
        ) from e
    return values


def _unfit(tensor: torch.Tensor) -> str:
    """Say why no weights can be made of a tensor; nothing when they can."""
    if tensor.is_nested:
        return "a nested tensor, of rows of different lengths"
    if tensor.is_meta:
        return f"on the device 'meta': it has a shape {tuple(tensor.shape)}, no values"
    if tensor.is_quantized:
        return (
            f"quantised ({tensor.dtype}); a quantised model comes as ONNX, or as float weights with quantize:"
        )
    if tensor.is_complex():
        return f"complex ({tensor.dtype})"
    if tensor.numel() > MAX_ELEMENTS:
        return f"of {tensor.numel()} values, more than {MAX_ELEMENTS}"
    return ""
