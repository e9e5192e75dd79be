"""A network on a device that another process owns (`aieloom serve`), as a session uses it."""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from threading import Lock
from typing import TypedDict

import numpy as np

from aieloom.arrays import Values
from aieloom.errors import AieloomError, RunFailed, SpecError
from aieloom.runtime.ends import End, Place, type_of
from aieloom.runtime.frames import (
    ACTIVE,
    HEADER_BYTES,
    MOST_BYTES,
    OWN_FIRMWARE,
    RETAIN,
    Answer,
    Capability,
    Frame,
    Opcode,
    Operation,
    Reply,
    State,
    not_understood,
    pack_tensors,
    read_identify_page,
    read_log_page,
    read_reply,
    read_status_page,
    read_tensors,
)

UNIX, TCP = "unix:", "tcp:"
PAGE_BYTES = 1 << 20  # of a page at most
LOG_PAGE = 0xC0
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.002, 0.1  # between two looks at the state


class EndDescription(TypedDict):
    """A network's input or output, as a server tells it."""

    name: str
    shape: Sequence[int | None]
    type: str  # of its elements, as numpy calls them; where the network runs on the device, floats are taken too


class PlaceDescription(TypedDict):
    """Where nodes of a network run."""

    engine: str
    nodes: int


class Description(TypedDict):
    """A network, as a server tells it."""

    name: str
    inputs: list[EndDescription]
    outputs: list[EndDescription]
    places: list[PlaceDescription]


def is_remote(device: str) -> bool:
    """Tell whether a session's device is another process."""
    return device.startswith((UNIX, TCP))


def is_loopback(host: str) -> bool:
    """Tell whether an address is this machine's alone."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Connection:
    """Frames to a server and back, one command at a time.

    Raises:
        SpecError: nobody serves there, or others could read the token on its way.
        RunFailed: the server has gone.
    """

    def __init__(self, device: str, *, token: bytes = b"", ca: Path | None = None) -> None:
        host = device.removeprefix(TCP).rpartition(":")[0]
        if token and device.startswith(TCP) and ca is None and not is_loopback(host):
            raise _problem(
                f"without TLS others can read the token on its way to {device}",
                'give the certificates by which the server is known: ca=Path("certificate.pem")',
            )
        self._device = device
        self._socket = _connected(device, ca)
        self._tag = 0
        self._is_between = True  # no part of a frame or of its answer is still on its way
        if token:  # the server says nothing to it, neither to the right one nor to a wrong one
            try:
                self._socket.sendall(Frame(opcode=Opcode.TOKEN, payload=token).packed())
            except OSError as e:
                self.close()
                raise RunFailed(f"the server at {device} has gone: {e}") from e

    def ask(self, frame: Frame) -> Reply:
        """Send a command and return its answer.

        Raises:
            SpecError: the server refuses it, or answers with something else than a frame.
            RunFailed: it has gone, or was left amid an answer.
        """
        if not self._is_between:
            raise RunFailed(f"the session with {self._device} has ended amid an answer: open another one")
        self._tag = (self._tag + 1) & 0xFFFFFFFF
        self._is_between = False
        try:
            self._socket.sendall(replace(frame, tag=self._tag).packed())
            head = read_reply(self._exactly(HEADER_BYTES))
            if head is None or head[0].tag != self._tag or head[1] > max(frame.length, 0):
                raise not_understood(
                    f"{self._device} answers with something else than a frame of this format"
                )
            reply = replace(head[0], payload=self._exactly(head[1]))
            self._is_between = True
        except OSError as e:
            raise RunFailed(f"the server at {self._device} has gone: {e}") from e
        if reply.answer != Answer.DONE:
            raise self._refused(frame, reply)
        return reply

    def _refused(self, frame: Frame, reply: Reply) -> SpecError:
        known = {a.value: a.name.lower().replace("_", " ") for a in Answer}
        what = Opcode(frame.opcode).name.lower().replace("_", " ")
        why = known.get(reply.answer, str(reply.answer))
        text = f"the server at {self._device} refuses '{what}' of {len(frame.payload):,} B: {why}"
        return _problem(
            text,
            "give it less at a time, or a larger --limit"
            if reply.answer == Answer.TOO_LARGE
            else "see docs/serve.md",
        )

    def _exactly(self, count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            part = self._socket.recv(min(count - len(parts), 1 << 20))
            if not part:
                raise ConnectionError("it closed the connection")
            parts += part
        return bytes(parts)

    def page(self, opcode: Opcode, *, operation: int = 0, firmware: int = 0) -> bytes:
        """Return a page whole: its length is asked for first."""
        keep = RETAIN if opcode in {Opcode.STATUS, Opcode.LOG} else 0
        frame = Frame(opcode=opcode, operation=operation | keep, firmware=firmware, length=8)
        whole = min(self.ask(frame).total, PAGE_BYTES)
        return self.ask(replace(frame, operation=operation, length=whole)).payload

    def control(self, operation: Operation, firmware: int = ACTIVE) -> None:
        """Have the accelerator do something."""
        self.ask(Frame(opcode=Opcode.CONTROL, operation=operation, firmware=firmware))

    def finished(self) -> int:
        """Wait for what was begun; return how many bytes of results there are.

        Raises:
            SpecError: it failed; the log's last words are in the message.
        """
        wait = _FIRST_WAIT_S
        while True:
            state, made = read_status_page(self.page(Opcode.STATUS))
            if made > MOST_BYTES:
                raise not_understood(f"its results have {made:,} B, which no frame can ask for")
            if state not in {State.WAITING, State.RUNNING}:
                break
            time.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT_S)
        if state == State.FAILED:
            said = [text for _, _, text in read_log_page(self.page(Opcode.LOG, operation=LOG_PAGE))]
            raise _problem(
                f"the server at {self._device}: {said[-1] if said else 'it failed'}", "see what it says"
            )
        return made

    def leave_off(self) -> None:
        """Have the server stop what was begun, whatever came in between; where it cannot be told, leave it."""
        if self._is_between:
            with suppress(AieloomError):
                self.control(Operation.STOP)
        if not self._is_between:  # it stops what runs for those who have gone
            self.close()

    def close(self) -> None:
        """Leave."""
        self._socket.close()


class RemoteNetwork:
    """A network on a server: one that it serves, by its name, or a model that it is given."""

    def __init__(self, model: Path, device: str, *, token: bytes = b"", ca: Path | None = None) -> None:
        self._lock = Lock()
        self._connection = Connection(device, token=token, ca=ca)
        try:
            described = self._chosen(model, device)
        except BaseException:
            self.close()
            raise
        self.inputs = tuple(_end(e) for e in described["inputs"])
        self.outputs = tuple(_end(e) for e in described["outputs"])
        self.places = tuple(
            Place(engine=p["engine"], inputs=(), outputs=(), nodes=("?",) * p["nodes"])
            for p in described["places"]
        )

    def _chosen(self, model: Path, device: str) -> Description:
        """Make a network the active one; return its description."""
        link = self._connection
        held = read_identify_page(link.page(Opcode.IDENTIFY))
        link.ask(Frame(opcode=Opcode.ENABLE))
        self._most = min(held.get(Capability.INPUT, [0])[0], MOST_BYTES)
        served = {n: _described(link, n) for n in held.get(Capability.NETWORK, ())}
        named = {d["name"]: n for n, d in served.items()}
        if model.is_file():
            number, described = OWN_FIRMWARE, self._loaded(model)
        elif model.name in named:
            number = named[model.name]
            described = served[number]
        else:
            known = f"it serves: {', '.join(named) or 'nothing'}"
            raise _problem(f"the server at {device} has no '{model.name}', and there is no such file", known)
        link.control(Operation.SET_ACTIVE, number)
        return described

    def _loaded(self, model: Path) -> Description:
        data = model.read_bytes()
        self._check(len(data), f"{model}")
        self._connection.ask(Frame(opcode=Opcode.SEND_FIRMWARE, firmware=OWN_FIRMWARE, payload=data))
        self._connection.finished()
        return _described(self._connection, OWN_FIRMWARE)

    def _check(self, count: int, what: str) -> None:
        if count > self._most:
            text = f"{what} has {count:,} B; the server takes {self._most:,} B at a time"
            raise _problem(text, "give it less at a time, or a larger --limit")

    def run(self, outputs: Sequence[str], inputs: Mapping[str, Values]) -> dict[str, Values]:
        """Return the results by name.

        Raises:
            SpecError: the server refuses them.
            RunFailed: it has gone.
        """
        link = self._connection
        given = pack_tensors(_array(inputs[e.name], e.name) for e in self.inputs)
        self._check(len(given), "the input")
        with self._lock:  # one run at a time, whichever thread asks
            try:
                link.ask(Frame(opcode=Opcode.SEND, payload=given))
                link.control(Operation.START)
                reply = link.ask(Frame(opcode=Opcode.READ, length=link.finished()))
            except BaseException:  # Ctrl-C: what goes on would keep the next run out
                link.leave_off()
                raise
        names = [e.name for e in self.outputs]
        results = read_tensors(reply.payload, len(names))
        if len(results) != len(names):
            raise not_understood(f"it gives {len(results)} results of {len(names)}")
        found = dict(zip(names, results, strict=True))
        return {name: found[name].copy() for name in outputs}  # as those of a local run, which can be written

    def close(self) -> None:
        """Leave the server; it forgets what it was given."""
        self._connection.close()


def _described(link: Connection, number: int) -> Description:
    try:
        found = json.loads(link.page(Opcode.READ_FIRMWARE, firmware=number))
        return Description(
            name=str(found["name"]),
            inputs=[_end_description(e) for e in found["inputs"]],
            outputs=[_end_description(e) for e in found["outputs"]],
            places=[
                PlaceDescription(engine=str(p["engine"]), nodes=int(p["nodes"])) for p in found["places"]
            ],
        )
    except (ValueError, KeyError, TypeError, RecursionError) as e:
        raise not_understood(f"firmware {number} is not described") from e


def _end_description(data: EndDescription) -> EndDescription:
    return EndDescription(name=str(data["name"]), shape=tuple(data["shape"]), type=str(data["type"]))


def _end(data: EndDescription) -> End:
    return End(name=data["name"], shape=tuple(data["shape"]), type=type_of(data["type"]))


def _array(given: object, name: str) -> Values:
    """Return what a frame carries of an input, in its own type: what integers mean is the network's to say.

    Raises:
        SpecError: it is no array of numbers.
    """
    if isinstance(given, np.ma.MaskedArray):
        raise _problem(f"'{name}' is a masked array", "fill what is masked: x.filled(value)")
    try:
        array = np.asarray(given)
    except Exception as e:  # ragged lists, tensors that need a gradient or lie on a GPU
        said = str(e).splitlines()[0] if str(e) else type(e).__name__
        raise _problem(f"'{name}' is no array: {said}", "give a NumPy array") from e
    if array.dtype.kind == "V" and array.dtype.fields is None and np.can_cast(array.dtype, np.float32):
        return array.astype(np.float32)  # ml_dtypes' bfloat16 and the like: exact
    return array


def _connected(device: str, ca: Path | None) -> socket.socket:
    host, _, port = device.removeprefix(TCP).rpartition(":")
    if device.startswith(TCP) and not (port.isdecimal() and int(port) <= 65535):
        raise _problem(f"'{device}' is no address", "write tcp:HOST:PORT or unix:FILE")
    with ExitStack() as undone:
        context = _context(ca) if ca is not None else None
        try:
            if device.startswith(UNIX):
                link = undone.enter_context(socket.socket(socket.AF_UNIX))
                link.connect(device.removeprefix(UNIX))
            else:
                link = undone.enter_context(socket.create_connection((host.strip("[]"), int(port))))
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if context is not None:
                link = undone.enter_context(context.wrap_socket(link, server_hostname=host.strip("[]")))
        except (OSError, ssl.SSLError) as e:
            text = f"nobody serves on {device}: {getattr(e, 'strerror', None) or e}"
            raise _problem(text, "start it: aieloom serve NETWORK ...") from e
        undone.pop_all()
    return link


def _context(ca: Path) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca)
    except (OSError, ssl.SSLError) as e:
        text = f"{ca} holds no certificates: {e.strerror or e}"
        raise _problem(text, "name a PEM file of the certificates by which the server is known") from e


def _problem(text: str, remedy: str) -> SpecError:
    return SpecError(rule="serve", file="", text=text, remedy=remedy)
