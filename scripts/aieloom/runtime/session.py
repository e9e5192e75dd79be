"""`aieloom.Session`: a model on a device and the processor, with onnxruntime's `run(outputs, inputs)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aieloom.api import DesignHandle, design
from aieloom.arrays import Values
from aieloom.emit.files import write_bytes
from aieloom.errors import SpecError
from aieloom.flow.onnx_project import onnx_project_files
from aieloom.flow.opening import read_description
from aieloom.flow.project import FILE, no_project
from aieloom.network.inputs import quantised
from aieloom.network.parts import Part
from aieloom.network.readers import EXPORTED, KERAS, LITE, ONNX
from aieloom.network.readers.onnx_import import read_onnx
from aieloom.network.readers.onnx_order import sort_nodes
from aieloom.network.readers.refused import Refused
from aieloom.ops import REGISTRY
from aieloom.ops.plugins import load_packages
from aieloom.plan.operators import ArrayOperator
from aieloom.runtime.batches import check_samples_apart
from aieloom.runtime.board import XRT, BoardNetwork
from aieloom.runtime.ends import End, Place
from aieloom.runtime.kept import NAME, kept_design
from aieloom.runtime.partition import Cut, Flow, choose
from aieloom.runtime.processor import Processor, check_inside, check_options, extracted, infos
from aieloom.runtime.remote import RemoteNetwork, is_remote
from aieloom.spec.device import Device, load_board
from aieloom.spec.network import GRAPH_OUTPUTS, IntegersSpec

if TYPE_CHECKING:
    import onnx

    from aieloom.network.readers.onnx_import import OnnxNetwork
    from aieloom.runtime.lite import LiteNetwork

RULE = "session"
EMULATOR = "emulator"


WHOLE = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class Session:
    """A model that runs on a device; what this does not take, onnxruntime's CPU provider computes.

    Args:
        model: an ONNX or a TensorFlow Lite file, a program of torch.export (.pt2), or a project's folder.
        target: the board; of a project by default its own, else vck190.
        device: "emulator"; "xrt", the board on which this runs: the model is then the folder of a card that was built, or
            `emu` of a build folder; or a server's address (`aieloom serve`): "unix:FILE" or "tcp:HOST:PORT".
        build: where a project is built; by default `build` in its folder.
        token: what a server on TCP may want to know.
        ca: the certificates by which such a server is known (PEM), for TLS.

    On a server the model is a network that it serves, by its name, or an ONNX file, which it is given.

    Of an ONNX file the device takes the largest part between one tensor, or the model's inputs, and another that
    aieloom can read, the whole of it if that can be; on boards without an array its products run on the matrix engine in the
    logic, of integers as one circuit or one layer after another, whatever the model says is faster. `places` says who does it.
    Results are to the bit what the parts give.
    A TensorFlow Lite file is taken whole or refused: its integers are by its own definition.

    Raises:
        SpecError: there is no such model, device or board, or no part of the model that the board takes.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        target: str | None = None,
        device: str = EMULATOR,
        build: str | Path | None = None,
        token: bytes = b"",
        ca: Path | None = None,
    ) -> None:
        if device not in {EMULATOR, XRT} and not is_remote(device):
            raise _refused(
                f"there is no device '{device}'", f"use device='{EMULATOR}', '{XRT}' or 'unix:FILE'"
            )
        self._pool = ThreadPoolExecutor(1)
        path = Path(model)
        parts: _Project | _Model | LiteNetwork | RemoteNetwork | BoardNetwork
        if device == XRT:
            parts = BoardNetwork(path)
        elif is_remote(device):
            parts = RemoteNetwork(path, device, token=token, ca=ca)
        elif path.suffix == LITE:
            from aieloom.runtime.lite import LiteNetwork  # noqa: PLC0415 - readers that other models do without

            parts = LiteNetwork(path, target or "vck190")
        elif path.suffix in KERAS:
            raise _refused(
                f"'{path.name}' is a Keras file, whose images have their channels last",
                f"make a project of it (aieloom new NAME --model {path.name}) and give that, with channels first",
            )
        elif path.suffix in {ONNX, EXPORTED}:
            parts = _Model(path, target or "vck190")
        else:
            parts = _Project(path, target, build)
        self._parts = parts
        self.places: tuple[Place, ...] = parts.places

    def get_inputs(self) -> tuple[End, ...]:
        """Return what the model is given."""
        return self._parts.inputs

    def get_outputs(self) -> tuple[End, ...]:
        """Return what it gives."""
        return self._parts.outputs

    def run(
        self, outputs: Sequence[str] | None, inputs: Mapping[str, Values], run_options: object = None
    ) -> list[Values]:
        """Return the named outputs, all of them by default, of arrays by the inputs' names; a batch where the model takes one.

        As onnxruntime's: no names are all outputs too, and `run_options` may be its RunOptions with nothing set.

        Raises:
            SpecError: a name is none of the model's, an array cannot be one of its inputs, or an option is set.
            ToolError: the C++ compiler fails.
            RunFailed: the emulator refuses the design.
        """
        check_options(run_options)
        known = [o.name for o in self.get_outputs()]
        wanted = list(outputs or ()) or known
        for name in wanted:
            if name not in known:
                raise _refused(f"the model has no output '{name}'", f"use some of: {', '.join(known)}")
        given = [i.name for i in self.get_inputs()]
        if set(inputs) != set(given):
            raise _refused(
                f"the inputs {sorted(inputs)} are given", f"give an array for each of: {', '.join(given)}"
            )
        found = self._parts.run(wanted, inputs)
        return [found[name] for name in wanted]

    def run_async(self, outputs: Sequence[str] | None, inputs: Mapping[str, Values]) -> Future[list[Values]]:
        """Return a future of what `run` gives; runs follow one another in order."""
        return self._pool.submit(self.run, outputs, inputs)

    def close(self) -> None:
        """Wait for what runs; the session takes no more."""
        self._pool.shutdown()
        if isinstance(self._parts, RemoteNetwork | BoardNetwork):
            self._parts.close()

    def __enter__(self) -> Session:
        """Return the session itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


def _refused(text: str, remedy: str, file: str = "") -> SpecError:
    return SpecError(rule=RULE, file=file, text=text, remedy=remedy)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """A part of a model that the device takes, as a design."""

    device: DesignHandle
    model: onnx.ModelProto
    integers: IntegersSpec | None  # that its results become
    sources: Mapping[str, str]  # the model's tensors by the names of the design's inputs
    layers: tuple[str, ...]  # that give the outputs, of several


class _Project:
    """A project's network, all on the device."""

    def __init__(self, path: Path, target: str | None, build: str | Path | None) -> None:
        if not (path / FILE).is_file():
            raise no_project(path)
        self._device = design(path, target=target, build=build)
        spec = read_description(path, target=target, weights=None)
        given, last = spec.graph_inputs, spec.layers[-1]
        several = (last.inputs or ()) if last.op == GRAPH_OUTPUTS else ()
        results = several or (last.name,)
        self.inputs = tuple(End(name=x.name, shape=(None, *x.shape)) for x in given)
        self.outputs = tuple(End(name=y, shape=(None,)) for y in results)
        self.places = (
            Place(
                engine=spec.target,
                inputs=tuple(x.name for x in given),
                outputs=results,
                nodes=tuple(layer.op for layer in spec.layers[len(spec.inputs) : -1 if several else None]),
            ),
        )

    def run(self, outputs: Sequence[str], inputs: Mapping[str, Values]) -> dict[str, Values]:
        """Return the results by name."""
        y = self._device.emulate(inputs if len(self.inputs) > 1 else inputs[self.inputs[0].name])
        found = self._device.outputs(y) if len(self.outputs) > 1 else {self.outputs[0].name: y}
        return {name: found[name] for name in outputs}


class _Model:
    """An ONNX model, or a program of torch.export as one: a part on the device, onnxruntime around it."""

    def __init__(self, path: Path, target: str) -> None:
        import onnx  # noqa: PLC0415 - only models need it

        self._target, self._board = target, load_board(target)
        try:
            model = _exported(path) if path.suffix == EXPORTED else onnx.load(path)
            check_inside(model)
            sort_nodes(model.graph)
            inferred = onnx.shape_inference.infer_shapes(model)
        except SpecError:
            raise
        except Refused as e:
            raise _refused(e.problem, e.remedy, str(path)) from e
        except Exception as e:  # protobuf and the file system raise many kinds for damaged files
            raise _refused(
                f"is no ONNX model that can be read: {e}", "export or copy it again", str(path)
            ) from e
        self._model, self._shown = inferred, path.name
        flow = Flow(inferred)
        self.inputs = tuple(_end(v) for v in inferred.graph.input if v.name in flow.inputs)
        self.outputs = tuple(_end(v) for v in inferred.graph.output)
        self._taken: list[_Taken] = []
        part, self.why = choose(inferred, self._try)
        (taken,) = self._taken
        self._device, self._integers, self._part = taken.device, taken.integers, taken.model
        self._is_apart = not all(_is_open(v) for v in self._part.graph.input)
        self._names, self._layers = taken.sources, taken.layers
        sources = flow.inputs if part is None else part.sources
        results = flow.outputs if part is None else (part.result,)
        self._results = results
        known = {v.name: _end(v) for v in infos(inferred)}
        self._ends = {name: known.get(name) for name in results}
        nodes = range(len(flow.nodes)) if part is None else part.numbers
        on_device = Place(
            engine=target,
            inputs=sources,
            outputs=results,
            nodes=tuple(flow.nodes[n].op_type for n in nodes),
        )
        cut = Cut(before=(), behind=()) if part is None else flow.cut(part)
        self._before = self._around(flow.inputs, cut.before) if cut.before else None
        behind = tuple(o for o in flow.outputs if o not in cut.behind)
        self._behind = self._around(cut.behind, behind) if behind and part else None
        self._given_behind = cut.behind
        around = [(flow.inputs, cut.before, self._before), (cut.behind, behind, self._behind)]
        host = [
            Place(
                engine="onnxruntime", inputs=i, outputs=o, nodes=tuple(n.op_type for n in s.model.graph.node)
            )
            for i, o, s in around
            if s is not None
        ]
        self.places = (*host[: 1 if self._before else 0], on_device, *host[1 if self._before else 0 :])

    def _try(self, part: Part | None) -> None:
        """Make a design of a part, where aieloom can read it and it fits the board.

        Raises:
            SpecError: it cannot, or does not.
        """
        model = self._model if part is None else extracted(self._model, part.sources, (part.result,))
        with TemporaryDirectory(prefix="aieloom-session-") as folder:  # of what is refused nothing is kept
            file = Path(folder) / f"part{ONNX}"
            write_bytes(file, model.SerializeToString(deterministic=True))
            load_packages()
            network = read_onnx(file, shown_as=self._shown)
            files = onnx_project_files(file, NAME, self._target, more=self._more(network))
        device = kept_design(files, self._target, shown_as=self._shown)
        last = network.layers[-1]
        several = last.get("inputs") if last["op"] == GRAPH_OUTPUTS else ()
        assert isinstance(several, Sequence)
        sources = {str(i["name"]): name for i, name in zip(network.inputs, network.names, strict=True)}
        integers, layers = network.output_integers, tuple(several)
        self._taken.append(
            _Taken(device=device, model=model, integers=integers, sources=sources, layers=layers)
        )

    def _more(self, network: OnnxNetwork) -> list[str]:
        """Return what a network's network.yaml says besides its layers: where these run.

        Raises:
            SpecError: none is worth the device.
        """
        products = [la["name"] for la in network.layers if isinstance(REGISTRY[str(la["op"])], ArrayOperator)]
        if not products:
            raise _refused("nothing in it is a product", "use a part with Conv, Gemm or MatMul")
        if isinstance(
            self._board, Device
        ):  # several inputs are a transformer's, too large to lie on the array
            return ["execution: auto"] if len(network.inputs) > 1 else []
        if network.is_quantised:
            return ["execution: auto"]
        return ["mapping:", *(f"  {name}: {{engine: pl, strategy: gemm}}" for name in products)]

    def _around(self, inputs: Sequence[str], outputs: Sequence[str]) -> Processor:
        return Processor(extracted(self._model, inputs, outputs))

    def run(self, outputs: Sequence[str], inputs: Mapping[str, Values]) -> dict[str, Values]:
        """Return the results by name."""
        known = dict(inputs)
        if self._before:
            known |= self._before.run(known)
        given = {own: known[name] for own, name in self._names.items()}
        if not self._is_apart and any(len(v) > 1 for v in given.values() if np.ndim(v)):
            check_samples_apart(self._part)
            self._is_apart = True
        y = self._device.emulate(given if len(given) > 1 else next(iter(given.values())))
        if self._layers:
            found = self._device.outputs(y)
            made = [found[layer] for layer in self._layers]
        else:
            made = [y]
        known |= {n: self._shaped(n, part) for n, part in zip(self._results, made, strict=True)}
        if self._behind:
            known |= self._behind.run({name: known[name] for name in self._given_behind})
        return {name: known[name] for name in outputs}

    def _shaped(self, name: str, reals: Values) -> NDArray[Any]:
        """Return a result of the device in the type and the shape that the model gives it."""
        end = self._ends[name]
        shape = end.shape if end else None
        y = quantised(reals, self._integers) if self._integers else reals
        if end and end.type in WHOLE and not self._integers:  # numbers of places, as ArgMax gives
            y = y.astype(WHOLE[end.type])
        if not shape or any(d is None for d in shape[1:]):
            return y
        return y.reshape(-1, *(d for d in shape[1:] if d is not None))


def _is_open(value: onnx.ValueInfoProto) -> bool:
    """Tell whether a tensor's first axis, of the samples, has no fixed length."""
    dims = value.type.tensor_type.shape.dim
    return bool(dims) and not dims[0].HasField("dim_value")


def _exported(path: Path) -> onnx.ModelProto:
    """Return a program of torch.export as an ONNX model."""
    from aieloom.network.readers.torch_archive import read_exported  # noqa: PLC0415 - a reader that others do without

    return read_exported(path, path.name)


def _end(value: onnx.ValueInfoProto) -> End:
    import onnx  # noqa: PLC0415

    dims = value.type.tensor_type.shape.dim
    kind = onnx.TensorProto.DataType.Name(value.type.tensor_type.elem_type).lower()
    shape = tuple(d.dim_value if d.HasField("dim_value") else None for d in dims)
    return End(name=value.name, shape=shape, type=f"tensor({kind})")
