"""SRS in every mode, bfloat16 rounding, fixed and floating point, sliding products, tables, tensor streams."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conformance import native
from tests.conformance.aie_api.cases import attempt, call, compare
from tests.conformance.aie_api.lane_values import TYPES, Array, operands, saturate, shift_round, wrap

MODES = [
    "floor",
    "ceil",
    "positive_inf",
    "negative_inf",
    "symmetric_inf",
    "symmetric_zero",
    "conv_even",
    "conv_odd",
]
MODES_ML = [*MODES, "symmetric_floor", "symmetric_ceil"]
ARCHITECTURES = ("aie", "aie-ml")
Named = list[tuple[str, Any]]


def accumulator_values(bits: int, seed: int) -> Array:
    """Ends of the range, small numbers of both signs, halves and quarters, and random numbers."""
    rng = np.random.default_rng(seed)
    high = (1 << (bits - 1)) - 1
    some = [high, -high - 1, 0, 1, -1, 2, -2, 3, -3, 8, -8, 24, -24, 40, -40, 127, 128, -128, -129, 255, 256]
    some += [int(rng.integers(-(1 << 20), 1 << 20)) for _ in range(6)]
    some += [int(rng.integers(-(1 << 40), 1 << 40)) & high for _ in range(32 - len(some))]
    return np.array(some, dtype=np.int64)


CASES = [("aie", 48, t, f"srs {t}") for t in ("int8", "uint8", "int16", "int32")]
CASES += [("aie", 80, "int32", "srs acc80 int32")]
CASES += [("aie-ml", 64, t, f"srs {t}") for t in ("int8", "uint8", "int16", "int32", "uint16")]
CASES += [("aie-ml", 32, "int8", "srs acc32 int8")]


@pytest.mark.parametrize(("arch", "bits", "kind", "case"), CASES)
def test_to_vector_shift_round_saturate_every_mode(arch: str, bits: int, kind: str, case: str) -> None:
    values = accumulator_values(min(bits, 64), 11)
    shifts = [0, 1, 2, 4, 7, 15, 20, 31] + ([-1, 40] if bits > 32 else [-1])
    data = np.array([len(shifts)], dtype=np.uint32), np.array(shifts, dtype=np.int32)
    width, signed = np.dtype(TYPES[kind]).itemsize * 8, kind.startswith("int")
    expected: Named = []
    for mode in MODES if arch == "aie" else MODES_ML:
        for saturation in ("none", "saturate", "symmetric"):
            for s in shifts:
                lanes = [saturate(shift_round(int(x), s, mode), width, signed, saturation) for x in values]
                expected.append((f"{mode} {saturation} >> {s}", np.array(lanes, dtype=object)))
    compare(call("convert", arch, case, values, *data), expected, TYPES[kind])


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_from_vector_and_back(arch: str) -> None:
    v = operands(np.random.default_rng(12), "int16", 32)
    expected: Named = [("from_vector", v.astype(np.int64) << 5), ("to_vector", v), ("to_vector_sign", v)]
    expected += [("extract", v[16:]), ("concat", np.concatenate([v, v]))]
    compare(call("convert", arch, "round trip", v), expected, np.int16)


def test_rounding_and_saturation_registers_defaults_codes_and_swap() -> None:
    codes = {"aie": [0, 1, 2, 3, 4, 5, 6, 7], "aie-ml": [0, 1, 9, 8, 11, 10, 12, 13, 2, 3]}
    for arch, modes in codes.items():
        out = np.frombuffer(call("convert", arch, "registers"), dtype=np.uint32).tolist()
        assert out == [0, 0, 0, 0, 3, *modes], arch


def test_to_vector_bfloat16_rounds_by_the_register() -> None:
    rng = np.random.default_rng(13)
    x = np.concatenate([rng.standard_normal(8), [0.0, -0.0, np.inf, -np.inf, 1e30, -1e-30]]).astype(
        np.float32
    )
    ties = np.array([0x3F808000, 0xBF818000], dtype=np.uint32).view(np.float32)
    x = np.concatenate([x, ties])
    words = [int(w) for w in x.view(np.uint32)]
    expected: Named = []
    for mode in MODES_ML:
        lanes = []
        for w in words:
            if w & 0x7FFFFFFF >= 0x7F800000:
                lanes.append(w >> 16)
                continue
            sign = w >> 31
            name = {"floor": "symmetric_floor"}.get(mode, mode)  # floor truncates
            magnitude = (w & 0x7FFFFFFF) * (-1 if sign else 1)
            lanes.append(abs(shift_round(magnitude, 16, name)) | sign << 15)
        expected.append((mode, np.array(lanes, dtype=np.uint16)))
    compare(call("convert", "aie-ml", "bfloat16", x), expected, np.uint16)


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_to_fixed_to_float_inv_sqrt_invsqrt_div(arch: str) -> None:
    x = np.array([1.25, -2.5, 0.03125, -0.09375, 1e9, -1e9, 3.0, 100.71875], dtype=np.float32)

    def fixed(values: Array, shift: int, kind: type) -> Array:
        scaled = values.astype(np.float64) * 2.0**shift
        nearest = np.rint(scaled) if arch == "aie" else np.sign(scaled) * np.ceil(np.abs(scaled) - 0.5)
        info = np.iinfo(kind)
        return np.clip(nearest, info.min, info.max).astype(kind)

    whole = fixed(x, 4, np.int32)
    magnitude = np.abs(x)
    expected: Named = [
        ("to_fixed int32", whole),
        ("to_fixed int16", fixed(np.concatenate([x, x]), 2, np.int16)),
        ("to_float", whole.astype(np.float32) / np.float32(16)),
        ("inv", np.float32(1) / x),
        ("sqrt", np.sqrt(magnitude)),
        ("invsqrt", np.float32(1) / np.sqrt(magnitude)),
        ("div", x / x[::-1]),
    ]
    compare(call("convert", arch, "fixed", x), expected, np.float32)


def slide(
    c: Array, d: Array, shape: tuple[int, int], steps: tuple[int, int, int], starts: tuple[int, int]
) -> Array:
    """Return out[l] = sum of c[(cs + p CS) mod |c|] * d[(ds + l DSY + p DSX) mod |d|]."""
    lanes, points = shape
    cs, dsx, dsy = steps
    total = np.zeros(lanes, dtype=c.dtype)
    for p in range(points):
        taps = [d[(starts[1] + i * dsy + p * dsx) % d.size] for i in range(lanes)]
        total = total + np.array(taps, dtype=c.dtype) * c[(starts[0] + p * cs) % c.size]
    return total


SLIDING = [
    ("aie", "sliding int16", "int16", "int16", (8, 4), (1, 1, 1), (16, 32)),
    ("aie", "sliding steps", "int16", "int16", (16, 2), (2, 1, 2), (16, 64)),
    ("aie", "sliding int32", "int32", "int32", (4, 2), (1, 2, 1), (8, 16)),
    ("aie", "sliding mixed", "int16", "int32", (8, 2), (1, 1, 1), (16, 16)),
    ("aie", "sliding float", "float", "float", (8, 3), (1, 1, 1), (8, 16)),
    ("aie-ml", "sliding int8", "int8", "int8", (32, 8), (1, 1, 1), (16, 64)),
    ("aie-ml", "sliding int16", "int16", "int16", (16, 4), (1, 2, 2), (16, 64)),
    ("aie-ml", "sliding few lanes", "int16", "int16", (8, 4), (1, 1, 1), (16, 64)),
    ("aie-ml", "sliding float", "float", "float", (32, 1), (1, 1, 1), (8, 32)),
]


@pytest.mark.parametrize("row", SLIDING, ids=lambda row: f"{row[0]} {row[1]}")
def test_sliding_mul_and_mac(row: tuple[Any, ...]) -> None:
    arch, case, tc, td, shape, steps, sizes = row
    rng = np.random.default_rng(14)
    c, d = operands(rng, tc, sizes[0]), operands(rng, td, sizes[1])
    if tc == "int32":
        c, d = c // 16, d // 16  # the sums fit 64 bits
    exact = (c, d) if tc == "float" else (c.astype(object), d.astype(object))
    first = slide(*exact, shape, steps, (3, 4 if steps[2] == 2 else 5))
    if tc == "float":
        second = first
        for p in range(shape[1]):  # one rounding after the other
            taps = [d[(2 + i * steps[2] + p * steps[1]) % d.size] for i in range(shape[0])]
            second = second + np.array(taps, dtype=np.float32) * c[(1 + p * steps[0]) % c.size]
        kind: Any = np.float32
    else:
        second = first + slide(*exact, shape, steps, (1, 2))
        bits = 32 if arch == "aie-ml" else 64 if tc == "int32" else 48
        first, second, kind = wrap(first, bits), wrap(second, bits), np.int64
    compare(call("convert", arch, case, c, d), [("mul", first), ("mac", second)], kind)


@pytest.mark.parametrize(("outputs", "channels", "points"), [(4, 8, 4), (8, 4, 8)])
def test_sliding_mul_ch_depthwise(outputs: int, channels: int, points: int) -> None:
    rng = np.random.default_rng(16)
    c, d = operands(rng, "int8", 64), operands(rng, "int8", 128)
    # depthwise convolution: rows of `channels`, from coefficient row 1 and data row 2
    taps, rows = c.reshape(-1, channels).astype(np.int64), d.reshape(-1, channels).astype(np.int64)
    want = [sum(taps[1 + p] * rows[2 + o + p] for p in range(points)) for o in range(outputs)]
    out = call("convert", "aie-ml", f"channels {outputs} {channels} {points}", c, d)
    compare(out, [("mul", np.concatenate(want))], np.int64)


def test_sin_cos_sincos() -> None:
    """As AMD's aie_api computes them (detail/aie1/elementary.hpp): radians to Q1.31 parts of pi, 20 bits, Q0.15, float."""
    x = np.array([0, 1e-5, -1e-5, 0.5, -1.25, 2.75, np.pi, -np.pi], dtype=np.float32)
    parts = np.rint((x * np.float32(1 / 3.14159265359)).astype(np.float64) * 2**31).clip(-(2**31), 2**31 - 1)
    radians = np.floor(parts / 2**12) * 2.0**-19 * np.pi
    sine, cosine = (
        (np.minimum(np.rint(f(radians) * 2**15), 2**15 - 1) / 2**15).astype(np.float32)
        for f in (np.sin, np.cos)
    )
    assert cosine[0] != 1  # no more than Q0.15 holds
    out = call("convert", "aie", "trigonometry", x)
    compare(out, [("sin", sine), ("cos", cosine), ("sincos: sin", sine), ("cos", cosine)], np.float32)


def duplicated(table: Array) -> Array:
    """Return the table with each 128 bits twice, one after the other."""
    blocks = table.view(np.uint8).reshape(-1, 16)
    return np.concatenate([blocks, blocks], axis=1).ravel().view(table.dtype)


def test_parallel_lookup_and_linear_approx() -> None:
    rng = np.random.default_rng(17)
    table = rng.integers(-100, 100, 16).astype(np.int16)
    v = np.array([-400, -33, -32, -31, -5, -4, -1, 0, 1, 3, 4, 27, 28, 31, 32, 400], dtype=np.int16)
    index = (v >> 2) + 8
    held = table[np.clip(index, 0, 15)]
    pair = np.clip((v >> 3) + 4, 0, 7)
    line = table[0::2][pair].astype(np.int64) * (v & 7) + (table[1::2][pair].astype(np.int64) << 2)
    expected: Named = [("1 access", held), ("2 accesses", held), ("4 accesses", held)]
    expected += [("truncate", table[index % 16]), ("linear_approx", line)]
    twice = duplicated(table)
    compare(call("convert", "aie-ml", "tables", v, table, twice, twice), expected, np.int16)


def test_parallel_lookup_reads_each_copy_of_the_table() -> None:
    table = np.arange(16, dtype=np.int16)
    v = np.full(16, -32, dtype=np.int16)
    wrong = np.repeat(table, 2)  # each value twice instead of each 128 bits
    wrong[8] = 99
    out = np.frombuffer(call("convert", "aie-ml", "tables", v, table, wrong, wrong), dtype=np.int16, count=32)
    assert out[16:].tolist() == [0, 99] * 8


def test_tensor_buffer_stream_order_depth_and_end() -> None:
    p = np.arange(512, dtype=np.int16)
    vectors = p.reshape(-1, 16)
    order = [i * 8 + j * 2 for i in range(2) for j in range(3)]
    order += [i * 16 + j * 3 + k for i in range(2) for j in range(2) for k in range(2)]
    outcome = attempt("convert", "aie-ml", "tensors", p)
    assert outcome.code == native.REFUSED
    assert "[aie-tensor]" in outcome.errors
    np.testing.assert_array_equal(np.frombuffer(outcome.output, dtype=np.int16), vectors[order].ravel())


def test_a_symmetric_filter_of_two_sides_takes_all_coefficients_of_its_instructions() -> None:
    # AMD's 24 symmetric taps (Vitis Tutorials, RTP reconfiguration): three calls <4, 4> with four coefficients each.
    rng = np.random.default_rng(18)
    taps = rng.integers(-3000, 3000, 12).astype(np.int16)
    data = rng.integers(-3000, 3000, (27, 2)).astype(np.int16)
    samples = data[:, 0].astype(np.int64) + 1j * data[:, 1]
    whole = np.concatenate([taps, taps[::-1]]).astype(np.int64)  # a linear phase filter
    expected = [sum(whole[t] * samples[o + t] for t in range(24)) for o in range(4)]
    out = np.frombuffer(
        call("convert", "aie", "linear phase", np.append(taps, np.zeros(4, np.int16)), data), np.int64
    )
    assert (out[0::2] + 1j * out[1::2]).tolist() == expected
