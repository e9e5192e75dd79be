"""What the stand-ins write: archives of the real kinds with a small description inside, and records of calls."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

from tests.toolchain.options import Refused

ENTRY = "standin.json"
XCLBIN_MAGIC = b"xclbin2\0"


def release() -> tuple[int, int]:
    """Return the release that is played, e.g. (2024, 2)."""
    year, _, minor = os.environ["AIELOOM_STANDIN_RELEASE"].partition(".")
    return int(year), int(minor)


def digest(paths: list[Path]) -> str:
    found = hashlib.sha256()
    for path in sorted(paths):
        found.update(path.name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def write(path: Path, data: bytes | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)


def write_zip(path: Path, what: dict[str, Any]) -> None:
    """Write an .xo or .xsa: a zip archive with the same bytes for the same content."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo(ENTRY), json.dumps(what, sort_keys=True))
    write(path, out.getvalue())


def read_zip(path: Path, kind: str) -> dict[str, Any]:
    if not path.is_file():
        raise Refused(f"[v++ 60-589] input file '{path}' does not exist")
    try:
        with zipfile.ZipFile(path) as archive:
            data: dict[str, Any] = json.loads(archive.read(ENTRY))
    except (zipfile.BadZipFile, KeyError) as e:
        raise Refused(f"[v++ 60-590] '{path}' is no {kind}: {e}") from e
    if data["kind"] != kind:
        raise Refused(f"[v++ 60-590] '{path}' is a {data['kind']}, not a {kind}")
    return data


def write_text_archive(path: Path, what: dict[str, Any]) -> None:
    write(path, json.dumps(what, sort_keys=True))


def read_archive(path: Path) -> dict[str, Any]:
    """Read a libadf.a."""
    if not path.is_file():
        raise Refused(f"[v++ 60-589] input file '{path}' does not exist")
    data: dict[str, Any] = json.loads(path.read_text())
    return data


def platform(argument: str) -> dict[str, Any]:
    """Return the description inside a platform; a name alone is looked for in PLATFORM_REPO_PATHS."""
    if not argument:
        raise Refused("[v++ 60-602] a platform is needed: --platform")
    path = Path(argument)
    if path.suffix != ".xpfm":
        found = [
            Path(folder) / argument / f"{argument}.xpfm"
            for folder in os.environ.get("PLATFORM_REPO_PATHS", "").split(":")
            if folder
        ]
        path = next((p for p in found if p.is_file()), path)
    if not path.is_file():
        raise Refused(f"[v++ 60-300] Failed to open platform file: {argument}")
    data: dict[str, Any] = json.loads(path.read_text())
    if data["release"] != os.environ["AIELOOM_STANDIN_RELEASE"]:
        raise Refused(
            f"[v++ 60-1299] The specified platform is not supported. Platform '{path.name}' (version {data['release']})"
        )
    return data


def record(tool: str, argv: list[str]) -> None:
    """Append the call to the file that AIELOOM_STANDIN_RECORD names."""
    name = os.environ.get("AIELOOM_STANDIN_RECORD")
    if name:
        with Path(name).open("a") as f:
            f.write(json.dumps({"tool": tool, "argv": argv, "cwd": str(Path.cwd())}) + "\n")
