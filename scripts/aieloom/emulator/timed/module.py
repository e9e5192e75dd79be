"""LLVM's text of a module, cut into its definitions: just as much as is needed to take bodies out and to add attributes.

The text of LLVM 14 is read [LLVM Language Reference Manual]; a definition ends with the first line that is "}" alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

_NAME = re.compile(r'@("[^"]*"|[\w.$-]+)')
_HEAD = re.compile(r'^(?:define|declare) .*?@("[^"]*"|[\w.$-]+)\(')
_DEBUG = re.compile(r"!dbg !(\d+)")
_NODE = re.compile(r"^!(\d+) = (?:distinct )?(.*)$", re.MULTILINE)
_RESTRICTED = re.compile(
    r"(?:^|, )(i\d+|float|double)\* noalias [^,%]*(%[\w.$-]+)(?=,|$)"
)  # parameters: pointers to numbers
_LINKAGES = "private|internal|linkonce_odr|linkonce|weak_odr|weak|available_externally"


def closing(text: str, begin: int) -> int:
    """Return the place of the parenthesis that closes the one at `begin`; strings are left out."""
    depth, quoted = 0, False
    for i in range(begin, len(text)):
        c = text[i]
        if c == '"':
            quoted = not quoted
        elif not quoted and c in "([{<":
            depth += 1
        elif not quoted and c in ")]}>":
            depth -= 1
            if depth == 0:
                return i
    return len(text)


def split_list(text: str) -> list[str]:
    """Split at the commas outside of brackets and strings."""
    parts, depth, quoted, begin = [], 0, False, 0
    for i, c in enumerate(text):
        if c == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif c in "([{<":
            depth += 1
        elif c in ")]}>":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
    return [*parts, text[begin:].strip()] if text.strip() else []


def function_of(text: str) -> str:
    """Return the name of the function that a text begins with; empty when it begins otherwise."""
    found = _HEAD.match(text)
    return found[1] if found else ""


@dataclass(frozen=True)
class Definition:
    """A function's head, from `define` to `{`, and the lines of its body."""

    name: str
    head: str
    body: tuple[str, ...]

    @cached_property
    def calls(self) -> frozenset[str]:
        """Every name of the module that the body uses: functions it may call, and variables."""
        return frozenset(n for line in self.body if "@" in line for n in _NAME.findall(line))

    @property
    def debug(self) -> str:
        """The number of the function's debug node; empty without one."""
        found = _DEBUG.search(self.head)
        return found[1] if found else ""

    @property
    def _brackets(self) -> tuple[int, int]:
        """Where the parentheses of the head are."""
        begin = _HEAD.match(self.head).end() - 1  # type: ignore[union-attr]
        return begin, closing(self.head, begin)

    @property
    def parameters(self) -> str:
        """What stands between the parentheses of the head."""
        begin, end = self._brackets
        return self.head[begin + 1 : end]

    def plain_head(self) -> str:
        """Return the head up to the closing parenthesis, without linkage."""
        head = self.head[: self._brackets[1] + 1]
        return re.sub(rf"^define (?:(?:{_LINKAGES}) )?", "define ", head)

    def as_exported(self, attribute: str) -> Definition:
        """Return it with a linkage under which optimisation may rely on the body, and with one more attribute."""
        tail = re.sub(r" comdat(?:\([^)]*\))?", "", self._tail(attribute))
        return replace(self, head=self.plain_head() + tail)

    def stronger(self) -> Definition:
        """Return it as the one definition of its name, where others of the same text may stand."""
        return self if re.match(r"define (?:internal|private) ", self.head) else self.as_exported("")

    def with_objects(self, function: str) -> Definition:
        """Return it with its restricted pointers to numbers handed through a function.

        What they point to keeps a name of its own; of `restrict` nothing else is left in the text once the definition stands
        where it was called.
        """
        body = "\n".join(self.body)
        calls = []
        for n, (kind, name) in enumerate(_RESTRICTED.findall(self.parameters)):
            body = re.sub(rf"{re.escape(name)}(?![\w.$-])", f"%aieloom.object{n}", body)
            calls.append(f"  %aieloom.object{n} = call {kind}* @{function}{kind}({kind}* {name})")
        return replace(self, body=(*calls, *body.split("\n"))) if calls else self

    def with_attribute(self, attribute: str) -> Definition:
        """Return it with one more attribute, its linkage as it is."""
        return replace(self, head=self.head[: self._brackets[1] + 1] + self._tail(attribute))

    def _tail(self, attribute: str) -> str:
        tail = self.head[self._brackets[1] + 1 :]
        return re.sub(r" #(\d+)", rf" #\1 {attribute}".rstrip(), tail, count=1)

    def __str__(self) -> str:
        return "\n".join((self.head, *self.body, "}"))


class Module:
    """A module's text: its definitions by name, and the lines between them."""

    def __init__(self, text: str) -> None:
        self._parts: list[str | Definition] = []
        self.definitions: dict[str, Definition] = {}
        self._read(text.splitlines())

    def _read(self, lines: list[str]) -> None:
        plain: list[str] = []
        it = iter(lines)
        for line in it:
            found = _HEAD.match(line)
            if line.startswith("define ") and found:
                body = tuple(_until_brace(it))
                made = Definition(found[1], line, body)
                self._parts += ["\n".join(plain), made]
                self.definitions[made.name] = made
                plain = []
                continue
            plain.append(line)
        self._parts.append("\n".join(plain))

    @cached_property
    def callers(self) -> dict[str, set[str]]:
        """The definitions that use a name."""
        found: dict[str, set[str]] = {}
        for name, d in self.definitions.items():
            for called in d.calls:
                found.setdefault(called, set()).add(name)
        return found

    @cached_property
    def nodes(self) -> dict[str, str]:
        """Metadata nodes by number."""
        return dict(_NODE.findall(str(self._parts[-1])))

    @cached_property
    def _apart(self) -> frozenset[str]:
        groups = re.findall(r"^attributes (#\d+) = \{(.*)\}$", str(self._parts[-1]), re.MULTILINE)
        return frozenset(
            number for number, text in groups if re.search(r"\b(noinline|optnone|naked)\b", text)
        )

    def is_kept_apart(self, definition: Definition) -> bool:
        """Whether a function says itself that it is not to be inlined."""
        found = re.search(r" (#\d+)", definition.head[len(definition.plain_head()) - 2 :])
        return bool(found and found[1] in self._apart)

    def file_of(self, definition: Definition) -> str:
        """Return the file in which a function stands; empty when nothing says it."""
        node = self.nodes.get(definition.debug, "")
        file = re.search(r"\bfile: !(\d+)", node)
        text = self.nodes.get(file[1], "") if file else ""
        name, folder = re.search(r'filename: "([^"]*)"', text), re.search(r'directory: "([^"]*)"', text)
        if not name:
            return ""
        return name[1] if name[1].startswith("/") or not folder else f"{folder[1]}/{name[1]}"

    def rewritten(self, changes: Mapping[str, Definition | str], more: Iterable[str] = ()) -> str:
        """Return the module's text with some definitions replaced, and lines added at its end."""
        parts = [str(changes.get(p.name, p)) if isinstance(p, Definition) else p for p in self._parts]
        return "\n".join([*parts, *more, ""])


def _until_brace(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if line == "}":
            return
        yield line


def reaching(module: Module, wanted: frozenset[str]) -> frozenset[str]:
    """Return the definitions that call one of `wanted`, directly or through others."""
    found, todo = set(wanted), list(wanted)
    while todo:
        for caller in module.callers.get(todo.pop(), ()):
            if caller not in found:
                found.add(caller)
                todo.append(caller)
    return frozenset(found)
