"""Tcl's expressions, as conditions of scripts have them [Tcl(n) expr]: numbers, texts, comparisons, logic and arithmetic."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from functools import partial

from aieloom.emulator.hls.tcl_text import Word, closing

Value = str
Substitute = Callable[[Word], Value]  # what a text in quotation marks, a variable or a [command] stands for
Token = str | Word  # an operator, or what has a value

_OPERATOR = re.compile(r"\|\||&&|==|!=|<=|>=|[-+*/%<>()!?:]|(?:eq|ne|in|ni)(?!\w)")
_VARIABLE = re.compile(r"\$(?:\{[^}]*\}|(?:::)?\w+(?:::\w+)*(?:\([^)]*\))?)")
_PLAIN = re.compile(r"[\w.:]+")
_BINDING = (  # of binary operators, the loosest first
    ("||",),
    ("&&",),
    ("in", "ni"),
    ("eq", "ne"),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("+", "-"),
    ("*", "/", "%"),
)
_COMPARE: dict[str, Callable[[float | str, float | str], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


def evaluate(text: str, substitute: Substitute) -> Value:
    """Return an expression's value; what does not count for it is not looked at.

    Raises:
        ValueError: it is none, or divides by zero.
    """
    expression = _Expression(_tokens(text), substitute)
    value = expression.whole()
    if expression.tokens:
        raise ValueError(f"'{text}'")
    return value


def is_true(value: Value) -> bool:
    """Tell what a value means as a condition.

    Raises:
        ValueError: it is no truth value.
    """
    plain = value.strip().lower()
    if plain in {"true", "yes", "on", "false", "no", "off", ""}:
        return plain in {"true", "yes", "on"}
    return float(int(plain, 0) if plain.startswith("0x") else float(plain)) != 0


def _tokens(text: str) -> list[Token]:
    made: list[Token] = []
    at = 0
    while at < len(text):
        stop = at + 1
        if text[at] in '"{[':
            stop = _end(text, at)
            made.append(
                Word(text[at:stop] if text[at] == "[" else text[at + 1 : stop - 1], is_braced=text[at] == "{")
            )
        elif found := _VARIABLE.match(text, at):
            made.append(Word(found[0]))
            stop = found.end()
        elif found := _OPERATOR.match(text, at):
            made.append(found[0])
            stop = found.end()
        elif found := _PLAIN.match(text, at):
            made.append(Word(found[0], is_braced=True))
            stop = found.end()
        elif not text[at].isspace():
            raise ValueError(f"'{text}'")
        at = stop
    return made


def _end(text: str, at: int) -> int:
    if text[at] == '"':
        stop = text.find('"', at + 1)
        return stop + 1 if stop >= 0 else len(text)
    return closing(text, at, text[at], {"{": "}", "[": "]"}[text[at]])


class _Expression:
    """Tokens that are taken from the front; while `skips` nothing is substituted, as behind `0 &&`."""

    def __init__(self, tokens: list[Token], substitute: Substitute) -> None:
        self.tokens, self.substitute, self.skips = tokens, substitute, False

    def whole(self) -> Value:
        value = self._binary(0)
        if self.tokens[:1] != ["?"]:
            return value
        holds = self.skips or is_true(value)
        first = self._other(self.whole, skips=not holds)
        if self.tokens[:1] != [":"]:
            raise ValueError("'?' without ':'")
        second = self._other(self.whole, skips=holds)
        return first if holds else second

    def _other(self, read: Callable[[], Value], *, skips: bool) -> Value:
        """Return the value behind an operator, as `read` takes it."""
        del self.tokens[0]
        before, self.skips = self.skips, self.skips or skips
        value = read()
        self.skips = before
        return value

    def _binary(self, level: int) -> Value:
        if level == len(_BINDING):
            return self._unary()
        value = self._binary(level + 1)
        while self.tokens and self.tokens[0] in _BINDING[level]:
            op = str(self.tokens[0])
            decided = op in {"&&", "||"} and not self.skips and is_true(value) == (op == "||")
            right = self._other(partial(self._binary, level + 1), skips=decided)
            value = "0" if self.skips else str(int(op == "||")) if decided else _apply(op, value, right)
        return value

    def _unary(self) -> Value:
        if not self.tokens:
            raise ValueError("an expression that ends early")
        token = self.tokens.pop(0)
        if isinstance(token, Word):
            return "0" if self.skips else token.text if token.is_braced else self.substitute(token)
        if token == "(":
            value = self.whole()
            if self.tokens[:1] != [")"]:
                raise ValueError("an open bracket")
            del self.tokens[0]
            return value
        value = self._unary()
        if token == "!":
            return str(int(not is_true(value)))
        return _number("0", value, operator.sub) if token == "-" else value


def _apply(op: str, a: Value, b: Value) -> Value:
    if op in {"&&", "||"}:
        return str(int((is_true(a) and is_true(b)) if op == "&&" else (is_true(a) or is_true(b))))
    if op in {"eq", "ne"}:
        return str(int((a == b) == (op == "eq")))
    if op in {"in", "ni"}:
        return str(int((a in b.split()) == (op == "in")))
    if op in _COMPARE:
        try:
            return str(int(_COMPARE[op](float(a), float(b))))
        except ValueError:
            return str(int(_COMPARE[op](a, b)))
    if op in {"/", "%"} and float(b) == 0:
        raise ValueError("a division by zero")
    whole = {
        "/": operator.floordiv,
        "%": operator.mod,
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
    }
    return _number(a, b, whole[op])


def _number(a: Value, b: Value, op: Callable[[float, float], float]) -> Value:
    """Whole numbers give whole ones."""
    try:
        return str(op(int(a, 0), int(b, 0)))
    except ValueError:
        exact = operator.truediv if op is operator.floordiv else op
        return str(exact(float(a), float(b)))
