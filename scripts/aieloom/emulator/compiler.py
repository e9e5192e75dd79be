"""The host's C++ compiler: found, checked, called, and its objects kept by content.

An object is kept under the digest of everything that can change it: compiler, processor, options, and the text of
the source and of every header it read (the compiler's own dependency list says which). A project moved to another
folder, or another project with the same kernel, finds its objects again.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from aieloom.errors import ToolError
from aieloom.paths import cache_folder, package_folder, write_whole

OLDEST_GCC = 11  # C++20 as the headers use it
OLDEST_CLANG = 14
STANDARD = (
    "-std=c++20",
    "-O3",
    "-march=native",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
    "-Wno-unknown-pragmas",
    "-Werror=narrowing",  # clang, and so the vendor's compiler, takes it for an error; g++ only warns
    "-pipe",
)
# -ffp-contract=off: the AIE's vector unit rounds products and sums apart (AM009), a fused host instruction would not.
KERNELS_ALONE = "AIELOOM_KERNELS_ALONE"  # adf.h knows it


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler of this machine."""

    path: str
    version: str


@cache
def find_compiler() -> Compiler:
    """Return $CXX, g++ or clang++, whichever is there and new enough.

    Raises:
        ToolError: there is none, or it is too old.
    """
    wanted = os.environ.get("CXX")
    if wanted and "aarch64" in wanted:
        wanted = (
            None  # an SDK's setup script leaves the board's compiler here [UG1076]; we run on this machine
        )
    for name in (wanted,) if wanted else ("g++", "clang++"):
        path = shutil.which(name)
        if path:
            return _checked(path)
    raise ToolError(
        command=(wanted or "g++", "--version"),
        first_error="there is no C++ compiler on this machine"
        if not wanted
        else f"CXX={wanted} is not a program",
        log=None,
        remedy="install one, e.g. apt-get install g++ (11 or newer), or set CXX",
    )


def _checked(path: str) -> Compiler:
    command = (path, "--version")
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    version = shown.stdout.splitlines()[0] if shown.stdout else ""
    number = re.search(r"(\d+)\.\d+", version)
    oldest = OLDEST_CLANG if "clang" in version else OLDEST_GCC
    if shown.returncode or not number or int(number[1]) < oldest:
        what = f"'{version}' is too old" if number else "it does not say its version"
        remedy = f"install g++ {OLDEST_GCC} or clang++ {OLDEST_CLANG}, or newer, or set CXX"
        raise ToolError(command=command, first_error=what, log=None, remedy=remedy)
    return Compiler(path, version)


@cache
def _machine() -> str:
    """Return what -march=native depends on."""
    try:
        flags = re.search(
            r"^(?:flags|Features)\s*:(.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE
        )
    except OSError:
        flags = None
    return platform.machine() + (flags[1] if flags else platform.processor())


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One translation unit: a source, the folders its headers are in, and what it defines."""

    source: Path
    includes: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    gcc_options: tuple[str, ...] = ()  # that other compilers do not know; they change no code
    kernels_alone: bool = False  # kernels only: adf.h may leave out what builds graphs

    def command(self, compiler: Compiler) -> list[str]:
        """Return the compiler's command line without input and output."""
        return [
            compiler.path,
            *STANDARD,
            *self.options,
            *(() if "clang" in compiler.version else self.gcc_options),
            *(f"-I{folder}" for folder in self.includes),
            *(f"-D{name}" for name in self.defines),
        ]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class ObjectCache:
    """Objects by content; one manifest per source text and options lists the header sets it was compiled with."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _manifest(self, unit: Unit, compiler: Compiler) -> Path:
        stable = [compiler.version, _machine(), *STANDARD, *unit.options, *unit.defines, _digest(unit.source)]
        key = hashlib.sha256("\0".join(stable).encode()).hexdigest()
        return self.folder / "manifests" / f"{key}.json"

    def find(self, unit: Unit, compiler: Compiler) -> Path | None:
        """Return the object of an earlier compilation of the same texts, if there is one."""
        try:
            entries = json.loads(self._manifest(unit, compiler).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        for entry in entries:
            stored = self.folder / "objects" / f"{entry['object']}.o"
            if all(self._same(unit, name, digest) for name, digest in entry["headers"]) and stored.is_file():
                return stored
        return None

    def _same(self, unit: Unit, name: str, digest: str) -> bool:
        try:
            return _digest(_place(unit, name)) == digest
        except OSError:
            return False

    def store(self, unit: Unit, compiler: Compiler, built: Path, headers: Iterable[Path]) -> None:
        """Keep a new object; a cache that cannot be written is no error."""
        name = _digest(built)
        entry = {"object": name, "headers": [[_name(unit, h), _digest(h)] for h in headers]}
        manifest = self._manifest(unit, compiler)
        try:
            _copy(built, self.folder / "objects" / f"{name}.o")
            try:
                entries = json.loads(manifest.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                entries = []
            write_whole(manifest, json.dumps([entry, *[e for e in entries if e != entry]][:8]).encode())
        except OSError:
            return


def _place(unit: Unit, name: str) -> Path:
    """Return the header that `name` of a manifest stands for, seen from this unit."""
    kind, _, rest = name.partition(":")
    if kind == "s":
        return unit.source.parent / rest
    if kind.startswith("i"):
        index = int(kind[1:])
        return unit.includes[index] / rest if index < len(unit.includes) else Path("/nonexistent")
    return Path(rest)


def _name(unit: Unit, header: Path) -> str:
    """Return a name of a header that does not depend on where the project lies."""
    for kind, base in (("s", unit.source.parent), *((f"i{i}", f) for i, f in enumerate(unit.includes))):
        if header.is_relative_to(base):
            return f"{kind}:{header.relative_to(base)}"
    return f"a:{header}"


def _copy(source: Path, target: Path) -> None:
    write_whole(target, source.read_bytes())


def user_cache() -> ObjectCache:
    """Return the cache of whoever runs aieloom."""
    return ObjectCache(cache_folder())


def prebuilt_cache() -> ObjectCache:
    """Return the objects that prebuild.py left in the package, if it did."""
    return ObjectCache(package_folder() / "prebuilt")


def compile_unit(unit: Unit, target: Path, cache: ObjectCache | None = None) -> bool:
    """Compile to `target` unless the same texts were compiled before; return whether the compiler ran.

    What is compiled goes into `cache`, by default the user's. A source of kernels that names a graph's parts all the
    same, or a standard header's that adf.h brings along, is compiled once more with the whole of adf.h.

    Raises:
        ToolError: the compiler refuses the source; its first error and the whole log's path are in the message.
    """
    compiler = find_compiler()
    objects = cache or user_cache()
    light = replace(unit, defines=(*unit.defines, KERNELS_ALONE))
    ways = (light, unit) if unit.kernels_alone else (unit,)
    for way in ways:
        found = objects.find(way, compiler) or prebuilt_cache().find(way, compiler)
        if found:
            _copy(found, target)
            return False
    if unit.kernels_alone:
        try:
            _compile(light, target, compiler, objects)
        except ToolError as error:
            if _ASSERTION.search(error.first_error):  # which the whole of adf.h would fail too
                raise
        else:
            return True
    _compile(unit, target, compiler, objects)
    return True


def _compile(unit: Unit, target: Path, compiler: Compiler, objects: ObjectCache) -> None:
    """Run the compiler, and keep its object."""
    target.parent.mkdir(parents=True, exist_ok=True)
    built, dependencies = target.with_suffix(".new.o"), target.with_suffix(".d")
    command = [
        *unit.command(compiler),
        "-MMD",
        "-MT",
        "object",
        "-MF",
        str(dependencies),
        "-c",
        str(unit.source),
        "-o",
        str(built),
    ]
    run_tool(
        command,
        target.with_suffix(".log"),
        remedy="correct the source; a fault in generated code is aieloom's: report it",
    )
    objects.store(unit, compiler, built, _headers(dependencies, unit.source))
    built.replace(target)


def _headers(dependencies: Path, source: Path) -> list[Path]:
    """Return the headers that a make-style dependency file names."""
    text = dependencies.read_text(encoding="utf-8").replace("\\\n", " ")
    names = re.split(r"(?<!\\)\s+", text.partition(":")[2].strip())
    plain = (re.sub(r"\\([ #])", r"\1", n).replace("$$", "$") for n in names if n)  # as make reads them
    return [path for path in map(Path, plain) if path != source]


def run_tool(command: Sequence[str], log: Path, *, remedy: str) -> None:
    """Run a program with its whole output in `log`.

    Raises:
        ToolError: it failed; the first line that looks like an error is quoted.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise ToolError(
            command=command, first_error=first_error(log, done.returncode), log=log, remedy=remedy
        )


_ERROR = re.compile(
    r"\b(?:fatal error|error|undefined reference|multiple definition|cannot find)\b", re.IGNORECASE
)
_ASSERTION = re.compile(r"static assertion failed\b")


def first_error(log: Path, code: int) -> str:
    """Return the first error of a compiler's log: a static_assert's own words where there is one."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    for line in lines:
        if _ASSERTION.search(line):
            return line.strip()
    for line in lines:
        if _ERROR.search(line):
            return line.strip()
    return lines[-1].strip() if lines else f"exit code {code} without a word"


def link(objects: Sequence[Path], target: Path, options: Sequence[str] = ()) -> None:
    """Link a program whose own symbols can be looked up by name (graphs, kernel functions).

    Raises:
        ToolError: the linker refuses.
    """
    built = target.with_suffix(".new")
    command = [find_compiler().path, "-rdynamic", *options, *map(str, objects), "-ldl", "-o", str(built)]
    run_tool(
        command, target.with_suffix(".link.log"), remedy="every kernel function needs its source; see the log"
    )
    built.replace(target)
