"""The device catalogue: hardware facts as data, each with the document it comes from.

Adding a device is one YAML file in `spec/devices/`. Code asks the device; it never writes 32768.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import BeforeValidator, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from aieloom.errors import SpecError
from aieloom.spec.architecture import SNAKE, Architecture, architecture_names
from aieloom.spec.board import Board, LogicClocks
from aieloom.spec.features import Release
from aieloom.spec.lines import SourceFile, parse_yaml, read_text
from aieloom.spec.tables import names_in, table_text
from aieloom.spec.types import Frozen, Integer, MHz, Name, NonNegative, Number, Positive, Text
from aieloom.spec.validation import problems_of

FOLDER = "devices"
ARRAY_KEYS = {"architecture", "array", "tile", "streams", "interface", "memory_tile"}  # of a board with one
Tile = tuple[int, int]  # (column, row); row 0 is the lowest row with a core [UG1079 Mapping Constraints]


class ArrayFacts(Frozen):
    """The AI Engine array: counts and the columns that reach the PL."""

    source: Text
    columns: Positive
    core_rows: Positive
    memory_tile_rows: Integer = 0
    plio_columns: tuple[Integer, Integer]  # first and last column with a usable PL interface tile, inclusive
    noc_columns: tuple[Integer, ...] = ()

    @property
    def cores(self) -> int:
        """Cores of the whole array."""
        return self.columns * self.core_rows


class DescriptorFacts(Frozen):
    """What the fields of a DMA's buffer descriptor hold. A word has 32 bits.

    `wrap` is the most steps of a dimension before the next one moves on; the last dimension has no wrap, it runs on to
    the length. `iterations` is the most times that a descriptor moves on when it is used again; 0: it does not.
    `padding` is the most zeros before or after a run of dimension 0 (words), 1, 2; empty: it adds none.
    """

    source: Text
    dimensions: Positive
    wrap: Positive
    step_words: Positive
    length_words: Positive
    iterations: NonNegative = 0
    padding: tuple[NonNegative, ...] = ()


class TileFacts(Frozen):
    """One core with its memory module."""

    source: Text
    memory_bytes: Positive
    logical_banks: Positive  # what bank(col, row, id) addresses
    program_bytes: Positive
    default_stack_bytes: Positive
    default_heap_bytes: Positive
    sync_bytes: Positive  # reserved by the tools beside stack and heap
    buffer_alignment_bytes: Positive
    neighbours: Literal["row_parity", "all"]  # which tile beside it a core reaches
    s2mm_channels: Positive
    mm2s_channels: Positive
    buffer_descriptors: Positive
    locks: Positive
    stream_inputs: Positive
    stream_outputs: Positive
    descriptor: DescriptorFacts

    @property
    def bank_bytes(self) -> int:
        """Size of one logical bank."""
        return self.memory_bytes // self.logical_banks


class MemoryTileFacts(Frozen):
    """One memory tile: rows of them lie between the interface and the lowest row of cores."""

    source: Text
    memory_bytes: Positive
    s2mm_channels: Positive
    mm2s_channels: Positive
    buffer_descriptors: Positive
    descriptor_pools: Positive  # of equal size; a channel uses the pool of its number modulo their number
    # The first so many of each direction reach the memory tiles beside their own
    neighbour_channels: NonNegative
    locks: Positive
    descriptor: DescriptorFacts


class StreamFacts(Frozen):
    """Stream switches: how many streams leave a tile in each direction, and how fast each is."""

    source: Text
    north: Positive
    south: Positive
    east: Positive
    west: Positive
    bytes_per_cycle: Positive
    hop_cycles: Positive


class PlioRoom(NamedTuple):
    """What a column of the interface has for streams of one direction."""

    channels: int
    pairs: int  # of channels that two make one stream of twice the width

    def holds(self, wide: int, narrow: int) -> bool:
        """Tell whether so many streams find channels."""
        return wide <= self.pairs and 2 * wide + narrow <= self.channels


class InterfaceFacts(Frozen):
    """One PL interface tile (shim)."""

    source: Text
    in_channels: Positive  # PL to AIE, each 64 bits; a 128-bit PLIO takes two
    out_channels: Positive
    # The channels into the array that have registers at the boundary
    registered_inputs: tuple[NonNegative, ...]
    # Of the array's clock, above which a PL clock needs them: by default, at most
    register_shares: tuple[Number, Number]
    channel_bits: Positive
    plio_widths: tuple[Positive, ...]

    def room(self, *, is_input: bool, registered: bool) -> PlioRoom:
        """Return what streams of one direction find in a column; a wide one takes channels 2i and 2i + 1."""
        count = self.in_channels if is_input else self.out_channels
        usable = self.registered_inputs if is_input and registered else range(count)
        pairs = sum(i in usable and i + 1 in usable for i in range(0, count - 1, 2))
        return PlioRoom(channels=len(usable), pairs=pairs)


class ClockFacts(LogicClocks):
    """Clocks of the speed grade on a board with an array."""

    aie_mhz: MHz
    pl_interface_max_mhz: MHz


class PlatformClocks(Frozen):
    """The kernel clocks that the base platforms of some releases list, as platforminfo prints them.

    Only a clock of status "fixed" feeds a clocking wizard that the linker inserts; one of "fixed_non_ref" drives
    kernels at its own frequency and nothing else [UG1701 Identifying Platform Clocks].
    """

    source: Text
    releases: tuple[Release, Release]  # first and last
    default_mhz: MHz
    fixed_mhz: tuple[MHz, ...]
    fixed_non_ref_mhz: tuple[MHz, ...] = ()

    @property
    def listed_mhz(self) -> tuple[float, ...]:
        """All clocks, slowest first."""
        return tuple(sorted((*self.fixed_mhz, *self.fixed_non_ref_mhz)))

    @property
    def between(self) -> str:
        """The releases for people."""
        first, last = self.releases
        return f"{first} to {last}"

    @model_validator(mode="after")
    def _default_is_listed(self) -> PlatformClocks:
        if self.default_mhz not in self.listed_mhz:
            raise ValueError(f"default_mhz {self.default_mhz:g} is none of the clocks that are listed")
        return self


class PlatformFacts(Frozen):
    """The vendor's base platform for the board."""

    source: Text
    name: Text
    since: Release  # the first release of Vitis that has it
    memory_tags: tuple[Text, ...]
    axi_max_bits: Positive
    # Of the network on chip that m_axi ports take; None: nothing read here says how many
    noc_masters: Positive | None = None
    clocks: tuple[PlatformClocks, ...]  # oldest releases first


def _known_architecture(value: object) -> object:
    """Refuse a name without a file; pydantic alone would tell of those that have names in code."""
    if isinstance(value, Architecture) or value in architecture_names():
        return value
    expected = " or ".join(f"'{name}'" for name in architecture_names())
    raise PydanticCustomError("enum", "Input should be {expected}", {"expected": expected})


class Device(Board):
    """A board with an AI Engine array: array, tile, streams, interface, clocks, logic, platform."""

    name: Name  # C++ code names it
    architecture: Annotated[Architecture, BeforeValidator(_known_architecture)]
    array: ArrayFacts
    tile: TileFacts
    streams: StreamFacts
    interface: InterfaceFacts
    clocks: ClockFacts
    platform: PlatformFacts
    memory_tile: MemoryTileFacts | None = None
    taken_columns: Integer = 0  # so many of the array, from the left, has another graph of the same design

    def has_tile(self, tile: Tile) -> bool:
        """Tell whether `tile` is in the array."""
        return 0 <= tile[0] < self.array.columns and 0 <= tile[1] < self.array.core_rows

    def reach(self, tile: Tile) -> tuple[Tile, ...]:
        """Return the memories that the core of `tile` reaches without DMA, its own first.

        AIE: own, north, south, and west on even or east on odd rows [AM009 AI Engine Interfaces].
        AIE-ML: own, north, south and west on every row [UG1603].
        """
        col, row = tile
        odd = self.tile.neighbours == "row_parity" and row % 2 == 1
        beside = (col + 1, row) if odd else (col - 1, row)
        return tuple(t for t in (tile, beside, (col, row + 1), (col, row - 1)) if self.has_tile(t))

    def cascade_step(self, row: int) -> int:
        """Return how many columns a core's cascade leads on: one, eastwards except on odd rows of AIE [UG1079, UG1603]."""
        return -1 if self.architecture.facts.cascade == SNAKE and row % 2 == 1 else 1

    def cascade_next(self, tile: Tile) -> Tile | None:
        """Return the tile that a core's cascade leads to; None at its end.

        AIE: one line through all rows, from the end of each to the row above [UG1079, AI Engine Architecture Overview;
        triSYCL numbers the tiles along it: columns x row + column, on odd rows from the right].
        AIE-ML: along each row [UG1603].
        """
        col, row = tile
        beside, above = (col + self.cascade_step(row), row), (col, row + 1)
        if self.has_tile(beside):
            return beside
        return above if self.architecture.facts.cascade == SNAKE and self.has_tile(above) else None

    def beside(self, columns: int, use: Mapping[str, int], masters: int) -> Device:
        """Return what is left beside another graph of the same design.

        Of the array all but the first `columns`, of which the interface must have others; of the logic all but `use`, by the
        names of LogicFacts; of the network on chip all but so many `masters`.
        """
        first, last = self.array.plio_columns
        array = {"plio_columns": (max(first, columns), last)}
        logic = {name: max(0, getattr(self.logic, name) - used) for name, used in use.items()}
        there = self.platform.noc_masters
        platform = {"noc_masters": there and max(1, there - masters)}
        return self.model_copy(
            update={
                "taken_columns": columns,
                "array": self.array.model_copy(update=array),
                "logic": self.logic.model_copy(update=logic),
                "platform": self.platform.model_copy(update=platform),
            }
        )

    @property
    def register_thresholds(self) -> tuple[float, ...]:
        """PL clocks above which streams enter the array by channels with registers alone, the compiler's default first.

        --pl-register-threshold raises it: at most to a quarter of the array's clock [UG1079, UG1603, interface performance].
        """
        return tuple(self.clocks.aie_mhz * share for share in self.interface.register_shares)

    @property
    def interface_row(self) -> int:
        """The interface's row where cores have 0 and up, and memory tiles the rows between."""
        return -1 - self.array.memory_tile_rows

    def memory_tile_at(self, tile: Tile) -> Tile:
        """Return (column, row) in these rows of memory tile `tile`, whose rows count from the lowest memory tile."""
        return tile[0], tile[1] - self.array.memory_tile_rows

    @property
    def plio_column_list(self) -> tuple[int, ...]:
        """Columns with a usable PL interface tile."""
        first, last = self.array.plio_columns
        return tuple(range(first, last + 1))


def device_names() -> tuple[str, ...]:
    """Return the names of the boards that ship with aieloom, those without an array among them."""
    return names_in(FOLDER)


def array_names() -> tuple[str, ...]:
    """Return the names of those that have an AI Engine array."""
    return tuple(name for name in device_names() if isinstance(_catalogued(name), Device))


def parse_board(source: SourceFile) -> Board:
    """Build a board from its file: a `Device` where the file has an array, or begins to describe one.

    Raises:
        SpecError: with one problem for every wrong or missing fact.
    """
    model = Device if ARRAY_KEYS & source.data.keys() else Board
    try:
        return model.model_validate(source.data)
    except ValidationError as e:
        raise SpecError(problems_of(e, source, model)) from e


def is_device_file(target: str) -> bool:
    """Tell whether a target is the path of a device file rather than a name of the catalogue."""
    return target.endswith((".yaml", ".yml"))


def load_board(name: str) -> Board:
    """Return a board of the catalogue, or of a file whose path is given.

    Raises:
        SpecError: there is none of that name, or the file is no board's.
    """
    return _of_file(Path(name)) if is_device_file(name) else _catalogued(name)


def load_device(name: str) -> Device:
    """Return a board that has an array, of the catalogue or of a file whose path is given.

    Raises:
        SpecError: there is none of that name, it has no array, or the file is no device's.
    """
    board = load_board(name)
    if isinstance(board, Device):
        return board
    text, remedy = no_array(board)
    raise SpecError(rule="array-2", text=text, remedy=remedy)


def no_array(board: Board) -> tuple[str, str]:
    """Return what to say to who wants the array of a board without one, and the remedy."""
    text = f"{board.name} has no AI Engine array ({board.description})"
    others = "execution: auto, or engine: pl for a small network as one circuit"
    return text, f"use a board that has one ({', '.join(array_names())}), or {others}"


def _of_file(file: Path) -> Board:
    text = read_text(file, shown_as=str(file), remedy="name a device file: docs/faq.md says how to write one")
    return parse_board(parse_yaml(text, str(file)))


@cache
def _catalogued(name: str) -> Board:
    if name not in device_names():
        known = ", ".join(device_names())
        raise SpecError(rule="target", text=f"there is no device '{name}'", remedy=f"use one of: {known}")
    file = f"{name}.yaml"
    return parse_board(parse_yaml(table_text(FOLDER, file), f"{FOLDER}/{file}"))
