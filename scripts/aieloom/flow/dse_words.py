"""The words of `doit dse` and `aieloom dse`: what they may say, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aieloom.errors import SpecError
from aieloom.spec.network import LOGIC

FOLDER = "dse"
OBJECTIVES = ("throughput", "latency", "cores", "energy")
# What budget: has, as the command line writes it.
BUDGET = {"aie_cores": int, "plio": int, "latency_us": float, **dict.fromkeys(LOGIC, int)}
CLOCKS = ("written", "listed")
PL = ("any", "written")  # strategies of the PL kernels
OF_ARRAY = (
    "plio",
    "copies",
    "clocks",
    "pl",
    "ways",
    "keep",
    "workers",
    "dask",
)  # of layers with cores of their own
KEYS = ("objective", *BUDGET, "dtypes", *OF_ARRAY[1:])  # all words
UNITS, ARRAY = "designs of one unit", "layers that have cores of their own"
WORDS = {UNITS: LOGIC, ARRAY: OF_ARRAY}  # whose they are; the others are everybody's
BOUNDS = {UNITS: ("aie_cores", *LOGIC), ARRAY: ("aie_cores", "plio")}  # beside the latency

Options = Mapping[str, str | None]  # a command's words, by their names


def budget_of(options: Options) -> dict[str, float]:
    """Return what the command line says that a design may take.

    Raises:
        SpecError: a number is none.
    """
    found: dict[str, float] = {}
    for key, kind in BUDGET.items():
        said = options.get(key)
        if said is None:
            continue
        try:
            found[key] = kind(said)
        except ValueError:
            found[key] = 0
        if not found[key] > 0 or found[key] == float("inf"):
            raise wrong_word(key, f"'{said}' is no number above 0", "give a number")
    return found


def words_of(options: Options, key: str) -> tuple[str, ...]:
    """Return the words of a list."""
    return tuple(filter(None, (options.get(key) or "").split(",")))


def check_word(key: str, said: Sequence[str], known: Sequence[str]) -> None:
    """Refuse words that are none of those known.

    Raises:
        SpecError: one is none.
    """
    for word in said:
        if word not in known:
            raise wrong_word(
                key, f"'{word}' is none of {', '.join(known)}", f"use one of: {', '.join(known)}"
            )


def wrong_word(key: str, text: str, remedy: str) -> SpecError:
    """Return the refusal of a word of the command line."""
    return SpecError(rule="dse-2", file=f"{key}=", text=text, remedy=remedy)
