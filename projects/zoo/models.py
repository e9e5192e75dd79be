"""The architectures of the zoo in PyTorch, written from their papers; weights are seeded, not trained.

ResNet: He et al. 2015 (arXiv 1512.03385), with the stride in the 3x3 convolution of a bottleneck. MobileNetV2: Sandler et al.
2018 (arXiv 1801.04381). DS-CNN: Zhang et al. 2017 (arXiv 1711.07128), as MLPerf Tiny sizes it: 49 x 10 features, 64 channels.
U-Net: Ronneberger et al. 2015 (arXiv 1505.04597) with padded convolutions and a quarter of the channels. The detector has the
backbone and two heads of Tiny YOLOv3 (Redmon and Farhadi 2018, arXiv 1804.02767), its maps side by side as one output.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import torch
from torch import nn


def conv(ins: int, outs: int, kernel: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """Return a convolution that keeps the size at stride 1, and its norm."""
    return nn.Sequential(
        nn.Conv2d(ins, outs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outs)
    )


class Residual(nn.Module):
    """Convolutions with ReLU between them, added to the input or its projection, ReLU."""

    def __init__(self, ins: int, stride: int, shape: list[tuple[int, int]]) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        channels, outs = ins, shape[-1][0]
        strided = next(i for i, (_, kernel) in enumerate(shape) if kernel > 1)
        for i, (width, kernel) in enumerate(shape):
            layers += [conv(channels, width, kernel, stride if i == strided else 1), nn.ReLU()]
            channels = width
        self.branch = nn.Sequential(*layers[:-1])
        self.skip = nn.Identity() if stride == 1 and ins == outs else conv(ins, outs, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the block's result."""
        return torch.relu(self.branch(x) + self.skip(x))


def resnet(blocks: list[int], *, bottleneck: bool) -> nn.Module:
    """Return a ResNet for 1,000 classes."""
    layers: list[nn.Module] = [conv(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    ins = 64
    for stage, count in enumerate(blocks):
        width = 64 << stage
        shape = [(width, 1), (width, 3), (4 * width, 1)] if bottleneck else [(width, 3), (width, 3)]
        for i in range(count):
            layers.append(Residual(ins, 2 if stage and i == 0 else 1, shape))
            ins = shape[-1][0]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(ins, 1000))


class Inverted(nn.Module):
    """A wide depthwise convolution between two of one pixel, added to the input where sizes agree."""

    def __init__(self, ins: int, outs: int, stride: int, factor: int) -> None:
        super().__init__()
        wide = ins * factor
        first = [conv(ins, wide, 1), nn.ReLU6()] if factor > 1 else []
        self.branch = nn.Sequential(
            *first, conv(wide, wide, 3, stride, wide), nn.ReLU6(), conv(wide, outs, 1)
        )
        self.adds = stride == 1 and ins == outs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the block's result."""
        y: torch.Tensor = self.branch(x)
        return x + y if self.adds else y


def mobilenet_v2() -> nn.Module:
    """Return MobileNetV2 of width 1 for 1,000 classes."""
    table = [
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ]
    layers: list[nn.Module] = [conv(3, 32, 3, 2), nn.ReLU6()]
    ins = 32
    for factor, outs, count, stride in table:
        for i in range(count):
            layers.append(Inverted(ins, outs, stride if i == 0 else 1, factor))
            ins = outs
    head = [conv(ins, 1280, 1), nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1280, 1000)]
    return nn.Sequential(*layers, *head)


def ds_cnn() -> nn.Module:
    """Return the keyword spotter of MLPerf Tiny: 12 classes of 49 x 10 features."""
    first = [
        nn.Conv2d(1, 64, (10, 4), 2, (5, 1), bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(),
    ]
    pairs = [m for _ in range(4) for m in (conv(64, 64, 3, 1, 64), nn.ReLU(), conv(64, 64, 1), nn.ReLU())]
    return nn.Sequential(
        *first, *pairs, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 12), nn.Softmax(1)
    )


def mobilenet_v1() -> nn.Module:
    """Return the person detector of MLPerf Tiny: MobileNetV1 of width 1/4 (arXiv 1704.04861), 2 classes of 96 x 96 pixels."""
    pairs = [(8, 16, 1), (16, 32, 2), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2)]
    pairs += [(128, 128, 1)] * 5 + [(128, 256, 2), (256, 256, 1)]
    layers: list[nn.Module] = [conv(3, 8, 3, 2), nn.ReLU()]
    for ins, outs, stride in pairs:
        layers += [conv(ins, ins, 3, stride, ins), nn.ReLU(), conv(ins, outs, 1), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 2), nn.Softmax(1))


class UNet(nn.Module):
    """Four levels down and up, each level's result beside what comes up from below."""

    def __init__(self, widths: tuple[int, ...] = (16, 32, 64, 128, 256), classes: int = 2) -> None:
        super().__init__()

        def twice(ins: int, outs: int) -> nn.Sequential:
            return nn.Sequential(conv(ins, outs, 3), nn.ReLU(), conv(outs, outs, 3), nn.ReLU())

        self.down = nn.ModuleList(twice(i, o) for i, o in zip((3, *widths), widths, strict=False))
        pairs = list(zip(widths[::-1], widths[-2::-1], strict=False))
        self.up = nn.ModuleList(nn.ConvTranspose2d(i, o, 2, 2) for i, o in pairs)
        self.join = nn.ModuleList(twice(2 * o, o) for _, o in pairs)
        self.pool = nn.MaxPool2d(2)
        self.last = nn.Conv2d(widths[0], classes, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the scores of each pixel."""
        kept: list[torch.Tensor] = []
        for level in self.down:
            x = level(self.pool(x) if kept else x)
            kept.append(x)
        for up, join, beside in zip(self.up, self.join, kept[-2::-1], strict=True):
            x = join(torch.cat([up(x), beside], 1))
        y: torch.Tensor = self.last(x)
        return y


class TinyYolo(nn.Module):
    """A backbone of seven convolutions and two heads, 13 x 13 and 26 x 26; the second's map is given in four quarters."""

    def __init__(self, outputs: int = 255) -> None:
        super().__init__()

        def unit(ins: int, outs: int, kernel: int = 3) -> nn.Sequential:
            return nn.Sequential(conv(ins, outs, kernel), nn.LeakyReLU(0.1))

        widths = (16, 32, 64, 128, 256)
        self.fine = nn.Sequential(
            *(m for i, o in zip((3, *widths), widths, strict=False) for m in (unit(i, o), nn.MaxPool2d(2)))
        )[:-1]
        self.coarse = nn.Sequential(nn.MaxPool2d(2), unit(256, 512), unit(512, 1024), unit(1024, 256, 1))
        self.head = nn.Sequential(unit(256, 512), nn.Conv2d(512, outputs, 1))
        self.up = nn.Sequential(unit(256, 128, 1), nn.Upsample(scale_factor=2))
        self.second = nn.Sequential(unit(384, 256), nn.Conv2d(256, outputs, 1), nn.MaxPool2d(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return both heads' maps, the finer one's largest of each four."""
        fine = self.fine(x)
        coarse = self.coarse(fine)
        second = self.second(torch.cat([self.up(coarse), fine], 1))
        return torch.cat([self.head(coarse), second], 1)


class Encoder(nn.Module):
    """A transformer's encoder layer, its norm before (DeiT) or behind (BERT) what it is added to."""

    def __init__(self, width: int, heads: int, *, first: bool) -> None:
        super().__init__()
        self.heads, self.first = heads, first
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])

    def attention(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Return what each token takes from all; `mask` is added to scores, (n, 1, 1, tokens)."""
        rows, width = x.shape[1:]
        parts = self.qkv(x).reshape(-1, rows, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = parts[0], parts[1], parts[2]
        scores = q @ k.transpose(-1, -2) * (width // self.heads) ** -0.5
        shares = torch.softmax(scores if mask is None else scores + mask, -1)
        y: torch.Tensor = self.out((shares @ v).transpose(1, 2).reshape(-1, rows, width))
        return y

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Return the layer's result."""
        a, b = self.norms
        if self.first:
            x = x + self.attention(a(x), mask)
            return x + self.wide(b(x))  # type: ignore[no-any-return]
        x = a(x + self.attention(x, mask))
        return b(x + self.wide(x))  # type: ignore[no-any-return]


class Deit(nn.Module):
    """DeiT-Tiny (Touvron et al. 2020, arXiv 2012.12877): 196 patches and a class token, which is scored."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 192, 16, 16)
        self.token, self.place = (nn.Parameter(0.02 * torch.randn(1, n, 192)) for n in (1, 197))
        self.layers = nn.Sequential(*(Encoder(192, 3, first=True) for _ in range(12)), nn.LayerNorm(192))
        self.head = nn.Linear(192, 1000)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the scores of 1,000 classes."""
        patches = self.patches(x).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.token.expand(len(x), -1, -1), patches], 1) + self.place
        y: torch.Tensor = self.head(self.layers(tokens)[:, 0])
        return y


class Lstm(nn.Module):
    """Two LSTM layers over 32 steps of 40 features, 12 classes of the last."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.head = nn.LSTM(40, 128, 2, batch_first=True), nn.Linear(128, 12)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the scores."""
        y: torch.Tensor = self.head(self.lstm(x)[0][:, -1])
        return y


WORDS = 30522  # of BERT's vocabulary
BERT = {"input_ids": (128, WORDS), "attention_mask": (128, 2), "token_type_ids": (128, 2)}


class Bert(nn.Module):
    """BERT-base (Devlin et al. 2018, arXiv 1810.04805) on 128 tokens: tables of words, places and types, 12 layers, a mask."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places, self.types = (nn.Embedding(n, 768) for n in (WORDS, 512, 2))
        self.norm = nn.LayerNorm(768, eps=1e-12)
        self.layers = nn.ModuleList(Encoder(768, 12, first=False) for _ in range(12))

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        """Return each token's features; a token whose mask is 0 gives nothing to others."""
        places = self.places(torch.arange(input_ids.shape[1]))
        x: torch.Tensor = self.norm(self.words(input_ids) + self.types(token_type_ids) + places)
        mask = (1.0 - attention_mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        for layer in self.layers:
            x = layer(x, mask)
        return x


Inputs: TypeAlias = (
    tuple[int, ...] | dict[str, tuple[int, int]]
)  # a shape; or by name tokens and what their numbers are below
MODELS: dict[str, tuple[Callable[[], nn.Module], Inputs]] = {
    "resnet18": (lambda: resnet([2, 2, 2, 2], bottleneck=False), (3, 224, 224)),
    "resnet50": (lambda: resnet([3, 4, 6, 3], bottleneck=True), (3, 224, 224)),
    "mobilenet_v2": (mobilenet_v2, (3, 224, 224)),
    "mobilenet_v1": (mobilenet_v1, (3, 96, 96)),
    "ds_cnn": (ds_cnn, (1, 49, 10)),
    "unet": (UNet, (3, 256, 256)),
    "tiny_yolo": (TinyYolo, (3, 416, 416)),
    "deit_tiny": (Deit, (3, 224, 224)),
    "bert": (Bert, BERT),
    "bert_int8": (Bert, BERT),
    "lstm": (Lstm, (32, 40)),
}
