"""How a network runs: as network.yaml says, or where it says `execution: auto`, as fits the board and the model has as faster.

On the array each layer has cores of its own; else layers take turns, with a part of them on cores where that is faster; or the
network is one circuit.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from aieloom.errors import CannotFit, SpecError
from aieloom.network.layers import Network
from aieloom.ops import REGISTRY
from aieloom.plan.capacity import on_array, room_of
from aieloom.plan.partition import turns
from aieloom.plan.whole import whole
from aieloom.progress import working
from aieloom.search.default import settle
from aieloom.spec.board import Board
from aieloom.spec.device import Device, load_board, no_array
from aieloom.spec.network import NetworkSpec
from aieloom.spec.product import is_in_logic
from aieloom.spec.quantize import Scales
from aieloom.spec.types import DataType
from aieloom.units.plan import Plan, interval_us

SAID = "network.yaml says so"
ON_ARRAY = "array"  # homes: the rooms that have designs
IN_TURN, CIRCUIT, MATRIX_ENGINE = "sequential", "circuit", "matrix_engine"
# layers on the array: with more `execution: auto` does not look for a mapping, which takes minutes
SEARCHED = 32
CROWDED = 0.5  # of the cores' data memories: with more weights `execution: auto` does not try the array


class Read(Protocol):
    """A network as it was read: of integers, where network.yaml says so, which depend on how it runs."""

    @property
    def spec(self) -> NetworkSpec:
        """Its description."""
        ...

    @property
    def plugins(self) -> bytes:
        """A digest of the operators that are not aieloom's."""
        ...

    @property
    def floats(self) -> Network:
        """The network before there are integers."""
        ...

    def network(self, *, in_turn: bool) -> Network:
        """Return what is planned; `in_turn`: engines take layers of whole rows of integers."""
        ...

    def remade(self, spec: NetworkSpec) -> Network:
        """Return what is planned of a description whose layers have other engines."""
        ...


@dataclass(frozen=True, kw_only=True)
class Decided:
    """A planned network: where its kind of design is at home, the plan, and the network as the search settled it."""

    home: str
    plan: Plan
    network: Network
    in_turn: bool = False  # see Read.network


def decide(read: Read) -> Decided:
    """Plan a network by the one unit that it asks for, or as its `execution:` says: on the array, in turn, as one circuit.

    Raises:
        SpecError: the target has no array and shall have one, or the design breaks a rule of the board.
    """
    spec, board = read.spec, load_board(read.spec.target)
    rows, reason = _takes_turns(spec, board), SAID
    unit = spec.unit or (MATRIX_ENGINE if is_in_logic(spec) else None)
    if unit:
        from aieloom.makers import maker_of  # noqa: PLC0415 - units print, which checking others does without

        in_turn = rows and spec.execution == IN_TURN
        network = read.network(in_turn=in_turn)
        with working(f"planning {spec.name}"):
            plan = maker_of(unit).plan(network, board, REGISTRY, SAID)
        return Decided(home=unit, plan=plan, network=network, in_turn=in_turn)
    if spec.execution == "auto":
        crowded = _crowded(read.network(in_turn=False), board)
        reason = crowded or ("" if isinstance(board, Device) else no_array(board)[0])
    if spec.execution == "spatial" and not is_circuit(spec):
        return with_own_cores(read)
    if spec.execution != "auto" or reason:
        return _taking_turns(read, board, reason, rows=rows)
    try:
        return with_own_cores(read, moves=False)
    except CannotFit as e:
        reason = f"spatially it does not fit: {e.problems[0].text}"
    try:
        return _taking_turns(read, board, reason, rows=rows)
    except CannotFit:  # there is no other way: layers may go to the processor
        return with_own_cores(read)


def with_own_cores(read: Read, *, moves: bool = True) -> Decided:
    """Plan a network for the target's array; `moves` lets layers that have no room there go to the processor.

    Raises:
        SpecError: the target has none, or the design breaks a rule of the device.
    """
    spec, network, device = read.spec, read.network(in_turn=False), load_board(read.spec.target)
    if not isinstance(device, Device):
        raise SpecError(spec.source.problem("array-2", ("target",), *no_array(device)))
    with working(f"planning {spec.name}"):
        try:
            settled = settle(network, device, REGISTRY, plugins=read.plugins, remake=read.remade, moves=moves)
        except CannotFit as e:
            raise _or_layer_by_layer(e, network, device) from None
    return Decided(home=ON_ARRAY, plan=whole(settled.plan), network=settled.network)


def _taking_turns(read: Read, board: Board, reason: str, *, rows: bool) -> Decided:
    """Plan a network as a circuit, or one layer after another; `rows`: layers of whole rows have a unit.

    Raises:
        CannotFit: it does not fit the board.
    """
    in_turn = rows and (
        read.spec.execution == IN_TURN or (read.spec.execution == "auto" and _has_rows(read.floats))
    )
    network = read.network(in_turn=in_turn)
    with working(f"planning {read.spec.name}"):
        plan = _in_logic_or_in_turn(network, board, reason, read.plugins)
    home = IN_TURN if plan.schedule.kind == "commands" else CIRCUIT
    return Decided(home=home, plan=plan, network=network, in_turn=in_turn)


def _takes_turns(spec: NetworkSpec, board: Board) -> bool:
    """Tell whether layers of whole rows have a unit: it stands beside the engine, where the logic has room for it."""
    settings = spec.quantize
    integers = settings is not None and settings.dtype is not DataType.BFLOAT16
    if spec.execution == "spatial":
        return False
    if settings and integers:
        scaled = settings.scaling is Scales.MULTIPLIER and settings.overflow != "wrap"
        if settings.dtype is not DataType.INT8 or not scaled:
            return False
    from aieloom.sequential.row_unit import has_room  # noqa: PLC0415 - layers in turn alone have it

    return has_room(board, integers=integers)


def _has_rows(network: Network) -> bool:
    """Tell whether a network has layers of whole rows."""
    from aieloom.quantize.attention import with_attention  # noqa: PLC0415 - layers in turn alone have it

    return any(turns(network, REGISTRY, la.name) for la in with_attention(network).layers)


def is_circuit(spec: NetworkSpec) -> bool:
    """Tell whether network.yaml wants the whole network as one circuit in the logic."""
    return spec.execution == "spatial" and spec.engine == "pl"


def _in_logic_or_in_turn(network: Network, board: Board, reason: str, plugins: bytes) -> Plan:
    """Plan a circuit or layers in their turn, as network.yaml says; where it says auto, what the model says is faster.

    Raises:
        CannotFit: it does not fit the board.
    """
    from aieloom.circuit.plan import plan_circuit  # noqa: PLC0415 - most networks lie on the array
    from aieloom.search.hybrid import faster_with_part, with_named_part  # noqa: PLC0415
    from aieloom.sequential.planning import plan_sequential  # noqa: PLC0415

    spec = network.spec
    if is_circuit(spec):
        return plan_circuit(network, board, REGISTRY, reason)
    if spec.spatial:
        return with_named_part(network, board, reason, plugins)
    circuit = None
    if spec.execution == "auto" and spec.engine != "aie":
        with suppress(CannotFit):
            circuit = plan_circuit(network, board, REGISTRY, reason)
    try:
        in_turn = plan_sequential(network, board, REGISTRY, reason)
    except CannotFit:
        if circuit is None:
            raise
        return circuit
    if spec.execution == "auto" and isinstance(board, Device):
        in_turn = faster_with_part(network, board, in_turn, plugins)
    return circuit if circuit and interval_us(circuit) < interval_us(in_turn) else in_turn


def _or_layer_by_layer(e: CannotFit, network: Network, device: Device) -> CannotFit:
    """Add the way for networks of any size to the remedies, where no tiling helps because of the weights alone."""
    if not _crowded(network, device):
        return e
    hint = "or run the layers one after another on one engine (execution: auto)"
    return CannotFit(replace(p, remedy=f"{p.remedy}; {hint}") for p in e.problems)


def _crowded(network: Network, board: Board) -> str | None:
    """Say why a network need not be tried on an array: its weights leave hardly room for buffers, or it has too many layers."""
    if not isinstance(board, Device):
        return None
    layers = len(on_array(network, REGISTRY))
    if layers > SEARCHED:
        return (
            f"{layers} layers would share the {board.array.cores} cores, more than the {SEARCHED} for which a mapping "
            "is looked for (execution: spatial looks for one all the same)"
        )
    weights, room = room_of(network, board, REGISTRY)
    if weights <= CROWDED * room:
        return None
    return (
        f"its weights have {weights:,} B as cores hold them, more than {CROWDED:.0%} of the {room:,} B of "
        "the cores' data memories, where buffers lie too"
    )
