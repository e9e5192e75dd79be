"""system.cfg, or the same settings in the project file of a Vitis IDE (*_hw_link.prj)."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from aieloom.emulator.pl_source import read_text
from aieloom.errors import SpecError

IDE_PROJECT = ".prj"
_CONNECTION = re.compile(r"^\s*(?:sc|stream_connect)\s*=", re.MULTILINE)
_KERNEL = re.compile(r"^\s*nk\s*=\s*(\w+)", re.MULTILINE)


def config_text(path: Path) -> str:
    """Return what v++ links by: the file's own text, or what the IDE would have written for its Hardware configuration.

    Raises:
        SpecError: the file cannot be read, or is an IDE's project without a link.
    """
    text = read_text(path)
    return _of_ide_project(path, text) if path.suffix == IDE_PROJECT else text


def connects(text: str) -> bool:
    """Tell whether a configuration connects streams."""
    return bool(_CONNECTION.search(text))


def kernels_of(text: str) -> tuple[str, ...]:
    """Return the kernels that a configuration makes units of: those of nk=, and what a unit's name says of the others."""
    named = dict.fromkeys(_KERNEL.findall(text))
    units = re.findall(
        r"(?:=|:)(\w+)\.\w+", "\n".join(re.findall(r"^\s*(?:sc|stream_connect)\s*=.*$", text, re.MULTILINE))
    )
    known = re.findall(r"^\s*nk\s*=\s*\w+:\d+:([\w,.]+)", text, re.MULTILINE)
    units_named = {u for line in known for u in re.split(r"[,.]", line)}
    for unit in units:
        kernel = re.sub(r"_\d+$", "", unit)
        if unit != "ai_engine_0" and unit not in units_named and kernel not in named:
            named[kernel] = None
    return tuple(named)


def _of_ide_project(path: Path, text: str) -> str:
    """Collect kernels and settings of the last configuration (Hardware) that links something."""
    try:
        root = ET.fromstring(text)
    except ET.ParseError as e:
        remedy = "give a *_hw_link.prj of a Vitis IDE, or a system.cfg"
        raise SpecError(rule="project-config", file=str(path), text=f"is no XML: {e}", remedy=remedy) from e
    for container in reversed(list(root.iter("binaryContainers"))):
        settings = [s.text or "" for s in container.iter("configSettings")]
        if not connects("\n".join(settings)):
            continue
        units = [
            f"nk={kernel.get('name')}:{len(names)}:{','.join(names)}"
            for kernel in container.iter("kernels")
            if (names := [u.get("name", "") for u in kernel.iter("computeUnits")])
        ]
        return "\n".join(["[connectivity]", *units, *settings, ""])
    remedy = "give the *_hw_link.prj of the system project, or a system.cfg"
    raise SpecError(rule="project-config", file=str(path), text="links no streams", remedy=remedy)
