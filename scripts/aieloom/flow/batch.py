"""Running an emulated host program on a batch: its inputs are shared among processes, one for each core of the machine.

An input's result does not depend on those before it, so the shares give the same bits as one run with all of them. The emulator
itself stays one thread, whose order of events repeats.
"""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aieloom.arrays import Floats
from aieloom.emit.files import write_text
from aieloom.errors import RunFailed, SpecError
from aieloom.network.tensor import TensorType
from aieloom.parallel import processes

ENOUGH = 1 << 15  # elements of inputs for a process of its own: less is done before another has started
MEMORY = (
    4 << 30
)  # bytes of the machine's memory for each process; the largest network of projects/zoo takes 2.6 GB


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a run gave: results `(n, channels, height, width)`, its time, the peak memory of a process in bytes."""

    y: Floats
    seconds: float
    peak_bytes: int


@dataclass(frozen=True, kw_only=True)
class _Share:
    """A part of a batch: how many inputs, and the files of its process."""

    inputs: int
    given: Path
    made: Path
    told: Path  # what the program prints
    complained: Path  # what it prints as errors


def shares(x: Floats, together: int = 1) -> list[Floats]:
    """Return a batch in parts of nearly equal length, one for each process that is worth its start.

    A design takes `together` inputs at a time, and as long for one.
    """
    groups = -(-len(x) // together)
    most = max(min(processes(MEMORY), groups, x.size // ENOUGH), 1)
    ends = np.cumsum([len(part) for part in np.array_split(range(groups), most)])
    return np.split(x, [end * together for end in ends[:-1]])


def run_program(
    folder: Path, names: tuple[str, str], x: Floats, y: TensorType, *, log: Path, together: int = 1
) -> Run:
    """Run a host program, `names` of it and of its xclbin, in a folder on `x` `(n, channels, height, width)`.

    `together`: inputs that the design takes at a time.

    Raises:
        SpecError: the folder cannot be written.
        RunFailed: the program ended with an error; what it said is in the message.
    """
    parts = [_written(folder, number, part) for number, part in enumerate(shares(x, together))]
    began = time.perf_counter()
    program, xclbin = str(folder / names[0]), names[1]
    commands = [[program, xclbin, part.given.name, "--output", part.made.name] for part in parts]
    with _started(commands, folder, parts) as running:
        codes = [process.wait() for process in running]
    seconds = time.perf_counter() - began
    for part, code in zip(parts, codes, strict=True):
        if code:
            told, complained = (
                file.read_text(encoding="utf-8", errors="replace") for file in (part.told, part.complained)
            )
            write_text(log, told + complained)
            raise RunFailed(_failure(code, complained.strip() or told.strip(), log))
    values = np.concatenate([_result(part, y) for part in parts])
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    return Run(y=values, seconds=seconds, peak_bytes=peak)


def _written(folder: Path, number: int, x: Floats) -> _Share:
    part = _Share(
        inputs=len(x),
        given=folder / f"input{number}.bin",
        made=folder / f"output{number}.bin",
        told=folder / f"told{number}.log",
        complained=folder / f"complained{number}.log",
    )
    try:
        part.given.write_bytes(np.ascontiguousarray(x, "<f4").data)
    except OSError as e:
        text = f"cannot write the input of {x.nbytes:,} B: {e.strerror or e}"
        remedy = "free some space, or build elsewhere: build=FOLDER"
        raise SpecError(rule="write", file=str(folder), text=text, remedy=remedy) from e
    return part


@contextmanager
def _started(
    commands: Sequence[list[str]], folder: Path, parts: Sequence[_Share]
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Give a process for each share; whoever leaves early, by Ctrl-C for instance, leaves none behind."""
    running: list[subprocess.Popen[bytes]] = []
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        for command, part in zip(commands, parts, strict=True):
            with part.told.open("wb") as out, part.complained.open("wb") as err:
                running.append(subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=err))
        yield running
    finally:
        for process in running:
            if process.poll() is None:
                process.kill()
                process.wait()


def _result(part: _Share, y: TensorType) -> Floats:
    values = np.fromfile(part.made, "<f4")
    if values.size != part.inputs * y.elements:
        raise RunFailed(
            f"the emulated host program wrote {values.size} values, not {part.inputs} x {y.elements}"
        )
    return values.reshape(part.inputs, *y.shape)


def _failure(code: int, said: str, log: Path) -> str:
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return f"the emulated system ended with {how}:\n{said or 'nothing was said'}\n  log: {log}"
