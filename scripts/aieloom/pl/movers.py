"""Data movers: the kernels between device memory and streams."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd

from aieloom.pl.streams import Streams
from aieloom.spec.device import Device
from aieloom.spec.types import DataType

MOVER_BRAM36 = 15  # burst buffers of one 512-bit m_axi port (estimate)
MOVER_FF_PER_LUT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class MoverPlan:
    """A PL kernel between memory and streams: `words` per stream and image.

    `spread` is of images of one pixel: the stream words that it makes of a memory word, each channel the first of so many
    columns. None: stream words lie in memory as they are.
    """

    name: str
    reads_memory: bool
    streams: int
    bits: int
    memory_bits: int
    words: int
    clock_mhz: float
    cycles: int  # modelled: of one image
    bram36: int
    lut: int
    task: str  # the library's function: emit.movers
    spread: int | None = None
    element_bits: int = 0  # where it spreads them

    @property
    def output(self) -> str:
        """Its source file, below the build folder."""
        return f"src/pl/{self.name}.cpp"

    @property
    def image_bytes(self) -> int:
        """Bytes of an image in memory, what fills its last word up among them."""
        return -(-self.words // (self.spread or 1)) * self.streams * self.bits // 8

    @property
    def ff(self) -> int:
        """Flip-flops (estimate)."""
        return MOVER_FF_PER_LUT * self.lut


def side_by_side(device: Device, streams: int, bits: int) -> int:
    """Return how many streams a word of a mover's memory port serves: the largest power of two that divides them and fits.

    HLS has no ports of other widths: it pads their elements in memory, which the host program does not [UG1448 214-233].
    """
    return gcd(streams, max(1, device.platform.axi_max_bits // bits))  # of a power of two


def mover_cycles(device: Device, words: int, streams: int, bits: int) -> int:
    """Return the cycles of an image: one memory word a cycle."""
    return words * (streams // side_by_side(device, streams, bits))


def mover_plan(
    device: Device, name: str, streams: Streams, clock_mhz: float, *, reads_memory: bool
) -> MoverPlan:
    """Return the kernel that carries `streams` from or to memory, as wide as the memory port allows.

    A memory word holds one stream word of as many streams as `side_by_side` says.
    """
    shape = streams.streams, streams.bits, streams.words
    return mover_of(device, name, shape, clock_mhz, reads_memory=reads_memory)


def pixel_mover(mover: MoverPlan, columns: int, dtype: DataType) -> MoverPlan:
    """Return the mover of images of one pixel, which lie in memory as they are: it adds the columns that fill up.

    It reads a stream word's bits at a time. Of several streams, one for each link of a chain of cores, it fills all at once.
    """
    read = mover.streams * -(-mover.words // columns)  # memory words
    return replace(
        mover,
        spread=columns,
        memory_bits=mover.bits,
        cycles=max(read, mover.words),
        element_bits=8 * dtype.bytes,
        task="memory_to_pixel" if mover.streams == 1 else "memory_to_pixels",
    )


def mover_of(
    device: Device, name: str, shape: tuple[int, int, int], clock_mhz: float, *, reads_memory: bool
) -> MoverPlan:
    """Return the kernel for `shape`: streams, bits of each, words of an image on each."""
    streams, bits, words = shape
    together = side_by_side(device, streams, bits)
    return MoverPlan(
        name=name,
        reads_memory=reads_memory,
        streams=streams,
        bits=bits,
        memory_bits=together * bits,
        words=words,
        clock_mhz=clock_mhz,
        cycles=mover_cycles(device, words, streams, bits),
        bram36=MOVER_BRAM36,
        lut=4000,
        task="memory_to_streams" if reads_memory else "streams_to_memory",
    )
