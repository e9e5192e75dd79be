"""The schedule of tasks with line buffers against their definition, step by step, as the generated code does it."""

from __future__ import annotations

from itertools import accumulate
from math import ceil

from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.pl.lines.own_rows import OwnRows, own_rows_of
from aieloom.pl.lines.schedule import (
    SETTLE_CYCLES,
    TURNS,
    Rows,
    Schedule,
    choices,
    least_rows,
    rings,
)

Case = tuple[list[Rows], list[Rows], int]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Return bands and rounds of an image of some rows: a window that slides by strides, at the edges within the image."""
    height, kernel = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    stride, together = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    tops = range(0, height, together)
    bands = [
        Rows(y, min(y + together, height) - 1, min(y + together, height) - 1, draw(st.integers(1, 9)))
        for y in tops
    ]
    words = draw(st.integers(1, 40))
    rounds = []
    for y in range(-draw(st.integers(0, kernel - 1)), height, stride):
        low, high = (min(max(row, 0), height - 1) for row in (y, y + kernel - 1))
        rounds.append(Rows(low, high, high, words))
    return bands, rounds, height


def stepped(plan: Schedule, counts: list[int], images: int) -> list[int]:
    """Return the step after which each image has left, where a beat is there whenever it may come."""
    image = plan.needs[-1]
    came: list[int] = []  # the step of each beat
    sent, number, left, ends, step = 0, 0, counts[0], list[int](), 0
    while sent < images:
        first = sent * image
        whole = sum(1 for at in came if step - at > SETTLE_CYCLES)
        sends = whole >= first + plan.needs[number]
        if len(came) < first + plan.room[number]:
            came.append(step)
        if sends:
            left -= 1
        if sends and not left:
            number += 1
            if number == len(counts):
                number, sent = 0, sent + 1
                ends.append(step + 1)
            left = counts[number]
        step += 1
    return ends


@given(case=cases(), pick=st.integers(0, 20))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_a_schedule_takes_the_steps_that_it_says(case: Case, pick: int) -> None:
    bands, rounds, height = case
    least = least_rows(bands, rounds)
    some = choices(least, height, sum(b.count for b in bands))
    rows = some[pick % len(some)]
    plan = Schedule.of(bands, rounds, rows=rows, turn=height)
    assert some[0] == least
    assert all(need <= room for need, room in zip(plan.needs, plan.room, strict=True)), (
        "a round waits for ever"
    )
    counts = [r.count for r in rounds]
    images = TURNS * -(-plan.room[-1] // plan.needs[-1])  # as many as it counts
    ends = stepped(plan, counts, images)
    mean = (ends[-1] - ends[images // 2 - 1]) / (images - images // 2)
    assert plan.cycles == ceil(mean)
    assert plan.cycles >= max(sum(counts), sum(b.count for b in bands))


def test_rows_of_two_images_and_more_never_hold_a_task_up() -> None:
    """One long round: the next image comes while this one leaves; short images settle several at a time."""
    bands = [Rows(y, y, y, 16) for y in range(32)]
    whole = [Rows(0, 31, 31, 500)]
    cycles = {n: Schedule.of(bands, whole, rows=n, turn=32).cycles for n in (32, 64, 96)}
    assert cycles == {32: 512 + 500 + SETTLE_CYCLES, 64: (512 + 500 + SETTLE_CYCLES) // 2, 96: 512}
    vector = [Rows(0, 0, 0, 4)]
    tried = {n: Schedule.of(vector, vector, rows=n, turn=1).cycles for n in choices(1, 1, 4)}
    assert tried[1] == 4 + 4 + SETTLE_CYCLES
    assert tried[max(tried)] == 4


def test_needs_are_whole_bands_and_the_last_one_the_image() -> None:
    bands = [Rows(0, -1, 0, 5), Rows(0, 1, 1, 5), Rows(2, 2, 2, 5)]
    rounds = [Rows(0, 0, 0, 3), Rows(0, 1, 1, 3)]
    plan = Schedule.of(bands, rounds, rows=3, turn=3)
    assert list(accumulate(b.count for b in bands)) == [5, 10, 15]
    assert plan.needs == (10, 15)
    assert plan.room == (15, 15)


Writers = tuple[list[Rows], list[list[tuple[int, int] | None]], int]


@st.composite
def writers_of_rows(draw: st.DrawFn) -> Writers:
    """Return bands, and for each writer and round the rows that its tile of so many rows sees, of an image of some height."""
    height, kernel, padding = draw(st.integers(3, 24)), draw(st.integers(1, 5)), draw(st.integers(0, 2))
    stride, groups, tile = draw(st.integers(1, 2)), draw(st.integers(2, 8)), draw(st.integers(1, 3))
    results = max(1, (height + 2 * padding - kernel) // stride + 1)
    together = draw(st.integers(1, 4))
    bands = [
        Rows(y, min(y + together, height) - 1, min(y + together, height) - 1, draw(st.integers(1, 5)))
        for y in range(0, height, together)
    ]

    def seen(number: int) -> tuple[int, int] | None:
        first, last = number * tile, min((number + 1) * tile, results) - 1
        low, high = first * stride - padding, last * stride - padding + kernel - 1
        return None if first >= results else (min(max(low, 0), height - 1), min(max(high, 0), height - 1))

    rounds = -(-results // (groups * tile))
    return bands, [[seen(r * groups + g) for r in range(rounds)] for g in range(groups)], height


@given(case=writers_of_rows(), pick=st.integers(0, 20))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_a_writer_that_keeps_its_own_rows_finds_them_whatever_comes_meanwhile(
    case: Writers, pick: int
) -> None:
    bands, seen, height = case
    kept = own_rows_of(seen, height)
    if kept is None:
        return
    assert kept.places < height, "it spares rows"
    rounds = [_round_of([w[r] for w in seen]) for r in range(len(seen[0]))]
    tried = rings(tuple(map(kept.places_of, bands)), tuple(kept.rounds_of(rounds)), kept.places)
    rows, plan = tried[pick % len(tried)]
    for writer in range(len(seen)):
        for upto in (plan.needs, plan.room):
            _check_ring(kept, writer, bands, rows, upto)


def _round_of(tiles: list[tuple[int, int] | None]) -> Rows:
    """Return the rows that all writers' tiles of a round see."""
    real = [t for t in tiles if t]
    low, high = min(t[0] for t in real), max(t[1] for t in real)
    return Rows(low, high, high, 7)


def _check_ring(kept: OwnRows, writer: int, bands: list[Rows], rows: int, upto: tuple[int, ...]) -> None:
    """Bring beats of three images as far as they may come before each round: a tile's rows are there, of its image."""
    places, image_beats = kept.rings(rows)[writer], sum(b.count for b in bands)
    starts = [0, *accumulate(b.count for b in bands)]
    ring: dict[int, tuple[int, int]] = {}
    taken = 0
    for image in range(3):
        for tile, most in zip(kept.seen[writer], upto, strict=True):
            for beat in range(taken, image * image_beats + most):  # a row is written from its first beat on
                came, number = divmod(beat, image_beats)
                if number in starts:
                    band = bands[starts.index(number)]
                    for row in range(band.low, band.touched + 1):
                        if places[row] >= 0:
                            ring[(places[row] + came * kept.places) % rows] = (came, row)
            taken = max(taken, image * image_beats + most)
            for row in range(tile[0], tile[1] + 1) if tile else ():
                assert ring[(places[row] + image * kept.places) % rows] == (image, row)
