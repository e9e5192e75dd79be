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
from ipaddress import ip_address
from pathlib import Path

from aieloom.errors import Problem, SpecError
from aieloom.runtime.frames import HEADER_BYTES, Answer, Frame, Opcode, Reply, read_header
from aieloom.serve.accelerator import Accelerator, Firmware
from aieloom.serve.device import Device

RULE = "serve"
_CREDENTIALS = struct.Struct("3i")  # of SO_PEERCRED: process, user, group


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a client may do to others at most."""

    buffer_bytes: int = 256 << 20  # of a frame's payload, of each buffer, of a model
    clients: int = 16  # at a time; more are not let in
    idle_s: float = 600.0  # without a frame
    frame_s: float = 60.0  # from a frame's first byte to its last, and for an answer to be taken


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
        if _is_loopback(self.host) or (self.token and self.certificate and self.key):
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


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Server:
    """Listens, and gives each connection an accelerator."""

    def __init__(self, device: Device, served: Mapping[int, Firmware], limits: Limits) -> None:
        self._device, self._served, self._limits = device, served, limits
        self._clients: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def on_unix(self, path: Path) -> AsyncIterator[None]:
        """Listen on a Unix socket, which only its user can open.

        Raises:
            SpecError: somebody listens there, or it cannot be made.
        """
        _free(path)
        before = os.umask(0o177)
        try:
            server = await asyncio.start_unix_server(self._met(_same_user), path, limit=HEADER_BYTES)
        except OSError as e:
            raise refused(
                f"cannot listen on {path}: {e.strerror or e}", "name a path that you can write"
            ) from e
        finally:
            os.umask(before)
        try:
            async with server:
                yield
        finally:
            await self._end()
            path.unlink(missing_ok=True)

    @asynccontextmanager
    async def on_tcp(self, tcp: Tcp) -> AsyncIterator[int]:
        """Listen on a TCP port; give its number.

        Raises:
            SpecError: others reach the address without a token and TLS, or it is taken.
        """
        tcp.check()
        met = self._met(lambda _: True, tcp.token)
        try:
            server = await asyncio.start_server(met, tcp.host, tcp.port, ssl=tcp.tls(), limit=HEADER_BYTES)
        except OSError as e:
            text = f"cannot listen on {tcp.host}:{tcp.port}: {e.strerror or e}"
            raise refused(text, "name an address of this machine and a port that is free") from e
        try:
            async with server:
                yield server.sockets[0].getsockname()[1]
        finally:
            await self._end()

    async def _end(self) -> None:
        for client in self._clients:
            client.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)

    def _met(
        self, is_known: Callable[[asyncio.StreamWriter], bool], token: bytes = b""
    ) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]:
        def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if len(self._clients) >= self._limits.clients or not is_known(writer):
                writer.transport.abort()
                return
            client = asyncio.get_running_loop().create_task(self._serve(reader, writer, token))
            self._clients.add(client)
            client.add_done_callback(self._clients.discard)

        return met

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: bytes) -> None:
        accelerator = Accelerator(self._device, self._served, self._limits.buffer_bytes)
        gone = (ConnectionError, asyncio.IncompleteReadError, TimeoutError, OSError, ssl.SSLError)
        try:
            with suppress(*gone):
                if token and not await self._is_let_in(reader, token):
                    return
                await self._converse(reader, writer, accelerator)
        finally:
            writer.transport.abort()
            await accelerator.close()

    async def _is_let_in(self, reader: asyncio.StreamReader, token: bytes) -> bool:
        head = await asyncio.wait_for(reader.readexactly(HEADER_BYTES), self._limits.frame_s)
        found = read_header(head)
        if found is None or found[0].opcode != Opcode.TOKEN or found[1] > 4096:
            return False
        given = await asyncio.wait_for(reader.readexactly(found[1]), self._limits.frame_s)
        return hmac.compare_digest(given, token)

    async def _converse(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, accelerator: Accelerator
    ) -> None:
        """Answer frame by frame until the client goes, or sends what cannot be one."""
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
    with socket.socket(socket.AF_UNIX) as probe, suppress(OSError):
        probe.settimeout(1)
        probe.connect(str(path))
        raise refused(f"somebody serves on {path}", "name another path, or end the other one")
    path.unlink(missing_ok=True)


def refused(text: str, remedy: str) -> SpecError:
    """Return the error of a server that cannot begin."""
    return SpecError(Problem(rule=RULE, file="", text=text, remedy=remedy))
