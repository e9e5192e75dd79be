"""The host's C++ compiler: found, checked, called, and its objects kept by content.

An object is kept under the digest of everything that can change it: compiler, processor, options, the text of the source
and of every header it read, and where the compiler looked for them (readings.py). A project moved to another folder, or
another project with the same kernel, finds its objects again. Beside each object lies a record of the same, so that what is
built is known to be right without a cache.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

from aieloom.cache import kept, used
from aieloom.digests import bytes_digest, digest_if_there, text_digest
from aieloom.emulator.precompiled import (
    MADE,
    TEXT,
    Headers,
    Precompiled,
    beginning_of,
    key_of,
    own_folders,
    text_of,
)
from aieloom.emulator.readings import SOURCE, Folders, Reading
from aieloom.errors import ToolError
from aieloom.paths import PUBLIC, cache_folder, json_object, package_folder, read_json, write_whole

OLDEST_GCC = 11  # C++20 as the headers use it
OLDEST_CLANG = 14
STANDARD = (
    "-std=c++20",
    "-O3",
    NATIVE := "-march=native",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
    "-Wno-unknown-pragmas",
    "-Werror=narrowing",  # clang, and so the vendor's compiler, takes it for an error; g++ only warns
    "-pipe",
)
# Kernels of the logic and C simulation are C++14, which is what Vitis HLS compiles. Of later C++ the headers use what compilers
# take as an extension.
# A number of 512 bits is aligned to 64 bytes, as AMD's; memory that a test bench takes from malloc() is to 16, which vectors of
# 128 bits take as it is.
OF_LOGIC = (
    "-std=c++14",
    "-faligned-new",
    "-Wno-c++17-extensions",
    "-Wno-c++20-extensions",
    *(("-mno-avx",) if platform.machine() in {"x86_64", "AMD64"} else ()),
)
# What C++14 took may need C++17 to be whole: a class's `static constexpr` table that is indexed has no definition in C++14.
# AMD's examples have such tables (DSP/fir/decimator); its C simulation is clang 16's, whose default this is [UG1399 2025.2,
# config_sim].
LATER_LOGIC = "-std=c++17"
# -ffp-contract=off: the AIE's vector unit rounds products and sums apart (AM009), a fused host instruction would not.
HOST_LEVEL = "-std=c++17"  # XRT's, and the default of the board's compiler
KERNELS_ALONE = "AIELOOM_KERNELS_ALONE"  # adf.h knows it
BUILT_IN = (
    "adf.h",
    "aie_api/aie_adf.hpp",
)  # what names the types that the vendor's compiler of kernels has built in
WHOLE, AHEAD = 1, 2  # places in ways_of
MOST_ENTRIES = 8  # header sets of one source text that are kept
SEARCHED = ("CPATH", "CPLUS_INCLUDE_PATH")  # lists of include folders [GCC manual, Environment Variables]
HEEDED = (*SEARCHED, "GCC_EXEC_PREFIX", "COMPILER_PATH", "LIBRARY_PATH", "CCC_OVERRIDE_OPTIONS", "SDKROOT")
_TICK_S = 0.02  # of a file system's clock: the kernel's timer interrupt, 1 to 10 ms
_HEX = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler of this machine; `identity` is a digest of the program, its version, and the variables it heeds."""

    path: str
    version: str
    identity: str = ""

    @property
    def family(self) -> str:
        """Whose objects link with its own."""
        return "clang" if "clang" in self.version else "gcc"


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
    heeded = (f"{name}={os.environ.get(name)}" for name in HEEDED)
    return Compiler(path, version, text_digest(shown.stdout, digest_if_there(Path(path)), *heeded))


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


def build_identity() -> tuple[str, str]:
    """Return what every program of this machine depends on beside its sources: the compiler and the processor."""
    return find_compiler().identity, _machine()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One translation unit: a source, the folders its headers are in, and what it defines."""

    source: Path
    includes: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    gcc_options: tuple[str, ...] = ()  # that other compilers do not know; they change no code
    kernels_alone: bool = False  # kernels only: adf.h may leave out what builds graphs
    is_bench: bool = False  # of C simulation's test bench, which nobody synthesises: of LATER_LOGIC too
    is_host: bool = False  # of the processor's program, which the board's compiler reads as HOST_LEVEL
    is_runtime: bool = (
        False  # the emulator's own: a wheel brings it for all processors and compilers of a family
    )

    @property
    def folders(self) -> Folders:
        """The folders in which the compiler looks for headers, in order."""
        lists = (os.environ.get(name, "") for name in SEARCHED)
        more = [Path(f) for found in lists for f in found.split(os.pathsep) if f]
        own = {f"i{i}": folder for i, folder in enumerate(self.includes)}
        return {SOURCE: self.source.parent, **own, **{f"e{i}": folder for i, folder in enumerate(more)}}

    @property
    def names(self) -> dict[Path, str]:
        """What a file's folder is called in the object: other folders' objects of the same texts are the same bytes."""
        return {
            folder: folder.name for folder in (*self.includes, self.source.parent) if folder.is_absolute()
        }

    def command(self, compiler: Compiler, *first: str) -> list[str]:
        """Return the compiler's command line without input and output; `first` stands before all other options."""
        return [
            compiler.path,
            *first,
            *(
                o for o in STANDARD if not (self.is_runtime and o == NATIVE)
            ),  # the same bytes on every machine
            *(f"-fmacro-prefix-map={folder}={name}" for folder, name in self.names.items()),
            *self.options,
            *(self.gcc_options if compiler.family == "gcc" else ()),
            *(f"-I{folder}" for folder in self.includes),
            *(f"-D{name}" for name in self.defines),
        ]


@dataclass(frozen=True, slots=True)
class Kept:
    """An object that is known: the digest of its bytes, and what its compilation read."""

    digest: str
    reading: Reading

    def as_json(self) -> dict[str, object]:
        """Return it as what JSON can hold."""
        return {"object": self.digest, "reading": self.reading.as_json()}

    @classmethod
    def from_json(cls, data: object) -> Kept | None:
        """Return what `as_json` made; None of anything else: a file that is damaged or another version's is as none."""
        said = data if isinstance(data, dict) else {}
        reading, name = Reading.from_json(said.get("reading")), said.get("object")
        return cls(name, reading) if reading and isinstance(name, str) and _HEX.fullmatch(name) else None


def unit_key(unit: Unit, compiler: Compiler) -> str:
    """Return a digest of all that an object depends on but the headers; that of a source that is not there is another."""
    own = compiler.family, platform.machine()
    made_by = own if unit.is_runtime else (compiler.identity, _machine())
    named = "defines", *unit.defines, "names", *unit.names.values()
    stable = (*made_by, *STANDARD, "own", *unit.options, *named)
    return text_digest(*stable, "source", digest_if_there(unit.source))


class ObjectCache:
    """Objects by content; one manifest per source text and options lists what it was compiled with.

    An object's name is the digest of its bytes, which are compared before they are taken: a damaged one is as none.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _manifest(self, key: str) -> Path:
        return self.folder / "manifests" / f"{key}.json"

    def _entries(self, key: str) -> list[Kept]:
        data = read_json(self._manifest(key))
        found = map(Kept.from_json, data if isinstance(data, list) else ())
        return [entry for entry in found if entry]

    def find(self, unit: Unit, key: str) -> tuple[Kept, bytes] | None:
        """Return the object of an earlier compilation of the same texts, if there is one."""
        for entry in self._entries(key):
            if entry.reading.holds(unit.folders):
                file = self.folder / "objects" / f"{entry.digest}.o"
                try:
                    data = file.read_bytes()
                except OSError:
                    continue
                if bytes_digest(data) == entry.digest:
                    used(file)
                    used(self._manifest(key))
                    return entry, data
        return None

    def store(self, key: str, entry: Kept, data: bytes) -> None:
        """Keep a new object; a cache that cannot be written is no error."""
        others = [e for e in self._entries(key) if e != entry]
        file = self.folder / "objects" / f"{entry.digest}.o"
        with suppress(OSError):
            write_whole(file, data)
            listed = [e.as_json() for e in [entry, *others][:MOST_ENTRIES]]
            write_whole(self._manifest(key), json.dumps(listed).encode())
            kept(file)


def _record(target: Path) -> Path:
    """Return the file beside an object that says what it was made of."""
    return target.with_suffix(".made")


def is_compiled(unit: Unit, target: Path) -> bool:
    """Tell whether `target` is the object that compiling the unit now would give."""
    compiler = find_compiler()
    return any(_is_recorded(way, unit_key(way, compiler), target) for way in ways_of(unit))


def _is_recorded(unit: Unit, key: str, target: Path) -> bool:
    data = json_object(_record(target))
    if data.get("key") != key:
        return False
    kept = Kept.from_json(data)
    return bool(kept and digest_if_there(target) == kept.digest and kept.reading.holds(unit.folders))


def _leave(target: Path, data: bytes, key: str, entry: Kept) -> None:
    """Write an object and the record of what it was made of; a killed process leaves no record of another object."""
    _record(target).unlink(missing_ok=True)
    write_whole(target, data, mode=PUBLIC)
    write_whole(_record(target), json.dumps({"key": key, **entry.as_json()}).encode(), mode=PUBLIC)
    kept(target)  # a program's folder may be in the cache, too


def prebuilt_cache() -> ObjectCache:
    """Return the objects that prebuild.py left in the package, if it did."""
    return ObjectCache(package_folder() / "prebuilt")


def compile_unit(unit: Unit, target: Path, cache: ObjectCache | None = None) -> bool:
    """Compile to `target` unless the same texts were compiled before; return whether the compiler ran.

    What is compiled goes into `cache`, by default the user's. A source of kernels that names a graph's parts all the
    same, or a standard header's that adf.h brings along, is compiled once more with the whole of adf.h; one of the logic that
    needs a class's constant, with the C++ in which that is its definition, and so is a test bench that is refused.

    Raises:
        ToolError: the compiler refuses the source; its first error and the whole log's path are in the message.
    """
    compiler = find_compiler()
    objects = cache or ObjectCache(cache_folder())
    keys = [(way, unit_key(way, compiler)) for way in ways_of(unit)]
    if _is_there(keys, target, objects):
        return False
    way = 0
    while True:
        try:
            _compile(*keys[way], target, compiler, objects)
            return True
        except ToolError as error:
            following = _next_of(unit, way, error, target.with_suffix(".log"))
            if following is None or following >= len(keys):
                raise
            way = following


class _NeedsConstants(ToolError):
    """An object of the logic needs a class's constants, which C++14 wants defined outside of the class."""


def _next_of(unit: Unit, tried: int, error: ToolError, log: Path) -> int | None:
    """Return which of ways_of may pass where one did not, if any."""
    if OF_LOGIC[0] in unit.options:
        return 1 if tried == 0 and (unit.is_bench or isinstance(error, _NeedsConstants)) else None
    return _next_of_host(tried, log) if unit.is_host else _next_way(tried, error, log)


def _next_way(tried: int, error: ToolError, log: Path) -> int | None:
    """Return which of the ways of a kernel may pass where one did not, if any."""
    if tried < AHEAD and _UNKNOWN_TYPE.search(log.read_text(encoding="utf-8", errors="replace")):
        return AHEAD
    from aieloom.emulator.first_error import ASSERTION  # noqa: PLC0415 - where one fails

    is_rule = ASSERTION.search(error.first_error)  # which the whole of adf.h would fail too
    return WHOLE if tried < WHOLE and not is_rule else None


def _next_of_host(tried: int, log: Path) -> int | None:
    """Return the second way of a host whose first errors are in the emulator's headers: they need C++20."""
    own = str(package_folder() / "include")
    errors = re.findall(
        r"^(\S+?):\d+:(?:\d+:)? (?:fatal )?error:",
        log.read_text(encoding="utf-8", errors="replace"),
        re.MULTILINE,
    )
    return WHOLE if tried < WHOLE and errors and errors[0].startswith(own) else None


def _is_there(keys: Sequence[tuple[Unit, str]], target: Path, objects: ObjectCache) -> bool:
    """Tell whether an object is there for one of the ways to compile a unit, or in a cache: it is then copied."""
    if any(_is_recorded(way, key, target) for way, key in keys):
        return True
    for way, key in keys:
        found = objects.find(way, key) or prebuilt_cache().find(way, key)
        if found:
            _leave(target, found[1], key, found[0])
            return True
    return False


def ways_of(unit: Unit) -> tuple[Unit, ...]:
    """Return the ways in which a unit may be compiled: the second with the whole of adf.h, the third with it ahead of all else.

    The vendor's compiler of kernels knows cint16 and its like without a header, and DSPLIB of 2024 counts on it.
    A host is compiled as the board's compiler does; one that includes the graph needs C++20 as our adf.h does.
    Of the logic, the second is for what the first took (LATER_LOGIC).
    """
    if OF_LOGIC[0] in unit.options:
        return unit, replace(unit, options=(*unit.options, LATER_LOGIC))
    if unit.is_host:
        return replace(unit, options=(*unit.options, HOST_LEVEL)), unit
    if not unit.kernels_alone:
        return (unit,)
    ahead = replace(
        unit, options=(*(word for name in BUILT_IN for word in ("-include", name)), *unit.options)
    )
    return replace(unit, defines=(*unit.defines, KERNELS_ALONE)), unit, ahead


def _compile(unit: Unit, key: str, target: Path, compiler: Compiler, objects: ObjectCache) -> None:
    """Run the compiler, and keep its object."""
    target.parent.mkdir(parents=True, exist_ok=True)
    _record(target).unlink(missing_ok=True)
    header = None if unit.is_runtime else _precompiled(unit, compiler, objects)
    began = _begin(target.with_suffix(".d"))
    try:
        data, read = _object(unit, compiler, target, header)
    except ToolError as error:
        if not header or (header.text.is_file() and not _HEADER_FAULT.search(error.first_error)):
            raise
        header = None
        data, read = _object(unit, compiler, target, None)
    read = [*dict.fromkeys((*read, *header.files))] if header else read
    try:
        known = read
        if unit.is_runtime:  # other machines have other headers of the system
            known = [f for f in read if f.is_relative_to(package_folder())]
        entry = Kept(bytes_digest(data), Reading.of(unit.folders, unit.source, known))
        is_same = all(f.stat().st_ctime_ns < began for f in (unit.source, *read))
    except OSError:  # a header has gone meanwhile
        is_same = False
    if (
        not is_same
    ):  # a file was edited while the compiler ran: the object may be of its old text, nobody can say
        write_whole(target, data, mode=PUBLIC)
        return
    objects.store(key, entry, data)
    _leave(target, data, key, entry)


# What g++ says of a precompiled header that it cannot load; of one that it does not want, it reads the text.
_HEADER_FAULT = re.compile(r"\bPCH\b|precompiled header|internal compiler error|\.gch\b")


def _object(
    unit: Unit, compiler: Compiler, target: Path, header: Precompiled | None
) -> tuple[bytes, list[Path]]:
    """Return the object that the compiler makes of a unit, and the files that it read but those of the header.

    Raises:
        ToolError: it refuses the source.
    """
    built, dependencies = target.with_suffix(".new.o"), target.with_suffix(".d")
    first = ("-include", str(header.text)) if header else ()
    command = [
        *unit.command(compiler, *first),
        *_listing(dependencies),
        "-c",
        str(unit.source),
        "-o",
        str(built),
    ]
    remedy = "correct the source; a fault in generated code is aieloom's: report it"
    log = target.with_suffix(".log")
    run_tool(command, log, remedy=remedy, makes=(built, dependencies))
    if OF_LOGIC[0] in unit.options and LATER_LOGIC not in unit.options:
        _check_constants(command, built, log)
    data, read = built.read_bytes(), _headers(dependencies, unit.source)
    built.unlink()
    return data, [f for f in read if not header or f != header.text]


def _check_constants(command: Sequence[str], built: Path, log: Path) -> None:
    """Refuse an object that needs variables of classes or namespaces, which C++17 may define."""
    from aieloom.emulator.symbols import demangle, in_library, read_symbols  # noqa: PLC0415 - where one is compiled

    nested = {n for n in read_symbols(built).undefined if re.fullmatch(r"_ZN(?!7aieloom).*E", n)}
    foreign = [n for n in sorted(nested) if not in_library(n)]
    needed = [text for text in demangle(foreign).values() if "(" not in text] if foreign else []
    if needed:
        raise _NeedsConstants(
            command=command,
            first_error=f"needs {needed[0]}",
            log=log,
            remedy="define it outside of its class",
        )


def _listing(dependencies: Path) -> tuple[str, ...]:
    """Return the options by which the compiler lists what it read."""
    return "-MD", "-MT", "object", "-MF", str(dependencies)


def _precompiled(unit: Unit, compiler: Compiler, objects: ObjectCache) -> Precompiled | None:
    """Return what a unit begins with, compiled before: found, or made for the second unit that asks (precompiled.py)."""
    own = package_folder() / "include"
    if "clang" in compiler.version or unit.includes[:1] != (own,):
        return None
    options, put_in_front = _without_includes(unit.options)
    begins = beginning_of(unit.source, unit.includes)
    headers = [*dict.fromkeys((*put_in_front, *begins.headers))]
    if not headers or not all((own / name).is_file() for name in headers):
        return None
    key = key_of(
        headers, compiler.identity, _machine(), *STANDARD, *options, *unit.gcc_options, "", *unit.defines
    )
    kept = Headers(objects.folder)
    for store in (Headers(prebuilt_cache().folder), kept):
        found = store.find(key, unit.folders, begins.guards)
        if found:
            return found
    if kept.wanted(key) and _make_header(replace(unit, options=options), compiler, kept, key, headers):
        return kept.find(key, unit.folders, begins.guards)
    return None


def _without_includes(options: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Return options without `-include NAME`, and those names."""
    named = [b for a, b in pairwise(options) if a == "-include"]
    kept = (o for before, o in zip(("", *options), options, strict=False) if "-include" not in (before, o))
    return tuple(kept), named


def _make_header(unit: Unit, compiler: Compiler, store: Headers, key: str, headers: Sequence[str]) -> bool:
    """Precompile headers with a unit's options; return whether they are made: not where somebody else does, or by an error."""
    with store.making(key) as place:
        if place is None:
            return False
        source, built, dependencies = place / TEXT, place / "new.gch", place / "new.d"
        own = replace(unit, source=source, includes=unit.includes[:1])
        try:
            write_whole(source, text_of(headers).encode())
            began = _begin(dependencies)
            command = [
                *own.command(compiler),
                *_listing(dependencies),
                "-x",
                "c++-header",
                str(source),
                "-o",
                str(built),
            ]
            run_tool(
                command, place / "new.log", remedy="see the log; it goes without", makes=(built, dependencies)
            )
            read = _headers(dependencies, source)
            reading = Reading.of(own_folders(place), source, read)
            if any(f.stat().st_ctime_ns >= began for f in read):
                return False
            built.replace(place / MADE)
            store.keep(place, reading)
        except (ToolError, OSError):
            return False
    return True


def _begin(file: Path) -> int:
    """Write an empty file and return its ctime: what has not changed since has an earlier one."""
    time.sleep(_TICK_S)  # so that a source that was written just now is earlier
    file.unlink(missing_ok=True)
    file.touch()
    return file.stat().st_ctime_ns


def _headers(dependencies: Path, source: Path) -> list[Path]:
    """Return the headers that a make-style dependency file names."""
    text = dependencies.read_text(encoding="utf-8").replace("\\\n", " ")
    names = re.split(r"(?<!\\)\s+", text.partition(":")[2].strip())
    plain = (re.sub(r"\\([ #])", r"\1", n).replace("$$", "$") for n in names if n)  # as make reads them
    return [path for path in map(Path, plain) if path != source]


def run_tool(command: Sequence[str], log: Path, *, remedy: str, makes: Sequence[Path] = ()) -> None:
    """Run a program with its whole output in `log`; it leaves the files `makes`, of which no earlier one stays.

    Raises:
        ToolError: it failed, and the first line that looks like an error is quoted; or a file is missing or empty.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    for file in makes:
        file.unlink(missing_ok=True)
    with log.open("wb") as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        from aieloom.emulator.first_error import first_error  # noqa: PLC0415 - where one fails
        from aieloom.emulator.lacking import remedy_of  # noqa: PLC0415

        first = first_error(log, done.returncode)
        remedy = remedy_of(first, log) or remedy
        raise ToolError(command=command, first_error=_of_intrinsics(first, command), log=log, remedy=remedy)
    for file in makes:
        if not file.is_file() or not file.stat().st_size:
            text = f"it says that all went well, but has written no {file.name}"
            remedy = "see whether it is the program that it should be, and whether the disk is full"
            raise ToolError(command=command, first_error=text, log=log, remedy=remedy)


_UNKNOWN_TYPE = re.compile(
    r"\b(?:cint16|cint32|cfloat|bfloat16|cbfloat16)\b.{0,3}(?: was not declared|'; did you mean)"
)


def _of_intrinsics(text: str, command: Sequence[str]) -> str:
    """Return an error of code for the cores' compiler; of an intrinsic that is not there, by name and with the reason."""
    generation = next((a for a in command if a.startswith("-D__AIE_ARCH__=")), None)
    from aieloom.emulator.intrinsic_names import in_words  # noqa: PLC0415 - where one fails

    return in_words(text, int(generation.partition("=")[2])) if generation else text


def link(objects: Sequence[Path], target: Path, options: Sequence[str] = ()) -> None:
    """Link a program whose own symbols can be looked up by name (graphs, kernel functions).

    Raises:
        ToolError: the linker refuses.
    """
    built = target.with_suffix(".new")
    command = [find_compiler().path, "-rdynamic", *options, *map(str, objects), "-ldl", "-o", str(built)]
    run_tool(
        command,
        target.with_suffix(".link.log"),
        remedy="every kernel function needs its source; see the log",
        makes=(built,),
    )
    built.replace(target)
    kept(target)
