"""Numbers, lines and files as they are printed and written."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aieloom.cpp_text import LINE, float_literal, header, joined, wrap
from aieloom.emit.files import checked_path, write_text, write_tree
from aieloom.errors import SpecError
from aieloom.words import plural

LITERAL = re.compile(r"-?(\d+\.\d*|\d+e[+-]?\d+|\d+\.\d+e[+-]?\d+)F")


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float_literal_reads_back_as_the_same_float(value: float) -> None:
    text = float_literal(value)
    assert LITERAL.fullmatch(text), text
    back = np.float32(text[:-1])
    assert back == np.float32(value)
    assert math.copysign(1, back) == math.copysign(1, value), "-0 stays -0"


def test_literals_are_short() -> None:
    found = [float_literal(v) for v in (0.0, 1.0, -1.0, 0.5, 0.1, 128.0, 1e-30, 3e38, 1 / 3)]
    assert found == ["0.0F", "1.0F", "-1.0F", "0.5F", "0.1F", "128.0F", "1e-30F", "3e+38F", "0.33333334F"]


@given(st.lists(st.text("0123456789.", min_size=1, max_size=30)), st.integers(0, 20))
def test_wrapped_lines_keep_every_item_and_stay_in_the_page(items: list[str], indent: int) -> None:
    lines = wrap(items, indent)
    assert " ".join(lines).split() == [f"{item}," for item in items]
    assert all(indent + len(line) <= LINE for line in lines)


def test_words() -> None:
    assert [plural(n, "tile") for n in (0, 1, 2)] == ["0 tiles", "1 tile", "2 tiles"]
    assert (joined((4, 2, 4)), joined([1, 2], " x ")) == ("4, 2, 4", "1 x 2")
    text = header("src/aie/a.h", "what", "proj", "1.2", comment="#")
    assert text.splitlines()[0] == "# a.h: what."
    assert "doit gen project=proj" in text


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "a/.."])
def test_generated_files_stay_in_their_folder(path: str) -> None:
    with pytest.raises(ValueError, match="may not leave its folder"):
        checked_path(path)


def test_an_equal_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b.h"
    assert write_text(file, "x\n")
    os.utime(file, (1, 1))
    assert not write_text(file, "x\n")
    assert file.stat().st_mtime == 1
    assert write_text(file, "y\n")
    assert file.read_text() == "y\n"
    assert [p.name for p in file.parent.iterdir()] == ["b.h"], "no temporary file stays behind"


def test_a_tree_is_written_and_what_is_no_longer_in_it_removed(tmp_path: Path) -> None:
    owned = ("src/aie", "src/pl")
    tree = {"src/aie/a.h": "a", "src/pl/p.cpp": "p", "src/system.cfg": "s"}
    assert sorted(write_tree(tmp_path, tree, owned=owned)) == sorted(tree)
    (tmp_path / "src" / "mine.txt").write_text("the user's")
    assert write_tree(tmp_path, tree, owned=owned) == []
    assert write_tree(tmp_path, {"src/aie/b.h": "b", "src/system.cfg": "s"}, owned=owned) == ["src/aie/b.h"]
    left = sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file())
    assert left == ["src/aie/b.h", "src/mine.txt", "src/system.cfg"]


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.h"
    write_text(file, "old")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_text(file, "new")
    monkeypatch.undo()
    assert file.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.h"]
    assert write_text(file, "new")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "build").write_text("a file where the folder should be")
    with pytest.raises(SpecError) as error:
        write_tree(tmp_path / "build", {"src/a.h": "x"}, owned=())
    assert "[write] cannot write here" in str(error.value)
    assert "build elsewhere" in str(error.value)
