"""The process that runs networks: what is cancelled stops, what dies is replaced, and the next one gets its results."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

from aieloom_serve.device import Device
from aieloom_serve.worker import Failed
from tests.api.together import Tiny, expected, given, make

pytestmark = pytest.mark.slow
MANY = 400_000  # inputs: seconds of emulation


def began() -> None:
    """Nobody asks here when it began."""


async def first(device: Device, tiny: Tiny) -> str:
    path = str(tiny.folder)
    described = await device.open(path, began)
    assert described["name"] == "tiny" and described["inputs"][0]["shape"] == (None, 6, 1, 1)
    await check(device, path)
    return path


async def check(device: Device, path: str) -> None:
    (y,) = await device.run(path, [given(2)], began)
    assert np.array_equal(y.reshape(-1, 4), expected("a", given(2)))


def emulated() -> set[str]:
    """Return the emulated programs that run."""
    found = subprocess.run(
        ["pgrep", "-f", "tiny_host tiny.xclbin"], capture_output=True, text=True, check=False
    )
    return set(found.stdout.split())


def test_what_is_cancelled_stops_and_the_next_goes_on(tmp_path: Path) -> None:
    async def use(device: Device) -> None:
        path = await first(device, make(tmp_path / "tiny"))
        before = emulated()
        long = asyncio.create_task(device.run(path, [np.ones((MANY, 6, 1, 1), np.float32)], began))
        while not emulated() - before:
            await asyncio.sleep(0.02)
        long.cancel()
        with pytest.raises(asyncio.CancelledError):
            await long
        assert not emulated() - before
        await check(device, path)

    device = Device(None, 600)
    try:
        asyncio.run(use(device))
    finally:
        device.close()


def test_what_takes_too_long_is_told_and_left(tmp_path: Path) -> None:
    async def use(device: Device) -> None:
        path = await first(device, make(tmp_path / "tiny"))
        device.limit_s = 0.5
        with pytest.raises(Failed, match=r"longer than 0\.5 s"):
            await device.run(path, [np.ones((MANY, 6, 1, 1), np.float32)], began)
        device.limit_s = 600
        await check(device, path)

    device = Device(None, 600)
    try:
        asyncio.run(use(device))
    finally:
        device.close()


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    async def use(device: Device) -> None:
        path = await first(device, make(tmp_path / "tiny"))
        process = device._worker._process
        long = asyncio.create_task(device.run(path, [np.ones((MANY, 6, 1, 1), np.float32)], began))
        await asyncio.sleep(0.3)
        assert process.pid is not None
        os.killpg(process.pid, signal.SIGKILL)
        with pytest.raises(Failed, match="another one is started"):
            await long
        await check(device, path)

    device = Device(None, 600)
    try:
        asyncio.run(use(device))
    finally:
        device.close()


def test_what_is_refused_is_said(tmp_path: Path) -> None:
    async def use(device: Device) -> None:
        with pytest.raises(Failed, match=r"has no network\.yaml"):
            await device.open(str(tmp_path), began)
        path = await first(device, make(tmp_path / "tiny"))
        with pytest.raises(Failed, match=r"^0 tensors are in the input buffer"):
            await device.run(path, [], began)
        with pytest.raises(Failed, match=r"has the shape \(1, 7\)"):
            await device.run(path, [np.ones((1, 7), np.float32)], began)

    device = Device(None, 600)
    try:
        asyncio.run(use(device))
    finally:
        device.close()
