"""What a user writes: network.yaml as immutable values.

A layer's own keys belong to its operator (ops/<op>/); this module knows what all layers share.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Protocol, TypeAlias, TypeVar

from pydantic import ConfigDict, Discriminator, Field, Strict, Tag, model_validator

from aieloom.errors import Problem
from aieloom.spec.features import Release
from aieloom.spec.lines import KeyPath, SourceFile
from aieloom.spec.quality import QualitySpec
from aieloom.spec.quantize import QuantizeSpec, Scales
from aieloom.spec.types import DataType, Frozen, MHz, Name, NonNegative, Positive, Text

# What the design takes among the tensors; no layer can be called so, C++ headers use the word
INPUT = "input"
# The operator of a layer that is one of the network's inputs, where there are several
GRAPH_INPUT = "graph_input"
GRAPH_OUTPUTS = "graph_outputs"  # that of the last layer, where there are several outputs
MAX_INPUTS = 64
MASK = 2  # what the values of a mask are below: 0 and 1


MAX_COPIES = 64
Copies: TypeAlias = Annotated[int, Strict(), Field(gt=0, le=MAX_COPIES)]


class LayerSpec(Frozen):
    """What every layer has; an operator's model adds its own keys."""

    name: Name = Field(description="unique; names the layer's class, files and kernels")
    op: Text = Field(description="the operator")
    inputs: Annotated[tuple[Text, ...], Field(min_length=1, max_length=MAX_INPUTS)] | None = Field(
        default=None,
        description="what it reads: layers above it, or the network's input, by name; by default the layer before it",
    )


class ParametricLayerSpec(LayerSpec):
    """A layer with trained tensors."""

    param: Text | None = Field(
        default=None, description="prefix of its tensors in the weights file, when it is not the layer's name"
    )


class MappingSpec(Frozen):
    """How a layer is put on the device; what is left out, the planner chooses."""

    @property
    def runs_on(self) -> str | None:
        """The engine that the layer is put on; None of an operator that has no choice."""
        found: str | None = getattr(self, "engine", None)
        return found

    @property
    def by_strategy(self) -> str | None:
        """The strategy that it names; None of an operator whose layers have none."""
        found: str | None = getattr(self, "strategy", None)
        return found


MappingT = TypeVar("MappingT", bound=MappingSpec)


def check_engine(mapping: MappingSpec) -> None:
    """Refuse keys of the device for a layer on the processor.

    Raises:
        ValueError: there are such keys.
    """
    others = sorted(mapping.model_fields_set - {"engine"})
    if mapping.runs_on == "ps" and others:
        raise ValueError(f"engine: ps takes no other key: leave {', '.join(others)} out")


def left_to_planner(mapping: MappingT) -> MappingT:
    """Return a layer's mapping without how it is cut; its weights' source and its PL kernel stay as they are said.

    Which tile takes weights that are sent is part of the cut.
    """
    said = mapping.model_dump(include={"weights", "pl"}, exclude_unset=True)
    sent = {"weights": "stream"} if said.get("weights", "constant") != "constant" else {}
    return type(mapping).model_validate(said | sent)


class IntegersSpec(Frozen):
    """What integers mean: real value = scale * (integer - zero_point)."""

    dtype: Literal["uint8", "int8"] = Field(description="their type")
    scale: Annotated[float, Strict(), Field(gt=0, allow_inf_nan=False)] = Field(
        description="the real value of a step"
    )
    zero_point: int = Field(description="the integer that means 0")


class InputSpec(Frozen):
    """An input tensor of the network, without batch."""

    name: Name = Field(description="what messages call the input")
    shape: Annotated[tuple[Positive, ...], Field(min_length=1, max_length=3)] = Field(
        description="[channels, height, width], [features], or [rows, features] of a matrix"
    )
    dtype: DataType = Field(default=DataType.FLOAT32, description="type of its elements")
    integers: IntegersSpec | None = Field(
        default=None,
        description="what samples of integers mean; by default what the ONNX model says, if its input is integers",
    )
    below: Positive | None = Field(
        default=None,
        description="its values are whole numbers from 0 on, below this one: numbers of tokens, or 0 and 1 (2) of a mask",
    )

    @model_validator(mode="after")
    def _check(self) -> InputSpec:
        if self.integers and self.below:
            raise ValueError("integers: and below: exclude each other: whole numbers mean themselves")
        return self


class DataSpec(Frozen):
    """What `doit sim` runs: pictures or samples."""

    images: Text | None = Field(
        default=None,
        description="glob of pictures: of the input's size, or of the output's size for networks that "
        "enlarge (the input is then the picture reduced by bicubic interpolation, the output expected the "
        "picture itself)",
    )
    samples: Text | None = Field(
        default=None,
        description="an .npz file: `x` are inputs (n, channels, height, width) or (n, features); of several `inputs:` an array "
        "by the name of each; `labels`, if any, the classes (n), for accuracies",
    )

    @model_validator(mode="after")
    def _check(self) -> DataSpec:
        if (self.images is None) == (self.samples is None):
            raise ValueError("give either images (a glob of pictures) or samples (an .npz file)")
        return self


class TilesSpec(Frozen):
    """How images larger than the design's input are cut."""

    size: tuple[Positive, Positive] = Field(
        description="[height, width] of a tile in pixels of the input, its halo included"
    )


LOGIC = ("dsp", "lut", "bram36", "uram288")  # kinds of logic that a budget bounds


class BudgetSpec(Frozen):
    """What a design that `doit dse` finds may take at most."""

    aie_cores: Positive | None = Field(default=None, description="cores that run a kernel")
    plio: Positive | None = Field(
        default=None, description="streams between PL and array, in and out together"
    )
    latency_us: Annotated[float, Strict(), Field(gt=0)] | None = Field(
        default=None, description="modelled time of one image from memory to memory, in microseconds"
    )
    dsp: Positive | None = Field(
        default=None,
        description="DSP slices, of designs without an array or of layers in turn; so are those below",
    )
    lut: Positive | None = Field(default=None, description="LUTs")
    bram36: Positive | None = Field(default=None, description="block RAMs of 36 Kb")
    uram288: Positive | None = Field(default=None, description="UltraRAM blocks")


class WeightsSpec(Frozen):
    """An objective of several: the search minimises interval^throughput x latency^latency x cores^cores."""

    throughput: Annotated[float, Strict(), Field(ge=0)] = Field(
        default=0.0, description="exponent of the interval"
    )
    latency: Annotated[float, Strict(), Field(ge=0)] = Field(
        default=0.0, description="exponent of the latency"
    )
    cores: Annotated[float, Strict(), Field(ge=0)] = Field(
        default=0.0, description="exponent of the number of cores"
    )

    @model_validator(mode="after")
    def _check(self) -> WeightsSpec:
        if not (self.throughput or self.latency or self.cores):
            raise ValueError("give at least one of throughput, latency and cores a weight above 0")
        return self


Execution: TypeAlias = Literal["spatial", "sequential", "auto"]


class SpatialSpec(Frozen):
    """Which layers of a network have cores of their own, where the others take turns."""

    spatial: Annotated[tuple[Name, ...], Field(min_length=1)] = Field(
        description="layers that have cores or a kernel of their own: one tensor enters them, one leaves them; the others "
        "run one after another on one engine"
    )


EngineChoice: TypeAlias = Literal["auto", "aie", "pl"]


class EngineSpec(Frozen):
    """The engine of layers one after another, or a circuit, of the size that `doit dse` finds; what is left out is planned."""

    where: EngineChoice = Field(
        default="auto",
        description="where products run: the array (aie), the logic (pl), the faster one by the model (auto)",
    )
    grid: tuple[Positive, Positive, Positive] | None = Field(
        default=None,
        description="[rows of chains, cores of a chain, columns of chains] of an engine on the array",
    )
    depth: Positive | None = Field(
        default=None, description="of K, that a core of the array multiplies at a time"
    )
    tensors: Literal["chip", "memory"] | None = Field(
        default=None,
        description="of products on the array: in the rows' stores on the chip, or in device memory",
    )
    block: tuple[Positive, Positive] | None = Field(
        default=None,
        description="[pixels, output channels] that an engine in the logic computes side by side",
    )
    cycles: Positive | None = Field(
        default=None,
        description="of a circuit: that a layer may take for an image; the fewer, the more products it does side by side",
    )
    batch: Positive | None = Field(
        default=None,
        description="images at a time, which share loads of weights; with tensors: chip filled up to as many for each row",
    )

    @model_validator(mode="after")
    def _check(self) -> EngineSpec:
        aie = [key for key in ("grid", "depth", "tensors") if getattr(self, key) is not None]
        if aie and self.where != "aie":
            raise ValueError(f"{', '.join(aie)}: of an engine on the array: say where: aie beside it")
        if (self.block or self.cycles) and self.where != "pl":
            key, what = ("block", "an engine") if self.block else ("cycles", "a circuit")
            raise ValueError(f"{key}: of {what} in the logic: say where: pl beside it")
        return self


ANY_SIZE = EngineSpec()
Sequencer: TypeAlias = Literal["logic", "host"]
Engine: TypeAlias = Annotated[
    Annotated[EngineChoice, Tag("[where]")] | Annotated[EngineSpec, Tag("[sized]")],
    Discriminator(lambda value: "[sized]" if isinstance(value, dict | EngineSpec) else "[where]"),
]


Objective: TypeAlias = Literal["throughput", "latency", "cores", "energy"] | WeightsSpec


class MoverSpec(Frozen):
    """The kernels that carry data between memory and streams."""

    clock_mhz: MHz | None = Field(default=None, description="PL clock; by default the device's, 312.5 MHz")


class NetworkFile(Frozen):
    """The keys of network.yaml itself; layers are read by their operators."""

    model_config = ConfigDict(title="aieloom network.yaml")

    name: Name = Field(description="the project: names the design's class and the host program")
    target: Text = Field(description="the board: a device of the catalogue")
    vitis: Release | None = Field(
        default=None,
        description="the release of Vitis that the design is for, such as 2023.2: nothing is planned that a newer one has "
        "first; by default the newest",
    )
    weights: Text = Field(
        description="state_dict (.pt, .pth), .safetensors; .onnx, .tflite, .keras, .h5, .pt2 (`layers` may be left out then)"
    )
    input: InputSpec | None = Field(default=None, description="the network's input tensor, without batch")
    inputs: Annotated[tuple[InputSpec, ...], Field(min_length=1, max_length=MAX_INPUTS)] | None = Field(
        default=None,
        description="of a network with several: its input tensors, which layers read by name (`inputs:`); instead of `input`",
    )
    layers: tuple[dict[str, object], ...] = Field(
        min_length=1,
        max_length=1000,
        description="the operators in order of evaluation, each on the result before it unless it says `inputs:`",
    )
    mapping: dict[str, dict[str, object]] = Field(
        default_factory=dict,
        description="how each layer is put on the device; the planner fills in the rest",
    )
    tiles: TilesSpec | Literal["auto"] | None = Field(
        default=None,
        description="cut images into tiles that overlap, each one input of the design; `auto`: the largest tiles that "
        "fit; without it the design takes a whole image",
    )
    copies: Copies = Field(
        default=1,
        description="of the whole design, side by side: each takes its share of the images, or of the tiles",
    )
    movers: MoverSpec = Field(default=MoverSpec(), description="kernels between memory and streams")
    execution: Execution | SpatialSpec = Field(
        default="spatial",
        description="spatial: every layer has cores or a kernel of its own, all weights on the chip; sequential: one layer "
        "after another on one engine, weights and tensors in device memory; auto: spatial where that fits, else what the model "
        "says is faster: sequential, both, or one circuit in the logic; {spatial: [LAYER, ...]}: those layers spatial, the "
        "others sequential",
    )
    engine: Engine = Field(
        default="auto",
        description="of layers one after another: products on the AI Engine array (aie), in the logic (pl), or where the model "
        "says that it is faster (auto); or {where: ...} with sizes, as `doit dse` finds them; with execution: spatial, pl "
        "makes the whole network one circuit in the logic, with weights as constants and multipliers for each layer",
    )
    unit: Name | None = Field(
        default=None,
        description="what computes the whole network: a unit of the project's own `operators/`, or of an installed package "
        "(docs/adding-a-unit.md); without it, what execution and engine say",
    )
    sequencer: Sequencer = Field(
        default="logic",
        description="who issues the commands of an engine on the array: a sequencer in the logic, which reads them from device "
        "memory (logic), or the host program, one at a time (host), to follow a design on a board; an engine in the logic is "
        "always told by the host program",
    )
    data: DataSpec | None = Field(default=None, description="what `doit sim` runs; without it, seeded inputs")
    quantize: QuantizeSpec | None = Field(
        default=None, description="integers instead of float32; calibrated from trained float weights"
    )
    quality: QualitySpec = Field(
        default=QualitySpec(), description="how much a design may lose before `doit sim` fails"
    )
    objective: Objective = Field(
        default="throughput",
        description="what `doit dse` looks for: throughput, latency, cores, energy of an image, or weights of the first three",
    )
    budget: BudgetSpec = Field(
        default=BudgetSpec(), description="what a design that `doit dse` finds may take"
    )
    seed: NonNegative = Field(default=1, description="seed of generated inputs when there is no data")


class LayerOperator(Protocol):
    """What reading a file needs to know of an operator: models of its layers and mappings, how many inputs they have."""

    layer_model: type[Any]
    mapping_model: type[Any]
    arity: ClassVar[tuple[int, int]]


LayerCatalog: TypeAlias = Mapping[str, LayerOperator]  # by name, in alphabetical order


class NetworkSpec(NetworkFile):
    """A validated network.yaml: the file's keys, with layers and mappings as their operators read them.

    `mapping` has an entry for every layer, with the operator's defaults where the file says nothing.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    input: InputSpec  # of several inputs the record of all (graph_inputs.py)
    inputs: tuple[InputSpec, ...] = ()  # what the file says, where there are several
    layers: tuple[LayerSpec, ...]  # type: ignore[assignment]  # read; the first ones are those inputs
    mapping: dict[str, MappingSpec]  # type: ignore[assignment]  # read
    execution: Execution = "spatial"
    spatial: tuple[str, ...] = ()  # layers with cores of their own, where the others take turns
    engine: EngineChoice = "auto"
    sized: EngineSpec = ANY_SIZE  # what the file says of the engine's size
    source: SourceFile = Field(exclude=True)

    @property
    def scaling(self) -> Scales:
        """How integers are scaled back, by every operator."""
        return self.quantize.scaling if self.quantize else Scales.MULTIPLIER

    def inputs_of(self, index: int) -> tuple[str, ...]:
        """Return the names of the layers that a layer reads, INPUT for the network's input."""
        given = self.layers[index].inputs
        if given is None:
            return (self.layers[index - 1].name if index else INPUT,)
        above = {layer.name for layer in self.layers[:index]}
        return tuple(name if name in above else INPUT for name in given)

    @property
    def graph_inputs(self) -> tuple[InputSpec, ...]:
        """The network's inputs as its user knows them: one, or several."""
        return self.inputs or (self.input,)

    def at_input(self, index: int) -> KeyPath:
        """Return the place of an input in the file."""
        return ("inputs", index) if self.inputs else ("input",)

    def at_layer(self, index: int) -> KeyPath:
        """Return the place of a layer in the file: of one that is an input, that input's."""
        before = len(self.inputs)
        return ("layers", index - before) if index >= before else self.at_input(index)

    def problem(self, rule: str, index: int, text: str, remedy: str) -> Problem:
        """Return a finding about a layer, at its place in the file."""
        return self.source.problem(rule, self.at_layer(index), text, remedy)

    def at_mapping(self, name: str, *keys: str) -> KeyPath:
        """Return the place of a layer's mapping (or of the layer itself, when the file maps nothing).

        Of a step that a layer becomes beside others, NAME_scores of an attention, it is the layer's.
        """
        names = [layer.name for layer in self.layers]
        if name not in names:
            name = max((n for n in names if name.startswith(f"{n}_")), key=len, default="")
        if ("mapping", name) in self.source.lines:
            return ("mapping", name, *keys)
        return self.at_layer(names.index(name)) if name else ("layers",)
