"""The host program of a design that is one kernel: images of int8 in device memory, results behind it."""

from __future__ import annotations

from aieloom.cpp_text import Constant
from aieloom.emit.host import scales_view, whole_network
from aieloom.emit.names import KERNEL_HEADERS
from aieloom.units.plan import Plan


def kernel_host(plan: Plan, kernel: str, what: str) -> dict[str, object]:
    """Return what host.cpp prints of `kernel(x, y, images)`, whose images lie pixel after pixel; it is called `what`."""
    x, y = plan.tasks[0].x, plan.tasks[-1].y
    return {
        **whole_network(plan.x, plan.y, plan.project),
        "use": f"Runs {plan.project} on the board: loads the xclbin, sends images through {what}, compares and times.",
        "headers": KERNEL_HEADERS,
        "kernel": kernel,
        "memory": scales_view(x, y),
        "what": what,
        "sizes": (
            Constant("kImageValues", plan.x.elements, f"of an image: {plan.x}"),
            Constant("kImagePixels", plan.x.pixels, "of an image"),
            Constant("kResultValues", plan.y.elements, f"of a result: {plan.y}"),
            Constant("kResultPixels", plan.y.pixels, "of a result"),
        ),
        "device_template": "kernel.j2",
        "runner": "host::KernelDesign<Kernel>",
        "policy": "Kernel::Values",
        "batch": plan.schedule.batch,
        "batch_note": f"they share a start of {what}",
    }
