"""What PyTorch makes of a project's samples: kept, because retiling changes nothing of it and starting PyTorch takes long.

Also how long the network takes on this machine's processor: measured, the machine named, beside the modelled design.
"""

from __future__ import annotations

import inspect
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Floats
from aieloom.cached_arrays import cached_arrays, digest
from aieloom.digests import code_digest
from aieloom.errors import ToolError
from aieloom.flow.project import Project
from aieloom.network.layers import Network, Parameters
from aieloom.ops import REGISTRY
from aieloom.progress import working
from aieloom.reference.forward import Passing
from aieloom.reference.layerwise import torch_layers
from aieloom.reference.results import torch_reference

if TYPE_CHECKING:
    import torch


BATCHES = (1, 10, 100, 1000)
WARM_UP, CALLS = 3, 20  # calls that are not counted, and that are
SECONDS = 2.0  # for all batches together: one that would take longer is left out
SPREAD = 0.3  # of the middle four fifths of the calls, as a share of their median: more is noise


@dataclass(frozen=True, kw_only=True)
class Times:
    """Seconds of a batch of so many images; none, and why, where they would say nothing."""

    seconds: Mapping[int, float]
    noise: str = ""


def machine() -> str:
    """Return this machine's processor by name, with how many there are."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    except OSError:
        models = []
    return f"{len(models)} x {models[0]}" if models else name


def measured(network: Network, parameters: Mapping[str, Parameters], x: Floats) -> Times:
    """Return what PyTorch takes for batches of `x` `(n, channels, height, width)`: float32, eager, on one thread.

    What counts is the time that the processor works for this thread: other programs do not add to it.
    """
    import torch  # noqa: PLC0415 - seconds of start-up

    run, threads = _forward(network, parameters), torch.get_num_threads()

    def call(size: int) -> Callable[[], object]:
        batch = torch.from_numpy(np.ascontiguousarray(np.resize(x, (size, *x.shape[1:]))))
        return lambda: run(batch)

    torch.set_num_threads(1)
    try:
        with torch.no_grad():
            return timed(call, time.thread_time)
    finally:
        torch.set_num_threads(threads)


def timed(call: Callable[[int], Callable[[], object]], clock: Callable[[], float]) -> Times:
    """Return the median of some calls for each size of a batch; nothing where the calls or the sizes contradict each other."""
    found: dict[int, float] = {}
    left, expected = SECONDS, 0.0
    for size in BATCHES:
        one = call(size)
        if expected > left or (first := _seconds(one, clock)) * (WARM_UP + CALLS) > left:
            break
        for _ in range(WARM_UP - 1):
            one()
        times = [_seconds(one, clock) for _ in range(CALLS)]
        low, _, *_, high = statistics.quantiles(times, n=10)
        found[size] = statistics.median(times)
        if high - low > SPREAD * found[size]:
            return Times(
                seconds={}, noise=f"calls of {size} images took {1e3 * low:.3g} to {1e3 * high:.3g} ms"
            )
        left -= first + sum(times)
        expected = 10 * found[size] * (WARM_UP + CALLS)
    return _checked(found)


def _seconds(call: Callable[[], object], clock: Callable[[], float]) -> float:
    began = clock()
    call()
    return clock() - began


def _checked(found: Mapping[int, float]) -> Times:
    """Return times of which more images take longer, else none."""
    if not found:
        return Times(seconds={}, noise=f"{WARM_UP + CALLS} calls of one image take more than {SECONDS:g} s")
    for (fewer, short), (more, long) in pairwise(found.items()):
        if long <= short:
            return Times(
                seconds={},
                noise=f"{more} images took {1e3 * long:.3g} ms, {fewer} of them {1e3 * short:.3g}",
            )
    return Times(seconds=found)


def _forward(
    network: Network, parameters: Mapping[str, Parameters]
) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return a function that takes a batch through PyTorch's operators; tensors are made once."""
    import torch  # noqa: PLC0415

    trained = {
        name: {n: torch.from_numpy(np.array(v)) for n, v in tensors.items()}
        for name, tensors in parameters.items()
    }

    def run(batch: torch.Tensor) -> torch.Tensor:
        passing = Passing(network.layers, batch)
        values = batch
        for layer in network.layers:
            operator = REGISTRY[layer.op]
            given = passing.take(layer)
            if layer.x.rows and operator.reads_outside and not isinstance(given, tuple):
                given = given.flatten(2).transpose(1, 2)
            values = operator.torch_forward(layer.spec, trained.get(layer.name, {}), given)
            passing.put(layer.name, values)
        return values

    return run


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
