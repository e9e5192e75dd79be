"""`aieloom doctor`: what this machine has for the vendor's flow, what each stage still lacks, and the line that mends it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from aieloom.spec.device import load_device
from aieloom.vitis import commands, edf
from aieloom.vitis.design import CompiledKernel, VitisDesign
from aieloom.vitis.discover import Installation
from aieloom.vitis.missing import Missing
from aieloom.vitis.releases import NEWEST, OLDEST, Image

_ANY = VitisDesign(  # stages ask for the same tools whatever the design
    project="any",
    aie_sources=(),
    kernels=(CompiledKernel(name="any", source="any.cpp", hz=1),),
    host_source="any.cpp",
    host_headers=(),
    host_program="any",
    cycle_limit=1,
)

WHAT = {
    "x86com": "AIE compile for the functional simulator",
    "x86sim": "functional simulation (doit sim mode=x86)",
    "aiecom": "AIE compile for the array",
    "aiesim": "cycle simulation (doit sim mode=aie)",
    "hls": "PL kernels",
    "link": "link",
    "host": "host program",
    "package": "package",
    "hw_emu": "hardware emulation (doit emulate stage=hw_emu)",
}


def stage_needs(found: Installation) -> dict[str, tuple[str, ...]]:
    """Return what each stage needs, in the order of the flow."""
    stages = (
        commands.aie_compile(_ANY, found, x86=True),
        commands.simulate(_ANY, (), x86=True),
        commands.aie_compile(_ANY, found, x86=False),
        commands.simulate(_ANY, (), x86=False),
        commands.hls(_ANY.kernels[0], found, "hw"),
        commands.link(_ANY, found, "hw"),
        commands.host(_ANY, found),
        commands.package(_ANY, found, "hw"),
        commands.hardware_emulation(1, array=True),
    )
    needs = {stage.name.partition(":")[0]: stage.needs for stage in stages}
    if found.image is Image.EDF:
        needs["hw_emu"] = tuple(dict.fromkeys((*needs["hw_emu"], *edf.disk(_ANY, found).needs)))
    return needs


def diagnose(found: Installation) -> Iterator[str]:
    """Yield the lines of the diagnosis."""
    yield f"for {found.board}:"
    yield from _parts(found)
    for note in found.notes:
        yield f"  note: {note}"
    yield ""
    yield "stages:"
    fixes: dict[str, Missing] = {}
    for name, needs in stage_needs(found).items():
        lacking = found.lacks(needs)
        fixes.update({m.name: m for m in lacking})
        verdict = "ready" if not lacking else "lacks " + ", ".join(m.name for m in lacking)
        yield f"  {name:<8} {WHAT[name]:<52} {verdict}"
    yield f"  {'emu':<8} {'everything above in the built-in emulator':<52} ready"
    if fixes:
        yield ""
        yield "to mend:"
        for missing in fixes.values():
            yield f"  {missing.name}: {missing.what} is missing"
            yield f"      {missing.fix}"


def _parts(found: Installation) -> Iterator[str]:
    version = (
        found.version or f"none (commands are shown for {NEWEST.name}; {OLDEST.name} and newer are driven)"
    )
    yield _line("Vitis", version)
    yield _line("folder", found.vitis)
    for name, path in found.tools.items():
        yield _line(name, path)
    yield _line("platform", found.platform or f"no {found.platform_name}")
    yield _line("its clocks", _clocks(found))
    yield _line("image", f"{found.image.value}{' (EDF disk image)' if found.image is Image.EDF else ''}")
    if found.image is Image.EDF:
        yield _line("EDF", found.edf)
    else:
        yield _line("rootfs", found.rootfs)
        yield _line("kernel", found.kernel_image)
    yield _line("sysroot", found.sysroot)
    yield _line("C++", " ".join(found.compiler) or None)
    yield _line(
        "licence",
        found.license or "XILINXD_LICENSE_FILE is not set (a ~/.Xilinx licence is found by the tools)",
    )


def _clocks(found: Installation) -> str:
    """Return the kernel clocks that the release's base platform lists."""
    for clocks in load_device(found.board).platform.clocks:
        first, last = clocks.releases
        if first <= found.release.name <= last:
            listed = ", ".join(f"{f:g}" for f in clocks.listed_mhz)
            derived = ", ".join(f"{f:g}" for f in sorted(clocks.fixed_mhz))
            return f"{listed} MHz, default {clocks.default_mhz:g}; others are derived from {derived}"
    return f"not known for {found.release.name}"


def _line(name: str, value: str | Path | None) -> str:
    return f"  {name:<13} {value if value else 'not found'}"
