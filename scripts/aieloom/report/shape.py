"""The shape of report/summary.json and of what the vendor's tools told beside it (report/aie.json, report/hw.json, ...).

Other programs read these files: keys are added, never renamed. A key that only some designs have may be absent.
`aieloom schema --summary` prints the shape of summary.json as a JSON Schema (report/schema.py).
"""

from __future__ import annotations

from typing_extensions import NotRequired, Required, TypedDict  # pydantic takes typing's from Python 3.12 on

from aieloom.cost.power import EnergyFigures

Sample = dict[str, str | float]  # name, max_abs_err, and the PSNRs where there is a picture to compare with


class Golden(TypedDict):
    """How results compare with the hardware reference, bit for bit."""

    against: str
    max_abs_err: float
    tolerance: float
    bit_exact: bool
    samples: int


class RateFigures(TypedDict):
    """One of the three rates."""

    what: str
    images_per_s: float
    interval_us: float
    bottleneck: str
    leaves_out: str


class HostFigures(TypedDict):
    """What the host program does, as plan/rates.py counts it: for each image, for each batch, once a run."""

    images: int
    copied_bytes: int
    moved_elements: int
    converted_elements: int
    kernel_starts: int
    syncs: int
    graph_starts: int
    run_starts: int
    image_us: float
    batch_us: float
    run_us: float
    conversion_us: float
    overlaps: bool
    share: float


class RateTable(TypedDict):
    """The three rates, what the host program does, and both in words."""

    array: RateFigures
    memory: RateFigures
    system: RateFigures
    host: HostFigures
    lines: list[str]
    published: list[str]


class Tiles(TypedDict):
    """An image that is cut into tiles."""

    of_an_image: int
    halo_share: float


class Stage(TypedDict, total=False):
    """A layer's modelled time; which figures there are depends on where the network runs."""

    name: Required[str]
    kind: str
    cycles: int
    clock_mhz: float
    interval_us: float
    utilisation: float
    latency_us: float
    op: str
    on: str
    bound_by: str
    lanes: int
    depth: int
    us_per_image: float
    bytes_per_image: int
    macs: int
    weights_bytes: int
    # of a product on the matrix engine
    blocks: list[int]
    engine_us: float
    host_us: float
    processor_us: float
    bottleneck: str


class FurtherFigures(TypedDict, total=False):
    """Modelled figures that only some designs have."""

    rates: RateTable
    without_contention: dict[str, str | float]
    tiles: Tiles
    energy: EnergyFigures
    # of one circuit
    circuit_fps: float
    # of sequential execution
    images_of_a_batch: int
    leaves_out: list[str]
    us_by_cause: dict[str, float]
    memory_bytes_per_image: int
    weights_bytes: int
    share_of_peak: float  # of what the array's cores could multiply
    # of the emulated run
    emulated_s_per_image: float
    emulated_peak_mb: float


class Performance(FurtherFigures):
    """Modelled figures, each with what made it."""

    produced_by: str
    kind: str
    latency_us: float
    throughput_fps: float
    bottleneck: str
    per_layer: list[Stage]


class LogicFigures(TypedDict):
    """What the programmable logic takes."""

    produced_by: str
    dsp: int
    lut: int
    ff: int
    bram36: int
    uram288: int
    lutram: NotRequired[int]  # of the LUTs, those that hold lines


class ArrayFigures(TypedDict):
    """What a design takes of the array; zeros of one that has no part on it."""

    aie_cores: int
    aie_tiles: int
    memory_bytes: int
    plio_in: int
    plio_out: int
    mem_tiles: int


class Resources(ArrayFigures):
    """What a design takes of the device."""

    pl: LogicFigures


class LayerFigures(TypedDict, total=False):
    """What a layer loses: against PyTorch, or of signal to quantisation noise."""

    layer: str
    max_abs_err: float | None
    mean_abs_err: float
    sqnr_db: float | None
    own_sqnr_db: float


class Quantisation(TypedDict):
    """What integers lose, layer by layer and end to end."""

    activations: str
    weights: str
    scales: str
    sqnr_db: float
    layers: list[LayerFigures]


class ConfusionCounts(TypedDict):
    """How often each class was taken for each."""

    labels: list[int]
    counts: list[list[int]]


class BaselineRow(TypedDict):
    """A batch through PyTorch on this machine."""

    images: int
    seconds: float
    images_per_s: float


class Baseline(TypedDict):
    """What PyTorch takes on this machine."""

    produced_by: str
    machine: str
    rows: list[BaselineRow]
    noise: str  # why there are none


class Reproduce(TypedDict, total=False):
    """How to make a run again."""

    commands: list[str]
    versions: dict[str, str]
    inputs: dict[str, str]
    samples: int


class StreamTiming(TypedDict, total=False):
    """What a simulation in time tells."""

    aie_mhz: float
    profile: Profile
    latency_us: float
    interval_us: float
    slowest_layer: str
    source: str
    throughput_fps: float
    throughput_of: str
    bound_fps: float
    bound_of: str


class CoreProfile(TypedDict):
    """A core in the AIE simulator's profile."""

    tile: list[int]
    kernel: str
    calls: int
    cycles_per_call: float | None
    kernel_cycles: int
    total_cycles: int
    waiting_share: float


class Profile(TypedDict, total=False):
    """The AIE simulator's profile."""

    cores: list[CoreProfile]
    slowest: CoreProfile
    total_cycles: int


class StreamGolden(TypedDict, total=False):
    """Each PLIO stream of the array against the reference."""

    streams: int
    images: int
    received: int
    max_abs_err: float
    bit_exact: bool


class Timing(TypedDict, total=False):
    """Slacks and clocks of a Vivado timing summary."""

    wns_ns: float
    tns_ns: float
    failing_endpoints: int
    whs_ns: float
    clocks_mhz: dict[str, float]


class HostRun(TypedDict, total=False):
    """How the host program went, in hardware emulation or on the board."""

    produced_by: str
    passed: bool
    output: list[str]
    power_w: dict[str, float]


class BuildFigures(TypedDict, total=False):
    """Timing and use of a linked design."""

    timing: Timing
    timing_report: str
    pl: dict[str, dict[str, float]]
    utilisation_report: str


class Told(BuildFigures, total=False):
    """What one of the vendor's tools told."""

    mode: str
    produced_by: str
    passed: bool
    what: str
    golden: StreamGolden
    performance: StreamTiming
    packaged: str
    clocks: list[dict[str, float]]
    array: dict[str, int]
    warnings: dict[str, int]
    run: HostRun
    lines: list[str]


class StageTimes(TypedDict):
    """Seconds that each stage took when it last ran; 0 where it has not."""

    plan: float
    emit: float
    compile: float
    run: float


class FurtherParts(TypedDict, total=False):
    """What only some runs tell."""

    float64: dict[str, object]
    bounds: dict[str, float]
    quantisation: Quantisation
    network_yaml: object
    processor_baseline: Baseline
    layers: list[LayerFigures]
    confusion: ConfusionCounts
    peak_memory_bytes: int
    runs: dict[str, Told]


class Summary(FurtherParts):
    """summary.json."""

    project: str
    target: str
    mode: str
    produced_by: str
    passed: bool
    faults: list[str]
    golden: Golden
    quality: dict[str, float]
    samples: list[Sample]
    resources: Resources
    performance: Performance
    remarks: list[str]
    reproduce: Reproduce
    timing_s: StageTimes
