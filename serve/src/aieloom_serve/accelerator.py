"""What one client has of the device: firmware slots, two buffers, a state and a log. Nobody else sees them."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from aieloom.errors import SpecError
from aieloom.runtime.frames import (
    ACTIVE,
    OWN_FIRMWARE,
    RETAIN,
    Answer,
    Entry,
    Frame,
    Opcode,
    Operation,
    Reply,
    State,
    identify_page,
    log_page,
    pack_tensors,
    read_tensors,
    status_page,
)
from aieloom.runtime.remote import Description
from aieloom_serve.device import Device
from aieloom_serve.worker import Failed, TooLarge, cut

T = TypeVar("T")
LOG_PAGE = 0xC0
MOST_LOADED = 4  # networks that a client has loaded at a time
MOST_ENTRIES = 64  # of a log; older ones are forgotten
MODEL = "model.onnx"


@dataclass(frozen=True, slots=True, kw_only=True)
class Firmware:
    """A network that can be started."""

    path: str
    description: Description


class Accelerator:
    """The device as one client sees it."""

    def __init__(self, device: Device, served: Mapping[int, Firmware], buffer_bytes: int) -> None:
        self._device = device
        self._slots = dict(served)
        self._served = frozenset(served)
        self._bytes = buffer_bytes
        self._folder: Path | None = None
        self._models: dict[int, Path] = {}  # what the client has sent, by firmware ID
        self._opened: set[Path] = set()  # those of them that the device may have open
        self._job: asyncio.Task[None] | None = None  # the last, where it was not stopped
        self._jobs: set[asyncio.Task[None]] = set()  # all that have not ended, stopped ones too
        self._log: deque[tuple[int, Entry, str]] = deque(maxlen=MOST_ENTRIES)
        self._is_enabled = False
        self._blank()

    def _blank(self) -> None:
        self._state = State.STOPPED
        self._active: int | None = None
        self._input = self._output = b""

    def answer(self, frame: Frame) -> Reply:
        """Do what a frame asks for; what takes time goes on behind the answer."""
        try:
            opcode = Opcode(frame.opcode)
        except ValueError:
            return self._reply(frame, Answer.UNKNOWN_OPCODE)
        if frame.accelerator != 0:
            return self._reply(frame, Answer.WRONG_FIELD)
        return _COMMANDS[opcode](self, frame)

    def _reply(self, frame: Frame, answer: Answer = Answer.DONE, data: bytes = b"", start: int = 0) -> Reply:
        part = data[start : start + frame.length]
        return Reply(opcode=frame.opcode, answer=answer, tag=frame.tag, total=len(data), payload=part)

    def _identify(self, frame: Frame) -> Reply:
        return self._reply(frame, data=identify_page(self._bytes, sorted(self._served)))

    def _status(self, frame: Frame) -> Reply:
        reply = self._reply(frame, data=status_page(self._state, len(self._input), len(self._output)))
        if not frame.operation & RETAIN and self._state in {State.FINISHED, State.FAILED}:
            self._state = State.STOPPED
        return reply

    def _logged(self, frame: Frame) -> Reply:
        if frame.operation & ~RETAIN != LOG_PAGE:
            return self._reply(frame, Answer.WRONG_FIELD)
        reply = self._reply(frame, data=log_page(self._log))
        if not frame.operation & RETAIN:
            self._log.clear()
        return reply

    def _enable(self, frame: Frame) -> Reply:
        if frame.operation > 1:
            return self._reply(frame, Answer.WRONG_FIELD)
        self._is_enabled = frame.operation == 0
        if not self._is_enabled:
            self._stop()
        return self._reply(frame)

    def _send(self, frame: Frame) -> Reply:
        refused = self._not_now()
        if refused is None:
            self._input = frame.payload
        return self._reply(frame, refused or Answer.DONE)

    def _read(self, frame: Frame) -> Reply:
        refused = self._not_now()
        if refused is not None:
            return self._reply(frame, refused)
        return self._reply(frame, data=self._output, start=frame.operation)

    def _not_now(self) -> Answer | None:
        """Return why buffers cannot be touched now, if they cannot."""
        if not self._is_enabled:
            return Answer.DISABLED
        return Answer.BUSY if self._is_working else None

    @property
    def _is_working(self) -> bool:
        return self._job is not None and not self._job.done()

    def _load(self, frame: Frame) -> Reply:
        if frame.firmware < OWN_FIRMWARE or frame.firmware == ACTIVE or not frame.payload:
            return self._reply(frame, Answer.WRONG_FIELD)
        if self._is_working:
            return self._reply(frame, Answer.BUSY)
        if len(self._models.keys() - {frame.firmware}) >= MOST_LOADED:
            return self._reply(frame, Answer.TOO_LARGE)
        self._slots.pop(frame.firmware, None)
        if self._active == frame.firmware:
            self._active = None
        self._begin(Entry.FIRMWARE, partial(self._load_model, frame.firmware, frame.payload))
        return self._reply(frame)

    async def _load_model(self, number: int, model: bytes) -> None:
        self._forget(number)
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="aieloom-serve-"))
        self._models[number] = path = self._folder / f"{number:x}-{time.monotonic_ns():x}" / MODEL
        try:
            path.parent.mkdir()
            await _beside(partial(path.write_bytes, model))
            description = await self._device.open(str(path), partial(self._is_opening, path))
        except BaseException:
            self._forget(number)
            raise
        self._slots[number] = Firmware(path=str(path), description=description)
        self._state = State.FINISHED

    def _is_opening(self, path: Path) -> None:
        self._opened.add(path)
        self._is_its_turn()

    def _forget(self, number: int) -> None:
        path = self._models.pop(number, None)
        if path is None:
            return
        if path in self._opened:
            self._opened.remove(path)
            self._device.forget(str(path))
        shutil.rmtree(path.parent, ignore_errors=True)

    def _describe(self, frame: Frame) -> Reply:
        found = self._slots.get(frame.firmware)
        if found is None:
            return self._reply(frame, Answer.WRONG_FIELD)
        return self._reply(frame, data=json.dumps(found.description).encode())

    def _control(self, frame: Frame) -> Reply:
        try:
            operation = Operation(frame.operation)
        except ValueError:
            return self._reply(frame, Answer.WRONG_FIELD)
        if not self._is_enabled:
            return self._reply(frame, Answer.DISABLED)
        if operation is Operation.STOP:
            self._stop()
        elif operation is Operation.RESET:
            self._stop()
            self._blank()
        elif self._is_working:
            return self._reply(frame, Answer.BUSY)
        elif operation is Operation.SET_ACTIVE:
            self._choose(frame.firmware)
        else:
            self._start(frame.firmware)
        return self._reply(frame)

    def _choose(self, number: int) -> bool:
        if number not in self._slots:
            self._fail(Entry.FIRMWARE, f"no network is loaded as firmware {number:#x}")
            return False
        self._active = number
        return True

    def _start(self, number: int) -> None:
        if number == ACTIVE and self._active is None:
            self._fail(Entry.FIRMWARE, "no firmware is loaded and active")
            return
        if number != ACTIVE and not self._choose(number):
            return
        assert self._active is not None
        firmware = self._slots[self._active]
        self._output = b""
        self._begin(Entry.RUN, partial(self._run, firmware, self._input))

    async def _run(self, firmware: Firmware, given: bytes) -> None:
        try:
            tensors = await _beside(partial(read_tensors, given, len(firmware.description["inputs"])))
        except SpecError as e:
            self._fail(Entry.INPUT, e.problems[0].text)
            return
        try:
            results = await self._device.run(firmware.path, tensors, self._is_its_turn)
            made = await _beside(partial(pack_tensors, results))
        except TooLarge as e:
            self._fail(Entry.OUTPUT, str(e))
        except SpecError as e:
            self._fail(Entry.OUTPUT, e.problems[0].text)
        else:
            self._output, self._state = made, State.FINISHED

    def _begin(self, kind: Entry, job: Callable[[], Coroutine[object, object, None]]) -> None:
        """Do a job behind the answer, once those before it have ended; what it fails for is the client's to read."""
        before = tuple(self._jobs)

        async def whole() -> None:
            try:
                if before:
                    await asyncio.wait(before)
                await job()
            except Exception as e:  # of a full disk, or a defect: this client is told, and no other one
                if self._job is asyncio.current_task():
                    self._fail(kind, str(e) if isinstance(e, Failed) else f"{type(e).__name__}: {e}")

        self._state = State.WAITING
        self._job = asyncio.get_running_loop().create_task(whole())
        self._jobs.add(self._job)
        self._job.add_done_callback(self._jobs.discard)

    def _is_its_turn(self) -> None:
        self._state = State.RUNNING

    def _stop(self) -> None:
        if self._is_working and self._job is not None:
            self._job.cancel()
        self._job, self._state = None, State.STOPPED

    def _fail(self, kind: Entry, text: str) -> None:
        self._log.append((time.time_ns(), kind, cut(text)))
        self._state = State.FAILED

    def _storage(self, frame: Frame) -> Reply:
        """The server's own files are nothing for clients to read or write."""
        return self._reply(frame, Answer.UNSUPPORTED)

    async def close(self) -> None:
        """Leave nothing behind: what runs for the client is stopped, what it loaded is forgotten."""
        self._stop()
        try:
            if self._jobs:  # one that was stopped may still write a model
                await asyncio.wait(self._jobs)
        finally:
            for number in tuple(self._models):
                self._forget(number)
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)


async def _beside(do: Callable[[], T]) -> T:
    """Do what takes long in a thread; who is cancelled meanwhile ends with it, so that none are left over."""
    running = asyncio.ensure_future(asyncio.to_thread(do))
    try:
        await asyncio.wait([running])
    except asyncio.CancelledError:
        await asyncio.wait([running])
        running.exception()  # nobody else asks for it
        raise
    return running.result()


_COMMANDS: Mapping[Opcode, Callable[[Accelerator, Frame], Reply]] = {
    Opcode.LOG: Accelerator._logged,
    Opcode.SEND: Accelerator._send,
    Opcode.READ: Accelerator._read,
    Opcode.SEND_FIRMWARE: Accelerator._load,
    Opcode.READ_FIRMWARE: Accelerator._describe,
    Opcode.INPUT_FROM_STORAGE: Accelerator._storage,
    Opcode.OUTPUT_TO_STORAGE: Accelerator._storage,
    Opcode.CONTROL: Accelerator._control,
    Opcode.TOKEN: Accelerator._storage,
    Opcode.ENABLE: Accelerator._enable,
    Opcode.IDENTIFY: Accelerator._identify,
    Opcode.STATUS: Accelerator._status,
}
