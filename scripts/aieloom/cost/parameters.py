"""The model's parameters: a value with unit, meaning and where it is from. They live in parameters.yaml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TypedDict

from aieloom.spec.tables import read_table

FILE = Path(__file__).parent / "parameters.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One number of the model. `fitted` tells whether calibration may move it, between `low` and `high`."""

    name: str
    value: float
    unit: str
    meaning: str
    source: str
    fitted: bool
    low: float
    high: float


class Parameters(Mapping[str, float]):
    """Parameter values by name; `version` names the model they belong to."""

    def __init__(self, version: str, values: Mapping[str, float]) -> None:
        self.version = version
        self._values = dict(values)

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def replaced(self, changes: Mapping[str, float]) -> Parameters:
        """Return a copy with some values changed."""
        unknown = sorted(set(changes) - set(self._values))
        if unknown:
            raise KeyError(f"no such parameter: {', '.join(unknown)}")
        return Parameters(self.version, {**self._values, **changes})


class _Entry(TypedDict, total=False):
    value: float
    unit: str
    meaning: str
    source: str
    low: float
    high: float


class _Document(TypedDict):
    """parameters.yaml."""

    version: str
    parameters: dict[str, _Entry]
    held_out: dict[str, dict[str, float]]


@cache
def _document() -> _Document:
    text = (resources.files("aieloom.cost") / "parameters.yaml").read_text(encoding="utf-8")
    document: _Document = read_table(text)
    return document


@cache
def definitions() -> tuple[Parameter, ...]:
    """Return every parameter with its meaning."""
    return tuple(
        Parameter(
            name=name,
            value=float(entry["value"]),
            unit=entry["unit"],
            meaning=entry["meaning"],
            source=entry["source"],
            fitted=entry["source"] == "calibrated",
            low=float(entry.get("low", 0.0)),
            high=float(entry.get("high", float("inf"))),
        )
        for name, entry in _document()["parameters"].items()
    )


@cache
def load_parameters() -> Parameters:
    """Return the calibrated values."""
    return Parameters(str(_document()["version"]), {p.name: p.value for p in definitions()})


@cache
def held_out_errors() -> dict[str, dict[str, float]]:
    """Return `{kind: {rows, median_pct, worst_pct}}` on rows that no fit saw, as the last calibration wrote them."""
    return _document()["held_out"]


def model_name() -> str:
    """Return the model and its version."""
    return f"aieloom cost model {_document()['version']}"


def produced_by() -> str:
    """Return what a printed figure says produced it: the model, its version, its error on rows that no fit saw."""
    found = ", ".join(f"{name} {e['median_pct']:g} %" for name, e in held_out_errors().items())
    return f"{model_name()}, median error {found}" if found else f"{model_name()}, not calibrated"
