"""What the library of host programs has in C++ is what the compiler of command lists has in Python."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import get_args

import pytest

from aieloom.emit.library import library_file
from aieloom.layout.channel_words import LANES
from aieloom.sequential import commands
from aieloom.sequential.row_unit import RowOperation
from aieloom.sequential.vector import Operation


def text(name: str) -> str:
    return library_file(f"aieloom/host/{name}").read_text(encoding="utf-8")


def enumerators(name: str) -> dict[str, int]:
    (body,) = re.findall(rf"enum {name} : std::uint32_t \{{(.*?)\}};", text("command.h"), re.DOTALL)
    return {found: int(value) for found, value in re.findall(r"k(\w+) = (\d+)", body)}


def test_opcodes_are_those_of_commands() -> None:
    assert enumerators("Opcode") == {kind.__name__: kind.opcode for kind in get_args(commands.Command)}


@pytest.mark.parametrize(("name", "kind"), [("Operation", Operation), ("RowOperation", RowOperation)])
def test_operations_are_those_of_the_units(name: str, kind: type[IntEnum]) -> None:
    assert enumerators(name) == {m.name.title().replace("_", ""): m.value for m in kind}


def test_the_version_and_the_lanes_are_one() -> None:
    assert f"kVersion = {commands.VERSION};" in text("command_list.h")
    assert f"kLanes = {LANES};" in text("command.h")
