"""Records as digests: one for each part of a design, so that a step's commit shows which parts it changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from aieloom.digests import file_digest, text_digest

DIGITS = 16  # of a SHA-256, in hexadecimal
Digests = dict[str, str]  # of a record's parts: src, explain, check.txt, ...


def digests_of(record: Path) -> Digests:
    """Return the digest of each file or folder at the top of a record: of names and contents, in the order of names."""
    found = {}
    for part in sorted(record.iterdir()):
        files = sorted(f for f in part.rglob("*") if f.is_file()) if part.is_dir() else [part]
        text = "".join(f"{f.relative_to(record)} {file_digest(f)}\n" for f in files)
        found[part.name] = text_digest(text)[:DIGITS]
    return found


def read_digests(file: Path) -> dict[str, Digests]:
    """Return a ledger's digests by design and part; none where there is no ledger yet."""
    found: dict[str, Digests] = {}
    for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
        name, part, digest = line.split("\t")
        found.setdefault(name, {})[part] = digest
    return found


def write_digests(file: Path, digests: Mapping[str, Digests]) -> None:
    """Write a ledger: a line for each part of each design."""
    rows = [
        f"{name}\t{part}\t{d}" for name, parts in sorted(digests.items()) for part, d in sorted(parts.items())
    ]
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
