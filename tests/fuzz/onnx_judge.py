"""A random ONNX graph as aieloom reads it, beside onnxruntime without its optimiser."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.errors import AieloomError
from tests.heavy import onnx, onnxruntime
from tests.onnx.models import run_imported
from tests.onnx_session import session as onnx_session

Values = NDArray[Any]
SAMPLES = 2
CLOSE = 1e-4  # of the peak: float32 sums in another order


@dataclass
class Tally:
    """What became of the graphs."""

    outcomes: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    equal: Counter[str] = field(default_factory=Counter)  # by operator
    wrong: list[str] = field(default_factory=list)

    def add(self, title: str, model: onnx.ModelProto, x: Values) -> None:
        """Judge a graph."""
        outcome, text = judged(model, x)
        self.outcomes[outcome] += 1
        ops = sorted({n.op_type for n in model.graph.node})
        if outcome == "equal":
            self.equal.update(ops)
        elif outcome == "refused":
            self.refusals[text] += 1
        elif outcome == "wrong":
            self.wrong.append(f"{title} {ops}: {text}")

    def text(self) -> str:
        """Return the counts."""
        return (
            f"{dict(self.outcomes)}, operators equal in {len(self.equal)}: {dict(sorted(self.equal.items()))}"
        )


def _tensors(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    """Return a session that gives the results of all nodes."""
    whole = onnx.ModelProto()
    whole.CopyFrom(model)
    known = {o.name for o in whole.graph.output}
    made = [y for n in whole.graph.node for y in n.output if y and y not in known]
    whole.graph.output.extend(onnx.ValueInfoProto(name=y) for y in made)
    return onnx_session(whole)


def judged(model: onnx.ModelProto, x: Values) -> tuple[str, str]:
    """Return illegal, not finite, refused, equal or wrong, and what is wrong."""
    try:
        onnx.checker.check_model(model)
        session = onnx_session(model)
        want = [session.run(None, {"x": one})[0] for one in x]
        finite = all(np.isfinite(v).all() for one in x for v in _tensors(model).run(None, {"x": one}))
    except Exception:  # onnxruntime has many
        return "illegal", ""
    if not finite:
        return "not finite", ""
    whole = np.stack(want).astype(np.float64)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        onnx.save(model, path)
        try:
            got = run_imported(path, x)[0]
        except AieloomError as e:
            return "refused", str(e).splitlines()[0]
        except Exception as e:  # a traceback is as wrong as a value
            return "wrong", f"{type(e).__name__}: {e}"
    if got.size != whole.size:
        return "wrong", f"{got.shape}, not {whole.shape}"
    peak = max(1e-6, float(np.abs(whole).max()))
    error = float(np.abs(got.reshape(whole.shape) - whole).max()) / peak
    return ("equal", "") if error <= CLOSE else ("wrong", f"{error:g} of the peak")
