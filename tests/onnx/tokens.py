"""A transformer on rows of tokens, exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.heavy import Module, nn, torch


def exported(module: Any, shape: tuple[int, ...], path: Path, *, opset: int = 17) -> np.ndarray:
    torch.manual_seed(len(shape))
    module.eval()
    x = torch.randn(2, *shape)
    torch.onnx.export(module, (x[:1],), path, opset_version=opset, dynamo=False)
    return np.asarray(x.numpy())


class Attention(Module):
    """Multi-head attention as timm writes it, or by PyTorch's own function."""

    def __init__(self, width: int, heads: int, *, own: bool) -> None:
        super().__init__()
        self.heads, self.own = heads, own
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: Any) -> Any:
        n, rows, width = x.shape
        q, k, v = (
            self.qkv(x).reshape(n, rows, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        )
        own = nn.functional.scaled_dot_product_attention
        y = own(q, k, v) if self.own else ((q * 0.5) @ k.transpose(-2, -1)).softmax(-1) @ v
        return self.out(y.transpose(1, 2).reshape(n, rows, width))


class Tokens(Module):
    """A small ViT: patches, a class token, places, a block with LayerScale, the class token's scores."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 4, 4)
        self.token, self.place = nn.Parameter(torch.randn(1, 1, 16)), nn.Parameter(torch.randn(1, 7, 16))
        self.norms = nn.ModuleList([nn.LayerNorm(16), nn.LayerNorm(16), nn.LayerNorm(16)])
        self.attention, self.gamma = Attention(16, 2, own=False), nn.Parameter(torch.randn(16))
        self.wide = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))
        self.head = nn.Linear(16, 5)

    def forward(self, x: Any) -> Any:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], 1) + self.place
        x = x + self.gamma * self.attention(self.norms[0](x))
        x = x + self.wide(self.norms[1](x))
        return self.head(self.norms[2](x)[:, 0])
