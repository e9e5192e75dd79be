"""Where headers lie, by the names that tables use: ours, Debian's libxrt-dev, and checkouts below AIELOOM_ORACLES."""

from __future__ import annotations

import os
from pathlib import Path

from tests.designs import ROOT
from tests.oracles.checkouts import pins

HERE = Path(__file__).parent
LIBXRT = Path("/usr/include/xrt")
# Checkouts whose headers a table names, with the folder inside.
CHECKOUTS = {
    "HLS": ("hls-utilities", "simulation_headers/include"),
    "AIE_API": ("aie_api", "include"),
    "XRT_2_16": ("xrt-2.16", "src/runtime_src/core/include"),
    "XRT_2_18": ("xrt-2.18", "src/runtime_src/core/include"),
    "XRT_2_20": ("xrt-2.20", "src/runtime_src/core/include"),
    "XRT_MASTER": ("xrt-master", "src/runtime_src/core/include"),
}


def places() -> dict[str, str]:
    """Return the places that are there."""
    found = {"OURS": str(ROOT / "scripts/aieloom/emulator/include"), "HERE": str(HERE)}
    if (LIBXRT / "xrt/xrt_kernel.h").is_file():
        found["LIBXRT"] = str(LIBXRT)
    oracles = os.environ.get("AIELOOM_ORACLES", "")
    for name, (checkout, inside) in CHECKOUTS.items():
        folder = Path(oracles).resolve() / checkout / inside
        if oracles and checkout in pins() and folder.is_dir():
            found[name] = str(folder)
    return found
