"""Masters of the network on chip, counted on a design's files alone."""

from __future__ import annotations

import re
from collections.abc import Mapping

BUNDLE = re.compile(r"#pragma HLS interface m_axi port=\w+ offset=slave bundle=(\w+)")


def masters_of_files(tree: Mapping[str, object]) -> int:
    """Count the bundles of every kernel's source as often as system.cfg has units of it: HLS makes a master of each [UG1399]."""
    system = str(tree["src/system.cfg"])
    return sum(
        int(count) * len(set(BUNDLE.findall(str(tree[f"src/pl/{kernel}.cpp"]))))
        for kernel, count in re.findall(r"^nk=(\w+):(\d+)", system, re.MULTILINE)
    )
