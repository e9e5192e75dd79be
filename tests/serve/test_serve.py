"""`aieloom serve`: what clients get, what they cannot get, and what those do to nobody who go away or send rubbish."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import ssl
import stat
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from aieloom.errors import RunFailed, SpecError
from aieloom.runtime.frames import (
    OWN_FIRMWARE,
    RETAIN,
    Answer,
    Frame,
    Opcode,
    Operation,
    State,
    pack_tensors,
    read_tensors,
)
from aieloom.runtime.remote import Connection
from aieloom.runtime.session import Session
from aieloom_serve.device import Device
from aieloom_serve.server import Limits, Server, Tcp
from tests.api.together import Tiny, expected, make
from tests.api.together import given as inputs_of
from tests.serve.serving import TOKEN, Doubles, asked, raw, received, serving, settled, state


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Doubles]]:
    with serving(tmp_path) as found:
        yield found


def test_a_session_gets_its_own_results(served: tuple[str, Doubles]) -> None:
    address, _ = served

    def client(seed: int) -> None:
        with Session("doubles", device=address) as session:
            assert [e.name for e in session.get_inputs()] == ["x"]
            for n in range(5):
                x = np.full((n + 1, 3), seed + n / 8, np.float32)
                (y,) = session.run(None, {"x": x})
                assert np.array_equal(y, 2 * x)

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(client, range(1, 13)))


def test_the_flow_of_the_document(served: tuple[str, Doubles]) -> None:
    address, device = served
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    with raw(address) as link:
        head = asked(link, Frame(opcode=Opcode.IDENTIFY, length=8))
        assert head.payload[:4] == b"WDC\0"
        length = struct.unpack("<I", head.payload[4:])[0]
        assert length == head.total == len(asked(link, Frame(opcode=Opcode.IDENTIFY, length=length)).payload)
        load = Frame(opcode=Opcode.SEND_FIRMWARE, firmware=OWN_FIRMWARE, payload=b"a model")
        assert asked(link, load).answer == Answer.DONE
        assert settled(link) == State.FINISHED and len(device.opened) == 1
        assert asked(link, Frame(opcode=Opcode.SEND, payload=b"1234")).answer == Answer.DISABLED
        assert asked(link, Frame(opcode=Opcode.ENABLE)).answer == Answer.DONE
        assert asked(link, Frame(opcode=Opcode.SEND, payload=pack_tensors([x]))).answer == Answer.DONE
        start = Frame(opcode=Opcode.CONTROL, operation=Operation.START, firmware=OWN_FIRMWARE, tag=7)
        assert asked(link, start).answer == Answer.DONE
        assert settled(link) == State.FINISHED
        assert state(link, keep=0) == State.FINISHED, "read for good"
        assert state(link) == State.STOPPED
        made = asked(link, Frame(opcode=Opcode.READ, length=1 << 20))
        assert np.array_equal(read_tensors(made.payload, 1)[0], 2 * x)
        part = asked(link, Frame(opcode=Opcode.READ, operation=4, length=8))
        assert part.payload == made.payload[4:12] and part.total == len(made.payload)
        stop = Frame(opcode=Opcode.CONTROL, operation=Operation.STOP)
        assert asked(link, stop).answer == Answer.DONE
    while device.opened:
        time.sleep(0.01)  # the network that the client loaded is forgotten with it


def test_a_start_without_firmware_is_an_error_state_and_a_log_entry(served: tuple[str, Doubles]) -> None:
    with raw(served[0]) as link:
        asked(link, Frame(opcode=Opcode.ENABLE))
        start = Frame(opcode=Opcode.CONTROL, operation=Operation.START, firmware=0xFFFFFFFF)
        assert asked(link, start).answer == Answer.DONE
        assert state(link) == State.FAILED and state(link, keep=0) == State.FAILED
        assert state(link) == State.STOPPED
        log = Frame(opcode=Opcode.LOG, operation=0xC0 | RETAIN, length=4096)
        page = asked(link, log).payload
        length, when, kind = struct.unpack_from("<IQI", page, 16)
        assert kind == 0 and length == len(page) - 16 and abs(when / 1e9 - time.time()) < 60
        assert b"no firmware is loaded" in page
        assert asked(link, log).payload == page, "RAE keeps it"
        asked(link, Frame(opcode=Opcode.LOG, operation=0xC0, length=4096))
        assert len(asked(link, log).payload) == 16


@pytest.mark.parametrize(
    ("frame", "answer"),
    [
        (Frame(opcode=0x55), Answer.UNKNOWN_OPCODE),
        (Frame(opcode=Opcode.STATUS, accelerator=1), Answer.WRONG_FIELD),
        (Frame(opcode=Opcode.ENABLE, operation=2), Answer.WRONG_FIELD),
        (Frame(opcode=Opcode.CONTROL, operation=9), Answer.WRONG_FIELD),
        (Frame(opcode=Opcode.LOG, operation=0xC1), Answer.WRONG_FIELD),
        (Frame(opcode=Opcode.READ_FIRMWARE, firmware=5), Answer.WRONG_FIELD),
        (Frame(opcode=Opcode.SEND_FIRMWARE, firmware=0, payload=b"x"), Answer.WRONG_FIELD),
        (Frame(opcode=Opcode.INPUT_FROM_STORAGE), Answer.UNSUPPORTED),
        (Frame(opcode=Opcode.OUTPUT_TO_STORAGE), Answer.UNSUPPORTED),
    ],
)
def test_what_is_wrong_is_answered(frame: Frame, answer: Answer, served: tuple[str, Doubles]) -> None:
    with raw(served[0]) as link:
        assert asked(link, frame).answer == answer
        assert state(link) == State.STOPPED, "the connection goes on"


def test_what_runs_can_be_stopped_and_is_busy_until_then(served: tuple[str, Doubles]) -> None:
    with raw(served[0]) as link:
        asked(link, Frame(opcode=Opcode.ENABLE))
        asked(link, Frame(opcode=Opcode.SEND, payload=pack_tensors([np.zeros((1, 3), np.float32)])))
        start = Frame(opcode=Opcode.CONTROL, operation=Operation.START, firmware=0)
        asked(link, start)
        while state(link) != State.RUNNING:
            time.sleep(0.001)
        for frame in (start, Frame(opcode=Opcode.SEND, payload=b""), Frame(opcode=Opcode.READ, length=8)):
            assert asked(link, frame).answer == Answer.BUSY
        asked(link, Frame(opcode=Opcode.CONTROL, operation=Operation.STOP))
        assert state(link) == State.STOPPED
    with Session("doubles", device=served[0]) as session:  # the device is free for others
        assert session.run(None, {"x": np.ones((1, 3), np.float32)})[0].sum() == 6


def test_errors_come_as_one_message(served: tuple[str, Doubles], tmp_path: Path) -> None:
    address, _ = served
    with Session("doubles", device=address) as session, pytest.raises(SpecError, match=r"\[serve\].*NaN"):
        session.run(None, {"x": np.full((1, 3), np.nan, np.float32)})
    with pytest.raises(SpecError, match=r"has no 'other'.*\n.*it serves: doubles"):
        Session("other", device=address)
    (tmp_path / "bad.onnx").write_bytes(b"no model")
    with pytest.raises(SpecError, match="it is no model"):
        Session(tmp_path / "bad.onnx", device=address)
    with pytest.raises(SpecError, match=r"nobody serves on unix:/nowhere.*\n.*aieloom serve"):
        Session("doubles", device="unix:/nowhere")
    with pytest.raises(SpecError, match="no address"):
        Session("doubles", device="tcp:here")


def test_buffers_have_their_limit(tmp_path: Path) -> None:
    with serving(tmp_path, buffer_bytes=64) as (address, _):
        with Session("doubles", device=address) as session:
            with pytest.raises(SpecError, match=r"the input has 136 B; the server takes 64 B"):
                session.run(None, {"x": np.ones((10, 3), np.float32)})
            assert len(session.run(None, {"x": np.ones((1, 3), np.float32)})) == 1
        with raw(address) as link:
            assert asked(link, Frame(opcode=Opcode.SEND, payload=bytes(65))).answer == Answer.TOO_LARGE
            with suppress(ConnectionError):
                assert link.recv(1) == b"", "what follows cannot be read"


def test_only_so_many_are_let_in(tmp_path: Path) -> None:
    with serving(tmp_path, clients=2) as (address, _), raw(address) as one, raw(address) as two:
        assert state(one) == state(two) == State.STOPPED
        with raw(address) as three, suppress(ConnectionError):
            assert received(three) is None
        assert state(one) == State.STOPPED


def test_who_is_silent_or_slow_is_left(tmp_path: Path) -> None:
    with serving(tmp_path, idle_s=0.2, frame_s=0.2) as (address, _):
        for begun in (b"", Frame(opcode=Opcode.SEND, payload=bytes(100)).packed()[:-1]):
            with raw(address) as link, suppress(ConnectionError):
                link.sendall(begun)
                assert received(link) is None


def test_the_socket_is_its_users(tmp_path: Path) -> None:
    with serving(tmp_path) as (address, _):
        file = Path(address.removeprefix("unix:"))
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        with pytest.raises(SpecError, match="somebody serves on"):
            asyncio.run(_listen(file))
    assert not file.exists()
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(str(file))
    stale.close()
    asyncio.run(_listen(file))  # of a server that has gone
    file.write_text("mine")
    with pytest.raises(SpecError, match="is a file that is no socket"):
        asyncio.run(_listen(file))
    assert file.read_text() == "mine"


async def _listen(file: Path) -> None:
    async with Server(cast(Device, Doubles()), {}, Limits()).on_unix(file):
        pass


def test_another_address_than_loopback_wants_a_token_and_tls() -> None:
    for tcp in (Tcp(host="0.0.0.0", port=0), Tcp(host="0.0.0.0", port=0, token=TOKEN)):
        with pytest.raises(SpecError, match=r"others reach 0\.0\.0\.0:0, and .*--certificate"):
            tcp.check()
    for host in ("127.0.0.1", "::1", "localhost"):
        Tcp(host=host, port=0).check()


def certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1."""
    files = folder / "certificate.pem", folder / "key.pem"
    command = f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout {files[1]} -out {files[0]}"
    name = ["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command.split(), *name], check=True, capture_output=True)
    return files


def test_tls_and_a_token(tmp_path: Path) -> None:
    chain, key = certificate(tmp_path)
    tcp = Tcp(host="127.0.0.1", port=0, token=TOKEN, certificate=chain, key=key)
    with serving(tmp_path, tcp) as (address, device):
        with Session("doubles", device=address, token=TOKEN, ca=chain) as session:
            assert session.run(None, {"x": np.ones((1, 3), np.float32)})[0].sum() == 6
        for wrong in (b"", b"another token of the same length", TOKEN + b"+"):
            with pytest.raises((SpecError, RunFailed)) as told:
                Session("doubles", device=address, token=wrong, ca=chain)
            assert "doubles" not in str(told.value) and "token" not in str(told.value), "it learns nothing"
        with pytest.raises(SpecError, match="CERTIFICATE_VERIFY_FAILED"):
            Connection(address, token=TOKEN, ca=_other(tmp_path))
        port = int(address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as plain, suppress(ConnectionError):
            plain.sendall(Frame(opcode=Opcode.IDENTIFY, length=8).packed())
            assert b"WDC" not in plain.recv(100)
        assert device.runs == 1
    assert ssl.OPENSSL_VERSION


def _other(folder: Path) -> Path:
    other = folder / "other"
    other.mkdir()
    return certificate(other)[0]


def fuzzed(address: str, seed: int, frames: int) -> None:
    """Send frames of any fields, cut or damaged now and then, and look at no answer's sense but its form."""
    chance = random.Random(seed)
    link = raw(address)
    for _ in range(frames):
        frame = Frame(
            opcode=chance.choice([*Opcode, chance.randrange(256)]),  # a token, as the first, is not answered
            accelerator=chance.choice([0, 0, 0, chance.randrange(2**16)]),
            tag=chance.randrange(2**32),
            operation=chance.choice([0, 1, 2, 3, 0xC0, RETAIN, chance.randrange(2**32)]),
            firmware=chance.choice([0, 1, OWN_FIRMWARE, 0xFFFFFFFF, chance.randrange(2**32)]),
            length=chance.choice([0, 8, 4096, chance.randrange(2**32)]),
            payload=chance.randbytes(chance.choice([0, 0, 4, 16, chance.randrange(300)])),
        )
        data = bytearray(frame.packed())
        if chance.random() < 0.1:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        if chance.random() < 0.05:
            del data[chance.randrange(len(data)) :]
            link.sendall(data)
            link.close()
            link = raw(address)
            continue
        try:
            link.sendall(data)
            if bytes(data) == frame.packed() and frame.opcode != Opcode.TOKEN:
                assert received(link) is not None
            else:
                link.close()
                link = raw(address)
        except (ConnectionError, TimeoutError):
            link = raw(address)
    link.close()


def check_others(address: str, rounds: int, done: threading.Event) -> None:
    """Be a client that nobody disturbs."""
    with Session("doubles", device=address) as session:
        for n in range(rounds):
            x = np.full((2, 3), n + 1, np.float32)
            assert np.array_equal(session.run(None, {"x": x})[0], 2 * x)
        while not done.is_set():
            assert session.run(None, {"x": np.ones((1, 3), np.float32)})[0].sum() == 6


@pytest.mark.parametrize("frames", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_fuzzed_frames_disturb_nobody(frames: int, tmp_path: Path) -> None:
    done = threading.Event()
    with serving(tmp_path, clients=64) as (address, device), ThreadPoolExecutor(6) as pool:
        others = [pool.submit(check_others, address, 20, done) for _ in range(2)]
        try:
            list(pool.map(lambda seed: fuzzed(address, seed, frames // 4), range(4)))
        finally:
            done.set()
        for other in others:
            other.result(60)
        while device.opened:
            time.sleep(0.01)


KILLED = """
import sys, numpy as np
from pathlib import Path
from aieloom.runtime.remote import RemoteNetwork
network = RemoteNetwork(Path("doubles"), sys.argv[1])
print("in", flush=True)
while True:
    network.run(["y"], {"x": np.full((1, 3), float(sys.argv[2]), np.float32)})
"""


@pytest.mark.slow
def test_killed_clients_cost_nobody_anything(tmp_path: Path) -> None:
    """Half of them are killed while the device works for them, and would work for ever."""
    done = threading.Event()
    with serving(tmp_path, clients=64) as (address, _), ThreadPoolExecutor(1) as pool:
        other = pool.submit(check_others, address, 20, done)
        for n in range(20):
            words = [sys.executable, "-c", KILLED, address, str(n % 2)]
            with subprocess.Popen(words, stdout=subprocess.PIPE) as client:
                assert client.stdout is not None and client.stdout.readline() == b"in\n"
                time.sleep(0.02 * (n % 5))
                client.send_signal(signal.SIGKILL)
        done.set()
        other.result(60)


@pytest.mark.integration
def test_a_served_design_gives_the_bits_of_its_emulation(tmp_path: Path) -> None:
    """The command itself: a project and a model that a client brings."""
    tiny = make(tmp_path / "tiny")
    address = f"unix:{tmp_path / 'net.sock'}"
    command = [sys.executable, "-m", "aieloom", "serve", str(tiny.folder), "--socket", address[5:]]
    environment = {**os.environ, "COLUMNS": "200", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        try:
            assert server.stdout is not None
            said = server.stdout.readline() + server.stdout.readline()
            assert "firmware 0: tiny: x nx6x1x1" in said and address in said
            served_bits(tiny, address)
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0
    assert not Path(address[5:]).exists()


def served_bits(tiny: Tiny, address: str) -> None:
    with Session(tiny.folder, device=address) as session:
        for seed in range(3):
            x = inputs_of(seed)
            (y,) = session.run(None, {"x": x})
            assert y.tobytes() == tiny.design().emulate(x).tobytes()
            assert np.array_equal(y.reshape(len(x), -1), expected("a", x))
