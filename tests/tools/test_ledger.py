"""The ledger sees each change of a record, and writes what it reads."""

from __future__ import annotations

from pathlib import Path

import yaml

from tools.ledger.__main__ import differences
from tools.ledger.designs import TOP, designs
from tools.ledger.digests import digests_of, read_digests, write_digests
from tools.ledger.refusals import edits


def record(folder: Path, text: str = "int x;\n", name: str = "a.h") -> Path:
    (folder / "src" / "aie").mkdir(parents=True)
    (folder / "src" / "aie" / name).write_text(text)
    (folder / "check.txt").write_text("exit code 0\n")
    return folder


def test_a_byte_or_a_name_is_another_digest_of_its_part_alone(tmp_path: Path) -> None:
    known = digests_of(record(tmp_path / "known"))
    assert sorted(known) == ["check.txt", "src"]
    assert digests_of(record(tmp_path / "same")) == known
    for other in (
        digests_of(record(tmp_path / "byte", text="int y;\n")),
        digests_of(record(tmp_path / "name", name="b.h")),
    ):
        assert other["src"] != known["src"]
        assert other["check.txt"] == known["check.txt"]


def test_the_ledger_reads_what_it_writes(tmp_path: Path) -> None:
    found = {"xor": {"src": "0123", "check.txt": "4567"}, "iris": {"src": "89ab"}}
    write_digests(tmp_path / "ledger.tsv", found)
    assert read_digests(tmp_path / "ledger.tsv") == found
    assert read_digests(tmp_path / "none.tsv") == {}


def test_differences_are_named() -> None:
    known = {"xor": {"src": "0123", "outputs.npy": "aa"}, "iris": {"src": "89ab"}}
    assert [*differences({"xor": {"src": "0123"}}, known)] == []  # outputs were not asked for
    found = {"xor": {"src": "0124"}, "new": {"src": "1"}}
    assert [*differences(found, known)] == [
        "xor: src is 0124, the ledger has 0123",
        "new: src is 1, the ledger has none",
    ]


def test_each_project_stands_in_the_ledger_and_names_are_names() -> None:
    names = [d.name for d in designs()]
    assert len(set(names)) == len(names)
    for folder in (f.parent.name for f in (TOP / "projects").glob("*/network.yaml")):
        assert any(name.startswith(f"{folder}-") for name in names), folder
    assert all(bool(d.layer) == d.name.startswith("alone-") for d in designs())


def test_an_edit_changes_one_thing() -> None:
    spec = yaml.safe_load("name: x\nlayers:\n- {name: a, op: relu}\n")
    told = dict(edits(spec))
    assert told["layers.0.op misspelt"] == {"name": "x", "layers": [{"name": "a", "opx": "relu"}]}
    assert told["no layers.0"] == {"name": "x", "layers": []}
    assert told["name: -1"] == {"name": -1, "layers": [{"name": "a", "op": "relu"}]}
    assert spec == {"name": "x", "layers": [{"name": "a", "op": "relu"}]}
