"""Networks as PyTorch's exporter writes them, each imported and compared with onnx.reference, which runs the file itself."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from aieloom.errors import SpecError
from aieloom.network.readers.onnx_import import read_onnx
from tests.heavy import Module, later, nn, torch
from tests.onnx.exported import Shape, export
from tests.onnx.models import run_imported

ReferenceEvaluator = later("onnx.reference", "ReferenceEvaluator")

OPSETS = (
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
    19,
    20,
)  # all that torch.onnx.export writes without further packages
CASES: dict[str, tuple[Shape, Callable[[], nn.Module]]] = {}


def case(*shape: int) -> Callable[[Callable[[], nn.Module]], Callable[[], nn.Module]]:
    """Register a network that takes one input of this shape, without batch."""

    def register(make: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
        CASES[make.__name__] = (shape, make)
        return make

    return register


class Sum(Module):
    """The sum of what several branches make of the input; no branch stands for the input itself."""

    def __init__(self, *branches: nn.Module) -> None:
        super().__init__()
        self.branches = nn.ModuleList(branches)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        total: torch.Tensor = self.branches[0](x)
        for branch in self.branches[1:]:
            total = total + branch(x)
        return total


class Beside(Sum):
    """What several branches make of the input, one after another along the channels."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([branch(x) for branch in self.branches], dim=1)


def norm(channels: int) -> nn.BatchNorm2d:
    made = nn.BatchNorm2d(channels)
    assert made.running_mean is not None
    assert made.running_var is not None
    with torch.no_grad():
        made.running_mean.uniform_(-1, 1)
        made.running_var.uniform_(0.5, 2)
        made.weight.uniform_(0.5, 2)
        made.bias.uniform_(-1, 1)
    return made


def unit(ins: int, outs: int, kernel: int = 3, stride: int = 1, groups: int = 1) -> list[nn.Module]:
    """Return a convolution with a batch norm."""
    conv = nn.Conv2d(ins, outs, kernel, stride, kernel // 2, groups=groups, bias=False)
    return [conv, norm(outs)]


def block(ins: int, outs: int, stride: int = 1) -> nn.Module:
    """Return a residual block."""
    body = nn.Sequential(*unit(ins, outs, 3, stride), nn.ReLU(), *unit(outs, outs))
    short = nn.Identity() if ins == outs and stride == 1 else nn.Conv2d(ins, outs, 1, stride)
    return nn.Sequential(Sum(body, short), nn.ReLU())


@case(3, 9, 9)
def plain_cnn() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 4, 3, stride=2))


@case(1, 12, 12)
def lenet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.Tanh(), nn.AvgPool2d(2), nn.Conv2d(6, 8, 3), nn.Tanh(), nn.AvgPool2d(2),
        nn.Flatten(), nn.Linear(32, 12), nn.Tanh(), nn.Linear(12, 10),
    )  # fmt: skip


@case(3, 8, 8)
def vgg_like() -> nn.Module:
    return nn.Sequential(
        *unit(3, 4), nn.ReLU(), *unit(4, 4), nn.ReLU(), nn.MaxPool2d(2), *unit(4, 8), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Flatten(), nn.Linear(32, 5), nn.Softmax(1),
    )  # fmt: skip


@case(3, 8, 8)
def residual_block() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 4, 1), block(4, 4))


@case(3, 8, 8)
def resnet8() -> nn.Module:
    blocks = (block(2, 2), block(2, 4, 2), block(4, 6, 2))
    return nn.Sequential(
        *unit(3, 2), nn.ReLU(), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 10)
    )


@case(2, 8, 8)
def bottleneck() -> nn.Module:
    body = nn.Sequential(*unit(6, 2, 1), nn.ReLU(), *unit(2, 2), nn.ReLU(), *unit(2, 6, 1))
    return nn.Sequential(nn.Conv2d(2, 6, 1), Sum(body, nn.Identity()), nn.ReLU())


@case(4, 7, 7)
def residual_of_the_input() -> nn.Module:
    return Sum(nn.Conv2d(4, 4, 3, padding=1), nn.Identity())


@case(3, 6, 6)
def norms_of_the_instance() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 4, 1), nn.InstanceNorm2d(4, affine=True), nn.GroupNorm(2, 4), nn.ReLU())


@case(3, 6, 6)
def sum_of_three_branches() -> nn.Module:
    return Sum(nn.Conv2d(3, 5, 1), nn.Conv2d(3, 5, 3, padding=1), nn.Conv2d(3, 5, 5, padding=2))


@case(3, 8, 8)
def pre_activation_residual() -> nn.Module:
    body = nn.Sequential(nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1))
    return nn.Sequential(nn.Conv2d(3, 4, 3), Sum(body, nn.Identity()), Sum(nn.Identity(), nn.Tanh()))


@case(3, 8, 8)
def inception() -> nn.Module:
    pooled = nn.Sequential(nn.MaxPool2d(3, 1, 1), nn.Conv2d(3, 2, 1))
    return nn.Sequential(
        Beside(nn.Conv2d(3, 2, 1), nn.Conv2d(3, 3, 3, padding=1), pooled), nn.ReLU(), nn.Conv2d(7, 2, 1)
    )


@case(2, 6, 6)
def densely_connected() -> nn.Module:
    def grow(channels: int) -> nn.Module:
        return Beside(nn.Identity(), nn.Sequential(nn.Conv2d(channels, 2, 3, padding=1), nn.ReLU()))

    return nn.Sequential(grow(2), grow(4), grow(6), nn.Conv2d(8, 3, 1))


@case(3, 8, 8)
def squeeze_and_expand() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 2, 1), nn.ReLU(), Beside(nn.Conv2d(2, 3, 1), nn.Conv2d(2, 3, 3, padding=1)), nn.ReLU()
    )


@case(1, 8, 8)
def u_shaped() -> nn.Module:
    inner = nn.Sequential(
        nn.MaxPool2d(2), nn.Conv2d(4, 6, 3, padding=1), nn.ReLU(), nn.Upsample(scale_factor=2)
    )
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1),
        nn.ReLU(),
        Beside(inner, nn.Identity()),
        nn.Conv2d(10, 1, 1),
        nn.Sigmoid(),
    )


@case(4, 9, 9)
def depthwise_separable() -> nn.Module:
    return nn.Sequential(*unit(4, 4, 3, 1, 4), nn.ReLU(), *unit(4, 8, 1), nn.ReLU())


@case(3, 10, 10)
def inverted_residual() -> nn.Module:
    body = nn.Sequential(*unit(4, 8, 1), nn.ReLU6(), *unit(8, 8, 3, 1, 8), nn.ReLU6(), *unit(8, 4, 1))
    return nn.Sequential(*unit(3, 4, 3, 2), nn.ReLU6(), Sum(body, nn.Identity()))


@case(6, 6, 6)
def grouped() -> nn.Module:
    return nn.Sequential(nn.Conv2d(6, 9, 3, groups=3), nn.LeakyReLU(0.2), nn.Conv2d(9, 3, 1, groups=3))


@case(16)
def perceptron() -> nn.Module:
    return nn.Sequential(
        nn.Linear(16, 9), nn.ReLU(), nn.Linear(9, 7), nn.ReLU(), nn.Linear(7, 3), nn.Softmax(1)
    )


@case(12)
def perceptron_with_a_shortcut() -> nn.Module:
    return nn.Sequential(
        Sum(nn.Sequential(nn.Linear(12, 12), nn.ReLU(), nn.Linear(12, 12)), nn.Identity()), nn.Linear(12, 2)
    )


@case(10)
def wide_and_deep() -> nn.Module:
    deep = nn.Sequential(nn.Linear(10, 6), nn.Tanh(), nn.Linear(6, 4))
    return nn.Sequential(Beside(deep, nn.Linear(10, 3)), nn.Sigmoid())


@case(20)
def autoencoder() -> nn.Module:
    sizes = (20, 8, 3, 8, 20)
    layers: list[nn.Module] = []
    for ins, outs in pairwise(sizes):
        layers += [nn.Linear(ins, outs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


@case(2, 5, 13)
def odd_shapes() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(2, 3, (1, 7), (1, 2)), nn.ReLU(), nn.Conv2d(3, 5, (5, 1)), nn.Flatten(), nn.Linear(20, 3)
    )


@case(1, 1, 11)
def a_single_row() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 4, (1, 3)), nn.ReLU(), nn.MaxPool2d((1, 3)), nn.Flatten(), nn.Linear(12, 2)
    )


@case(3, 7, 5)
def uneven_borders() -> nn.Module:
    return nn.Sequential(nn.ZeroPad2d((2, 1, 0, 3)), nn.Conv2d(3, 2, 4, stride=3), nn.ConstantPad2d(1, 0.5))


@case(1, 6, 7)
def super_resolution() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 4, 5, padding=2), nn.Tanh(), nn.Conv2d(4, 9, 3, padding=1), nn.PixelShuffle(3)
    )


@case(2, 9, 9)
def pools_of_all_kinds() -> nn.Module:
    return nn.Sequential(
        nn.MaxPool2d(3, 2, 1), nn.AvgPool2d(3, 1, 1, count_include_pad=False), nn.Conv2d(2, 3, 1), nn.AvgPool2d(2),
        nn.AdaptiveMaxPool2d(1),
    )  # fmt: skip


@case(1, 9, 9)
def pools_that_round_up() -> nn.Module:
    return nn.Sequential(nn.Conv2d(1, 2, 2), nn.MaxPool2d(3, 2, ceil_mode=True), nn.LeakyReLU(0.3))


class Functions(Module):
    """What is written as functions in place of layers: mean, view, clamp."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.fc = nn.Linear(8, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.clamp(self.conv(x), -0.5, 0.75)
        both = torch.cat([y.mean(dim=(2, 3)), nn.functional.max_pool2d(y, 4).flatten(1)], dim=1)
        return torch.softmax(self.fc(both.view(both.size(0), -1)), dim=-1)


@case(3, 6, 6)
def functions() -> nn.Module:
    return Functions()


class Gates(Module):
    """Products of branches, the second one value a channel (squeeze and excitation), and functions of values."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3)
        self.squeeze = nn.Conv2d(4, 4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = nn.functional.hardswish(self.conv(x))
        y = y * nn.functional.hardsigmoid(self.squeeze(y.mean(dim=(2, 3), keepdim=True)))
        y = nn.functional.silu(y) - nn.functional.elu(y, 0.5)
        return torch.exp(y.permute(0, 2, 3, 1)) / 3 + torch.sqrt(torch.abs(y.permute(0, 2, 3, 1)))


@case(2, 4, 4)
def gates() -> nn.Module:
    return Gates()


@case(8)
def gelu_and_norm() -> nn.Module:
    return nn.Sequential(
        nn.Linear(8, 6), nn.GELU(), nn.LayerNorm(6), nn.Mish(), nn.Softplus(), nn.Linear(6, 3)
    )


class Affine(Module):
    """Numbers for each channel, by every operation."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        k = torch.tensor([0.5, -2.0, 3.0]).reshape(1, 3, 1, 1)
        return (k - ((x * k + k) / k - k)) / 2


@case(3, 4, 4)
def numbers_for_each_channel() -> nn.Module:
    fork = nn.Sequential(
        nn.Conv2d(3, 3, 1, bias=False), Sum(nn.Sequential(norm(3), nn.ReLU()), nn.Identity())
    )
    return nn.Sequential(
        norm(3), nn.ReLU(), fork, Affine(), nn.Flatten(), nn.Linear(48, 5), nn.ReLU(), nn.BatchNorm1d(5)
    )


@case(4, 5, 4)
def convolutions_that_become_plain_ones() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(4, 6, (3, 2), dilation=(1, 2), padding=(1, 1)),
        nn.PReLU(6, init=-0.5),
        nn.ConvTranspose2d(6, 4, 4, stride=2, padding=1, bias=False),
        nn.PReLU(),
        nn.ConvTranspose2d(4, 3, 3, stride=2, padding=2, output_padding=1, dilation=2),
        nn.Flatten(),
        nn.LogSoftmax(1),
    )


REFUSED: dict[str, tuple[Shape, Callable[[], nn.Module], str]] = {
    "a dilated pool": (
        (1, 9, 9),
        lambda: nn.Sequential(nn.Conv2d(1, 2, 1), nn.MaxPool2d(3, dilation=2)),
        "(MaxPool): has the dilations [2, 2]",
    ),
    "an uneven transposed window": (
        (1, 4, 4),
        lambda: nn.ConvTranspose2d(1, 2, 3, stride=2),
        "(ConvTranspose): makes 9 x 9 pixels of 4 x 4 by a stride of 2",
    ),
}


def check(name: str, opset: int, path: Path) -> None:
    torch.manual_seed(3)
    shape, make = CASES[name]
    x = export(make(), shape, opset, path)
    wanted = np.asarray(ReferenceEvaluator(str(path)).run(None, {"x": x})[0])
    y, _ = run_imported(path, x)
    np.testing.assert_allclose(y.reshape(wanted.shape), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_exported_networks_compute_what_their_files_say(name: str, tmp_path: Path) -> None:
    check(name, OPSETS[list(CASES).index(name) % len(OPSETS)], tmp_path / "model.onnx")


@pytest.mark.slow
@pytest.mark.parametrize("opset", OPSETS)
def test_exported_networks_of_every_opset(opset: int, tmp_path: Path) -> None:
    for name in CASES:
        check(name, opset, tmp_path / f"{name}.onnx")


@pytest.mark.parametrize("opset", OPSETS)
def test_norms_and_gelus_are_one_layer_whatever_the_opset(opset: int, tmp_path: Path) -> None:
    torch.manual_seed(3)
    path = tmp_path / "model.onnx"
    shape, make = CASES["gelu_and_norm"]
    export(make(), shape, opset, path)
    ops = [str(la["op"]) for la in read_onnx(path, shown_as=path.name).layers]
    assert ops[:3] == ["dense", "gelu", "layer_norm"] and ops.count("dense") == 2
    check("gelu_and_norm", opset, path)


def test_every_opset_from_eleven_on_is_met() -> None:
    met = {OPSETS[i % len(OPSETS)] for i in range(len(CASES))}
    assert met == set(OPSETS)
    assert len(CASES) >= 25


@pytest.mark.parametrize("name", REFUSED)
def test_exported_networks_that_cannot_be_taken_are_refused_by_node_and_operator(
    name: str, tmp_path: Path
) -> None:
    torch.manual_seed(3)
    shape, make, words = REFUSED[name]
    path = tmp_path / "model.onnx"
    export(make(), shape, 13, path)
    with pytest.raises(SpecError) as refused:
        read_onnx(path, shown_as=path.name)
    assert words in str(refused.value)
    assert "node '" in str(refused.value)
