"""Rows of measurements that tests make up; none is a published figure."""

from __future__ import annotations

from tools.measured.rows import MeasuredRow

COLUMNS = (
    "id,source,year,device,arch,what,op,dtype_in,dtype_w,dtype_acc,shape,tiles_used,memtiles,plio_in,plio_out,"
    "aie_clock_mhz,pl_clock_mhz,metric,value,method,notes"
)


def row(**given: str) -> MeasuredRow:
    """Return a row: a product of one AIE core unless told otherwise."""
    usual = {
        "id": "MADE-1",
        "source": "made up",
        "device": "vc1902",
        "arch": "aie",
        "what": "kernel",
        "op": "matmul",
        "dtype_in": "fp32",
        "dtype_w": "fp32",
        "shape": "32x32x32",
        "metric": "cycles",
        "value": "1000",
    }
    return MeasuredRow(**{name: "" for name in COLUMNS.split(",")} | usual | given)


def conv(**given: str) -> MeasuredRow:
    """Return a row about a hand-written fp32 convolution."""
    usual = {
        "op": "conv2d+relu",
        "shape": "26x28x2 k3x3 s1x1 p0 -> 24x24x4",
        "notes": "kernel class ConvHx4Relu; output row padded to 24; groups=1",
    }
    return row(**usual | given)
