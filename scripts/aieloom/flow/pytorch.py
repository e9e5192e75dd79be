"""What PyTorch makes of a project's samples: kept, because retiling changes nothing of it and starting PyTorch takes long."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Floats
from aieloom.cached_arrays import cached_arrays, digest
from aieloom.digests import code_digest
from aieloom.errors import ToolError
from aieloom.flow.baseline import Times, machine, measured
from aieloom.flow.project import Project
from aieloom.ops import REGISTRY
from aieloom.progress import working
from aieloom.reference.layerwise import torch_layers
from aieloom.reference.results import torch_reference

_Y = "y"
_LAYER = "layer:"
_TIME = "seconds:"
_NOISE = "noise"


@dataclass(frozen=True, kw_only=True)
class PytorchResults:
    """The network's results for all samples, and each layer's for those of `Project.layer_samples`."""

    y: Floats
    layers: Mapping[str, NDArray[np.generic]]
    times: Times  # of batches on this machine


def pytorch_results(project: Project, x: Floats) -> PytorchResults | None:
    """Return what PyTorch gives for `x` `(n, channels, height, width)`; None where it is not installed.

    Raises:
        ToolError: it is installed, but does not start. Results without it would be taken for those of a machine that has none.
    """
    try:
        key = _key(project, version("torch"), x)
        found = cached_arrays(
            project.build / "reference" / "pytorch.npz", key, lambda: dict(_evaluated(project, x))
        )
    except (PackageNotFoundError, ModuleNotFoundError):
        return None
    except (
        ImportError
    ) as e:  # a library of it cannot be loaded: memory is short, or the installation is broken
        remedy = "end other programs, or raise the limit (ulimit -v); else install PyTorch again"
        raise ToolError(command=("import torch",), first_error=str(e), log=None, remedy=remedy) from e
    layers = {n.removeprefix(_LAYER): v for n, v in found.items() if n.startswith(_LAYER)}
    seconds = {int(n.removeprefix(_TIME)): float(v) for n, v in found.items() if n.startswith(_TIME)}
    times = Times(seconds=seconds, noise=str(found[_NOISE]))
    return PytorchResults(y=np.asarray(found[_Y], np.float32), layers=layers, times=times)


def _evaluated(project: Project, x: Floats) -> Iterator[tuple[str, NDArray[np.generic]]]:
    network, parameters = project.network, project.float_parameters
    with working(f"PyTorch's results of {len(x)} samples"):
        y = torch_reference(network, parameters, x)
        layers = list(torch_layers(network, parameters, project.layer_samples(x)))
        times = measured(network, parameters, x)
    yield _Y, y
    for name, values in layers:
        yield _LAYER + name, values
    yield _NOISE, np.array(times.noise)
    for size, seconds in times.seconds.items():
        yield f"{_TIME}{size}", np.array(seconds)


def _key(project: Project, pytorch: str, x: Floats) -> str:
    """Return a digest of all that the results follow from: PyTorch, our code and the operators', network, tensors, x."""
    layers = project.network.layers
    own = [Path(inspect.getfile(type(REGISTRY[layer.op]))).read_bytes() for layer in layers]
    specs = [layer.spec.model_dump_json() for layer in layers]
    tensors = [t for named in project.float_parameters.values() for t in named.values()]
    return digest(pytorch, machine(), code_digest(), *own, *specs, *tensors, x, project.layer_samples(x))
