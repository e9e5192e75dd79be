"""Pragmas, and a kernel's ports."""

from __future__ import annotations

import re
from collections import defaultdict

from clang.cindex import CursorKind as Kind

from tools.hls_lint.rules import Said, rule
from tools.hls_lint.source import DATA, Node, Source

KNOWN: dict[str, set[str]] = {
    "pipeline": {"ii", "style", "rewind", "off"},
    "unroll": {"factor", "skip_exit_check", "off"},
    "inline": {"off", "recursive"},
    "dataflow": set(),
    "stream": {"variable", "depth", "type"},
    "array_partition": {"variable", "type", "dim", "factor", "complete", "cyclic", "block"},
    "array_reshape": {"variable", "type", "dim", "factor", "complete"},
    "bind_storage": {"variable", "type", "impl", "latency"},
    "aggregate": {"variable", "compact"},
    "bind_op": {"variable", "op", "impl", "latency"},
    "dependence": {
        *("variable", "type", "direction", "dependent", "distance"),
        *("inter", "intra", "false", "true", "class"),
    },
    "loop_flatten": {"off"},
    "loop_tripcount": {"min", "max", "avg"},
    "stable": {"variable"},
    "disaggregate": {"variable"},
    "latency": {"min", "max"},
}
STYLES = {"stp", "flp", "frp"}
CONTROL = {"s_axilite", "ap_ctrl_none", "ap_ctrl_hs", "ap_ctrl_chain"}
WIDTHS = (8, 16, 32, 64, 128, 256, 512, 1024)


@rule(
    "ast-pragma",
    "pragma that HLS does not know, or whose variable is not there",
    "UG1399, HLS pragmas; syn.compile.pragma_strict_mode",
)
def pragmas(s: Source) -> Said:
    """Look at each pragma's name, options and variable."""
    names = {n.spelling for n in s.nodes if n.kind in DATA}
    for p in s.pragmas:
        if p.name == "interface":
            continue
        options = set(p.options) - KNOWN.get(p.name, set(p.options))
        if p.name not in KNOWN:
            yield p.line, f"unknown pragma {p.name}"
        elif options:
            yield p.line, f"{p.name}: unknown option {', '.join(sorted(options))}"
        if p.options.get("style", "stp") not in STYLES:
            yield p.line, f"{p.name}: unknown style {p.options['style']}"
        if re.split(r"\W", p.options.get("variable", ""))[0] not in names | {""}:
            yield p.line, f"{p.name}: no variable {p.options['variable']}"


@rule(
    "ast-interface",
    "port without its pragma, or of a kind that the flow does not take",
    "UG1399 and UG1393: streams axis, pointers m_axi with s_axilite, a mode for return; kernels of ap_ctrl_none have streams "
    "only; widths 8 to 1024, powers of two",
)
def interface(s: Source) -> Said:
    """Look at each port of the kernel."""
    if s.top is None:
        yield 1, 'no extern "C" top function'
        return
    ports: defaultdict[str, set[str]] = defaultdict(set)
    for p in s.marked("interface"):
        words = {o for o, value in p.options.items() if not value}
        ports[p.options.get("port", "")] |= words | {p.options.get("mode", "")}
    for parameter in (c for c in s.top.get_children() if c.kind == Kind.PARM_DECL):
        for text in _port(parameter, ports[parameter.spelling]):
            yield parameter.location.line, f"{parameter.spelling}: {text}"
    if not ports["return"] & CONTROL:
        yield s.top.location.line, "no pragma for return"
    if "ap_ctrl_none" in ports["return"] and any(v & {"m_axi", "s_axilite"} for v in ports.values()):
        yield s.top.location.line, "ap_ctrl_none with memory or registers"


def _port(parameter: Node, modes: set[str]) -> list[str]:
    """Return what is wrong with a port."""
    kind = parameter.type.get_canonical().spelling
    is_memory = "*" in kind or "[" in kind
    wanted = {"axis"} if "stream<" in kind else {"s_axilite"} | ({"m_axi"} if is_memory else set())
    found = [f"no {', '.join(sorted(wanted - modes))}"] if wanted - modes else []
    found += [f"{w} bits" for w in re.findall(r"ap_axiu<(\d+)", kind) if int(w) not in WIDTHS]
    return found + (["bool"] if "bool" in kind else [])
