"""What the layers of a chain have alike, whatever their cores do: how cores are counted, and the streams at a chain's ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aieloom.layout.grid import TileGrid, Window, words_of
from aieloom.network.layers import Layer
from aieloom.pl.streams import TiledStreams
from aieloom.plan.gemm import IllegalTile
from aieloom.plan.memory import MemoryMap, Need, reserved_bytes
from aieloom.plan.product import draft_names
from aieloom.plan.types import AieLayerDraft
from aieloom.spec.device import Device
from aieloom.spec.network import NetworkSpec
from aieloom.spec.types import Buffers, DataType
from aieloom.strategies.chained.grid import BLOCK, PIXELS, STRATEGY, BlockGrid, Link

MMUL = {DataType.BFLOAT16: (PIXELS, BLOCK, 4), DataType.INT8: (PIXELS, BLOCK, 8)}  # one cycle each on AIE-ML


class ChainedLayer:
    """Builds the draft of one layer of a chain; `use` is what a message says that the layer may be instead."""

    use: str

    def __init__(
        self, spec: NetworkSpec, device: Device, layer: Layer, mapping: Any, *, window: Window, link: Link
    ) -> None:
        self.spec = spec
        self.device = device
        self.layer = layer
        self.mapping = mapping  # of a model that ops/ knows: cores, bands, buffers, place
        self.window = window
        self.link = link
        self.channels = link.y.shape[0]
        self.dtype = layer.x.dtype
        self.streamed = self.fed = False

    def draft(self) -> AieLayerDraft:
        """Return the layer as its mapping says.

        Raises:
            CannotFit: the mapping breaks a rule.
        """
        try:
            self._check()
            return self.planned()
        except IllegalTile as e:
            raise e.of_layer(self.spec, self.layer.name) from e

    def planned(self) -> AieLayerDraft:
        """Return the layer as its mapping says, or raise IllegalTile."""
        raise NotImplementedError

    def check_layer(self) -> None:
        """Refuse a layer that its cores cannot do."""
        raise NotImplementedError

    def is_even(self, blocks: int, parts: int) -> bool:
        """Tell whether so many blocks of 8 channels are cut evenly into so many parts."""
        raise NotImplementedError

    def _check(self) -> None:
        arch = self.device.architecture
        if not arch.facts.chains or self.device.memory_tile is None:
            text = f"strategy chained hands images on through memory tiles, and {self.device.name} ({arch.value}) has none"
            raise IllegalTile("chain-1", "strategy", text, f"{self.use}, or target: vek280")
        if self.dtype not in MMUL:
            text = f"strategy chained is for bfloat16 and int8, not for {self.dtype.value}"
            raise IllegalTile("chain-1", "strategy", text, f"{self.use}, or quantize: the network")
        self.check_layer()

    @property
    def blocks(self) -> int:
        """Blocks of 8 channels of its result."""
        return -(-self.channels // BLOCK)

    @property
    def bands(self) -> int:
        """Bands of output rows that its mapping asks for."""
        return self.mapping.bands or 1

    def parts(self) -> int:
        """Return the parts of the channels that its mapping asks for.

        Raises:
            IllegalTile: its cores are no such parts in such bands.
        """
        bands, most = self.bands, self.blocks
        cores = self.mapping.cores or bands
        parts = cores // bands
        rows = self.link.y.shape[1]
        if cores % bands or not parts or not self.is_even(most, parts) or bands > rows:
            fits = [p for p in range(1, most + 1) if self.is_even(most, p)]
            text = (
                f"{cores} cores in {bands} bands: {bands} must divide the cores, be at most the {rows} output rows, and "
                f"leave parts that cut {most} blocks of {BLOCK} channels evenly"
            )
            near = sorted(fits, key=lambda p: abs(p * bands - cores))[:3]
            remedy = "use cores: " + ", ".join(str(p * min(bands, rows)) for p in sorted(near))
            raise IllegalTile("chain-3", "cores", text, f"{remedy} with bands: {min(bands, rows)}")
        return parts

    def has_channels(self, grid: BlockGrid) -> bool:
        """Tell whether the DMA of a core's tile fills all its inputs."""
        return grid.in_ports + (self.streamed and not self.fed) <= self.device.tile.s2mm_channels

    def is_handed(self, grid: BlockGrid) -> bool:
        """Tell whether its core reads in the memory of the core before it, beside which it then stands."""
        before = self.link.before
        return (
            before is not None and self.link.beside and before.may_hand_to(grid) and self.has_channels(grid)
        )

    def exit_of(self, grid: BlockGrid, bits: int) -> TiledStreams | None:
        """Return the stream of so many bits that takes the last layer's results to the PL; None of another layer."""
        if not self.link.last:
            return None
        rows, cols = grid.out_size
        channels = grid.parts * grid.tile_m
        pixels = grid.make.cols if grid.exits_directly else rows * cols
        out = TileGrid(
            m=self.channels, k=1, n=rows * cols, tile_m=channels, tile_k=1, tile_n=pixels,
            mmul=(BLOCK, 1, 1), groups=1,
        )  # fmt: skip
        return self.streams(out, self.window, bits, channels * pixels)

    def streams(self, grid: TileGrid, window: Window, bits: int, elements: int) -> TiledStreams:
        """Return the stream of an image's elements between the PL and a memory tile, or raise IllegalTile."""
        if elements * self.dtype.bytes * 8 % bits:
            text = (
                f"its stream of {elements} {self.dtype.value} elements does not fill whole {bits}-bit words"
            )
            raise IllegalTile("plio-2", "plio", text, "use plio: 64")
        words = words_of(elements, self.dtype, bits)
        return TiledStreams(
            layer=self.layer.name, grid=grid, window=window, bits=bits, streams=1, words=words
        )

    @property
    def buffer_choices(self) -> tuple[Buffers, ...]:
        """The buffers that its mapping asks for, or two each, else one."""
        return (self.mapping.buffers,) if self.mapping.buffers else (Buffers.PING_PONG, Buffers.SINGLE)

    def too_large(self, cores: str, needs: Sequence[Need], where: str = "") -> IllegalTile:
        """Return the refusal of so many cores, whose data do not fit; `where` says what else lies where."""
        each = " + ".join(f"{n.label} {n.copies} x {n.bytes}" for n in needs)
        rest = reserved_bytes(self.device, self.mapping.stack or self.device.tile.default_stack_bytes)
        text = (
            f"{cores} need {each} B each beside {rest} B for stack, heap and tools; "
            f"a core's memory has {self.device.tile.memory_bytes} B{where}"
        )
        return IllegalTile("mem-1", "cores", text, f"use more cores:, more bands:, or {self.use}")

    def kept(self, buffers: Buffers, needs: tuple[Need, ...], memory: MemoryMap) -> dict[str, Any]:
        """Return what a draft says of the layer, whatever its cores do, and of what they keep."""
        return {
            **draft_names(self.spec, self.layer, self.mapping.place),
            "x": self.link.x,
            "y": self.link.y,
            "strategy": STRATEGY,
            "window": self.window,
            "fused": self.link.fused,
            "buffers": buffers,
            "plio_out_bits": self.mapping.plio_out,
            "needs": needs,
            "memory": memory,
            "stack_bytes": memory.stack_bytes,
        }
