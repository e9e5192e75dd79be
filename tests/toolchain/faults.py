"""Faults on request: AIELOOM_STANDIN_FAULT=<step>:<kind>[,...] makes the stand-in of that step go wrong.

Steps: x86com, aiecom, x86sim, aiesim, hls, hls.<kernel>, link, package, host, hw_emu, ssh. Kinds: every name of ERRORS
prints that error as the real tool does and fails; the others are below.
"""

from __future__ import annotations

import os
import signal
import sys
import time

# Lines as public logs show them.
ERRORS = {
    "fail": "ERROR: [v++ 60-702] something went wrong",
    "licence": "ERROR: [Common 17-345] A valid license was not found for feature 'Synthesis' and/or device 'xcvc1902'.",
    "aie-licence": "ERROR: [aiecompiler 77-4551] Failed to obtain license for feature 'AIEBuild'",
    "full": "ERROR: [Common 17-50] write failed: No space left on device",
    "bad-alloc": "ERROR: std::bad_alloc while building tile ELFs",
    "platform": "ERROR: [v++ 60-1299] The specified platform is not supported. Platform 'x' (version 2022.2)",
    "part": "ERROR: [HLS 200-1023] Part 'xcvc1902-vsva2197-2MP-e-S' is not installed.",
    "program-memory": "ERROR: [aiecompiler 77-4010] program memory of core (7,0) exceeds 16384 bytes: overflow",
    "data-memory": "ERROR: [aiecompiler 77-4281] stack and heap of kernel conv1 exceed the memory of the tile",
    "descriptors": "ERROR: [aiecompiler 77-4352] Failed to allocate buffer descriptors for buffer_x",
    "shim": "ERROR: [AIE-PRE-MAPPER-6] Insufficient shim routing capacity. Design has outgoing PLIO channel usage of 128",
    "placer": "ERROR: [aiecompiler 77-6231] ###UDM Placer Did NOT Finish Successfully",
    "router": "ERROR: [aiecompiler 77-5801] Router did not finish: net42 is unroutable",
    "static-assert": "../../src/aie/conv1_kernel.h:99:15: error: static assertion failed: unsupported mmul shape",
    "congestion": "ERROR: [Route 35-2] Design is not legally routed. 12 nets are not completely routed",
    "timing": "ERROR: [Timing 38-282] The design failed to meet the timing requirements.",
    "place": "ERROR: [Place 30-640] Place Check: BRAM utilization exceeds the available",
    "stack": "ERROR : Stack size requirement of total (1152 + 256) bytes for 7_0 exceeds the allotted stack size of 1024 bytes",
    "hls-construct": "ERROR: [HLS 214-298] Struct type with pointer type inside on top function argument is not supported",
    "ports": "ERROR: [CFGEN 83-2229] Failed to find single interface to reach all segments in {DDR, LPDDR}",
    "host-source": "../../src/host/small_host.cpp:41:34: error: no match for call to '(xrt::run) ()'",
    "hls-refused": "ERROR: [HLS 200-1715] Encountered problem during source synthesis",
}


def kind_of(step: str) -> str:
    """Return the fault that is asked of a step; empty for none. `hls` stands for every kernel."""
    for request in os.environ.get("AIELOOM_STANDIN_FAULT", "").split(","):
        name, _, kind = request.partition(":")
        if name and (step == name or step.startswith(name + ".")):
            return kind
    return ""


def before(step: str) -> None:
    """What goes wrong before the tool has written anything that could be taken for a result."""
    kind = kind_of(step)
    if kind in ERRORS:
        print("INFO: Phase 1 of something")
        print("WARNING: [v++ 60-1] a warning before the error")
        print(ERRORS[kind])
        print("INFO: see the log for details")
        sys.exit(1)
    if kind == "mute":
        sys.exit(3)
    if kind == "hang":
        print("INFO: Running step forever", flush=True)
        time.sleep(3600)
    if kind == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)


def during(step: str) -> bool:
    """What goes wrong while results are written: half of them are there. Return whether the rest stays away."""
    kind = kind_of(step)
    if kind == "kill":
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "full-late":
        print(ERRORS["full"])
        sys.exit(1)
    return kind in {"silent", "short", "empty"}
