"""Programs of native vector intrinsics."""

from __future__ import annotations

from pathlib import Path

PROGRAMS = Path(__file__).resolve().parent / "programs"


def text(name: str) -> str:
    return (PROGRAMS / f"{name}.cpp").read_text(encoding="utf-8")
