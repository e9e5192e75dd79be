"""The stand-in of v++ -c for PL kernels: -k and --mode hls. An .xo lists the ports that the source's pragmas make."""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.toolchain import config, faults
from tests.toolchain.files import digest, platform, release, write, write_zip
from tests.toolchain.options import Parsed, Refused, vpp_hls, vpp_kernel

STREAM_BITS = {32, 64, 128}


@dataclass(frozen=True)
class Port:
    name: str
    kind: str  # axis | m_axi | s_axilite
    direction: str  # in | out | both
    bits: int


def kernel_mode(argv: list[str]) -> None:
    """v++ -c -k TOP --platform P -o K.xo source."""
    options = vpp_kernel().parse(argv)
    top, output = options.one("kernel"), options.one("output")
    target = options.one("target")
    if target not in {"hw", "hw_emu"} and not (target == "sw_emu" and release() < (2025, 1)):
        raise Refused(f"-t {target}: use hw or hw_emu")
    if not output.endswith(".xo"):
        raise Refused("-c -k needs -o <file>.xo")
    platform(options.one("platform"))
    for clock in options.all("hls.clock"):
        if not re.fullmatch(rf"\d+:{top}", clock):
            raise Refused(f"--hls.clock {clock}: write <Hz>:{top}")
    if len(options.inputs) != 1:
        raise Refused(f"one source is needed, not {options.inputs}")
    hz = int(options.one("hls.clock", "0:x").split(":")[0])
    _synthesise(Path(options.inputs[0]), top, Path(output), hz, default_axi=True)


CSYNTH = """<profile>
<UserAssignments><TopModelName>{top}</TopModelName></UserAssignments>
<PerformanceEstimates><SummaryOfTimingAnalysis><unit>ns</unit><EstimatedClockPeriod>2.500</EstimatedClockPeriod></SummaryOfTimingAnalysis>
<SummaryOfOverallLatency>
<Worst-caseLatency>640</Worst-caseLatency><Interval-max>512</Interval-max>
</SummaryOfOverallLatency></PerformanceEstimates>
<AreaEstimates><Resources><BRAM_18K>9</BRAM_18K><DSP>0</DSP><FF>2000</FF><LUT>1500</LUT><URAM>0</URAM></Resources></AreaEstimates>
</profile>
"""


def config_mode(argv: list[str]) -> None:
    """v++ -c --mode hls --config K.cfg --platform P."""
    if release() < (2023, 1):
        raise Refused("unrecognised option '--mode'")
    options = vpp_hls().parse(argv)
    file = Path(options.one("config"))
    if not options.has("config"):
        raise Refused("--mode hls needs --config")
    if options.inputs:
        raise Refused(f"--mode hls takes its sources from the configuration, not '{options.inputs[0]}'")
    entries = config.read(file)
    known = {(e.section, e.key): e.value for e in entries}
    if not any(section == "hls" for section, _ in known):
        raise Refused(f"{file.name} has no section [hls]")
    hz = _frequency(known, options)
    _check_platform(known, options)
    top, source = known.get(("hls", "syn.top"), ""), known.get(("hls", "syn.file"), "")
    if not top or not source:
        raise Refused(f"{file.name}: syn.top and syn.file are needed")
    if known.get(("hls", "package.output.format")) != "xo":
        raise Refused(f"{file.name}: package.output.format=xo is needed to link the kernel")
    default = known.get(("hls", "syn.interface.default_axi")) in {"1", "true"}
    flow = known.get(("hls", "flow_target")) == "vitis"
    output = file.parent / known.get(("hls", "package.output.file"), f"{top}.xo")
    work = Path(options.one("work_dir", top))
    write(work / "reports/hls_compile.rpt", f"report of {file.absolute()}\n")
    write(work / f"hls/syn/report/{top}_csynth.xml", CSYNTH.format(top=top))
    _synthesise(
        file.parent / source, top, output, hz, default_axi=default if release() >= (2026, 1) else flow
    )


def _check_platform(known: dict[tuple[str, str], str], options: Parsed) -> None:
    named = options.one("platform") or known.get(("", "platform"), "")
    if named:
        platform(named)
    elif not options.has("part") and ("", "part") not in known:
        raise Refused("one of --platform and --part is required")


def _frequency(known: dict[tuple[str, str], str], options: Parsed) -> int:
    text = options.one("freqhz") or known.get(("", "freqhz"), "")
    hz = round(float(text[:-3]) * 1e6) if text.endswith("MHz") else int(text or 0)
    clock = known.get(("hls", "clock"))
    if clock and hz:
        period = float(clock.removesuffix("ns")) if not clock.endswith("MHz") else 1e3 / float(clock[:-3])
        if abs(1e9 / period - hz) > 1:
            raise Refused(f"clock={clock} contradicts freqhz={hz}")
    if hz and release() < (2023, 2):
        raise Refused("freqhz is unknown before 2023.2")
    return hz


def _synthesise(source: Path, top: str, output: Path, hz: int, *, default_axi: bool) -> None:
    if not source.is_file():
        raise Refused(f"[HLS 200-70] source file '{source}' does not exist")
    step = f"hls.{top}"
    faults.before(step)
    ports = read_ports(with_headers(source), top, default_axi=default_axi)
    print(f"INFO: [HLS 200-10] Running HLS on {top}")
    print("INFO: [HLS 200-1470] Pipelining result : Target II = 1, Final II = 1, Depth = 3, loop 'words'")
    print("INFO: [HLS 200-1470] Pipelining result : Target II = 1, Final II = 2, Depth = 9, loop 'rows'")
    if faults.during(step):
        if faults.kind_of(step) == "empty":
            write(output, b"")
        if faults.kind_of(step) == "short":
            write(output, b"PK\x03\x04 half an archive")
        return
    what = {
        "kind": "xo",
        "kernel": top,
        "ports": [asdict(p) for p in ports],
        "hz": hz,
        "digest": digest([source]),
    }
    write_zip(
        output, {**what, "source": os.path.realpath(source), "release": os.environ["AIELOOM_STANDIN_RELEASE"]}
    )


def read_ports(text: str, top: str, *, default_axi: bool) -> list[Port]:
    """Return a kernel's ports. Without the flow's defaults every parameter needs a pragma of its own [UG1399 2026.1]."""
    plain = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    head = re.search(rf'extern\s+"C"\s+void\s+{top}\s*\(', plain)
    if not head:
        raise Refused(f"[HLS 200-101] top function '{top}' is not in the source (extern \"C\")")
    close = _close(plain, head.end() - 1)
    body = plain[close : _close(plain, plain.index("{", close))]
    pragmas = dict(_pragmas(body))
    ports: list[Port] = []
    for parameter in _split(plain[head.end() : close]):
        ports += _ports_of(parameter, plain, pragmas, top, default_axi=default_axi)
    if "return" not in pragmas and not default_axi:
        raise Refused(f"{top}: no interface pragma for return")
    return ports


def _pragmas(body: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for m in re.finditer(r"#pragma\s+HLS\s+interface\s+(?:mode=)?(\w+)\s+([^\n]*)", body, re.IGNORECASE):
        port = re.search(r"port=(\w+)", m[2])
        if port and not (m[1] == "s_axilite" and port[1] in dict(found)):
            found.append((port[1], m[1].lower()))
    return found


def _close(text: str, start: int) -> int:
    depth = 0
    for i in range(start, len(text)):
        depth += {"(": 1, "{": 1, "[": 1}.get(text[i], 0) - {")": 1, "}": 1, "]": 1}.get(text[i], 0)
        if depth == 0:
            return i
    raise Refused("[HLS 207-1] unbalanced brackets")


def _split(text: str) -> list[str]:
    parts, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        depth += {"<": 1, "(": 1, "[": 1}.get(c, 0) - {">": 1, ")": 1, "]": 1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append(text[begin:i])
            begin = i + 1
    return [p.strip() for p in [*parts, text[begin:]] if p.strip()]


def _ports_of(
    parameter: str, text: str, pragmas: dict[str, str], top: str, *, default_axi: bool
) -> list[Port]:
    found = re.search(r"(\w+)\s*(?:\[([^\]]*)\])?$", parameter)
    if not found:
        raise Refused(f"[HLS 207-1] cannot read parameter '{parameter}' of {top}")
    name, bound = found[1], found[2]
    stream = re.search(r"hls::stream<\s*(.+?)\s*>\s*[&\w]", parameter)
    kind = pragmas.get(name) or _default(parameter, top, default_axi=default_axi)
    if kind != "axis":
        if stream:
            raise Refused(f"{top}: stream {name} cannot be {kind}")
        return [Port(name, kind, "both", 0)]
    if not stream:
        raise Refused(f"{top}: {name} is no hls::stream and cannot be axis")
    bits = _bits(stream[1], text)
    if bits not in STREAM_BITS:
        raise Refused(f"{top}: stream {name} of {bits} bits: use 32, 64 or 128 towards the array")
    direction = _direction(name, top, text, 0)
    if bound is None:
        return [Port(name, kind, direction, bits)]
    return [Port(f"{name}_{i}", kind, direction, bits) for i in range(_number(bound, text))]


def _default(parameter: str, top: str, *, default_axi: bool) -> str:
    """Return the interface of a parameter without a pragma [UG1399 2022.2]."""
    if not default_axi:
        raise Refused(
            f"{top}: no interface pragma for '{parameter}', and syn.interface.default_axi is not set"
        )
    if "hls::stream" in parameter:
        return "axis"
    return "m_axi" if re.search(r"[*\[]", parameter) else "s_axilite"


def _bits(name: str, text: str) -> int:
    alias = re.search(rf"using\s+{re.escape(name)}\s*=\s*([^;]+);", text)
    kind = alias[1] if alias else name
    width = re.search(
        r"(?:ap_axiu|ap_axis|qdma_axis|ap_uint|ap_int|Axis)<\s*(\w+)", kind
    )  # Axis: the PL library's
    if not width:
        raise Refused(f"[HLS 207-2] unknown stream type '{name}'")
    return _number(width[1], text)


def _number(word: str, text: str) -> int:
    word = word.strip()
    if word.isdigit():
        return int(word)
    constant = re.search(rf"constexpr\s+\w+\s+{word}\s*=\s*(\d+)\s*;", text)
    if not constant:
        raise Refused(f"[HLS 207-3] '{word}' is no constant")
    return int(constant[1])


def _head(function: str, text: str, count: int = 0) -> re.Match[str] | None:
    """Return where a function is defined, whatever it returns: of several the one of `count` arguments, or of a pack."""
    heads = [*re.finditer(rf"\b(?!return\b|else\b)\w[\w:]*[*&]?\s+{function}\s*\(", text)]
    parameters = {h: text[h.end() : _close(text, h.end() - 1)] for h in heads}
    fitting = (h for h in heads if "..." in parameters[h] or len(_split(parameters[h])) == count)
    return next(fitting, next(iter(heads), None))


def _parameter(parameters: list[str], index: int, count: int) -> str:
    """Return the parameter of one of `count` arguments: a pack has as many as the others leave."""
    pack = next((i for i, p in enumerate(parameters) if "..." in p), count)
    return parameters[index if index <= pack else max(pack, index - (count - len(parameters)))]


def with_headers(source: Path) -> str:
    """Return a source behind the headers of the project that it includes."""
    text = source.read_text()
    headers = (source.parent / name for name in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE))
    return "".join(map(with_headers, headers)) + text


def _direction(name: str, function: str, text: str, depth: int, count: int = 0) -> str:
    """Return what a function of `count` arguments does with a stream: read it, write it, or hand it to one that does."""
    head = _head(function, text, count)
    if not head or depth > 6:
        raise Refused(f"cannot tell the direction of {name} in {function}")
    close = _close(text, head.end() - 1)
    body = text[close : _close(text, text.index("{", close))]
    if re.search(rf"\b{name}(\[[^\]]*\])?\.write\(", body):
        return "out"
    if re.search(rf"\b{name}(\[[^\]]*\])?\.(?:read|read_nb|empty)\(", body):
        return "in"
    for call in re.finditer(r"\b(\w+)(?:<[^;{}()\n]*>)?\(", body):
        words = _split(body[call.end() : _close(body, call.end() - 1)])
        words = [re.sub(r"\[.*\]$|\.\.\.$", "", word) for word in words]  # one stream of several, or all
        called = call[1]
        if re.search(r"hls::task\s+$", body[: call.start()]):  # hls::task runs(function, its arguments)
            called, *words = re.sub(r"<.*>", "", words[0]).split("::")[-1], *words[1:]
        inner = _head(called, text, len(words)) if name in words else None
        if inner:
            parameters = _split(text[inner.end() : _close(text, inner.end() - 1)])
            formal = re.search(
                r"(\w+)\s*(?:\[[^\]]*\])?$", _parameter(parameters, words.index(name), len(words))
            )
            if formal:
                return _direction(formal[1], called, text, depth + 1, len(words))
    raise Refused(f"[HLS 214-1] stream {name} of {function} is never read or written")
