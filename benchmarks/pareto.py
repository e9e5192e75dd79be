"""Draws what `doit dse` found, with matplotlib: python -m benchmarks.pareto build/espcn/vck190/dse espcn.png.

`doit dse` draws pareto.svg itself, with nothing installed; this one is for slides.
"""

from __future__ import annotations

import argparse
import csv
import re
from pathlib import Path

GREY, BLUE, ORANGE, GREEN = (
    "#999999",
    "#0072B2",
    "#E69F00",
    "#009E73",
)  # Okabe and Ito's, told apart by everybody


def read(folder: Path) -> list[dict[str, str]]:
    """Return the rows of pareto.csv."""
    with (folder / "pareto.csv").open(encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def rate(row: dict[str, str]) -> float:
    """Return images a second: simulated where it was, else of the slowest stage alone."""
    return 1e6 / float(row["simulated_interval_us"] or row["interval_us"])


def winner_of(rows: list[dict[str, str]], folder: Path) -> dict[str, str] | None:
    """Return the row of the design that mapping.yaml describes; None when what network.yaml says won."""
    head = (folder / "mapping.yaml").read_text(encoding="utf-8")
    found = re.search(r"^# [\d,]+ images/s, ([\d.]+) us, (\d+) cores", head, re.MULTILINE)
    planned = [r for r in rows if r["tried"] == "planned" and found and r["cores"] == found[2]]
    return min(
        planned,
        key=lambda r: abs(float(r["simulated_latency_us"]) - float(found[1] if found else 0)),
        default=None,
    )


def draw(rows: list[dict[str, str]], file: Path, title: str, winner: dict[str, str] | None) -> None:
    """Write the plot: the front, which designs were planned, which won. Shapes tell as much as colours."""
    import matplotlib as mpl  # noqa: PLC0415 - only this needs it

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(figsize=(8.0, 5.0), dpi=150, layout="constrained")
    kinds: tuple[tuple[str, str, str, float], ...] = (
        ("on the front", GREY, "o", 22),
        ("planned as a whole", BLUE, "s", 46),
        ("refused by a design rule", ORANGE, "x", 60),
        ("the winner", GREEN, "*", 220),
    )
    groups = {name: [r for r in rows if kind_of(r) == name] for name, *_ in kinds}
    groups["the winner"] = [row for row in rows if row is winner]
    for name, colour, marker, size in kinds:
        group = groups[name]
        if group:
            cores, rates = [int(float(r["cores"])) for r in group], [rate(r) for r in group]
            axes.scatter(
                cores,
                rates,
                c=colour,
                marker=marker,
                s=size,
                label=f"{name} ({len(group)})" if len(group) > 1 else name,
                zorder=3,
            )
    axes.set_xlabel("AI Engine cores")
    axes.set_ylabel("images per second, modelled")
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.grid(color="#dddddd", zorder=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower right", frameon=True)
    figure.text(0.995, 0.002, rows[0]["modelled_by"], ha="right", va="bottom", fontsize=6.5, color="#555555")
    figure.savefig(file)
    plt.close(figure)


def kind_of(row: dict[str, str]) -> str:
    """Return which of the plot's kinds a design is."""
    if row["tried"].startswith("refused"):
        return "refused by a design rule"
    return "planned as a whole" if row["tried"] else "on the front"


def main() -> None:
    """Read the command line and draw."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pareto", description=__doc__)
    parser.add_argument("folder", type=Path, help="build/PROJECT/TARGET/dse")
    parser.add_argument("image", type=Path, help="the picture to write: .png, .svg or .pdf")
    options = parser.parse_args()
    target, project = options.folder.resolve().parent.name, options.folder.resolve().parent.parent.name
    rows = read(options.folder)
    title = f"{project} on {target}: designs that no other one beats"
    draw(rows, options.image, title, winner_of(rows, options.folder))


if __name__ == "__main__":
    main()
