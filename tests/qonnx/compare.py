"""A quantised model by aieloom's integers, by the definition, and by onnxruntime's CPU provider."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.errors import SpecError
from aieloom.flow.onnx_project import with_onnx_layers
from aieloom.flow.opening import open_project
from aieloom.flow.project import Project, WeightsFile
from aieloom.flow.quantised import quantised
from aieloom.network.layers import Parameters, infer_shapes
from aieloom.ops import REGISTRY
from aieloom.ops.batch_norm import fold_network
from aieloom.plan.build import make_plan
from aieloom.plan.types import ArrayPart
from aieloom.reference.results import hardware_reference
from aieloom.spec.device import load_device
from aieloom.spec.lines import parse_yaml
from aieloom.spec.load import parse_network
from tests.heavy import onnx
from tests.onnx_session import session
from tests.qonnx.definition import Definition

Values = NDArray[Any]
YAML = "name: net\ntarget: vek280\nweights: net.onnx\n"


@dataclass(frozen=True)
class Planned:
    """A plan with its integers."""

    array: ArrayPart
    parameters: Mapping[str, Parameters]


def project_of(model: onnx.ModelProto, folder: Path, extra: str = "") -> Project:
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "net.onnx")
    (folder / "network.yaml").write_text(YAML + extra)
    return open_project(folder, build=folder / "build")


def planned(model: onnx.ModelProto, folder: Path) -> Planned:
    """Plan a model as the planner first does, without the search for the best cut, which takes most of the time."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "net.onnx"
    onnx.save(model, file)
    source = with_onnx_layers(parse_yaml(YAML, "network.yaml"), folder)
    written = infer_shapes(parse_network(source, REGISTRY), REGISTRY)
    tensors = WeightsFile(path=file, written=written, folded=fold_network(written)).parameters
    integers = quantised(written, tensors, folder, file)
    assert integers is not None
    plan = make_plan(integers.network, load_device("vek280"), REGISTRY)
    return Planned(plan, integers.parameters)


def by_onnxruntime(model: onnx.ModelProto, x: Values, *, optimised: bool = False) -> Values:
    run = session(model, optimised=optimised)
    name = run.get_inputs()[0].name
    return np.concatenate([run.run(None, {name: v[None]})[0].ravel()[None] for v in x])


def by_aieloom(project: Project | Planned, x: Values) -> Values:
    plan = project.array
    given = plan.x.to_inside(x.reshape(len(x), *plan.x.outside))
    y: Values = plan.y.to_outside(hardware_reference(plan, project.parameters, given)).reshape(len(x), -1)
    return y


def by_definition(model: onnx.ModelProto, x: Values) -> tuple[Values, list[bool]]:
    found = [Definition(model).run(v[None]) for v in x]
    return np.stack([y.ravel() for y, _ in found]), [near for _, near in found]


def last_scale(model: onnx.ModelProto) -> float:
    """Return the scale of the last DequantizeLinear."""
    constants = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    return float(constants[model.graph.node[-1].input[1]])


@dataclass
class Tally:
    """What became of graphs, and of their results' elements."""

    graphs: int = 0
    taken: int = 0
    values: int = 0
    clear: int = 0  # results of samples whose roundings were all clear of halves
    defined: int = 0  # equal to the definition, of all
    apart: float = 0.0  # elements, at most, from the definition
    runtime: int = 0  # equal to onnxruntime, default options
    plain: int = 0  # equal to onnxruntime without optimisation
    plain_defined: int = 0  # values of onnxruntime, without optimisation, that are the definition's
    plain_same: int = 0  # of those, equal to ours
    refused: Counter[str] = field(default_factory=Counter)
    operators: Counter[str] = field(default_factory=Counter)

    def text(self) -> str:
        share = {
            k: 100 * getattr(self, k) / max(1, self.values) for k in ("defined", "clear", "runtime", "plain")
        }
        return (
            f"{self.graphs} graphs, {self.taken} taken, {self.values} values: equal to the definition {share['defined']:.3f} %"
            f" (at most {self.apart:.0f} elements apart; {share['clear']:.1f} % of the values have no rounding near a half on their way,"
            f" and those are all equal), to onnxruntime {share['runtime']:.3f} %, without its optimisations {share['plain']:.3f} %,"
            f" where it gives what the definition gives ({self.plain_defined} values)"
            f" {100 * self.plain_same / max(1, self.plain_defined):.3f} %"
        )


class Wrong(AssertionError):
    """A result differs from the definition where nothing was near a half."""


def compared(model: onnx.ModelProto, x: Values, ops: tuple[str, ...], folder: Path, tally: Tally) -> None:
    """Compare one model, and add it to the tally.

    Raises:
        Wrong: results differ from the definition where no rounding was near a half.
    """
    tally.graphs += 1
    try:
        project = planned(model, folder)
    except SpecError as e:
        tally.refused[e.problems[0].text.split(": ", 1)[-1][:100]] += 1
        return
    tally.taken += 1
    tally.operators.update(ops)
    ours = by_aieloom(project, x)
    wanted, near = by_definition(model, x)
    scale = np.float32(last_scale(model))
    off = np.rint(np.abs(ours - wanted) / scale)
    tally.values += off.size
    tally.defined += int((off == 0).sum())
    tally.apart = max(tally.apart, float(off.max()))
    clear = ~np.array(near)
    tally.clear += int(clear.sum()) * off.shape[1]
    for name, optimised in (("runtime", True), ("plain", False)):  # a user's default session is counted too
        theirs = by_onnxruntime(model, x, optimised=optimised)
        same = np.rint(np.abs(ours - theirs) / scale) == 0
        setattr(tally, name, getattr(tally, name) + int(same.sum()))
        if not optimised:
            defined = np.rint(np.abs(theirs - wanted) / scale) == 0
            tally.plain_defined += int(defined.sum())
            tally.plain_same += int((same & defined).sum())
    if off[clear].any():
        raise Wrong(
            f"{int((off[clear] > 0).sum())} of {off[clear].size} values are up to {off[clear].max():.0f} elements off: {ops}"
        )
