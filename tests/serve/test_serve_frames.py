"""Frames and pages: what is written is read again, and nothing else is taken for it."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aieloom.errors import SpecError
from aieloom.runtime import frames
from aieloom.runtime.frames import Entry, Frame, Reply, State

WORDS = st.integers(0, 2**32 - 1)
FRAMES = st.builds(
    Frame,
    opcode=st.integers(0, 255),
    accelerator=st.integers(0, 2**16 - 1),
    tag=WORDS,
    operation=WORDS,
    firmware=WORDS,
    length=WORDS,
    payload=st.binary(max_size=40),
)


def test_a_header_is_laid_out_as_the_document_says() -> None:
    frame = Frame(opcode=0x91, accelerator=2, tag=3, operation=1, firmware=0x100, length=7, payload=b"ab")
    want = b"AIEL" + bytes([1, 0x91]) + struct.pack("<HIIIII", 2, 3, 1, 0x100, 7, 2) + bytes(4) + b"ab"
    assert frame.packed() == want
    reply = Reply(opcode=0x82, answer=4, tag=9, total=1000, payload=b"xyz")
    want = b"AIEL" + bytes([1, 0x82]) + struct.pack("<HIIIII", 4, 9, 1000, 0, 0, 3) + bytes(4) + b"xyz"
    assert reply.packed() == want


@given(FRAMES)
def test_frames_are_read_as_they_were_written(frame: Frame) -> None:
    data = frame.packed()
    found = frames.read_header(data[: frames.HEADER_BYTES])
    assert found is not None
    head, length = found
    assert length == len(frame.payload) and data[frames.HEADER_BYTES :] == frame.payload
    assert head == Frame(**{n: getattr(frame, n) for n in Frame.__slots__ if n != "payload"})


@given(st.binary(min_size=frames.HEADER_BYTES, max_size=frames.HEADER_BYTES))
def test_other_bytes_are_no_frame(data: bytes) -> None:
    assert (frames.read_header(data) is None) == (data[:5] != b"AIEL\1")


@given(st.integers(0, 2**40), st.lists(st.integers(0, 255), max_size=9))
def test_the_identify_page_is_read_by_its_length(buffer: int, networks: list[int]) -> None:
    page = frames.identify_page(buffer, networks)
    assert page[:4] == b"WDC\0" and struct.unpack("<I", page[4:8])[0] == len(page)
    assert frames.read_identify_page(page) == {
        0: [0],
        1: [buffer],
        2: [buffer],
        **({16: networks} if networks else {}),
    }


@given(st.sampled_from(State), st.integers(0, 2**40), st.integers(0, 2**40))
def test_the_status_page_tells_state_and_bytes(state: State, given_: int, made: int) -> None:
    page = frames.status_page(state, given_, made)
    assert struct.unpack("<II", page[:8]) == (len(page), state)
    assert frames.read_status_page(page) == (state, made)


@given(st.lists(st.tuples(st.integers(0, 2**63), st.sampled_from(Entry), st.text(max_size=30)), max_size=5))
def test_log_entries_are_length_time_type_and_words(entries: list[tuple[int, Entry, str]]) -> None:
    page = frames.log_page(entries)
    assert struct.unpack("<I", page[:4])[0] == len(page)
    assert frames.read_log_page(page) == entries


@given(
    st.lists(
        st.lists(st.integers(0, 5), max_size=4).map(
            lambda shape: np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
        ),
        max_size=4,
    )
)
def test_tensors_keep_shape_and_bits(tensors: list[np.ndarray]) -> None:
    data = frames.pack_tensors(tensors)
    found = frames.read_tensors(data)
    assert [(x.shape, x.tobytes()) for x in found] == [(x.shape, x.tobytes()) for x in tensors]
    for end in range(len(data)):  # cut anywhere, it is fewer tensors or refused, never others
        try:
            part = frames.read_tensors(data[:end])
        except SpecError as e:
            assert "serve-frame" in str(e)
        else:
            assert [x.tobytes() for x in part] == [x.tobytes() for x in tensors[: len(part)]]


@given(st.binary(max_size=200))
def test_pages_of_any_bytes_are_read_or_refused(data: bytes) -> None:
    for read in (
        frames.read_identify_page,
        frames.read_status_page,
        frames.read_log_page,
        frames.read_tensors,
    ):
        try:
            read(data)
        except SpecError as e:
            assert "[serve-frame]" in str(e)


def test_a_tensor_that_claims_more_than_is_there_is_refused() -> None:
    huge = struct.pack("<5I", 4, *[2**32 - 1] * 4)
    with pytest.raises(SpecError, match="tensor 0 is"):
        frames.read_tensors(huge)
