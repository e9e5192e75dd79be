"""Whole programs in the ways of saying things that ADF code of all years has, each with its own data, against NumPy.

Windows by their bytes, platforms of files, intrinsics without includes, conditional members, unnamed PLIOs, rates that
are no multiples, packets of several types, profiling: every program has a purpose of its own and uses many of them.
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
    pings, samples, reach, floor = 3, 40, 8, 35
    x = np.random.default_rng(21).integers(-200, 200, (pings, samples, 2))
    write(tmp_path, "echoes", x, 2)
    done = emulated("windows", tmp_path)
    z = x[..., 0] + 1j * x[..., 1]
    turned = (z * np.tile([1, -1j, -1, 1j], samples // 4)).ravel()
    windows = np.lib.stride_tricks.sliding_window_view(np.concatenate([np.zeros(reach), turned]), reach + 1)
    high = np.maximum(windows.real.max(axis=1), floor)
    low = np.minimum(windows.imag.min(axis=1), -floor)
    passed = np.searchsorted([-150, -20, 0, 60, 175], high + low, side="right")
    want = np.stack([np.minimum(high * passed, 511), np.cumsum(low) % 512], axis=-1)
    np.testing.assert_array_equal(numbers(done, "screen"), want.ravel())


def test_two_streams_and_a_cascade_by_intrinsics_alone(tmp_path: Path) -> None:
    instants, lag = 3 * 48, 4
    x = np.random.default_rng(22).integers(-25, 25, (2, instants + lag, 2))
    write(tmp_path, "north", x[0, :instants], 4)
    write(tmp_path, "south", x[1], 4)
    done = emulated("ssr", tmp_path)
    north, south = x[..., 0] + 1j * x[..., 1]
    before = np.zeros(4)  # the register's other half: four instants ago
    n, s, late = north[:instants], south[:instants], south[lag:]
    n4, s4, late4 = (np.concatenate([before, v])[:instants] for v in (n, s, late))
    front = (-275 + 90j) * n + (310 + 45j) * s + (5 + 333j) * n4 + (-47 - 18j) * s4
    back = (-120 + 200j) * late4 + 150j * n + (64 - 64j) * late + (500 + 2j) * n4
    for name, beam in (("whole", front + back), ("own", back)):
        want = np.stack([beam.real, beam.imag], axis=-1).astype(np.int64) >> 6
        np.testing.assert_array_equal(numbers(done, name), want.ravel())


def test_conditional_members(tmp_path: Path) -> None:
    rng = np.random.default_rng(27)
    view = rng.integers(-1000, 1000, 16)
    write(tmp_path, "view", view)
    benches = {(team, i): rng.integers(-1000, 1000, 16) for team in (1, 2) for i in range(team + 1)}
    for (team, i), values in benches.items():
        write(tmp_path, f"bench{team}{i}", values)
    lanes = rng.integers(-1000, 1000, (4, 16))
    for i, values in enumerate(lanes):  # hexadecimal, as the fifth argument of create() says
        write(tmp_path, f"lane{i}", values & 0xFFFFFFFF, form="{:X}" if i % 2 else "0x{:x}")
    done = emulated("conditional", tmp_path)
    np.testing.assert_array_equal(numbers(done, "judge0"), 1 - view)
    np.testing.assert_array_equal(numbers(done, "judge1"), view * np.repeat([3, -4], 8))
    said = [int(v) for v in done.stdout.split()]
    assert said[0] in (4, 11)
    assert said[1] == 11  # the second read waits for the second run's report
    for (team, i), values in benches.items():
        shirt = 100 * values + team
        over = 100 * shirt + 9 if (team, i) == (2, 1) else shirt
        np.testing.assert_array_equal(numbers(done, f"field{team}{i}"), over)
    np.testing.assert_array_equal(numbers(done, "tape0"), lanes[0] ** 2)
    np.testing.assert_array_equal(numbers(done, "tape1"), 2 * lanes[1] + lanes[2] - lanes[3])
    assert {len(line.split()) for line in lines(done, "tape1")} == {2}


def header(packet_id: int) -> int:
    """UG1079 Packet Processing, as the PL writes it: row and column all ones, odd parity."""
    word = packet_id | 0xFFF << 16
    return word | (1 << 31 if bin(word).count("1") % 2 == 0 else 0)


def packed(packet_id: int, values: NDArray[np.generic]) -> list[int]:
    """Return a packet's numbers as the 32-bit integers that files of mixed types have."""
    same = {1: np.int16, 2: np.float32}.get(packet_id, np.int32)
    return [int(v) for v in values.astype(same).ravel().view(np.int32)]


def test_packets_of_four_types(tmp_path: Path) -> None:
    rng = np.random.default_rng(23)
    shapes = {0: (7,), 1: (12, 2), 2: (20,), 3: (16,)}
    letters = [(i, rng.integers(-1000, 1000, shapes[i])) for _ in range(2) for i in (3, 1, 0, 2)]
    text = []
    for packet_id, values in letters:
        words = packed(packet_id, values)
        text += [str(header(packet_id)), *map(str, words[:-1]), "TLAST", str(words[-1])]
    (tmp_path / "data").mkdir()
    (tmp_path / "data/letters.txt").write_text("\n".join(text) + "\n")
    done = emulated("packets", tmp_path)
    got: dict[int, list[list[int]]] = {i: [] for i in range(4)}
    rest = lines(done, "sorted")
    while rest:
        end = rest.index("TLAST")
        words = [int(w) for w in (*rest[:end], rest[end + 1])]
        got[words[0] & 31].append(words[1:])
        rest = rest[end + 2 :]
    for i in range(4):
        assert got[i] == [packed(i, desk(i, values)) for packet_id, values in letters if packet_id == i]


def desk(number: int, x: Ints) -> NDArray[np.generic]:
    """Return what a desk of the sorting office makes of a letter."""
    if number == 0:
        return np.cumsum(x)
    if number == 1:
        return x + x[:, ::-1]
    return x / 2 if number == 2 else np.sum(x[:, None] > x, axis=1, dtype=np.int64)


def test_gmio_in_turns_and_event_profiling(tmp_path: Path) -> None:
    warning = "aieloom: warning: [event] functional simulation has no time: event::read_profiling() of cycles gives 0 (--timed has one)\n"
    done = emulated("gmio", tmp_path, stderr=warning)
    said = {name: [int(v) for v in rest] for name, *rest in map(str.split, done.stdout.splitlines())}
    assert list(said) == ["counted", "changes", "cycles", "errors"]
    assert (said["counted"], said["cycles"]) == ([24], [0])
    np.testing.assert_array_equal(said["changes"], np.diff(np.arange(24) ** 2 % 17, prepend=50))
    levels = 300 + np.arange(3 * 48) * 37 % 101
    past = np.lib.stride_tricks.sliding_window_view(
        np.concatenate([np.zeros(8, dtype=np.int64), levels[:-1]]), 8
    )
    expected = past @ np.array([5, -2, 0, 7, -11, 3, 10, -4]) >> 3
    np.testing.assert_array_equal(said["errors"], levels - expected)


def stretch(x: Ints) -> Ints:
    """Return reels of 10 x 4 pictures of 8 words with a fifth after each four: their sum, a ramp and the four's number."""
    fours = x.reshape(-1, 10, 4, 8)
    fifth = fours.sum(axis=2) + np.arange(8) + np.arange(10)[:, None]
    return np.concatenate([fours, fifth[:, :, None]], axis=2).ravel()


def squeeze(x: Ints) -> Ints:
    """Return what each four pictures lack of the fifth."""
    fives = x.reshape(-1, 5, 8)
    return (fives[:, 4:] - fives[:, :4]).ravel()


def label(x: Ints, part: int) -> Ints:
    parts = x.reshape(-1, part)
    return (parts + parts[:, :1]).ravel()


def test_rates_that_are_no_whole_multiples(tmp_path: Path) -> None:
    nights, reel = 3, 320
    rng = np.random.default_rng(25)
    sizes = {"film": 4 * reel, "reel": 20 * reel, "camera": 4 * reel, "negative": 240}
    x = {name: rng.integers(-(10**6), 10**6, n * nights) for name, n in sizes.items()}
    for name, values in x.items():
        write(tmp_path, name, values, 2)
    done = emulated("multirate", tmp_path)
    np.testing.assert_array_equal(numbers(done, "copy"), squeeze(stretch(x["film"])))
    verdict = squeeze(stretch(x["reel"])) - stretch(squeeze(x["reel"]))
    np.testing.assert_array_equal(numbers(done, "verdict"), verdict)
    fours = x["camera"].reshape(-1, reel // 4, 4)
    fifth = fours.sum(axis=2) + np.arange(0, reel, 4)
    np.testing.assert_array_equal(numbers(done, "screen"), (fifth[..., None] - fours).ravel())
    for name, part in (("pairs", 16), ("fives", 40)):
        np.testing.assert_array_equal(numbers(done, name), label(label(x["negative"], 24), part))


@pytest.mark.integration
def test_memory_tiles_and_ddr_on_aie_ml(tmp_path: Path) -> None:
    runs = 2
    rng = np.random.default_rng(26)
    left, right = rng.integers(-128, 128, (runs, 24, 16)), rng.integers(-128, 128, (runs, 16, 40))
    pictures = rng.integers(-(10**6), 10**6, (runs, 2, 5, 24))
    crates = rng.integers(-6000, 6000, (3 * runs, 5, 4, 6, 2))
    inputs = {"left": (left, 16), "right": (right, 16), "pictures": (pictures, 2), "crates": (crates, 4)}
    for name, (values, per_line) in inputs.items():
        write(tmp_path, name, values, per_line)
    done = emulated("memtile", tmp_path, "aie-ml")
    np.testing.assert_array_equal(numbers(done, "products"), (left @ right >> 4).ravel())
    mounted = np.pad(pictures, ((0, 0), (0, 0), (1, 1), (2, 2)))
    np.testing.assert_array_equal(numbers(done, "mounted"), mounted.ravel())
    np.testing.assert_array_equal(numbers(done, "served"), 5 * crates.transpose(0, 2, 3, 1, 4).ravel())
    ledger = (np.arange(144) ** 2 - 700).reshape(3, 8, 6).transpose(0, 2, 1)
    np.testing.assert_array_equal(np.array(done.stdout.split(), dtype=np.int64), ledger.ravel())


def test_run_time_parameters_between_runs(tmp_path: Path) -> None:
    batch = 24
    degrees = np.random.default_rng(24).integers(-200, 1400, 3 * batch)
    (tmp_path / "data").mkdir()
    rows = "".join(f"DATA,{v},0,-1\n" for v in degrees)
    (tmp_path / "data/degrees.csv").write_text("CMD,D,TLAST,TKEEP\n" + rows)
    done = emulated("rtp", tmp_path)
    stoneware = np.searchsorted([0, 200, 500, 570, 900, 1200], degrees[:batch], side="right")
    raku = np.searchsorted([-100, 100, 300, 600, 800, 950], degrees[batch:], side="right")
    hot = [np.sum(stoneware == 6), np.sum(stoneware == 6) + np.sum(raku == 6)]
    assert [int(v) for v in done.stdout.split()] == hot
    np.testing.assert_array_equal(numbers(done, "zones"), np.concatenate([stoneware, raku]))
    place = 11 * np.arange(3 * batch) % 53
    colours = np.array([[40, -3, 0, 12, 5, 6, -70, 81, 9, 2], [-1, 1, -2, 2, -3, 3, -4, 4, -5, 5]])
    of = np.repeat([0, 1, 1], batch)
    cloth = np.stack([place + colours[of, place % 10], (7 - place) * colours[of, place // 10]], axis=-1)
    np.testing.assert_array_equal(numbers(done, "cloth"), cloth.ravel())
    np.testing.assert_array_equal(numbers(done, "hour"), [s * s - i for s in (4, 9, 3) for i in range(5)])


def test_a_library_of_graph_templates(tmp_path: Path) -> None:
    rng = np.random.default_rng(28)
    x = {
        name: rng.integers(-8, 9, 3 * block) for name, block in (("whole", 48), ("shared", 48), ("told", 32))
    }
    for name, values in x.items():
        write(tmp_path, f"{name}_x", values, 2)
    done = emulated("library", tmp_path)
    for name, down in (("whole", 2), ("shared", 1)):  # what a division leaves is added to the next value
        total = np.cumsum(x[name] ** 5 - x[name] ** 4 + 2 * x[name] ** 3 - 3 * x[name] + 5) >> down
        np.testing.assert_array_equal(numbers(done, f"{name}_y"), np.diff(total, prepend=0))
    early, late = x["told"][:32], x["told"][32:]
    want = np.concatenate([early**3 - 2 * early**2 + 7, -(late**3) + late**2 + 10 * late - 3])
    np.testing.assert_array_equal(numbers(done, "told_y"), want)


def test_an_ordered_merge_takes_its_inputs_in_turn(tmp_path: Path) -> None:
    files = np.random.default_rng(29).integers(-1000, 1000, (3, 4, 8))
    order = (3, 3, 1, 0, 3, 2, 2, 1, 0, 2, 0, 1)  # by clerk; each one's own files stay in order
    seen = [0] * 4
    text: list[str] = []
    for clerk in order:
        words = files[seen[clerk], clerk]
        seen[clerk] += 1
        text += [str(header(clerk)), *map(str, words[:-1]), "TLAST", str(words[-1])]
    (tmp_path / "data").mkdir()
    (tmp_path / "data/arrivals.txt").write_text("\n".join(text) + "\n")
    done = emulated("ordered", tmp_path, "aie-ml")
    words = [int(line) for line in lines(done, "records") if line != "TLAST"]
    got = np.array(words).reshape(12, 9)
    assert [int(h) & 31 for h in got[:, 0]] == [0, 1, 2, 3] * 3
    noted = 10 * files[:, :, ::-1] + np.arange(1, 5)[:, None]
    np.testing.assert_array_equal(got[:, 1:], noted.reshape(12, 8))


def test_an_ordered_merge_needs_aie_ml(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="pktorderedmerge needs AIE-ML"):
        emulated("ordered", tmp_path)


def test_spellings_of_places_sizes_depths_and_parameters(tmp_path: Path) -> None:
    runs = 3
    rng = np.random.default_rng(30)
    x = {
        name: rng.integers(-2000, 2000, runs * n)
        for name, n in (("type", 24), ("flat", 32), ("paper", 32), ("rough", 32))
    }
    for name, values in x.items():
        write(tmp_path, name, values, 2 if name in ("paper", "rough") else 1)
    done = emulated("spellings", tmp_path)
    sheets = x["type"].reshape(runs, 24)
    proofs = np.hstack([sheets[:, 15::-1], sheets[:, 16:]])
    np.testing.assert_array_equal(numbers(done, "type_done"), proofs.ravel())
    eights = x["flat"].reshape(-1, 8)  # folded once, they are the opposite of their own mirror image
    np.testing.assert_array_equal(numbers(done, "flat_done"), 2 * (eights - eights[:, ::-1]).ravel())
    tinted = -3 * x["paper"] + np.tile([-20, 0, 35, 4], runs * 8) + 11 + 6 - 45 - 40000
    np.testing.assert_array_equal(numbers(done, "paper_done"), tinted.astype(np.int16))
    np.testing.assert_array_equal(numbers(done, "rough_done"), x["rough"] // 8 * 8)


@pytest.mark.integration
def test_stream_operators_ends_of_packets_and_circular_iterators(tmp_path: Path) -> None:
    shifts, pallets = 3, 6
    parts = np.random.default_rng(31).integers(-1000, 1000, (shifts, pallets, 8))
    write(tmp_path, "parts", parts)
    done = emulated("operators", tmp_path)
    slips = np.zeros_like(parts)
    slips[..., 2:7] = 4 * parts[..., [7, 0, 1, 2, 3]]
    slips[:, ::2, 7] = np.arange(0, pallets, 2)  # the seal of even pallets
    slips[..., 0] = np.tile([6, 5], pallets // 2)
    slips[..., 1] = slips[..., 2:].sum(axis=2)
    margin = np.zeros((1, 8), dtype=np.int64)
    want = []
    for shift in slips:
        changes = np.vstack([np.diff(shift, axis=0, prepend=margin), margin, shift[:1]])
        stowed = np.vstack([changes, changes[:1]])
        want.append(stowed[(4 - np.arange(pallets + 3)) % (pallets + 3)])  # place p holds change 4 - p
        margin = shift[-1:]
    np.testing.assert_array_equal(numbers(done, "store"), np.concatenate(want).ravel())
