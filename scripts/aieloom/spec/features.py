"""What a release of Vitis has first, from `features.yaml`: a plan for an older one does without, or is refused."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema

from aieloom.spec.tables import read_table, table_text
from aieloom.spec.types import Frozen, Text


def _as_text(value: object) -> object:
    """Return a release as text where YAML has read it as a number: 2022.2 is written without quotes."""
    return f"{value:.1f}" if isinstance(value, float) else value


Release = Annotated[
    str,
    BeforeValidator(_as_text),
    Field(pattern=r"^20\d\d\.[12]$"),
    WithJsonSchema({"type": ["number", "string"], "pattern": r"^20\d\d\.[12]$"}),
]
Lengths = tuple[int, int, int]


VECTOR_BITS = 1024  # of the largest vector before vectors had any size
SUM_BITS = 32


def vector_bits(shape: Lengths, element_bytes: int) -> int:
    """Return the bits of the widest vector that a kernel of an mmul loads or stores: A, B, or 32-bit sums."""
    m, k, n = shape
    return max(8 * element_bytes * max(m * k, k * n), SUM_BITS * m * n)


class Feature(Frozen):
    """Something that generated sources use."""

    release: Release
    what: Text
    instead: Text  # what a plan for an older release can do
    source: Text


class MmulSince(Frozen):
    """Shapes of aie::mmul and the release that has them first; a length of 0 is any, so is the type `any`."""

    arch: Text
    a: Text
    b: Text
    shape: Lengths
    release: Release

    def fits(self, arch: str, a: str, b: str, shape: Lengths) -> bool:
        """Tell whether a shape of these types is one of them."""
        types = self.a in ("any", a) and self.b in ("any", b)
        return (
            self.arch == arch and types and all(s in (0, n) for s, n in zip(self.shape, shape, strict=True))
        )


class Features(Frozen):
    """The whole table."""

    oldest: Release  # that generated designs are made for at all
    features: dict[str, Feature]
    mmul: tuple[MmulSince, ...]

    def mmul_since(self, arch: str, a: str, b: str, shape: Lengths) -> str:
        """Return the release that first has aie::mmul of this shape."""
        found = [m.release for m in self.mmul if m.fits(arch, a, b, shape)]
        return max([self.oldest, *found])

    def product_since(self, arch: str, element: str, element_bytes: int, shape: Lengths) -> str:
        """Return the release that first has what a product of this shape uses: the mmul, its operands, its 32-bit sums."""
        since = self.mmul_since(arch, element, element, shape)
        wide = vector_bits(shape, element_bytes) > VECTOR_BITS
        return max(since, self.features["wide_vectors"].release) if wide else since

    def has(self, vitis: str | None, name: str) -> bool:
        """Tell whether a release, None for the newest, has a feature."""
        return vitis is None or vitis >= self.features[name].release


@cache
def features() -> Features:
    """Return the table."""
    return Features.model_validate(read_table(table_text("features.yaml")))
