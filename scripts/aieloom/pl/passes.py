"""Layers that go over all channels of a pixel several times: in a streaming kernel each pass is a task.

The tasks stand in a chain of queues, each of which holds what the passes of two images leave in it, so that no pass waits for
another image's. From one image to the next a task takes as long as it takes values in.
"""

from __future__ import annotations

from dataclasses import dataclass

BEATS, RESULTS = "beats", "results"  # the queues at the chain's ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """A task: what it takes and gives by name, the first of them value after value."""

    name: str
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    ii: int  # cycles from one value to the next
    depth: int  # of its pipeline, in cycles (estimate)
    last: bool  # what it gives to the next pass comes behind an image's last value
    why: str  # its II and its depth, in words


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """A queue between passes: elements as the layer's, or floats; a value of each channel, or of each image."""

    name: str
    what: str
    is_float: bool
    each: bool  # of a channel


@dataclass(frozen=True, slots=True, kw_only=True)
class Passes:
    """The tasks in their order, the queues between them, the template that prints the tasks, and what they take."""

    template: str
    values: str  # the template of what the tasks do with values
    tasks: tuple[Pass, ...]
    queues: tuple[Between, ...]
    dsp: int
    lut: int

    def interval(self, beats: int, channels: int) -> int:
        """Return the cycles of an image, which comes in so many beats, in the task that takes the longest."""
        first, *others = self.tasks
        return max(first.ii * beats, *(t.ii * channels for t in others))

    def delay(self, channels: int) -> int:
        """Return the cycles from an image's last beat until its first result has left."""
        _, *others = self.tasks
        return sum(t.depth for t in self.tasks) + sum(t.ii * channels for t in others if t.last)
