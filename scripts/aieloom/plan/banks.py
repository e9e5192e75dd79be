"""Which bank of the device's memory each mover's port is connected to, where there are several.

All lie in the first bank, as long as it carries them without the design waiting: the others are reserved by the boards'
device trees without a mapping of the kernel's, for buffers that are not cached (XRT pull requests 4074 and 5281;
system-user.dtsi of xilinx_vck190_base: `lpddr_memory`, no-map), and an image's device tree must have them. There writing is
quick and reading is not: results stay in the first bank, and what is read by movers alone goes to the bank that has the
least to carry, the largest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Port(NamedTuple):
    """A mover's memory port, or that of several alike, with the bytes of an image in memory."""

    name: str
    reads_memory: bool
    image_bytes: int


def banks_of(tags: Sequence[str], ports: Sequence[Port], *, room: float) -> dict[str, str]:
    """Return the bank of each mover, by name; `room` bytes of an image of every port are what one bank carries in time."""
    if sum(port.image_bytes for port in ports) <= room:
        return {port.name: tags[0] for port in ports}
    found: dict[str, str] = {}
    carried = dict.fromkeys(tags, 0)
    for port in sorted(ports, key=lambda p: (p.reads_memory, -p.image_bytes)):
        bank = min(tags, key=lambda tag: carried[tag]) if port.reads_memory else tags[0]
        carried[bank] += port.image_bytes
        found[port.name] = bank
    return found
