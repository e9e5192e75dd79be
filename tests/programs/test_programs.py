"""Whole programs, each against NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from aieloom.emulator.program import Result, emulate

HERE = Path(__file__).parent
Floats = NDArray[np.float32]


def write(folder: Path, name: str, values: NDArray[np.generic], per_line: int) -> None:
    (folder / "data").mkdir(exist_ok=True)
    rows = [" ".join(str(v) for v in row) for row in values.reshape(-1, per_line).tolist()]
    (folder / "data" / f"{name}.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")


def numbers(done: Result, name: str) -> NDArray[np.float64]:
    return np.array((done.out / f"{name}.txt").read_text().split(), dtype=np.float64)


def emulated(name: str, folder: Path, arch: str = "aie") -> Result:
    done = emulate(
        HERE / name / "graph.cpp",
        arch=arch,
        data=folder,
        out=folder / "out",
        timeout=300,
        folder=folder / "build",
    )
    assert (done.code, done.stderr) == (0, "")
    return done


def tiled(x: Floats, rows: int, cols: int) -> Floats:
    """Return a matrix as tiles of rows x cols, row by row."""
    m, n = x.shape
    return x.reshape(m // rows, rows, n // cols, cols).transpose(0, 2, 1, 3).ravel()


def untiled(x: NDArray[np.float64], m: int, n: int, rows: int, cols: int) -> NDArray[np.float64]:
    return x.reshape(m // rows, n // cols, rows, cols).transpose(0, 2, 1, 3).reshape(m, n)


def products_in_order(a: Floats, b: Floats) -> Floats:
    """Sum over k from first to last, product and sum rounded apart, as the vector unit does [AM009]."""
    y = np.zeros((a.shape[0], b.shape[1]), dtype=np.float32)
    for k in range(a.shape[1]):
        y = y + a[:, k : k + 1] * b[k : k + 1]
    return y


@pytest.mark.integration
def test_matmul_on_336_cores(tmp_path: Path) -> None:
    rows, cols, depth, side, runs = 6, 8, 4, 16, 2
    rng = np.random.default_rng(5)
    a = rng.standard_normal((runs, rows * side, depth * side), dtype=np.float32)
    b = rng.standard_normal((runs, depth * side, cols * side), dtype=np.float32)
    part = [slice(i * side, (i + 1) * side) for i in range(max(rows, cols))]
    for k in range(depth):
        for i in range(rows):
            blocks = np.concatenate([tiled(x[part[i], part[k]], 4, 2) for x in a])
            write(tmp_path, f"a_{i}_{k}", blocks, 4)
        for j in range(cols):
            blocks = np.concatenate([tiled(x[part[k], part[j]], 2, 4) for x in b])
            write(tmp_path, f"b_{k}_{j}", blocks, 4)
    done = emulated("matmul", tmp_path)
    for i in range(rows):
        for j in range(cols):
            got = numbers(done, f"y_{i}_{j}").reshape(runs, side * side)
            for r in range(runs):
                p = [products_in_order(a[r][part[i], part[k]], b[r][part[k], part[j]]) for k in range(depth)]
                want = (p[0] + p[1]) + (p[2] + p[3])
                np.testing.assert_array_equal(untiled(got[r], side, side, 4, 4).astype(np.float32), want)


def lenet_weights(count: int, step: int) -> NDArray[np.int64]:
    return (np.arange(count, dtype=np.int64) * step) % 61 - 30


def shifted(x: NDArray[np.int64], shift: int) -> NDArray[np.int64]:
    """Shift right, halves away from zero."""
    rounded: NDArray[np.int64] = np.sign(x) * ((np.abs(x) + (1 << (shift - 1))) >> shift)
    return rounded


def test_int8_lenet(tmp_path: Path) -> None:
    runs = 3
    images = np.random.default_rng(6).integers(-128, 128, (runs, 28, 28))
    write(tmp_path, "image", images, 16)
    done = emulated("lenet", tmp_path)
    taps = lenet_weights(32 * 8, 7).reshape(32, 8)[:25]
    for r in range(runs):
        windows = np.lib.stride_tricks.sliding_window_view(images[r], (5, 5)).reshape(24, 24, 25)
        conv = np.clip(shifted(windows @ taps, 7), 0, 127)
        pooled = conv.reshape(12, 2, 12, 2, 8).max(axis=(1, 3)).ravel()
        for i in range(2):
            dense = lenet_weights(1152 * 8, 11 + 2 * i).reshape(1152, 8)
            want = shifted(pooled @ dense, 8)
            np.testing.assert_array_equal(numbers(done, f"scores{i}").reshape(runs, 8)[r], want)


def bfloat16(x: NDArray[np.float32]) -> Floats:
    """Round to bfloat16, to nearest even; the result as float32."""
    bits = x.view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


@pytest.mark.integration
def test_bfloat16_convolution_through_a_memory_tile(tmp_path: Path) -> None:
    runs = 2
    images = bfloat16(np.random.default_rng(7).standard_normal((runs, 16, 16, 8), dtype=np.float32))
    write(tmp_path, "image", images, 4)
    done = emulated("conv_bf16", tmp_path, "aie-ml")
    w = bfloat16((((np.arange(9 * 64) * 13) % 37 - 18) / 64).astype(np.float32))
    taps = w.reshape(9, 2, 8, 4).transpose(0, 2, 1, 3).reshape(9, 8, 8)
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0))).astype(np.float64)
    want = np.zeros((runs, 16, 16, 8))
    for tap in range(9):
        y, x = divmod(tap, 3)
        want += padded[:, y : y + 16, x : x + 16] @ taps[tap].astype(np.float64)
    got = numbers(done, "result").reshape(runs, 16, 16, 8)
    # Sums of 72 products in float32, then 8 bits of mantissa: half a step of bfloat16 and the float32 sum's error.
    bound = np.abs(want) * 2**-8 + 72 * 2**-23 * np.abs(padded).max() * np.abs(taps).max() * 72
    assert (np.abs(got - want) <= bound).all()
    np.testing.assert_array_equal(bfloat16(got.astype(np.float32)), got.astype(np.float32))


def test_a_program_in_its_own_words(tmp_path: Path) -> None:
    """A graph that runs for ever ends when its data do; --iterations cuts it short."""
    rng = np.random.default_rng(5)
    for k in range(4):
        for i in range(6):
            write(tmp_path, f"a_{i}_{k}", rng.standard_normal(3 * 256, dtype=np.float32), 4)
        for j in range(8):
            write(tmp_path, f"b_{k}_{j}", rng.standard_normal(3 * 256, dtype=np.float32), 4)
    counts = []
    for iterations in (None, 2):
        done = emulate(
            HERE / "matmul" / "graph.cpp",
            data=tmp_path,
            out=tmp_path / f"out{iterations}",
            iterations=iterations,
            folder=tmp_path / "build",
        )
        counts.append(len(numbers(done, "y_5_7")) // 256)
    assert counts == [3, 2]


if __name__ == "__main__":
    pytest.main([__file__])
