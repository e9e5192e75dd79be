"""Products with a sparse B on AIE-ML: the compressed format of UG1583, every shape, what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.conformance import native
from tests.conformance.aie_api.lane_values import Array, bfloat16_to_float, operands, wrap

TEXT = (Path(__file__).resolve().parent / "programs" / "sparse.cpp").read_text(encoding="utf-8")
CASES = (
    (4, 16, 8, "int8", "int8"),
    (8, 16, 8, "uint8", "int8"),
    (4, 16, 16, "int8", "uint8"),
    (2, 16, 8, "int16", "int8"),
    (4, 16, 8, "int16", "uint8"),
    (2, 8, 8, "int16", "int16"),
    (4, 8, 8, "int16", "int16"),
    (2, 8, 16, "int16", "int16"),
    (4, 16, 4, "bfloat16", "bfloat16"),
    (4, 16, 8, "bfloat16", "bfloat16"),
)


def thinned(rng: np.random.Generator, values: Array) -> Array:
    """Return the values with at least two zeros among four consecutive ones, sometimes more."""
    groups = values.reshape(-1, 4).copy()
    for group in groups:
        group[rng.permutation(4)[: rng.integers(2, 5)]] = 0
    return groups.ravel()


def compressed(values: Array) -> bytes:
    """Return masks of 64 bits and the bytes that are not zero, each block filled up to 32 bits [UG1583]."""
    raw, out = values.tobytes(), b""
    for at in range(0, len(raw), 64):
        chunk = raw[at : at + 64]
        mask = sum(1 << i for i, byte in enumerate(chunk) if byte)
        block = mask.to_bytes(8, "little") + bytes(byte for byte in chunk if byte)
        out += block + bytes(-len(block) % 4)
    return out


def test_every_shape_with_a_sparse_b() -> None:
    rng = np.random.default_rng(60)
    data, expected = b"", []
    for m, k, n, kind_a, kind_b in CASES:
        a, b = operands(rng, kind_a, 2 * m * k), thinned(rng, operands(rng, kind_b, 2 * k * n))
        if kind_a == kind_b == "int16":
            a, b = a // 4, (b // 4).astype(np.int16)  # sums are read as 32 bits
        packed = compressed(b)
        data += a.astype(operands(rng, kind_a, 1).dtype).tobytes() + np.int32(len(packed)).tobytes() + packed
        wide = [bfloat16_to_float(v) if kind_a == "bfloat16" else v.astype(np.int64) for v in (a, b)]
        columns = wide[1].reshape(2, n, k).transpose(0, 2, 1)
        expected.append((wide[0].reshape(2, m, k) @ columns).sum(axis=0).ravel())
    output = native.run(TEXT, "aie-ml", data)
    at = 0
    for case, values in zip(CASES, expected, strict=True):
        got = np.frombuffer(
            output, dtype=np.float32 if case[3] == "bfloat16" else np.int32, count=values.size, offset=at
        )
        at += got.nbytes
        if case[3] == "bfloat16":
            np.testing.assert_allclose(got, values, rtol=1e-5, atol=1e-4, err_msg=str(case))
        else:
            np.testing.assert_array_equal(got, wrap(values, 32).astype(np.int64), err_msg=str(case))
    assert at == len(output)


def test_more_than_half_of_the_elements_is_refused() -> None:
    rng = np.random.default_rng(61)
    b = np.zeros(2 * 128, dtype=np.int8)
    b[4:7] = 1
    packed = compressed(b)
    data = operands(rng, "int8", 128).tobytes() + np.int32(len(packed)).tobytes() + packed
    done = native.execute(TEXT, "aie-ml", data)
    assert done.code == native.REFUSED
    assert "[aie-sparse] a sparse vector has more than two non-zero elements among four" in done.errors


ILLEGAL = {
    "aie-ml": {
        "aie::sparse_vector<int8, 64> v;": "1024 or 2048 bits",
        "aie::mmul<4, 8, 4, int8, int8> c; c.mul(aie::zeros<int8, 32>(), aie::zeros<int8, 64>());": "another number",
        "aie::mmul<8, 16, 8, int8, int8> c; c.mul(aie::zeros<int8, 128>(), aie::zeros<int8, 128>());": "no such shape",
        "aie::mmul<2, 8, 8, int8, int8> c; c.mul(aie::zeros<int8, 16>(), aie::sparse_vector<int8, 128>());": "sparse B",
        "static_cast<void>(aie::interleave_butterfly(aie::zeros<int16, 16>(), aie::zeros<int16, 16>(), 1));": "no function",
        "static_cast<void>(aie::interleave_crossover(aie::zeros<int16, 16>(), aie::zeros<int16, 16>(), 1));": "no function",
        "int16 x[8]; aie::begin_pattern<1, 2>(x);": "no public document",
    },
    "aie": {
        "aie::sparse_vector<int8, 128> v;": "AIE has no sparse vectors",
        "static_cast<void>(aie::interleave_butterfly(aie::zeros<int16, 16>(), aie::zeros<int16, 16>(), 1));": "no function",
        "int16 x[8]; aie::begin_pattern(x, 2);": "no public document",
    },
}


@pytest.mark.parametrize("arch", ILLEGAL)
def test_sparse_products_patterns_and_butterflies_that_do_not_exist(arch: str) -> None:
    lines = ["#include <aie_api/aie.hpp>"]
    lines += [f"void f{i}() {{ {code} }}" for i, code in enumerate(ILLEGAL[arch])]
    found = native.refusals("\n".join(lines) + "\n", arch)
    for number, (code, part) in enumerate(ILLEGAL[arch].items(), 2):
        assert any(part in message for message in found.get(number, [])), (code, found.get(number))
