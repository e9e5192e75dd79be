"""Where the user says which tools to use: command-line variables, then aieloom.toml, then the environment.

aieloom.toml stands beside dodo.py (or in the project's folder, which goes first):

    [vitis]
    vitis = "/tools/Xilinx/Vitis/2024.2"
    common = "/opt/xilinx/xilinx-versal-common-v2024.2"

    [limits]        # hours; what runs longer is ended
    link = 24

    [options]       # more options of a stage's tool, as it takes them
    aiecom = ["--aie.Xmapper=BufferOptLevel9"]
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aieloom.errors import SpecError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = "aieloom.toml"

# Hours after which a stage is taken to hang; [limits] go first. Stages as aieloom.toml names them: one name for all PL kernels,
# `run` for hardware emulation.
LIMIT_HOURS: Mapping[str, float] = {
    "x86com": 2,
    "x86sim": 2,
    "aiecom": 6,
    "aiesim": 48,
    "hls": 4,
    "link": 48,
    "host": 0.5,
    "package": 2,
    "disk": 1,
    "run": 6,
    "board": 0.5,
}

# What can be set, what it means, and which variables of the environment say the same [UG1393, UG1076, AMD's tutorials].
_KNOWN: Mapping[str, tuple[str, ...]] = {
    "vitis": ("folder of Vitis, the one with settings64.sh", "XILINX_VITIS"),
    "platform": ("the board's platform: a .xpfm file, or a name below `platforms`",),
    "platforms": ("folders that hold platforms, ':' between them", "PLATFORM_REPO_PATHS", "PLATFORM_PATH"),
    "image": ("which Linux the board runs: petalinux or edf",),
    "common": (
        "folder of the common Linux image (Image, rootfs.ext4)",
        *("COMMON_IMAGE_VERSAL", "XILINX_VERSAL", "EDGE_COMMON_SW"),
    ),
    "rootfs": ("root file system that goes on the SD card", "ROOTFS"),
    "kernel_image": ("Linux kernel that goes on the SD card", "IMAGE", "K_IMAGE"),
    "sysroot": ("root of the target's headers and libraries, with XRT", "SDKTARGETSYSROOT", "SYSROOT"),
    "cxx": ("C++ compiler for the board's processor",),
    "edf": ("folder of the EDF disk image and SDK", "YOCTO_ARTIFACTS"),
    "license": ("licence file or port@server", "XILINXD_LICENSE_FILE", "LM_LICENSE_FILE"),
    "host": ("address of a board, for `doit board`",),
}
MEANING: Mapping[str, str] = {key: meaning for key, (meaning, *_) in _KNOWN.items()}
ENVIRONMENT: Mapping[str, tuple[str, ...]] = {key: tuple(names) for key, (_, *names) in _KNOWN.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A value and who set it."""

    value: str
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What was set; `limits` are hours by stage, `options` more words of a stage's command."""

    values: Mapping[str, Setting] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def get(self, key: str) -> str | None:
        """Return a value, or None when nobody set it."""
        found = self.values.get(key)
        return found.value if found else None

    def origin(self, key: str) -> str:
        """Return who set a value; empty when nobody did."""
        found = self.values.get(key)
        return found.origin if found else ""


def read_settings(
    folders: Iterable[Path], *, command_line: Mapping[str, str], environment: Mapping[str, str]
) -> Settings:
    """Gather what was set; earlier folders go before later ones.

    Raises:
        SpecError: aieloom.toml cannot be read, or says something that does not exist.
    """
    values: dict[str, Setting] = {}
    limits: dict[str, float] = {}
    options: dict[str, tuple[str, ...]] = {}
    for key, value in command_line.items():
        values[key] = Setting(value=value, origin=f"{key}= on the command line")
    for folder in folders:
        file = folder / FILE
        if file.is_file():
            told, hours, words = _read(file)
            for key, value in told.items():
                values.setdefault(key, Setting(value=value, origin=FILE))
            limits = {**hours, **limits}
            options = {**words, **options}
    for key, names in ENVIRONMENT.items():
        for name in names:
            if environment.get(name):
                values.setdefault(key, Setting(value=environment[name], origin=name))
    return Settings(values=values, limits=limits, options=options)


def _read(file: Path) -> tuple[dict[str, str], dict[str, float], dict[str, tuple[str, ...]]]:
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as e:
        raise _problem(file, f"cannot be read: {e}", "correct the file, or remove it") from e
    unknown = sorted(set(data) - {"vitis", "limits", "options"})
    if unknown:
        raise _problem(file, f"has no table [{unknown[0]}]", "use [vitis], [limits] and [options]")
    values = _table(file, data, "vitis")
    wrong = sorted(set(values) - set(ENVIRONMENT))
    if wrong:
        raise _problem(file, f"[vitis] knows no '{wrong[0]}'", f"use: {', '.join(ENVIRONMENT)}")
    limits = _limits(file, _table(file, data, "limits"))
    return {k: str(v) for k, v in values.items()}, limits, _options(file, _table(file, data, "options"))


def _table(file: Path, data: Mapping[str, object], name: str) -> dict[str, object]:
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise _problem(file, f"'{name}' is no table", f"write [{name}] and its values below")
    return dict(table)


def _stage(file: Path, table: str, name: str) -> None:
    if name not in LIMIT_HOURS:
        raise _problem(file, f"[{table}] knows no stage '{name}'", f"use: {', '.join(LIMIT_HOURS)}")


def _options(file: Path, table: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    options: dict[str, tuple[str, ...]] = {}
    for stage, value in table.items():
        _stage(file, "options", stage)
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise _problem(
                file, f"[options] {stage} is no list of words", f'write {stage} = ["--option=value"]'
            )
        options[stage] = tuple(value)
    return options


def _limits(file: Path, table: Mapping[str, object]) -> dict[str, float]:
    hours: dict[str, float] = {}
    for stage, value in table.items():
        _stage(file, "limits", stage)
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            raise _problem(file, f"[limits] {stage} = {value!r} is no time", "write hours, e.g. link = 12")
        hours[stage] = float(value)
    return hours


def _problem(file: Path, text: str, remedy: str) -> SpecError:
    return SpecError(rule="settings", file=file.name, text=text, remedy=remedy)
