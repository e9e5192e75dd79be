"""The JSON Schema of report/summary.json: what `aieloom schema --summary` prints, for programs that read the file."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from aieloom.report.shape import Summary

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def summary_schema() -> dict[str, Any]:
    """Return the schema, made of the types in report/shape.py; keys that it does not know may be added later."""
    return {"$schema": DIALECT, **TypeAdapter(Summary).json_schema()}
