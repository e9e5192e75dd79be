"""Which command each stage runs: pure functions of design, installation and folder layout.

Layout below the build folder, one folder a stage; every path in a command is relative to its own folder:

    vitis/x86com  vitis/x86sim  vitis/aiecom  vitis/aiesim  vitis/plio   the array alone
    vitis/hls/<kernel>                                                   (vitis/<target>/hls/<kernel> where v++ -k
                                                                         compiles for hw or hw_emu)
    vitis/<target>/{data,link,package,run}  vitis/host                   the system, target hw or hw_emu

A part that this machine lacks stands in the command as the variable that would name it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from aieloom.vitis.design import CompiledKernel, VitisDesign
from aieloom.vitis.discover import Installation
from aieloom.vitis.releases import AieForm, HlsForm, Image

BUILD = "{build}"  # stands for the absolute build folder where a tool insists on one
STAMP = "done.json"
EMULATED = "vitis/hw_emu/package"
RUN_SCRIPT = "run_app.sh"
TARGETS = ("hw", "hw_emu")
EMULATION = "hw_emu"  # the stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One run of one tool. `folder` and `reads` are below the build folder, `makes` below the stage's folder."""

    name: str
    argv: tuple[str, ...]
    folder: str
    reads: tuple[str, ...]
    makes: tuple[str, ...]  # globs; each must match a file that is not empty
    needs: tuple[str, ...]  # keys of Installation.missing
    files: Mapping[str, str] = field(default_factory=dict)  # written before the tool starts
    subfolder: str = ""  # where the tool runs, when that is not `folder`
    says: str = ""  # what a run that worked prints, where nothing else tells

    @property
    def kind(self) -> str:
        """Key of LIMIT_HOURS: all PL kernels are of one kind."""
        return "run" if self.name == EMULATION else self.name.partition(":")[0]

    @property
    def tool(self) -> str:
        """The program, as the command names it."""
        return self.argv[0]

    @property
    def stamp(self) -> str:
        """The file that says the stage is done, below the build folder."""
        return f"{self.folder}/{STAMP}"


def with_options(stage: Stage, found: Installation) -> Stage:
    """Return the stage with what aieloom.toml adds to its command."""
    more = found.options.get(stage.kind, ())
    return replace(stage, argv=(*stage.argv, *more)) if more else stage


def _to(folder: str, path: str) -> str:
    return posixpath.relpath(path, folder)


def platform_argument(found: Installation) -> str:
    """Return the platform's file, or how it would be named."""
    name = found.platform_name
    return str(found.platform) if found.platform else f"${{PLATFORM_REPO_PATHS}}/{name}/{name}.xpfm"


def _file(path: object, variable: str) -> str:
    return str(path) if path else f"${{{variable}}}"


def aie_compile(design: VitisDesign, found: Installation, *, x86: bool) -> Stage:
    """The graph, for the functional simulator or for the array (which also serves hw_emu and hw)."""
    name = "x86com" if x86 else "aiecom"
    folder = f"vitis/{name}"
    graph, include = (_to(folder, p) for p in ("src/aie/graph.cpp", "src/aie"))
    by_vpp = found.release.aie is AieForm.VPP
    option, work = ("--aie.", "--work_dir") if by_vpp else ("--", "--workdir")
    register = design.register_mhz
    argv = (
        *(("v++", "-c", "--mode", "aie") if by_vpp else ("aiecompiler",)),
        *(f"--target={'x86sim' if x86 else 'hw'}", f"--platform={platform_argument(found)}"),
        *(f"--include={include}", f"{work}=./Work", f"{option}output-archive=libadf.a"),
        *(() if register is None else (f"{option}pl-register-threshold={register:g}",)),
        graph,
    )
    return Stage(
        name=name,
        argv=argv,
        folder=folder,
        reads=design.aie_sources,
        makes=("libadf.a", "Work/*.aiecompile_summary"),
        needs=("release", argv[0], "platform"),
    )


def simulate(design: VitisDesign, inputs: tuple[str, ...], *, x86: bool) -> Stage:
    """The array alone on one image, functionally or cycle by cycle."""
    name, compiled = ("x86sim", "vitis/x86com") if x86 else ("aiesim", "vitis/aiecom")
    folder, tool = f"vitis/{name}", f"{name}ulator"
    argv = (
        tool,
        f"--pkg-dir={_to(folder, compiled)}/Work",
        f"--input-dir={_to(folder, 'vitis/plio')}",
        f"--output-dir=./{tool}_output",
        *(() if x86 else ("--profile", f"--simulation-cycle-timeout={design.cycle_limit}")),
    )
    return Stage(
        name=name,
        argv=argv,
        folder=folder,
        reads=(f"{compiled}/{STAMP}", *inputs),
        makes=(f"{tool}_output/data/*",),
        needs=("release", tool),
    )


def hls_folder(kernel: CompiledKernel, found: Installation, target: str) -> str:
    """Return where a kernel is compiled; the older form makes one .xo for hw and one for hw_emu."""
    base = f"vitis/{target}/hls" if found.release.hls is HlsForm.KERNEL else "vitis/hls"
    return f"{base}/{kernel.name}"


def hls(kernel: CompiledKernel, found: Installation, target: str) -> Stage:
    """One PL kernel to an .xo."""
    folder = hls_folder(kernel, found, target)
    source, xo = _to(folder, kernel.source), f"{kernel.name}.xo"
    platform = platform_argument(found)
    files: Mapping[str, str] = {}
    if found.release.hls is HlsForm.KERNEL:
        argv: tuple[str, ...] = (
            *("v++", "-c", "-t", target, "--platform", platform, "-k", kernel.name),
            *("--hls.clock", f"{kernel.hz}:{kernel.name}", "--save-temps", "--temp_dir", "_x"),
            *("-o", xo, source),
        )
    else:
        argv = ("v++", "-c", "--mode", "hls", "--platform", platform)
        argv += ("--config", "hls.cfg", "--work_dir", "work")
        files = {"hls.cfg": hls_config(kernel, found, source)}
    return Stage(
        name=f"hls:{kernel.name}",
        argv=argv,
        folder=folder,
        reads=(kernel.source, *kernel.headers),
        makes=(xo,),
        needs=("release", "v++", "platform"),
        files=files,
    )


def hls_config(kernel: CompiledKernel, found: Installation, source: str) -> str:
    """Return hls.cfg. With a platform the clock is freqhz, never clock= [UG1702 2025.1]."""
    lines = (
        f"# {kernel.name}: one PL kernel to an .xo, for Vitis {found.release.name}",
        f"freqhz={kernel.hz}",
        "",
        "[hls]",
        found.release.hls_interfaces,
        f"syn.top={kernel.name}",
        f"syn.file={source}",
        "package.output.format=xo",
        f"package.output.file={kernel.name}.xo",
    )
    return "\n".join(lines) + "\n"


def _archives(design: VitisDesign) -> tuple[str, ...]:
    """Return the compiled graph, where part of the design is on an array."""
    return ("vitis/aiecom/libadf.a",) if design.aie_sources else ()


def link(design: VitisDesign, found: Installation, target: str) -> Stage:
    """All kernels, the array and the platform to one .xsa."""
    folder = f"vitis/{target}/link"
    objects = tuple(f"{hls_folder(k, found, target)}/{k.name}.xo" for k in design.kernels)
    inputs = (*objects, *_archives(design))
    argv = (
        *("v++", "-l", "-t", target, "--platform", platform_argument(found)),
        *("--config", _to(folder, "src/system.cfg")),
        *(("-g",) if target == "hw_emu" else ()),  # waveforms; costs area and time in hardware
        *("--save-temps", "--temp_dir", "_x", "--report_dir", "reports", "--log_dir", "logs"),
        *("-o", f"{design.project}.xsa"),
        *(_to(folder, i) for i in inputs),
    )
    return Stage(
        name="link",
        argv=argv,
        folder=folder,
        reads=(*inputs, "src/system.cfg"),
        makes=(f"{design.project}.xsa",),
        needs=("release", "v++", "platform"),
    )


def host(design: VitisDesign, found: Installation) -> Stage:
    """The host program, for the board's processor.

    Both include folders are given: XRT moved its headers from usr/include/xrt/xrt to usr/include/xrt in 2025.2.
    """
    folder = "vitis/host"
    sysroot = _file(found.sysroot, "SDKTARGETSYSROOT")
    compiler = found.compiler or ("${CXX}",)
    named = any(word.startswith("--sysroot") for word in compiler)
    argv = (
        *compiler,
        *(() if named else (f"--sysroot={sysroot}",)),
        *("-std=c++17", "-O2", "-ffp-contract=off", "-Wall", "-Wextra"),
        *(f"-I{sysroot}/usr/include/xrt", f"-I{sysroot}/usr/include"),
        *(_to(folder, design.host_source), f"-L{sysroot}/usr/lib"),
        *(f"-l{name}" for name in found.release.host_libraries),
        *("-pthread", "-o", design.host_program),
    )
    return Stage(
        name="host",
        argv=argv,
        folder=folder,
        reads=(design.host_source, *design.host_headers),
        makes=(design.host_program,),
        needs=("cxx", "sysroot"),
    )


def card_files(design: VitisDesign, target: str) -> tuple[str, ...]:
    """Return what lies beside the xclbin on the card, below the build folder."""
    data = f"vitis/{target}/data"
    return (
        f"vitis/host/{design.host_program}",
        f"{data}/{RUN_SCRIPT}",
        f"{data}/input.bin",
        f"{data}/golden.bin",
        "src/xrt.ini",
        "src/session.h",
        *design.beside,
    )


def package(design: VitisDesign, found: Installation, target: str) -> Stage:
    """The linked design to an xclbin, and to the content of an SD card where the image is PetaLinux."""
    folder = f"vitis/{target}/package"
    inputs = (f"vitis/{target}/link/{design.project}.xsa", *_archives(design))
    head = ("v++", "-p", "-t", target, "--platform", platform_argument(found), "--package.out_dir", "./out")
    tail = ("-o", design.xclbin, *(_to(folder, i) for i in inputs))
    on_card = card_files(design, target)
    makes: tuple[str, ...]
    reads: tuple[str, ...]
    if found.image is Image.EDF:
        # Platforms of before 2026.1 that are prepared for EDF do not have it as their default [UG1701 2025.2].
        enable = ("--advanced.param", "package.enableEdfHwEmu=1")
        older = target == "hw_emu" and Image.EDF not in found.release.images
        defer = ("--package.defer_aie_run",) if design.aie_sources else ()
        argv = (*head, *defer, *(enable if older else ()), *tail)
        makes = (design.xclbin, "out/*.pdi" if target == "hw" else "out/launch_hw_emu.sh")
        needs: tuple[str, ...] = ("release", "v++", "platform")
        reads = (*inputs, *on_card)  # gathered beside the pdi, see collect_edf_card
    else:
        argv = (
            *head,
            *("--config", _to(folder, "src/package.cfg")),
            f"--package.rootfs={_file(found.rootfs, 'ROOTFS')}",
            f"--package.kernel_image={_file(found.kernel_image, 'IMAGE')}",
            *(f"--package.sd_file={_to(folder, f)}" for f in on_card),
            *tail,
        )
        makes = (design.xclbin, "out/sd_card.img" if target == "hw" else "out/launch_hw_emu.sh")
        needs = ("release", "v++", "platform", "rootfs", "kernel_image")
        reads = (*inputs, "src/package.cfg", *on_card)
    return Stage(
        name="package",
        argv=argv,
        folder=folder,
        reads=reads,
        makes=makes,
        needs=needs,
    )


def hardware_emulation(seconds: int, *, array: bool) -> Stage:
    """Boot the packaged design in QEMU beside the simulated fabric, run the host program, shut down."""
    argv = (
        *("-no-reboot", "-run-app", RUN_SCRIPT, "-timeout", str(seconds)),
        *(("-add-env", f"AIE_COMPILER_WORKDIR={BUILD}/vitis/aiecom/Work") if array else ()),
    )
    return launched(argv, reads=f"{EMULATED}/{STAMP}")


def launched(argv: Sequence[str], *, reads: str) -> Stage:
    """Return the run of what was packaged for hardware emulation, by the script that packaging leaves there."""
    script, folder = "./launch_hw_emu.sh", "vitis/hw_emu/run"
    return Stage(
        name=EMULATION,
        argv=(script, *argv),
        folder=folder,
        subfolder=_to(folder, f"{EMULATED}/out"),
        reads=(reads,),
        makes=(),
        needs=("release", "v++"),
        says="TEST PASSED",
    )


def run_script(design: VitisDesign, target: str, image: Image) -> str:
    """Return the script that the board, or QEMU, runs; its last lines are what the flow looks for.

    On an EDF image in QEMU nobody has loaded the device tree overlay: without it XRT finds no device.
    """
    emulation = "export XCL_EMULATION_MODE=hw_emu\n" if target == "hw_emu" else ""
    if target == "hw_emu" and image is Image.EDF:
        emulation = f"fpgautil -o design.dtbo\n{emulation}"
    return (
        "#!/bin/sh\n"
        f"# Runs {design.project} from the card's own folder and says how it went.\n"
        'cd "$(dirname "$0")" || exit 1\n'
        "export XILINX_XRT=/usr\n"
        f"{emulation}"
        f"./{design.host_program} {design.xclbin} input.bin --golden golden.bin --output output.bin\n"
        "rc=$?\n"
        'if [ $rc -eq 0 ]; then echo "INFO: TEST PASSED, RC=0"; '
        'else echo "ERROR: Embedded host run failed, RC=$rc"; fi\n'
        'echo "INFO: Embedded host run completed."\n'
        "exit $rc\n"
    )
