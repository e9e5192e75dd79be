"""A PyTorch module as the ONNX model of its calls, by torch.export: no file between.

The module is exported in evaluation mode for the shape of one example. What cannot be taken is named by its module and the
line of its forward(), all of it in one message.
"""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from numpy.typing import ArrayLike

from aieloom.arrays import Values
from aieloom.errors import Problem, SpecError
from aieloom.network.readers.onnx_import import OnnxNetwork, read_model
from aieloom.network.readers.recorded import Recorded
from aieloom.network.readers.refused import Refused
from aieloom.network.readers.registry import torch_readers
from aieloom.network.readers.torch_aliases import written_views
from aieloom.network.readers.torch_ops import (
    IMAGE,
    TRANSLATORS,
    Call,
    Calls,
    Flow,
    Trained,
    check_read,
)

if TYPE_CHECKING:  # seconds of start-up, and not everybody has it
    import onnx
    import torch
    from torch.export import ExportedProgram
    from torch.fx import Node

RULE = "torch"
OPSET = 20
TITLE = re.compile(r"node '([^']+)' \([\w.]+\): (.*)", re.DOTALL)


def read_module(
    module: torch.nn.Module | ExportedProgram, example: ArrayLike | torch.Tensor
) -> tuple[OnnxNetwork, tuple[int, ...]]:
    """Return the layers and tensors of a module, or of a program that torch.export made of one; and the shape of a result.

    `example` is a batch of inputs whose shape, behind the batch, is the network's.

    Raises:
        SpecError: the module fails on the example, cannot be exported, or calls what no layer computes.
    """
    import torch  # noqa: PLC0415 - seconds of start-up, and not everybody has it

    if not isinstance(module, torch.nn.Module | torch.export.ExportedProgram):
        raise _refused(
            f"a {type(module).__name__} is no torch.nn.Module", "give the module itself, with its weights"
        )
    try:
        x = torch.as_tensor(example)
    except (TypeError, ValueError, RuntimeError) as e:
        text = f"the example is a {type(example).__name__}, no tensor or array"
        raise _refused(text, "give one batch of the one input that forward() takes") from e
    if not x.is_floating_point() or not 2 <= x.ndim <= IMAGE or not x.numel():
        text = f"the example is of {x.dtype} and the shape {list(x.shape)}"
        raise _refused(
            text, "give floats: (n, channels, height, width), (n, rows, features) or (n, features)"
        )
    if isinstance(module, torch.export.ExportedProgram):
        network, result = _Walk(module).network()
        inside = tuple(x.shape[1:])
        shape = network.inputs[0]["shape"]
        if len(network.inputs) > 1 or shape not in (list(inside), [*inside, 1, 1][:3]):
            text = f"the program takes {shape}, the example has {list(inside)} behind its batch"
            raise _refused(text, "give a batch of what it was exported for")
        return network, result
    training = module.training
    try:
        module.eval()
        exported = _exported(module, x[:1])
    finally:
        module.train(training)
    return _Walk(exported).network()


def _refused(text: str, remedy: str) -> SpecError:
    return SpecError(rule=RULE, text=text, remedy=remedy)


def _exported(module: torch.nn.Module, x: torch.Tensor) -> ExportedProgram:
    """Return the exported program.

    Raises:
        SpecError: the module fails, and where; or forward() is no fixed graph.
    """
    import torch  # noqa: PLC0415

    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what PyTorch says of its own ways to compute
        _tried(module, x)
        try:
            return torch.export.export(module, (x,))
        except Exception as e:  # data-dependent control flow and unsupported Python raise many kinds
            said = next((line for line in str(e).splitlines() if line.strip()), type(e).__name__)
            remedy = "write forward() without branches on values, or export it to ONNX: aieloom new --model"
            raise _refused(f"torch.export cannot trace {type(module).__name__}: {said}", remedy) from e


def _tried(module: torch.nn.Module, x: torch.Tensor) -> None:
    """Run the module on the example; a layer that cannot take its input is named.

    Raises:
        SpecError: it fails.
    """
    inside: list[tuple[str, torch.nn.Module, tuple[object, ...]]] = []

    def enter(name: str) -> Callable[[torch.nn.Module, tuple[object, ...]], None]:
        return lambda leaf, given: inside.append((name, leaf, given))

    leaves = [(n, m) for n, m in module.named_modules() if not list(m.children())]
    hooks = [m.register_forward_pre_hook(enter(n)) for n, m in leaves]
    hooks += [m.register_forward_hook(lambda *_: inside.pop() and None) for _, m in leaves]
    try:
        module(x)
    except Exception as e:
        said = str(e).splitlines()[0] if str(e) else type(e).__name__
        if not inside:
            raise _refused(
                f"{type(module).__name__} fails on the example: {said}", "correct forward()"
            ) from e
        name, leaf, given = inside[-1]
        shape = list(given[0].shape) if given and hasattr(given[0], "shape") else "?"
        text = f"layer '{name}' {leaf} fails on {shape}: {said}"
        raise _refused(text, f"correct '{name}' or what stands before it, or give another example") from e
    finally:
        for hook in hooks:
            hook.remove()


class _Walk:
    """Takes the calls of an exported program in order."""

    def __init__(self, exported: ExportedProgram) -> None:
        self.exported = exported
        self.made = Calls()
        self.flows: dict[str, Flow] = {}
        self.known: dict[str, Trained] = {}  # parameters, buffers and constants by the names of their nodes
        self.calls = {n.name: n for n in exported.graph.nodes if n.op == "call_function"}

    def network(self) -> tuple[OnnxNetwork, tuple[int, ...]]:
        """Return the network and the shape of a result, without the batch.

        Raises:
            SpecError: a call cannot be taken, or there is not one input and one output.
        """
        from onnx import TensorProto, helper  # noqa: PLC0415

        source, output = self._ends()
        shape = _shape_of(source)
        problems = list(self._written())
        self.flows[source.name] = Flow("x", shape)
        for node in self._needed(output):
            try:
                self._take(node)
            except Refused as e:
                problems.append(_problem(node, e.problem, e.remedy))
                given = next((self.flows[n.name] for n in node.all_input_nodes if n.name in self.flows), None)
                self.flows[node.name] = Flow(given.name if given else "x", _shape_of(node))
        if problems:
            raise SpecError(problems)
        given = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, *shape[1:]])
        result = helper.make_tensor_value_info(self.flows[output.name].name, TensorProto.FLOAT, None)
        network = self._read(self.made.outline("torch", given, result, OPSET)) if self.made.nodes else None
        if not network or not any(layer["op"] in ("conv2d", "dense") for layer in network.layers):
            raise _refused("the module has no Conv2d or Linear", "there is nothing for the AI Engines")
        return network, _shape_of(output)[1:]

    def _written(self) -> Iterator[Problem]:
        """Yield the calls after which a tensor is another one for those that read it by another name."""
        for node, alias in written_views(self.exported.graph):
            text = f"writes into '{alias}', or a view of it, which is read afterwards"
            remedy = "give forward() a new tensor instead: torch.cat of the parts, torch.where, y * 0.5"
            yield _problem(node, text, remedy)

    def _read(self, model: onnx.ModelProto) -> OnnxNetwork:
        try:
            return read_model(model, self.made.constants, shown_as="the module")
        except SpecError as e:
            raise SpecError(self._placed(problem) for problem in e.problems) from e

    def _placed(self, problem: Problem) -> Problem:
        """Return what is wrong with a node of ONNX as what is wrong with the call that it stands for."""
        found = TITLE.fullmatch(problem.text)
        if not found or found[1] not in self.calls:
            return replace(problem, rule=RULE, file="")
        return _problem(self.calls[found[1]], found[2], problem.remedy)

    def _ends(self) -> tuple[Node, Node]:
        signature = self.exported.graph_signature
        state = {**self.exported.state_dict, **self.exported.constants}
        for held in (
            signature.inputs_to_parameters,
            signature.inputs_to_buffers,
            signature.inputs_to_lifted_tensor_constants,
        ):
            self.known |= {node: Trained(name, _array(state[name])) for node, name in held.items()}
        inputs = [
            n for n in self.exported.graph.nodes if n.op == "placeholder" and n.name in signature.user_inputs
        ]
        (last,) = (n for n in self.exported.graph.nodes if n.op == "output")
        outputs = last.args[0]
        if len(inputs) != 1 or len(outputs) != 1 or not hasattr(outputs[0], "name"):
            text = f"forward() takes {len(inputs)} tensors and returns {len(outputs)}"
            raise _refused(text, "export the part between one tensor and one result")
        return inputs[0], outputs[0]

    def _needed(self, output: Node) -> Iterator[Node]:
        """Yield the calls that lead to the output, in order."""
        wanted, todo = set[str](), [output]
        while todo:
            node = todo.pop()
            if node.name not in wanted:
                wanted.add(node.name)
                todo += node.all_input_nodes
        yield from (n for n in self.calls.values() if n.name in wanted)

    def _take(self, node: Node) -> None:
        if node.target is operator.getitem:  # of a pool that gives its indices too
            given, index = node.args
            assert _is_node(given)
            if index != 0:
                raise Refused(f"takes result {index} of '{given}'", "use its values alone")
            self.flows[node.name] = self.flows[given.name]
            return
        call = self._call(node)
        if not call.flows:
            text = f"computes {list(call.y_shape)} with constants alone"
            raise Refused(text, "compute it before, and keep it as a buffer")
        op = call.op.partition(".")[0].removesuffix("_")  # what ends with _ writes into what it reads
        known = {**TRANSLATORS, **torch_readers()}
        if op not in known:
            raise Refused(f"the operator is not supported: {op}", f"these are: {', '.join(sorted(known))}")
        self.made.layer = node.name
        self.flows[node.name] = Flow(known[op](self.made, call), call.y_shape)
        check_read(op, call, {a.name: a.default_value for a in schema_of(node).arguments})

    def _call(self, node: Node) -> Call:
        schema = schema_of(node)
        args = {a.name: a.default_value for a in schema.arguments if a.has_default_value()}
        args |= {a.name: v for a, v in zip(schema.arguments, node.args, strict=False)}
        args |= node.kwargs
        return Call(
            op=str(node.target).removeprefix("aten."),
            args=Recorded({a.name: self._value(args[a.name]) for a in schema.arguments if a.name in args}),
            y_shape=_shape_of(node),
        )

    def _value(self, value: object) -> object:
        if isinstance(value, list | tuple):
            return [self._value(v) for v in value]
        if not _is_node(value):
            return value
        return self.flows[value.name] if value.name in self.flows else self.known.get(value.name, value)


def schema_of(node: Node) -> torch.FunctionSchema:
    """Return the schema of a call's operator.

    Raises:
        Refused: it has none.
    """
    schema: torch.FunctionSchema | None = getattr(node.target, "_schema", None)
    if schema is None:
        raise Refused(f"the operator is not supported: {node.target}", "call PyTorch's own functions")
    return schema


def _is_node(value: object) -> TypeGuard[Node]:
    from torch.fx import Node as AnyNode  # noqa: PLC0415

    return isinstance(value, AnyNode)


def _array(tensor: torch.Tensor) -> Values:
    plain = tensor.detach().cpu()
    values: Values = plain.float().numpy()
    return values


def _shape_of(node: Node) -> tuple[int, ...]:
    value = node.meta.get("val")
    value = value[0] if isinstance(value, tuple) else value
    return tuple(int(d) for d in value.shape) if value is not None and hasattr(value, "shape") else ()


def _module_of(node: Node) -> str:
    """Return the path of the leaf module that makes a call, as features.0; empty of a call in forward() itself."""
    stack = list((node.meta.get("nn_module_stack") or {}).values())
    return str(stack[-1][0]) if stack else ""


def _problem(node: Node, text: str, remedy: str) -> Problem:
    """Return the refusal of a call, at the line of forward() that makes it."""
    places = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
    own = [p for p in places if "/torch/nn/" not in p[0]]
    file, line = own[-1] if own else ("", "0")
    where = _module_of(node)
    title = f"{node.target}" + (f" in '{where}'" if where else "")
    return Problem(rule=RULE, file=file, line=int(line), text=f"{title}: {text}", remedy=remedy)
