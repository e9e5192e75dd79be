"""Device files field by field against what public machine-readable sources say; see target_model/."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from aieloom.spec.device import Device, load_device
from tests.oracles.checkouts import HERE, checkout

FILES = sorted((HERE / "target_model").glob("*.yaml"))
GROUPS = ("array", "tile", "memory_tile", "streams", "interface")


def read(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return found


def leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield every fact of a group with its path; what names a document is none."""
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            if name != "source":
                yield from leaves(getattr(value, name), f"{path}.{name}")
    elif value is not None:
        yield path, list(value) if isinstance(value, tuple) else value


def facts_of(device: Device) -> dict[str, Any]:
    return dict(leaf for group in GROUPS for leaf in leaves(getattr(device, group), group))


def differences(transcribed: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Return the facts that a device file has otherwise than the sources."""
    return [
        f"{f['path']} is {found.get(f['path'])}, but {f['value']} by {f['source']}"
        for f in transcribed["facts"]
        if found.get(f["path"]) != f["value"]
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_device_file_says_what_the_public_sources_say(file: Path) -> None:
    transcribed = read(file)
    assert differences(transcribed, facts_of(load_device(transcribed["device"]))) == []
    assert all(f["source"] for f in transcribed["facts"])


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_no_fact_of_the_array_goes_without_a_source(file: Path) -> None:
    transcribed = read(file)
    listed = {f["path"] for f in transcribed["facts"]} | transcribed["elsewhere"].keys()
    assert facts_of(load_device(transcribed["device"])).keys() == listed


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_fault_in_any_field_is_found(file: Path) -> None:
    transcribed = read(file)
    good = facts_of(load_device(transcribed["device"]))
    for fact in transcribed["facts"]:
        path = fact["path"]
        value = good[path]
        wrong = (
            [*value, 1]
            if isinstance(value, list)
            else value + 1
            if isinstance(value, int | float)
            else "none"
        )
        (found,) = differences(transcribed, good | {path: wrong})
        assert found.startswith(f"{path} is ")


def class_body(header: str, name: str) -> str:
    """Return the text of a C++ class."""
    start = header.index(f"class {name} ")
    return header[start : header.index("\n};", start)]


def number(body: str, method: str) -> int:
    found = re.search(rf"\b{method}\([^)]*\) const override \{{\s*return (0x[0-9A-Fa-f]+|\d+)", body)
    assert found, method
    return int(found[1], 0)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_the_transcription_is_of_the_model_s_header(file: Path) -> None:
    """What the header says in one number each, read from the checkout."""
    transcribed = read(file)
    if not transcribed.get("model_class"):
        pytest.skip(f"{file.stem}: no class of the model describes it")
    header = (checkout("mlir-aie") / "include/aie/Dialect/AIE/IR/AIETargetModel.h").read_text("utf-8")
    own, facts = class_body(header, transcribed["model_class"]), {}
    for f in transcribed["facts"]:
        facts[f["path"]] = f["value"]
    base = class_body(header, "AIE1TargetModel" if "AIE1TargetModel(TK" in own else "AIE2TargetModel")
    memory_rows = number(base if "AIE1" in base[:40] else own, "getNumMemTileRows")
    assert facts["array.columns"] == number(own, "columns")
    assert facts["array.core_rows"] == number(own, "rows") - 1 - memory_rows
    assert facts["array.memory_tile_rows"] == memory_rows
    listed = re.search(r"nocColumns = \{([^}]*)\}", own)
    assert listed
    assert facts["array.noc_columns"] == [int(n) for n in listed[1].split(",")]
    assert facts["tile.memory_bytes"] == number(base, "getLocalMemorySize")
    if memory_rows:
        assert facts["memory_tile.memory_bytes"] == number(base, "getMemTileSize")
        assert facts["memory_tile.neighbour_channels"] == number(base, "getMaxChannelNumForAdjacentMemTile")
        assert "bd_id < 24" in base
        for path, kind in (("locks", "getNumLocks"), ("buffer_descriptors", "getNumBDs")):
            found = re.search(rf"{kind}\(AIETileType tileType\)[^?]*\? (\d+) : (\d+)", base)
            assert found
            assert [facts[f"memory_tile.{path}"], facts[f"tile.{path}"]] == [int(found[1]), int(found[2])]
