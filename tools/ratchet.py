"""`python -m tools.ratchet [write]`: what the house weighs, room by room, beside what it may weigh (ratchet.tsv).

Lines of Python by room, templates, classes, kinds of plan, and isinstance over kinds of plans and steps. A figure may fall, not
rise; a room may grow where others fall by as much, which their sum holds. tests/tools/test_ratchet.py runs it; `write` takes
today's figures over and refuses one that rises. Before this stood here the package grew from 45,000 to 91,000 lines in steps
that were each too small to be seen.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
PACKAGE = TOP / "scripts" / "aieloom"
TABLE = TOP / "tools" / "ratchet.tsv"
TEMPLATES = ("aie_templates", "pl_templates", "host_templates")
LINES, ROOM = "lines of Python", "room "  # a row of a room may rise; its sum may not
PLANS = frozenset({"Plan", "SequentialPlan", "LogicPlan", "GemmPlan"})
KINDS = ("Plan", "Step", "Project", "Stage", "Design", "Engine", "Unit")  # how the names of such classes end
Figures = Mapping[str, int]


def figures() -> Figures:
    """Return today's figures by name."""
    lines: Counter[str] = Counter()
    classes = plans = ladders = 0
    for file in sorted(PACKAGE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        inside = file.relative_to(PACKAGE).parts
        lines[inside[0] if len(inside) > 1 else "ground"] += text.count("\n")
        tree = ast.parse(text)
        names = [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        classes += len(names)
        plans += sum(name in PLANS for name in names)
        ladders += sum(asks_kind(node) for node in ast.walk(tree))
    return {
        LINES: lines.total(),
        **{f"{ROOM}{room}": count for room, count in sorted(lines.items())},
        "templates": sum(1 for folder in TEMPLATES for _ in (TOP / folder).rglob("*.j2")),
        "lines of templates": sum(
            f.read_text(encoding="utf-8").count("\n")
            for folder in TEMPLATES
            for f in (TOP / folder).rglob("*.j2")
        ),
        "classes": classes,
        "kinds of plan": plans,
        "isinstance over kinds": ladders,
    }


def asks_kind(node: ast.AST) -> bool:
    """Return whether a node is isinstance() of a class that is a kind of plan, step, project, engine or unit."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance"):
        return False
    return any(isinstance(part, ast.Name) and part.id.endswith(KINDS) for part in ast.walk(node.args[-1]))


def read() -> Figures:
    """Return the table's figures."""
    rows = (line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines())
    return {name: int(value) for name, value in rows}


def risen(now: Figures, allowed: Figures) -> Iterator[str]:
    """Yield what is more than it may be; rooms are held by their sum."""
    for name, value in now.items():
        if not name.startswith(ROOM) and value > allowed.get(name, 0):
            yield f"{name}: {value:,}, the table has {allowed.get(name, 0):,}"


def main() -> int:
    """Print both columns, or write today's."""
    now, allowed = figures(), read() if TABLE.is_file() else {}
    if "write" in sys.argv[1:]:
        told = [*risen(now, allowed)] if allowed else []
        print("\n".join(told))
        if not told:
            TABLE.write_text("".join(f"{n}\t{v}\n" for n, v in now.items()), encoding="utf-8")
        return bool(told)
    for name, value in now.items():
        print(f"{name:<28} {value:>7,} {value - allowed.get(name, 0):>+7,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
