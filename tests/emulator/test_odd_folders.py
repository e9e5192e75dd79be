"""Sources in folders whose names make's syntax has to escape: their headers are known all the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from aieloom.emulator import compiler
from aieloom.emulator.compiler import ObjectCache, Unit, compile_unit

COMPILERS = [c for c in ("g++", "clang++") if shutil.which(c)]


@pytest.mark.parametrize("cxx", COMPILERS)
@pytest.mark.parametrize("name", ["a b", "$(x) $HOME", "#1: two", "it's", "日本", "a`b`;c&d", "100%"])
def test_a_header_s_change_is_seen(
    cxx: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", cxx)
    compiler.find_compiler.cache_clear()
    folder = tmp_path / name / "build"
    folder.mkdir(parents=True)
    (folder / "a.h").write_text("inline int one() { return 1; }\n")
    (folder / "a.cpp").write_text('#include "a.h"\nint two() { return 2 * one(); }\n')
    unit, objects = Unit(source=folder / "a.cpp"), ObjectCache(tmp_path / "objects")
    try:
        assert compile_unit(unit, folder / "first.o", objects)
        assert not compile_unit(unit, folder / "second.o", objects), "it is known"
        (folder / "a.h").write_text("inline int one() { return 11; }\n")
        assert compile_unit(unit, folder / "third.o", objects), "another header, another object"
    finally:
        compiler.find_compiler.cache_clear()
