"""Fits what a design draws on public figures, and says how far it is from those that were left out: `python -m tools.power`.

power_rows.csv has every figure with its source's name; docs/energy.md says what the sources are. Rows of kind `array` are of
designs whose cores, load and tiles are known, `cores` of designs of which only the cores are, `logic` of kernels in the logic,
`rest` of all of a chip but the design. What the fit gives stands in scripts/aieloom/cost/power.yaml.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

ROWS = Path(__file__).parent / "power_rows.csv"
AT_MHZ = 500  # of the logic's coefficients


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A published figure, in watts."""

    source: str
    fitted: bool
    kind: str
    arch: str
    cores: float
    load: float  # share of the cores' products
    tiles: float
    lut: float
    bram36: float
    dsp: float
    mhz: float
    watts: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """What the fit gives: watts of an array, of a core that multiplies all the time, of a tile; of the logic at AT_MHZ."""

    array: dict[str, tuple[float, float, float]]  # by architecture
    cores: dict[str, tuple[float, float]]  # of an array and of a core, whatever it does: by architecture
    logic: tuple[float, float, float]  # of a LUT, a block RAM, a DSP slice
    rest: float

    def watts(self, row: Row) -> float:
        """Return the model's figure."""
        if row.kind == "rest":
            return self.rest
        if row.kind == "cores":
            return float(np.dot(self.cores[row.arch], (1, row.cores)))
        if row.kind == "logic":
            return float(np.dot(self.logic, (row.lut, row.bram36, row.dsp))) * row.mhz / AT_MHZ
        return float(np.dot(self.array[row.arch], (1, row.cores * row.load, row.tiles)))


def read_rows() -> tuple[Row, ...]:
    """Return all figures."""
    with ROWS.open(encoding="utf-8") as file:
        return tuple(_row(r) for r in csv.DictReader(file))


def _row(r: dict[str, str]) -> Row:
    def number(key: str) -> float:
        return float(r[key] or 0)

    return Row(
        source=r["source"],
        fitted=r["use"] == "fit",
        kind=r["kind"],
        arch=r["arch"],
        cores=number("cores"),
        load=number("load_pct") / 100,
        tiles=number("tiles"),
        lut=number("lut"),
        bram36=number("bram36"),
        dsp=number("dsp"),
        mhz=number("mhz"),
        watts=number("watts"),
    )


def fit(rows: Sequence[Row]) -> Fit:
    """Fit rows by the least squares of relative errors, coefficients of at least 0.

    Of AIE-ML no load is published: a core and a tile take as many times an AIE's as cores do in the same table of the two.
    """
    used = [r for r in rows if r.fitted]
    aie = _solved([((1, r.cores * r.load, r.tiles), r) for r in used if r.kind == "array"])
    each: dict[str, tuple[float, float]] = {}
    for arch in ("aie", "aie-ml"):
        fixed, core = _solved([((1, r.cores), r) for r in used if r.kind == "cores" and r.arch == arch])
        each[arch] = (fixed, core)
    times = each["aie-ml"][1] / each["aie"][1]
    logic = [
        ((r.lut * r.mhz / AT_MHZ, r.bram36 * r.mhz / AT_MHZ, r.dsp * r.mhz / AT_MHZ), r)
        for r in used
        if r.kind == "logic"
    ]
    lut, bram, dsp = _solved(logic)
    return Fit(
        cores=each,
        array={
            "aie": (aie[0], aie[1], aie[2]),
            "aie-ml": (each["aie-ml"][0], times * aie[1], times * aie[2]),
        },
        logic=(lut, bram, dsp),
        rest=float(np.mean([r.watts for r in used if r.kind == "rest"])),
    )


def _solved(pairs: Sequence[tuple[tuple[float, ...], Row]]) -> list[float]:
    a: NDArray[np.float64] = np.array([x for x, _ in pairs], float)
    watts = np.array([r.watts for _, r in pairs])
    found, _ = nnls(a / watts[:, None], np.ones(len(watts)))
    return [float(v) for v in found]


def errors(rows: Sequence[Row], model: Fit) -> Iterator[tuple[str, str, bool, int, float, float]]:
    """Yield of each source and kind: its name, the kind, whether it was fitted, figures, mean and largest error (relative)."""
    for source, kind, arch, fitted in dict.fromkeys((r.source, r.kind, r.arch, r.fitted) for r in rows):
        own = [r for r in rows if (r.source, r.kind, r.arch) == (source, kind, arch)]
        off = [model.watts(r) / r.watts - 1 for r in own]
        what = f"{kind}, {arch}" if arch else kind
        yield source, what, fitted, len(own), float(np.mean(np.abs(off))), max(off, key=abs)


def table() -> Iterator[str]:
    """Yield the errors as a table of docs/energy.md."""
    rows = read_rows()
    yield "| source | what | in the fit | figures | mean error | largest |"
    yield "|---|---|---|---|---|---|"
    for source, kind, fitted, count, mean, most in errors(rows, fit(rows)):
        yield f"| {source} | {kind} | {'yes' if fitted else 'no'} | {count} | {mean:.0%} | {most:+.0%} |"


def main() -> None:
    """Print coefficients and errors."""
    model = fit(read_rows())
    for arch, (fixed, core, tile) in model.array.items():
        print(f"{arch}: {fixed:.4f} W, a core {core:.4f} W, a tile {tile:.4f} W")
    lut, bram, dsp = (1000 * k for k in model.logic)
    print(f"logic at {AT_MHZ} MHz: a LUT {lut:.4f} mW, a block RAM {bram:.3f} mW, a DSP slice {dsp:.3f} mW")
    print(f"rest: {model.rest:.2f} W")
    print("\n".join(table()))


if __name__ == "__main__":
    main()
