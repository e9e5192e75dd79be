"""The streams that a plan's switches carry: from where to where, for the router and for whoever configures switches."""

from __future__ import annotations

from collections.abc import Mapping

from aieloom.plan.route import Net
from aieloom.plan.shared_buffers import ENTRY, EXIT, Access
from aieloom.plan.types import AieLayerPlan, ArrayPart, PlioPlan
from aieloom.plan.weights import table_role
from aieloom.spec.device import Tile


def nets_of(plan: ArrayPart) -> tuple[Net, ...]:
    """Return every stream between PL, memory tiles and cores; see route.Net for the rows below the cores."""
    layers = {la.name: la for la in plan.all_aie}
    found = [_plio_net(plan, p, layers[p.layer]) for p in plan.plios]
    for b in plan.buffers:
        at = plan.device.memory_tile_at(b.tile)
        for i, access in enumerate(b.writers):
            found += [Net(f"{b.name} in {i}", end, (at,)) for end in _ends(layers, access, "out")]
        for i, access in enumerate(b.readers):
            if access.kernels:
                found.append(Net(f"{b.name} out {i}", at, _ends(layers, access, "in")))
    return tuple(found)


def _ends(layers: Mapping[str, AieLayerPlan], access: Access, side: str) -> tuple[Tile, ...]:
    """Return the tiles whose DMA the stream of a port begins or ends at: those in whose memory the kernels' blocks lie."""
    kernels = layers[access.layer].kernels if access.kernels else ()
    return tuple(kernels[k].blocks[f"{side}[{access.port}]"][0].tile for k in access.kernels)


def role_of(plio: PlioPlan, layer: AieLayerPlan) -> str:
    """Return the block of a layer's kernels that a PLIO fills or empties."""
    if plio.weights:
        return table_role(layer.grid.in_ports)
    return "in[0]" if plio.is_input else "out[0]"


def buffer_tile(plan: ArrayPart, plio: PlioPlan) -> Tile | None:
    """Return the memory tile with whose buffer a PLIO exchanges images, as SharedBuffer.tile; None: with cores."""
    ends = (ENTRY, plio.layer) if plio.is_input else (plio.layer, EXIT)
    return next((b.tile for b in plan.buffers if (b.before, b.after) == ends and not plio.weights), None)


def _plio_net(plan: ArrayPart, plio: PlioPlan, layer: AieLayerPlan) -> Net:
    shim = (plio.column, plan.device.interface_row)
    tile = buffer_tile(plan, plio)
    if tile is not None:
        inside: tuple[Tile, ...] = (plan.device.memory_tile_at(tile),)
    else:
        role = role_of(plio, layer)
        inside = tuple(dict.fromkeys(layer.kernels[k].blocks[role][0].tile for k in plio.kernels))
    return Net(plio.name, shim, inside) if plio.is_input else Net(plio.name, inside[0], (shim,))
