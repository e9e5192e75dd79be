"""Objects are of the texts that the compiler would read now, whatever was edited, damaged or put in the way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aieloom import digests
from aieloom.digests import installed_digest
from aieloom.emulator import compiler
from aieloom.emulator.compiler import ObjectCache, Unit, compile_unit, is_compiled
from aieloom.errors import ToolError


@pytest.fixture
def cxx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Use a compiler that is a script: `body` has "$@" for the words that the real one gets."""
    real = compiler.find_compiler().path

    def use(body: str) -> None:
        script = tmp_path / "bin" / "compiler"
        script.parent.mkdir(exist_ok=True)
        script.write_text(
            f'#!/bin/sh\ncase "$*" in *--version*) exec {real} "$@";; esac\n{body}\n'.replace("REAL", real)
        )
        script.chmod(0o755)
        monkeypatch.setenv("CXX", str(script))
        compiler.find_compiler.cache_clear()

    yield use
    compiler.find_compiler.cache_clear()


class Program:
    """A source that gives a number, of headers in several folders."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder, ObjectCache(folder / "cache")
        self.places = [folder / name for name in ("src", "first", "second")]
        for place in self.places:
            place.mkdir(parents=True)
        self.target = folder / "build" / "main.o"
        self.write(
            "src/main.cpp",
            '#include "a.h"\n#include <b.h>\n#include <cstddef>\nextern "C" int printf(const char*, ...);\nint main() { printf("%d %d", A, B); }\n',
        )
        self.write("second/a.h", '#include "c.h"\n#define A (1 + C)\n')
        self.write("second/b.h", "#define B 1\n")
        self.write("second/c.h", "#define C 1\n")

    def write(self, name: str, text: str, *, keep: bool = False) -> None:
        file = self.folder / name
        before = file.stat() if keep else None
        file.write_text(text)
        if before:
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    @property
    def unit(self) -> Unit:
        src, *includes = self.places
        return Unit(source=src / "main.cpp", includes=tuple(includes), options=("-O0",))

    def result(self, target: Path | None = None) -> str:
        target = target or self.target
        compile_unit(self.unit, target, self.cache)
        assert is_compiled(self.unit, target)
        program = target.with_suffix(".out")
        subprocess.run(["g++", str(target), "-o", str(program)], check=True)
        return subprocess.run([program], capture_output=True, text=True, check=True).stdout


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "p")


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("src/a.h", "#define A 5\n", "5 1"),
        ("first/a.h", "#define A 5\n", "5 1"),
        ("src/b.h", "#define B 9\n", "2 1"),  # <b.h> is not looked for beside the source
        ("first/b.h", "#define B 9\n", "2 9"),
        ("first/cstddef", "#undef B\n#define B 3\n", "2 3"),  # before the system's
        ("second/c.h", "#define C 4\n", "5 1"),
    ],
)
@pytest.mark.parametrize("fresh", [False, True])
def test_a_header_that_newly_stands_before_another_is_seen(
    program: Program, name: str, text: str, wanted: str, fresh: bool
) -> None:
    """In the build folder (`fresh` false), and in the cache, from where another build folder takes objects."""
    assert program.result() == "2 1"
    exists = (program.folder / name).exists()
    program.write(name, text, keep=exists)
    target = program.folder / "other" / "main.o" if fresh else program.target
    again = Program.result(program, target)
    clean = ObjectCache(program.folder / "empty")
    compile_unit(program.unit, program.folder / "clean" / "main.o", clean)
    assert target.read_bytes() == (program.folder / "clean" / "main.o").read_bytes()
    assert again == wanted
    if not exists:
        (program.folder / name).unlink()
        assert program.result() == "2 1", "and back"


def test_nothing_is_compiled_twice_here_nor_elsewhere(program: Program, tmp_path: Path) -> None:
    assert compile_unit(program.unit, program.target, program.cache)
    assert not compile_unit(program.unit, program.target, program.cache)
    assert not compile_unit(program.unit, program.target, ObjectCache(tmp_path / "empty")), (
        "its record is enough"
    )
    moved = Program(tmp_path / "moved")
    assert not compile_unit(moved.unit, moved.target, program.cache)


def damages(data: bytes) -> dict[str, bytes]:
    middle = len(data) // 2
    return {
        "empty": b"",
        "cut": data[:middle],
        "a byte": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
    }


@pytest.mark.parametrize("how", damages(b"ab"))
@pytest.mark.parametrize("which", ["main.o", "main.made", "objects", "manifests"])
def test_what_is_damaged_heals(program: Program, which: str, how: str) -> None:
    program.result()
    whole = program.target.read_bytes()
    in_cache = not which.startswith("main")
    file = next((program.cache.folder / which).iterdir()) if in_cache else program.target.with_name(which)
    file.write_bytes(damages(file.read_bytes())[how])
    target = program.folder / "new" / "main.o" if in_cache else program.target
    assert program.result(target) == "2 1"
    assert target.read_bytes() == whole
    assert not compile_unit(program.unit, program.folder / "newer" / "main.o", program.cache), "and is kept"


NONSENSE: tuple[object, ...] = (
    *(None, 1, "x", [], {}, [1], [None], [[]], [{}], {"object": 1}, [{"object": "0" * 64}]),
    [{"object": "../../x", "reading": {}}],
    [{"object": "0" * 64, "reading": {"files": 1, "names": [], "places": [], "digest": "x"}}],
    [
        {
            "object": "0" * 64,
            "reading": {"files": ["q:x"], "names": ["\0"], "places": ["a:\0", "i9:."], "digest": "x"},
        }
    ],
)


def test_nonsense_in_a_manifest_is_as_none(program: Program) -> None:
    program.result()
    (manifest,) = (program.cache.folder / "manifests").iterdir()
    key = manifest.stem
    assert program.cache.find(program.unit, key)
    for text in (*map(json.dumps, NONSENSE), "[" * 100_000, ""):
        manifest.write_text(text)
        assert program.cache.find(program.unit, key) is None, text[:80]
    assert compile_unit(program.unit, program.folder / "new" / "main.o", program.cache)
    assert program.cache.find(program.unit, key)


def test_another_compiler_of_the_same_version_compiles_again(
    program: Program, cxx: Callable[[str], None]
) -> None:
    cxx('exec REAL "$@"')
    program.write("second/b.h", "#ifdef OTHER\n#define B 8\n#else\n#define B 1\n#endif\n")
    assert program.result() == "2 1"
    cxx('exec REAL -DOTHER "$@"')
    assert program.result() == "2 8"
    cxx('exec REAL "$@"')
    assert program.result() == "2 1"


def test_folders_of_the_environment_count(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = program.folder / "environment"
    folder.mkdir()
    (program.folder / "second" / "b.h").unlink()
    program.write("environment/b.h", "#define B 6\n")
    monkeypatch.setenv("CPATH", str(folder))
    assert program.result() == "2 6"
    program.write("environment/b.h", "#define B 7\n", keep=True)
    assert program.result() == "2 7"


@pytest.mark.parametrize(
    "body", ["exit 0", 'for o; do case "$p" in -o|-MF) : >"$o";; esac; p=$o; done', "exit 3"]
)
def test_a_compiler_that_writes_nothing_is_told(
    program: Program, cxx: Callable[[str], None], body: str
) -> None:
    """Also where an object of an earlier compilation, or of one that was killed, is there."""
    program.result()
    program.target.with_suffix(".new.o").write_bytes(program.target.read_bytes())
    program.write("second/b.h", "#define B 2\n")
    cxx(body)
    with pytest.raises(ToolError, match=r"compiler failed"):
        compile_unit(program.unit, program.target, program.cache)
    assert not is_compiled(program.unit, program.target)
    cxx('exec REAL "$@"')
    assert program.result() == "2 2"


def test_a_header_that_is_edited_while_the_compiler_runs(
    program: Program, cxx: Callable[[str], None]
) -> None:
    """Its object may be of the old text: it is not kept, here or in the cache."""
    header = program.folder / "second" / "b.h"
    cxx(f'REAL "$@"; code=$?; echo "#define B 2" > {header}; exit $code')
    compile_unit(program.unit, program.target, program.cache)
    cxx('exec REAL "$@"')
    assert not is_compiled(program.unit, program.target)
    assert program.result() == "2 2"


def test_two_compilations_at_once_leave_one_whole_object(program: Program) -> None:
    code = (
        "import sys; from pathlib import Path; from aieloom.emulator.compiler import *; p = Path(sys.argv[1])\n"
        "unit = Unit(source=p/'src'/'main.cpp', includes=(p/'first', p/'second'), options=('-O0',))\n"
        "compile_unit(unit, p/sys.argv[2]/'main.o', ObjectCache(p/'cache'))\n"
    )
    runs = [subprocess.Popen([sys.executable, "-c", code, str(program.folder), f"b{i}"]) for i in range(3)]
    assert [run.wait() for run in runs] == [0, 0, 0]
    assert len({(program.folder / f"b{i}" / "main.o").read_bytes() for i in range(3)}) == 1
    assert not compile_unit(program.unit, program.folder / "b3" / "main.o", program.cache)


def test_files_of_the_installation_are_remembered_only_when_they_are_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digests, "STILL_NS", 50_000_000)
    file = tmp_path / "a.h"
    for text in ("one", "two"):  # within one tick of the clock, with the same size and date
        file.write_text(text)
        os.utime(file, ns=(1, 1))
        first = installed_digest(str(file))
    assert first == installed_digest(str(file))
    time.sleep(0.1)
    assert installed_digest(str(file)) == first
    file.write_text("six")
    os.utime(file, ns=(1, 1))
    assert installed_digest(str(file)) != first


def test_clang_too(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    if not shutil.which("clang++"):
        pytest.skip("no clang++ here")
    monkeypatch.setenv("CXX", "clang++")
    compiler.find_compiler.cache_clear()
    try:
        assert program.result() == "2 1"
        program.write("first/b.h", "#define B 9\n")
        assert program.result() == "2 9"
    finally:
        compiler.find_compiler.cache_clear()


def test_an_object_says_nothing_of_the_folder_it_was_compiled_in(tmp_path: Path) -> None:
    """Another project's object of the same texts is taken: its messages may not name files of that project."""
    programs = [Program(tmp_path / name) for name in ("one", "two")]
    for program in programs:
        program.write(
            "second/b.h",
            "inline const char* where() { return __FILE__; }\n#define B where()[0]\n",
        )
        compile_unit(program.unit, program.target, program.cache)
    one, two = (program.target.read_bytes() for program in programs)
    assert one == two
    assert b"second/b.h" in one
