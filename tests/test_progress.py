"""Nothing is silent for two seconds: what is told while something takes its time, where, and where not."""

from __future__ import annotations

import io
import re
import sys
import threading

import pytest
from rich.console import Console

from aieloom import messages, progress


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Give what is written to a stderr that is a file, by a clock that runs a hundred times as fast."""
    out = io.StringIO()
    monkeypatch.setenv("AIELOOM_PROGRESS", "1")
    monkeypatch.setattr(sys, "__stderr__", out)
    monkeypatch.setattr(progress, "EVERY", 0.012)
    monkeypatch.setattr(progress, "LOOK", 0.003)
    return out


class Waited:
    """Waits until a text stands in a stream: signs of life come from another thread."""

    def __init__(self, out: io.StringIO) -> None:
        self.out = out

    def until(self, text: str) -> str:
        for _ in range(2_000):
            if text in self.out.getvalue():
                return self.out.getvalue()
            threading.Event().wait(0.002)
        raise AssertionError(f"{text!r} is not in {self.out.getvalue()!r}")


def test_a_command_line_says_what_it_does_and_how_far_it_is(said: io.StringIO) -> None:
    with progress.lines(), progress.working("planning net"):
        Waited(said).until("planning net")
        with progress.working("trying whole images"):
            progress.at("c1, 400 cuts")
            Waited(said).until("planning net, trying whole images: c1, 400 cuts")
            Waited(said).until("...")  # the same still
    assert said.getvalue().endswith("\n"), "what comes next begins a line"
    assert progress.now() == ""


def test_what_is_printed_meanwhile_has_lines_of_its_own(
    said: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress.lines(), progress.working("planning net"):
        Waited(said).until("planning net..")
        messages.Printer(file=said).print("a note")
        Waited(said).until("a note\n  .")
    assert re.search(r"^planning net\.+$\n^a note$\n", said.getvalue(), re.MULTILINE), said.getvalue()
    assert capsys.readouterr().out == "", "results have stdout to themselves"


@pytest.mark.parametrize("how", ["a program", "quiet", "off"])
def test_nobody_is_told_who_did_not_ask(said: io.StringIO, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    if how == "quiet":
        monkeypatch.setenv("AIELOOM_QUIET", "1")
    if how == "off":
        monkeypatch.setenv("AIELOOM_PROGRESS", "0")
    if how == "a program":
        with progress.working("planning net"):
            threading.Event().wait(0.1)
    else:
        with progress.lines(), progress.working("planning net"):
            threading.Event().wait(0.1)
    assert said.getvalue() == ""


def test_long_work_does_not_fill_a_log(said: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SLOWER", 1.0)  # the second line at twice the time of the first
    with progress.lines(), progress.working("searching"):
        for number in range(60):
            progress.at(f"design {number}")
            threading.Event().wait(0.01)
    lines = re.findall(r"^searching", said.getvalue(), re.MULTILINE)
    assert 1 <= len(lines) < 20
    assert "." in said.getvalue(), "dots between them"


def test_a_terminal_has_one_moving_line(said: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    where = Console(file=said, force_terminal=True, width=100)
    with progress.working("planning net", console=where) as doing:
        doing.far = "2 of 7 designs"
        Waited(said).until("planning net: 2 of 7 designs")
        Waited(said).until(" 0 s")
    assert said.getvalue().endswith("\x1b[2K"), "it is taken away"


@pytest.mark.usefixtures("said")
def test_threads_may_work_side_by_side() -> None:
    with progress.lines():
        threads = [threading.Thread(target=_twice, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert progress.now() == ""
    assert not [t for t in threading.enumerate() if t.name == progress.NAME and not t.daemon]


def _twice(number: int) -> None:
    for _ in range(2):
        with progress.working(f"thread {number}"):
            threading.Event().wait(0.02)
