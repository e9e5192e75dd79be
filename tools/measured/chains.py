"""Rows about whole chains of layers, one kernel after another, for one sample."""

from __future__ import annotations

import re
from dataclasses import dataclass

from aieloom.cost.kernels import Values, gemm_kernel
from aieloom.cost.loops import Issue, Loop, Ops, cycles
from aieloom.cost.machine import STREAM_BYTES
from tools.measured.kernels import RowConvolution, flat, row_convolution
from tools.measured.products import make_gemm
from tools.measured.rows import CannotModel, MeasuredRow, dims, from_cycles

WEIGHT_WORDS = 4096  # a dense layer of that tool is cut so that a core holds 16 KB of fp32 weights
LANES = 8  # fp32 vector
BATCH = 4  # parts of 32 rows of a 128-row event, one after another unless the chain is copied


@dataclass(slots=True)
class _Walk:
    """The cycles so far and the shape of what travels: height, width, channels (or 1, 1, features)."""

    height: int
    width: int
    channels: int
    total: float

    @property
    def words(self) -> int:
        return self.height * self.width * self.channels


def chain(p: Values, row: MeasuredRow) -> tuple[float, str]:
    """Return the time of one sample through a chain of layers that the shape spells out.

    Raises:
        CannotModel: it does not spell them out.
    """
    if row.metric not in ("cycles", "latency_us"):
        raise CannotModel("a chain's rate needs how its layers are cut over the cores; the row does not say")
    if "dense" in row.shape:
        return from_cycles(row, _rows_of_32(p, row)), "chain of small dense layers"
    parts = [part.strip() for part in re.split(r"->|\+", row.shape)]
    first = dims(parts[0]) if parts else None
    if not first or len(parts) < 2:
        raise CannotModel("the row does not give the shapes of the layers")
    if row.arch != "aie" or row.dtype_in != "fp32":
        raise CannotModel(f"chains of {row.dtype_in} layers on {row.arch} are not calibrated")
    height, width, channels = (1, 1, first[1]) if len(first) == 2 else first[:3]
    walk = _Walk(height, width, channels, p["chain.start"])
    for part in parts[1:]:
        _layer(p, walk, part, previous=part is not parts[1])
    return from_cycles(row, walk.total), "chain of layers"


def _layer(p: Values, walk: _Walk, text: str, *, previous: bool) -> None:
    """Add one layer's hand-over and kernel."""
    if previous:
        walk.total += p["hand_over.base"] + p["hand_over.word"] * walk.words
    conv = re.fullmatch(r"conv(\d+)x(\d+)x(\d+)", text)
    if conv:
        _conv(p, walk, *(int(v) for v in conv.groups()))
    elif text == "pool":
        walk.total += flat(p, trips=walk.words * 4 / 32, each=p["pool.vector"]).cycles
        walk.height, walk.width = walk.height // 2, walk.width // 2
    elif re.fullmatch(r"\d+(-\d+)*", text):
        _denses(p, walk, [int(v) for v in text.split("-")])
    elif text in ("softmax", "argmax"):
        each = "softmax.exp_libm" if text == "softmax" else "scalar.move"
        walk.total += flat(p, trips=walk.words, each=p[each]).cycles
    else:
        raise CannotModel(f"no model for the layer '{text}' of the chain")


def _conv(p: Values, walk: _Walk, height: int, width: int, channels: int) -> None:
    rows, columns = walk.height - height + 1, walk.width - width + 1
    kernel = row_convolution(
        p,
        RowConvolution(
            outputs=channels * rows * -(-columns // LANES),
            rows=walk.channels * height,
            width=width,
            stride=1,
            style="conv.fp32_plain",
            streamed=False,
        ),
    )
    walk.total += kernel.cycles
    walk.height, walk.width, walk.channels = rows, columns, channels


def _denses(p: Values, walk: _Walk, sizes: list[int]) -> None:
    """Dense layers; several cores share one, and a kernel joins their parts."""
    targets = sizes[1:] if sizes[0] == walk.words and len(sizes) > 1 else sizes
    for number, out in enumerate(targets):
        if number:
            walk.total += p["hand_over.base"] + p["hand_over.word"] * walk.words
        columns = min(-(-out // LANES) * LANES, max(LANES, WEIGHT_WORDS // walk.words // LANES * LANES))
        nest = Loop(trips=columns // LANES, body=(Ops(macs=walk.words),), each=p["dense.fp32.output"])
        walk.total += p["call"] + cycles([nest], Issue(mac=p["dense.fp32.mac"]))
        if columns < out:
            walk.total += p["hand_over.base"] + flat(p, trips=out, each=p["copy.word"]).cycles
        walk.height, walk.width, walk.channels = 1, 1, out


def _rows_of_32(p: Values, row: MeasuredRow) -> float:
    """Small dense layers, retilings and concatenations between neighbours, over parts of 32 rows."""
    stages: list[float] = []
    words = first_words = 0.0
    for m, k, n in re.findall(r"dense (\d+)x(\d+)x(\d+)", row.shape):
        size = int(m), int(k), int(n)
        stages.append(gemm_kernel(p, row.arch, make_gemm(row.arch, "int8", "int8", size)).cycles)
        words = size[0] * size[2] / STREAM_BYTES
        first_words = first_words or size[0] * size[1] / STREAM_BYTES
    if not stages:
        raise CannotModel("the row does not give the shapes of the layers")
    copied = "parallel copies" in row.notes and "before fusion" not in row.notes
    join = (
        "chain.retile_word" if copied else "chain.join_word"
    )  # joined on the way in, or in a kernel of its own
    stages += [p["call"] + words * p["chain.retile_word"]] * _retilings(row.shape)
    stages += [p["call"] + first_words * p[join]] * row.shape.count("concat")
    once = sum(stages) + p["chain.hop"] * (len(stages) + 1)
    return once if copied else once + (BATCH - 1) * (max(stages) + p["chain.hop"])


def _retilings(text: str) -> int:
    counted = re.search(r"(\d+) retile", text)
    return int(counted[1]) if counted else text.count("retile")
