"""What the network takes on this machine's processor by PyTorch: measured, the machine named, beside the modelled design."""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aieloom.network.layers import Network, Parameters
from aieloom.ops import REGISTRY
from aieloom.reference.forward import Passing, TorchOperator

if TYPE_CHECKING:  # seconds of start-up, and not everybody has it
    import torch

BATCHES = (1, 10, 100, 1000)
SECONDS = 2.0  # for all batches together: a batch that would take longer is left out
REPEATS = 5
Values = NDArray[np.float32]


def machine() -> str:
    """Return this machine's processor by name, with how many there are."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    except OSError:
        models = []
    return f"{len(models)} x {models[0]}" if models else name


def measured(
    network: Network, parameters: Mapping[str, Parameters], x: Values
) -> Iterator[tuple[int, float]]:
    """Yield sizes of batches and the seconds that PyTorch takes for one: the median of some runs behind one that warms up.

    `x` `(n, channels, height, width)` is repeated to a batch; float32, eager, with as many threads as PyTorch takes.
    """
    import torch  # noqa: PLC0415 - seconds of start-up

    run = _forward(network, parameters)
    left, expected = SECONDS, 0.0
    with torch.no_grad():
        for size in BATCHES:
            if expected > left:
                return
            batch = torch.from_numpy(np.ascontiguousarray(np.resize(x, (size, *x.shape[1:]))))
            run(batch)
            times: list[float] = []
            while len(times) < REPEATS and sum(times) < left / 2:
                began = time.perf_counter()
                run(batch)
                times.append(time.perf_counter() - began)
            took = statistics.median(times)
            left, expected = left - sum(times), 10 * took
            yield size, took


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
            assert isinstance(operator, TorchOperator)
            given = passing.take(layer)
            if layer.x.rows and operator.reads_outside and not isinstance(given, tuple):
                given = given.flatten(2).transpose(1, 2)
            values = operator.torch_forward(layer.spec, trained.get(layer.name, {}), given)
            passing.put(layer.name, values)
        return values

    return run
