"""Pydantic's findings in the words of this project: file:line, what is wrong, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from aieloom.errors import Problem
from aieloom.spec.lines import KeyPath, SourceFile

_MISSING = "missing"
_EXTRA = "extra_forbidden"


def closest(word: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """Return ` (did you mean 'x'?)` when a known word is near, else nothing."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=cutoff)
    return f" (did you mean '{near[0]}'?)" if near else ""


def problems_of(
    error: ValidationError, source: SourceFile, model: type[BaseModel], at: KeyPath = ()
) -> list[Problem]:
    """Translate a validation error of `model`, whose data stands at `at` in `source`.

    Where a value may be one of several types, pydantic reports once per type; the first is kept.
    """
    found: dict[KeyPath, Problem] = {}
    for e in error.errors(include_url=False):
        loc, missing = (e["loc"][:-1], e["loc"][-1:]) if e["type"] == _MISSING else (e["loc"], ())
        path = (*at, *_data_path(loc, source, at), *missing)
        if missing and isinstance(missing[0], int) and missing[0] > _length_at(source, path[:-1]):
            continue  # a list that is two short is reported once
        if path not in found:
            found[path] = _problem(e, source, path, _known_keys(model, path[len(at) : -1]), model)
    return list(found.values())


def _data_path(loc: tuple[int | str, ...], source: SourceFile, at: KeyPath) -> KeyPath:
    """Drop from pydantic's location the names of union members, which are not in the file."""
    path: KeyPath = ()
    for part in loc:
        if isinstance(part, str) and "[" in part:
            continue  # no key has that: the name of a type
        here = _value_at(source, (*at, *path))
        inside = (isinstance(here, dict) and isinstance(part, str)) or (
            isinstance(here, list) and isinstance(part, int)
        )
        if inside:
            path = (*path, part)
    return path


def _value_at(source: SourceFile, path: KeyPath) -> object:
    value: object = source.data
    for part in path:
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            return None
    return value


def _length_at(source: SourceFile, path: KeyPath) -> int:
    value = _value_at(source, path)
    return len(value) if isinstance(value, list) else 0


def _known_keys(model: type[BaseModel], way: KeyPath) -> list[str]:
    """Return the keys of the model that one reaches from `model` by `way`."""
    fields = model.model_fields
    for part in way:
        if isinstance(part, str) and part in fields and (inner := _inner(fields[part].annotation)):
            fields = inner.model_fields
    return list(fields)


def _inner(annotation: object) -> type[BaseModel] | None:
    """Return the model that a key's value is, or may be."""
    for candidate in (annotation, *getattr(annotation, "__args__", ())):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None


def _sections_with(model: type[BaseModel], key: str) -> list[str]:
    """Return the sections of a file, such as `quality`, that have a key."""
    inner = {name: _inner(field.annotation) for name, field in model.model_fields.items()}
    return [name for name, section in inner.items() if section and key in section.model_fields]


def _problem(
    e: ErrorDetails, source: SourceFile, path: KeyPath, known: list[str], whole: type[BaseModel]
) -> Problem:
    name = str(path[-1]) if path else source.name
    if e["type"] == _EXTRA:
        text = f"unknown key '{name}'{closest(name, known)}"
        remedy = f"known keys here: {', '.join(known)}"
        if sections := _sections_with(whole, name):
            remedy = f"write it under {' or '.join(f'{key}:' for key in sections)}; {remedy}"
        return source.problem("key", path, text, remedy)
    if e["type"] == _MISSING and isinstance(path[-1], int):
        list_path = path[:-1]
        where, value = ".".join(map(str, list_path)), _value_at(source, list_path)
        return source.problem(
            "value", list_path, f"{where} is {value}: it has too few values", "add the others"
        )
    if e["type"] == _MISSING:
        return source.problem("key", path[:-1], f"'{name}' is missing", f"add '{name}: ...' here")
    shown = _shorten(e.get("input"))
    reason = e["msg"].removeprefix("Value error, ")
    where = ".".join(map(str, path)) or source.name
    return source.problem("value", path, f"{where} is {shown}: {reason}", _remedy(e))


def _remedy(e: ErrorDetails) -> str:
    expected = {
        "int_type": "write a whole number",
        "float_type": "write a number",
        "bool_type": "write true or false",
        "string_type": "write a text",
        "tuple_type": "write a list such as [4, 2, 4]",
        "dict_type": "write keys and values",
        "model_type": "write keys and values, such as {entries: 1024}",
    }
    ctx = e.get("ctx", {})
    if "expected" in ctx:
        return f"use one of: {ctx['expected']}"
    return expected.get(e["type"], "change the value as said")


def _shorten(value: object, limit: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
