"""A design on this board from Python: its host program owns the device, images go to it and results come back.

The host program is the one that the project generated; docs/runtime.md tells what goes between it and this process. Nothing
of XRT is loaded here, and the same program, linked for the emulator, is run in the same way.
"""

from __future__ import annotations

import os
import selectors
import struct
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import ArrayLike

from aieloom.arrays import Values
from aieloom.errors import RunFailed, SpecError
from aieloom.network.inputs import real_values
from aieloom.runtime.ends import End, Place

XRT = "xrt"
MAGIC, VERSION = b"AIELHOST", 2
DONE, REFUSED = 0, 1  # how an answer begins
MOST_BYTES = 1 << 26  # of images that are sent at a time
LIMIT_S = 3600.0  # of an answer
QUANTISED = (np.uint8, np.int8)  # the types that a model's integers may have (IntegersSpec)
MOST_RANK, MOST_ENDS, MOST_NAME = 8, 64, 4096
_SAID_BYTES = 4096  # of what a host program that failed is quoted with


class BoardNetwork:
    """The design of a folder that has its host program, its xclbin and what they read: a card's, or `emu` of a build folder.

    Raises:
        SpecError: the folder has no such files.
        RunFailed: the host program cannot use the device; what it says is in the message.
    """

    def __init__(self, folder: Path) -> None:
        xclbin = _only(folder, ".xclbin")
        program = folder.absolute() / f"{xclbin.stem}_host"
        if not os.access(program, os.X_OK):
            raise _refused(
                f"{program.name} is no program that can be started", "copy the whole card", str(folder)
            )
        self._name = program.name
        self._lock = Lock()
        self._is_between = True  # one answer and the next request: nothing of either is in the pipes
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - until the session ends
        try:
            self._process = subprocess.Popen(
                [str(program), xclbin.name, "--serve"],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                bufsize=0,
            )
        except OSError as e:
            self._said.close()
            text = f"cannot be started: {e.strerror}"
            raise _refused(text, "run it on the board that it was compiled for", str(program)) from e
        assert self._process.stdin
        os.set_blocking(self._process.stdin.fileno(), False)
        try:
            self.inputs, self.outputs = self._greeted()
        except BaseException:
            self.close()
            raise
        inputs, outputs = (tuple(e.name for e in ends) for ends in (self.inputs, self.outputs))
        self.places = (Place(engine=xclbin.stem, inputs=inputs, outputs=outputs, nodes=("design",)),)

    def _greeted(self) -> tuple[tuple[End, ...], tuple[End, ...]]:
        end = time.monotonic() + LIMIT_S
        if self._taken(len(MAGIC), end) != MAGIC or self._number(end) != VERSION:
            raise self._failed("is of another version than this aieloom")
        self._number(end)  # images of a batch: it cuts by itself
        return self._ends("inputs", end), self._ends("outputs", end)

    def _ends(self, what: str, end: float) -> tuple[End, ...]:
        count = self._number(end)
        if not 0 < count <= MOST_ENDS:
            raise self._failed(f"says that a network has {count} {what}")
        found = []
        for _ in range(count):
            length = self._number(end)
            if length > MOST_NAME:
                raise self._failed(f"says that a name has {length} bytes")
            name = self._taken(-(-length // 4) * 4, end)[:length].decode(errors="replace")
            found.append(End(name=name, shape=(None, *self._sizes(end))))
        return tuple(found)

    def _sizes(self, end: float) -> tuple[int, ...]:
        rank = self._number(end)
        if rank > MOST_RANK:
            raise self._failed(f"says that an image has {rank} dimensions")
        return tuple(self._number(end) for _ in range(rank))

    def run(self, outputs: Sequence[str], inputs: Mapping[str, Values]) -> dict[str, Values]:
        """Return the results by name.

        Raises:
            SpecError: the array has another shape than the design's images, or is of integers that may be a quantised model's.
            RunFailed: the host program failed, or took more than an hour for images of 64 MiB. Then, and after an interrupt
                (Ctrl-C) while it worked, it is ended and the session takes no more; of a run that it refuses itself it goes on.
        """
        parts = [_checked(i, inputs[i.name]) for i in self.inputs]
        if len({len(part) for part in parts}) > 1:
            counts = ", ".join(f"{len(part)} of {i.name}" for part, i in zip(parts, self.inputs, strict=True))
            raise _refused(f"there are not as many images of each input: {counts}", "give as many of each")
        x = np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)
        most = max(1, MOST_BYTES // (x[0].nbytes))
        with self._lock:  # one request and its answer at a time, whichever thread asks
            y = np.concatenate([self._answer(x[i : i + most]) for i in range(0, len(x), most)])
        found, at = dict[str, Values](), 0
        for output in self.outputs:
            size = _values(output)
            found[output.name] = y[:, at : at + size].reshape(len(y), *(d for d in output.shape[1:] if d))
            at += size
        return {name: found[name] for name in outputs}

    def _answer(self, x: Values) -> Values:
        """Return the results of images, (images, values of each) float32 in and out.

        Raises:
            RunFailed: the host program refuses them, fails, or was ended before.
        """
        if not self._is_between:
            text = f"{self._name} was ended when a run before failed or was interrupted; open another session"
            raise RunFailed(text)
        self._is_between = False
        try:
            status, data = self._exchanged(x)
        except BaseException:  # an interrupt too: what is left of the answer would be read as the next one
            self._process.kill()
            raise
        self._is_between = True
        if status:
            raise RunFailed(f"the host program: {data.decode(errors='replace')}")
        return np.frombuffer(data, "<f4").reshape(len(x), -1)

    def _exchanged(self, x: Values) -> tuple[int, bytearray]:
        """Send images and return the status of the answer, which is read whole, and its results (0) or message (1)."""
        end = time.monotonic() + LIMIT_S
        self._give(struct.pack("<I", len(x)), end)
        self._give(np.ascontiguousarray(x).data.cast("B"), end)
        status, count = self._number(end), self._number(end)
        if status == REFUSED:
            return status, self._taken(count, end)
        if status != DONE or count != len(x):
            raise self._failed(f"answers {len(x)} images with status {status} and {count} results")
        return status, self._taken(4 * count * sum(map(_values, self.outputs)), end)

    def _number(self, end: float) -> int:
        return int.from_bytes(self._taken(4, end), "little")

    def _taken(self, count: int, end: float) -> bytearray:
        assert self._process.stdout
        found = bytearray()
        while len(found) < count:
            self._wait(self._process.stdout.fileno(), selectors.EVENT_READ, end)
            part = os.read(self._process.stdout.fileno(), min(count - len(found), 1 << 20))
            if not part:
                raise self._failed("has ended")
            found += part
        return found

    def _give(self, data: bytes | memoryview, end: float) -> None:
        assert self._process.stdin
        file, left = self._process.stdin.fileno(), memoryview(data)
        while left:
            self._wait(file, selectors.EVENT_WRITE, end)
            try:
                left = left[os.write(file, left) :]
            except BlockingIOError:  # less room than a pipe takes whole
                continue
            except BrokenPipeError as e:
                raise self._failed("has ended") from e

    def _wait(self, file: int, what: int, end: float) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(file, what)
            if not selector.select(max(0.0, end - time.monotonic())):
                raise self._failed(f"took longer than {LIMIT_S:g} s")

    def _failed(self, what: str) -> RunFailed:
        self._process.kill()
        self._process.wait()
        self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, self._said.tell() - _SAID_BYTES))
        said = self._said.read().decode(errors="replace").strip()
        return RunFailed(f"the host program {what}" + (f":\n{said}" if said else ""))

    def close(self) -> None:
        """End the host program."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                stream.close()
        self._process.wait()
        self._said.close()


def _values(end: End) -> int:
    """Return the values of an input or an output."""
    return prod(d or 1 for d in end.shape[1:])


def _checked(given: End, values: ArrayLike) -> Values:
    """Return an input's images as float32.

    Raises:
        SpecError: the array has another shape or no numbers, or integers of which only the model knows what they mean.
    """
    x = real_values(values, name=f"the {given.name}")
    if x.ndim != len(given.shape) or x.shape[1:] != given.shape[1:] or len(x) == 0:
        wanted = " x ".join(map(str, ("N", *given.shape[1:])))
        text = f"the {given.name} is {' x '.join(map(str, x.shape))}, the design takes {wanted}"
        raise _refused(text, f"give an array of {wanted}")
    kind = np.asarray(values).dtype
    if kind in QUANTISED:  # the emulator's session reads them by the model's scale, which no card has
        text = f"the {given.name} is of {kind}, and a card does not say what the integers of its model mean"
        remedy = "give float32: (x - zero_point) * scale of integers, x.astype(numpy.float32) of plain values"
        raise _refused(text, remedy)
    return x


def _only(folder: Path, suffix: str) -> Path:
    found = sorted(folder.glob(f"*{suffix}"))
    if len(found) != 1:
        text = f"has {len(found)} files *{suffix}, one is wanted"
        remedy = "on the board, name the folder of the card (doit build says which); here, build/<project>/<target>/emu"
        raise _refused(text, remedy, str(folder))
    return found[0]


def _refused(text: str, remedy: str, file: str = "") -> SpecError:
    return SpecError(rule="session", file=file, text=text, remedy=remedy)
