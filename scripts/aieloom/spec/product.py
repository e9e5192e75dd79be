"""Keys of network.yaml under `mapping:` that all layers of sums of products have."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, Strict, model_validator

from aieloom.errors import SpecError
from aieloom.spec.network import MappingSpec, NetworkSpec, check_engine
from aieloom.spec.types import Buffers, Frozen, NonNegative, Positive

FEEDER, PL = "feeder", "pl"
DEFAULT_STRATEGY = "im2col_gemm"  # of a mapping that names none


StackBytes: TypeAlias = Annotated[int, Strict(), Field(ge=32, multiple_of=32)] | None


class PlaceSpec(Frozen):
    """A rectangle of tiles: lower-left corner (row 0 is the lowest row with a core) and size."""

    col: NonNegative = Field(description="leftmost column")
    row: NonNegative = Field(default=0, description="lowest row; 0 is the lowest with a core")
    cols: Positive = Field(description="columns")
    rows: Positive = Field(description="rows")


class ProductMapping(MappingSpec):
    """How a layer of sums of products is put on AI Engines; what is left out, the planner chooses."""

    engine: Literal["aie", "pl", "ps"] = Field(
        default="aie",
        description="where the layer runs: the AI Engine array, the matrix engine in the logic, or the processor",
    )
    strategy: str = Field(
        default=DEFAULT_STRATEGY, description="how it is cut; operators say which strategies they take"
    )
    element: Literal["float32", "float16"] = Field(
        default="float32", description="with engine: pl: what the matrix engine computes with"
    )
    block: tuple[Positive, Positive, Positive] | None = Field(
        default=None,
        description="with engine: pl: [M, N, K] of the engine's block; by default solved from the board's resources",
    )
    cores: Positive | None = Field(
        default=None,
        description="of strategy chained: cores of the layer; by default the fewest that hold it",
    )
    bands: Positive | None = Field(
        default=None,
        description="of strategy chained: bands of output rows among the cores, the rest cuts the output's channels",
    )
    tile: tuple[Positive, Positive, Positive] | None = Field(
        default=None,
        description="[M, K, N] of one kernel pass: output channels x (inputs * kernel area) x pixels",
    )
    mmul: tuple[Positive, Positive, Positive] | None = Field(
        default=None, description="[M, K, N] of aie::mmul"
    )
    cascade: Positive | None = Field(
        default=None,
        description="neighbouring cores over which K is cut: each has its part of the weights and passes its sums on",
    )
    groups: Positive | None = Field(
        default=None, description="cores along N; by default one for every tile, fewer work in rounds"
    )
    buffers: Buffers | None = Field(
        default=None, description="copies of each buffer: with ping_pong transfers overlap with computation"
    )
    plio: Literal[32, 64, 128] = Field(default=64, description="bits of the streams between PL and array")
    plio_out: Literal[32, 64, 128] | None = Field(
        default=None, description="bits of the streams out of the array, when they are not those of plio"
    )
    weights: Literal["constant", "stream", "feeder"] = Field(
        default="constant",
        description="compiled into the cores, or sent to them once from memory, before the first image; feeder, of strategy "
        "chained: sent to a kernel on the tile beside each core, which copies them into that tile's memory, and so leaves the "
        "core's own to images",
    )
    stack: StackBytes = Field(
        default=None,
        description="bytes of each core's stack; by default what is free of its tile's memory, 1,024 to 4,096",
    )
    place: PlaceSpec | None = Field(default=None, description="the rectangle of tiles that its kernels fill")
    pl: Literal["frame", "streaming"] = Field(
        default="frame",
        description="how the PL kernel that takes its results works, also one without a layer of its own: see strategy of "
        "layers on programmable logic",
    )

    @model_validator(mode="after")
    def _cores_of_a_chain(self) -> ProductMapping:
        """Refuse keys that another strategy, or the processor, would not read."""
        check_engine(self)
        on_engine = {"engine", "strategy", "element", "block"}
        others = sorted(self.model_fields_set - on_engine)
        if self.engine == "pl" and others:
            raise ValueError(
                f"engine: pl takes {', '.join(sorted(on_engine))} alone: leave {', '.join(others)} out"
            )
        if "strategy" in self.model_fields_set and (self.engine == "pl") != (self.strategy == "gemm"):
            raise ValueError("engine: pl and strategy: gemm belong together")
        if self.engine != "pl" and self.model_fields_set & {"element", "block"}:
            raise ValueError("element and block are keys of engine: pl")
        if self.weights == FEEDER and self.strategy != "chained":
            raise ValueError("weights: feeder is of strategy: chained; use weights: stream")
        for key in ("cores", "bands"):
            if self.strategy != "chained" and getattr(self, key) is not None:
                raise ValueError(
                    f"{key} is a key of strategy: chained; cut other layers by tile: and groups:"
                )
        return self


def weighted(spec: NetworkSpec) -> dict[str, ProductMapping]:
    """Return the mappings of the layers that are products: those that AI Engines could take."""
    return {name: m for name, m in spec.mapping.items() if isinstance(m, ProductMapping)}


def is_in_logic(spec: NetworkSpec) -> bool:
    """Tell whether a network's products run on the engine in the logic.

    Raises:
        SpecError: some do and some do not, which no design has yet.
    """
    found = weighted(spec)
    inside = [name for name, m in found.items() if m.runs_on == PL]
    others = [name for name, m in found.items() if m.runs_on not in (PL, "ps")]
    if inside and others:
        text = f"'{inside[0]}' runs on the matrix engine in the logic and '{others[0]}' on the array: no design has both"
        remedy = f"give {', '.join(others)} engine: pl or engine: ps too, or leave engine: pl out"
        raise SpecError(spec.source.problem("engine-2", spec.at_mapping(inside[0], "engine"), text, remedy))
    return bool(inside)
