"""A layer of a chain as processes of the event simulation: memory tile, streams to the cores, cores, streams back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aieloom.plan.linked import Times
from aieloom.plan.types import AieLayerPlan
from aieloom.simulation.events import LayerPorts, Places, Process, Simulation, Tokens

COPIES = 2  # of a memory tile's buffer


@dataclass(slots=True, kw_only=True)
class LinkedLayer:
    """One layer in a simulation of `images` images; all its cores work alike.

    `before` and `after` are the layer's ports to the PL: its memory tile's buffer where it is a first one, and the one
    behind it where it is a last one.
    """

    sim: Simulation
    images: int
    layer: AieLayerPlan
    times: Times
    aie_mhz: float
    ports: LayerPorts

    def start(self, tokens: Callable[[str, int], Tokens], source: Places | None) -> Places:
        """Add the processes; `source` are the buffers of the cores before. Return those of its own cores' results."""
        name, copies = self.layer.name, self.layer.draft.buffers.copies
        made = Places(tokens(f"an output buffer of {name}", copies), tokens(f"output of {name}", 0))
        lane = f"aie/{name} ({len(self.layer.kernels)} cores)"
        given = source if source and self.layer.draft.handed else self._brought(tokens, source)
        self.sim.start(name, self._move(given, made, self.times.compute, lane))
        for behind in self.ports.outputs[:1]:
            self.sim.start(f"{name} write", self._move(made, behind, self.times.write, f"stream/{name} out"))
        return made

    def _brought(self, tokens: Callable[[str, int], Tokens], source: Places | None) -> Places:
        """Add the processes of the memory tile before the cores; return the cores' input buffers."""
        name = self.layer.name
        if source is None:
            tile = self.ports.inputs[0]
        else:
            tile = Places(
                tokens(f"a free memory tile before {name}", COPIES), tokens(f"an image before {name}", 0)
            )
        copies = self.layer.draft.buffers.copies
        given = Places(tokens(f"an input buffer of {name}", copies), tokens(f"input of {name}", 0))
        if source is not None:
            self.sim.start(f"{name} fill", self._move(source, tile, self.times.gather, None))
        self.sim.start(f"{name} read", self._move(tile, given, self.times.read, f"stream/{name} in"))
        return given

    def _move(self, source: Places, target: Places, cycles: float, lane: str | None) -> Process:
        """Take an image from one buffer, and give it to the next one."""
        for image in range(self.images):
            marks = [(lane, f"image {image}")] if lane else []
            yield from self.sim.hand_on([source], [target], cycles / self.aie_mhz, *marks)
