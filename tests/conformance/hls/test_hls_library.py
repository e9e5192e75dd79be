"""Streams, tasks, blocks, bursts, vectors, mathematics and half; expectations stand in library.cpp beside each line."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from aieloom.errors import ToolError
from tests.conformance.hls.programs import HERE, Program, build


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return build(tmp_path_factory.mktemp("library"), HERE / "library.cpp", defines=("__HLS_CSIM__",))


@pytest.mark.parametrize(
    "what",
    [
        *("dataflow", "tasks", "queue_of_five", "blocks", "bursts", "vectors", "half", "math", "channels"),
        *("any_depth", "lasting_arguments", "restarts", "unaligned_bursts", "wires", "side_channels"),
        *("gathered", "dsp_blocks", "printed_fixed"),
    ],
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


def test_elements_of_one_bank_are_told(program: Program) -> None:
    done = subprocess.run(
        [program.path], input="one_bank\n", capture_output=True, text=True, timeout=60, check=True
    )
    assert "[hls-gather] hls::gather: elements 1 and 5 lie in one of 4 banks" in done.stderr


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
    assert "[hls-blocks] a stream of blocks of depth 0" in program.run(["bad_blocks"], code=97)[0]


REFUSED = {  # a kernel's source: what the compiler says of it
    "wire ports belong to the Vivado IP flow": (
        "#include <hls_directio.h>\n#include <aieloom/pl_kernel.h>\n"
        "void top(hls::ap_vld<int>& reset) { reset.write(1); }\n"
        'const aieloom::PlRegistration<decltype(&top), &top> registered("top", true, false, {{"reset"}});\n'
    ),
    "hls::scatter: no public document gives its parameters": (
        "#include <hls_array_partition.h>\nvoid top(float* x) { hls::scatter<float, 2>(x, 1, 2); }\n"
    ),
    "hls::fft: fixed-point transforms are not emulated": (
        "#include <hls_fft.h>\nstruct C : hls::ip_fft::params_t {};\nusing S = std::complex<ap_fixed<16, 1>>;\n"
        "void top(S* in, S* out, bool* o) { hls::fft<C>(in, out, 1, 0, -1, o); }\n"
    ),
    "no public document says which bits of the sum other rounding modes keep": (
        "#include <hls_fir.h>\nstruct C : hls::ip_fir::params_t {\n"
        "  static const unsigned output_rounding_mode = hls::ip_fir::truncate_lsbs;\n"
        "  static constexpr double coeff_vec[21] = {};\n};\n"
        "void top(ap_int<16>* in, ap_int<24>* out) { static hls::FIR<C> fir; fir.run(in, out); }\n"
    ),
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_no_document_defines_is_refused_by_name(said: str, tmp_path: Path) -> None:
    source = tmp_path / "top.cpp"
    source.write_text(REFUSED[said])
    with pytest.raises(ToolError, match=re.escape(said)):
        build(tmp_path / "build", source)
