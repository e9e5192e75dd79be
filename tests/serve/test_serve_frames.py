"""Frames and pages: what is written is read again, and nothing else is taken for it."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from aieloom.errors import SpecError
from aieloom.runtime import frames
from aieloom.runtime.frames import Entry, Frame, Reply, State
from tests.heavy import onnx

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
    want = b"AIEL" + bytes([2, 0x91]) + struct.pack("<HIIIII", 2, 3, 1, 0x100, 7, 2) + bytes(4) + b"ab"
    assert frame.packed() == want
    reply = Reply(opcode=0x82, answer=4, tag=9, total=1000, payload=b"xyz")
    want = b"AIEL" + bytes([2, 0x82]) + struct.pack("<HIIIII", 4, 9, 1000, 0, 0, 3) + bytes(4) + b"xyz"
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
    assert (frames.read_header(data) is None) == (data[:5] != b"AIEL\2")


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


TYPES = ["f4", "u1", "i1", "u2", "i2", "i4", "i8", "?", "f2", "f8", "u4", "u8", ">f4", ">i8"]
TENSORS = st.sampled_from(TYPES).flatmap(
    lambda t: arrays.arrays(np.dtype(t), arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
)


@given(st.lists(TENSORS, max_size=4))
def test_tensors_keep_type_shape_and_values(tensors: list[np.ndarray]) -> None:
    data = frames.pack_tensors(tensors)
    assert frames.packed_bytes(tensors) == len(data)
    found = frames.read_tensors(data, len(tensors))
    written = [x.astype(x.dtype.newbyteorder("<")) for x in tensors]
    assert [same(x) for x in found] == [same(x) for x in written]
    for end in range(len(data)):  # cut anywhere, it is fewer tensors or refused, never others
        try:
            part = frames.read_tensors(data[:end], len(tensors))
        except SpecError as e:
            assert "serve-frame" in str(e)
        else:
            assert [same(x) for x in part] == [same(x) for x in written[: len(part)]]


def same(x: np.ndarray) -> tuple[Any, ...]:
    return x.dtype, x.shape, x.tobytes()


def test_a_tensor_is_laid_out_as_the_document_says() -> None:
    assert frames.pack_tensors([np.array([[7, 8]], np.uint8)]) == struct.pack("<4I", 2, 2, 1, 2) + b"\7\x08"
    for number, elements in frames.ELEMENTS.items():
        assert onnx.helper.tensor_dtype_to_np_dtype(number) == elements, "ONNX's numbers"


@given(st.binary(max_size=200))
def test_pages_of_any_bytes_are_read_or_refused(data: bytes) -> None:
    for read in (
        frames.read_identify_page,
        frames.read_status_page,
        frames.read_log_page,
        lambda data: frames.read_tensors(data, 3),
    ):
        try:
            read(data)
        except SpecError as e:
            assert "[serve-frame]" in str(e)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((1, 4, *[2**32 - 1] * 4), "tensor 0 is"),
        ((1, 4, 0, *[2**32 - 1] * 3), "tensor 0 is"),  # no element, and numpy has no such array
        ((2, 3, 0, 2**32 - 1, 2**31 + 1), "tensor 0 is"),
        ((8, 0), "has the type 8"),  # strings
        ((1, 9), "has 9 dimensions"),
        ((2**32 - 1, 2**32 - 1), "dimensions"),
    ],
)
def test_a_tensor_that_claims_more_than_is_there_is_refused(words: tuple[int, ...], text: str) -> None:
    with pytest.raises(SpecError, match=text):
        frames.read_tensors(struct.pack(f"<{len(words)}I", *words), 1)


def test_more_tensors_than_there_are_inputs_are_refused_before_they_are_made() -> None:
    empty = struct.pack("<3I", 1, 1, 0)
    assert len(frames.read_tensors(2 * empty, 2)) == 2
    with pytest.raises(SpecError, match="more than 2 tensors"):
        frames.read_tensors(1_000_000 * empty, 2)


@pytest.mark.parametrize("x", [np.array(["cat"]), np.array(["cat"], object), [{1: 0.5}], np.zeros([1] * 9)])
def test_what_no_frame_carries_is_refused(x: Any) -> None:
    for pack in (frames.pack_tensors, frames.packed_bytes):
        with pytest.raises(SpecError, match=r"\[serve-frame\].*carr"):
            pack([x])
