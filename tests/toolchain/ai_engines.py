"""The stand-ins of aiecompiler (and v++ --mode aie), x86simulator and aiesimulator."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.toolchain import faults
from tests.toolchain.files import digest, platform, read_archive, release, write, write_text_archive
from tests.toolchain.options import Parsed, Refused, aiecompiler, aiesimulator, vpp_aie, x86simulator
from tests.toolchain.program import build_program

SUMMARY = '<ENTRY>{{"toolVersion": "{release}", "args": {args}}}</ENTRY>\n'


def compile_old(argv: list[str]) -> None:
    """aiecompiler [options] graph.cpp."""
    if any(word.startswith("--aie.") for word in argv):
        raise Refused("unrecognised option: the prefix --aie. belongs to v++ --mode aie")
    options = aiecompiler().parse(argv)
    _compile(options, {n: options.one(n) for n in ("workdir", "output-archive", "constraints")}, argv)


def compile_new(argv: list[str]) -> None:
    """v++ -c --mode aie [options] graph.cpp."""
    if release() < (2023, 1):
        raise Refused("unrecognised option '--mode'")
    bare = [
        w
        for w in argv
        if re.match(r"--(stacksize|heapsize|xlopt|Xchess|Xpreproc|output-archive|constraints)\b", w)
    ]
    if bare:
        raise Refused(f"'{bare[0]}' is an option of the AI Engine compiler: write --aie.{bare[0][2:]}")
    options = vpp_aie().parse(argv)
    named = {n: options.one(f"aie.{n}") for n in ("workdir", "output-archive", "constraints")}
    named["workdir"] = options.one("work_dir") or named["workdir"]
    _compile(options, named, argv)


def _compile(options: Parsed, named: dict[str, str], argv: list[str]) -> None:
    target = options.one("target", "hw")
    if target not in {"hw", "x86sim"}:
        raise Refused(f"--target={target}: use hw or x86sim; hw serves aiesimulator, hw_emu and hw")
    if not options.has("platform") and not options.has("part"):
        raise Refused("one of --platform and --part is required")
    device = platform(options.one("platform")) if options.has("platform") else {"architecture": "aie"}
    if len(options.inputs) != 1 or not Path(options.inputs[0]).is_file():
        raise Refused(f"one graph source is needed, and it must exist: {options.inputs}")
    sources = [p for p in Path(options.inputs[0]).parent.iterdir() if p.suffix in {".h", ".cc", ".cpp"}]
    check_features({p.name: p.read_text(encoding="utf-8") for p in sources})
    step = "x86com" if target == "x86sim" else "aiecom"
    faults.before(step)
    graph = Path(options.inputs[0])
    work = Path(named["workdir"] or "./Work")
    print(f"INFO: [aiecompiler 77-404] Executing Cmd: {target}")
    _write_work(work, graph, argv, told=any(options.has(n) for n in ("verbose", "v", "aie.verbose")))
    if faults.during(step):
        _end_of_compile()
        return
    program, plios = build_program(graph, options.all("include"), device["architecture"])
    write(work / "standin.json", json.dumps({"target": target, "program": str(program), "plios": plios}))
    archive = {"kind": "libadf", "target": target, "plios": plios, "digest": digest(sources)}
    write_text_archive(
        Path(named["output-archive"] or "libadf.a"), {**archive, "sources": str(graph.parent.resolve())}
    )
    _end_of_compile()


# What sources write, and the first release that has it [UG1079, Comparison between Buffer Ports and Windows; Xilinx/aie_api, Changelog].
FIRST = {
    r"\b(?:input|output)_buffer\b": (2022, 2),
    r"\b(?:input|output)_cascade\b": (2023, 2),
    r"\bsliding_mul(?:_ops)?\s*<(?=[^;]*\bfloat\b)": (2023, 2),
}


def check_features(sources: Mapping[str, str]) -> None:
    """Refuse sources that use what the release does not have yet."""
    for name, text in sources.items():
        code = re.sub(r"//[^\n]*", "", text)
        for pattern, first in FIRST.items():
            found = re.search(pattern, code)
            if found and release() < first:
                line = code[: found.start()].count("\n") + 1
                raise Refused(
                    f"{name}:{line}: error: no member named '{found[0]}' (first in {first[0]}.{first[1]})"
                )


# The report of a loop, and instructions that spill, in the form that UG1079 ("Software Pipelining of Loops") and AMD's tutorials show.
LOOPS = """\
HW do-loop #397 in "{folder}/first.cc", line 41: (loop #16) :
critical cycle of length 3 : b67 -> b68 -> b67
minimum length due to resources: 8
scheduling HW do-loop #397
(algo 1a) -> # cycles: 24
  -> HW do-loop #397 in "{folder}/first.cc", line 41: (loop #16) : 24 cycles
HW do-loop #397 in "{folder}/first.cc", line 41: (loop #16) :
critical cycle of length 3 : b67 -> b68 -> b67
minimum length due to resources: 8
scheduling HW do-loop #397
(algo 1a)       -> # cycles: 24
(modulo)        -> # cycles: 9 ok (required budget ratio: 1)
(resume algo)     -> after folding: 9 (folded over 2 iterations)
  -> HW do-loop #397 in "{folder}/first.cc", line 41: (loop #16) : 9 cycles
HW do-loop #401 in "{folder}/first.cc", line 70: (loop #17) :
critical cycle of length 30 : b1 -> b2 -> b1
minimum length due to resources: 12
scheduling HW do-loop #401
(algo 2) -> # cycles: 173 (exceeds -k 110) -> no folding: 173
  -> HW do-loop #401 in "{folder}/first.cc", line 70: (loop #17) : 173 cycles
"""
LISTING = (
    "  340  VLDA.SPIL wr0, [sp, #-32]; VST.SPIL wr1, [sp, #-64]\n  356  VMAC am0, wr0, wr1; MOV r0, r1\n"
)


def _write_work(work: Path, graph: Path, argv: list[str], *, told: bool) -> None:
    write(work / "ps/c_rts/aie_control_xrt.cpp", "// control code\n")
    write(work / "config/scsim_config.json", "{}\n")
    write(work / "options/x86sim.options", "dump=no\n")
    write(
        work / "reports/report_pm.txt", "Core 6_0\n  PM Size Used = 3210\nCore 7_0\n  PM Size Used = 4100\n"
    )
    write(work / "reports/report_stack.txt", "Core 6_0\n  Stack Size Used = 320\n")
    for core in ("6_0", "7_0"):
        write(work / f"aie/{core}/Release/{core}", "ELF")
        write(work / f"aie/{core}/Release/{core}.lst", LISTING)
        write(work / f"aie/{core}/Release/{core}.map", "Section summary for memory 'PM':\n")
        write(work / f"aie/{core}/{core}.log", LOOPS.format(folder=graph.parent.resolve()) if told else "")
    summary = SUMMARY.format(release=os.environ["AIELOOM_STANDIN_RELEASE"], args=json.dumps(argv))
    write(work / f"{graph.stem}.aiecompile_summary", summary)


def _end_of_compile() -> None:
    print("WARNING: [aiecompiler 77-1] a warning")
    print("Compilation Complete\n(WARNING:1, CRITICAL-WARNING:0, ERROR:0)")
    write(Path("AIECompiler.log"), "Compilation Complete\n")


def _simulation(options: Parsed, wants: str) -> tuple[Path, Path, dict[str, Any]]:
    if options.inputs:
        raise Refused(f"unexpected argument '{options.inputs[0]}'")
    work = Path(options.one("pkg-dir", "./Work"))
    if not (work / "standin.json").is_file():
        raise Refused(f"--pkg-dir={work} has no compiled graph")
    built: dict[str, Any] = json.loads((work / "standin.json").read_text())
    if built["target"] != wants:
        raise Refused(f"--pkg-dir={work} was compiled for {built['target']}, not for {wants}")
    read_archive(work.parent / "libadf.a")
    inputs = Path(options.one("input-dir") or options.one("i") or ".")
    for plio in built["plios"]:
        if plio["is_input"]:
            _check_input(inputs / plio["file"], plio["bits"])
    return inputs, Path(options.one("output-dir") or options.one("o") or f"./{wants}_output"), built


def _check_input(path: Path, bits: int) -> None:
    """Refuse an input file that does not exist or whose lines are no stream words (of 32-bit numbers, or smaller)."""
    if not path.is_file():
        raise Refused(f"cannot open {path}")
    counts = {
        len(line.split())
        for line in path.read_text().splitlines()
        if line.strip() and line.strip() != "TLAST"
    }
    if len(counts) != 1 or not counts <= {bits // 32, bits // 16, bits // 8}:
        raise Refused(f"{path}: lines of {sorted(counts)} numbers, where a word of {bits} bits is wanted")


def _run(built: dict[str, Any], inputs: Path, outputs: Path) -> None:
    outputs.mkdir(parents=True, exist_ok=True)
    for plio in built["plios"]:
        (outputs / plio["file"]).parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [built["program"]],
        env={**os.environ, "AIELOOM_DATA": str(inputs), "AIELOOM_OUT": str(outputs)},
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout, end="")
    if done.returncode:
        raise Refused(f"simulation failed: {done.stderr.strip()}")


def x86simulate(argv: list[str]) -> None:
    inputs, outputs, built = _simulation(x86simulator().parse(argv), "x86sim")
    faults.before("x86sim")
    _run(built, inputs, outputs)
    _spoil("x86sim", outputs, built)
    print("Simulation completed successfully returning zero")
    write(Path("x86simulator.log"), "done\n")


def aiesimulate(argv: list[str]) -> None:
    options = aiesimulator().parse(argv)
    inputs, outputs, built = _simulation(options, "hw")
    faults.before("aiesim")
    _run(built, inputs, outputs)
    for plio in built["plios"]:
        if not plio["is_input"]:
            _with_times(outputs / plio["file"], plio["mhz"])
    _spoil("aiesim", outputs, built)
    if options.has("profile"):
        write(
            outputs / "profile_funct_6_0.xml",
            PROFILE.format(name="first_kernel", calls=4, cycles=4000, total=5000),
        )
        write(
            outputs / "profile_funct_7_0.xml",
            PROFILE.format(name="last_kernel", calls=2, cycles=1000, total=5000),
        )
    print("[INFO] : Simulation Finished, Sim result: 0\nTotal Simulation time 5399745 ps")
    write(outputs / "default.aierun_summary", "{}")


PROFILE = """<profile>
  <total_cycle_count>{total}</total_cycle_count>
  <function><function_name>main</function_name><calls>1</calls>
    <function_and_descendants_time><total_cycle_count>{total}</total_cycle_count></function_and_descendants_time>
  </function>
  <function><function_name>{name}</function_name><calls>{calls}</calls>
    <function_and_descendants_time><total_cycle_count>{cycles}</total_cycle_count></function_and_descendants_time>
  </function>
</profile>
"""


def _with_times(path: Path, mhz: float) -> None:
    """Put a time before each word; the unit changes inside a file, as it does in reality."""
    lines = []
    for i, line in enumerate(path.read_text().splitlines()):
        nanoseconds = 1000 + i * 1e3 / mhz
        lines.append(f"T {nanoseconds:.3f} ns" if i % 2 else f"T {nanoseconds * 1000:.0f} ps")
        lines.append(line)
    path.write_text("\n".join(lines) + "\n")


def _spoil(step: str, outputs: Path, built: dict[str, Any]) -> None:
    """A simulation that goes wrong and still ends with exit code 0."""
    kind = faults.kind_of(step)
    first = outputs / next(p["file"] for p in built["plios"] if not p["is_input"])
    lines = first.read_text().splitlines()
    if kind == "kill":
        faults.during(step)
    elif kind == "short":
        first.write_text("\n".join(lines[: len(lines) // 2 // 2 * 2]) + "\n")
    elif kind == "wrong":
        at = next(i for i, line in enumerate(lines) if not line.startswith("T"))
        lines[at] = " ".join(str(float(n) + 0.5) for n in lines[at].split())
        first.write_text("\n".join(lines) + "\n")
    elif kind == "garbage":
        first.write_text("nonsense here\n")
    elif kind == "silent":
        first.unlink()
    elif kind == "deadlock":
        print("WARNING: Deadlock detected: kernel k0 waits for input")
