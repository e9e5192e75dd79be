"""What one client has of the device: firmware slots, two buffers, a state and a log. Nobody else sees them."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

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
from aieloom.serve.device import Device
from aieloom.serve.worker import Failed

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
        self._models: dict[
            int, Path
        ] = {}  # what the client has sent, by firmware ID; a worker may have it open
        self._job: asyncio.Task[None] | None = None
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
        self._begin(self._opened(frame.firmware, frame.payload))
        return self._reply(frame)

    async def _opened(self, number: int, model: bytes) -> None:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="aieloom-serve-"))
        await self._forget(number)
        self._models[number] = path = self._folder / f"{number:x}-{time.monotonic_ns():x}" / MODEL
        path.parent.mkdir()
        path.write_bytes(model)
        try:
            description = await self._device.open(str(path), self._is_its_turn)
        except Failed as e:
            self._fail(Entry.FIRMWARE, str(e))
        else:
            self._slots[number] = Firmware(path=str(path), description=description)
            self._state = State.FINISHED

    async def _forget(self, number: int) -> None:
        path = self._models.pop(number, None)
        if path is not None:
            with suppress(Failed):
                await self._device.forget(str(path))
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
        try:
            tensors = read_tensors(self._input)
        except SpecError as e:
            self._fail(Entry.INPUT, e.problems[0].text)
            return
        firmware = self._slots[self._active]

        async def run() -> None:
            try:
                results = await self._device.run(firmware.path, tensors, self._is_its_turn)
            except Failed as e:
                self._fail(Entry.RUN, str(e))
                return
            made = pack_tensors(results)
            if len(made) > self._bytes:
                self._fail(Entry.OUTPUT, f"the results have {len(made):,} B, the buffer {self._bytes:,} B")
                return
            self._output, self._state = made, State.FINISHED

        self._output = b""
        self._begin(run())

    def _begin(self, job: Coroutine[object, object, None]) -> None:
        self._state = State.WAITING
        self._job = asyncio.get_running_loop().create_task(job)

    def _is_its_turn(self) -> None:
        self._state = State.RUNNING

    def _stop(self) -> None:
        if self._is_working and self._job is not None:
            self._job.cancel()
        self._job, self._state = None, State.STOPPED

    def _fail(self, kind: Entry, text: str) -> None:
        self._log.append((time.time_ns(), kind, text))
        self._state = State.FAILED

    def _storage(self, frame: Frame) -> Reply:
        """The server's own files are nothing for clients to read or write."""
        return self._reply(frame, Answer.UNSUPPORTED)

    async def close(self) -> None:
        """Leave nothing behind: what runs for the client is stopped, what it loaded is forgotten."""
        job = self._job
        self._stop()
        if job is not None:
            with suppress(asyncio.CancelledError):
                await job
        for number in tuple(self._models):
            await self._forget(number)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


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
