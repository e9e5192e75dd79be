"""Headers that are read once say what a source's own includes say, and nothing more; what they are made of is looked at."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from aieloom.emulator import compiler, precompiled
from aieloom.emulator.compiler import ObjectCache, Unit, compile_unit, find_compiler
from aieloom.emulator.precompiled import MADE, RECORD, beginning_of
from aieloom.emulator.readings import Folders
from aieloom.errors import ToolError
from aieloom.paths import package_folder

OWN = package_folder() / "include"
SCALE = """// by {n}
#include <hls_fence.h>
#include <ap_shift_reg.h>
static int calls = {n};
int scale(int x) {{
  static ap_shift_reg<int, 4> past;
  hls::fence(x);
  return ++calls * past.shift(x);
}}
"""
gcc_alone = pytest.mark.skipif("clang" in find_compiler().version, reason="only g++ keeps headers so")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ObjectCache:
    """Return an empty cache, beside which nothing was compiled by the installation."""
    monkeypatch.setattr(compiler, "prebuilt_cache", lambda: ObjectCache(tmp_path / "prebuilt"))
    return ObjectCache(tmp_path / "cache")


def unit(folder: Path, text: str, *includes: Path, name: str = "k.cc") -> Unit:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return Unit(
        source=folder / name,
        includes=(OWN, folder, *includes),
        defines=("__AIE_ARCH__=10", "__X86SIM__"),
        options=("-O0",),
    )


def made(cache: ObjectCache) -> list[Path]:
    return sorted((cache.folder / precompiled.FOLDER).glob(f"*/{MADE}"))


def two_before(folder: Path, cache: ObjectCache) -> Path:
    """Compile two sources, of which the second has the header made; return its folder."""
    for n in range(2):
        compile_unit(unit(folder / f"before{n}", SCALE.format(n=n)), folder / f"before{n}.o", cache)
        assert len(made(cache)) == n
    return made(cache)[0].parent


@gcc_alone
def test_the_second_source_has_its_headers_kept_and_objects_know_what_they_were_made_of(
    tmp_path: Path, cache: ObjectCache
) -> None:
    two_before(tmp_path, cache)
    plain, fast = (json.loads((tmp_path / f"before{n}.made").read_text())["reading"] for n in range(2))
    assert set(plain["files"]) == set(fast["files"]) and "i0:aieloom/report.h" in fast["files"]
    code = [
        subprocess.run(
            ["objdump", "-d", "--no-show-raw-insn", f"before{n}.o"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.partition("\n\n")[2]
        for n in range(2)
    ]
    assert code[0] and code[0].replace("before0", "before1") == code[1]


@gcc_alone
def test_a_name_that_a_source_does_not_include_stays_unknown(tmp_path: Path, cache: ObjectCache) -> None:
    two_before(tmp_path, cache)
    bad = unit(tmp_path / "bad", "#include <hls_fence.h>\nap_shift_reg<int, 4> past;\n")
    for n in range(3):  # also when hls_fence.h alone is kept
        with pytest.raises(ToolError, match="ap_shift_reg"):
            compile_unit(bad, tmp_path / f"bad{n}.o", cache)


@gcc_alone
@pytest.mark.parametrize("harm", ["made", "record", "headers"])
def test_a_header_that_is_not_what_it_was_is_not_taken(
    tmp_path: Path, cache: ObjectCache, harm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = two_before(tmp_path, cache)
    if harm == "made":
        (place / MADE).write_bytes((place / MADE).read_bytes()[:-1] + b"?")
    elif harm == "record":
        (place / RECORD).write_text("[]")
    else:
        record = json.loads((place / RECORD).read_text())
        record["reading"]["digest"] = "0" * 64
        (place / RECORD).write_text(json.dumps(record))
    looked: list[object] = []
    find = precompiled.Headers.find

    def looking(store: precompiled.Headers, key: str, folders: Folders, guards: set[str]) -> object:
        looked.append(find(store, key, folders, guards))
        return looked[-1]

    monkeypatch.setattr(precompiled.Headers, "find", looking)
    compile_unit(unit(tmp_path / "next", SCALE.format(n=7)), tmp_path / "next.o", cache)
    assert looked[:2] == [None, None] and looked[-1], "made again"


@gcc_alone
def test_a_header_that_vanishes_before_the_compiler_reads_it_is_done_without(
    tmp_path: Path, cache: ObjectCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = two_before(tmp_path, cache)
    find = precompiled.Headers.find

    def losing(
        store: precompiled.Headers, key: str, folders: Folders, guards: set[str]
    ) -> precompiled.Precompiled | None:
        found = find(store, key, folders, guards)
        if found:
            shutil.rmtree(place)
        return found

    monkeypatch.setattr(precompiled.Headers, "find", losing)
    assert compile_unit(unit(tmp_path / "next", SCALE.format(n=7)), tmp_path / "next.o", cache)
    assert not place.exists() and (tmp_path / "next.o").is_file()


@gcc_alone
def test_a_user_s_file_of_a_header_s_name_is_read(tmp_path: Path, cache: ObjectCache) -> None:
    two_before(tmp_path, cache)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "array").write_text("#error mine\n")
    with pytest.raises(ToolError, match="mine"):
        compile_unit(unit(tmp_path / "c", SCALE.format(n=5), tmp_path / "mine"), tmp_path / "c.o", cache)


@gcc_alone
def test_macros_of_a_unit_count(tmp_path: Path, cache: ObjectCache) -> None:
    text = SCALE + "static_assert(N == {n}); \n"
    for n in (64, 65, 66, 66, 66):
        one = unit(tmp_path / "m", text.format(n=n) + f"// {len(made(cache))}\n")
        defined = Unit(
            source=one.source, includes=one.includes, defines=(*one.defines, f"N={n}"), options=one.options
        )
        compile_unit(defined, tmp_path / "m.o", cache)
    assert len(made(cache)) <= 1


CASES: dict[str, tuple[str, list[str]]] = {
    "comments and pragma": (
        "// a\n/* b\n c */\n#pragma once\n#include <cmath>\n#include <adf.h>\nint x;\n#include <ap_int.h>\n",
        ["adf.h"],
    ),
    "guards, and headers of the user's": (
        '#ifndef K\n#define K\n#include "inner.h"\n#include <ap_int.h>\n#endif\n',
        ["adf.h", "ap_int.h"],
    ),
    "code in a header of the user's": ('#include "code.h"\n#include <ap_int.h>\n', ["adf.h"]),
    "a macro before": ("#define private public\n#include <adf.h>\n", []),
    "a condition before": ("#ifdef HW\n#include <ap_int.h>\n#endif\n#include <adf.h>\n", []),
    "another file of that name": ('#include "adf.h"\n', []),
    "an include that is computed": ("#include HEADER\n#include <adf.h>\n", []),
    "what is nowhere": ("#include <no/such>\n#include <adf.h>\n", ["adf.h"]),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_source_begins_with(case: str, tmp_path: Path) -> None:
    text, expected = CASES[case]
    if "another" in case:
        (tmp_path / "adf.h").write_text("int other;\n")
    (tmp_path / "inner.h").write_text("#if !defined(INNER)\n#define INNER\n#include <adf.h>\n#endif\n")
    (tmp_path / "code.h").write_text("#include <adf.h>\nint y;\n")
    (tmp_path / "k.cc").write_text(text)
    found = beginning_of(tmp_path / "k.cc", (OWN, tmp_path))
    assert found.headers == expected
    if "guards" in case:
        assert found.guards == {"K", "INNER"}


@gcc_alone
def test_a_guard_that_a_header_asks_for_keeps_it_from_being_taken(tmp_path: Path, cache: ObjectCache) -> None:
    place = two_before(tmp_path, cache)
    guards = json.loads((place / RECORD).read_text())["conditions"]
    assert "__cplusplus" in guards  # of the library's headers
    folders = unit(tmp_path / "g", SCALE.format(n=1)).folders
    store = precompiled.Headers(cache.folder)
    assert store.find(place.name, folders, {"MINE"}) and not store.find(place.name, folders, {"__cplusplus"})
