"""Kernels in the logic that are one call into the library: traits, a top function with its interfaces, and the call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from aieloom.cpp_text import closed, trait_lines

CALL_INDENT = 6
BURSTS = "max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16"

# Of a top function: its name, its declaration, and the pragma of a port to memory or of a stream; registers have none.
Argument: TypeAlias = tuple[str, str, str]


def memory(type_: str, name: str, bundle: str = "") -> Argument:
    """Return a port to memory; its bundle is its own unless it is said."""
    return name, f"{type_}* {name}", f"m_axi port={name} offset=slave bundle={bundle or name}"


def memories(bundles: Iterable[tuple[str, str]], **types: str) -> tuple[Argument, ...]:
    """Return ports to memory with the bundles that they are in: `x="const Element"`."""
    of = dict(bundles)
    return tuple(memory(type_, name, of[name]) for name, type_ in types.items())


def registers(names: str, type_: str = "int") -> tuple[Argument, ...]:
    """Return registers of a type."""
    return tuple((n, f"{type_} {n}", "") for n in names.split())


def stream(type_: str, name: str, count: int = 0) -> Argument:
    """Return a stream, or an array of `count` of them."""
    return (
        name,
        f"hls::stream<{type_}>" + (f" {name}[{count}]" if count else f"& {name}"),
        f"axis port={name}",
    )


def some(numbers: Mapping[str, int], names: str) -> dict[str, int]:
    """Return those numbers that are named."""
    return {name: numbers[name] for name in names.split()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A kernel as its template prints it."""

    name: str
    title: str  # what it is of, in the file's first line
    libraries: tuple[str, ...]  # headers of the library, without their endings
    function: str  # of the library, that is called with all arguments in their order, or with those `given`
    what: str
    why: tuple[str, ...] = ()
    traits: str = "Engine"
    types: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    arguments: tuple[Argument, ...]
    given: tuple[str, ...] = ()
    bursts: str = BURSTS  # of ports to memory

    @property
    def source(self) -> str:
        """The file that it is printed to."""
        return f"src/pl/{self.name}.cpp"

    @property
    def lines(self) -> Iterator[str]:
        """The lines of its traits."""
        yield from (f"using {name} = {type_};" for name, type_ in self.types.items())
        yield from trait_lines(self.numbers)

    @property
    def headers(self) -> tuple[str, ...]:
        """The library's headers that it includes."""
        return tuple(f"aieloom/pl/{name}.h" for name in self.libraries)

    @property
    def signature(self) -> tuple[str, ...]:
        """Its arguments in lines."""
        return closed([declared for _, declared, _ in self.arguments], ") {", indent=4)

    @property
    def interfaces(self) -> Iterator[str]:
        """What its pragmas say of the arguments."""
        for name, _, own in self.arguments:
            if own.startswith("m_axi"):
                yield f"{own} {self.bursts}"
            yield own if own.startswith("axis") else f"s_axilite port={name} bundle=control"
        yield "s_axilite port=return bundle=control"

    @property
    def call(self) -> tuple[str, ...]:
        """The call into the library, in lines."""
        head = f"{self.function}<{self.traits}>("
        given = self.given or [name for name, *_ in self.arguments]
        first, *others = closed(given, ");", indent=CALL_INDENT + len(head))
        return (head + first, *(" " * (CALL_INDENT - 2) + line for line in others))
