"""The runtime that an installation compiles is what a first build finds, and no installation fails for want of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from aieloom.emulator import compiler, prebuild
from aieloom.emulator.compiler import ObjectCache, Unit, compile_unit


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
