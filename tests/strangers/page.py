"""docs/evidence/strangers.md, made from the outcomes that run.py noted: `python -m tests.strangers.page`."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

from tests.strangers.projects import Stranger, checkouts, strangers
from tests.strangers.run import ABSENT, EQUAL, FAILED, RAN, REFUSED, kept

PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "strangers.md"
HEAD = """# Other people's projects

Public graphs, run as they are by `aieloom emulate`. Made by `python -m tests.strangers.run` (every graph of
tests/strangers/table.yaml whose repository is in the folder that `AIELOOM_STRANGERS` names) and `python -m tests.strangers.page`.
Nothing of these repositories is part of aieloom. *Equal*: what its author keeps as the expected output, or the program's own
comparison. *Ran*: ended well, there is nothing to compare with. *Refused rightly* and *no data*: the reasons are given below. *Not run*: no
outcome was noted on the machine that made this page.
"""
TABLE = """
Rows by commit of aieloom: {commits}.

| repository | commit | tried | equal | ran | refused rightly | no data | failed | not run |
|---|---|---|---|---|---|---|---|---|
"""
FIRST = (  # where the first walls were met; the others were found by search
    "rehohoho/Vitis-Tutorials",
    "rehohoho/onnx2versal",
    "KastnerRG/aie-intrinsics-nn",
    "Xilinx/xup_aie_training",
    "enyac-group/MaxEVA",
    "zhenghuama/aie4ml_project1",
)
HLS = """
## HLS examples

AMD's `Xilinx/Vitis-HLS-Introductory-Examples` (`aa5c160`), 103 components by `aieloom csim`: 99 end as their scripts ask (one of them by its deadlock), 2 are refused by name (fixed-point `hls::fft`: no document gives the rounding
inside), 2 differ from their golden data in the last places of floats (the core's order of sums). By {commit}: `AIELOOM_STRANGERS=DIR pytest -m "slow or not slow" tests/strangers/test_hls_examples.py`, which runs the ESPCN thesis' system too.
"""
HLS_COMMIT = "ad9ac8b5, DSP/fir/decimator and Channels/autorestart by 7433e5fb"  # of the last whole run
EXPLAINED = """
## Differences that are explained

- `aphrodite-jomaca/Thesis-ESPCN-VCK190`, the whole system (graph, five HLS kernels, host): the emulated images are at most 0.0146 away from its golden data. In NumPy, from
  its own weights and inputs: the golden data are the network with an exact tanh in float32 (at most 4e-7 away from float64). Its HLS kernels look tanh up in 1,024 entries 1/128 apart, of type
  `ap_fixed<12, 4, AP_RND>`, 8 bits behind the point: with that table NumPy is 0.014601 away from the golden data, with the same entries in float64 0.012146.
- `rehohoho/Vitis-Tutorials/.../03-rtp-reconfiguration`, the whole systems of step1 and step2 (not in the table): their hosts compare exactly with sines of the cores' scalar unit; ideally rounded
  sines, as here, are one step away in 20 of 1,024 values, and the hosts say TEST FAILED. The graphs alone are compared with one step of tolerance. AM009 says that 20 bits of the angle go in and 16 of
  sine and cosine come out, not how they are rounded. All 20 values lie within 0.03 of a tie, and their file alone would fit a rule (rounded to 1/16 of a step, 17/32 of it added, then half to even: no
  value of the file is off); but fitted to random halves of its 512 angles of a quadrant, such rules get 0.6 % of the other half wrong (ideal rounding: 2.0 %), all its angles are multiples of
  1/2,048 of a turn, and no other public data are known. So no rule is taken from it.
- `rehohoho/Vitis-Tutorials/.../01-aie_lenet_tutorial`, the whole system: of its two configurations the Makefile's `EXTIO = true` links traffic generators of Vitis, which a Python program feeds, and
  `EXTIO=false` links `lenet_kernel.xo`, 20 files of Verilog without a C++ model: both are refused by name. Its graph alone, all five kernels, is equal to AMD's golden words.
- `eschmidscs/Vitis-Tutorials/.../AIE-ML/.../02-Prime-Factor-FFT/aie/permute_i` (not in the table): its golden data are x[(144 i + 112 j + 63 k) mod 1008], its `tiling_parameters` step 144, 112 x 8 and
  63 x 128 elements through a buffer of 8 x 16 x 16, which are zeros outside of it; no loop of a memory tile's DMA has a modulus. The tutorial's design has this permutation in the logic.
- `eschmidscs/Vitis-Tutorials/.../AIE-ML/.../02-Prime-Factor-FFT/aie/pfa1008` with the `-DAIE_SIM_ONLY` of its Makefile: its two memory tiles have `repetition_count` 8, and a kernel's call fills their pattern four times. "The amount of
  times the access pattern to the buffer must be done for every graph call" [XD100, Using the Shared Buffers]: two calls of each kernel, 64 transforms in `run(8)`, where its file has 32, so it waits for more. AMD's tools end (its README says that
  8 are four writes and four reads; its `permute_i` has 1 for one of each). With `run(4)` all 64,512 numbers are within 5 of its golden data, a model in double; its own check allows 33.
- `prkrmx/Vitis_Libraries/ultrasound/L2/tests/sum_axis_1` (not in the table): its kernel writes 8 sums into a buffer of 32 numbers, its golden file has 32.
"""
SHOWN = (EQUAL, RAN, REFUSED, ABSENT, FAILED)


def _row(name: str, commit: str, counts: Counter[str]) -> str:
    cells = [sum(counts[s] for s in SHOWN), *(counts[s] for s in (*SHOWN, ""))]
    return f"| {name} | {commit} | " + " | ".join(map(str, cells)) + " |\n"


def page(rows: tuple[Stranger, ...], notes: dict[str, list[str]]) -> str:
    """Return the page: a row for each repository, then what failed and what was refused, with the reasons."""
    outcomes = {s.name: notes.get(s.name, ["", ""])[:2] for s in rows}
    text = HEAD + TABLE.format(commits=_commits(rows, notes))
    for repository, commit in dict.fromkeys((s.repository, s.commit) for s in rows):
        counts = Counter(outcomes[s.name][0] for s in rows if s.repository == repository)
        link = f"[{repository}](https://github.com/{repository})"
        text += _row(link, f"`{commit[:10]}`", counts)
    text += _row("**all**", "", Counter(status for status, _ in outcomes.values()))
    text += _shares(rows, outcomes) + HLS.format(commit=HLS_COMMIT)
    whole = [(s.name, outcomes[s.name][0] or "not run") for s in rows if s.whole]
    text += "\n## Whole systems\n\nGraph, logic and host by `aieloom emulate --project .`; *equal*: the host's own check.\n\n"
    text += "".join(f"- {status}: `{name}`\n" for name, status in whole) or "None.\n"
    apart = [f"- `{s.name}`: `{n}`: {why}\n" for s in rows for n, why in s.without.items()]
    text += "\n## Outputs that are not compared\n\n" + ("".join(apart) or "None.\n")
    text += EXPLAINED
    for status, title in ((FAILED, "Failed"), (REFUSED, "Refused rightly"), (ABSENT, "No data")):
        lines = [f"- `{name}`: {_plain(why)}\n" for name, (s, why) in outcomes.items() if s == status]
        text += f"\n## {title}\n\n" + ("".join(lines) or "None.\n")
    return text


def _shares(rows: tuple[Stranger, ...], outcomes: dict[str, list[str]]) -> str:
    """Return what share runs as shipped, of the repositories that the work began with and of the others."""
    text = "\n## Shares\n\n| | authors | have their data | run as shipped | refused rightly | failed |\n|---|---|---|---|---|---|\n"
    for name, here in (("the first six repositories", True), ("found by search", False)):
        chosen = [
            s for s in rows if (s.repository in FIRST) == here and outcomes[s.name][0] not in ("", ABSENT)
        ]
        counts = Counter(outcomes[s.name][0] for s in chosen)
        runs, authors = counts[EQUAL] + counts[RAN], len({s.repository.partition("/")[0] for s in chosen})
        sound = runs / max(runs + counts[FAILED], 1)
        text += f"| {name} | {authors} | {len(chosen)} | {runs}: {runs / max(len(chosen), 1):.1%}; {sound:.1%} of those not refused rightly | "
        text += f"{counts[REFUSED]} | {counts[FAILED]} |\n"
    return text


def _commits(rows: tuple[Stranger, ...], notes: dict[str, list[str]]) -> str:
    """Return how many rows were made by which commit of ours, most first."""
    made = Counter((*notes[s.name], "not noted")[2] for s in rows if s.name in notes)
    return ", ".join(f"{count} by {commit}" for commit, count in made.most_common())


def _plain(text: str) -> str:
    """Return a message without the folders of the machine that it came from."""
    return re.sub(r"(?:/[\w.+-]+)+/(?=[\w.+-]+)", "", text)[:240].replace("|", "/")


def main() -> int:
    """Write the page."""
    folder = checkouts()
    if folder is None:
        print("set AIELOOM_STRANGERS to the folder of checkouts")
        return 2
    PAGE.write_text(page(strangers(), kept(folder)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
