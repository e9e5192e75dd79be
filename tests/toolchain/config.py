"""Configuration files of v++ by the documented grammar: sections, their keys, and what each value looks like [UG1702]."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tests.toolchain.options import PACKAGE_FLAGS, PACKAGE_VALUES, Refused

_UNIT = r"[A-Za-z_]\w*"
_PORT = rf"{_UNIT}\.{_UNIT}"

# section -> key -> what its value looks like
GRAMMAR: dict[str, dict[str, str]] = {
    "": {
        "platform": r".+",
        "part": r"[\w-]+",
        "target": r"hw|hw_emu|sw_emu|x86sim",
        "include": r".+",
        "freqhz": r"\d+|\d+(\.\d{1,6})?MHz",
        "save-temps": r"1|true",
        "debug": r"1|true",
        "temp_dir": r".+",
    },
    "connectivity": {
        "nk": rf"{_UNIT}:\d+(:{_UNIT}(,{_UNIT})*)?",
        "stream_connect": rf"{_PORT}:{_PORT}(:\d+)?",
        "sc": rf"{_PORT}:{_PORT}(:\d+)?",
        "sp": rf"{_PORT}:\w+(\[\d+(:\d+)?\])?",
        "slr": rf"{_UNIT}:SLR\d",
    },
    "clock": {
        "freqHz": rf"\d+:{_UNIT}(\.\w+)?(,{_UNIT}(\.\w+)?)*",
        "id": rf"\d+:{_UNIT}(,{_UNIT})*",
        "defaultFreqHz": r"\d+",
        "defaultId": r"\d+",
        "tolerance": rf"[\d.]+:{_UNIT}",
        "defaultTolerance": r"[\d.]+",
    },
    "advanced": {"param": r"[\w.]+=.+", "misc": r".+"},
    "vivado": {
        "prop": r"[\w.]+=.+",
        "param": r"[\w.]+=.+",
        "impl.strategies": r".+",
        "impl.jobs": r"\d+",
        "synth.jobs": r"\d+",
    },
    "profile": {
        "data": r".+",
        "stall": r".+",
        "exec": r".+",
        "memory": r".+",
        "aie": r".+",
        "trace_memory": r".+",
    },
    "hls": {
        "flow_target": r"vitis|vivado",
        "clock": r"[\d.]+(ns|MHz)?",
        "clock_uncertainty": r"[\d.]+(ns|%)?",
        "syn.top": _UNIT,
        "syn.file": r".+",
        "syn.cflags": r".+",
        "syn.file_cflags": r".+",
        "syn.interface.default_axi": r"0|1|true|false",
        "syn.dataflow.fifo_depth": r"\d+",
        "package.output.format": r"ip_catalog|xo|syn_dcp|sysgen|rtl",
        "package.output.file": r".+",
        "package.output.syn": r"true|false|0|1",
        "package.ip.name": _UNIT,
        "tb.file": r".+",
    },
    "package": {**dict.fromkeys(PACKAGE_VALUES, r".+"), **dict.fromkeys(PACKAGE_FLAGS, r"1|0|true|false")},
}
GRAMMAR["package"] |= {"boot_mode": r"sd|ospi|qspi", "image_format": r"ext4|fat32"}


@dataclass(frozen=True)
class Entry:
    section: str
    key: str
    value: str
    line: int


def read(path: Path) -> list[Entry]:
    """Parse a file; unknown sections and keys and malformed values are refused with their line."""
    if not path.is_file():
        raise Refused(f"[v++ 60-1494] config file '{path}' does not exist")
    entries: list[Entry] = []
    section = ""
    for number, raw in enumerate(path.read_text().splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        head = re.fullmatch(r"\[([\w.]+)\]", line)
        if head:
            section = head[1]
            if section not in GRAMMAR:
                raise Refused(f"{path.name}:{number}: unknown section [{section}]")
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals or key not in GRAMMAR[section]:
            raise Refused(f"{path.name}:{number}: unknown key '{key}' in section [{section}]")
        if not re.fullmatch(GRAMMAR[section][key], value):
            raise Refused(f"{path.name}:{number}: '{value}' is no value for {key}")
        entries.append(Entry(section, key, value, number))
    return entries


def values(entries: list[Entry], section: str, *keys: str) -> list[str]:
    return [e.value for e in entries if e.section == section and e.key in keys]
