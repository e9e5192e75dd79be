"""Known faults, seeded one by one into a sound program: each is refused with a message, none hangs or passes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from aieloom.emulator.program import Program, Result, build, run
from tests.programs import signal_chain

pytestmark = pytest.mark.integration  # the program takes 18 s of processor to compile
LIMIT_S = 60
INT16_SIZES = ("gain", "spread", "collect", "fir3")
OTHER = {"fir1": "20", "fir2": "21", "spread": "10", "detect1": "30"}  # a neighbour's column


@dataclass(frozen=True)
class Site:
    """A place in the program where a fault can be: see tests/programs/fault.h."""

    kind: str
    place: str
    good: str


@dataclass(frozen=True)
class Built:
    """The program, and the folder of its sound data."""

    path: Path
    folder: Path

    def run(self, fault: str, data: Path | None = None) -> Result:
        """Run it with a fault; its results go nowhere that matters."""
        os.environ["FAULT"] = fault
        try:
            return run(self.path, data=data or self.folder, out=self.folder / "out", timeout=LIMIT_S)
        finally:
            del os.environ["FAULT"]

    def sites(self) -> list[Site]:
        """Return every place that the program lists."""
        rows = re.findall(r"^site (\S+) (.+) (\S+)$", self.run("list").stdout, re.MULTILINE)
        return [Site(*row) for row in dict.fromkeys(rows)]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("signal")
    program = Program(graph=signal_chain.FOLDER / "graph.cpp", includes=(signal_chain.FOLDER.parent,))
    signal_chain.write_inputs(folder)
    return Built(build(program, folder / "build"), folder)


def test_sound_program_gives_numpy_s_results(built: Built) -> None:
    done = built.run("")
    filtered, clipped = signal_chain.golden_filtered()
    assert (done.code, done.stderr, done.stdout) == (0, "", f"clipped {clipped}\n")
    got = np.array((done.out / "filtered.txt").read_text().split(), dtype=np.int64)
    np.testing.assert_array_equal(got, filtered)
    numbers = [int(v) for v in (done.out / "found.txt").read_text().replace("TLAST", "").split()]
    found: dict[int, list[tuple[int, int]]] = {0: [], 1: []}
    heads = {signal_chain.header(0, 1, 30): 0, signal_chain.header(1, 1, 32): 1}
    for head, best, at in zip(*[iter(numbers)] * 3, strict=True):
        found[heads[head & 0xFFFFFFFF]].append((best, at))
    assert found == signal_chain.golden_packets()


def wrong_values(site: Site) -> Iterator[str]:
    """Return values for a place that no correct tool accepts, or that leave the program without data."""
    good = float(site.good) if re.fullmatch(r"-?[\d.]+", site.good) else 0
    table: dict[str, tuple[str, ...]] = {
        "ratio": ("0", "1.2", "-0.5"),
        "stack": ("40000", "32768"),
        "col": ("60", "-1", *((OTHER[site.place],) if site.place in OTHER else ())),
        "row": ("9", "-1", "8"),
        "bank": ("7", "-1", "4"),
        "source": ("none",),
        "name": ("found" if site.place != "found" else "samples", ""),
        "init": ("no_such_function", "detect"),
        "repeat": ("3", "7"),
        "address": ("8", "32700", "-32", "8160", "8200"),
        "memory": ("14", "-1", "50"),
        "shim": ("2", "50", "5"),
        "count": ("1", "3"),
    }
    yield from table.get(site.kind, ())
    if site.kind == "size":
        yield from ("0", "100000")
        if site.place.startswith(INT16_SIZES):
            yield from (str(int(good) + 1), str(int(good) - 1))
        elif site.place.endswith(".in"):
            yield from (str(int(good) * 2), str(int(good) + 1))
    elif site.kind == "width":
        inputs = ("32", "64", "128") if site.place in ("samples", "packets") else ()
        yield from (w for w in ("0", "16", "48", "256", *inputs) if float(w) != good)
    elif site.kind == "file":
        yield from () if site.place in ("filtered", "found") else ("no_such_file.txt", "", "data")


SWITCHES = {"drop", "double", "turn", "overrun", "underrun", "null", "divide", "more", "starve", "misalign"}
SWITCHES |= {"acquire", "unheld", "release", "control"}


def faults(sites: list[Site]) -> list[str]:
    """Return every fault of every place."""
    found = [f"{s.kind}:{s.place}" for s in sites if s.kind in SWITCHES]
    return found + [f"{s.kind}:{s.place}:{value}" for s in sites for value in wrong_values(s)]


def test_every_seeded_fault_is_refused(built: Built) -> None:
    sites = built.sites()
    kinds = {s.kind for s in sites}
    assert kinds >= {"size", "ratio", "col", "source", "address", *SWITCHES}
    mutants = faults(sites)
    assert len(mutants) >= 200
    escaped = []
    for fault in mutants:
        done = built.run(fault)
        said = re.search(r"^aieloom: error: \[[a-z-]+\] .+", done.stderr, re.MULTILINE)
        remedy = "\n  fix: " in done.stderr
        if done.code != 2 or not said or not remedy:
            escaped.append(f"{fault}: code {done.code}: {done.stderr.strip() or done.stdout.strip()}")
    assert escaped == [], f"{len(escaped)} of {len(mutants)} faults got through"


MESSAGES = {
    "overrun:gain": (
        r"\[buffer-overrun\] gain\[0\] writes byte 128, behind the end of buffer gain\[0\]\.out\[0\] of 128 B",
    ),
    "underrun:gain": (r"\[buffer-overrun\] gain\[0\]\.out\[0\] was written at byte -",),
    "acquire:halves": (r"\[buffer-acquire\] halves\[0\]\.in\[0\] is acquired twice", r"at .*kernels\.cc:\d+"),
    "unheld:halves": (r"\[buffer-acquire\] halves\[0\]\.out\[0\] is used, but", r"at .*kernels\.cc:\d+"),
    "null:gain": (r"\[crash\] gain\[0\] accesses memory", r"at .*kernels\.cc:\d+"),
    "divide:spread": (r"\[crash\] spread\[0\] divides by zero",),
    "misalign:fir3": (r"\[aie-align\]", r"in kernel Fir::last\[0\] at .*fir\.cc:\d+"),
    "starve:fir1": (r"\[deadlock\]", r"Fir::last\[0\] waits to read \d+", "written by Fir::middle"),
    "more:collect": (r"\[deadlock\]", r"collect\[0\] waits to read 4: stream from spread\[0\]\.out\[0\]"),
    "control:one run too many": (
        r"\[deadlock\]",
        r"gain\[0\] waits for an update of: run-time parameter gain\[0\]\.in\[1\]",
    ),
    "size:spread.in:48": (
        r"\[rate\] gain\[0\]\.out\[0\] gives 128 B a call, spread\[0\]\.in\[0\] takes 96 B a call",
    ),
    "double:gain.in": (r"\[two-writers\] gain\[0\]\.in\[0\] is connected to 2 producers",),
    "drop:stream": (r"\[unconnected\] collect\[0\]\.in\[0\]",),
    "col:fir1:20": (r"\[kernel-ratio\] the kernels on tile\(20, 2\)",),
    "address:gain.out:8160": (r"\[location\] gain\[0\]\.out\[0\] at byte 8192 .* overlaps",),
    "file:samples:no_such_file.txt": (r"\[plio-file\] PLIO 'samples' reads the file '.*no_such_file\.txt'",),
    "init:collect:detect": (r"\[kernel-init\] collect\[0\]: there is no function 'void detect\(\)'",),
}


@pytest.mark.parametrize("fault", MESSAGES)
def test_messages_name_kernel_port_and_numbers(built: Built, fault: str) -> None:
    said = built.run(fault).stderr
    for pattern in MESSAGES[fault]:
        assert re.search(pattern, said), said


DATA_FAULTS: dict[str, tuple[str, Callable[[list[str]], list[str]], str]] = {
    "samples short": ("samples.txt", lambda t: t[:-3], r"ends in the middle of a buffer: 24 B are missing"),
    "samples empty": ("samples.txt", lambda _: [""], r"gain\[0\] waits"),
    "word": ("samples.txt", lambda t: ["1 2 3 x", *t[1:]], r"samples.txt:1: 'x' is no int16"),
    "range": ("samples.txt", lambda t: ["1 2 3 99999", *t[1:]], r"samples.txt:1: '99999' is no int16"),
    "fraction": ("samples.txt", lambda t: ["1 2 3 0.5", *t[1:]], r"samples.txt:1: '0.5' is no int16"),
    "too many": ("samples.txt", lambda t: [*t[:4], "1 2 3 4 5", *t[5:]], r"samples.txt:5: 5 numbers"),
    "too few": ("samples.txt", lambda t: [*t[:4], "1 2 3", *t[5:]], r"samples.txt:5: 3 numbers"),
    "unknown id": (
        "packets.txt",
        lambda t: [str(signal_chain.header(7)), *t[1:]],
        r"packet with id 7, it has ids 0..1",
    ),
    "no TLAST": (
        "packets.txt",
        lambda t: [w for w in t if w != "TLAST"],
        r"packets.txt:\d+: '\d+' is no int32",
    ),
    "early TLAST": (
        "packets.txt",
        lambda t: [*t[:3], "TLAST", *t[3:]],
        r"ends after 12 B, its buffer has 64|packet with id",
    ),
    "packets short": ("packets.txt", lambda t: t[:-4], r"ends inside a packet"),
}


def test_two_outputs_of_one_file_are_told(built: Built) -> None:
    """AMD's clocking tutorial does it, and its Makefile simulates it."""
    done = built.run("file:filtered:found.txt")
    assert done.code == 0
    assert re.search(
        r"warning: \[plio-file\] PLIO 'filtered' and PLIO 'found' both write the file 'found.txt'",
        done.stderr,
    )


def test_a_file_s_header_of_even_parity_is_mended_and_told(built: Built, tmp_path: Path) -> None:
    """XD100's n-body tutorial has 0x8fff0001 for id 1: aiesimulator takes it, a switch would not."""
    signal_chain.write_inputs(tmp_path)
    file = tmp_path / "data" / "packets.txt"
    header = signal_chain.header(0)
    lines = [str(header ^ 1 << 31) if w == str(header) else w for w in file.read_text().splitlines()]
    file.write_text("\n".join(lines) + "\n")
    done = built.run("", tmp_path)
    assert done.code == 0
    assert re.fullmatch(r".*\[packet-header\] \S*packets.txt:1: .* parity is not odd.*\n", done.stderr)


@pytest.mark.parametrize("fault", DATA_FAULTS)
def test_faulty_data_are_named(built: Built, fault: str, tmp_path: Path) -> None:
    name, change, pattern = DATA_FAULTS[fault]
    signal_chain.write_inputs(tmp_path)
    file = tmp_path / "data" / name
    file.write_text("\n".join(change(file.read_text().splitlines())) + "\n")
    done = built.run("", tmp_path)
    assert done.code == 2
    assert re.search(pattern, done.stderr), done.stderr
