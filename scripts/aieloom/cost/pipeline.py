"""A graph as a pipeline: what sets its rate, how long one image takes, how busy each stage is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stage: microseconds between two images, microseconds of one image, and whose results it needs."""

    name: str
    interval_us: float
    latency_us: float
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineTimes:
    """What a pipeline does: `critical` are the stages of the longest path, in order."""

    interval_us: float
    latency_us: float
    bottleneck: str
    critical: tuple[str, ...]
    utilisation: Mapping[str, float] = field(default_factory=dict)


def chain(stages: Sequence[Stage]) -> list[Stage]:
    """Return the stages one after another."""
    before: tuple[str, ...] = ()
    linked = []
    for s in stages:
        linked.append(Stage(name=s.name, interval_us=s.interval_us, latency_us=s.latency_us, after=before))
        before = (s.name,)
    return linked


def times(stages: Sequence[Stage]) -> PipelineTimes:
    """Return rate, latency by critical path, bottleneck and utilisation; stages stand after those they need.

    Raises:
        ValueError: there is no stage, or one needs a stage that does not stand before it.
    """
    if not stages:
        raise ValueError("a pipeline needs a stage")
    done: dict[str, tuple[float, tuple[str, ...]]] = {}
    for stage in stages:
        missing = [name for name in stage.after if name not in done]
        if missing:
            raise ValueError(f"stage '{stage.name}' needs {missing}, which do not stand before it")
        ready, path = max((done[name] for name in stage.after), default=(0.0, ()), key=lambda d: d[0])
        done[stage.name] = ready + stage.latency_us, (*path, stage.name)
    slowest = max(stages, key=lambda s: s.interval_us)
    latency, critical = max(done.values(), key=lambda d: d[0])
    return PipelineTimes(
        interval_us=slowest.interval_us,
        latency_us=latency,
        bottleneck=slowest.name,
        critical=critical,
        utilisation={s.name: s.interval_us / slowest.interval_us for s in stages},
    )
