"""Dilated and transposed convolutions as plain ones, against PyTorch's own: of whole numbers to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aieloom.network.readers.convolutions import dilated, transposed
from aieloom.network.readers.refused import Refused
from tests.heavy import later, torch

f = later("torch.nn.functional")


def whole(random: np.random.Generator, *shape: int) -> Any:
    return torch.from_numpy(random.integers(-9, 10, shape).astype(np.float64))


@given(
    st.integers(0, 99),
    st.tuples(st.integers(1, 4), st.integers(1, 4)),
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
)
def test_a_dilated_kernel_is_a_larger_one(
    seed: int, kernel: tuple[int, int], dilation: tuple[int, int]
) -> None:
    random = np.random.default_rng(seed)
    x, weight = whole(random, 2, 3, 11, 12), whole(random, 4, 3, *kernel)
    wanted = f.conv2d(x, weight, dilation=dilation)
    found = f.conv2d(x, torch.from_numpy(dilated(weight.numpy(), dilation)))
    assert torch.equal(found, wanted)


@given(
    seed=st.integers(0, 99),
    stride=st.integers(1, 4),
    kernel=st.tuples(st.integers(1, 7), st.integers(1, 7)),
    begin=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    extra=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    groups=st.integers(1, 2),
    dilation=st.integers(1, 2),
)
def test_a_transposed_convolution_is_a_plain_one_and_a_shuffle(
    *,
    seed: int,
    stride: int,
    kernel: tuple[int, int],
    begin: tuple[int, int],
    extra: tuple[int, int],
    groups: int,
    dilation: int,
) -> None:
    random = np.random.default_rng(seed)
    x, weight = whole(random, 2, 2 * groups, 4, 5), whole(random, 2 * groups, 3, *kernel)
    assume(max(extra) < max(stride, dilation))
    sizes = [
        (n - 1) * stride - 2 * p + dilation * (k - 1) + e + 1
        for n, p, k, e in zip((4, 5), begin, kernel, extra, strict=True)
    ]
    assume(min(sizes) > 0)
    wanted = f.conv_transpose2d(
        x, weight, stride=stride, padding=begin, output_padding=extra, groups=groups, dilation=dilation
    )
    wide = dilated(weight.numpy(), (dilation, dilation))
    try:
        phases = transposed(
            wide, stride=(stride, stride), begin=begin, groups=groups, x=(4, 5), y=tuple(wanted.shape[2:])
        )
    except Refused:
        # Only what is no plain multiple of the input, or cuts off more than the kernel brings.
        reach = [
            s // stride - n + (stride - 1 + p) // stride for s, n, p in zip(sizes, (4, 5), begin, strict=True)
        ]
        assert (
            any(s % stride for s in sizes)
            or min(reach) < 0
            or any(p > k - 1 for p, k in zip(begin, wide.shape[2:], strict=True))
        )
        return
    top, left, bottom, right = phases.padding
    plain = f.conv2d(f.pad(x, (left, right, top, bottom)), torch.from_numpy(phases.weight), groups=groups)
    assert torch.equal(f.pixel_shuffle(plain, phases.upscale), wanted)


def test_unequal_strides_are_refused() -> None:
    with pytest.raises(Refused, match="has the strides"):
        transposed(np.ones((1, 1, 2, 2)), stride=(1, 2), begin=(0, 0), groups=1, x=(3, 3), y=(3, 6))
