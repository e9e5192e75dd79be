"""The socket: who may connect, how long one may take, how much one may send; each connection has an accelerator of its own.

A Unix socket belongs to its user. TCP listens on a loopback address unless told
otherwise; on any other it wants a token and TLS. Who is not let in, or sends what is no frame, is told nothing.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import socket
import ssl
import stat
import struct
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from aieloom import messages
from aieloom.errors import SpecError
from aieloom.runtime.frames import HEADER_BYTES, Answer, Frame, Opcode, Reply, read_header
from aieloom.runtime.remote import is_loopback
from aieloom_serve.accelerator import Accelerator, Firmware
from aieloom_serve.device import Device

RULE = "serve"
MOST_TOKEN = 4096  # bytes
_CREDENTIALS = struct.Struct("3i")  # of SO_PEERCRED: process, user, group


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a client may do to others at most."""

    buffer_bytes: int = 256 << 20  # of a frame's payload, of each buffer, of a model
    clients: int = 16  # at a time; more are not let in
    idle_s: float = 600.0  # without a frame
    frame_s: float = 60.0  # from a frame's first byte to its last, and for an answer to be taken
    strangers: int = 64  # at a time, who have not yet given the token; the oldest makes room for a new one
    stranger_s: float = 5.0  # for TLS to begin, and for the whole token then


@dataclass(frozen=True, slots=True, kw_only=True)
class Tcp:
    """An address to listen on."""

    host: str
    port: int
    token: bytes = b""
    certificate: Path | None = None
    key: Path | None = None

    def check(self) -> None:
        """Refuse an address that others reach without a token and TLS.

        Raises:
            SpecError: it is one.
        """
        if is_loopback(self.host) or (self.token and self.certificate and self.key):
            return
        missing = [
            name
            for name, has in (
                ("--token-file", self.token),
                ("--certificate", self.certificate),
                ("--key", self.key),
            )
            if not has
        ]
        text = f"others reach {self.host}:{self.port}, and {', '.join(missing)} is not given"
        raise refused(text, "give a token and a certificate with its key, or listen on 127.0.0.1")

    def tls(self) -> ssl.SSLContext | None:
        """Return the context of TLS, where there is a certificate.

        Raises:
            SpecError: the files are none.
        """
        if not self.certificate:
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            context.load_cert_chain(self.certificate, self.key)
        except (OSError, ssl.SSLError) as e:
            text = f"{self.certificate} and {self.key} are no certificate and its key: {e}"
            raise refused(text, "name PEM files of a certificate and of its key") from e
        return context


class Server:
    """Listens, and gives each connection an accelerator."""

    def __init__(self, device: Device, served: Mapping[int, Firmware], limits: Limits) -> None:
        self._device, self._served, self._limits = device, served, limits
        # of all connections, those that end too
        self._tasks: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._clients: set[asyncio.Task[None]] = set()  # who are let in
        self._strangers: dict[asyncio.Task[None], None] = {}  # in the order in which they came

    @asynccontextmanager
    async def on_unix(self, path: Path) -> AsyncIterator[None]:
        """Listen on a Unix socket, which only its user can open.

        Raises:
            SpecError: somebody listens there, or it cannot be made.
        """
        _free(path)
        before = os.umask(0o177)
        listening = socket.socket(socket.AF_UNIX)
        try:
            listening.bind(str(path))  # asyncio would take away a socket that another server has just made
            listening.listen()  # before anybody takes it for one of a server that has gone
            mine = path.lstat()
            server = await asyncio.start_unix_server(
                self._met(_same_user), sock=listening, limit=HEADER_BYTES
            )
        except OSError as e:
            listening.close()
            raise refused(
                f"cannot listen on {path}: {e.strerror or e}", "name a path that you can write"
            ) from e
        finally:
            os.umask(before)
        try:
            yield
        finally:
            # while it listens nobody takes it for one of a server that has gone; what lies there now may be a successor's
            with suppress(OSError):
                there = path.lstat()
                if (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino):
                    path.unlink()
            await self._end(server)

    @asynccontextmanager
    async def on_tcp(self, tcp: Tcp) -> AsyncIterator[int]:
        """Listen on a TCP port; give its number.

        Raises:
            SpecError: others reach the address without a token and TLS, or it is taken.
        """
        tcp.check()
        met = self._met(lambda _: True, tcp.token)
        try:
            tls = tcp.tls()
            server = await asyncio.start_server(
                met,
                tcp.host,
                tcp.port,
                ssl=tls,
                ssl_handshake_timeout=self._limits.stranger_s if tls else None,
                limit=HEADER_BYTES,
            )
        except OSError as e:
            text = f"cannot listen on {tcp.host}:{tcp.port}: {e.strerror or e}"
            raise refused(text, "name an address of this machine and a port that is free") from e
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            await self._end(server)

    async def _end(self, server: asyncio.Server) -> None:
        server.close()
        for task, writer in self._tasks.items():
            writer.transport.abort()  # up to Python 3.11 wait_for forgets a cancellation that comes with a frame
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await server.wait_closed()  # from Python 3.12 on it waits for all connections

    def _met(
        self, is_known: Callable[[asyncio.StreamWriter], bool], token: bytes = b""
    ) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]:
        def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if not is_known(writer):
                writer.transport.abort()
                return
            task = asyncio.get_running_loop().create_task(self._serve(reader, writer, token))
            self._tasks[task] = writer
            if token:
                if len(self._strangers) >= self._limits.strangers:
                    oldest = next(iter(self._strangers))
                    del self._strangers[oldest]
                    oldest.cancel()
                self._strangers[task] = None

            def ended(task: asyncio.Task[None]) -> None:
                writer.transport.abort()  # of one that was cancelled before it began
                self._tasks.pop(task, None)
                self._strangers.pop(task, None)

            task.add_done_callback(ended)

        return met

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: bytes) -> None:
        task = asyncio.current_task()
        assert task is not None
        accelerator = Accelerator(self._device, self._served, self._limits.buffer_bytes)
        try:
            if token and not await self._is_let_in(reader, token):
                return
            self._strangers.pop(task, None)
            if len(self._clients) < self._limits.clients:
                self._clients.add(task)
                await self._converse(reader, writer, accelerator, may_give_token=not token)
        except (asyncio.IncompleteReadError, asyncio.TimeoutError, OSError):
            pass  # it has gone, or is too slow; up to Python 3.10 asyncio's TimeoutError is no OSError
        except Exception as e:  # a defect of aieloom ends one connection, not the server
            words = " ".join(f"{type(e).__name__}: {e}".split())
            messages.console(stderr=True).print(f"a connection ends: {words}", markup=False)
        finally:
            writer.transport.abort()
            self._clients.discard(task)  # before what may take long: its place is free
            await accelerator.close()

    async def _is_let_in(self, reader: asyncio.StreamReader, token: bytes) -> bool:
        given = await asyncio.wait_for(_token(reader), self._limits.stranger_s)
        return given is not None and hmac.compare_digest(given, token)

    async def _converse(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        accelerator: Accelerator,
        *,
        may_give_token: bool,
    ) -> None:
        """Answer frame by frame until the client goes, or sends what cannot be one.

        `may_give_token`: no token is wanted; who gives one in the first frame is heard like anybody.
        """
        while True:
            head = await asyncio.wait_for(reader.readexactly(HEADER_BYTES), self._limits.idle_s)
            found = read_header(head)
            if found is None:
                return
            frame, length = found
            if length > self._limits.buffer_bytes:  # what follows is not read, so nothing can follow
                await self._tell(writer, Reply(opcode=frame.opcode, answer=Answer.TOO_LARGE, tag=frame.tag))
                return
            payload = await asyncio.wait_for(reader.readexactly(length), self._limits.frame_s)
            is_token, may_give_token = may_give_token and frame.opcode == Opcode.TOKEN, False
            if is_token:
                continue
            whole = Frame(
                opcode=frame.opcode,
                accelerator=frame.accelerator,
                tag=frame.tag,
                operation=frame.operation,
                firmware=frame.firmware,
                length=frame.length,
                payload=payload,
            )
            await self._tell(writer, accelerator.answer(whole))

    async def _tell(self, writer: asyncio.StreamWriter, reply: Reply) -> None:
        writer.write(reply.packed())
        await asyncio.wait_for(writer.drain(), self._limits.frame_s)


async def _token(reader: asyncio.StreamReader) -> bytes | None:
    """Return the token of the first frame, None where it is another frame."""
    found = read_header(await reader.readexactly(HEADER_BYTES))
    if found is None or found[0].opcode != Opcode.TOKEN or found[1] > MOST_TOKEN:
        return None
    return await reader.readexactly(found[1])


def _same_user(writer: asyncio.StreamWriter) -> bool:
    """Tell whether the other end's process is the user's who serves, or the administrator's."""
    peer = writer.get_extra_info("socket").getsockopt(
        socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size
    )
    return _CREDENTIALS.unpack(peer)[1] in {os.getuid(), 0}


def _free(path: Path) -> None:
    """Remove the socket of a server that has gone.

    Raises:
        SpecError: one listens there, or what is there is no socket.
    """
    try:
        kind = path.lstat().st_mode
    except OSError:
        return
    if not stat.S_ISSOCK(kind):
        raise refused(f"{path} is a file that is no socket", "name another path, or remove it")
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1)
        try:
            probe.connect(str(path))
        except FileNotFoundError:
            return
        except ConnectionRefusedError:
            pass  # nobody listens
        except OSError as e:  # one that has too many callers now, or another user's
            text = f"whether somebody serves on {path} cannot be known: {e.strerror or e}"
            raise refused(text, "name another path, or remove it") from e
        else:
            raise refused(f"somebody serves on {path}", "name another path, or end the other one")
    try:
        path.unlink(missing_ok=True)
    except OSError as e:
        text = f"the socket {path} of a server that has gone cannot be removed: {e.strerror or e}"
        raise refused(text, "name another path, or remove it") from e


def refused(text: str, remedy: str) -> SpecError:
    """Return the error of a server that cannot begin."""
    return SpecError(rule=RULE, file="", text=text, remedy=remedy)
