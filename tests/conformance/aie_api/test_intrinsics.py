"""Native types and intrinsics of AIE against the lane formulas of UG1078 and UG1079, in Python integers and float32."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conformance.aie_api.blocks import nibbles, symmetric, x_block
from tests.conformance.aie_api.cases import call, compare
from tests.conformance.aie_api.lane_values import Array, operands, saturate, shift_round, wrap

Named = list[tuple[str, Any]]


def chosen(buffer: Array, start: int, low: int, high: int = 0, lanes: int = 8) -> Array:
    """Return the lanes of a buffer of elements of 32 bits or more."""
    return np.array(
        [buffer[(start + n) % buffer.size] for n in nibbles(low, high)[:lanes]], dtype=buffer.dtype
    )


def test_fpmul_fpmac_fpadd_fpmax_fpselect_and_the_rest_of_the_float_unit() -> None:
    p = operands(np.random.default_rng(30), "float", 24)
    x, z = p[:16], p[16:]
    identity = 0x76543210
    first = chosen(x, 3, identity) * chosen(z, 1, 0x00112233)
    acc = first + chosen(x, 9, 0x02468ACE) * chosen(z, 5, 0x77777777)
    low, high = chosen(x, 0, identity), chosen(x, 8, identity)
    taken = np.array([0x5A >> i & 1 for i in range(8)], dtype=bool)
    expected: Named = [
        ("fpmul", first),
        ("fpmac", acc),
        ("fpmsc", acc - chosen(x, 0, 0x11111111) * chosen(z, 0, identity)),
        ("fpmac without offsets", acc + z * z),
        ("fpadd", acc + chosen(x, 2, identity)),
        ("fpsub", acc - chosen(x, 2, identity)),
        ("fpmax", np.maximum(acc, chosen(x, 0, 0x01234567))),
        ("fpmin", np.minimum(acc, chosen(x, 0, 0x01234567))),
        ("fpneg", -z),
        ("fpabs", np.abs(chosen(x, 4, identity))),
        ("fplt", np.uint32(sum(int(b) << i for i, b in enumerate(acc < low)))),
        ("fpselect", np.where(taken, high, low)),
        ("fpmul by null", np.zeros(8, dtype=np.float32) * z),
        ("fpmul of one buffer", chosen(x, 1, identity) * chosen(x, 9, 0x11111111)),
        ("fpmac of one buffer", acc + high * chosen(x, 0, 0x01234567)),
        ("sqrt of an accumulator", np.sqrt(np.abs(z))),
        ("select8 of whole vectors", np.concatenate([z[:4], acc[4:]])),
        ("log2", np.full(8, 9, dtype=np.float32)),
    ]
    compare(call("intrinsics", "aie", "float", p), expected, np.float32)


def test_parts_elements_ups_srs_lsrs_bsrs_ubsrs_and_the_mode_registers() -> None:
    p = operands(np.random.default_rng(31), "int16", 64)
    w = p[:16]
    x = np.concatenate([w, w])
    x[8:16] = x[:8]
    changed = w.copy()
    changed[3] = 77
    wide = w.astype(np.int64)
    acc = wide << 4
    half = np.concatenate([acc[8:], acc[8:]])

    def held(bits: int, signed: bool) -> Array:
        return np.array(
            [saturate(shift_round(int(v), 6, "conv_even"), bits, signed, "saturate") for v in acc]
        )

    expected: Named = [
        ("concat, upd_w, upd_v, ext_v", x),
        ("ext_w", w),
        ("upd_elem", changed),
        ("shft_elem", np.concatenate([np.array([55], dtype=np.int16), w[:15]])),
        ("ext_elem", np.int32(w[9])),
        ("as_v8int32", w.view(np.int32)),
        ("ups", acc),
        ("srs", w),
        ("ext_hi", w[8:]),
        ("upd_lo, lsrs", (half >> 2).astype(np.int32)),
        ("bsrs", held(8, True).astype(np.int8)),
        ("ubsrs", held(8, False).astype(np.uint8)),
        ("get_sat, get_rnd", np.int32(106)),
        (
            "bsrs without saturation",
            np.array([shift_round(int(v), 6, "conv_even") & 255 for v in acc]).astype(np.uint8),
        ),
        ("mul", wide * wide),
        ("mac", acc + wide * wide),
    ]
    compare(call("intrinsics", "aie", "parts", p), expected, np.int64)


def mac16bit(
    x: Array, z: Array, lanes: int, xs: tuple[int, int, int, int, int], zs: tuple[int, int, int, int]
) -> Array:
    """Return the sums of products: xs is start, offsets, offsets_hi, step, square; zs start, offsets, hi, step."""
    columns = 32 // lanes
    offsets, taps = nibbles(xs[1], xs[2]), nibbles(zs[1], zs[2])
    total = [
        sum(
            x_block(x, xs[0], offsets, xs[4], (lane, c, xs[3]))
            * int(z[(zs[0] + taps[lane] + c * zs[3]) % z.size])
            for c in range(columns)
        )
        for lane in range(lanes)
    ]
    return np.array(total, dtype=object)


def test_documented_example_of_16_bit_data_selection() -> None:
    """UG1079, MAC on 16x16 bits: 0x24 picks 8, 9 and 14, 15; square 0x2103 puts 3, 0 in the even row, 1, 2 in the odd."""
    x = np.arange(64)
    offsets = nibbles(0x24)
    picked = [x_block(x, 0, offsets, 0x3210, (lane, c, 0)) for lane in (0, 1) for c in (0, 1)]
    assert picked == [8, 9, 14, 15]
    twiddled = [x_block(x, 0, nibbles(0), 0x2103, (lane, c, 0)) for lane in (0, 1) for c in (0, 1)]
    assert twiddled == [3, 0, 1, 2]


def test_mac8_mac16_msc8_of_int16_with_offsets_steps_and_squares() -> None:
    rng = np.random.default_rng(32)
    x, z = operands(rng, "int16", 64), operands(rng, "int16", 16)
    a8 = mac16bit(x, z, 8, (2, 0x24130200, 0, 4, 0x2103), (3, 0x76543210, 0, 2))
    b8 = mac16bit(x, z, 8, (0, 0x03020100, 0, 2, 0x3210), (0, 0, 0, 1))
    a16 = mac16bit(x, z, 16, (0, 0x03020100, 0x07060504, 0, 0x2110), (0, 0, 0, 1))
    b16 = mac16bit(x, z, 16, (8, 0x00112233, 0x44556677, 0, 0x3120), (2, 0x12345678, 0x9ABCDEF0, 3))
    expected: Named = [
        ("mul8", wrap(a8, 48)),
        ("mac8", wrap(a8 + b8, 48)),
        ("msc8", wrap(a8, 48)),
        ("mul16", wrap(a16, 48)),
        ("mac16", wrap(a16 + b16, 48)),
    ]
    compare(call("intrinsics", "aie", "int16", x, z), expected, np.int64)


def mac_wide(
    x: Array, z: Array, shape: tuple[int, int], xs: tuple[int, int, int], zs: tuple[int, int, int]
) -> Array:
    """Return the sums for elements of 32 bits or more: xs and zs are start, offsets, step; shape lanes, columns."""
    lanes, columns = shape
    total = np.zeros(lanes, dtype=object)
    for lane in range(lanes):
        for c in range(columns):
            data = x[(xs[0] + nibbles(xs[1])[lane] + c * xs[2]) % x.size]
            total[lane] += data * z[(zs[0] + nibbles(zs[1])[lane] + c * zs[2]) % z.size]
    return total


def test_mul8_lmac8_lmul4_mac4_of_wide_and_complex_elements() -> None:
    rng = np.random.default_rng(33)
    x32, z16, z32 = (
        operands(rng, "int32", 16) // 4,
        operands(rng, "int16", 16),
        operands(rng, "int32", 8) // 4,
    )
    cx, cz = (
        rng.integers(-1000, 1000, (16, 2)).astype(np.int16),
        rng.integers(-1000, 1000, (8, 2)).astype(np.int16),
    )
    x, y, z = (v.astype(object) for v in (x32, z16, z32))
    u, w = (v[:, 0].astype(object) + 1j * v[:, 1].astype(object) for v in (cx, cz))

    def parts(values: Array) -> Array:
        return np.array([[int(complex(v).real), int(complex(v).imag)] for v in values]).ravel()

    square = mac_wide(x, z, (8, 1), (5, 0xFEDCBA98, 0), (1, 0x01234567, 0))
    square = square + mac_wide(x, z, (8, 1), (0, 0x11111111, 0), (0, 0x76543210, 0))
    four = mac_wide(u, w, (4, 2), (2, 0x3210, 1), (0, 0x1100, 2)) + mac_wide(
        u, w, (4, 2), (0, 0x0123, 3), (1, 0x3210, 1)
    )
    expected: Named = [
        ("mul8 int32 x int16", wrap(mac_wide(x, y, (8, 2), (1, 0x76543210, 2), (3, 0x00001111, 1)), 48)),
        ("lmul8, lmac8", square),
        ("lmul4", mac_wide(x, z, (4, 2), (3, 0x3210, 4), (2, 0x0246, 1))),
        ("mul4, mac4 cint16", parts(four)),
        ("mul8 cint16", parts(mac_wide(u, w, (8, 1), (2, 0x76543210, 0), (3, 0, 0)))),
        ("mul8 cint16 x int16", parts(mac_wide(u, y, (8, 2), (2, 0x76543210, 1), (3, 0, 1)))),
    ]
    compare(call("intrinsics", "aie", "wide", x32, z16, z32, cx, cz), expected, np.int64)


def pairs_of_16_bits(s: Array, start: int, offsets: tuple[int, int], square: int) -> Array:
    """Return 32 lanes of 16 bits, chosen in pairs and permuted in fours [UG1079 Data Shuffle]."""
    order, lanes = nibbles(*offsets), []
    for lane in range(32):
        even, odd = order[lane // 4 * 2], order[lane // 4 * 2 + 1]
        four = [2 * even, 2 * even + 1, 2 * (even + odd + 1), 2 * (even + odd + 1) + 1]
        lanes.append(s[(start + four[square >> 4 * (lane % 4) & 15]) % s.size])
    return np.array(lanes, dtype=np.int16)


def test_shuffle_select_max_abs() -> None:
    rng = np.random.default_rng(34)
    x, s = operands(rng, "int32", 16), operands(rng, "int16", 32)
    identity = (0x76543210, 0xFEDCBA98)
    chosen_pairs = pairs_of_16_bits(s, 4, (0x03020100, 0x10203040), 0x2103)
    twice = np.concatenate([s, s])
    evens = (0x06040200, 0x0E0C0A08)
    maxima = np.maximum(pairs_of_16_bits(twice, 0, evens, 0x3210), pairs_of_16_bits(twice, 4, evens, 0x2103))
    taken = np.arange(16) >= 8
    other = chosen(x, 1, 0x11111111, 0x22222222, 16)
    turned = chosen(x, 1, *identity, 16)
    expected: Named = [
        ("shuffle16", chosen(x, 3, *identity, 16)),
        ("shuffle8", chosen(x, 1, 0x02468ACE)),
        ("select16", np.where(taken, other, chosen(x, 0, *identity, 16))),
        ("select8", np.where(np.arange(8) < 4, x[8:], x[:8])),
        ("shuffle32", chosen_pairs),
        ("max16", np.maximum(x, turned)),
        ("abs32", np.array([v if v >= 0 else wrap(np.array([-int(v)]), 16)[0] for v in s]).astype(np.int16)),
        ("max32 of chosen lanes", maxima),
        (
            "sub16",
            wrap(chosen(x, 3, *identity, 16).astype(object) - chosen(x, 1, 0x02020202, 0x11111111, 16), 32),
        ),
    ]
    compare(call("intrinsics", "aie", "select", x, s), expected, np.int32)


def parts_of(sums: Array) -> Array:
    """Return real and imaginary parts in turn, as 48-bit numbers."""
    flat = np.array([n for s in sums for n in ((s.real, s.imag) if isinstance(s, complex) else (s,))])
    return wrap(np.array([int(n) for n in flat], dtype=object), 48)


def test_symmetric_macs_add_or_subtract_two_numbers_first() -> None:
    rng = np.random.default_rng(36)
    pairs = rng.integers(-3000, 3000, (2, 16, 2)).astype(np.int16)
    z = rng.integers(-3000, 3000, 16).astype(np.int16)
    w, wz = rng.integers(-9999, 9999, 16).astype(np.int32), rng.integers(-9999, 9999, 8).astype(np.int32)
    x, y = (np.array([complex(re, im) for re, im in p.tolist()]) for p in pairs)
    zs, wide, wide_z = z.tolist(), w.tolist(), wz.tolist()
    first = symmetric((x, 3, 0x3210, 1), (x, 12), (zs, 4, 0, 1), (4, 4))
    second = first + symmetric((x, 6, 0x6420, 2), (y, 8), (zs, 0, 0x3210, 2), (4, 4))
    expected: Named = [
        ("mul4_sym", parts_of(first)),
        ("mac4_sym", parts_of(second)),
        (
            "msc4_antisym",
            parts_of(second - symmetric((x, 1, 0x0123, 3), (y, 14), (zs, 1, 0, 1), (4, 4), sign=-1)),
        ),
        ("mul4_sym_ct", parts_of(symmetric((x, 14, 0x6420, 2), (y, 0), (zs, 8, 0, 1), (4, 4), center=5))),
        (
            "mac4_sym_ct",
            parts_of(second + symmetric((x, 2, 0x3210, 1), (x, 9), (zs, 3, 0, 1), (4, 4), center=4)),
        ),
        ("negmul8", parts_of(-symmetric((x, 5, 0x76543210, 1), (x, 2), (zs, 0, 0, 1), (8, 2), sign=-1))),
        ("lmul4_sym", symmetric((wide, 1, 0x3210, 2), (wide, 11), (wide_z, 2, 0, 1), (4, 2))),
    ]
    compare(call("intrinsics", "aie", "symmetric", *pairs, z, w, wz), expected, np.int64)


def symmetric_16(x: Any, y: Any, z: Any, lanes: int, sign: int = 1) -> Array:
    """Return lanes that add (subtract) two numbers of 16 bits first: y has x's offsets, and a start and a square of its own."""
    (data, start, offsets, square, step), (other, ystart, ysquare), (factors, zstart, zoffsets, zstep) = (
        x,
        y,
        z,
    )
    sums = []
    for lane in range(lanes):
        total = 0
        for column in range(32 // lanes):
            near = x_block(data, start + column // 2 * step, offsets, square, (lane, column % 2, 0))
            far = x_block(other, ystart - column // 2 * step, offsets, ysquare, (lane, column % 2, 0))
            total += (near + sign * far) * int(
                factors[(zstart + zoffsets[lane] + column * zstep) % len(factors)]
            )
        sums.append(total)
    return np.array(sums, dtype=object)


def test_symmetric_macs_of_16_bit_data() -> None:
    rng = np.random.default_rng(41)
    x, y = rng.integers(-3000, 3000, (2, 32)).astype(np.int16)
    z, w = rng.integers(-3000, 3000, 16).astype(np.int16), rng.integers(-9999, 9999, 16).astype(np.int32)
    straight, none = nibbles(0x03020100, 0x07060504), [0] * 16
    first = symmetric_16((x, 4, straight, 0x2110, 0), (y, 18, 0x2312), (z, 3, none, 1), 16)
    offsets, zoffsets = nibbles(0x00112233, 0x44556677), nibbles(0x12345678, 0x9ABCDEF0)
    second = first + symmetric_16((x, 8, offsets, 0x3120, 0), (x, 30, 0x1203), (z, 2, zoffsets, 3), 16)
    third = second - symmetric_16((x, 0, straight, 0x3210, 0), (y, 2, 0x3210), (z, 0, none, 1), 16, -1)
    half = symmetric_16((x, 6, straight, 0x2110, 2), (y, 20, 0x2312), (z, 1, none, 1), 8)
    other = nibbles(0x24130200)
    last = half + symmetric_16(
        (x, 2, other, 0x2103, 4), (x, 28, 0x3210), (z, 0, nibbles(0x76543210), 2), 8, -1
    )
    wide: Any = [int(v) for v in w]
    centre = symmetric((wide, 3, 0x76543210, 0), (wide, 12), (z.tolist(), 2, 0, 1), (8, 2), center=5)
    named = [("mul16_sym", first), ("mac16_sym", second), ("msc16_antisym", third)]
    named += [("mul8_sym", half), ("mac8_antisym", last), ("lmul8_sym_ct", centre)]
    expected: Named = [(name, wrap(sums, 48).astype(np.int64)) for name, sums in named]
    compare(call("intrinsics", "aie", "symmetric int16", x, y, z, w), expected, np.int64)
    # A filter of 4 taps about a centre between samples, as AMD's DSP library starts it: x[l + c] + y[l - c].
    taps = [
        x[4 + lane : 6 + lane].astype(int) + y[[(20 + lane) % 32, (19 + lane) % 32]].astype(int)
        for lane in range(16)
    ]
    assert first.tolist() == [int(t @ z[3:5].astype(int)) for t in taps]


def test_comparisons_give_a_bit_for_each_lane() -> None:
    rng = np.random.default_rng(42)
    x, y = rng.integers(-3, 3, (2, 16)).astype(np.int32)
    s, t = rng.integers(-2, 2, (2, 32)).astype(np.int16)

    def word(bits: Array) -> int:
        return sum(1 << i for i, bit in enumerate(bits) if bit)

    upper = (0x76543210, 0xFEDCBA98)
    mine = np.array([x[(3 + n) % 16] for n in nibbles(*upper)])
    other = np.array([x[(1 + n) % 16] for n in nibbles(0x02020202, 0x11111111)])
    first = np.array([x[(2 + n) % 16] for n in nibbles(*upper)])
    second = np.array([y[(5 + n) % 16] for n in nibbles(0x01234567, 0x89ABCDEF)])
    offsets = (0x06040200, 0x0E0C0A08)
    chosen_s = pairs_of_16_bits(s, 4, offsets, 0x3210)
    chosen_t = pairs_of_16_bits(t, 0, offsets, 0x2103)
    words = [x == y, x != y, x < y, x <= y, x > y, x >= y, mine >= other, first < second]
    words += [s == t, s != t, s < t, chosen_s > chosen_t]
    out = call("intrinsics", "aie", "compare", x, y, s, t)
    assert np.frombuffer(out[:48], np.uint32).tolist() == [word(bits) for bits in words]
    assert np.frombuffer(out[48:], np.int32).tolist() == np.maximum(first, second).tolist()


def test_pairs_of_floats_and_real_factors_of_complex_numbers() -> None:
    x = np.arange(8, dtype=np.float32) + 1
    c = (np.arange(16) + 1j * np.arange(16)[::-1]).astype(np.complex64)
    updated = x.copy()
    updated[6:8] = 7.5, -2.5
    straight, back = np.arange(8), np.arange(8)[::-1]
    selected = np.where([n in (2, 3) for n in range(8)], c[(8 + back) % 16], c[(1 + straight) % 16])
    product = c[2:6] * x[[(1 + n) % 8 for n in (6, 4, 2, 0)]]
    total = product + c[6] * x[:4]
    out = call("intrinsics", "aie", "pairs of floats", x, c)
    got = [np.frombuffer(out[a:b], k) for a, b, k in ((0, 32, np.float32), (32, 96, np.complex64))]
    np.testing.assert_array_equal(got[0], updated)
    np.testing.assert_array_equal(got[1], selected)
    np.testing.assert_array_equal(np.frombuffer(out[96:128], np.complex64), product)
    np.testing.assert_array_equal(np.frombuffer(out[128:160], np.complex64), total)
    assert out[160:] == x.tobytes()


def test_ups_widens_to_48_bits_and_lups_to_80() -> None:
    rng = np.random.default_rng(37)
    v = rng.integers(-(2**31), 2**31, 8).astype(np.int32)
    b, c = rng.integers(-128, 128, 16).astype(np.int8), rng.integers(-9, 9, (8, 2)).astype(np.int16)
    u = rng.integers(0, 256, 16).astype(np.uint8)
    out = call("intrinsics", "aie", "widths", v, b, c, u)
    narrow, kept, byte, mixed, unpacked = out[:64], out[64:96], out[96:224], out[224:256], out[256:]
    # UG1078: v8acc48 ups(v8int32), v8acc80 lups(v8int32); 2^40 fits 80 bits alone.
    assert np.frombuffer(narrow, np.int64).tolist() == wrap(v.astype(object) << 3, 48).tolist()
    assert np.frombuffer(kept, np.int32).tolist() == v.tolist()
    assert np.frombuffer(byte, np.int64).tolist() == (b.astype(np.int64) << 2).tolist()
    order = [0, 4, 1, 5, 2, 6, 3, 7]  # srsI: a lane of the lower half, one of the upper half, in turn
    assert np.frombuffer(mixed, np.int16).reshape(8, 2).tolist() == c[order].tolist()
    assert np.frombuffer(unpacked, np.int16).tolist() == u.tolist(), (
        "bytes without a sign, in 16 bits with one"
    )


def test_float_shuffles_of_sixteen_lanes() -> None:
    x = np.arange(16, dtype=np.float32)
    chosen_16 = np.concatenate([chosen(x, 2, 0x76543210), chosen(x, 2, 0x00112233)])
    first = np.concatenate([chosen(x, 0, 0x76543210), chosen(x, 0, 0xFEDCBA98)])
    second = np.concatenate([chosen(x, 1, 0x11111111), chosen(x, 1, 0x22222222)])
    taken = np.array([0xA5F0 >> i & 1 for i in range(16)], dtype=bool)
    expected: Named = [("fpshuffle16", chosen_16), ("fpselect16", np.where(taken, second, first))]
    compare(call("intrinsics", "aie", "float shuffles", x), expected, np.float32)


def test_the_float_unit_with_every_choice_open() -> None:
    # XD100, AI Engine Floating-Point: mixadd adds and subtracts in turn, mixsub the other way; a mask negates besides.
    p = np.random.default_rng(38).integers(-50, 50, 32).astype(np.float32)
    x, z, acc = p[:16], p[16:24], p[24:]
    identity, swapped = 0x76543210, 0x67452301
    turn = np.array([1, -1] * 4, dtype=np.float32)
    masked = np.array([-1] * 4 + [1] * 4, dtype=np.float32)
    smaller = np.abs(chosen(x, 0, identity))
    kept = acc < smaller
    expected: Named = [
        ("mixadd", turn * x[2] * z),
        ("mixsub, four lanes negated", acc - turn * masked * x[2] * chosen(z, 0, swapped)),
        ("sub of one buffer", acc - chosen(x, 4, identity) * chosen(x, 8, identity)),
        ("smaller of absolute values", np.where(kept, acc, smaller)),
        ("which are the accumulator's", np.float32(sum(1 << i for i in range(8) if kept[i]))),
        ("larger", np.maximum(acc, chosen(x, 0, identity) * z)),
    ]
    compare(call("intrinsics", "aie", "float choices", p), expected, np.float32)
