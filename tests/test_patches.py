"""What a test puts in place of a name is there: a slow test that patches what has moved is not found stale only at night."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

TESTS = Path(__file__).parent


def imported(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Yield what a file imports of aieloom: under which name, from where, and what of it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("aieloom"):
            yield from ((a.asname or a.name, node.module or "", a.name) for a in node.names)


def patched(tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """Yield what is patched, and what is set of it, with its line: `monkeypatch.setattr(name, "what", ...)` or a whole path."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("patch.setattr"):
            of, what, *_ = [*node.args, None]
            if isinstance(of, ast.Name) and isinstance(what, ast.Constant):
                yield of.id, str(what.value), node.lineno
            if isinstance(of, ast.Constant):
                name, _, attribute = str(of.value).rpartition(".")
                yield name, attribute, node.lineno


def test_every_name_that_is_patched_is_there() -> None:
    stale, seen = [], 0
    for file in sorted(TESTS.rglob("test_*.py")):
        tree = ast.parse(file.read_text())
        known: dict[str, tuple[str, ...]] = {n: (module, what) for n, module, what in imported(tree)}
        for name, attribute, line in patched(tree):
            if name.startswith("aieloom."):
                known[name] = tuple(name.rpartition(".")[::2])
            if name in known:
                module, what = known[name]
                parent = import_module(module)
                of = getattr(parent, what) if hasattr(parent, what) else import_module(f"{module}.{what}")
                seen += 1
                if not hasattr(of, attribute):
                    stale.append(f"{file.relative_to(TESTS)}:{line}: {module}.{what} has no {attribute}")
    assert seen > 50
    assert not stale, "\n".join(stale)
