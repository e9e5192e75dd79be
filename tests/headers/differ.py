"""Differential test of headers: what our headers and the real ones say of every snippet of a table, and which differences are meant.

    python -m tests.headers.differ xrt.tab [--only WORD]     prints the snippets of which they differ, and how

Verdicts: both and neither take it; `permissive`, ours alone; `strict`, the real one alone; `type` and `value`, both take it and give
another; `untold`, the real one's refusal comes from a stub, or its type is not known as only another version is at hand. allowed/TABLE.txt lists the differences that are meant, each with its reason:

    because REASON
      VERDICT SNIPPET
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.headers.places import places
from tests.headers.side import Side
from tests.headers.table import Snippet, Table, read

HERE = Path(__file__).parent
VERDICTS = {
    (True, True): "both",
    (False, False): "neither",
    (True, False): "permissive",
    (False, True): "strict",
}
AGREE = ("both", "neither", "untold")
# Spellings of one type: what does not matter here, then names of the same thing.
_SPELLINGS = (
    (r"\b(const|volatile|struct|class|enum)\b\s*", ""),
    (r"&", ""),
    (r"unsigned int", "unsigned"),
    (r"(std::)?size_t|uint64_t", "unsigned long"),
    (r"uint32_t", "unsigned"),
    (r"int32_t", "int"),
    (r"std::basic_string<char>", "std::string"),
    (r"__cxx11::", ""),
    (r"Lanes>", ">"),
    (r"\b(\d+)U?L?\b", r"\1"),
    (r"\s+", ""),
    *(line.split("\t") for line in (HERE / "aliases.txt").read_text(encoding="utf-8").splitlines() if line),
)


@dataclass(frozen=True)
class Row:
    """What was found of a snippet."""

    snippet: Snippet
    verdict: str
    ours: str
    real: str
    versions: Mapping[str, bool]  # which of those at hand take it

    @property
    def line(self) -> str:
        """Text for people."""
        s = self.snippet
        return f"{self.verdict} [{s.group}] {s.text}\n    ours: {self.ours}\n    real: {self.real}"


def plain(kind: str) -> str:
    """Return a type without what does not matter here: references, const, spelling."""
    for pattern, text in _SPELLINGS:
        kind = re.sub(pattern, text, kind)
    return kind


def judge(table: Table, work: Path) -> list[Row]:
    """Ask our headers and all real ones that are at hand."""
    sides = [Side(table, name, work / name) for name in ("ours", *table.real)]
    with ThreadPoolExecutor(2) as pool:
        ours, *reals = pool.map(Side.judge, sides)
    values = _values(table, ours, reals[0]) if table.run else {}
    return [_row(table, s, ours, reals, values.get(s.number)) for s in table.snippets]


def _values(table: Table, ours: Side, real: Side) -> dict[int, tuple[str, str]]:
    """Return what expressions that both take give, of those that end on both sides."""
    both = [s for s in table.snippets if not s.is_statement and ours.takes(s) and real.takes(s)]
    mine, theirs = ours.values(both), real.values(both)
    return {n: (mine[n], theirs[n]) for n in mine.keys() & theirs.keys()}


def _row(
    table: Table, snippet: Snippet, ours: Side, reals: Sequence[Side], values: tuple[str, str] | None
) -> Row:
    first, by = reals[0], snippet.by
    judging = table.versions[0]
    takes = judging in by if by is not None and first.name != judging else first.takes(snippet)
    verdict, mine, real = VERDICTS[ours.takes(snippet), takes], ours.says(snippet), first.says(snippet)
    if verdict == "both":
        verdict, mine, real = _of_both(mine, real, values) if first.takes(snippet) else ("untold", mine, "")
    if verdict == "permissive" and table.doubt and re.search(table.doubt, real):
        verdict = "untold"
    real = re.sub("(static assertion failed).*", r"\1", real)  # no text of the real header is kept
    return Row(snippet, verdict, mine, real, {r.name: r.takes(snippet) for r in reals})


def _of_both(mine: str, real: str, values: tuple[str, str] | None) -> tuple[str, str, str]:
    """Compare types, and values where there are some."""
    verdict = "both" if plain(mine) == plain(real) else "type"
    if values is None or values[0] == values[1] or "stopped" in values:
        return verdict, mine, real
    return "value", f"{values[0]} [{mine}]", f"{values[1]} [{real}]"


def wrong_versions(rows: Iterable[Row]) -> list[str]:
    """Return snippets whose note `by` does not say which versions take them."""
    told = []
    for row in rows:
        by = row.snippet.by
        wanted = {v: v in by for v in row.versions} if by is not None else {}
        found = dict(row.versions)
        if found != wanted and (wanted or len(set(found.values())) > 1):
            versions = " ".join(v for v, takes in found.items() if takes)
            told.append(f"{row.snippet.text}  //! by {versions}")
    return told


def read_allowed(path: Path) -> dict[tuple[str, str], str]:
    """Return the reason of each difference that is meant, by verdict and snippet."""
    found: dict[tuple[str, str], str] = {}
    reason = ""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    for line in lines:
        word, _, rest = line.strip().partition(" ")
        if word == "because":
            reason = rest
        elif word and not word.startswith("#"):
            assert reason, f"{path.name}: {line}: no reason stands before it"
            found[word, rest.strip()] = reason
    return found


def unexpected(rows: Sequence[Row], allowed: Mapping[tuple[str, str], str]) -> list[str]:
    """Return differences that nobody meant, and those of the list that are none any more."""
    different = [r for r in rows if r.verdict not in AGREE]
    met = {(r.verdict, r.snippet.text) for r in different}
    untold = {r.snippet.text for r in rows if r.verdict == "untold"}
    told = [r.line for r in different if (r.verdict, r.snippet.text) not in allowed]
    stale = [(v, text) for v, text in allowed if (v, text) not in met and text not in untold]
    return told + [f"no difference any more: {v} {text}" for v, text in stale]


def main() -> None:
    """Print what differs, and counts."""
    parser = argparse.ArgumentParser(description="compare our headers with the real ones")
    parser.add_argument("tables", nargs="+", help="of tests/headers/tables")
    parser.add_argument("--only", default="", help="a word of the group or the snippet")
    parser.add_argument("--all", action="store_true", help="print differences that are meant too")
    given = parser.parse_args()
    for name in given.tables:
        table = read(HERE / "tables" / name, places())
        table.snippets = [s for s in table.snippets if given.only in s.group or given.only in s.text]
        with tempfile.TemporaryDirectory() as work:
            rows = judge(table, Path(work))
        allowed = {} if given.all or given.only else read_allowed(HERE / "allowed" / f"{table.name}.txt")
        lines = [*unexpected(rows, allowed), *wrong_versions(rows)]
        counts = dict(sorted(Counter(r.verdict for r in rows).items()))
        print("\n".join(lines), f"{table.name}: {len(rows)} snippets, {counts}", sep="\n")


if __name__ == "__main__":
    main()
