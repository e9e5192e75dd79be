"""A kernel of a board's logic that is all there is of a design in it: its clock, its ports in the first bank."""

from __future__ import annotations

from collections.abc import Sequence

from aieloom.spec.board import Board
from aieloom.spec.device import Device
from aieloom.units.types import Bank, End, Link, Logic, Unit, Use


def clock_origin(board: Board) -> str:
    """Return where the clock of a design without an array comes from."""
    return board.clocks.source.splitlines()[0]


def tags_of(board: Board) -> tuple[str, ...]:
    """Return the names of a board's banks of memory; none where its file names none."""
    return board.platform.memory_tags if isinstance(board, Device) else ()


def kernel(
    board: Board, name: str, ports: Sequence[str], *, body: object, clock_mhz: float, use: Use
) -> tuple[Unit, tuple[Link, ...]]:
    """Return a kernel of one compute unit, and its memory ports: they share the first bank, as its cost counts them."""
    place = Logic(instances=(f"{name}_1",), clock_mhz=clock_mhz, clock_origin=clock_origin(board))
    links = (
        Link(source=End(unit=name, port=port), target=None, way=Bank(tag=tag))
        for port in ports
        for tag in tags_of(board)[:1]
    )
    return Unit(name=name, body=body, place=place, use=use), tuple(links)
