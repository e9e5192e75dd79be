"""What the libraries of host programs and of kernels have in C++ is what plan and compiler of command lists have in Python."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import get_args

import pytest

from aieloom.emit.library import library_file
from aieloom.layout.channel_words import LANES
from aieloom.ops.integer_pairs import LEFT_SHIFT
from aieloom.sequential import commands
from aieloom.sequential.float_rows import TURNS
from aieloom.sequential.recurrent import Cell
from aieloom.sequential.row_unit import RowOperation
from aieloom.sequential.vector import BLOCK_WORDS, LARGEST_TABLE, Operation
from aieloom.spec.types import DataType


def text(name: str, folder: str = "host") -> str:
    return library_file(f"aieloom/{folder}/{name}").read_text(encoding="utf-8")


def enumerators(name: str, header: str = "command.h", folder: str = "host") -> dict[str, int]:
    (body,) = re.findall(rf"enum {name}(?: : std::uint32_t)? \{{(.*?)\}};", text(header, folder), re.DOTALL)
    return {found: int(value) for found, value in re.findall(r"k(\w+) = (\d+)", body)}


def numbers(kind: type[IntEnum]) -> dict[str, int]:
    return {m.name.title().replace("_", ""): m.value for m in kind}


def test_opcodes_are_those_of_commands() -> None:
    assert enumerators("Opcode") == {kind.__name__: kind.opcode for kind in get_args(commands.Command)}


@pytest.mark.parametrize(("name", "kind"), [("Operation", Operation), ("RowOperation", RowOperation)])
def test_operations_are_those_of_the_units(name: str, kind: type[IntEnum]) -> None:
    assert enumerators(name) == numbers(kind)


@pytest.mark.parametrize(
    ("name", "header", "kind"),
    [
        ("Operation", "fold.h", Operation),
        ("RowOperation", "rows.h", RowOperation),
        ("Cell", "recurrent_unit.h", Cell),
    ],
)
def test_operations_of_kernels_are_those_of_the_units(name: str, header: str, kind: type[IntEnum]) -> None:
    assert enumerators(name, f"engine/{header}", "pl") == numbers(kind)


@pytest.mark.parametrize(
    ("header", "name", "value"),
    [
        ("values.h", "kLanes", LANES),
        ("vector_unit.h", "kBlock", BLOCK_WORDS),
        ("vector_unit.h", "kEntries", LARGEST_TABLE),
        ("sums.h", "kLeft", LEFT_SHIFT[DataType.INT8]),
        ("row_floats.h", "kTurns", TURNS),
    ],
)
def test_sizes_of_kernels_are_those_of_the_plan(header: str, name: str, value: int) -> None:
    assert re.search(rf"constexpr int {name} = {value};", text(f"engine/{header}", "pl"))


def test_the_version_and_the_lanes_are_one() -> None:
    assert f"kVersion = {commands.VERSION};" in text("command_list.h")
    assert f"kLanes = {LANES};" in text("command.h")
