"""A server in a thread, before a device that doubles, and frames to it and back."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np

from aieloom.arrays import Values
from aieloom.runtime.frames import (
    HEADER_BYTES,
    RETAIN,
    Frame,
    Opcode,
    Reply,
    State,
    read_reply,
    read_status_page,
)
from aieloom.runtime.remote import Description
from aieloom_serve.accelerator import Firmware
from aieloom_serve.device import Device
from aieloom_serve.server import Limits, Server, Tcp
from aieloom_serve.worker import Failed

TOKEN = b"a token of sixteen bytes or more"
DESCRIPTION: Description = {
    "name": "doubles",
    "inputs": [{"name": "x", "shape": [None, 3], "type": "float32"}],
    "outputs": [{"name": "y", "shape": [None, 3], "type": "float32"}],
    "places": [{"engine": "none", "nodes": 1}],
}


class Doubles:
    """A device whose every network doubles its inputs.

    An input of zeros takes for ever, one of NaN fails, one of infinities shows a defect, one of -7 gives texts.
    """

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.opened: set[str] = set()
        self.runs = 0

    async def open(self, path: str, began: Callable[[], None]) -> Description:
        async with self.turn:
            began()
            if Path(path).read_bytes() == b"no model":
                raise Failed("it is no model")
            self.opened.add(path)
            return DESCRIPTION

    async def run(self, _: str, tensors: Sequence[Values], began: Callable[[], None]) -> list[Values]:
        async with self.turn:
            began()
            await asyncio.sleep(0)
            if any(np.isnan(x).any() for x in tensors):
                raise Failed("NaN")
            if any(np.isinf(x).any() for x in tensors):
                raise MemoryError("no room")
            if any((x == -7).all() for x in tensors):
                return [np.array(["cat"])]
            if tensors and not tensors[0].any():
                await asyncio.sleep(3600)
            self.runs += 1
            return [2 * x for x in tensors]

    def forget(self, path: str) -> None:
        self.opened.discard(path)


@contextmanager
def serving(folder: Path, tcp: Tcp | None = None, **limits: Any) -> Iterator[tuple[str, Doubles]]:
    """Serve in a thread; give the address and the device."""
    device, ready, ended = Doubles(), threading.Event(), threading.Event()
    address: list[str] = []

    async def serve() -> None:
        served = {0: Firmware(path="doubles", description=DESCRIPTION)}
        server = Server(cast(Device, device), served, Limits(**limits))
        listening = server.on_tcp(tcp) if tcp else server.on_unix(folder / "socket")
        async with listening as port:
            address.append(f"tcp:{tcp.host}:{port}" if tcp else f"unix:{folder / 'socket'}")
            ready.set()
            while not ended.is_set():
                await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert ready.wait(30)
        yield address[0], device
    finally:
        ended.set()
        thread.join()


def raw(address: str) -> socket.socket:
    link = socket.socket(socket.AF_UNIX)
    link.connect(address.removeprefix("unix:"))
    link.settimeout(30)
    return link


def received(link: socket.socket) -> Reply | None:
    """Return the next answer; None where the server has hung up."""
    data = b""
    while len(data) < HEADER_BYTES:
        part = link.recv(HEADER_BYTES - len(data))
        if not part:
            return None
        data += part
    found = read_reply(data)
    assert found is not None
    reply, length = found
    payload = b""
    while len(payload) < length:
        payload += link.recv(length - len(payload))
    return Reply(opcode=reply.opcode, answer=reply.answer, tag=reply.tag, total=reply.total, payload=payload)


def asked(link: socket.socket, frame: Frame) -> Reply:
    link.sendall(frame.packed())
    found = received(link)
    assert found is not None and found.opcode == frame.opcode and found.tag == frame.tag
    return found


def state(link: socket.socket, keep: int = RETAIN) -> State:
    return read_status_page(asked(link, Frame(opcode=Opcode.STATUS, operation=keep, length=4096)).payload)[0]


def settled(link: socket.socket) -> State:
    while (now := state(link)) in {State.WAITING, State.RUNNING}:
        time.sleep(0.001)
    return now
