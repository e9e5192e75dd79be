"""The examples of docs/errors.md: for each rule what breaks it, and the message that follows.

A rule is a heading, a sentence, then blocks: its example. `<!-- example: graph -->` above a block says what
it is a part of; without it, it is about the small project that the document shows first:

- `yaml` is that project, `diff` an edit of its network.yaml (or of the file in `--- name`), `python` a program in its
  folder, `console` commands there (without one: `aieloom check .`),
- `cpp` or `diff` with a kind belongs to a program of tests/conformance, which compiles all of a kind at once,
- `text` is the message. AIELOOM_REGEN=1 writes it anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "errors.md"
PROJECT = "project"
_RULE = re.compile(r"^### `([a-z0-9-]+)`$", re.MULTILINE)
_BLOCK = re.compile(r"(?:<!-- example: ([a-z-]+) -->\n)?```(\w+)\n(.*?)```\n", re.DOTALL)
_NOISE = re.compile(
    r" +\d* \||  see: "
)  # the excerpt of the file and the link are the same for every message


@dataclass(frozen=True, slots=True)
class Example:
    """What the document shows for a rule. `message` is the text block as it stands."""

    rule: str
    kind: str
    blocks: tuple[tuple[str, str], ...]  # language, text
    message: str

    def of(self, language: str) -> list[str]:
        """Return its blocks of a language."""
        return [text for name, text in self.blocks if name == language]


def text_of_document() -> str:
    """Return the document."""
    return DOCUMENT.read_text(encoding="utf-8")


def project_yaml() -> str:
    """Return the network.yaml that the examples edit: the document's first yaml block."""
    found = re.search(r"```yaml\n(.*?)```", text_of_document(), re.DOTALL)
    assert found
    return found[1]


def examples(*kinds: str) -> dict[str, Example]:
    """Return the document's examples, by rule; of some kinds alone where they are named."""
    text = text_of_document()
    found: dict[str, Example] = {}
    for rule, part in _parts(text):
        blocks = [(kind or PROJECT, language, body) for kind, language, body in _BLOCK.findall(part)]
        if not blocks:
            continue
        kind = next((k for k, _, _ in blocks if k != PROJECT), PROJECT)
        shown = tuple((language, body) for _, language, body in blocks if language != "text")
        message = next((body for _, language, body in blocks if language == "text"), "")
        assert rule not in found, f"two examples for {rule}"
        found[rule] = Example(rule=rule, kind=kind, blocks=shown, message=message)
    return {rule: e for rule, e in found.items() if not kinds or e.kind in kinds}


def rules() -> tuple[str, ...]:
    """Return every rule that the document has a heading for."""
    return tuple(m[1] for m in _RULE.finditer(text_of_document()))


def links() -> dict[str, Path]:
    """Return, by rule, the test in which its example is, where the document only points there."""
    found: dict[str, Path] = {}
    for rule, part in _parts(text_of_document()):
        target = re.search(r"^Example: .*\]\((\.\./tests/[^)]+)\)", part, re.MULTILINE)
        if target and not _BLOCK.search(part):
            found[rule] = (DOCUMENT.parent / target[1]).resolve()
    return found


def _parts(text: str) -> Iterator[tuple[str, str]]:
    starts = [*_RULE.finditer(text)]
    ends = [*(m.start() for m in starts[1:]), len(text)]
    for start, end in zip(starts, ends, strict=True):
        body = re.split(r"^## ", text[start.start() : end], maxsplit=1, flags=re.MULTILINE)[0]
        yield start[1], body


def without_excerpts(said: str) -> str:
    """Return a message without the lines of the file that it shows, and without the link to the document."""
    return "\n".join(line for line in said.splitlines() if not _NOISE.match(line)) + "\n"


def compare(example: Example, said: str) -> None:
    """Hold a message to the document's; AIELOOM_REGEN=1 writes it into the document."""
    assert f"[{example.rule}]" in said, f"{example.rule}: {said}"
    if os.environ.get("AIELOOM_REGEN"):
        text = text_of_document()
        part = next(body for rule, body in _parts(text) if rule == example.rule)
        old = re.search(r"```text\n(.*?)```\n", part, re.DOTALL)
        assert old, f"{example.rule} has no text block"
        new = part[: old.start()] + f"```text\n{said}```\n" + part[old.end() :]
        DOCUMENT.write_text(text.replace(part, new), encoding="utf-8")
    else:
        assert said == example.message


def edit(text: str, diff: str) -> str:
    """Return a text with a diff's lines replaced: those with - by those with +, at the place of the first.

    Lines that only begin with + are added at the text's end.
    """
    old = "".join(f"{line[1:]}\n" for line in diff.splitlines() if line.startswith("-"))
    new = "".join(f"{line[1:]}\n" for line in diff.splitlines() if line.startswith("+"))
    if not old:
        return text + new
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
    return text.replace(old, new)
