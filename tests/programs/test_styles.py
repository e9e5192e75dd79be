"""Programs in the styles of the vendor's tutorials of all years, each with its own data, against NumPy.

What they have in common with those is how they say things: windows by their bytes, platforms of files, intrinsics
without includes, conditional members, unnamed PLIOs, rates that are no multiples, packets of several types, profiling.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from aieloom.emulator.program import Result, emulate
from aieloom.errors import ToolError

HERE = Path(__file__).parent / "styles"
Ints = NDArray[np.int64]


def write(folder: Path, name: str, values: Ints, per_line: int = 1, form: str = "{}") -> None:
    (folder / "data").mkdir(exist_ok=True)
    rows = [" ".join(form.format(v) for v in row) for row in values.reshape(-1, per_line).tolist()]
    (folder / "data" / f"{name}.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")


def lines(done: Result, name: str) -> list[str]:
    return (done.out / "data" / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def numbers(done: Result, name: str) -> Ints:
    return np.array(" ".join(lines(done, name)).split(), dtype=np.int64)


def emulated(name: str, folder: Path, arch: str = "aie", stderr: str = "") -> Result:
    done = emulate(
        HERE / name / "graph.cpp",
        includes=[HERE / name / "include"],
        arch=arch,
        data=folder,
        out=folder / "out",
        timeout=300,
        folder=folder / "build",
    )
    assert (done.code, done.stderr) == (0, stderr), done.stderr + done.stdout
    return done


def test_windows_and_a_platform_of_two_files(tmp_path: Path) -> None:
    runs, samples, margin = 4, 32, 8
    x = np.random.default_rng(1).integers(-100, 100, (runs, samples, 2))
    write(tmp_path, "input", x, 2)
    done = emulated("windows", tmp_path)
    y = np.stack([x[..., 0] + x[..., 1], x[..., 0] - x[..., 1]], axis=-1).reshape(-1, 2)
    padded = np.vstack([np.zeros((margin, 2), dtype=np.int64), y])
    weighted = sum((j + 1) * padded[j : j + len(y)] for j in range(margin + 1))
    late = np.vstack([np.zeros((3, 2), dtype=np.int64), weighted])
    taps = [180, 89, -80, -391]
    fir = np.sum([t * late[3 - j : 3 - j + len(y)] for j, t in enumerate(taps)], axis=0)
    np.testing.assert_array_equal(numbers(done, "output"), fir.ravel() >> 4)


def complex_fir(x: NDArray[np.complex128], taps: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Return sum over p of taps[p] x[n - 3 + p], with zeros before the first sample."""
    padded = np.concatenate([np.zeros(3), x])
    return np.asarray(sum(t * padded[p : p + len(x)] for p, t in enumerate(taps)))


def test_two_streams_and_a_cascade_by_intrinsics_alone(tmp_path: Path) -> None:
    runs, samples, drop = 2, 64, 8
    rng = np.random.default_rng(2)
    x = rng.integers(-25, 25, (runs * samples + drop, 2))
    for i in range(2):  # four samples to each stream in turn
        write(tmp_path, f"PhaseIn_{i}", x.reshape(-1, 2, 4, 2)[:, i], 4)
    done = emulated("ssr", tmp_path)
    taps = np.array(
        [[-82, -253], [0, -204], [11, -35], [-198, 273], [-642, 467], [-1026, 333], [-927, 0], [-226, -73]]
    )
    t = taps[:, 0] + 1j * taps[:, 1]
    z = x[:, 0] + 1j * x[:, 1]
    whole = complex_fir(z[:-drop], t[0::2]) + complex_fir(z[drop:], t[1::2])
    parts = np.stack([whole.real, whole.imag], axis=-1).astype(np.int64) >> 4
    for i in range(2):
        np.testing.assert_array_equal(numbers(done, f"Output_{i}"), parts.reshape(-1, 2, 4, 2)[:, i].ravel())


def test_conditional_members(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(-1000, 1000, 16)
    write(tmp_path, "i0", x)
    tagged = {(i, j): rng.integers(-1000, 1000, 16) for i, n in ((1, 2), (2, 3)) for j in range(n)}
    for (i, j), values in tagged.items():
        write(tmp_path, f"i_{i}_{j}", values)
    cascade = rng.integers(-1000, 1000, (4, 16))
    for i, values in enumerate(cascade):  # hexadecimal, as the fifth argument of create() says
        write(tmp_path, f"input{i}", values & 0xFFFFFFFF, form="0x{:x}" if i % 2 else "{:X}")
    done = emulated("conditional", tmp_path)
    np.testing.assert_array_equal(numbers(done, "o0"), -x)
    np.testing.assert_array_equal(numbers(done, "o1"), x * np.repeat([10, 20], 8))
    assert set(done.stdout.split()) <= {"10000", "20000"}
    assert done.stdout.split()[1] == "20000"  # nothing is left to do when it is read for the second time
    for (i, j), values in tagged.items():
        want = values * 10 + i
        np.testing.assert_array_equal(
            numbers(done, f"o_{i}_{j}"), want * 10 + 7 if (i, j) == (2, 2) else want
        )
    np.testing.assert_array_equal(numbers(done, "output0"), cascade[0] + 1)
    np.testing.assert_array_equal(numbers(done, "output1"), cascade[1:].sum(axis=0))
    assert {len(line.split()) for line in lines(done, "output1")} == {2}


def header(packet_id: int) -> int:
    """UG1079 Packet Processing, as the PL writes it: row and column all ones, odd parity."""
    word = packet_id | 0xFFF << 16
    return word | (1 << 31 if bin(word).count("1") % 2 == 0 else 0)


def test_packets_of_four_types(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    packets = [(i, rng.integers(-1000, 1000, 16 if i == 2 else 8)) for _ in range(3) for i in range(4)]
    text = []
    for packet_id, values in packets:
        words = packed(packet_id, values)
        text += [str(header(packet_id)), *map(str, words[:-1]), "TLAST", str(words[-1])]
    (tmp_path / "data").mkdir()
    (tmp_path / "data/input.txt").write_text("\n".join(text) + "\n")
    done = emulated("packets", tmp_path)
    got: dict[int, list[list[int]]] = {i: [] for i in range(4)}
    rest = lines(done, "output")
    while rest:
        end = rest.index("TLAST")
        words = [int(w) for w in (*rest[:end], rest[end + 1])]
        got[words[0] & 31].append(words[1:])
        rest = rest[end + 2 :]
    for i in range(4):
        want = [packed(i, values + i + 1) for packet_id, values in packets if packet_id == i]
        assert got[i] == want


def packed(packet_id: int, values: Ints) -> list[int]:
    """Return a packet's numbers as the 32-bit integers that files of mixed types have."""
    same = {1: np.float32, 2: np.int16}.get(packet_id, np.int32)
    return [int(v) for v in values.astype(same).view(np.int32)]


def test_gmio_in_turns_and_event_profiling(tmp_path: Path) -> None:
    warning = "aieloom: warning: [event] functional simulation has no time: event::read_profiling() of cycles gives 0\n"
    done = emulated("gmio", tmp_path, stderr=warning)
    said = done.stdout.splitlines()
    assert said[:3] == ["profile read", "words 16", "PASS"]
    x = (np.arange(128) * 7) % 31 - 9
    padded = np.concatenate([np.zeros(7, dtype=np.int64), x])
    want = sum((p + 1) * padded[p : p + 128] for p in range(8))
    np.testing.assert_array_equal(np.array(said[3].split(), dtype=np.int64), want)


def up(x: Ints) -> Ints:
    """Seven fifths: the rest is counted on."""
    return np.hstack([x, np.tile(np.arange(560, 784), (len(x), 1))])


def down(x: Ints) -> Ints:
    return x[:, :400]


def test_rates_that_are_no_whole_multiples(tmp_path: Path) -> None:
    runs, size = 2, 560
    rng = np.random.default_rng(5)
    x = [rng.integers(-(10**6), 10**6, n * runs) for n in (5 * size, 35 * size, 5 * size, 48)]
    for i, values in enumerate(x):
        write(tmp_path, f"in{i}", values, 2)
    done = emulated("multirate", tmp_path)
    up_down = down(up(x[0].reshape(-1, size)).reshape(-1, size))
    np.testing.assert_array_equal(numbers(done, "out0"), up_down.ravel())
    blocks = x[1].reshape(-1, size)
    one = down(up(blocks).reshape(-1, size)).ravel()
    two = up(down(blocks).reshape(-1, size)).ravel()
    np.testing.assert_array_equal(numbers(done, "out1"), one - two)
    stream = up(x[2].reshape(-1, size)).reshape(-1, size)
    np.testing.assert_array_equal(numbers(done, "out2"), down(stream).ravel())
    for i in range(2):
        np.testing.assert_array_equal(numbers(done, f"out{3 + i}"), x[3])


def test_memory_tiles_and_ddr_on_aie_ml(tmp_path: Path) -> None:
    runs = 2
    rng = np.random.default_rng(6)
    a, b = rng.integers(-128, 128, (runs, 16, 32)), rng.integers(-128, 128, (runs, 32, 16))
    frames, cubes = (
        rng.integers(-(10**6), 10**6, (runs, 2, 4, 32)),
        rng.integers(-9000, 9000, (2 * runs, 4, 5, 3, 2)),
    )
    for i, (values, per_line) in enumerate(((a, 16), (b, 16), (frames, 2), (cubes, 4))):
        write(tmp_path, f"in{i}", values, per_line)
    done = emulated("memtile", tmp_path, "aie-ml")
    np.testing.assert_array_equal(numbers(done, "out0"), (a @ b).ravel())
    padded = np.pad(frames, ((0, 0), (0, 0), (1, 1), (1, 1)))
    np.testing.assert_array_equal(numbers(done, "out1"), padded.ravel())
    np.testing.assert_array_equal(numbers(done, "out2"), 3 * cubes.transpose(0, 3, 1, 2, 4).ravel())
    ddr = (5 * np.arange(192) - 100).reshape(6, 4, 8).transpose(0, 2, 1)
    np.testing.assert_array_equal(np.array(done.stdout.split(), dtype=np.int64), ddr.ravel())


def test_run_time_parameters_between_runs(tmp_path: Path) -> None:
    x = np.random.default_rng(7).integers(-1000, 1000, 48)
    (tmp_path / "data").mkdir()
    rows = "".join(f"DATA,{v},0,-1\n" for v in x)
    (tmp_path / "data/input0.csv").write_text("CMD,D,TLAST,TKEEP\n" + rows)
    done = emulated("rtp", tmp_path)
    assert done.stdout.split() == ["2", "3"]
    ramp = np.tile(np.arange(1, 9), 6) * np.repeat([1, 1, -1], 16)
    np.testing.assert_array_equal(numbers(done, "output0"), x + ramp)
    phase = 10 * np.arange(48)
    gains = np.repeat([[2, 3], [2, 3], [-5, 7]], 16, axis=0)
    want = np.stack([phase % 100, -(phase % 37)], axis=-1) * gains
    np.testing.assert_array_equal(numbers(done, "filtered"), want.ravel())
    np.testing.assert_array_equal(numbers(done, "tick"), [10 * s + i for s in (1, 2, 3) for i in range(4)])


def real_fir(x: Ints, taps: list[int]) -> Ints:
    """Return sum over i of taps[i] x[n - i], with zeros before the first sample."""
    return np.convolve(x, taps)[: len(x)]


def test_a_library_of_graph_templates(tmp_path: Path) -> None:
    runs, taps = 4, [3, -1, 4, 1, -5, 9, 2, -6]
    rng = np.random.default_rng(8)
    x = [rng.integers(-500, 500, n * runs) for n in (32, 32, 16)]
    for i, values in enumerate(x):
        write(tmp_path, f"in{i}", values, 2)
    done = emulated("library", tmp_path)
    np.testing.assert_array_equal(numbers(done, "out0"), real_fir(x[0], taps) >> 2)
    halves = [a + b for a, b in zip(taps[:4], taps[4:], strict=True)]
    np.testing.assert_array_equal(numbers(done, "out1"), real_fir(x[1], halves) >> 1)
    reloaded = np.concatenate([real_fir(x[2], [1, 2, 3, 4])[:32], -x[2][32:]])
    np.testing.assert_array_equal(numbers(done, "out2"), reloaded)


def test_an_ordered_merge_takes_its_inputs_in_turn(tmp_path: Path) -> None:
    packets = {i: np.arange(8).reshape(2, 4) + 10 * i for i in range(3)}
    order = ((2, 0), (2, 1), (0, 0), (1, 0), (1, 1), (0, 1))
    text = []
    for packet_id, number in order:
        words = packets[packet_id][number]
        text += [str(header(packet_id)), *map(str, words[:-1]), "TLAST", str(words[-1])]
    (tmp_path / "data").mkdir()
    (tmp_path / "data/in.txt").write_text("\n".join(text) + "\n")
    done = emulated("ordered", tmp_path, "aie-ml")
    words = [int(line) for line in lines(done, "out") if line != "TLAST"]
    got = np.array(words).reshape(6, 5)
    assert [int(h) & 31 for h in got[:, 0]] == [0, 1, 2, 0, 1, 2]
    want = [packets[i][n] + 100 * (i + 1) for n in range(2) for i in range(3)]
    np.testing.assert_array_equal(got[:, 1:], np.stack(want))


def test_an_ordered_merge_needs_aie_ml(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="pktorderedmerge needs AIE-ML"):
        emulated("ordered", tmp_path)


def test_spellings_of_places_sizes_depths_and_parameters(tmp_path: Path) -> None:
    x = [np.arange(32) for _ in range(4)]
    for i, values in enumerate(x):
        write(tmp_path, f"in{i}", values, 2 if i >= 2 else 1)
    done = emulated("spellings", tmp_path)
    halves = x[0].reshape(2, 2, 8) * np.array([2, 1])[:, None]
    np.testing.assert_array_equal(numbers(done, "out0"), halves.ravel())
    np.testing.assert_array_equal(numbers(done, "out1"), 4 * x[1])
    np.testing.assert_array_equal(numbers(done, "out2"), x[2] + 9 + np.tile(np.arange(4), 8))
    np.testing.assert_array_equal(numbers(done, "out3"), x[3])


def test_stream_operators_ends_of_packets_and_circular_iterators(tmp_path: Path) -> None:
    runs = 3
    x = np.arange(32 * runs)
    write(tmp_path, "in", x)
    done = emulated("operators", tmp_path)
    double = 2 * x.reshape(runs * 4, 8)
    measured = np.zeros((runs * 4, 8), dtype=np.int64)
    measured[:, 0], measured[:, 1:5], measured[:, 7] = double[:, 0], double[:, 4:], 5
    padded = np.vstack([np.zeros((1, 8), dtype=np.int64), measured])
    want = []
    for run in range(runs):
        block = padded[4 * run : 4 * run + 5]
        rows = np.vstack([block[:-1] + block[1:], block[:1]])
        want.append(np.vstack([rows, rows[:1]])[::-1])
    np.testing.assert_array_equal(numbers(done, "out"), np.concatenate(want).ravel())
