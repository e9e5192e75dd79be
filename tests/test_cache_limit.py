"""The cache stays below its limit by itself: what was used longest ago goes, and nobody who reads, writes or runs is harmed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom import cache
from aieloom.cache import hold, kept, load, store, used
from aieloom.emulator.compiler import Unit, compile_unit
from aieloom.emulator.scratch import scratch_folder
from aieloom.lock import held
from aieloom.paths import write_whole

TOP = Path(__file__).resolve().parents[1]
MIB = 1 << 20
WRITES = re.compile(r"(?:cache_folder\(\)|self\.folder(?: = folder)?) / (?:\"(\w+)\"|(FOLDER))")
GIVEN = "emulator/precompiled"  # which is told where the cache is
WORKER = """
import random, sys
from pathlib import Path
from aieloom.cache import load, store
dice, place = random.Random(int(sys.argv[2])), Path(sys.argv[1])
for _ in range(150):
    key = dice.randrange(40)
    file = place / "tensors" / f"{key:064x}"
    data = bytes([key]) * (1000 * key + 1)
    if dice.random() < 0.5:
        store(file, data)
    else:
        assert load(file) in (None, data)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an empty cache that may have a megabyte."""
    monkeypatch.setenv("AIELOOM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(cache.LIMIT, "1M")
    return tmp_path / "cache"


def name(key: int, kind: str = "tensors") -> str:
    return f"{kind}/{key:064x}"


def total(place: Path) -> int:
    return sum(f.stat().st_size for f in place.rglob("*") if f.is_file())


def fill(place: Path, count: int = 40) -> None:
    """Store two megabytes of other things."""
    for key in range(1000, 1000 + count):
        store(place / name(key), bytes(2 * MIB // count))


STEPS = st.lists(
    st.tuples(st.sampled_from(["store", "folder", "load"]), st.integers(0, 15), st.integers(0, 150_000)),
    max_size=60,
)


@settings(max_examples=40)
@given(steps=STEPS)
def test_any_sequence_stays_below_the_limit_and_keeps_what_was_used_last(
    steps: list[tuple[str, int, int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        place = Path(folder)
        patch.setenv("AIELOOM_CACHE", folder)
        patch.setenv(cache.LIMIT, "1M")
        sizes: dict[Path, int] = {}  # the one used last at the end
        for what, key, size in steps:
            entry = place / name(key, "programs" if what == "folder" else "tensors")
            if what == "load":
                if load(entry) is None:
                    continue
                sizes[entry] = sizes.pop(entry)
            else:
                sizes.pop(entry, None)
                sizes[entry] = size + 3 * 4096  # the digest, the rest of a block, a folder's own block
                if what == "store":
                    store(entry, bytes(size))
                else:
                    write_whole(entry / "a" / "program", bytes(size))
                    kept(entry / "a" / "program")
            assert total(place) <= MIB
            newer = 0
            for used_last in reversed(sizes):
                newer += sizes[used_last]
                assert newer > 3 * MIB // 4 or used_last.exists()


FINDS: dict[str, Callable[[Path], object]] = {"load": load, "used": used, "hold": hold}


@pytest.mark.parametrize("find", FINDS)
def test_what_is_found_again_and_again_stays(place: Path, find: str) -> None:
    store(place / name(1), b"asked for")
    store(place / name(2), b"never asked for")
    for key in range(100, 130):
        store(place / name(key), bytes(MIB // 10))
        FINDS[find](place / name(1))
    assert (place / name(1)).is_file() and not (place / name(2)).exists()


def test_an_object_that_is_found_is_used_and_so_is_what_names_it(place: Path, tmp_path: Path) -> None:
    (tmp_path / "k.cc").write_text("int f() { return 1; }\n")
    unit = Unit(source=tmp_path / "k.cc")
    assert compile_unit(unit, tmp_path / "first.o")
    files = [f for kind in ("objects", "manifests") for f in (place / kind).iterdir()]
    for file in files:
        os.utime(file, (1, 1))
    assert not compile_unit(unit, tmp_path / "second.o")
    assert len(files) == 2 and all(f.stat().st_mtime > 1 for f in files)


def test_processes_that_read_and_write_at_once_find_what_was_stored_or_nothing(place: Path) -> None:
    words = [sys.executable, "-c", WORKER, str(place)]
    running = [subprocess.Popen([*words, str(seed)], stderr=subprocess.PIPE) for seed in range(3)]
    assert [(r.communicate()[1], r.returncode) for r in running] == [(b"", 0)] * 3
    store(place / name(100), b"the last")
    assert MIB // 4 < total(place) <= MIB
    assert load(place / name(100)) == b"the last"


LOCKS: dict[str, Callable[[Path], AbstractContextManager[object]]] = {
    "a build": held,
    "a build within": lambda entry: held(entry / "net" / "build"),
    "a run": lambda entry: scratch_folder(entry, []),
}


@pytest.mark.parametrize("lock", LOCKS)
def test_what_is_locked_stays_until_it_is_not(place: Path, lock: str) -> None:
    entry = place / name(1, "programs")
    write_whole(entry / "program", bytes(5000))
    with LOCKS[lock](entry):
        fill(place)
        assert (entry / "program").is_file() and total(place) <= MIB
    fill(place)
    assert not entry.exists()


def test_a_folder_that_a_process_holds_stays_to_its_end(place: Path) -> None:
    entry = place / name(1, "sessions")
    write_whole(entry / "net" / "network.yaml", b"name: n\n")
    code = f"from pathlib import Path; from aieloom.cache import hold; hold(Path({str(entry / 'net')!r})); print(); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdin and other.stdout and other.stdout.readline() == b"\n"
        fill(place)
        assert (entry / "net" / "network.yaml").is_file()
        other.stdin.write(b"\n")
    fill(place)
    assert not entry.exists()


@pytest.mark.parametrize(
    ("said", "limit"),
    [
        ("2G", 2 << 30),
        ("500MB", 500 << 20),
        ("3KiB", 3 << 10),
        ("4096", 4096),
        ("much", 1 << 30),
        ("", 1 << 30),
        ("0", None),
    ],
)
def test_the_limit_is_what_the_environment_says(
    said: str, limit: int | None, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    monkeypatch.setattr(cache, "_prune", lambda _, limit: seen.append(limit))
    monkeypatch.setenv(cache.LIMIT, said)
    store(place / name(1), b"first")
    assert seen == ([] if limit is None else [limit])


def test_a_warm_cache_is_not_looked_through(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.LIMIT, "1G")
    store(place / name(1), b"first")
    monkeypatch.setattr(cache, "_prune", lambda *_: pytest.fail("looked at everything"))
    for key in range(200):
        store(place / name(key), bytes(1000))
        assert load(place / name(1))


def test_what_is_not_aielooms_stays(place: Path) -> None:
    others = [place / "mine" / ("a" * 64), place / "objects" / "notes.txt", place / ("b" * 64)]
    for file in others:
        write_whole(file, bytes(MIB))
        os.utime(file, (1, 1))
        assert used(file) is None and file.stat().st_mtime == 1
    fill(place)
    assert all(f.is_file() for f in others)
    outside = place.parent / "objects" / ("a" * 64)
    store(outside, bytes(2 * MIB))
    assert load(outside) == bytes(2 * MIB)


def test_nothing_fails_where_nobody_can_write(place: Path) -> None:
    (place / cache.GROWN).mkdir(parents=True)
    store(place / name(1), b"kept all the same")
    assert load(place / name(1)) == b"kept all the same"
    for say in (used, kept, hold):
        say(place / name(2))
    assert not (place / name(2)).exists()


@pytest.mark.parametrize(("quiet", "lines"), [("0", 1), ("1", 0)])
def test_one_line_tells_of_much(
    quiet: str,
    lines: int,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AIELOOM_QUIET", quiet)
    fill(place, 200)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(cache, "LARGE", MIB // 4)
    (place / cache.GROWN).write_bytes(b"")
    write_whole(place / name(1), bytes(MIB))
    store(place / name(2), b"and then")
    told = capsys.readouterr()
    assert (
        told.out == ""
        and len(told.err.splitlines()) == lines
        and ("1 MB used longest ago" in told.err) == bool(lines)
    )


def _kinds() -> Iterator[str]:
    """Yield the folders of the cache that sources name."""
    for file in sorted((TOP / "scripts" / "aieloom").rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        inside = file.relative_to(TOP / "scripts" / "aieloom").with_suffix("").as_posix()
        if "cache_folder()" not in text and inside != GIVEN:
            continue
        own = re.search(r'^FOLDER = "(\w+)"', text, re.MULTILINE)
        for word, constant in WRITES.findall(text):
            yield own[1] if constant and own else word


def test_every_folder_that_a_source_names_is_held_below_the_limit() -> None:
    found = {k for k in _kinds() if k}
    known = {k for k in found if cache._ENTRY.match(f"{k}/{'a' * 20}")}
    assert found - known == set() and len(known) == 13
