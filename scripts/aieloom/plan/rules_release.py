"""Design rule of releases: what a design uses is in the Vitis that it is planned for (`vitis:` in network.yaml)."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.plan.finding import Finding, Rule
from aieloom.plan.types import AieLayerDraft, ArrayPart
from aieloom.spec.features import VECTOR_BITS, features, vector_bits


def needs(plan: ArrayPart, draft: AieLayerDraft) -> Iterator[tuple[str, str, str]]:
    """Yield what a layer's kernels use: the release that has it first, what it is, what to do without."""
    table, arch = features(), plan.device.architecture.value
    used = ["buffer_ports"]
    used += ["cascade_types"] if draft.grid.cascade > 1 else []
    used += draft.grid.uses
    for name in used:
        feature = table.features[name]
        yield feature.release, feature.what, feature.instead
    if draft.grid.by_mmul:
        types = (draft.dtype.cpp, draft.dtype.cpp)
        shape = draft.grid.mmul
        what = f"aie::mmul<{', '.join(map(str, shape))}, {', '.join(types)}>"
        yield table.mmul_since(arch, *types, shape), what, "use another mmul"
        if vector_bits(shape, draft.dtype.bytes) > VECTOR_BITS:
            wide = table.features["wide_vectors"]
            yield wide.release, f"{wide.what} (of {what})", wide.instead


def release(plan: ArrayPart) -> Iterator[Finding]:
    """release-1: the release of Vitis that the plan is for has what its kernels use, and its board."""
    limit = float(plan.vitis) if plan.vitis else float("inf")
    board = plan.device.platform
    yield Finding(
        rule="release-1",
        what=f"first Vitis release with a platform for {plan.device.name}",
        used=float(board.since),
        limit=limit,
        where=board.name,
        at=("vitis",),
        remedy=f"use vitis: {board.since} or newer",
    )
    for layer in plan.aie:
        for since, what, instead in needs(plan, layer.draft):
            yield Finding(
                rule="release-1",
                what=f"first Vitis release with {what}",
                used=float(since),
                limit=limit,
                where=layer.name,
                at=layer.draft.at,
                remedy=f"use vitis: {since} or newer, or {instead}",
            )


RELEASE_RULES: tuple[Rule, ...] = (release,)
