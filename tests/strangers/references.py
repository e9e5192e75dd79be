"""What strangers' graphs compute, in NumPy, where their authors keep no output: written from their kernels' documentation.

Each takes the folder where the graph was run and the folder of its outputs, and returns in words how the first file
differs, with the number of files that were compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.strangers.compare import numbers

Numbers = NDArray[np.float64]
Compared = tuple[int, str]


def cint16(path: Path) -> NDArray[np.complex128]:
    """Return a file's complex numbers."""
    parts = np.array(numbers(path)).reshape(-1, 2)
    return np.asarray(parts[:, 0] + 1j * parts[:, 1])


def unequal(name: str, got: Numbers, want: Numbers) -> str:
    """Return how two rows of numbers differ, the shorter deciding, or nothing."""
    count = min(got.size, want.size)
    if count == 0:
        return f"{name} has {got.size} numbers, the reference {want.size}"
    wrong = np.nonzero(got[:count] != want[:count])[0]
    if wrong.size == 0:
        return ""
    first = int(wrong[0])
    return f"{name}: {wrong.size} of {count} numbers differ, the first is number {first}: {got[first]}, expected {want[first]}"


def filtered(x: NDArray[np.complex128], taps: Numbers, shift: int) -> Numbers:
    """Return a filter's output as integers of 16 bits, real and imaginary in turn: rounded down, saturated (DSPLib, UG1295)."""
    sums = np.convolve(x, taps)[: x.size]
    parts = np.stack([sums.real, sums.imag], axis=-1).ravel()
    return np.clip(np.floor(parts / 2.0**shift), -32768, 32767)


def symmetric_taps(half: Numbers) -> Numbers:
    """Return all coefficients of a filter of odd length from the first half and the centre."""
    return np.concatenate([half, half[-2::-1]])


def xup_dsplib(folder: Path, out: Path) -> Compared:
    """Return how the four filters of 129 taps of AMD's laboratory differ from convolutions (fir.hpp names the taps)."""
    text = (folder / "src" / "fir.hpp").read_text()
    taps = {
        m[1]: symmetric_taps(np.array([float(n) for n in re.findall(r"-?\d+", m[2])]))
        for m in re.finditer(r"(\w+)_taps = std::vector<int16>\s*\{([^}]*)\}", text)
    }
    pairs = {"DataOutFIR0": ("DataInFIR0", "bp"), "DataOutFIRLp": ("DataInFIR2", "lp")}
    pairs |= {"DataOutFIRHp": ("DataInFIR2", "hp"), "DataOutFIRSb": ("DataInFIR2", "sb")}
    for output, (given, kind) in pairs.items():
        want = filtered(cint16(folder / "data" / f"{given}.txt"), taps[kind], 15)
        text = unequal(output, np.array(numbers(out / f"{output}.txt")), want)
        if text:
            return 0, text
    return len(pairs), ""


def dsplib_tutorial(folder: Path, out: Path) -> Compared:
    """Return how AMD's channel filter of 151 taps, and behind it its half-band interpolator, differ (fir_graph.h has the taps)."""
    text = (folder / "aie" / "src" / "fir_graph.h").read_text()
    taps = {
        m[1]: np.array([float(n) for n in re.findall(r"-?\d+", m[2])])
        for m in re.finditer(r"(\w+)_taps = std::vector<int16>\s*\{([^}]*)\}", text)
    }
    (given,), (made,) = (folder / "data").glob("input_128b.txt"), out.rglob("output_128b.txt")
    want = filtered(cint16(given), symmetric_taps(taps["chan"]), 15)
    if "hb" in taps:
        every_second, centre = taps["hb"][:-1], taps["hb"][-1]
        full = np.zeros(4 * every_second.size - 1)
        full[: 2 * every_second.size : 2] = every_second
        full[full.size // 2] = centre
        full[2 * every_second.size :: 2] = every_second[::-1]
        twice = np.zeros(want.size, dtype=np.complex128)
        twice[::2] = want[::2] + 1j * want[1::2]
        want = filtered(twice, full, 15)
    return 1, unequal(made.name, np.array(numbers(made)), want)


def gemm_by_columns(folder: Path, out: Path) -> Compared:
    """Return how AMD's product of two 32 x 32 matrices differs: each output file has four columns, row by row."""
    data = folder / "aiesim_data" / "gemm_32x32x32_ioFiles"
    a, b = (np.array(numbers(data / f"{n}_python.txt")).reshape(32, 32) for n in "ab")
    for i in range(8):
        got = np.array(numbers(out / "data" / f"c{i}.txt"))
        text = unequal(f"c{i}.txt", got, np.tile((a @ b)[:, 4 * i : 4 * i + 4].ravel(), got.size // 128))
        if text:
            return 0, text
    return 8, ""


def groups_of_layers(folder: Path, out: Path) -> Compared:
    """Return how the groups of layers of a generated network differ from its generator's own arrays of uint8."""
    made = sorted((folder / "data").glob("g*_ref.npy"))
    for path in made:
        got = np.array(numbers(out / "data" / path.name.replace("_ref.npy", "_ofm.txt"))) % 256
        text = unequal(path.stem, got, np.load(path).ravel().astype(np.float64))
        if text:
            return 0, text
    return len(made), ""


def ssr_fir(folder: Path, out: Path) -> Compared:
    """Return how AMD's filters of 32 complex taps differ from a convolution of complex numbers (graph.h has the taps).

    Samples are cint16, SHIFT is 0. Kernels whose initialisation discards n samples take none before the n-th, and the
    first output comes with the last kernel's first sample.
    """
    text = (folder / "aie" / "graph.h").read_text()
    table = text[text.index("taps =") : text.index("});")]
    taps = np.array([int(m[1]) + 1j * int(m[2]) for m in re.finditer(r"\{\s*(-?\d+),\s*(-?\d+)\}", table)])
    discarded = sorted({int(n) for n in re.findall(r"FIRinit<(\d+)>", text)}) or [0]
    (given,), (made,) = (folder / "data").glob("PhaseIn*.txt"), out.rglob("*.txt")
    x, share, late = cint16(given), taps.size // len(discarded), discarded[-1]
    total = np.zeros(x.size, dtype=np.complex128)
    for skip in discarded:
        own = np.zeros_like(taps)
        own[late - skip : late - skip + share] = taps[late - skip : late - skip + share]
        total += np.convolve(np.where(np.arange(x.size) < skip, 0, x), own)[: x.size]
    want = np.stack([total.real, total.imag], axis=-1)[late:].ravel()
    return 1, unequal(made.name, np.array(numbers(made)), want)


def sums(folder: Path, out: Path) -> Compared:
    """Return how an output differs from its two inputs' sum."""
    data = folder / "data"
    want = np.array(numbers(data / "input0.txt")) + np.array(numbers(data / "input1.txt"))
    return 1, unequal("output.txt", np.array(numbers(out / "data" / "output.txt")), want)


def product_4x4(folder: Path, out: Path) -> Compared:
    """Return how a product of two 4 x 4 matrices, row by row, differs."""
    a, b = (np.array(numbers(folder / "data" / f"{n}_matrix.txt"))[:16].reshape(4, 4) for n in "AB")
    return 1, unequal("C_output.txt", np.array(numbers(out / "data" / "C_output.txt")), (a @ b).ravel())


def hadamard(folder: Path, out: Path) -> Compared:
    """Return how a Hadamard gate on qubit 1 of 3 differs (graph.cpp sets both), in float32."""
    state = cint16(folder.parent / "data" / "input.txt")[:8].astype(np.complex64).reshape(2, 2, 2)
    norm = np.float32(1) / np.sqrt(np.float32(2))
    want = norm * np.stack([state[:, 0] + state[:, 1], state[:, 0] - state[:, 1]], axis=1)
    parts = np.stack([want.real, want.imag], axis=-1).ravel().astype(np.float32)
    got = np.array(numbers(out / "data" / "output.txt")).astype(np.float32)
    return 1, unequal("output.txt", got.astype(np.float64), parts.astype(np.float64))


def charm_fp32(folder: Path, out: Path) -> Compared:
    """Return how CHARM's products differ: four 32 x 32 products by columns, of packets' bit patterns, are added up."""
    a, b = (_matrices(folder / "data" / name, 32) for name in ("input0.txt", "input1.txt"))
    turns = min(len(v) for v in a.values())
    want = [sum(a[i][t] @ b[i][t] for i in sorted(a)) for t in range(turns)]
    made = sorted(out.rglob("output*.txt"))
    for path in made:
        for of_one in _matrices(path, 32).values():
            text = unequal(path.name, np.concatenate(of_one).ravel(), np.concatenate(want).ravel())
            if text:
                return 0, text
    return len(made), ""


def _matrices(path: Path, side: int) -> dict[int, list[Numbers]]:
    """Return the square matrices in a file of packets by their identification: a header, then float32 by columns."""
    found: dict[int, list[Numbers]] = {}
    for packet in np.array(numbers(path)).astype(np.uint32).reshape(-1, side * side + 1):
        matrix = packet[1:].view(np.float32).astype(np.float64).reshape(side, side).T
        found.setdefault(int(packet[0] & 31), []).append(matrix)
    return found


def packets_by_id(folder: Path, out: Path) -> Compared:
    """Return how the packets of each way of a merge differ: the ways' order, and where the headers come from, is the mapper's."""
    got, want = (_payloads(p / "data" / n) for p, n in ((out, "output.txt"), (folder, "golden.txt")))
    for way in sorted(want):
        text = unequal(f"packets {way}", got.get(way, np.array([])), want[way])
        if text:
            return 0, text
    return 1, ""


def _payloads(path: Path, words: int = 8) -> dict[int, Numbers]:
    """Return the data of a file of packets of so many words, by the packets' identification."""
    rows = np.array(numbers(path)).reshape(-1, words + 1)
    ways = rows[:, 0].astype(np.int64) & 31
    return {int(way): rows[ways == way, 1:].ravel() for way in np.unique(ways)}


def image_distance(folder: Path, out: Path) -> Compared:
    """Return how the mean square of two images' difference differs, in float32; each file holds half an image behind its size."""
    a, b = _halves(folder, (1, 3)), _halves(folder, (2, 4))
    size = np.float32(a[0].size + a[1].size)
    parts = [np.float32(((x - y) ** 2).sum()) / size for x, y in zip(a, b, strict=True)]
    return _first_float(out, parts[0] + parts[1])


def image_correlation(folder: Path, out: Path) -> Compared:
    """Return how the squared correlation of two images differs, in float32."""
    a, b = (np.concatenate(_halves(folder, which)).astype(np.int64) for which in ((1, 3), (2, 4)))
    top = int((a * b).sum()) ** 2
    return _first_float(out, np.float32(top) / np.float32(int((a * a).sum()) * int((b * b).sum())))


def _halves(folder: Path, which: tuple[int, int]) -> list[Numbers]:
    """Return the pixels of two files; the first 16 numbers are the image's size, digit by digit, the units first."""
    files = [np.array(numbers(folder / "data" / f"in_plio_source_{i}.txt")) for i in which]
    sizes = [int(sum(d * 10**i for i, d in enumerate(f[:16]))) for f in files]
    return [f[16 : 16 + size // 2] for f, size in zip(files, sizes, strict=True)]


def filter_of_62_columns(folder: Path, out: Path) -> Compared:
    """Return how a 3 x 3 filter of 64 x 64 pixels differs from its golden file, of 62 x 62 sums.

    The kernel writes 32 columns of 62 rows, then the other 32, whose last two no whole window covers: they are what
    the next pixels of its file make of them, the golden file has zeros there.
    """
    got, want = (np.array(numbers(f)) for f in (out / "data" / "output.txt", folder / "data" / "golden.txt"))
    covered = np.ones((2, 62, 32), dtype=bool)
    covered[1, :, 30:] = False
    if got.size != covered.size or want.size < covered.size:
        return 0, f"output.txt has {got.size} numbers, the reference {want.size}"
    return 1, unequal("output.txt", got[covered.ravel()], want[: covered.size][covered.ravel()])


def _first_float(out: Path, want: np.float32) -> Compared:
    got = np.array(numbers(out / "data" / "out_plio_sink_1.txt"))[:1].astype(np.float32)
    return 1, unequal("out_plio_sink_1.txt", got.astype(np.float64), np.array([want], dtype=np.float64))


def lenet_layers(folder: Path, out: Path) -> Compared:
    """Return how the outputs of AMD's LeNet differ from its golden words, which are written without a sign."""
    pairs = {"output01.txt": "0_1", "output02.txt": "0_2", "output04.txt": "0_4"}
    for output, layer in pairs.items():
        got, want = (
            np.array(numbers(p)) % 2**32
            for p in (out / output, folder / "aiesim_data" / layer / "matC_ref.txt")
        )
        if got.size != want.size:
            return 0, f"{output} has {got.size} numbers, the expected {want.size}"
        if text := unequal(output, got, want):
            return 0, text
    return len(pairs), ""


def identity(folder: Path, out: Path) -> Compared:
    """Return how what a graph wrote differs from what it read: it passes its stream on."""
    name = "concat_fpin.txt"
    return 1, unequal(name, np.array(numbers(out / name)), np.array(numbers(folder / "data" / name)))


REFERENCES: Mapping[str, Callable[[Path, Path], Compared]] = {
    function.__name__: function
    for function in (
        xup_dsplib,
        dsplib_tutorial,
        gemm_by_columns,
        groups_of_layers,
        identity,
        ssr_fir,
        sums,
        product_4x4,
        hadamard,
        lenet_layers,
        charm_fp32,
        packets_by_id,
        image_distance,
        image_correlation,
        filter_of_62_columns,
    )
}
