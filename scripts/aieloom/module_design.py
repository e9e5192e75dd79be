"""`aieloom.from_torch(module, example_input)`: a PyTorch module as a design, in one call and without a file of yours."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from safetensors.numpy import save

from aieloom.api import DesignHandle
from aieloom.arrays import is_tensor
from aieloom.cache import hold, kept
from aieloom.cached_arrays import digest
from aieloom.comparison import ModuleComparison, compare
from aieloom.emit.files import write_text
from aieloom.errors import SpecError
from aieloom.flow.onnx_project import WEIGHTS, network_yaml, yaml_value
from aieloom.flow.scaffold import check_new, write_scaffold
from aieloom.network.inputs import Given
from aieloom.network.readers.torch_module import read_module
from aieloom.ops.plugins import load_packages
from aieloom.paths import cache_folder, write_whole
from aieloom.progress import working
from aieloom.spec.types import check_name

if TYPE_CHECKING:  # seconds of start-up, and not everybody has it
    import torch

    Module: TypeAlias = torch.nn.Module | torch.export.ExportedProgram
    Tensor: TypeAlias = torch.Tensor

Values = NDArray[np.float32]
SAMPLES = "samples.npz"
TYPES = ("int8", "int16", "bfloat16")


class ModuleDesign(DesignHandle):
    """What `from_torch` gives: a design that knows its module.

    It is a project in aieloom's cache, found again by the module's tensors and layers; `write(folder)` makes it one of yours.
    """

    def __init__(
        self, folder: Path, *, target: str, module: Module, example: Values, result: tuple[int, ...]
    ) -> None:
        super().__init__(folder, target=target, build=folder / "build", weights=None)
        self._module, self._example, self._result = module, example, result

    def __reduce__(self) -> tuple[object, ...]:
        """Return what opens the same design in another process."""
        said: dict[str, Any] = {"module": self._module, "example": self._example, "result": self._result}
        return partial(ModuleDesign, target=str(self._target), **said), (self._folder,)

    def emulate(self, x: Given) -> Values:
        """Run `x` through the whole emulated system; results have the shape of the module's. See DesignHandle.emulate."""
        return self._shaped(super().emulate(x))

    def reference(self, x: Given) -> Values:
        """Return what the hardware computes by definition, in the shape of the module's results."""
        return self._shaped(super().reference(x))

    def torch(self, x: Given) -> Values:
        """Return PyTorch's result of the layers that the module became, in the shape of the module's results."""
        return self._shaped(super().torch(x))

    def _shaped(self, y: Values) -> Values:
        return y.reshape(len(y), *self._result)

    def compare(self, x: ArrayLike | Tensor | None = None) -> ModuleComparison:
        """Compare the module with the design, layer by layer, on `x` or the example.

        Raises:
            SpecError: `x` has another shape than the network's input.
        """
        return compare(self._module, self, self._example if x is None else x)

    def write(self, folder: str | Path) -> Path:
        """Write the design as a project: network.yaml, weights, samples, dodo.py and CI files; return the folder.

        Raises:
            SpecError: the folder has files already, or its name is no name.
        """
        path = Path(folder)
        check_new(path)
        write_scaffold(path)
        for name in (WEIGHTS, SAMPLES):
            shutil.copy(self._folder / name, path / name)
        text = (self._folder / "network.yaml").read_text(encoding="utf-8")
        text = re.sub(r"(?m)^name: .*$", f"name: {path.name}", text)
        write_text(path / "network.yaml", text)
        return path


def from_torch(
    module: Module,
    example_input: ArrayLike | Tensor,
    *,
    target: str = "vck190",
    quantize: str | Mapping[str, object] | None = None,
    name: str | None = None,
    execution: str | None = None,
    engine: str | None = None,
) -> ModuleDesign:
    """Return a design that computes what a trained PyTorch module computes in evaluation mode.

    Args:
        module: a `torch.nn.Module`; torch.export traces it. It is left as it was. Or what `torch.export.export` made of one in
            evaluation mode.
        example_input: a batch of typical inputs, `(n, channels, height, width)`, `(n, rows, features)` or `(n, features)`: one
            says the shape; with `quantize` all of them calibrate; `report()` runs them.
        target: the board, or a device file.
        quantize: "int8", "int16", "bfloat16", or what network.yaml says under `quantize:`; None leaves float32.
        name: of the project; by default the class's.
        execution: "spatial", "sequential" or "auto", as network.yaml says it: layers side by side, or one after another.
        engine: "aie" or "pl", likewise: of layers in their turn, or (spatial, "pl") the network as one circuit.

    Raises:
        SpecError: the module fails on the example, cannot be traced, or calls what no layer computes; each call is named.
        ImportError: PyTorch is not installed.
    """
    given = example_input.detach().cpu() if is_tensor(example_input) else example_input
    with working(f"tracing {type(module).__name__} with torch.export"):
        load_packages()
        network, result = read_module(module, given)
    example = np.ascontiguousarray(np.asarray(given), np.float32)
    called = _name(name or type(module).__name__)
    origin = f"the PyTorch module {type(module).__name__} by aieloom.from_torch"
    text = (
        network_yaml(network, called, origin, target)
        + _quantize_lines(quantize)
        + "".join(f"{k}: {yaml_value(v)}\n" for k, v in (("execution", execution), ("engine", engine)) if v)
        + f"data: {{samples: {SAMPLES}}}\n"
    )
    samples = io.BytesIO()
    np.savez(samples, x=example)
    files = {"network.yaml": text.encode(), WEIGHTS: save(dict(network.tensors)), SAMPLES: samples.getvalue()}
    folder = cache_folder() / "modules" / digest(text, files[WEIGHTS], example)[:32] / called
    folder.mkdir(parents=True, exist_ok=True)
    hold(folder)
    for file, data in files.items():
        if not (folder / file).is_file() or (folder / file).read_bytes() != data:
            write_whole(folder / file, data)
            kept(folder / file)
    return ModuleDesign(folder, target=target, module=module, example=example, result=result)


def _name(wanted: str) -> str:
    """Return a project's name made of a class's: small letters, digits and _."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", wanted)
    name = re.sub(r"_+", "_", re.sub(r"[^a-z0-9_]", "_", snake.lower())).strip("_")[:48] or "net"
    name = name if name[0].isalpha() else f"net_{name}"
    try:
        return check_name(name)
    except ValueError:
        return f"{name}_net"


def _quantize_lines(quantize: str | Mapping[str, object] | None) -> str:
    """Return the lines of network.yaml.

    Raises:
        SpecError: it is no type of elements.
    """
    if quantize is None:
        return ""
    said = {"activations": quantize, "weights": quantize} if isinstance(quantize, str) else dict(quantize)
    if isinstance(quantize, str) and quantize not in TYPES:
        remedy = f"use {', '.join(TYPES)}, or a dictionary of network.yaml's keys"
        raise SpecError(rule="torch", text=f"quantize is '{quantize}'", remedy=remedy)
    if said.get("activations", "int8") != "bfloat16":
        said = {"calibration": SAMPLES, **said}
    return f"quantize: {{{', '.join(f'{k}: {yaml_value(v)}' for k, v in said.items())}}}\n"
