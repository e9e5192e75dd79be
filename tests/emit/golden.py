"""Generated sources beside the files in tests/golden.

A golden file begins with the digest of the whole text and shows of it what a reader finds nowhere else. Lines that a template has
word by word, or that this or an earlier golden file shows, two or more together, are one line `@@ same: 12 in session.h.j2`; so are the
rows of a table of numbers behind its first. A file that differs from small's by the project's name alone is stored once.

AIELOOM_REGEN=1 writes them anew, in one process (without -n), as later folders leave out what earlier ones have; look at the difference
before you commit it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np

from aieloom.emit.files import FileTree
from aieloom.emit.library import FOLDER as LIBRARY
from aieloom.emit.project import render
from aieloom.network.layers import Array, Network
from tests.designs import ROOT, SMALL, network_of, plan_of

GOLDEN = ROOT / "tests" / "golden"
FOLDERS = (
    "small",
    "split",
    "between",
    "streamed",
    "wrapped",
    "lanes",
    "ports",
    "pooled",
    "sequential",
    "attention",
)  # in the order of the tests that write them
TEMPLATES = ("aie_templates", "pl_templates", "host_templates")
DIGEST, LEFT_OUT = "@@ sha256: ", "@@ same: "
ROWS = 1  # of a table of numbers that are shown
_NUMBERS = re.compile(r"[-+\s.,xXa-fA-F\d]+")  # a row of a table of numbers
# K split over passes, tiles in rounds, ping-pong and single buffers, a plain input stream, uneven edges, no bias
SPLIT = """\
name: split
target: vck190
weights: weights.pt
input: {name: x, shape: [1, 5, 7]}
layers:
  - {name: start, op: tanh}
  - {name: wide, op: conv2d, out_channels: 6, kernel: [3, 5], padding: [1, 2], stride: [2, 1]}
  - {name: last, op: conv2d, out_channels: 3, kernel: 1, bias: false}
mapping:
  start: {lut: {entries: 16, range: [-2, 2]}, clock_mhz: 250}
  wide: {tile: [4, 8, 8], mmul: [4, 2, 4], groups: 2, buffers: ping_pong, plio: 32}
  last: {tile: [4, 6, 4], mmul: [2, 2, 2], groups: 1, buffers: single, plio: 128}
movers: {clock_mhz: 300}
"""
# the processor between two subgraphs of the device, and behind them a reader of what the first one gave
BETWEEN = """\
name: between
target: vck190
weights: weights.pt
input: {name: x, shape: [2, 4, 4]}
layers:
  - {name: first, op: conv2d, out_channels: 4, kernel: 1}
  - {name: soft, op: gelu}
  - {name: second, op: conv2d, out_channels: 4, kernel: 3, padding: 1}
  - {name: act, op: relu}
  - {name: sum, op: add, inputs: [act, first]}
mapping:
  first: {tile: [4, 2, 16], mmul: [4, 2, 4]}
  second: {tile: [4, 36, 16], mmul: [4, 2, 4]}
"""
DESIGNS = {"small": SMALL, "split": SPLIT, "between": BETWEEN}


def plain_weights(network: Network) -> dict[str, dict[str, Array]]:
    """Return weights by arithmetic alone: sixty-fourths, the same on every machine."""
    found: dict[str, dict[str, Array]] = {}
    for layer in network.layers:
        for p in layer.parameters:
            values = (np.arange(np.prod(p.shape)) * 7919 % 101 - 50) / np.float32(64)
            found.setdefault(layer.name, {})[p.name] = values.reshape(p.shape).astype(np.float32)
    return found


def sources(text: str) -> FileTree:
    return render(plan_of(text), plain_weights(network_of(text)))


def compare(tree: Mapping[str, str], folder: Path) -> None:
    """Compare printed files byte by byte with a folder of tests/golden; AIELOOM_REGEN=1 writes them."""
    own = {path: text for path, text in printed(tree).items() if not _is_of_small(path, text, folder)}
    if os.environ.get("AIELOOM_REGEN"):
        shutil.rmtree(folder, ignore_errors=True)
        shown = _shown_before(folder)
        for path, text in sorted(own.items()):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            kept = _kept(text, shown, Path(path).name)
            (folder / path).write_text(kept, encoding="utf-8")
            shown.add(kept, Path(path).name)
    stored = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    assert sorted(own) == sorted(stored), "AIELOOM_REGEN=1 writes them anew"
    different = [path for path, text in own.items() if not _is_kept(text, stored[path])]
    assert different == [], "AIELOOM_REGEN=1 writes them anew"


def printed(tree: Mapping[str, str]) -> Mapping[str, str]:
    """Return a project's files without the libraries' headers, which are copied word by word: test_emit_library.py."""
    return {path: text for path, text in tree.items() if not path.startswith(f"{LIBRARY}/")}


def _digest(text: str) -> str:
    return f"{DIGEST}{hashlib.sha256(text.encode()).hexdigest()}"


def _is_of_small(path: str, text: str, folder: Path) -> bool:
    """Tell whether a file is byte for byte that of the first folder, but for the project's name: such files are stored once."""
    file = GOLDEN / FOLDERS[0] / path
    if folder.name == FOLDERS[0] or not file.is_file():
        return False
    return file.read_text(encoding="utf-8").partition("\n")[0] == _digest(
        text.replace(folder.name, FOLDERS[0])
    )


class _Shown:
    """Pairs of lines that follow each other, and the names of the files where a reader finds them."""

    def __init__(self) -> None:
        self.names: defaultdict[tuple[str, str], list[str]] = defaultdict(list)

    def add(self, text: str, name: str, where: Callable[[str], bool] = lambda _: True) -> None:
        """Add the lines of a file of which `where` is true."""
        for pair in pairwise(text.splitlines()):
            if where(pair[0]) and where(pair[1]):
                self.names[pair].append(name)

    def elsewhere(self, lines: Sequence[str]) -> list[str]:
        """Return for each line the file that shows it, of several the one that shows most; "" where none does."""
        pairs = list(pairwise(lines))
        most = Counter(name for pair in pairs for name in set(self.names.get(pair, ())))
        found = [""] * len(lines)
        for i, pair in enumerate(pairs):
            if pair in self.names:
                found[i : i + 2] = [max(self.names[pair], key=lambda name: most[name])] * 2
        return found


def _shown_before(folder: Path) -> _Shown:
    """Return what templates show, where they compute nothing, and the folders that are written before this one."""
    shown = _Shown()
    for f in sorted(f for name in TEMPLATES for kind in ("*.j2", "*.h") for f in (ROOT / name).rglob(kind)):
        shown.add(f.read_text(encoding="utf-8"), f.name, lambda line: not re.search(r"\{[{%#]|[#%}]\}", line))
    top = next(f for f in (folder, *folder.parents) if f.parent == GOLDEN)
    for name in FOLDERS[: FOLDERS.index(top.name)]:
        for f in sorted(f for f in (GOLDEN / name).rglob("*") if f.is_file()):
            shown.add(f.read_text(encoding="utf-8"), f.name)
    return shown


def _shown_elsewhere(lines: Sequence[str], shown: _Shown, name: str) -> list[str]:
    """Return for each line of the file `name` where a reader finds it otherwise; "" for those that the golden file shows."""
    elsewhere = shown.elsewhere(lines)
    seen: set[tuple[str, str]] = set()
    for i, pair in enumerate(pairwise(lines)):
        if pair in seen:
            elsewhere[i : i + 2] = [elsewhere[i] or name, elsewhere[i + 1] or name]
        elif not elsewhere[i] and not elsewhere[i + 1]:
            seen.add(pair)
    for i in range(ROWS, len(lines)):
        if all(map(_NUMBERS.fullmatch, lines[i - ROWS : i + 1])):
            elsewhere[i] = "the table"
    for i, (before, line, after) in enumerate(
        zip(elsewhere, lines[1:], elsewhere[2:], strict=False), start=1
    ):
        if (
            before and after and not re.search(r"\w", line)
        ):  # a brace or an empty line between what is left out
            elsewhere[i] = elsewhere[i] or before
    return elsewhere


def _kept(text: str, shown: _Shown, name: str) -> str:
    """Return the text without what is shown elsewhere or twice, and a digest of all of it."""
    lines = text.splitlines()
    elsewhere = _shown_elsewhere(lines, shown, name)
    parts = [_digest(text)]
    for is_shown, group in groupby(zip(lines, elsewhere, strict=True), key=lambda line: not line[1]):
        part = list(group)
        if is_shown:
            parts += [line for line, _ in part]
        else:
            files = ", ".join({file: 0 for line, file in part if re.search(r"\w", line)})
            parts.append(f"{LEFT_OUT}{len(part)}" + (f" in {files}" if len(part) > 2 and files else ""))
    return "\n".join(parts) + "\n"


def _is_kept(text: str, file: Path) -> bool:
    """Tell whether a file is of this text: its digest is, and its lines are where it has them."""
    lines, at = text.splitlines(), 0
    head, *body = file.read_text(encoding="utf-8").splitlines()
    for line in body:
        if line.startswith(LEFT_OUT):
            at += int(line.removeprefix(LEFT_OUT).partition(" ")[0])
        elif lines[at : at + 1] != [line]:
            return False
        else:
            at += 1
    return at == len(lines) and head == _digest(text)
