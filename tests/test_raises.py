"""Every message says what it is about: each `raise` of an error for people carries a value, not a sentence alone.

The sentence of a problem (`text=`, the third argument of `source.problem`, the first of `Refused`) must refer to something that is
known when it is raised: a name, a number, a shape, a path. Names of a function are followed to what it assigns to them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[1]
PACKAGES = (TOP / "scripts" / "aieloom", TOP / "serve" / "src" / "aieloom_serve")
ROOT = "AieloomError"
# Sentences that are about all of what their place names, with the reason.
ALONE = {
    "no layer runs on AI Engines": "the line is that of `layers:`, all of which it is about",
    "the operator is not supported": "what stands before it names the operator and what it makes",
    "the layer is not supported": "what stands before it names the layer and its class",
    "drops values at random (training_mode is true)": "what stands before it names the operator and what it makes",
    "drops values at random (train = True)": "what stands before it names the operator and its call",
    "has no options": "what stands before it names the operator and what it makes",
    "names no graph": "nothing was given that it could name",
    "names no component": "nothing was given that it could name",
}
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module


@cache
def trees() -> dict[Path, ast.Module]:
    files = sorted(f for package in PACKAGES for f in package.rglob("*.py"))
    return {f: ast.parse(f.read_text(encoding="utf-8")) for f in files}


def family() -> set[str]:
    """Return the errors for people: AieloomError and what is made of it, by name."""
    bases = [
        (n.name, {b.id for b in n.bases if isinstance(b, ast.Name)})
        for tree in trees().values()
        for n in ast.walk(tree)
        if isinstance(n, ast.ClassDef)
    ]
    found: set[str] = {ROOT}
    while more := {name for name, of in bases if of & found} - found:
        found |= more
    return found


def raises() -> Iterator[tuple[str, ast.Call, Function]]:
    """Yield each raise of one of them: where, the call, the function that it stands in."""
    kinds = family()
    for path, tree in trees().items():
        functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)):
                continue
            if _name(node.exc.func) in kinds:
                inside = [f for f in functions if f.lineno <= node.lineno <= (f.end_lineno or 0)]
                place = f"{path.relative_to(TOP)}:{node.lineno}"
                yield place, node.exc, max(inside, key=lambda f: f.lineno, default=tree)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def sentences(call: ast.Call) -> list[ast.expr]:
    """Return what of a call says what is wrong, and a file that it is said of."""
    kind, words = _name(call.func), {k.arg: k.value for k in call.keywords}
    if "text" in words or "first_error" in words:
        return [*(words[k] for k in ("text", "first_error", "file") if k in words)]
    if kind == "problem" and len(call.args) > 2:
        return [call.args[2]]
    inner = [n for a in call.args for n in ast.walk(a) if isinstance(n, ast.Call)]
    found = [s for n in inner if _name(n.func) in ("Problem", "problem") for s in sentences(n)]
    return found or (call.args[:1] if kind == "Refused" else call.args)


def carries(node: ast.expr, function: Function, seen: frozenset[str] = frozenset()) -> bool:
    """Tell whether an expression refers to a value that is not a constant of the module."""
    if isinstance(node, ast.Name):
        if node.id in seen:
            return False
        assigned = [
            n.value
            for n in ast.walk(function)
            if isinstance(n, ast.Assign)
            and n.lineno <= node.lineno
            and any(node.id in _names(target) for target in n.targets)
        ]
        if not assigned:  # a parameter, or what a loop goes over
            return not node.id.isupper()
        return all(carries(v, function, seen | {node.id}) for v in assigned if not _is_empty(v))
    return any(
        isinstance(n, ast.FormattedValue | ast.Call | ast.Attribute | ast.Subscript | ast.Starred)
        or (isinstance(n, ast.Name) and carries(n, function, seen))
        for n in ast.walk(node)
    )


def _sentence(node: ast.expr, function: Function) -> str:
    """Return a constant sentence, also of a name that stands for one."""
    for n in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(n, ast.Assign) and node.id in _names(n.targets[0]):
            text = ast.unparse(n.value.elts[0] if isinstance(n.value, ast.Tuple) else n.value)
            return text.strip("'\"")
    return ast.unparse(node).strip("'\"")


def _is_empty(node: ast.expr) -> bool:
    """Tell whether it is a list that is filled later."""
    return isinstance(node, ast.List) and not node.elts


def _names(target: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}


def test_every_raise_carries_the_value_that_it_is_about() -> None:
    found = list(raises())
    assert len(found) > 200
    silent = {
        place: _sentence(said[0], function)
        for place, call, function in found
        if (said := sentences(call)) and not any(carries(s, function) for s in said)
    }
    told = {place: text for place, text in silent.items() if text not in ALONE}
    assert not told, "\n".join(f"{place}: {text}" for place, text in told.items())
    assert set(ALONE) <= set(silent.values()), "ALONE lists what is no longer there"


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("raise SpecError(Problem(rule='r', text='too large', remedy=f'{x}'))", False),
        ("raise SpecError(Problem(rule='r', text=f'{x} is too large', remedy='r'))", True),
        ("text = 'too large'\nraise SpecError(s.problem('r', at, text, 'r'))", False),
        ("text = f'{x} is too large'\nraise SpecError(s.problem('r', at, text, 'r'))", True),
        ("raise Refused('is dilated', 'use another')", False),
        ("raise SpecError(Problem(rule='r', file=str(path), text='is not there', remedy='r'))", True),
    ],
)
def test_the_rule_tells_one_from_the_other(code: str, *, wanted: bool) -> None:
    tree = ast.parse(code)
    (node,) = (n for n in ast.walk(tree) if isinstance(n, ast.Raise))
    assert isinstance(node.exc, ast.Call)
    assert any(carries(s, tree) for s in sentences(node.exc)) is wanted
