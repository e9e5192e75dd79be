"""Where tensors enter a kernel of the programmable logic, and where its result leaves it."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.network.tensor import TensorType
from aieloom.pl.streams import RasterStream, Streams
from aieloom.spec.types import DataType

KERNEL_PREFIX = "pl_"  # of a PL kernel's name: a layer called `tanh` must not collide with C's
PING_PONG = 2  # dataflow doubles an array between two processes


@dataclass(frozen=True, slots=True, kw_only=True)
class Inlet:
    """Where a tensor enters, and how many images of it the kernel's first buffer holds.

    `producer` is the AIE layer, PL kernel or mover that sends it.
    """

    port: str
    streams: Streams
    x: TensorType
    producer: str
    depth: int = PING_PONG
    storage: str = "bram"

    @property
    def dtype(self) -> DataType:
        """Type of the elements on the streams."""
        return self.streams.dtype if isinstance(self.streams, RasterStream) else self.x.dtype

    @property
    def from_memory(self) -> bool:
        """Whether a mover sends it."""
        return isinstance(self.streams, RasterStream) and not self.producer.startswith(KERNEL_PREFIX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlet:
    """Where a result leaves, with a buffer of its own: `lanes` copies of a frame, or lines for each stream.

    `reader` is the AIE layer, or the PL kernel or mover whose port `reader_port` takes it.
    """

    port: str
    streams: Streams
    dtype: DataType
    lanes: int  # elements of one output word: as many copies of a frame buffer, each read once a cycle
    storage: str  # bram | uram | lutram
    reader: str
    reader_port: str = ""

    @property
    def to_memory(self) -> bool:
        """Whether a mover takes it."""
        return isinstance(self.streams, RasterStream) and not self.reader.startswith(KERNEL_PREFIX)
