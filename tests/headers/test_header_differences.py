"""What our headers take, give and refuse is what the real ones do, but for differences that are meant (allowed/).

XRT of Debian's libxrt-dev judges where it is installed; the others where AIELOOM_ORACLES names a folder that `bash scripts/oracles`
has filled. With XRT 2.13 alone the table's notes say what 2.20 takes; where both are at hand the notes are tested too.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.emit.compiling import compiler
from tests.headers.differ import HERE, Row, judge, read_allowed, unexpected, wrong_versions
from tests.headers.places import LIBXRT, places
from tests.headers.table import Table, read, read_text

TABLES = tuple(sorted(f.stem for f in (HERE / "tables").glob("*.tab")))
DEBIANS = "2.13"


def differences(table: Table, rows: list[Row]) -> str:
    """Return what nobody meant."""
    allowed = read_allowed(HERE / "allowed" / f"{table.name}.txt")
    return "\n".join(unexpected(rows, allowed) + wrong_versions(rows))


@pytest.mark.parametrize("name", TABLES)
def test_every_difference_is_meant(name: str, tmp_path: Path) -> None:
    compiler("clang++")
    table = read(HERE / "tables" / f"{name}.tab", places())
    if table.versions[0] not in table.real:
        pytest.skip(f"{name}: the headers are not here: bash scripts/oracles DIR, then AIELOOM_ORACLES=DIR")
    assert differences(table, judge(table, tmp_path)) == ""


@pytest.mark.skipif(not (LIBXRT / "xrt/xrt_graph.h").is_file(), reason="Debian's libxrt-dev is not installed")
def test_every_difference_from_debian_s_xrt_is_meant(tmp_path: Path) -> None:
    compiler("clang++")
    table = read(HERE / "tables/xrt.tab", places())
    table.real = {DEBIANS: table.real[DEBIANS]}
    assert differences(table, judge(table, tmp_path)) == ""


SOME = """\
@ours -std=c++17
@real a -std=c++17
@real b -std=c++17
@only ours struct S { int x; explicit S(int); void f(); void h(); long v(); }; using T = int; extern S s;
@only real struct S { int x; S(int); void g(); long v(); }; using T = long; extern S s;
@group some
s.x
s.f()
s.g()
s.h()
s.v()
S t = 1;
S t(1);
T()
nothing
"""


def test_differences_and_versions_would_be_seen(tmp_path: Path) -> None:
    """Each verdict, a difference that is meant, one that is none any more, and a note that is wrong."""
    compiler("clang++")
    table = read_text("some", SOME.replace("s.v()", "s.v() //! by b"), {})
    rows = judge(table, tmp_path)
    assert [r.verdict for r in rows] == [
        *("both", "permissive", "strict", "permissive", "both", "strict", "both", "type", "neither"),
    ]
    assert wrong_versions(rows) == ["s.v()  //! by a b"]
    allowed = {("permissive", "s.f()"): "x", ("strict", "s.x"): "y"}
    told = unexpected(rows, allowed)
    assert [line.split("\n")[0] for line in told] == [
        "strict [some] s.g()",
        "permissive [some] s.h()",
        "strict [some] S t = 1;",
        "type [some] T()",
        "no difference any more: strict s.x",
    ]


def test_a_version_that_is_not_here_judges_by_its_notes(tmp_path: Path) -> None:
    compiler("clang++")
    table = read_text(
        "some", SOME.replace("s.g()", "s.g() //! by b").replace("a -std", "a ${NOWHERE} -std"), {}
    )
    assert list(table.real) == ["b"]
    rows = judge(table, tmp_path)
    assert [r.verdict for r in rows][1:3] == ["permissive", "neither"]
    assert not wrong_versions(rows)
