"""Command lines by the documented grammar: which options a tool has in a mode, which take values [UG1702, UG1076]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


class Refused(Exception):
    """What the tool prints as ERROR; it then ends with exit code 1."""


@dataclass
class Parsed:
    """Options by their long name, without dashes; every option may be given several times."""

    options: dict[str, list[str]] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)

    def one(self, name: str, default: str = "") -> str:
        values = self.options.get(name, [])
        if len(values) > 1:
            raise Refused(f"option '--{name}' cannot be specified more than once")
        return values[0] if values else default

    def all(self, name: str) -> list[str]:
        return self.options.get(name, [])

    def has(self, name: str) -> bool:
        return name in self.options


@dataclass(frozen=True)
class Grammar:
    """Options with values, options without, and short names."""

    values: frozenset[str]
    flags: frozenset[str]
    short: Mapping[str, str]
    single_dash: bool = False  # aiecompiler and the simulators take -name=value as well as --name=value

    def parse(self, words: Iterable[str]) -> Parsed:
        parsed = Parsed()
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if not word.startswith("-") or word == "-":
                parsed.inputs.append(word)
                continue
            name, equals, value = self._split(word)
            if name in self.flags:
                if equals and value not in {"true", "false", "0", "1"}:
                    raise Refused(f"option '--{name}' does not take the value '{value}'")
                parsed.options.setdefault(name, []).append(value or "true")
            elif name in self.values:
                if not equals:
                    if not rest or (rest[0].startswith("-") and len(rest[0]) > 1):
                        raise Refused(f"the required argument for option '--{name}' is missing")
                    value = rest.pop(0)
                parsed.options.setdefault(name, []).append(value)
            else:
                raise Refused(f"unrecognised option '{word}'")
        return parsed

    def _split(self, word: str) -> tuple[str, str, str]:
        body, equals, value = word.partition("=")
        if body.startswith("--"):
            return body[2:], equals, value
        if body in self.short:
            return self.short[body], equals, value
        if (
            len(body) > 2
            and body[:2] in self.short
            and self.short[body[:2]] in self.values
            and not self.single_dash
        ):
            return self.short[body[:2]], "=", body[2:] + equals + value  # -Idir
        if self.single_dash:
            return body[1:], equals, value
        raise Refused(f"unrecognised option '{word}'")


_SHORT = {
    "-c": "compile",
    "-l": "link",
    "-p": "package",
    "-t": "target",
    "-f": "platform",
    "-k": "kernel",
    "-o": "output",
    "-g": "debug",
    "-I": "include",
    "-D": "define",
    "-v": "verbose",
    "-O": "optimize",
    "-R": "report_level",
    "-s": "save-temps",
    "-h": "help",
}
_VPP_VALUES = {
    "platform",
    "part",
    "target",
    "config",
    "temp_dir",
    "report_dir",
    "log_dir",
    "output",
    "include",
    "define",
}
_VPP_VALUES |= {"optimize", "report_level", "jobs", "kernel_frequency", "user_ip_repo_paths"}
_VPP_FLAGS = {"compile", "link", "package", "debug", "save-temps", "verbose", "help", "version"}

AIE_VALUES = frozenset(
    [
        "workdir",
        "output-archive",
        "constraints",
        "stacksize",
        "heapsize",
        "pl-freq",
        "Xpreproc",
        "Xchess",
        "Xelfgen",
        "Xmapper",
        "Xrouter",
        "Xpslinker",
        "xlopt",
        "Xxloptstr",
        "log-level",
        "event-trace",
        "event-trace-port",
        "num-trace-streams",
        "trace-plio-width",
        "enable-partition",
        "test-iterations",
        "pl-register-threshold",
        "nodot-graph",
        "broadcast-enable-core",
        "kernel-linting",
        "evaluate-fifo-depth",
        "known-tripcount",
        "fast-floats",
        "fast-nonlinearfloats",
        "float-accuracy",
        "swfifo-threshold",
        "graph-iterator-event",
        "disable-multirate",
        "enable-ecc-scrubbing",
        "adf-api-log-level",
        "genArchive",
    ]
)
AIE_FLAGS = frozenset(["verbose", "v", "dataflow", "kernel-linting", "evaluate-fifo-depth", "quiet"])
HW_LINK_SECTIONS = ("connectivity", "clock", "advanced", "vivado", "profile", "hls", "debug", "linkhook")


def aiecompiler() -> Grammar:
    values = AIE_VALUES - {"kernel-linting", "evaluate-fifo-depth"} | {
        "target",
        "platform",
        "part",
        "include",
    }
    return Grammar(frozenset(values), AIE_FLAGS, {"-I": "include"}, single_dash=True)


def vpp_aie() -> Grammar:
    """Shared options bare, those of the AIE compiler with the prefix --aie. [UG1076 2023.2, migration]."""
    values = {f"aie.{name}" for name in AIE_VALUES} | {"work_dir", "freqhz", "mode"}
    flags = {f"aie.{name}" for name in AIE_FLAGS}
    return Grammar(frozenset(_VPP_VALUES | values), frozenset(_VPP_FLAGS | flags), _SHORT)


def vpp_hls() -> Grammar:
    return Grammar(frozenset(_VPP_VALUES | {"work_dir", "freqhz", "mode"}), frozenset(_VPP_FLAGS), _SHORT)


def vpp_kernel() -> Grammar:
    values = {
        "kernel",
        "hls.clock",
        "hls.jobs",
        "hls.pre_tcl",
        "hls.post_tcl",
        "hls.max_memory_ports",
        "advanced.param",
    }
    return Grammar(frozenset(_VPP_VALUES | values), frozenset(_VPP_FLAGS), _SHORT)


def vpp_link(*, freqhz: bool) -> Grammar:
    values = {f"connectivity.{n}" for n in ("nk", "sc", "stream_connect", "sp", "slr")}
    values |= {
        f"clock.{n}" for n in ("freqHz", "id", "defaultFreqHz", "defaultId", "tolerance", "defaultTolerance")
    }
    values |= {
        "vivado.prop",
        "vivado.param",
        "vivado.synth.jobs",
        "vivado.impl.jobs",
        "vivado.impl.strategies",
    }
    values |= {
        "advanced.param",
        "advanced.misc",
        "profile.data",
        "profile.stall",
        "profile.exec",
        "profile.aie",
    }
    values |= {"freqhz"} if freqhz else set()
    return Grammar(frozenset(_VPP_VALUES | values), frozenset(_VPP_FLAGS | {"export_archive"}), _SHORT)


PACKAGE_VALUES = frozenset(
    [
        "rootfs",
        "kernel_image",
        "boot_mode",
        "image_format",
        "out_dir",
        "sd_file",
        "sd_dir",
        "aie_debug_port",
        "domain",
        "ps_elf",
        "bl31_elf",
        "uboot",
        "dtb",
        "bl32_elf",
        "bare_metal",
        "ps_debug_port",
    ]
)
PACKAGE_FLAGS = frozenset(("defer_aie_run", "enable_aie_debug", "no_image", "aie_overlay"))


def vpp_package() -> Grammar:
    values = {f"package.{n}" for n in PACKAGE_VALUES} | {"advanced.param"}
    flags = {f"package.{n}" for n in PACKAGE_FLAGS}
    return Grammar(frozenset(_VPP_VALUES | values), frozenset(_VPP_FLAGS | flags), _SHORT)


_SIM_SHORT = {"-i": "input-dir", "-o": "output-dir"}


def x86simulator() -> Grammar:
    values = {"pkg-dir", "input-dir", "output-dir", "i", "o", "timeout", "dump-size", "valgrind-args"}
    flags = {"dump", "gdb", "valgrind", "valgrind-gdb", "trace", "trace-print", "disable-stop-on-deadlock"}
    return Grammar(frozenset(values), frozenset(flags), _SIM_SHORT, single_dash=True)


def aiesimulator() -> Grammar:
    values = {
        "pkg-dir",
        "input-dir",
        "output-dir",
        "i",
        "o",
        "dump-vcd",
        "options-file",
        "simulation-cycle-timeout",
    }
    values |= {"hang-detect-time", "display-run-interval"}
    flags = {"profile", "online", "wdb", "text", "enable-memory-check", "enable-handshake-ext-tb"}
    return Grammar(frozenset(values), frozenset(flags), _SIM_SHORT, single_dash=True)
