"""A small ViT, for networks of integers and of floats."""

from __future__ import annotations

from tests.heavy import Module, nn, torch
from tests.onnx.tokens import Attention

SHAPE = (3, 8, 12)


class Vit(Module):
    """A small ViT: patches, a class token, places, a block whose heads are whole words, the class token's scores."""

    def __init__(self, width: int = 32, heads: int = 2, *, own: bool = False) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, 4, 4)
        self.token, self.place = (nn.Parameter(torch.randn(1, n, width)) for n in (1, 7))
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width), nn.LayerNorm(width)])
        self.attention = Attention(width, heads, own=own)
        self.wide = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.head = nn.Linear(width, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], 1) + self.place
        x = x + self.attention(self.norms[0](x))
        x = x + self.wide(self.norms[1](x))
        scores: torch.Tensor = self.head(self.norms[2](x)[:, 0])
        return scores
