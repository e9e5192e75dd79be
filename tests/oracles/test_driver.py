"""AMD's driver takes what plans configure, and refuses what is a step beyond each limit of the device files."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable

import pytest

from aieloom.plan.types import ArrayPart
from aieloom.spec.device import Device, load_device
from tests.oracles.checkouts import HERE, checkout
from tests.oracles.driver.calls import (
    DMA,
    EAST,
    INTO,
    NORTH,
    OUT_OF,
    SOUTH,
    WEST,
    commands,
    descriptor,
    device_command,
)  # fmt: skip
from tests.oracles.plans import BOARDS, PROJECTS, project_design, random_designs
from tests.strategies.chained.designs import CHAIN, bfloat16_plan

Ask = Callable[[list[str]], list[int]]


@pytest.fixture(scope="session")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """The driver, built beside its checkout, behind ask.c: commands in, return codes out."""
    source = checkout("aie-rt") / "driver" / "src"
    folder = tmp_path_factory.mktemp("driver")
    shutil.copytree(source, folder / "src", ignore=shutil.ignore_patterns("*.o", "*.so*"))
    subprocess.run(
        ["make", "-s", "-j2", "-f", "Makefile.Linux", "CFLAGS=-w -O0 --std=c11"],
        cwd=folder / "src", check=True, capture_output=True,
    )  # fmt: skip
    includes = [f"-I{folder / 'internal'}", f"-I{folder / 'internal' / 'xaiengine'}"]
    links = [f"-L{folder / 'src'}", "-lxaiengine", f"-Wl,-rpath,{folder / 'src'}"]
    program = folder / "ask"
    warnings = ["-Wall", "-Wextra", "-Werror", "-std=gnu11"]
    subprocess.run(
        ["gcc", *warnings, *includes, str(HERE / "driver" / "ask.c"), "-o", str(program), *links], check=True
    )

    def run(lines: list[str]) -> list[int]:
        answers = folder / "answers"
        text = "\n".join(lines) + "\n"
        subprocess.run([str(program), str(answers)], input=text, text=True, check=True, capture_output=True)
        codes = [int(n) for n in answers.read_text().split()]
        assert len(codes) == len(lines)
        return codes

    return run


def refused(ask: Ask, plan: ArrayPart) -> list[str]:
    """Return the commands of a plan that the driver does not take, with its codes."""
    lines = commands(plan)
    return [f"{code}: {line}" for code, line in zip(ask(lines), lines, strict=True) if code]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("name", PROJECTS)
def test_the_driver_takes_every_project(
    ask: Ask, name: str, board: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    design = project_design(name, board, tmp_path_factory.getbasetemp() / f"{name}-{board}")
    if design is None:
        pytest.skip(f"{board} does not run {name}")
    assert refused(ask, design.plan) == []


def test_the_driver_takes_random_plans(ask: Ask) -> None:
    found = {name: bad for name, design in random_designs() if (bad := refused(ask, design.plan))}
    assert found == {}


def one(ask: Ask, device: Device, line: str) -> int:
    first, code = ask([device_command(device), line])
    assert first == 0
    return code


@pytest.mark.parametrize("board", BOARDS)
def test_core_tiles_have_the_limits_of_the_device_file(ask: Ask, board: str) -> None:
    device = load_device(board)
    facts, at = device.tile, (7, 1 - device.interface_row)

    def takes(line: str) -> bool:
        return one(ask, device, line) == 0

    def bd(**more: object) -> str:
        return descriptor(at, number=0, address=0x400, size=64, lock=(0, 0), **more)  # type: ignore[arg-type]

    assert takes(descriptor(at, facts.buffer_descriptors - 1, 0, 64, (facts.locks - 1, 0)))
    assert not takes(descriptor(at, facts.buffer_descriptors, 0, 64, (0, 0)))
    assert not takes(descriptor(at, 0, 0, 64, (facts.locks, 0)))
    place = " ".join(map(str, at))
    for direction, channels in ((INTO, facts.s2mm_channels), (OUT_OF, facts.mm2s_channels)):
        assert takes(f"queue {place} {direction} {channels - 1} 0")
        assert not takes(f"queue {place} {direction} {channels} 0")
    assert takes(f"lock {place} {facts.locks - 1} 0")
    assert not takes(f"lock {place} {facts.locks} 0")
    dims = facts.descriptor.dimensions
    assert takes(bd(dims=((1, 2),) * dims))
    assert not takes(bd(dims=((1, 2),) * (dims + 1)))
    if facts.descriptor.iterations:  # what the driver of the first generation does not check
        assert takes(bd(dims=((1, facts.descriptor.wrap), (facts.descriptor.step_words, 2))))
        assert not takes(bd(dims=((1, facts.descriptor.wrap + 1), (8, 2))))
        assert not takes(bd(dims=((1, 8), (facts.descriptor.step_words + 1, 2))))
        assert takes(bd(iteration=(8, facts.descriptor.iterations)))
        assert not takes(bd(iteration=(8, facts.descriptor.iterations + 1)))
    else:
        assert not takes(bd(iteration=(8, 2))), "no iteration"
    assert not takes(bd(pads=((1, 0),))), "no zeros"


def test_memory_tiles_have_the_limits_of_the_device_file(ask: Ask) -> None:
    device = load_device("vek280")
    facts, at = device.memory_tile, (7, 1)
    assert facts is not None
    fields, lock = facts.descriptor, (64, 0)

    def takes(line: str) -> bool:
        return one(ask, device, line) == 0

    def bd(*dims: tuple[int, int], **more: object) -> str:
        return descriptor(at, 0, 0x80000, 64, lock, dims, **more)  # type: ignore[arg-type]

    each = facts.buffer_descriptors // facts.descriptor_pools
    for channel in range(facts.s2mm_channels):
        mine, others = (0, each) if channel % 2 == 0 else (each, 0)
        for direction in (INTO, OUT_OF):
            assert takes(f"queue 7 1 {direction} {channel} {mine}")
            assert takes(f"queue 7 1 {direction} {channel} {mine + each - 1}")
            assert not takes(f"queue 7 1 {direction} {channel} {others}")
    assert not takes(f"queue 7 1 {INTO} {facts.s2mm_channels} 0")
    assert takes(f"lock 7 1 {facts.locks - 1} 1")
    assert not takes(f"lock 7 1 {facts.locks} 1")
    assert takes(bd(*((1, 2),) * fields.dimensions))
    assert not takes(bd(*((1, 2),) * (fields.dimensions + 1)))
    assert takes(bd((1, fields.wrap), (fields.step_words, 2)))
    assert not takes(bd((1, fields.wrap + 1), (8, 2)))
    assert not takes(bd((1, 8), (fields.step_words + 1, 2)))
    assert takes(bd((1, 8), (8, 2), iteration=(8, fields.iterations)))
    assert not takes(bd((1, 8), (8, 2), iteration=(8, fields.iterations + 1)))
    walk = ((1, 4), (8, 4), (64, 4))
    for dimension, most in enumerate(fields.padding):
        for side in (0, 1):
            for zeros, wanted in ((most, True), (most + 1, False)):
                pair = (zeros, 0) if side == 0 else (0, zeros)
                pads = tuple(pair if d == dimension else (0, 0) for d in range(3))
                assert takes(bd(*walk, pads=pads)) == wanted


@pytest.mark.parametrize("board", BOARDS)
def test_switches_have_the_ports_of_the_device_file(ask: Ask, board: str) -> None:
    device = load_device(board)
    s, core = device.streams, f"switch 7 {1 - device.interface_row}"
    counts = {NORTH: s.north, SOUTH: s.south, EAST: s.east, WEST: s.west}
    for side, ports in counts.items():
        assert one(ask, device, f"{core} {DMA} 0 {side} {ports - 1}") == 0
        assert one(ask, device, f"{core} {DMA} 0 {side} {ports}") != 0
    if device.memory_tile:
        for slave, master, wanted in (
            ((SOUTH, 0), (NORTH, 0), True),
            ((SOUTH, 0), (NORTH, 1), False),
            ((NORTH, 3), (SOUTH, 3), True),
            ((NORTH, 3), (SOUTH, 2), False),
            ((SOUTH, 0), (EAST, 0), False),
            ((DMA, 0), (NORTH, 5), True),
            ((DMA, 5), (SOUTH, 3), True),
            ((DMA, 0), (WEST, 0), False),
            ((SOUTH, 5), (DMA, 2), True),
            ((SOUTH, 6), (DMA, 2), False),
        ):
            line = f"switch 7 1 {slave[0]} {slave[1]} {master[0]} {master[1]}"
            assert (one(ask, device, line) == 0) == wanted, line


@pytest.mark.parametrize("board", BOARDS)
def test_the_interface_has_the_channels_of_the_device_file(ask: Ask, board: str) -> None:
    device = load_device(board)
    face = device.interface
    column = device.plio_column_list[1]
    for port in range(face.in_channels + 1):
        exists = port < face.in_channels
        assert (one(ask, device, f"in {column} {port} 64 0") == 0) == exists
        assert (one(ask, device, f"in {column} {port} 64 1") == 0) == (port in face.registered_inputs)
        assert (one(ask, device, f"out {column} {port} 64") == 0) == (port < face.out_channels)
    for port in range(0, face.in_channels, 2):
        registered = port in face.registered_inputs and port + 1 in face.registered_inputs
        assert (one(ask, device, f"in {column} {port} 128 1") == 0) == registered
    assert one(ask, device, f"in {column} 0 48 0") != 0


FAULTS = {  # a class of command: what becomes of its words
    "descriptor": lambda w: [*w[:3], "99", *w[4:]],
    "queue": lambda w: [*w[:4], "6", *w[5:]],
    "lock": lambda w: [*w[:3], "64", *w[4:]],
    "switch": lambda w: [*w[:5], w[5], "9"],
    "in": lambda w: [w[0], w[1], "3", w[3], "1"],
    "out": lambda w: [w[0], w[1], "6", w[3]],
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_in_each_class_is_caught(ask: Ask, kind: str) -> None:
    lines = commands(bfloat16_plan(CHAIN))
    assert not any(ask(lines))
    mine = [i for i, line in enumerate(lines) if line.split()[0] == kind]
    assert mine
    for i in mine:
        wrong = " ".join(FAULTS[kind](lines[i].split()))
        codes = ask([*lines[:i], wrong, *lines[i + 1 :]])
        assert [n for n, code in enumerate(codes) if code] == [i], wrong
