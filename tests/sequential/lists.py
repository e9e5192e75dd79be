"""Command lists that are not what was written: changed, and signed as a careful forger would."""

from __future__ import annotations

import hashlib
import struct

from hypothesis import strategies as st

from aieloom.sequential import commands as c


def signed(data: bytes, weights: bytes) -> bytes:
    """The same list with the digest that belongs to it: what a careful forger would write."""
    head = data[: c.DIGESTED]
    return head + hashlib.sha256(head + data[c.HEADER.size :] + weights).digest() + data[c.HEADER.size :]


def changed(good: bytes, data: st.DataObject) -> bytes:
    """A list with up to four of its words changed, and perhaps cut or longer."""
    made = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(made) // 4 - 1)) * 4
        old = struct.unpack_from("<I", made, at)[0]
        near = st.sampled_from([0, 1, old + 1, old - 1, old * 2, old ^ 0x8000, 0xFFFFFFFF, 1 << 20])
        struct.pack_into("<I", made, at, data.draw(near | st.integers(0, 2**32 - 1)) & 0xFFFFFFFF)
    length = data.draw(st.sampled_from([len(made)] * 6 + [len(made) - 4, len(made) // 2, len(made) + 8]))
    return bytes(made[:length]) + bytes(max(0, length - len(made)))
