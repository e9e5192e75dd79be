"""What a server and its clients do when something else than the client's command goes wrong, or a client wants to do harm."""

from __future__ import annotations

import argparse
import asyncio
import re
import socket
import struct
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from aieloom.errors import Problem, RunFailed, SpecError
from aieloom.runtime.frames import (
    ACTIVE,
    OWN_FIRMWARE,
    RETAIN,
    Answer,
    Entry,
    Frame,
    Opcode,
    Operation,
    State,
    log_page,
    pack_tensors,
    read_log_page,
)
from aieloom.runtime.remote import PAGE_BYTES, Connection
from aieloom.runtime.session import Session
from aieloom_serve import command, worker
from aieloom_serve.accelerator import MOST_ENTRIES, Accelerator
from aieloom_serve.device import Device
from aieloom_serve.server import Limits, Server, Tcp
from aieloom_serve.worker import MOST_TEXT
from tests.serve.serving import TOKEN, Doubles, asked, raw, received, serving, settled, state

ONES = np.ones((1, 3), np.float32)


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Doubles]]:
    """A server whose temporary files are in `tmp_path`."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with serving(tmp_path) as found:
        yield found


def logged(link: socket.socket) -> tuple[int, str]:
    """Return the kind and the text of the log's last entry."""
    page = asked(link, Frame(opcode=Opcode.LOG, operation=0xC0 | RETAIN, length=PAGE_BYTES)).payload
    return read_log_page(page)[-1][1:]


def start(link: socket.socket, *payload: Any, firmware: int = 0) -> State:
    asked(link, Frame(opcode=Opcode.ENABLE))
    data = payload[0] if payload and isinstance(payload[0], bytes) else pack_tensors(payload)
    assert asked(link, Frame(opcode=Opcode.SEND, payload=data)).answer == Answer.DONE
    control(link, Operation.START, firmware)
    return settled(link)


def control(link: socket.socket, operation: Operation, firmware: int = ACTIVE) -> None:
    frame = Frame(opcode=Opcode.CONTROL, operation=operation, firmware=firmware)
    assert asked(link, frame).answer == Answer.DONE


def load(link: socket.socket, model: bytes = b"a model") -> None:
    frame = Frame(opcode=Opcode.SEND_FIRMWARE, firmware=OWN_FIRMWARE, payload=model)
    assert asked(link, frame).answer == Answer.DONE


def folders(where: Path) -> list[Path]:
    return list(where.glob("aieloom-serve-*/*/*"))


def left_nothing(where: Path, device: Doubles) -> None:
    end = time.monotonic() + 30
    while device.opened or list(where.glob("aieloom-serve-*")):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_tensors_without_end_are_refused_at_once(served: tuple[str, Doubles]) -> None:
    with raw(served[0]) as link:
        assert start(link, 2_000_000 * struct.pack("<3I", 1, 1, 0)) == State.FAILED
        kind, text = logged(link)
        assert kind == Entry.INPUT and "more than 1 tensors" in text
        assert start(link, struct.pack("<6I", 1, 4, 0, *[2**32 - 1] * 3)) == State.FAILED
        assert "tensor 0 is" in logged(link)[1]
        assert start(link, ONES) == State.FINISHED


@pytest.mark.parametrize(
    ("x", "kind", "text"),
    [(np.inf, Entry.RUN, "MemoryError: no room"), (-7, Entry.OUTPUT, "no frame carries an array of <U3")],
)
def test_whatever_fails_is_told_and_cleared(
    x: float, kind: Entry, text: str, served: tuple[str, Doubles], tmp_path: Path
) -> None:
    address, device = served
    with raw(address) as link:
        load(link)
        assert settled(link) == State.FINISHED
        assert start(link, np.full((1, 3), x, np.float32)) == State.FAILED
        assert logged(link)[0] == kind and text in logged(link)[1]
        assert start(link, ONES) == State.FINISHED
    left_nothing(tmp_path, device)


def test_a_full_disk_is_told(served: tuple[str, Doubles], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Path, __: bytes) -> None:
        raise OSError(28, "No space left on device")

    with raw(served[0]) as link:
        monkeypatch.setattr(Path, "write_bytes", full)
        load(link)
        assert settled(link) == State.FAILED
        assert logged(link)[0] == Entry.FIRMWARE and "No space left" in logged(link)[1]


def test_models_that_were_stopped_leave_no_file(served: tuple[str, Doubles], tmp_path: Path) -> None:
    address, device = served
    with raw(address) as other, raw(address) as link:
        load(link)
        assert settled(link) == State.FINISHED
        asked(link, Frame(opcode=Opcode.ENABLE))
        asked(other, Frame(opcode=Opcode.ENABLE))
        asked(other, Frame(opcode=Opcode.SEND, payload=pack_tensors([0 * ONES])))
        control(other, Operation.START, 0)  # the device is busy for ever
        while state(other) != State.RUNNING:
            time.sleep(0.001)
        for _ in range(3):
            load(link)
            time.sleep(0.02)
            control(link, Operation.STOP)
        load(link)
        while state(link) != State.WAITING:
            time.sleep(0.001)
        assert len(folders(tmp_path)) <= 1
        control(link, Operation.STOP)
        control(other, Operation.STOP)
        assert start(link, ONES) == State.FINISHED
        assert not folders(tmp_path)
    left_nothing(tmp_path, device)


def test_the_active_network_that_is_replaced_by_none_is_active_no_more(served: tuple[str, Doubles]) -> None:
    with raw(served[0]) as link:
        asked(link, Frame(opcode=Opcode.ENABLE))
        load(link)
        assert settled(link) == State.FINISHED
        control(link, Operation.SET_ACTIVE, OWN_FIRMWARE)
        load(link, b"no model")
        assert settled(link) == State.FAILED
        assert start(link, ONES, firmware=ACTIVE) == State.FAILED
        assert "no firmware is loaded and active" in logged(link)[1]


def test_a_log_of_long_texts_fits_a_page() -> None:
    problems = [Problem(rule="onnx", text=f"node {n}: " + "é" * 100, remedy="none") for n in range(800)]
    text = worker.said(SpecError(problems))
    shown = text.count("[onnx]")
    assert len(text.encode()) <= MOST_TEXT and 10 < shown < 50
    assert text.endswith(f"\n... and {800 - shown} more") and text.startswith(str(problems[0]))
    assert worker.said(SpecError(problems[:1])) == str(problems[0])
    assert len(worker.said(ValueError("é" * MOST_TEXT)).encode()) <= MOST_TEXT
    entries = [(0, Entry.RUN, worker.cut("é" * MOST_TEXT)) for _ in range(MOST_ENTRIES)]
    assert len(log_page(entries)) < PAGE_BYTES


def test_a_defect_ends_one_connection_and_is_said_in_one_line(
    served: tuple[str, Doubles], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with raw(served[0]) as link:
        with monkeypatch.context() as patched:

            def broken(*_: object) -> None:
                raise KeyError("a\nb")

            patched.setattr(Accelerator, "answer", broken)
            link.sendall(Frame(opcode=Opcode.IDENTIFY, length=8).packed())
            with suppress(ConnectionError):
                assert received(link) is None
        with raw(served[0]) as other:
            assert state(other) == State.STOPPED
    said = capfd.readouterr().err
    assert re.fullmatch(r"a connection ends: KeyError: [^\n]*\n", said)


def test_strangers_shut_nobody_out(tmp_path: Path) -> None:
    tcp = Tcp(host="127.0.0.1", port=0, token=TOKEN)
    with serving(tmp_path, tcp, clients=2, strangers=3) as (address, _), ExitStack() as silent:
        port = int(address.rpartition(":")[2])
        for _ in range(20):
            silent.enter_context(socket.create_connection(("127.0.0.1", port)))
        with Session("doubles", device=address, token=TOKEN) as session:
            assert session.run(None, {"x": ONES})[0].sum() == 6
            with Session("doubles", device=address, token=TOKEN) as other:
                assert other.run(None, {"x": ONES})[0].sum() == 6
                with pytest.raises((SpecError, RunFailed)):
                    Session("doubles", device=address, token=TOKEN)


def test_a_token_that_comes_slowly_is_not_waited_for(tmp_path: Path) -> None:
    tcp = Tcp(host="127.0.0.1", port=0, token=TOKEN)
    with serving(tmp_path, tcp, stranger_s=0.3) as (address, _):
        port = int(address.rpartition(":")[2])
        began = time.monotonic()
        with (
            socket.create_connection(("127.0.0.1", port), timeout=30) as link,
            suppress(ConnectionError),
        ):
            for byte in Frame(opcode=Opcode.TOKEN, payload=TOKEN).packed():
                link.sendall(bytes([byte]))
                time.sleep(0.05)  # 3 s in all
        assert time.monotonic() - began < 2.5


def test_the_place_of_one_who_has_gone_is_free_at_once(tmp_path: Path) -> None:
    with serving(tmp_path, clients=2) as (address, device), raw(address) as busy:
        with raw(address) as link:
            load(link)
            assert settled(link) == State.FINISHED
            asked(busy, Frame(opcode=Opcode.ENABLE))
            asked(busy, Frame(opcode=Opcode.SEND, payload=pack_tensors([0 * ONES])))
            control(busy, Operation.START, 0)
            while state(busy) != State.RUNNING:
                time.sleep(0.001)
        left_nothing(tmp_path, device)
        with raw(address) as link:
            assert state(link) == State.STOPPED
        assert state(busy) == State.RUNNING


def test_a_token_that_nobody_wants_is_taken_for_nothing(tmp_path: Path) -> None:
    tcp = Tcp(host="127.0.0.1", port=0)
    for listens in (None, tcp):
        with (
            serving(tmp_path, listens) as (address, _),
            Session("doubles", device=address, token=TOKEN) as session,
        ):
            assert session.run(None, {"x": ONES})[0].sum() == 6
    with serving(tmp_path) as (address, _), raw(address) as link:
        assert state(link) == State.STOPPED
        assert asked(link, Frame(opcode=Opcode.TOKEN, payload=TOKEN)).answer == Answer.UNSUPPORTED, "too late"


@pytest.mark.parametrize("host", ["192.0.2.1", "example.org", "[2001:db8::1]"])
def test_a_token_does_not_go_to_others_in_clear(host: str) -> None:
    with pytest.raises(SpecError, match=r"without TLS others can read the token.*\n.*ca="):
        Session("doubles", device=f"tcp:{host}:4711", token=TOKEN)


@pytest.mark.parametrize(
    ("device", "words", "text"),
    [
        ("tcp:127.0.0.1:99999", {}, "is no address"),
        ("tcp:127.0.0.1:1", {"ca": Path("nowhere.pem")}, "nowhere.pem holds no certificates"),
    ],
)
def test_what_a_session_cannot_use_is_one_message(device: str, words: dict[str, Any], text: str) -> None:
    with pytest.raises(SpecError, match=text):
        Session("doubles", device=device, **words)


def test_an_interrupt_stops_the_servers_run(
    served: tuple[str, Doubles], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    with Session("doubles", device=served[0]) as session:
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(time, "sleep", interrupted)
            session.run(None, {"x": 0 * ONES})
        assert session.run(None, {"x": ONES})[0].sum() == 6


def test_a_session_interrupted_amid_an_answer_says_that_it_is_over(
    served: tuple[str, Doubles], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> bytes:
        raise KeyboardInterrupt

    with Session("doubles", device=served[0]) as session:
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(Connection, "_exactly", interrupted)
            session.run(None, {"x": ONES})
        with pytest.raises(RunFailed, match="ended amid an answer: open another one"):
            session.run(None, {"x": ONES})


def test_missing_results_are_one_message(
    served: tuple[str, Doubles], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(*_: object) -> list[np.ndarray]:
        return []

    with Session("doubles", device=served[0]) as session:
        monkeypatch.setattr(served[1], "run", nothing)
        with pytest.raises(SpecError, match="gives 0 results of 1"):
            session.run(None, {"x": ONES})


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (np.ma.masked_array(ONES, mask=True), "masked array"),
        ([[1.0], [1.0, 2.0]], "is no array"),
        (np.array([["a"]]), "no frame carries an array of <U1"),
    ],
)
def test_what_is_no_input_is_refused_before_it_is_sent(
    x: Any, text: str, served: tuple[str, Doubles]
) -> None:
    with Session("doubles", device=served[0]) as session:
        with pytest.raises(SpecError, match=text):
            session.run(None, {"x": x})
        (y,) = session.run(None, {"x": cast(Any, [[1.0, 2.0, 3.0]])})
        y += 1  # as a local one, it can be written
        assert y.dtype == np.float64 and y.tolist() == [[3, 5, 7]]


def options(folder: Path, *networks: Path, limit: int = 256) -> argparse.Namespace:
    return argparse.Namespace(
        networks=list(networks), target=None, socket=folder / "s", tcp=None, limit=limit, timeout=9
    )


def test_networks_of_one_name_and_too_large_limits_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="are both called 'net'"):
        command.run(options(tmp_path, tmp_path / "a" / "net", tmp_path / "b" / "net"))
    with pytest.raises(SpecError, match=r"--limit 4096 is more.*\n.*give 4095 or less"):
        command.run(options(tmp_path, limit=4096))


async def listen(file: Path, successor: bool = False) -> None:
    async with Server(cast(Device, Doubles()), {}, Limits()).on_unix(file):
        if successor:
            file.unlink()
            with socket.socket(socket.AF_UNIX) as other:
                file.with_suffix(".other").touch()  # takes the number that has become free
                other.bind(str(file))


def test_a_server_ends_though_clients_stay(tmp_path: Path) -> None:
    with ExitStack() as clients:
        with serving(tmp_path) as (address, _):
            links = [clients.enter_context(raw(address)) for _ in range(3)]
            assert [state(link) for link in links] == [State.STOPPED] * 3
            asked(links[0], Frame(opcode=Opcode.ENABLE))
            asked(links[0], Frame(opcode=Opcode.SEND, payload=pack_tensors([0 * ONES])))
            control(links[0], Operation.START, 0)
            began = time.monotonic()
        assert time.monotonic() - began < 20
        for link in links:
            with suppress(ConnectionError):
                assert received(link) is None


def test_the_socket_of_a_successor_stays(tmp_path: Path) -> None:
    asyncio.run(listen(tmp_path / "socket", successor=True))
    assert (tmp_path / "socket").is_socket()


def test_a_server_with_too_many_callers_keeps_its_socket(tmp_path: Path) -> None:
    file = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as busy, ExitStack() as callers:
        busy.bind(str(file))
        busy.listen(0)
        with suppress(BlockingIOError):
            for _ in range(100):
                caller = callers.enter_context(socket.socket(socket.AF_UNIX))
                caller.setblocking(False)
                caller.connect(str(file))
        with pytest.raises(SpecError, match="cannot be known"):
            asyncio.run(listen(file))
        assert file.is_socket()


@pytest.mark.parametrize("method", ["connect", "unlink"])
def test_another_users_socket_is_refused_in_one_message(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    file = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(file))
    monkeypatch.setattr(socket.socket if method == "connect" else Path, method, denied)
    with pytest.raises(SpecError, match=r"Permission denied.*\n.*name another path"):
        asyncio.run(listen(file))
