"""A BERT-like encoder of tokens, mask and token types, with the mask's arithmetic as exporters of transformers write it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.heavy import Module, nn, torch
from tests.onnx_session import session as onnx_session

TOKENS, PLACES, WIDTH, HEADS = 50, 12, 32, 2
LEAST = float(np.finfo(np.float32).min)
NAMES = ("input_ids", "attention_mask", "token_type_ids")


class Encoder(Module):
    """A layer: attention whose scores a mask is added to, and two products."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])
        self.wide = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))

    def forward(self, x: Any, mask: Any) -> Any:
        q, k, v = (
            f(x).view(-1, PLACES, HEADS, WIDTH // HEADS).transpose(1, 2) for f in (self.q, self.k, self.v)
        )
        scores = q @ k.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5 + mask
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(-1, PLACES, WIDTH)
        x = self.norms[0](x + self.out(mixed))
        return self.norms[1](x + self.wide(x))


class Bert(Module):
    """Tables of words, places and types, a norm, layers. `mask`: how the mask of tokens becomes one of scores."""

    def __init__(self, mask: str, layers: int = 2, *, pooled: bool = False) -> None:
        super().__init__()
        self.mask, self.pool = mask, nn.Linear(WIDTH, WIDTH) if pooled else None
        self.words, self.types = nn.Embedding(TOKENS, WIDTH), nn.Embedding(2, WIDTH)
        self.places, self.norm = nn.Embedding(PLACES, WIDTH), nn.LayerNorm(WIDTH)
        self.layers = nn.ModuleList(Encoder() for _ in range(layers))

    def forward(self, ids: Any, mask: Any, types: Any) -> Any:
        x = self.words(ids) + self.types(types) + self.places(torch.arange(PLACES))
        x = self.norm(x)
        added = self._added(mask)
        for layer in self.layers:
            x = layer(x, added)
        return x if self.pool is None else (x, self.pool(x[:, 0]).cumsum(-1))

    def _added(self, mask: Any) -> Any:
        if self.mask == "product":
            return (1.0 - mask[:, None, None, :].to(torch.float32)) * LEAST
        whole = mask[:, None, None, :].expand(mask.shape[0], 1, PLACES, PLACES)
        if self.mask == "fill":
            hidden = 1.0 - whole.to(torch.float32)
            return hidden.masked_fill(hidden.to(torch.bool), LEAST)
        causal = torch.ones(PLACES, PLACES, dtype=torch.bool).tril()
        return torch.where((whole == 1) & causal, 0.0, LEAST)  # a decoder's


def samples(count: int, seed: int = 1) -> dict[str, np.ndarray]:
    """Return samples, each of its own length and types."""
    random, at = np.random.default_rng(seed), np.arange(PLACES)
    length, first = (random.integers(1, PLACES + 1, (count, 1)) for _ in range(2))
    length[0] = PLACES // 2
    ids = random.integers(0, TOKENS, (count, PLACES))
    return dict(
        zip(NAMES, (ids, (at < length).astype(np.int64), (at >= first).astype(np.int64)), strict=True)
    )


def exported(file: Path, mask: str, layers: int = 2, *, pooled: bool = False) -> None:
    """Write the model; `pooled`: with a second output of its first token, which onnxruntime alone computes."""
    torch.manual_seed(3)
    example = tuple(torch.from_numpy(v) for v in samples(1).values())
    module = Bert(mask, layers, pooled=pooled).eval()
    torch.onnx.export(module, example, file, opset_version=17, dynamo=False, input_names=list(NAMES))


def by_onnxruntime(file: Path, x: dict[str, np.ndarray]) -> np.ndarray:
    """Return what onnxruntime makes of samples, one after another."""
    session = onnx_session(file)
    count = len(next(iter(x.values())))
    each = ({name: v[i : i + 1] for name, v in x.items()} for i in range(count))
    return np.concatenate([session.run(None, one)[0] for one in each])
