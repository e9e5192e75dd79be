"""Reading logs, reports and simulators' files: texts as the tools write them, from public logs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aieloom.vitis import reports, simdata
from aieloom.vitis.logs import KNOWN, read_log, step_of
from aieloom.vitis.loops import core_loops, kernel_loops, spills
from tests.toolchain import ai_engines, system
from tests.toolchain.faults import ERRORS

# Real lines, and what they are.
LINES = [
    (
        "ERROR: [AIE-PRE-MAPPER-6] Insufficient shim routing capacity. Design has outgoing PLIO channel usage of 128",
        "aie-shim",
    ),
    ("ERROR: [aiecompiler 77-6231] ###UDM Placer Did NOT Finish Successfully", "aie-placement"),
    ("ERROR: [aiecompiler 77-4352] Failed to allocate buffer descriptors for buffer_x", "aie-descriptors"),
    (
        "ERROR : Stack size requirement of total (1152 + 256) bytes for 0_0_reloadable16 exceeds the allotted stack size "
        "of 1344 bytes",
        "aie-stack",
    ),
    ("ERROR: [aiecompiler 77-22645] Stack Overflow", "aie-stack"),
    ("ERROR: [Common 17-345] A valid license was not found for feature 'Synthesis'", "licence"),
    ("ERROR: [v++ 60-300] Failed to open platform file", "platform"),
    (
        "ERROR: [v++ 60-2351] Option 'package.sd_file' is valid only when 'package.boot_mode' option is 'sd'",
        "sd-boot-mode",
    ),
    ("ERROR: [HLS 200-1023] Part 'xcu280-fsvh2892-2L-e' is not installed", "board-files"),
    ("fatal error: cannot write: No space left on device", "disk-full"),
    # as they stand in public logs of other people's builds
    (
        "ERROR: [HLS 214-134] in function 'f()': Pointer to pointer is not supported for variable 'p' (a.cpp:392:12)",
        "hls-construct",
    ),
    (
        "ERROR: [CFGEN 83-2229] Failed to find single interface to reach all segments in {DDR[0], DDR[0], HBM[31]}",
        "memory-ports",
    ),
    (
        "ERROR: [CFGEN 83-2292] --sp tag applied to an invalid port or argument name: m_axi_gmem0",
        "system-cfg",
    ),
    ("ERROR: [CFGEN 83-2243] Malformed --clock.freqHz switch argument", "system-cfg"),
    (
        "src/host/espcn_host.cpp:12:10: fatal error: xrt/xrt_device.h: No such file or directory",
        "host-headers",
    ),
    ("/usr/bin/ld: error: cannot find -lxrt_coreutil", "host-libraries"),
    (
        "src/host/../include/aieloom/host/layers_in_turn.h:41:34: error: no match for call to '(xrt::run) ()'",
        "host-source",
    ),
]


@pytest.mark.parametrize(("line", "name"), LINES, ids=[n for _, n in LINES])
def test_known_errors_are_explained(line: str, name: str) -> None:
    found = read_log(f"INFO: fine\nWARNING: hm\nCRITICAL WARNING: hm\n{line}\nINFO: after\n")
    assert found.first_error == line
    assert found.known and found.known.name == name
    assert found.known.meaning and found.known.remedy
    assert found.warnings == 2
    assert found.context == ("INFO: fine", "WARNING: hm", "CRITICAL WARNING: hm", line, "INFO: after")


def test_every_known_error_has_a_line_that_is_it_and_no_other() -> None:
    texts = [*ERRORS.values(), *(line for line, _ in LINES), "ERROR: stream_connect: invalid sc option"]
    reached = {found.known.name for text in texts if (found := read_log(text)).known}
    assert reached == {k.name for k in KNOWN}


def test_an_unknown_error_is_shown_as_it_is() -> None:
    found = read_log("INFO: a\nERROR: [v++ 60-9999] never seen before\n")
    assert found.first_error == "ERROR: [v++ 60-9999] never seen before"
    assert found.known is None


def test_a_log_without_errors_has_none() -> None:
    text = "INFO: ERROR handling is on\n(WARNING:1, CRITICAL-WARNING:0, ERROR:0)\nCompilation Complete\nno deadlock found\n"
    found = read_log(text)
    assert (found.first_error, found.known, found.deadlock) == ("", None, "")
    assert read_log("").warnings == 0


@pytest.mark.parametrize(
    ("line", "step"),
    [
        (
            "INFO: [v++ 60-1443] Run run_link: Step system_link: Started",
            "[v++ 60-1443] Run run_link: Step system_link: Started",
        ),
        ("Phase 3.1 Detail placement", "3.1 Detail placement"),
        ("....", ""),
    ],
)
def test_steps_are_read_from_the_output(line: str, step: str) -> None:
    assert step_of(line) == step


def test_timing_and_utilisation_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "somewhere" / "imp"
    folder.mkdir(parents=True)
    (folder / "impl_1_route_report_timing_summary_0.rpt").write_text(system.TIMING)
    (folder / "impl_1_kernel_util_routed.rpt").write_text(system.UTILISATION)
    figures = reports.build_figures(tmp_path)
    assert figures["timing"] == {
        "wns_ns": 0.05,
        "tns_ns": 0.0,
        "failing_endpoints": 0,
        "whs_ns": 0.011,
        "clocks_mhz": {"clk_pl_0": 312.5, "clkout2_primitive": 260.01},
    }
    assert figures["pl"]["bram36"] == {"used": 90, "percent": 9.31}
    assert figures["pl"]["uram288"] == {"used": 0, "percent": 0.0}  # an exact zero is a figure


def test_a_negative_slack_is_read() -> None:
    text = system.TIMING.replace(
        "0.050        0.000                      0", "-0.213      -17.500                     42"
    )
    timing = reports.read_timing(text)
    assert (timing["wns_ns"], timing["tns_ns"], timing["failing_endpoints"]) == (-0.213, -17.5, 42)


def test_figures_that_are_not_there_are_absent(tmp_path: Path) -> None:
    assert reports.build_figures(tmp_path) == {}
    assert reports.array_figures(tmp_path) == {}
    assert reports.profile_figures(tmp_path) == {}
    assert reports.read_timing("nothing") == {} and reports.read_utilisation("nothing") == {}
    (tmp_path / "profile_funct_1_2.xml").write_text("<profile><tot")
    assert reports.profile_figures(tmp_path) == {}


def test_the_profile_tells_cycles_and_waiting(tmp_path: Path) -> None:
    text = ai_engines.PROFILE.format(name="conv1", calls=8, cycles=3000, total=4000)
    (tmp_path / "profile_funct_24_1.xml").write_text(text)
    figures = reports.profile_figures(tmp_path)
    assert figures["slowest"] == {
        "tile": [24, 1],
        "kernel": "conv1",
        "calls": 8,
        "cycles_per_call": 375.0,
        "kernel_cycles": 3000,
        "total_cycles": 4000,
        "waiting_share": 0.25,
    }


@given(
    st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=40),
    st.sampled_from([1, 2, 4]),
)
def test_float32_values_survive_their_text(values: list[float], per_line: int) -> None:
    given_values = np.array(values, np.float32)
    text = simdata.text_of(given_values, per_line)
    lines = text.splitlines()
    assert text.endswith("\n") and {len(line.split()) for line in lines} == {per_line}
    back = np.array([float(w) for line in lines for w in line.split()], np.float32)
    assert np.array_equal(back[: len(values)], given_values)
    assert not back[len(values) :].any()


def test_integers_are_written_as_such() -> None:
    assert simdata.text_of(np.array([1, -2, 3], np.int8), 4) == "1 -2 3 0\n"


def test_times_of_all_units_and_tlast_are_read(tmp_path: Path) -> None:
    # UG1076: a time before each word; the unit varies inside a file; TLAST stands before the last word of a frame
    file = tmp_path / "y.txt"
    file.write_text("T 3296 ns\n1 2\nT 3299200 ps\n3 4\nT 3.3024 us\nTLAST\n5 6\nT 0.0033056 ms\n7 8\n")
    output = simdata.read_output(file)
    assert list(output.values) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert output.times_ns == pytest.approx([3296.0, 3299.2, 3302.4, 3305.6])
    file.write_text("1 2\nword 3\n")
    with pytest.raises(ValueError, match=r"y\.txt:2: 'word 3'"):
        simdata.read_output(file)


# UG1079, "Software Pipelining of Loops", and its chapter on filters: a loop that is folded, one that is too long to be tried.
UG1079 = """\
HW do-loop #397 in "testbench.cc", line 132: (loop #16) :
Critical cycle of length 2 : b67 -> b68 -> b67
Minimum length due to resources: 2
Scheduling HW do-loop #397
(algo 1a)       -> # cycles: 9
(modulo)        -> # cycles: 2 ok (required budget ratio: 1)
(resume algo)     -> after folding:  2 (folded over 4 iterations)
  -> HW do-loop #397 in "testbench.cc", line 132: (loop #16) : 2 cycles
NOTICE: loop #397 contains folded negative edges
HW do-loop #3651 in "/a/b/stream_utils.h", line 258: (loop #3) : critical cycle of length 130 : b1 -> b2 minimum length due to resources: 128 scheduling HW do-loop #3651 (algo 2) -> # cycles: 173 (exceeds -k 110) -> no folding: 173 -> HW do-loop #3651 in "/a/b/stream_utils.h", line 258: (loop #3) : 173 cycles
"""


def test_loops_of_a_core_are_read_as_documented() -> None:
    long, short = core_loops(UG1079)
    assert (short.at, short.cycles, short.folded, short.resources, short.dependences) == (
        "testbench.cc:132",
        2,
        4,
        2,
        2,
    )
    assert (long.at, long.cycles, long.folded, long.resources) == ("stream_utils.h:258", 173, 0, 128)


def test_a_loop_is_told_as_it_was_scheduled_last() -> None:
    again = UG1079.replace("(loop #16) : 2 cycles", "(loop #16) : 3 cycles").replace(
        "folded over 4", "folded over 3"
    )
    loop = core_loops(UG1079 + again)[1]
    assert (loop.cycles, loop.folded) == (3, 3)
    assert core_loops("INFO: nothing of loops\n") == ()


def test_pipelines_of_hls_and_spills_are_read() -> None:
    log = (
        "INFO: [HLS 200-1470] Pipelining result : Target II = NA, Final II = 4, Depth = 12, loop 'rows'\n"
        "INFO: [HLS 200-1470] Pipelining result : Target II = 1, Final II = 2, Depth = 9, function 'step'\n"
    )
    assert [(k.name, k.asked, k.found, k.depth) for k in kernel_loops(log)] == [
        ("rows", None, 4, 12),
        ("step", 1, 2, 9),
    ]
    assert spills("VLDA.SPIL wr0, [sp, #-32]; VST.SPIL wr1, [sp]; lda.spil r1, [sp]\nVLDA wr0, [p0]\n") == 3
