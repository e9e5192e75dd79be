"""Where the clock of a PL kernel comes from: a clock of the platform, or one that the linker derives from it.

v++ takes a platform clock of the frequency that is asked for; where there is none, it inserts a clocking wizard, an MMCM
fed by a platform clock of status "fixed", and where that cannot reach the frequency within the tolerance it warns and
silently uses the platform's default clock [UG1393 2023.1, 2023.2 `--clock Options`, Managing Clock Frequencies]. That
last case is refused here, before anything is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import groupby

from aieloom.spec.device import Device, PlatformClocks

# The MMCM: VCO = in x M / D, out = VCO / O [AM003 MMCM Primitive; DS957, DS958 MMCM Switching Characteristics].
VCO_MHZ = (2160.0, 4320.0)
LEAST_PHASE_MHZ = 10.0  # of in / D, as the input itself
MULTIPLY, DIVIDE, OUT_DIVIDE = (4, 432), (1, 123), (2, 511)
SAME_PPM = 20.0  # platforminfo rounds: 104.166570 MHz is the clock listed as 104.166666
TOLERANCE_PPM = 1000.0  # the manuals give no default tolerance; what the tools achieve is a few ppm


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockSource:
    """How one release's platform gives a frequency; `reference_mhz` is None when the platform lists it."""

    clocks: PlatformClocks
    mhz: float  # what comes out
    ppm: float  # how far that is from what was asked for
    reference_mhz: float | None = None

    @property
    def given(self) -> bool:
        """True when the linker gives this clock, instead of falling back to the default."""
        return self.ppm <= TOLERANCE_PPM


def _ppm(mhz: float, wanted: float) -> float:
    return abs(mhz - wanted) / wanted * 1e6


@cache
def synthesised(reference_mhz: float, mhz: float) -> float | None:
    """Return the frequency nearest to `mhz` that an MMCM makes of a reference; None when its range ends before."""
    outs = range(max(OUT_DIVIDE[0], -int(-VCO_MHZ[0] // mhz)), min(OUT_DIVIDE[1], int(VCO_MHZ[1] // mhz)) + 1)
    divides = range(DIVIDE[0], min(DIVIDE[1], int(reference_mhz / LEAST_PHASE_MHZ)) + 1)
    found = [
        reference_mhz * m / d / o
        for o in outs
        for d in divides
        if MULTIPLY[0] <= (m := round(mhz * o * d / reference_mhz)) <= MULTIPLY[1]
        and VCO_MHZ[0] <= reference_mhz * m / d <= VCO_MHZ[1]
    ]
    return min(found, key=lambda f: abs(f - mhz), default=None)


def source_of(clocks: PlatformClocks, mhz: float) -> ClockSource:
    """Return where the platforms of some releases take a frequency from: the nearest they can give."""
    listed = min(clocks.listed_mhz, key=lambda f: abs(f - mhz))
    best = ClockSource(clocks=clocks, mhz=listed, ppm=_ppm(listed, mhz))
    if best.ppm <= SAME_PPM:
        return best
    for reference in clocks.fixed_mhz:
        made = synthesised(reference, mhz)
        if made is not None and _ppm(made, mhz) < best.ppm:
            best = ClockSource(clocks=clocks, mhz=made, ppm=_ppm(made, mhz), reference_mhz=reference)
    return best


def sources(device: Device, mhz: float) -> tuple[ClockSource, ...]:
    """Return where each release's platform takes a frequency from, oldest release first."""
    return tuple(source_of(clocks, mhz) for clocks in device.platform.clocks)


def listed_text(device: Device) -> str:
    """Return the clocks that the platforms list, for people."""
    return "; ".join(
        f"{c.between}: {', '.join(f'{f:g}' for f in c.listed_mhz)}" for c in device.platform.clocks
    )


def origin(device: Device, mhz: float) -> str:
    """Return where a clock comes from, release by release, for the comment beside it."""
    parts = []
    for reference, group in groupby(sources(device, mhz), key=lambda s: s.reference_mhz):
        found = tuple(group)
        when = f"{found[0].clocks.releases[0]} to {found[-1].clocks.releases[1]}"
        how = "listed" if reference is None else f"by MMCM from {reference:g}"
        parts.append(f"{how} ({when})")
    return f"{mhz:g} MHz of the platform's clocks: {', '.join(parts)}"
