"""The runtime that an installation compiles is what a first build finds, and no installation fails for want of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from aieloom.emulator import compiler, prebuild
from aieloom.emulator.build import runtime_steps
from aieloom.emulator.compiler import (
    NATIVE,
    Compiler,
    ObjectCache,
    Unit,
    compile_unit,
    find_compiler,
    unit_key,
)


def unit(folder: Path) -> Unit:
    (folder / "a.h").write_text("inline int one() { return 1; }\n")
    (folder / "a.cpp").write_text('#include "a.h"\nint two() { return 2 * one(); }\n')
    return Unit(source=folder / "a.cpp")


def test_what_was_compiled_at_installation_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = ObjectCache(tmp_path / "prebuilt")
    monkeypatch.setattr(compiler, "prebuilt_cache", lambda: installed)
    monkeypatch.setenv("AIELOOM_CACHE", str(tmp_path / "empty"))
    assert compile_unit(unit(tmp_path), tmp_path / "first.o", installed)
    assert not compile_unit(unit(tmp_path), tmp_path / "second.o")
    assert (tmp_path / "second.o").read_bytes() == (tmp_path / "first.o").read_bytes()
    (tmp_path / "a.h").write_text("inline int one() { return 11; }\n")
    assert compile_unit(Unit(source=tmp_path / "a.cpp"), tmp_path / "third.o"), (
        "another header, another object"
    )


def test_the_runtime_is_for_every_processor_and_compiler_of_a_family(tmp_path: Path) -> None:
    """A wheel was built by another g++ on another processor, whose headers of the system lie elsewhere."""
    own = find_compiler()
    for step in runtime_steps(tmp_path):
        key = unit_key(step.unit, own)
        assert key == unit_key(step.unit, replace(own, path="/elsewhere/g++-14", identity="another"))
        assert key != unit_key(step.unit, Compiler(path="clang++", version="clang version 99"))
        assert NATIVE not in step.unit.command(own)
        compile_unit(step.unit, step.target)
        made = json.loads(step.target.with_suffix(".made").read_text())
        names = made["reading"]["files"]
        assert names and not [name for name in names if name.startswith("a:")], "files of the system"


def test_without_a_compiler_the_installation_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    compiler.find_compiler.cache_clear()
    try:
        assert prebuild.main() == 0
    finally:
        compiler.find_compiler.cache_clear()
    assert "compiled later" in capsys.readouterr().err


def test_an_installation_needs_the_standard_library_alone() -> None:
    """pip runs it before it installs what aieloom depends on; -S hides all that is installed."""
    scripts = Path(prebuild.__file__).parents[2]
    code = "import aieloom.emulator.prebuild, sys; assert 'numpy' not in sys.modules"
    command = [sys.executable, "-S", "-c", code]
    environment = {**os.environ, "PYTHONPATH": str(scripts)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
