"""YAML that remembers its lines: plain data beside a map from each key's path to its line."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import yaml

from aieloom.errors import Problem, SpecError

KeyPath: TypeAlias = tuple[str | int, ...]

MAX_BYTES = 1_000_000  # a network description is a few kilobytes; more is a mistake or an attack
MAX_NODES = 100_000  # aliases can multiply nodes without bound ("billion laughs")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A YAML file's data with the line of every key and item.

    `lines` maps a path such as `("layers", 2, "kernel")` to its 1-based line, `columns` to its column there.
    """

    name: str
    data: dict[str, object]
    lines: dict[KeyPath, int]
    columns: dict[KeyPath, int] = field(default_factory=dict)

    def line(self, path: KeyPath) -> int:
        """Return the line of `path`, or of its nearest parent that has one (0 when there is none)."""
        return next((self.lines[p] for p in _parents(path) if p in self.lines), 0)

    def column(self, path: KeyPath) -> int:
        """Return the column of what `line` tells the line of; 0 where only the line is known."""
        return next((self.columns.get(p, 0) for p in _parents(path) if p in self.lines), 0)

    def problem(self, rule: str, path: KeyPath, text: str, remedy: str) -> Problem:
        """Return a finding that points at `path` of this file."""
        return Problem(
            rule=rule,
            text=text,
            remedy=remedy,
            file=self.name,
            line=self.line(path),
            column=self.column(path),
        )


def _parents(path: KeyPath) -> Iterator[KeyPath]:
    """Yield a path and its parents, the longest first."""
    return (path[:end] for end in range(len(path), -1, -1))


class _Builder:
    """Turns YAML nodes into plain data while noting lines; refuses duplicate keys and exploding aliases."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: dict[KeyPath, int] = {}
        self.columns: dict[KeyPath, int] = {}
        self.nodes = 0
        self.scalars = yaml.SafeLoader("")

    def fail(self, line: int, text: str, remedy: str) -> SpecError:
        return SpecError(rule="yaml", text=text, remedy=remedy, file=self.name, line=line)

    def note(self, path: KeyPath, mark: yaml.Mark) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise self.fail(
                mark.line + 1, f"more than {MAX_NODES} values", "remove the repeated aliases (&name, *name)"
            )
        self.lines.setdefault(path, mark.line + 1)
        self.columns.setdefault(path, mark.column + 1)

    def build(self, node: yaml.Node, path: KeyPath, mark: yaml.Mark) -> object:
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path, mark)
        self.note(path, mark)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(n, (*path, i), n.start_mark) for i, n in enumerate(node.value)]
        return self.scalar(node)

    def mapping(self, node: yaml.MappingNode, path: KeyPath, mark: yaml.Mark) -> dict[str, object]:
        self.note(path, mark)
        found: dict[str, object] = {}
        for key_node, value in node.value:
            line = key_node.start_mark.line + 1
            key = self.scalar(key_node) if isinstance(key_node, yaml.ScalarNode) else None
            if not isinstance(key, str):
                raise self.fail(line, f"the key {key!r} is not a word", "use words as keys; quote numbers")
            if key in found:
                first = self.lines[(*path, key)]
                raise self.fail(line, f"'{key}' stands twice (first on line {first})", "keep one of the two")
            found[key] = self.build(value, (*path, key), key_node.start_mark)
        return found

    def scalar(self, node: yaml.Node) -> Hashable:
        try:
            value: Hashable = self.scalars.construct_object(node)
        except (yaml.YAMLError, ValueError, OverflowError) as e:
            raise self.fail(
                node.start_mark.line + 1, f"cannot read the value: {e}", "quote it to make it a text"
            ) from e
        return value


def parse_yaml(text: str, name: str) -> SourceFile:
    """Parse YAML text; `name` is how messages call the file.

    Raises:
        SpecError: the text is not YAML, is not a mapping at the top, repeats a key, or is unreasonably large.
    """
    builder = _Builder(name)
    if len(text) > MAX_BYTES:
        raise builder.fail(
            0, f"{len(text)} characters, more than {MAX_BYTES}", "keep weights and data in other files"
        )
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        line = mark.line + 1 if mark else 0
        what = getattr(e, "problem", None) or str(e).splitlines()[0]
        raise builder.fail(
            line, f"not valid YAML: {what}", "check brackets, indentation and colons near this line"
        ) from e
    except RecursionError as e:
        raise builder.fail(0, "nested too deeply", "a network description needs three levels") from e
    if not isinstance(node, yaml.MappingNode):
        raise builder.fail(1, "the file is not a mapping of keys to values", "start with 'name: mynet'")
    try:
        data = builder.mapping(node, (), node.start_mark)
        return SourceFile(name, data, builder.lines, builder.columns)
    except RecursionError as e:
        raise builder.fail(0, "nested too deeply", "a network description needs three levels") from e


def read_text(path: Path, *, shown_as: str, remedy: str) -> str:
    """Read a UTF-8 file the user named; every failure is one clear message."""
    if path.exists() and not path.is_file():  # reading a pipe would wait for its writer for ever
        text = "is no file that can be read (a folder, a pipe or a device)"
        raise SpecError(rule="file", file=shown_as, text=text, remedy=remedy)
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError as e:
        raise SpecError(rule="file", file=shown_as, text="there is no such file", remedy=remedy) from e
    except UnicodeDecodeError as e:
        what = f"not UTF-8 text (byte {e.start} is 0x{e.object[e.start]:02x})"
        raise SpecError(rule="file", file=shown_as, text=what, remedy="save it as UTF-8") from e
    except OSError as e:
        raise SpecError(rule="file", file=shown_as, text=e.strerror or str(e), remedy=remedy) from e
