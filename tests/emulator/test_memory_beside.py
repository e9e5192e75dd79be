"""Who reads or writes beside a buffer is told with its name, its size and the place: hosts, PL kernels, kernels, GMIO."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.emulator.build import write_xclbin
from aieloom.emulator.program import Program, Result, build, run

DESIGN = Path(__file__).parent / "beside"
PAGE = 1024  # words: of 4096 B
REFUSED = 2


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("beside")
    design = Program(
        graph=DESIGN / "graph.cpp",
        pl=(DESIGN / "touch.cpp",),
        host=(DESIGN / "host.cpp",),
        config=DESIGN / "system.cfg",
        includes=(DESIGN,),
    )
    target = build(design, folder)
    write_xclbin(DESIGN / "system.cfg", folder / "design.xclbin")
    return target


def done(program: Path, who: str, how: str, at: int, words: int) -> Result:
    arguments = (str(program.parent / "design.xclbin"), who, how, str(at), str(words))
    return run(program, out=program.parent / "out", arguments=arguments, timeout=60)


def places(words: int) -> list[int]:
    """Return words beside a memory: the next ones, and those a page further."""
    return [-PAGE - 1, -1, words, words + PAGE]


@pytest.mark.parametrize("who", ["host", "touch_1"])
@pytest.mark.parametrize("words", [PAGE, 3 * PAGE, 64, 25])
@pytest.mark.parametrize("how", ["read", "write"])
def test_beside_a_buffer_object(program: Path, who: str, how: str, words: int) -> None:
    told = "the host" if who == "host" else who
    for at in places(words):
        if how == "read" and -PAGE < at < 0 and words % PAGE:
            continue  # the rest of the first page lies there: only --sanitize tells reads of it
        result = done(program, who, how, at, words)
        assert result.code == REFUSED, (at, result.stdout, result.stderr)
        side = "before the begin" if at < 0 else "behind the end"
        assert f"[memory-overrun] {told} " in result.stderr
        assert f" byte {4 * at}, {side} of " in result.stderr
        assert f"the buffer object of {4 * words} B made at host.cpp:" in result.stderr
        assert ("its argument 'mem', " in result.stderr) == (who != "host")


def test_inside_a_buffer_object_nothing_is_said(program: Path) -> None:
    for who in ("host", "touch_1"):
        for words in (1, 3, 25, 64, PAGE, 3 * PAGE + 1):
            for how in ("read", "write"):
                for at in (0, words - 1):
                    result = done(program, who, how, at, words)
                    assert (result.code, result.stdout) == (0, "nothing was said\n"), result.stderr


@pytest.mark.parametrize("at", places(PAGE))
def test_beside_a_kernel_s_buffer(program: Path, at: int) -> None:
    place = f"byte {4 * at}, {'before the begin' if at < 0 else 'behind the end'} of buffer poke[0]"
    result = done(program, "kernel", "write", at, PAGE)
    assert result.code == REFUSED
    assert (
        f"[buffer-overrun] poke[0] writes {place}.out[0] of 4096 B\n  in kernel poke[0] at " in result.stderr
    )
    result = done(program, "kernel", "read", at, PAGE)  # what it reads it may drop: a warning
    assert (result.code, result.stdout) == (0, "nothing was said\n")
    assert f"[buffer-overread] poke[0] reads {place}.in[0] of 4096 B: " in result.stderr
    lines = (DESIGN / "poke.cc").read_text().splitlines()
    assert f"poke.cc:{lines.index('    to[0] = from[at];') + 1}" in result.stderr


@pytest.mark.parametrize("how", ["read", "write"])
@pytest.mark.parametrize(("at", "words"), [(-1, PAGE), (1, PAGE), (0, PAGE + 1), (-PAGE, 8), (PAGE, 8)])
def test_transfers_beside_a_block(program: Path, how: str, at: int, words: int) -> None:
    result = done(program, "gmio", how, at, words)
    assert result.code == REFUSED
    name = "words_out" if how == "write" else "words_in"
    said = f"GMIO '{name}' moves {4 * words} B from byte {4 * at} of a block of 4096 B of GMIO::malloc()"
    assert f"[memory-overrun] {said}" in result.stderr


def test_memory_that_is_gone_or_not_the_device_s(program: Path) -> None:
    gone = done(program, "gmio", "freed", 0, PAGE).stderr
    block = "a block of 4096 B of GMIO::malloc()"
    assert f"[memory-freed] GMIO 'words_in' reads byte 0 of {block}, which was given back" in gone
    foreign = done(program, "gmio", "foreign", 0, PAGE).stderr
    assert "[memory-foreign] GMIO 'words_in' moves 4096 B of memory that is none of the device's" in foreign
    early = done(program, "touch_1", "freed", 0, 64).stderr
    buffer = "its argument 'mem', the buffer object of 256 B made at host.cpp:"
    assert f"[memory-freed] compute unit touch_1 begins with {buffer}" in early


def test_what_a_transfer_never_takes_is_told(program: Path) -> None:
    result = done(program, "gmio", "read", 0, PAGE)
    assert (result.code, result.stdout) == (0, "nothing was said\n")
    told = "4096 of 4096 B that kernels gave are left: GMIO 'words_out' did not take them"
    assert result.stderr == f"aieloom: warning: [left-over] {told}\n"
