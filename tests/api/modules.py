"""PyTorch modules of layers of network.yaml."""

from __future__ import annotations

from typing import Any

from aieloom.flow.onnx_project import network_yaml
from aieloom.network.readers.torch_module import read_module
from aieloom.network.weights import layer_parameters, match_weights
from aieloom.ops import REGISTRY
from aieloom.reference.results import torch_reference
from tests.designs import network_of
from tests.heavy import Module, nn, torch


class Of(Module):
    """A function between a convolution and the result."""

    def __init__(self, function: Any, channels: int = 4) -> None:
        super().__init__()
        self.first = nn.Conv2d(2, channels, 3, padding=1)
        self.function = function

    def forward(self, x: Any) -> Any:
        return self.function(self.first(x))


def as_layers(module: Any, x: Any) -> tuple[Any, Any]:
    """Return PyTorch's result of the layers that a module becomes, and the module's."""
    module.eval()
    network, shape = read_module(module, x)
    written = network_of(network_yaml(network, "net", "a module", "vck190"))
    shapes = {n: t.shape for n, t in network.tensors.items()}
    match = match_weights(written, shapes, file="module", operators=REGISTRY)
    inside = written.x.to_inside(x.numpy())
    y = written.y.to_outside(torch_reference(written, layer_parameters(dict(network.tensors), match), inside))
    with torch.no_grad():
        return y.reshape(len(x), *shape), module(x).numpy()
