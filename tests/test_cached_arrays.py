"""Arrays kept between runs: the same back, in order, of any name; made again when their key or the file is another."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.cache import store
from aieloom.cached_arrays import cached_arrays, digest
from aieloom.emit.files import write_text
from aieloom.network.weights import read_tensors


def _refused() -> dict[str, np.ndarray]:
    raise AssertionError("made again")


@settings(deadline=None, max_examples=30)
@given(
    names=st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), unique=True)
)
def test_any_names_and_their_order_come_back(
    names: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("kept") / "deep" / "arrays.npz"
    arrays = {name: np.arange(i, dtype=np.float32).reshape(1, i) for i, name in enumerate(names)}
    cached_arrays(file, "k", lambda: arrays)
    again = cached_arrays(file, "k", _refused)
    assert list(again) == names
    assert all(np.array_equal(again[n], a) and again[n].dtype == a.dtype for n, a in arrays.items())


def test_another_key_or_a_damaged_file_is_made_again(tmp_path: Path) -> None:
    file = tmp_path / "arrays.npz"
    cached_arrays(file, "one", lambda: {"a": np.zeros(3)})
    assert cached_arrays(file, "two", lambda: {"a": np.ones(3)})["a"].sum() == 3
    whole = file.read_bytes()
    for damaged in (b"", b"PK", whole[:-40], whole[: len(whole) // 2], b"\x80\x04."):
        file.write_bytes(damaged)
        assert cached_arrays(file, "two", lambda: {"a": np.full(3, 7.0)})["a"].sum() == 21
        assert cached_arrays(file, "two", _refused)["a"].sum() == 21, "and kept"
    assert [f.name for f in tmp_path.iterdir()] == ["arrays.npz"], "nothing temporary stays"


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file, not a folder")
    assert cached_arrays(tmp_path / "taken" / "arrays.npz", "k", lambda: {"a": np.ones(2)})["a"].sum() == 2


def test_a_digest_tells_parts_types_and_shapes_apart() -> None:
    parts: list[tuple[str | np.ndarray, ...]] = [
        ("ab", "c"),
        ("a", "bc"),
        (np.zeros(4, np.int8),),
        (np.zeros(1, np.int32),),
        (np.zeros((2, 2), np.int8),),
    ]
    assert len({digest(*p) for p in parts}) == len(parts)


def test_pytorch_is_started_once_for_a_weights_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a refused file is refused every time."""
    torch = pytest.importorskip("torch")
    monkeypatch.setenv("AIELOOM_CACHE", str(tmp_path / "cache"))
    first, second, bad = tmp_path / "w.pt", tmp_path / "elsewhere.pt", tmp_path / "bad.pt"
    torch.save(
        {"z.weight": torch.arange(6.0).reshape(2, 3), "a.bias": torch.ones(2, dtype=torch.float64)}, first
    )
    wanted = read_tensors(first, shown_as="w.pt")
    second.write_bytes(first.read_bytes())
    bad.write_bytes(first.read_bytes()[:-100])
    for _ in range(2):
        with pytest.raises(Exception, match="is truncated or damaged"):
            read_tensors(bad, shown_as="bad.pt")
    monkeypatch.setitem(sys.modules, "torch", None)  # importing it fails from here on
    found = read_tensors(second, shown_as="elsewhere.pt")
    assert list(found) == list(wanted) == ["z.weight", "a.bias"]
    assert all(np.array_equal(found[n], wanted[n]) for n in wanted)


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o002, 0o664), (0o077, 0o600)])
def test_files_of_the_user_follow_the_umask_and_what_is_kept_is_nobody_else_s(
    mask: int, mode: int, tmp_path: Path
) -> None:
    before = os.umask(mask)
    try:
        write_text(tmp_path / "new" / "network.yaml", "name: n\n")
        store(tmp_path / "cache" / "found", b"kept")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new" / "network.yaml").stat().st_mode) == mode
    assert stat.S_IMODE((tmp_path / "cache" / "found").stat().st_mode) == 0o600
    assert sorted(f.name for f in tmp_path.rglob("*") if f.is_file()) == ["found", "network.yaml"]
