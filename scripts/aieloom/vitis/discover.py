"""Finding Vitis and what belongs to it: tools, platform, Linux image, sysroot, cross compiler, versions.

Nothing here fails: what is not found is an entry of `missing`, which the stage that needs it shows.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aieloom.cache import load, store
from aieloom.digests import stamp_of, text_digest
from aieloom.errors import SpecError
from aieloom.paths import cache_folder
from aieloom.spec.device import Device
from aieloom.vitis.missing import Missing
from aieloom.vitis.missing import missing_parts as edf_parts
from aieloom.vitis.releases import (
    NEWEST,
    OLDEST,
    Image,
    Release,
    find_version,
    platform_suffix,
    release_for,
    version_of_platform,
)
from aieloom.vitis.settings import Settings

TOOLS = ("v++", "aiecompiler", "x86simulator", "aiesimulator")
_VERSION_SECONDS = 60.0  # v++ --version on a cold network file system
_CROSS = "aarch64-linux-gnu-g++"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """What serves one board on this machine. Paths that were not found are None and named in `missing`."""

    board: str
    vitis: Path | None
    version: str | None  # as the tool says
    release: Release  # the table's entry that serves it; the newest where there is no Vitis
    tools: Mapping[str, Path]
    platform: Path | None
    platform_name: str
    image: Image
    rootfs: Path | None = None
    kernel_image: Path | None = None
    sysroot: Path | None = None
    compiler: tuple[str, ...] = ()
    edf: Path | None = None
    license: str | None = None
    limits: Mapping[str, float] = field(default_factory=dict)
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    missing: Mapping[str, Missing] = field(default_factory=dict)

    @property
    def settings_script(self) -> Path | None:
        """The script that sets Vitis up for a shell."""
        script = self.vitis / "settings64.sh" if self.vitis else None
        return script if script and script.is_file() else None

    def lacks(self, needs: tuple[str, ...]) -> tuple[Missing, ...]:
        """Return what of `needs` is not there."""
        return tuple(self.missing[n] for n in needs if n in self.missing)


def discover(device: Device, settings: Settings, environment: Mapping[str, str]) -> Installation:
    """Return what this machine offers for a board."""
    search = _Search(device, settings, environment)
    return search.installation()


class _Search:
    def __init__(self, device: Device, settings: Settings, environment: Mapping[str, str]) -> None:
        self.device = device
        self.settings = settings
        self.environment = environment
        self.notes: list[str] = []
        self.missing: dict[str, Missing] = {}

    def installation(self) -> Installation:
        tools = {name: path for name in TOOLS if (path := self._tool(name))}
        vitis = self._vitis(tools)
        version = self._version(tools.get("v++"), vitis)
        release = self._release(version)
        image, name, platform = self._platform(release, version or release.name, vitis)
        common = self._common(version or release.name)
        self._miss_tools(tools)
        edf = self._existing("edf")
        if image is Image.EDF and edf is None:
            self._miss(
                "edf", "the EDF disk image and SDK", "export YOCTO_ARTIFACTS=<folder>, or edf=<folder>"
            )
        if image is Image.EDF:
            self._miss_edf_parts(edf, vitis)
        return Installation(
            board=self.device.name,
            vitis=vitis,
            version=version,
            release=release,
            tools=tools,
            platform=platform,
            platform_name=name,
            image=image,
            rootfs=self._image_file("rootfs", common, "rootfs.ext4", "the root file system of the SD card"),
            kernel_image=self._image_file("kernel_image", common, "Image", "the Linux kernel of the SD card"),
            sysroot=self._sysroot(release, image, common),
            compiler=self._compiler(vitis),
            edf=edf,
            license=self.settings.get("license"),
            limits=self.settings.limits,
            options=self.settings.options,
            notes=tuple(self.notes),
            missing=self.missing,
        )

    def _miss(self, name: str, what: str, fix: str) -> None:
        self.missing[name] = Missing(name=name, what=what, fix=fix)

    def _existing(self, key: str) -> Path | None:
        value = self.settings.get(key)
        if not value:
            return None
        path = Path(value).expanduser().absolute()
        if path.exists():
            return path
        self.notes.append(f"{self.settings.origin(key)} names {path}, which does not exist")
        return None

    def _tool(self, name: str) -> Path | None:
        vitis = self._existing("vitis") if self.settings.get("vitis") else None
        chosen = [vitis / "bin", vitis / "aietools" / "bin"] if vitis else []
        aietools = self.environment.get("XILINX_VITIS_AIETOOLS")
        if aietools:
            chosen.append(Path(aietools) / "bin")
        folders = os.pathsep.join([*map(str, chosen), self.environment.get("PATH", "")])
        found = shutil.which(name, path=folders)
        return Path(found) if found else None

    def _vitis(self, tools: Mapping[str, Path]) -> Path | None:
        told = self._existing("vitis")
        if told:
            return told
        vpp = tools.get("v++")
        return vpp.resolve().parent.parent if vpp else None

    def _version(self, vpp: Path | None, vitis: Path | None) -> str | None:
        """Ask the tool; else read the folder's name (the release is its last or second to last part)."""
        version = tool_version(vpp, self.environment) if vpp else None
        if version or vitis is None:
            return version
        parts = [p for p in reversed(vitis.parts[-2:]) if find_version(p) == p]
        return parts[0] if parts else None

    def _release(self, version: str | None) -> Release:
        known = release_for(version) if version else None
        if known is None:
            if version:
                self._miss(
                    "release",
                    f"a Vitis that aieloom drives (found {version})",
                    f"install Vitis {OLDEST.name} or newer",
                )
            return self._release_of_platform()
        if known.note:
            self.notes.append(known.note)
        return known.release

    def _release_of_platform(self) -> Release:
        version = version_of_platform(Path(self.settings.get("platform") or "").stem)
        known = release_for(version) if version else None
        return known.release if known else NEWEST

    def _miss_tools(self, tools: Mapping[str, Path]) -> None:
        setup = "source <Vitis>/settings64.sh, or vitis=<folder>, or `vitis =` in aieloom.toml"
        for name in TOOLS:
            if name not in tools:
                self._miss(name, name, f"install Vitis {OLDEST.name}..{NEWEST.name}, then {setup}")

    def _repositories(self, vitis: Path | None) -> list[Path]:
        told = (self.settings.get("platforms") or "").split(":")
        return [Path(t).expanduser() for t in told if t] + ([vitis / "base_platforms"] if vitis else [])

    def _platform(self, release: Release, version: str, vitis: Path | None) -> tuple[Image, str, Path | None]:
        """Return the image kind, the platform's name and its file."""
        image = self._image()
        wanted = self.settings.get("platform")
        if wanted and Path(wanted).suffix in {".xpfm", ".xsa"}:
            path = Path(wanted).expanduser().absolute()
            if not path.is_file():
                self._miss_platform(path.stem, f"{self.settings.origin('platform')} names {path}")
            return image or Image.PETALINUX, path.stem, path if path.is_file() else None
        if image is not None and image not in release.images and not wanted:
            # EDF base platforms of these boards exist from 2026.1 [Vitis_Embedded_Platform_Source, README of vck190_base].
            board, release_name = self.device.name, release.name
            text = f"image={image.value}: Vitis {release_name} has no {board}_base platform; EDF came to {board} with 2026.1"
            remedy = "use Vitis 2026.1 or newer, image=petalinux, or platform=FILE.xpfm for an EDF platform of your own"
            raise SpecError(rule="settings", text=text, remedy=remedy)
        kinds = [image] if image else list(release.images)
        names = [wanted or self._name(version, kind) for kind in kinds]
        for kind, name in zip(kinds, names, strict=True):
            for repository in self._repositories(vitis):
                path = (repository / name / f"{name}.xpfm").absolute()
                if path.is_file():
                    return kind, name, path
        self._miss_platform(names[0], "")
        return kinds[0], names[0], None

    def _image(self) -> Image | None:
        told = self.settings.get("image")
        if told is None:
            return None
        if told not in {i.value for i in Image}:
            remedy = f"use {' or '.join(i.value for i in Image)}"
            raise SpecError(rule="settings", text=f"image={told} is unknown", remedy=remedy)
        return Image(told)

    def _name(self, version: str, image: Image) -> str:
        base = self.device.platform.name
        return f"{self.device.name}_base" if image is Image.EDF else base + platform_suffix(version)

    def _miss_platform(self, name: str, said: str) -> None:
        lead = f"{said}; " if said else ""
        fix = f"{lead}export PLATFORM_REPO_PATHS=<folder with {name}/{name}.xpfm>, or platform=<file.xpfm>"
        self._miss("platform", f"the platform {name}", fix)

    def _common(self, version: str) -> Path | None:
        told = self._existing("common")
        if told:
            return told
        vitis = self._existing("vitis")
        for repository in self._repositories(vitis):
            folder = repository / "sw" / "versal" / f"xilinx-versal-common-v{version}"
            if folder.is_dir():
                return folder.absolute()
        return None

    def _image_file(self, key: str, common: Path | None, name: str, what: str) -> Path | None:
        told = self._existing(key)
        inside = common / name if common else None
        path = told or (inside if inside and inside.is_file() else None)
        if path is None:
            fix = f"download the common image for Versal, then export COMMON_IMAGE_VERSAL=<its folder>, or {key}=<file>"
            self._miss(key, f"{what} ({name})", fix)
        return path

    def _miss_edf_parts(self, edf: Path | None, vitis: Path | None) -> None:
        absent = edf_parts(edf, vitis, self.device.name)
        if absent:
            fix = f"unzip AMD's EDF downloads of disk image and {self.device.name}'s QEMU prebuilt into the EDF folder"
            self._miss("edf_qemu", f"what hardware emulation needs of EDF ({absent})", fix)

    def _sysroot(self, release: Release, image: Image, common: Path | None) -> Path | None:
        name = release.sysroot_name(image)
        places = [self._existing("sysroot")]
        places += [base / "sysroots" / name for base in (common, self._existing("edf")) if base]
        for place in places:
            if place and (place / "usr" / "include" / "xrt").is_dir():
                return place
        fix = f"run sdk.sh -d <folder> of the Linux image, then sysroot=<folder>/sysroots/{name}"
        self._miss("sysroot", "a sysroot with XRT for the board's processor", fix)
        return None

    def _compiler(self, vitis: Path | None) -> tuple[str, ...]:
        told = self.settings.get("cxx") or self.environment.get("CXX", "")
        words = tuple(shlex.split(told))
        if self.settings.get("cxx") or (words and "aarch64" in Path(words[0]).name):
            return words
        bundled = vitis / "gnu/aarch64/lin/aarch64-linux/bin" / _CROSS if vitis else None
        if bundled and bundled.is_file():
            return (str(bundled),)
        if shutil.which(_CROSS, path=self.environment.get("PATH", "")):
            return (_CROSS,)
        self._miss(
            "cxx", "a C++ compiler for aarch64", "apt-get install g++-aarch64-linux-gnu, or cxx=<compiler>"
        )
        return ()


def tool_version(vpp: Path, environment: Mapping[str, str]) -> str | None:
    """Return what `v++ --version` says; asked once for each installed file, since the answer takes seconds."""
    try:
        stat = vpp.stat()
    except OSError:
        return None
    key = text_digest(
        str(vpp), *map(str, stamp_of(stat))
    )  # a new one of the same date and size has another inode
    file = cache_folder() / "versions" / key
    known = load(file)
    said = _ask(vpp, environment) if known is None else known.decode()
    if known is None and said is not None:
        store(file, said.encode())
    return said


def _ask(vpp: Path, environment: Mapping[str, str]) -> str | None:
    try:
        done = subprocess.run(
            [str(vpp), "--version"],
            capture_output=True,
            text=True,
            check=False,
            timeout=_VERSION_SECONDS,
            env=dict(environment),
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return find_version(done.stdout + done.stderr)


def tool_environment(installation: Installation, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment that the tools run in: what settings64.sh makes of it where that was not sourced.

    The script puts its own Python and libraries first; that reaches the tools only, never aieloom itself.
    """
    script = installation.settings_script
    if script is None or shutil.which("v++", path=environment.get("PATH", "")):
        return dict(environment)
    done = subprocess.run(
        ["bash", "-c", '. "$1" >/dev/null 2>&1; env -0', "bash", str(script)],
        capture_output=True,
        check=False,
        env=dict(environment),
    )
    pairs = (
        entry.partition("=") for entry in done.stdout.decode(errors="replace").split("\0") if "=" in entry
    )
    return {name: value for name, _, value in pairs} or dict(environment)
