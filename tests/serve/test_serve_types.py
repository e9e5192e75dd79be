"""A session on a server gives what one on the emulator gives, to the type and the bit, whatever the model's types are."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aieloom
from aieloom.arrays import Values
from aieloom.errors import SpecError
from aieloom.runtime.ends import End
from aieloom.runtime.frames import ELEMENTS
from aieloom.runtime.session import _end
from aieloom_serve.accelerator import Firmware
from aieloom_serve.device import Device
from aieloom_serve.server import Limits, Server
from aieloom_serve.worker import Failed, Worker, _zeros
from tests.heavy import TensorProto, helper, numpy_helper, onnx
from tests.onnx_session import session as onnx_session
from tests.qonnx.exclusive_or import by_onnxruntime, every_input, exclusive_or

BOARD = "zynq-7020"
LIMIT = 1 << 20  # bytes of a buffer


@contextmanager
def serving(folder: Path, *models: Path) -> Iterator[str]:
    """Serve models in a thread; give the address."""
    ready, failed = threading.Event(), []
    ended: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
    file = folder / "socket"

    async def serve() -> None:
        end = asyncio.Event()
        ended.append((asyncio.get_running_loop(), end))
        device = Device(BOARD, 600, LIMIT)
        try:
            served = {
                n: Firmware(path=str(m), description=await device.open(str(m), lambda: None))
                for n, m in enumerate(models)
            }
            async with Server(device, served, Limits(buffer_bytes=LIMIT)).on_unix(file):
                ready.set()
                await end.wait()
        except Exception as e:
            failed.append(e)
        finally:
            ready.set()
            device.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        ready.wait()
        assert not failed
        yield f"unix:{file}"
    finally:
        ended[0][0].call_soon_threadsafe(ended[0][1].set)
        thread.join()
    assert not failed


def chosen() -> onnx.ModelProto:
    """Return a model that takes whole numbers and booleans, and gives the place of the largest of its products."""
    values = {"w": np.random.default_rng(3).integers(-4, 5, (4, 8)).astype(np.float32), "zero": np.float32(0)}
    values["axis"] = np.int64(1)
    nodes = [
        helper.make_node("Cast", ["n"], ["f"], to=TensorProto.FLOAT),
        helper.make_node("Where", ["kept", "f", "zero"], ["x"]),
        helper.make_node("CumSum", ["x", "axis"], ["s"]),
        helper.make_node("Gemm", ["s", "w"], ["g"], transB=1),
        helper.make_node("ArgMax", ["g"], ["best"], axis=1, keepdims=0),
        helper.make_node("Cast", ["g"], ["whole"], to=TensorProto.INT32),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [
            helper.make_tensor_value_info("n", TensorProto.INT64, [1, 8]),
            helper.make_tensor_value_info("kept", TensorProto.BOOL, [1, 8]),
        ],
        [
            helper.make_tensor_value_info("best", TensorProto.INT64, [1]),
            helper.make_tensor_value_info("whole", TensorProto.INT32, [1, 4]),
        ],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in values.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def expanding() -> onnx.ModelProto:
    """Return a model whose result, which the processor makes, is a million times as large as the device's."""
    values = {"w": np.eye(4, dtype=np.float32), "size": np.array([1_000_000, 4])}
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["x", "w"], ["g"]), helper.make_node("Expand", ["g", "size"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1_000_000, 4])],
        [numpy_helper.from_array(v, n) for n, v in values.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def judged(model: onnx.ModelProto, **inputs: Values) -> list[Values]:
    """Return what onnxruntime alone gives."""
    session = onnx_session(model)
    return list(session.run(None, inputs))


def same(found: list[Values], wanted: list[Values]) -> None:
    assert [(y.dtype, y.shape, y.tobytes()) for y in found] == [
        (y.dtype, y.shape, y.tobytes()) for y in wanted
    ]


@pytest.mark.integration
def test_types_are_those_of_a_local_session(tmp_path: Path) -> None:
    integers, mixed, large = (tmp_path / f"{name}.onnx" for name in ("integers", "mixed", "large"))
    onnx.save(exclusive_or(), integers)
    onnx.save(chosen(), mixed)
    onnx.save(expanding(), large)
    x = every_input(15)
    with (
        serving(tmp_path, integers) as address,
        aieloom.Session("integers.onnx", device=address) as served,
        aieloom.Session(integers, target=BOARD) as local,
    ):
        for given in (x, x.astype(np.float32), x.astype(np.int64), x.astype(np.float64) / 2):
            same(served.run(None, {"x": given}), local.run(None, {"x": given}))
        assert (
            [e.type for e in served.get_inputs()] == [e.type for e in local.get_inputs()] == ["tensor(uint8)"]
        )
        (y,) = served.run(None, {"x": x})
        assert y.dtype == np.uint8 and np.array_equal(y, by_onnxruntime(exclusive_or(), x))
        random = np.random.default_rng(8)
        with (
            aieloom.Session(mixed, device=address) as served_too,
            aieloom.Session(mixed, target=BOARD) as local_too,
        ):
            assert [p.engine for p in served_too.places] == [p.engine for p in local_too.places]
            for ends in (aieloom.Session.get_inputs, aieloom.Session.get_outputs):
                assert [(e.name, e.type) for e in ends(served_too)] == [
                    (e.name, e.type) for e in ends(local_too)
                ]
            assert "onnxruntime" in {p.engine for p in local_too.places}
            for _ in range(3):
                n, kept = random.integers(-9, 10, (1, 8)), random.random((1, 8)) < 0.5
                results = served_too.run(None, {"n": n, "kept": kept})
                same(results, local_too.run(None, {"n": n, "kept": kept}))
                same(results, judged(chosen(), n=n, kept=kept))
        with (
            aieloom.Session(large, device=address) as too_large,
            pytest.raises(SpecError, match=r"the results have 16,000,016 B, the buffer 1,048,576 B"),
        ):
            too_large.run(None, {"x": np.ones((1, 4), np.float32)})


def test_a_model_of_texts_is_refused_in_one_message() -> None:
    graph = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.STRING, [1])],
        [helper.make_tensor_value_info("y", TensorProto.STRING, [1])],
    )
    with pytest.raises(Failed, match="input 'x' is no array of numbers"):
        _zeros(_end(graph.input[0]))
    with pytest.raises(Failed, match="input 'x' is no array of numbers"):
        _zeros(_end(helper.make_empty_tensor_value_info("x")))
    assert _zeros(End(name="x", shape=(None, 3))).dtype == np.float32, "projects take floats"


@pytest.mark.parametrize("kind", sorted({*ELEMENTS} - {1}))
def test_an_input_is_described_by_the_type_that_onnx_gives_it(kind: int) -> None:
    made = _zeros(_end(helper.make_tensor_value_info("x", kind, [1, 2])))
    assert made.dtype == helper.tensor_dtype_to_np_dtype(kind)
    assert made.shape == (1, 2)


def test_a_worker_that_cannot_be_started_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(LIMIT)
    try:
        worker.kill()
        with monkeypatch.context() as patched:

            def full(_: Any) -> None:
                raise BlockingIOError(11, "Resource temporarily unavailable")

            patched.setattr(type(worker._process), "start", full)
            for _ in range(2):
                with pytest.raises(BlockingIOError):
                    worker.ask("forget", "nothing", None)
        with pytest.raises(Failed, match="another one is started"):
            worker.ask("forget", "nothing", None)
        assert worker.ask("forget", "nothing", None) is None
    finally:
        worker.close()
