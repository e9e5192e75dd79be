"""`aieloom serve`: open the networks, listen, say where."""

from __future__ import annotations

import argparse
import asyncio
import signal
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from aieloom import messages
from aieloom.progress import working
from aieloom.runtime.frames import MOST_BYTES
from aieloom_serve.accelerator import Firmware
from aieloom_serve.device import Device
from aieloom_serve.server import Limits, Server, Tcp, refused
from aieloom_serve.worker import Failed

MOST_LIMIT = MOST_BYTES >> 20  # megabytes of a buffer


def run(options: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM."""
    return asyncio.run(_serve(options))


async def _serve(options: argparse.Namespace) -> int:
    tcp = _tcp(options)
    if tcp:
        tcp.check()
    if options.limit > MOST_LIMIT:
        raise refused(
            f"--limit {options.limit} is more than a frame can say", f"give {MOST_LIMIT} or less (megabytes)"
        )
    _check_names(options.networks)
    limits = Limits(buffer_bytes=options.limit << 20)
    device = Device(options.target, options.timeout, limits.buffer_bytes)
    try:
        served = {number: await _opened(device, path) for number, path in enumerate(options.networks)}
        async with AsyncExitStack() as listening:
            server = Server(device, served, limits)
            if tcp:
                port = await listening.enter_async_context(server.on_tcp(tcp))
                where = f"tcp:{tcp.host}:{port}"
            else:
                await listening.enter_async_context(server.on_unix(options.socket))
                where = f"unix:{options.socket.absolute()}"
            end = _asked_to_end()  # before anybody is told that he may ask
            _tell(where, served)
            await end.wait()
    finally:
        device.close()
    return 0


def _check_names(networks: Sequence[Path]) -> None:
    """Refuse two networks that clients could not tell apart.

    Raises:
        SpecError: they have one name.
    """
    known: dict[str, Path] = {}
    for path in networks:
        name = path.absolute().name
        if name in known:
            text = f"{known[name]} and {path} are both called '{name}', by which clients choose a network"
            raise refused(text, "serve one of them, or a copy of it under another name")
        known[name] = path


def _tcp(options: argparse.Namespace) -> Tcp | None:
    if options.tcp is None:
        return None
    host, _, port = options.tcp.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise refused(f"'{options.tcp}' is no address", "write HOST:PORT, for instance 127.0.0.1:4711")
    token = b""
    if options.token_file:
        try:
            token = options.token_file.read_bytes().strip()
        except OSError as e:
            raise refused(
                f"cannot read {options.token_file}: {e.strerror or e}", "name a readable file"
            ) from e
        if len(token) < 16:
            raise refused(
                f"the token in {options.token_file} has {len(token)} bytes",
                "write 16 or more that nobody guesses: head -c 32 /dev/urandom | base64 > FILE",
            )
    return Tcp(
        host=host.strip("[]"), port=int(port), token=token, certificate=options.certificate, key=options.key
    )


async def _opened(device: Device, path: Path) -> Firmware:
    with working(f"opening {path}"):
        try:
            found = await device.open(str(path.absolute()), lambda: None)
        except Failed as e:
            what, _, fix = str(e).partition("\n  fix: ")
            raise refused(
                f"cannot serve {path}: {what}", fix or "serve a project's folder or an ONNX model"
            ) from e
    return Firmware(path=str(path.absolute()), description=found)


def _tell(where: str, served: dict[int, Firmware]) -> None:
    console = messages.console()
    for number, firmware in served.items():
        ends = firmware.description
        shapes = [f"{e['name']} {_shape(e['shape'])}" for e in (*ends["inputs"], *ends["outputs"])]
        console.print(f"firmware {number}: {ends['name']}: {', '.join(shapes)}", markup=False)
    console.print(f"serving on {where}; Session(..., device='{where}'); Ctrl-C ends", markup=False)


def _shape(sizes: Sequence[int | None]) -> str:
    return "x".join("n" if size is None else str(size) for size in sizes)


def _asked_to_end() -> asyncio.Event:
    """Return what Ctrl-C or SIGTERM sets."""
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, asked.set)
    return asked
