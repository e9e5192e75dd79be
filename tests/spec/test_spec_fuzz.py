"""Whatever is in the file: it is read, or refused with one clear message; nothing else ever comes out."""

from __future__ import annotations

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from aieloom.errors import SpecError
from aieloom.plan.types import ArrayPart
from tests.designs import ESPCN, FILE, SMALL, network_of, plan_of

LINES = ESPCN.splitlines()
TOKENS = re.findall(r"[\w.*/-]+|[{}\[\]:,]", ESPCN)
SCALARS = [
    "",
    "null",
    "~",
    "yes",
    "-1",
    "0",
    "1e9",
    "99999999999999999999",
    ".inf",
    ".nan",
    "'x'",
    "[]",
    "{}",
]
SCALARS += [
    "[1, 2]",
    "{a: 1}",
    "conv1",
    "2001-01-01",
    "0x10",
    "!!binary aGk=",
    "&a b",
    "*a",
    "\t",
    "é",
    "? a",
    "|",
]


def refused_well(text: str) -> None:
    """Read `text`; a refusal must name the file, a rule and a remedy."""
    try:
        network_of(text)
    except SpecError as e:
        for line in str(e).splitlines():
            assert re.match(rf"{FILE}(:\d+)?: \[[a-z]+(-\d)?\] \S|  fix: \S|    ", line), line
        assert "  fix: " in str(e)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(TOKENS) - 1), st.sampled_from(SCALARS))
def test_any_word_replaced(index: int, scalar: str) -> None:
    words = iter(range(len(TOKENS)))
    text = re.sub(r"[\w.*/-]+|[{}\[\]:,]", lambda m: scalar if next(words) == index else m[0], ESPCN)
    refused_well(text)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(LINES) - 1), st.sampled_from(["drop", "double", "indent", "swap"])),
        max_size=3,
    )
)
@example([(6, "drop")])
def test_any_lines_dropped_doubled_indented_or_swapped(changes: list[tuple[int, str]]) -> None:
    lines = list(LINES)
    for index, change in changes:
        i = index % len(lines)
        if change == "drop":
            del lines[i]
        elif change == "double":
            lines.insert(i, lines[i])
        elif change == "indent":
            lines[i] = "  " + lines[i]
        else:
            lines[0], lines[i] = lines[i], lines[0]
    refused_well("\n".join(lines) + "\n")


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab:-[]{}#&*!|>'\"%@`,? \n\t0\x00é\ud800", max_size=40))
def test_any_text(text: str) -> None:
    refused_well(text)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(1, 80), min_size=3, max_size=3),
    st.sampled_from(["[4, 2, 4]", "[2, 2, 2]", "[2, 4, 2]", "[2, 8, 2]", "[4, 4, 1]", "[3, 3, 3]"]),
    st.sampled_from(["single", "ping_pong"]),
    st.sampled_from([32, 64, 128]),
    st.one_of(st.none(), st.integers(1, 9)),
    st.one_of(st.none(), st.tuples(*[st.integers(0, 60)] * 2, *[st.integers(1, 9)] * 2)),
)
def test_any_mapping_plans_or_is_refused_on_its_line(  # noqa: PLR0917
    tile: list[int],
    mmul: str,
    buffers: str,
    plio: int,
    groups: int | None,
    place: tuple[int, ...] | None,
) -> None:
    mapping = f"tile: {tile}, mmul: {mmul}, buffers: {buffers}, plio: {plio}"
    mapping += f", groups: {groups}" if groups else ""
    mapping += ", place: {{col: {}, row: {}, cols: {}, rows: {}}}".format(*place) if place else ""
    text = SMALL.replace("  second: {tile: [4, 36, 20], mmul: [4, 2, 4]}", f"  second: {{{mapping}}}")
    assert mapping in text
    try:
        plan = plan_of(text)
    except SpecError as e:
        assert str(e).startswith(f"{FILE}:"), str(e)
        assert "  fix: " in str(e)
    else:
        assert isinstance(plan, ArrayPart)
        assert (plan.aie[1].grid.tile_m, plan.aie[1].grid.tile_k, plan.aie[1].grid.tile_n) == tuple(tile)
