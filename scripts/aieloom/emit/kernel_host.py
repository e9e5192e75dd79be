"""The host program of a design that is one kernel: images of int8 in device memory, results behind it."""

from __future__ import annotations

from aieloom.cpp_text import Constant, float_literal
from aieloom.emit.host import whole_network
from aieloom.units.plan import Plan


def kernel_host(plan: Plan, kernel: str, what: str) -> dict[str, object]:
    """Return what host.cpp prints of `kernel(x, y, images)`, whose images lie pixel after pixel; it is called `what`."""
    x, y = plan.tasks[0].x, plan.tasks[-1].y
    assert x.quant
    assert y.quant
    whole = whole_network(plan.x, plan.y, plan.project)
    return {
        **whole,
        "use": f"Runs {plan.project} on the board: loads the xclbin, sends images through {what}, compares and times.",
        "constants": (
            *whole["constants"],
            Constant("kImagePixels", plan.x.pixels, "of an image"),
            Constant("kResultPixels", plan.y.pixels, "of a result"),
        ),
        "device_template": "kernel/design_kernel.j2",
        "batch": plan.schedule.batch,
        "batch_note": f"they share a start of {what}",
        "value": "std::int8_t",
        "value_note": "int8",
        "kernel": kernel,
        "what": what,
        "parts": (
            {
                "convert_template": "convert_integer.j2",
                "element": "std::int8_t",
                "least": -128,
                "most": 127,
                "in_scale": float_literal(x.quant.scale),
                "in_zero": x.quant.zero_point,
                "out_scale": float_literal(y.quant.scale),
                "out_zero": y.quant.zero_point,
            },
        ),
    }
