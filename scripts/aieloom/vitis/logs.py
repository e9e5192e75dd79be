"""Reading the tools' logs: the first error with its context, what known errors mean, warnings, the current step.

Texts of errors: public logs and the documents' own lists (AMD answer records 68505, 76792; UG1702, UG1448).
A message that is not known here is shown as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

CONTEXT = 3  # lines shown before and after the first error


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownError:
    """A message of a tool, what it means, and what to change."""

    name: str
    pattern: re.Pattern[str]
    meaning: str
    remedy: str


def _known(name: str, pattern: str, meaning: str, remedy: str) -> KnownError:
    return KnownError(name=name, pattern=re.compile(pattern, re.IGNORECASE), meaning=meaning, remedy=remedy)


KNOWN: tuple[KnownError, ...] = (
    _known(
        "licence",
        r"valid license was not found|license.{0,40}(?:checkout|check out).{0,20}fail"
        r"|failed to (?:get|obtain|checkout) .{0,20}license"
        r"|no (?:valid )?licen[cs]e (?:was )?found|FLEXnet|Common 17-345",
        "the licence server, or the licence file, does not give the feature that this tool needs",
        "export XILINXD_LICENSE_FILE=port@server (or the .lic file); the AI Engine tools have a licence of their own",
    ),
    _known(
        "disk-full",
        r"no space left on device|disk quota exceeded|ENOSPC",
        "the disk is full",
        "free space, or build elsewhere: build=FOLDER; a link needs some 50 GB. Then run the same command again",
    ),
    _known(
        "host-memory",
        r"std::bad_alloc|out of memory|cannot allocate memory|oom-kill",
        "this machine ran out of memory",
        "run fewer stages at a time (doit -n 1), or use a machine with more memory",
    ),
    _known(
        "platform",
        r"60-1299|60-300\b|specified platform is not supported|failed to open platform file"
        r"|platform .{0,80}(?:not found|cannot be found|could not be found)",
        "the platform is missing, or was made for another release of Vitis",
        "use the base platform of the same release: platform=FILE.xpfm; `aieloom doctor` shows the name it looks for",
    ),
    _known(
        "board-files",
        r"part '?\S+'? is not installed|HLS 200-1023",
        "the device's files are not part of this installation",
        "add 'Versal' devices with the Vitis installer",
    ),
    _known(
        "aie-program-memory",
        r"program memory.{0,60}(?:exceed|overflow|too large|larger)|overflow.{0,30}program memory",
        "a kernel's code is larger than the program memory of its core",
        "in network.yaml: a smaller mmul shape or tile for that layer (fewer unrolled blocks)",
    ),
    _known(
        "aie-descriptors",
        r"77-4352|failed to allocate buffer descriptors",
        "a tile's DMA has not enough buffer descriptors",
        "in network.yaml: `buffers: single`, or fewer inputs on one core",
    ),
    _known(
        "aie-stack",
        r"77-22645|stack size requirement|exceeds the allotted stack|stack overflow"
        r"|(?:insufficient|not enough|too (?:small|little)) .{0,20}stack|stack.{0,40}(?:insufficient|too small)"
        r"|requires? .{0,30}(?:bytes|B) of stack",
        "a kernel needs more stack than its core has; the message says how many bytes",
        "in network.yaml, in the mapping of that layer: `stack:` with at least so many bytes, a multiple of 32",
    ),
    _known(
        "aie-data-memory",
        r"stack.{0,40}heap.{0,60}(?:exceed|not enough|insufficient)"
        r"|(?:insufficient|not enough|out of) (?:data )?memory.{0,40}(?:tile|bank|core)"
        r"|failed to allocate.{0,60}(?:buffer|bank)(?!.{0,20}descriptor)|memory .{0,30}exceeds .{0,30}(?:32768|65536)",
        "buffers, stack and heap do not fit into the memory of a tile",
        "in network.yaml: a smaller `tile` for that layer, or `buffers: single`",
    ),
    _known(
        "aie-shim",
        r"insufficient shim routing capacity|PLIO channel usage|AIE-PRE-MAPPER-6",
        "there are more PLIO streams than the array's interface can route",
        "in network.yaml: fewer cores for that layer (a larger `tile`), or wider streams: `plio: 128`",
    ),
    _known(
        "aie-placement",
        r"placer did not finish|77-6231|placement failed|unable to place|cannot be placed",
        "the mapper found no place for kernels or buffers",
        "in network.yaml: a larger `tile` (fewer cores), another `region`, or `buffers: single`",
    ),
    _known(
        "aie-routing",
        r"router did not finish|routing failed|unroutable|no route found|failed to route",
        "the streams of the array could not be routed",
        "in network.yaml: fewer cores for the layer named above, or move its `region` nearer to its neighbours",
    ),
    _known(
        "mmul",
        r"static[_ ]assert|static assertion failed",
        "the kernel's C++ was refused: usually a vector or aie::mmul shape that this array lacks",
        "in network.yaml: another `mmul` for that layer; a fault in generated code is aieloom's: report it",
    ),
    _known(
        "pl-placement",
        r"Place 30-|exceeds the available|over-utilized|utilization .{0,40}exceed",
        "the PL kernels need more LUT, BRAM, URAM or DSP than the device has",
        "in network.yaml: fewer `lut` entries, fewer streams (`plio: 128`), or more of the work on the AIE",
    ),
    _known(
        "timing",
        r"Timing 38-282|failed to meet (?:the )?timing|timing constraints? (?:are|were) not met|design did not meet timing",
        "the PL is too slow for the clock that was asked for",
        "in network.yaml: a lower `clock_mhz` for the kernel of the failing path",
    ),
    _known(
        "pl-routing",
        r"Route 35-|nets? (?:are|is) not (?:completely|fully) routed|congestion level [5-9]",
        "the PL could not be routed",
        "in network.yaml: fewer or wider streams between PL and array, or a lower `clock_mhz`",
    ),
    _known(
        "hls-construct",
        r"HLS 214-\d+",
        "HLS does not synthesise a construct of a kernel's C++; the message names function and line",
        "a fault in generated code is aieloom's: report it with this log; `doit --continue hls` compiles the other kernels",
    ),
    _known(
        "hls",
        r"HLS 200-(?:70|101|1715|471)\b|synthesizability check failed|pre-synthesis failed",
        "HLS refused a kernel's source",
        "a fault in generated code is aieloom's: report it with this log",
    ),
    _known(
        "memory-ports",
        r"CFGEN 83-2229|failed to find single interface to reach",
        "kernels have more memory ports, or ports on more banks, than the platform's memory interfaces can take",
        "in network.yaml: fewer kernels with memory ports (a smaller `copies`); report it with this log",
    ),
    _known(
        "system-cfg",
        r"CFGEN 83-\d+",
        "a line of system.cfg names a port, a memory or a clock that the kernels or the platform do not have",
        "run `doit gen` again for the release that links (`vitis:`); if it is refused again, report it with this log",
    ),
    _known(
        "host-headers",
        r"fatal error: (?:xrt|experimental|adf|uuid)\S*: No such file",
        "the compiler of the host program does not find XRT's headers",
        "sysroot=FOLDER with XRT, of the same release as the platform; `aieloom doctor` shows which one is taken",
    ),
    _known(
        "host-libraries",
        r"cannot find -l(?:xrt|adf|uuid)|undefined reference to .{0,3}(?:xrt::|adf::)",
        "the sysroot's XRT does not have what the host program is linked with",
        "sysroot=FOLDER of the same release as Vitis: libraries of XRT changed their names with releases",
    ),
    _known(
        "host-source",
        r"(?:_host\.cpp|aieloom/host/\w+\.h):\d+:\d+: error:|xrt/\S+:\d+:\d+: (?:error:|.{0,20}required from)",
        "the host program's C++ does not fit the headers of this XRT",
        "a fault in generated code is aieloom's: report it with this log and XRT's version (xrt/detail/version.h)",
    ),
    _known(
        "connectivity",
        r"stream_connect|sc option|invalid .{0,20}connectivity|instance .{0,60}(?:not found|does not exist)",
        "an end of a connection in system.cfg does not exist or does not match",
        "run `doit gen` again; a hand-made system.cfg must name kernels, units and PLIOs as they are",
    ),
    _known(
        "sd-boot-mode",
        r"60-2351",
        "files for the SD card need boot_mode=sd",
        "run `doit gen` again: package.cfg says boot_mode=sd",
    ),
)

_ERROR = re.compile(
    r"^\s*(?:\[[^\]]*\]\s*)?(?:ERROR\b|FATAL\b|error:|fatal error:)|:\d+: (?:fatal )?error:|\bundefined reference\b|: error:"
)
_WARNING = re.compile(r"^\s*(?:CRITICAL )?WARNING\b|: warning:", re.IGNORECASE)
_DEADLOCK = re.compile(r"dead ?lock|Simulation .{0,30}stuck|hang detected|no progress", re.IGNORECASE)
_NO_DEADLOCK = re.compile(r"\bno deadlock|deadlock (?:detection|check)", re.IGNORECASE)
_STEP = re.compile(r"(?:Step|Phase|Starting|Running|Run run_|Compiling|Linking|Generating|INFO:)\s*(.{3,})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What a log says."""

    first_error: str  # empty when there is none
    context: tuple[str, ...]
    known: KnownError | None
    warnings: int
    deadlock: str  # the line that tells of one


def read_log(text: str) -> Findings:
    """Look through a whole log."""
    lines = text.splitlines()
    at = next((i for i, line in enumerate(lines) if _ERROR.search(line)), None)
    return Findings(
        first_error=lines[at].strip() if at is not None else "",
        context=tuple(lines[max(0, at - CONTEXT) : at + CONTEXT + 1]) if at is not None else (),
        known=_explain(lines, at),
        warnings=sum(bool(_WARNING.search(line)) for line in lines),
        deadlock=next(
            (s.strip() for s in lines if _DEADLOCK.search(s) and not _NO_DEADLOCK.search(s)),
            "",
        ),
    )


def _explain(lines: Sequence[str], at: int | None) -> KnownError | None:
    """Return the known error that the first error, else any later error, is; else one that any line tells of."""
    errors = [line for line in lines[at:] if _ERROR.search(line)] if at is not None else []
    for line in [*errors, *([] if errors else lines)]:
        for known in KNOWN:
            if known.pattern.search(line):
                return known
    return None


def step_of(line: str) -> str:
    """Return the step that a line of output announces; empty when it announces none."""
    found = _STEP.search(line)
    return found[1].strip()[:80] if found else ""
