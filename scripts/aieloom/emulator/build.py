"""Building a design for the emulator: which units, how each is compiled, what is linked to what."""

from __future__ import annotations

import hashlib
import re
import struct
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aieloom.digests import named_digest
from aieloom.emit.files import write_text
from aieloom.emulator.builtins import builtin_names
from aieloom.emulator.compiler import OF_LOGIC, Unit, compile_unit, is_compiled
from aieloom.emulator.pl_dataflow import write_queues
from aieloom.emulator.pl_signature import find_functions, wrapper
from aieloom.emulator.system_cfg import config_text
from aieloom.paths import PUBLIC, package_folder, write_whole
from aieloom.spec.architecture import Architecture

if TYPE_CHECKING:  # an installation runs this before pydantic is there (emulator/prebuild.py)
    from aieloom.spec.device import Device

# GCC collects garbage less often: these units need a few hundred MB at most, and a tenth of their time.
SELDOM_COLLECTING = ("--param=ggc-min-expand=1000", "--param=ggc-min-heapsize=500000")
X86SIM, AIESIM = "__X86SIM__", "__AIESIM__"  # what the vendor's tools define for their two simulators
MAGIC = "aieloom-emulated-xclbin 2"  # first line of an emulated xclbin's text; src/pl/link.cpp reads it
_PACKET_IDS = 32  # numbers of packets: 5 bits of a header
_LARGEST_SOURCE = 1_000_000  # bytes of a source that is looked at: tables of data are larger
_AXLF_BYTES = 496  # of struct axlf, include/xclbin.h
_SYSTEM_CFG = 26  # the kind of a section with a system's metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Sources of a design: the graph with its kernels, and for a whole system PL kernels, host and system.cfg.

    A design in the logic alone has neither graph nor architecture.
    """

    name: str
    architecture: Architecture | None
    graph: Path | None
    kernels: tuple[Path, ...]
    pl: tuple[Path, ...] = ()
    host: tuple[Path, ...] = ()
    config: Path | None = None
    includes: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    device: Device | None = None  # None: what the emulator takes for the architecture, VC1902 or VE2802
    timed: bool = False  # PL kernels report their time
    few: bool = False  # images: what moves them is compiled in two thirds of the time, and runs half as fast
    simulator: str = X86SIM  # the macro under which the graph's source has main()

    @property
    def is_system(self) -> bool:
        """True when a host program drives it; else main() in the graph's source does."""
        return bool(self.host)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One compilation: a unit and where its object goes.

    `wraps` is the PL kernel's source when the unit is the wrapper that is made of it.
    """

    name: str
    unit: Unit
    target: Path
    wraps: Path | None = None
    timed: bool = False  # of a PL kernel: its loops report their time


def _arch(design: Design) -> tuple[str, ...]:
    return (f"__AIE_ARCH__={design.architecture.macro}",) if design.architecture else ()


def _part(design: Design) -> tuple[str, ...]:
    """Return the device as the graph's source tells it: struct Part of include/aieloom/design.h."""
    device = design.device or _device_of(design.config)
    if device is None:
        return ()
    array, platform = device.array, device.platform
    listed = [clocks.listed_mhz for clocks in platform.clocks]
    members: tuple[object, ...] = (
        *(array.columns, array.core_rows, array.memory_tile_rows, *array.plio_columns),
        *(f"{device.clocks.pl_interface_max_mhz:g}", device.logic.slrs),
        f'"{" ".join(platform.memory_tags)}"',
        *(f"{max(map(max, listed)):g}", max(map(len, listed))),
    )
    return (f'AIELOOM_PART="{device.name.upper()}",{",".join(map(str, members))}',)


def _device_of(config: Path | None) -> Device | None:
    """Return the board whose platform a system.cfg names, if it is one of the catalogue."""
    try:
        text = config.read_text(encoding="utf-8", errors="replace") if config else ""
    except OSError:
        return None
    from aieloom.spec.device import array_names, load_device  # noqa: PLC0415 - most designs name none

    named = re.search(r"^\s*platform\s*=\s*(?:\S*/)?(\w+)", text, re.MULTILINE)
    boards = map(load_device, array_names()) if named else ()
    return next((b for b in boards if named and named[1].startswith(b.platform.name)), None)


@cache
def _units(*, timed: bool) -> tuple[tuple[Path, tuple[str, ...]], ...]:
    """Return the runtime's translation units with their options; what units/ does not gather stands alone.

    The cold unit is the last, because it ends with what must be constructed after all graphs. A timed run spends half of its
    time in the hot one: 3 s more to compile it halve that (0.70 s of ten of the ESPCN thesis' images to 0.33 s).
    """
    own = package_folder()
    hot, cold = own / "src" / "units" / "hot.cpp", own / "src" / "units" / "cold.cpp"
    gathered = {
        name
        for u in (hot, cold)
        for name in re.findall(r'#include "(\w+\.cpp)"', u.read_text(encoding="utf-8"))
    }
    alone = tuple((s, ("-O1",)) for s in sorted((own / "src").glob("*.cpp")) if s.name not in gathered)
    often = "-O2" if timed else "-Og"
    return ((hot, (often, "-fno-exceptions")), *alone, (cold, ("-Og", "-fno-exceptions")))


@cache
def runtime_digest() -> str:
    """Return a digest of the emulator's headers and sources."""
    folder = package_folder()
    files = sorted(f for part in ("include", "src") for f in (folder / part).rglob("*") if f.is_file())
    return named_digest((str(f.relative_to(folder)), f) for f in files)


def runtime_steps(
    folder: Path, *, system: bool = True, timed: bool = False, options: tuple[str, ...] = ()
) -> tuple[Step, ...]:
    """Return the compilations of the emulator's own runtime, which is the same for every architecture.

    Programs of the array alone (`system` false) need no linker of PL kernels and no XRT.
    """
    own = package_folder()
    return tuple(
        Step(
            name=f"runtime_{source.stem}",
            unit=Unit(
                source=source,
                includes=(own / "include", own / "src"),
                options=(*level, *options),
                gcc_options=SELDOM_COLLECTING,
                is_runtime=True,
            ),
            target=folder / f"runtime_{source.stem}.o",
        )
        for source, level in _units(timed=timed)
        if system or source.parent.name == "units"
    )


def _name_of(kernel: Path, graph: Path | None) -> str:
    """Return what tells a kernel's source from the others of a design, which may have its name in another folder."""
    inside = graph is not None and kernel.is_relative_to(graph.parent)
    below = kernel.relative_to(graph.parent) if inside and graph else Path(kernel.name)
    return ".".join(below.with_suffix("").parts)


def design_steps(design: Design, folder: Path) -> tuple[Step, ...]:
    """Return the compilations of a design's sources; the sources need not exist yet."""
    own, arch = package_folder() / "include", _arch(design)
    includes = (own, *design.includes)
    # Packet numbers are known to logic and host; what is beside the sources comes first.
    outside = (*includes, packet_ids_folder(folder))

    def step(
        name: str, source: Path, folders: tuple[Path, ...], defines: tuple[str, ...] = (), **more: Any
    ) -> Step:
        unit = Unit(source=source, includes=folders, defines=(*defines, *design.defines), **more)
        return Step(name=name, unit=unit, target=folder / f"{name}.o")

    steps, level = list[Step](), ("-O1",) if design.few else ()
    if design.graph:
        # Its main() belongs to simulations of the array alone. It runs once; what it runs is in other units.
        main = () if design.is_system else (design.simulator,)
        defines = (*arch, *_part(design), *main)
        options = ("-O1", *builtin_names(design.graph, includes[1:]))
        steps.append(step("graph", design.graph, includes, defines, options=options))
    for k in design.kernels:  # compiled for functional simulation
        name = f"aie_{_name_of(k, design.graph)}"
        steps.append(step(name, k, includes, (*arch, X86SIM), kernels_alone=True))
    for source in design.pl:
        made = folder / f"pl_{source.stem}.wrapper.cpp"
        # Its own folder before the graph's, which may have a file of the same name.
        near = (own, source.parent, *outside[1:])
        first = step(f"pl_{source.stem}", made, near, options=(*OF_LOGIC, *level))
        steps.append(replace(first, wraps=source, timed=design.timed))
    # A host that controls the graph by its own methods includes the graph, and its kernels' headers with it.
    defines = (*arch, *_part(design))
    return (
        *steps,
        *(step(f"host_{h.stem}", h, outside, defines, options=level, is_host=True) for h in design.host),
    )


def packet_ids_folder(folder: Path) -> Path:
    """Return where packet_ids_c.h is, which aiecompiler writes below Work/temp."""
    return folder / "packet_ids"


def write_packet_ids(design: Design, folder: Path) -> None:
    """Write packet_ids_c.h: <logical name of a PLIO>_<port of its splitter or merger>, the number of its packets.

    Numbers are those of the ports (src/packet.cpp); aiecompiler gives numbers of its own choice by the same names
    [UG1079 Packet Switching Graph Constructs].
    """
    texts = [
        p.read_text(encoding="utf-8", errors="replace")
        for place in dict.fromkeys((design.graph.parent, *design.includes) if design.graph else ())
        if place.is_dir()
        for p in sorted(place.iterdir())
        if p.suffix in (".h", ".hpp", ".cpp", ".cc") and p.is_file() and p.stat().st_size <= _LARGEST_SOURCE
    ]
    names = dict.fromkeys(
        n for t in texts for n in re.findall(r'\b(?:create|PLIO)\s*\(\s*"([A-Za-z_]\w*)"', t)
    )
    lines = [f"#define {name}_{i} {i}" for name in names for i in range(_PACKET_IDS)]
    target = packet_ids_folder(folder) / "packet_ids_c.h"
    text = "\n".join(["#pragma once", *lines, ""])
    if not target.is_file() or target.read_text(encoding="utf-8") != text:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def compile_step(step: Step) -> bool:
    """Compile one unit unless its object is there; return whether the compiler ran.

    Raises:
        SpecError: a PL source has no kernel.
        ToolError: the compiler refuses the unit.
    """
    if step.wraps:
        write_text(step.unit.source, _wrapping(step))
    return compile_unit(step.unit, step.target)


def is_step_done(step: Step) -> bool:
    """Tell whether a unit's object is what compiling it now would give.

    Raises:
        SpecError: a PL source has no kernel.
        ToolError: there is no compiler.
    """
    if step.wraps:
        try:
            if step.unit.source.read_text(encoding="utf-8") != _wrapping(step):
                return False
        except (OSError, ValueError):
            return False
    return is_compiled(step.unit, step.target)


def _wrapping(step: Step) -> str:
    source = step.wraps
    assert source is not None
    if step.timed:
        from aieloom.emulator.timed.logic import write_timed  # noqa: PLC0415 - only a timed run needs it

        told = write_timed(source, step.unit.includes, step.target.parent)
    else:
        told = write_queues(source, step.unit.includes, step.target.parent, dataflow=True)
    return wrapper(source.name if told == source else str(told), find_functions(source))


def write_xclbin(config: Path, target: Path) -> None:
    """Write the file that the host program loads: axlf's header with an identity, then system.cfg, word for word.

    `config` may be a Vitis IDE's project file too. The header is struct axlf of include/xclbin.h.
    """
    text = f"{MAGIC}\n{config_text(config)}".encode()
    identity = hashlib.sha256(text).digest()[:16]
    section = struct.pack("<I16sxxxxQQ", _SYSTEM_CFG, b"system.cfg", _AXLF_BYTES, len(text))
    head = struct.pack("<8si28x256xQ", b"xclbin2", -1, 0)
    size = _AXLF_BYTES + len(text)
    platform = b"aieloom_emulator"
    header = struct.pack(
        "<QQQHBBHH16s64s16s16sIxxxx", size, 0, 0, 0, 2, 0, 0, 0, b"", platform, identity, b"", 1
    )
    assert len(head + header + section) == _AXLF_BYTES
    write_whole(target, head + header + section + text, mode=PUBLIC)
