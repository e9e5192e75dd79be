"""Which bank of the device's memory each mover's port is connected to, where there are several.

Results lie in the first bank: the processor reads them, and its part of memory that is cached lies there. The others are
reserved by the boards' device trees without a mapping of the kernel's, for buffers that are not cached (XRT pull requests
4074 and 5281; system-user.dtsi of xilinx_vck190_base: `lpddr_memory`, no-map), where writing is quick and reading is
not. So what is read by movers alone goes to the bank that has the least to carry, the largest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Port(Protocol):
    """A mover's memory port, or that of several alike."""

    @property
    def name(self) -> str:
        """The mover's name."""
        ...

    @property
    def reads_memory(self) -> bool:
        """Whether it reads."""
        ...

    @property
    def image_bytes(self) -> int:
        """Bytes of an image in memory."""
        ...


def banks_of(tags: Sequence[str], ports: Sequence[Port], once: Sequence[Port] = ()) -> dict[str, str]:
    """Return the bank of each mover, by name; those of `once`, whose tables are read once a run, count for nothing."""
    found: dict[str, str] = {}
    carried = dict.fromkeys(tags, 0)
    for port in sorted(ports, key=lambda p: (p.reads_memory, -p.image_bytes)):
        bank = min(tags, key=lambda tag: carried[tag]) if port.reads_memory else tags[0]
        carried[bank] += port.image_bytes
        found[port.name] = bank
    spare = min(tags, key=lambda tag: carried[tag])
    return found | {port.name: spare for port in once}
