"""`doit list`: what people type, in groups; and what doit's and our exit codes mean."""

from __future__ import annotations

from tests.flow.conftest import Folder


def test_the_list_has_what_people_type_and_all_on_demand(small: Folder) -> None:
    rows = [line.split() for line in small.doit("list").stdout.splitlines()]
    assert [row[0] for row in rows] == [
        "sim",
        "report",
        "show",
        "plan",
        "gen",
        "dse",
        "build",
        "board",
        "emulate",
        "ci",
    ]
    assert [row[1] for row in rows] == ["run"] * 3 + ["look"] * 2 + ["improve"] + ["Vitis"] * 4
    all_names = {line.split()[0] for line in small.doit("list", "--all").stdout.splitlines()}
    assert {"compile", "link", "images", "xsa", "hls", "package"} < all_names
    assert any(name.startswith("compile:") for name in all_names)


def test_a_step_can_be_typed_and_an_unknown_task_is_doit_s(small: Folder) -> None:
    assert small.doit("plio").returncode == 0
    unknown = small.doit("nonsense")
    assert unknown.returncode == 3 and "nonsense" in unknown.stderr
    without = small.doit("aiecom")
    assert without.returncode == 4 and "aiecom needs v++" in without.stderr
