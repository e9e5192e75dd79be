"""The stand-ins of v++ -l and v++ -p: the system is checked as the linker would, then written as one archive."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import sys
from pathlib import Path
from typing import Any

from tests.toolchain import config, faults
from tests.toolchain.files import XCLBIN_MAGIC, platform, read_archive, read_zip, release, write, write_zip
from tests.toolchain.options import Parsed, Refused, vpp_link, vpp_package

ARRAY = "ai_engine_0"


def _target(options: Parsed) -> str:
    target = options.one("target")
    allowed = {"hw", "hw_emu"} | ({"sw_emu"} if release() < (2025, 1) else set())
    if target not in allowed:
        raise Refused(f"-t {target}: use {' or '.join(sorted(allowed))}")
    return target


def link(argv: list[str]) -> None:
    options = vpp_link(freqhz=release() >= (2023, 2)).parse(argv)
    target = _target(options)
    output = Path(options.one("output", "a.xsa"))
    if output.suffix != ".xsa":
        raise Refused(f"-o {output}: linking for Versal makes an .xsa")
    device = platform(options.one("platform"))
    entries = [e for name in options.all("config") for e in config.read(Path(name))]
    kernels = [read_zip(Path(i), "xo") for i in options.inputs if i.endswith(".xo")]
    archives = [read_archive(Path(i)) for i in options.inputs if i.endswith(".a")]
    others = [i for i in options.inputs if not i.endswith((".xo", ".a"))]
    if others:
        raise Refused(f"input '{others[0]}' is neither .xo nor libadf.a")
    if any(a["target"] != "hw" for a in archives):
        raise Refused("libadf.a was compiled for x86sim; link takes the one compiled for hw")
    faults.before("link")
    units = _units(config.values(entries, "connectivity", "nk"), kernels)
    _streams(config.values(entries, "connectivity", "sc", "stream_connect"), units, archives)
    _memory(config.values(entries, "connectivity", "sp"), units, device)
    _clocks(config.values(entries, "clock", "freqHz"), units, device)
    print("INFO: [v++ 60-1443] Run run_link: Step system_link: Started")
    print("WARNING: [v++ 60-1] a warning")
    reports = Path(options.one("report_dir", "_x/reports")) / "link/imp"
    write(reports / "impl_1_route_report_timing_summary_0.rpt", TIMING)
    write(reports / "impl_1_kernel_util_routed.rpt", UTILISATION)
    if faults.during("link"):
        if faults.kind_of("link") == "short":
            write(output, b"PK\x03\x04 half")
        return
    inside = {"kernels": kernels, "archives": archives, "target": target, "platform": device["name"]}
    files = [str(Path(name).resolve()) for name in options.all("config")]
    write_zip(output, {"kind": "xsa", **inside, "config": files})


def _units(nk: list[str], kernels: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return compute units by name."""
    known = {k["kernel"]: k for k in kernels}
    units: dict[str, dict[str, Any]] = {}
    for entry in nk:
        kernel, count, *names = entry.split(":")
        if kernel not in known:
            raise Refused(f"nk={entry}: there is no kernel '{kernel}' among the .xo files")
        listed = names[0].split(",") if names else [f"{kernel}_{i + 1}" for i in range(int(count))]
        if len(listed) != int(count):
            raise Refused(f"nk={entry}: {count} units, but {len(listed)} names")
        for name in listed:
            if name in units:
                raise Refused(f"nk={entry}: unit '{name}' exists already")
            units[name] = known[kernel]
    for kernel, what in known.items():
        if not any(k["kernel"] == kernel for k in units.values()):
            units[f"{kernel}_1"] = what
    return units


def _streams(
    connections: list[str], units: dict[str, dict[str, Any]], archives: list[dict[str, Any]]
) -> None:
    plios = {p["name"]: p for a in archives for p in a["plios"]}
    used: set[str] = set()
    for entry in connections:
        ends = entry.split(":")[:2]
        _connection(entry, *(_end(e, entry, units, plios) for e in ends))
        if ends[0].split(".")[0] == ends[1].split(".")[0]:
            raise Refused(f"stream_connect={entry}: a unit may not drive itself")
        twice = next((e for e in ends if e in used), None)
        if twice:
            raise Refused(f"stream_connect={entry}: {twice} is connected twice")
        used.update(ends)
    wanted = {f"{ARRAY}.{name}" for name in plios}
    wanted |= {f"{n}.{p['name']}" for n, u in units.items() for p in u["ports"] if p["kind"] == "axis"}
    if wanted - used:
        raise Refused(f"stream_connect: {min(wanted - used)} is not connected")


def _connection(entry: str, source: tuple[int, str], target: tuple[int, str]) -> None:
    if source[1] != "out":
        raise Refused(f"stream_connect={entry}: its source is an input")
    if target[1] != "in":
        raise Refused(f"stream_connect={entry}: its target is an output")
    if source[0] != target[0]:
        raise Refused(f"stream_connect={entry}: {source[0]} bits drive {target[0]} bits")


def _end(end: str, entry: str, units: dict[str, dict[str, Any]], plios: dict[str, Any]) -> tuple[int, str]:
    """Return width and direction of an end, as the fabric sees it."""
    unit, _, port = end.partition(".")
    if unit == ARRAY:
        if port not in plios:
            raise Refused(f"stream_connect={entry}: the graph has no PLIO '{port}'")
        return plios[port]["bits"], "in" if plios[port]["is_input"] else "out"
    if unit not in units:
        raise Refused(f"stream_connect={entry}: there is no instance '{unit}'")
    found = next((p for p in units[unit]["ports"] if p["name"] == port and p["kind"] == "axis"), None)
    if found is None:
        raise Refused(f"stream_connect={entry}: {unit} has no stream port '{port}'")
    return found["bits"], found["direction"]


def _memory(sp: list[str], units: dict[str, dict[str, Any]], device: dict[str, Any]) -> None:
    for entry in sp:
        end, tag = entry.split(":")[:2]
        unit, _, port = end.partition(".")
        if unit not in units or not any(
            p["name"] == port and p["kind"] == "m_axi" for p in units[unit]["ports"]
        ):
            raise Refused(f"sp={entry}: there is no memory port '{end}'")
        if tag not in device["memory"]:
            raise Refused(f"sp={entry}: the platform has {device['memory']}, no {tag}")


def _clocks(entries: list[str], units: dict[str, dict[str, Any]], device: dict[str, Any]) -> None:
    """Each unit exists, and its clock is the platform's or one that a clocking wizard makes of it [UG1393 2023.2].

    The real linker warns and falls back to the default clock; that is no design that anybody asked for.
    """
    for entry in entries:
        hz, _, names = entry.partition(":")
        if not obtainable(int(hz), device["clocks"]):
            listed = [*device["clocks"]["fixed"], *device["clocks"]["fixed_non_ref"]]
            raise Refused(
                f"freqHz={entry}: the platform lists {sorted(listed)} MHz and no MMCM derives this clock; "
                f"the default clock, {device['clocks']['default']} MHz, would be used"
            )
        for name in names.split(","):
            unit = name.split(".")[0]
            if unit not in units:
                raise Refused(f"freqHz={entry}: there is no instance '{unit}'")
            if units[unit]["hz"] and units[unit]["hz"] != int(hz):
                raise Refused(f"freqHz={entry}: {unit} was compiled for {units[unit]['hz']} Hz")


def obtainable(hz: int, clocks: dict[str, Any]) -> bool:
    """A listed clock, or VCO / O with VCO = reference x M / D in 2160..4320 MHz [DS957, AM003]."""
    listed = [*clocks["fixed"], *clocks["fixed_non_ref"]]
    if any(abs(mhz * 1e6 - hz) <= 50 for mhz in listed) or any(
        abs(mhz * 1e6 / hz - 1) < 2e-5 for mhz in listed
    ):
        return True
    return any(
        2160e6 <= (vco := mhz * 1e6 * m / d) <= 4320e6
        and 2 <= (o := round(vco / hz)) <= 511
        and abs(vco / o / hz - 1) <= 1e-3
        for mhz in clocks["fixed"]
        for d in range(1, 124)
        if mhz / d >= 10
        for m in range(4, 433)
    )


def package(argv: list[str]) -> None:
    options = vpp_package().parse(argv)
    target = _target(options)
    platform(options.one("platform"))
    entries = [e for name in options.all("config") for e in config.read(Path(name))]
    told = {e.key: e.value for e in entries if e.section == "package"}
    told |= {
        k.removeprefix("package."): v[-1] for k, v in options.options.items() if k.startswith("package.")
    }
    xsa = [read_zip(Path(i), "xsa") for i in options.inputs if i.endswith(".xsa")]
    archives = [read_archive(Path(i)) for i in options.inputs if i.endswith(".a")]
    if len(xsa) != 1:
        raise Refused("[v++ 60-2500] one linked .xsa is needed")
    if xsa[0]["archives"] and not archives:
        raise Refused("the design uses the array: libadf.a is needed")
    if archives and archives != xsa[0]["archives"]:
        raise Refused("libadf.a is not the one that was linked")
    if xsa[0]["target"] != target:
        raise Refused(f"-t {target}: the .xsa was linked for {xsa[0]['target']}")
    if archives and told.get("defer_aie_run") not in {"true", "1"}:
        raise Refused("a host that runs the graph needs package.defer_aie_run")
    card = [Path(f) for f in options.all("package.sd_file")]
    _check_card(told, card)
    faults.before("package")
    out, output = Path(told.get("out_dir", ".")), Path(options.one("output", "a.xclbin"))
    print("INFO: [v++ 60-2256] Packaging for hardware")
    if faults.during("package"):
        if faults.kind_of("package") == "short":
            write(output, b"xcl")
        return
    write(output, XCLBIN_MAGIC + json.dumps(xsa[0], sort_keys=True).encode())
    _write_out(out, output, card, target, petalinux="rootfs" in told)


def _check_card(told: dict[str, str], card: list[Path]) -> None:
    petalinux = os.environ.get("AIELOOM_STANDIN_IMAGE", "petalinux") == "petalinux"
    if card and told.get("boot_mode") != "sd":
        raise Refused(
            "[v++ 60-2351] Option 'package.sd_file' is valid only when 'package.boot_mode' option is 'sd'"
        )
    for name in ("rootfs", "kernel_image"):
        if petalinux and name not in told:
            raise Refused(f"package.{name} is needed for an SD card")
        if name in told and not Path(told[name]).is_file():
            raise Refused(f"package.{name}={told[name]} does not exist")
        if not petalinux and name in told:
            raise Refused(f"package.{name} has no place in the EDF flow")
    for file in card:
        if not file.is_file():
            raise Refused(f"package.sd_file={file} does not exist")


def _write_out(out: Path, xclbin: Path, card: list[Path], target: str, *, petalinux: bool) -> None:
    if not petalinux:
        write(out / "design.pdi", "pdi")
        write(
            Path("_x/package/updated_zocl.dtsi"),
            '&amba { zyxclmm_drm { compatible = "xlnx,zocl-versal"; }; };\n',
        )
        if target == "hw_emu":
            write(out / "BOOT.bin", "boot image with the design")
            _launcher(out)
        return
    write(out / "BOOT.BIN", "boot")
    write(out / "boot.scr", "script")
    for file in [*card, xclbin]:
        target_file = out / "sd_card" / file.name
        target_file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target_file)
    write(out / "sd_card.img", "image of " + ", ".join(sorted(f.name for f in card)))
    if target == "hw_emu":
        _launcher(out)


def _launcher(out: Path) -> None:
    launcher = out / "launch_hw_emu.sh"
    write(launcher, f'#!/bin/sh\nexec "{sys.executable}" -m tests.toolchain.main launch_hw_emu.sh "$@"\n')
    launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)


def unpack(xclbin: Path) -> dict[str, Any]:
    """Return what an xclbin was linked from."""
    data = xclbin.read_bytes()
    if not data.startswith(XCLBIN_MAGIC):
        raise Refused(f"{xclbin} is no xclbin")
    found: dict[str, Any] = json.loads(re.sub(rb"^" + re.escape(XCLBIN_MAGIC), b"", data))
    return found


TIMING = """
------------------------------------------------------------------------------------------------
| Design Timing Summary
| ---------------------
------------------------------------------------------------------------------------------------

    WNS(ns)      TNS(ns)  TNS Failing Endpoints  TNS Total Endpoints      WHS(ns)      THS(ns)
    -------      -------  ---------------------  -------------------      -------      -------
      0.050        0.000                      0                 1696        0.011        0.000

------------------------------------------------------------------------------------------------
| Clock Summary
| -------------
------------------------------------------------------------------------------------------------

Clock                  Waveform(ns)         Period(ns)      Frequency(MHz)
-----                  ------------         ----------      --------------
clk_pl_0               {0.000 1.600}        3.200           312.500
  clkout2_primitive    {0.000 1.923}        3.846           260.010

------------------------------------------------------------------------------------------------
| Intra Clock Table
"""
UTILISATION = """
+----------------+------------------+-----------------+------------------+---------------+-------------+---------------+
| Name           | LUT              | LUTAsMem        | REG              | BRAM          | URAM        | DSP           |
+----------------+------------------+-----------------+------------------+---------------+-------------+---------------+
| Platform       |   9041 [  1.00%] |   400 [  0.09%] |  14000 [  0.78%] |    0 [  0.00%] |   0 [ 0.00%] |   0 [  0.00%] |
| User Budget    | 890783 [100.00%] | 449920 [100.00%] | 1785600 [100.00%] |  967 [100.00%] | 463 [100.00%] | 1968 [100.00%] |
|    Used Resources   |  58504 [  6.57%] |  1211 [  0.27%] |  39454 [  2.21%] |   90 [ 9.31%] |  0 [  0.00%] |  12 [  0.61%] |
+----------------+------------------+-----------------+------------------+---------------+-------------+---------------+
"""
