"""YAML that remembers its lines: right lines for every value, and one clear message for everything else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.errors import SpecError
from aieloom.spec.lines import MAX_BYTES, parse_yaml, read_text

SCALARS = st.one_of(
    st.integers(-1000, 1000),
    st.booleans(),
    st.none(),
    st.text("abc xyz", max_size=6),
    st.floats(-9, 9, width=16),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("abcde", min_size=1), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.text("abcde", min_size=1, max_size=5), VALUES, min_size=1, max_size=4))
def test_data_equals_what_pyyaml_reads(data: dict[str, Any]) -> None:
    for flow in (True, False, None):
        text = yaml.safe_dump(data, default_flow_style=flow)
        assert parse_yaml(text, "f").data == yaml.safe_load(text)


def test_lines_of_keys_items_and_nested_flow_values() -> None:
    source = parse_yaml(
        "name: a\nlayers:\n  - {op: x,\n     kernel: 3}\n  -\n    op: y\nlast: [1,\n  2]\n", "f"
    )
    lines = {
        ("name",): 1,
        ("layers",): 2,
        ("layers", 0): 3,
        ("layers", 0, "op"): 3,
        ("layers", 0, "kernel"): 4,
        ("layers", 1, "op"): 6,
        ("last",): 7,
        ("last", 1): 8,
        ("layers", 1, "absent", "deeper"): 6,  # the nearest parent's
        ("nowhere",): 1,
    }
    assert {path: source.line(path) for path in lines} == lines


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: [1, 2\nc: 3\n", 3, "not valid YAML"),
        ("a: 1\nb: 2\na: 3\n", 3, "'a' stands twice (first on line 1)"),
        ("a: {x: 1,\n  x: 2}\n", 2, "'x' stands twice (first on line 1)"),
        ("- a\n- b\n", 1, "not a mapping"),
        ("", 1, "not a mapping"),
        ("1: a\n", 1, "the key 1 is not a word"),
        ("a: !!python/name:os.system ls\n", 1, "cannot read the value"),
        ("a: 1\nb: !!int many\n", 2, "cannot read the value"),
        ("a:\n\tb: 1\n", 2, "not valid YAML"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(SpecError) as error:
        parse_yaml(text, "net.yaml")
    assert f"net.yaml:{line}: [yaml] " in str(error.value)
    assert words in str(error.value)
    assert "\n  fix: " in str(error.value)


def test_a_tag_that_would_call_python_builds_plain_data() -> None:
    assert parse_yaml("a: !!python/object/apply:os.system [ls]\n", "f").data == {"a": ["ls"]}


def test_a_billion_laughs_and_deep_nesting_and_huge_files_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("aieloom.spec.lines.MAX_NODES", 3000)
    laughs = "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    for was, name in zip("abcdefg", "bcdefgh", strict=True):
        laughs += f"{name}: &{name} [{', '.join(['*' + was] * 10)}]\n"
    deep = "a: " + "[" * 500 + "]" * 500
    for text, words in (
        (laughs, "more than"),
        (deep, "nested too deeply"),
        ("a: " + "x" * MAX_BYTES, "more than"),
    ):
        with pytest.raises(SpecError, match=words):
            parse_yaml(text, "f")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    latin = tmp_path / "latin.yaml"
    latin.write_bytes(b"name: caf\xe9\n")
    for path, words in ((tmp_path / "none.yaml", "no such file"), (latin, "0xe9"), (tmp_path, "a folder")):
        with pytest.raises(SpecError) as error:
            read_text(path, shown_as="network.yaml", remedy="look there")
        assert str(error.value).startswith("network.yaml: [file] ")
        assert words in str(error.value)


def test_windows_line_ends_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    file = tmp_path / "n.yaml"
    file.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")
    assert read_text(file, shown_as="n", remedy="") == "a: 1\nb: 2\n"
