"""Small projects whose layers have no cores of their own, each with its own kind of design."""

from __future__ import annotations

from pathlib import Path

from tests.circuit import networks as circuits
from tests.sequential import hybrids, networks
from tests.vitis.conftest import Folder


def in_turn(folder: Path) -> Folder:
    """Layers in their turn, on the array, vector units and processor."""
    networks.opened(folder, networks.quantised("multiplier"))
    return Folder(folder)


def in_logic(folder: Path) -> Folder:
    """Layers in their turn in float32, on the engine in the logic."""
    networks.opened(folder, networks.NETWORK.replace("zcu104", "vck190\nengine: pl"))
    return Folder(folder)


def circuit(folder: Path) -> Folder:
    """One circuit in the logic."""
    return Folder(circuits.written(folder, circuits.NETWORK.replace("zynq-7020", "vck190")))


def hybrid(folder: Path) -> Folder:
    """Layers with cores of their own before others in their turn on the engine in the logic."""
    folder.mkdir()
    hybrids.hybrid(folder, "front", ("name: front", "name: small"))
    return Folder(folder)
