"""Several copies of a design side by side on one device: names, places and connections of each.

Copy 0 has the design's own names; the layers of the others are called `<layer>_copy2`, `_copy3`, ... and so are their
streams. All copies are one graph; their PL kernels are compute units `<kernel>_1`, `<kernel>_2`, ... of one kernel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from aieloom.plan.linked import is_inner
from aieloom.plan.remembered import remembered
from aieloom.plan.types import AieLayerDraft, Connection
from aieloom.plan.wire import AIE
from aieloom.spec.device import Device


def copy_name(layer: str, copy: int) -> str:
    """Return what a layer of copy `copy` is called."""
    return f"{layer}_copy{copy + 1}" if copy else layer


@remembered(lambda device, copies: (id(device), copies))
def share_of(device: Device, copies: int) -> Device:
    """Return the device with the logic that one of the copies may take."""
    facts = device.logic
    each = {
        name: max(1, getattr(facts, name) // copies) for name in ("lut", "ff", "bram36", "uram288", "dsp")
    }
    return device.model_copy(update={"logic": facts.model_copy(update=each)}) if copies > 1 else device


def copies_of(drafts: Sequence[AieLayerDraft], copies: int) -> tuple[AieLayerDraft, ...]:
    """Return the drafts of all copies; regions that the user gave are repeated to their right."""
    regions = [d.region for d in drafts if d.region]
    width = max((r.col + r.cols for r in regions), default=0) - min((r.col for r in regions), default=0)
    return tuple(
        replace(
            d,
            name=copy_name(d.name, copy),
            class_name=f"{d.class_name}Copy{copy + 1}" if copy else d.class_name,
            inputs=tuple(copy_name(n, copy) for n in d.inputs) if is_inner(d) else d.inputs,
            region=replace(d.region, col=d.region.col + copy * width) if d.region else None,
        )
        for copy in range(copies)
        for d in drafts
    )


def clocks_of(clocks: Mapping[tuple[str, bool], float], copies: int) -> dict[tuple[str, bool], float]:
    """Return the PL clocks of all copies' streams."""
    return {
        (copy_name(layer, copy), is_input): mhz
        for copy in range(copies)
        for (layer, is_input), mhz in clocks.items()
    }


def connections_of(links: Sequence[Connection], copies: int) -> tuple[Connection, ...]:
    """Return the connections of all copies, copy after copy; `links` are those of one."""
    return tuple(
        replace(link, source=_end(link.source, copy), target=_end(link.target, copy))
        for copy in range(copies)
        for link in links
    )


def _end(end: str, copy: int) -> str:
    """Return an end of a connection in copy `copy`: of the array by the layer's name, of a kernel by its unit's number."""
    if not copy:
        return end
    owner, port = end.split(".")
    if owner == AIE:
        layer, way, stream = port.rsplit("_", 2)
        return f"{owner}.{copy_name(layer, copy)}_{way}_{stream}"
    return f"{owner.removesuffix('_1')}_{copy + 1}.{port}"
