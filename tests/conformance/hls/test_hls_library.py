"""Streams, tasks, blocks, bursts, vectors, mathematics and half; expectations stand in library.cpp beside each line."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from aieloom.errors import ToolError
from tests.conformance.hls.programs import HERE, Program, build


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return build(tmp_path_factory.mktemp("library"), HERE / "library.cpp")


@pytest.mark.parametrize(
    "what", ["dataflow", "tasks", "queue_of_five", "blocks", "bursts", "vectors", "half", "math", "channels"]
)
def test_library(program: Program, what: str) -> None:
    assert program.run([what]) == ["ok"]


def test_print(program: Program) -> None:
    assert program.run(["small"]) == ["42", "1.50", "ok"]


def test_words_that_nobody_reads_are_told(program: Program) -> None:
    done = subprocess.run(
        [program.path], input="leftover\n", capture_output=True, text=True, timeout=60, check=True
    )
    assert (
        done.stderr
        == "aieloom: warning: [hls-leftover] stream 'forgotten' ends with 2 words that nobody has read\n"
    )
    assert done.stdout == "ok\n"


def test_a_queue_that_nobody_fills_is_a_deadlock(program: Program) -> None:
    said = program.run(["empty_read"], code=97)
    assert said[0].startswith("aieloom: error: [deadlock]")
    assert "waits to read: stream 'nobody_writes' is empty" in said[1]


def test_a_queue_between_tasks_that_is_too_short_is_a_deadlock(program: Program) -> None:
    said = program.run(["queue_of_four"], code=97)
    assert said[0].startswith("aieloom: error: [deadlock]")
    text = "\n".join(said)
    assert "waits to write: stream 'first' is full (4 words)" in text
    assert "waits to read: stream 'second' is empty" in text


def test_a_burst_gives_what_was_asked_for(program: Program) -> None:
    said = program.run(["bad_burst"], code=97)
    assert "[hls-burst] hls::burst_maxi: read() without a read_request() that has elements left" in said[0]


def test_stages_and_elements_that_are_not_there_are_refused(program: Program) -> None:
    assert "[hls-shift] stage 4 of an ap_shift_reg of 4" in program.run(["bad_shift"], code=97)[0]
    assert "[hls-vector] element 4 of an hls::vector of 4" in program.run(["bad_element"], code=97)[0]


def test_ports_of_wires_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "wires.cpp"
    source.write_text("#include <hls_directio.h>\nvoid kernel(hls::ap_vld<int>& reset) { reset.write(1); }\n")
    with pytest.raises(ToolError, match="wire ports belong to the Vivado IP flow"):
        build(tmp_path / "build", source)
