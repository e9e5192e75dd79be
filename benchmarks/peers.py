"""Side by side with hls4ml and aie4ml: seconds and lines of a program from a PyTorch module to a verified number.

    python3 -m venv FOLDER
    FOLDER/bin/pip install --no-deps hls4ml==1.3.0 aie4ml==0.2.1 quantizers h5py pyyaml pydigitalwavetools==1.1
    python -m benchmarks.peers FOLDER/bin/python

Opt-in: nothing else of the project needs them. They get this interpreter's torch, NumPy and onnx, so that nothing large is
installed. Each program begins with the same module and its input, which are not counted, runs in an empty folder and prints its
number: the largest difference of what was run from what it stands for. No vendor tool is used.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
GIVEN = "import torch\nnn = torch.nn\ntorch.manual_seed(1)\nmodule = {}.eval()\nx = torch.rand(32, {})\n"
NETWORKS = {
    "MLP 16-64-32-5": (
        "nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 5))",
        "16",
    ),
    "CNN 8x8, conv, pool, dense": (
        "nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(72, 10))",
        "1, 8, 8",
    ),
}
AIELOOM = """\
import aieloom
design = aieloom.from_torch(module, x, quantize="int8")
y = design.emulate(x)
print(abs(y - design.reference(x)).max())
"""
HLS4ML = """\
import hls4ml
config = hls4ml.utils.config_from_pytorch_model(module, tuple(x.shape[1:]), transpose_outputs=False)
design = hls4ml.converters.convert_from_pytorch_model(module, output_dir="design", hls_config=config, backend="Vitis")
design.compile()
y = design.predict(x.numpy())
print(abs(y - module(x).detach().numpy()).max())
"""
# Its importer takes scales that are powers of two, which onnxruntime's quantiser does not make by itself; results are
# compared after x86simulator has run, which is the vendor's. Here the project that it writes runs in aieloom's emulator.
AIE4ML = """\
import glob, subprocess, sys
import aie4ml, numpy, onnx, onnxruntime
import onnxruntime.quantization as ort
from onnxruntime.quantization import qdq_quantizer, quant_utils
scale_of = quant_utils.compute_scale_zp
def power_of_two(*words, **more):
    zero, scale = scale_of(*words, **more)
    return [zero, numpy.array(2.0 ** numpy.ceil(numpy.log2(scale)), scale.dtype)]
quant_utils.compute_scale_zp = qdq_quantizer.compute_scale_zp = power_of_two
torch.onnx.export(module, (x[:1],), "float.onnx", external_data=False, input_names=["x"])
class Images(ort.CalibrationDataReader):
    images = iter([{"x": image[None]} for image in x.numpy()])
    def get_next(self):
        return next(self.images, None)
symmetric = {"ActivationSymmetric": True, "WeightSymmetric": True}
int8 = {"activation_type": ort.QuantType.QInt8, "weight_type": ort.QuantType.QInt8}
ort.quantize_static("float.onnx", "int8.onnx", Images(), quant_format=ort.QuantFormat.QDQ, extra_options=symmetric, **int8)
config = {"AIEConfig": {"Part": "xcve2802-vsvh1760-2MP-e-S", "Iterations": len(x)}}
design = aie4ml.from_onnx("int8.onnx", config, output_dir="design")
design.write()
design.write_inputs(x.numpy()[:, None])
folders = [f"-I{folder}" for folder in ["design", *glob.glob("design/src/**/", recursive=True)]]
words = [sys.executable, "-m", "aieloom", "emulate", "design/app.cpp", *folders]
subprocess.run([*words, "--arch", "aie-ml", "--data", "design", "--out", "out"], check=True)
options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # changes quantised graphs
session = onnxruntime.InferenceSession("int8.onnx", options)
wanted = numpy.concatenate([session.run(None, {"x": image[None]})[0] for image in x.numpy()])
graph = onnx.load("int8.onnx").graph
last = next(node for node in graph.node if graph.output[0].name in node.output)
scale = next(onnx.numpy_helper.to_array(t) for t in graph.initializer if t.name == last.input[1])
given = numpy.loadtxt(glob.glob("out/data/*.txt")[0]).reshape(len(x), -1)[:, : wanted.shape[1]] * scale
print(abs(given - wanted).max())
"""
PROGRAMS = {"aieloom": AIELOOM, "hls4ml": HLS4ML, "aie4ml": AIE4ML}
VERSION = "import importlib.metadata as m; print(m.version('{}'))"


def lines_of(program: str) -> int:
    """Return how many lines a user writes."""
    return sum(bool(line.strip()) for line in program.splitlines())


def run(python: str, program: str, folder: Path) -> tuple[float, str]:
    """Run a program in a folder of its own; return the processor's seconds, its compilers' too, and the last line it said.

    Unlike those of the clock they tell the same on a machine that others use.
    """
    file = folder / "program.py"
    file.write_text(program)
    packages = next(p for p in sys.path if p.endswith("site-packages") and (Path(p) / "torch").is_dir())
    paths = [str(ROOT / "scripts"), packages]
    env = os.environ | {
        "PYTHONPATH": ":".join(paths),
        "AIELOOM_CACHE": str(folder / "cache"),
        "PYTHONWARNINGS": "ignore",
    }
    before = _processor_seconds()
    done = subprocess.run(
        [python, str(file)], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    seconds = _processor_seconds() - before
    said = (done.stderr if done.returncode else done.stdout).strip().splitlines()
    return seconds, said[-1] if said else ""


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Run every program on every network and print a table."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    python = sys.argv[1]
    print("| network | tool | lines | seconds of the processor | largest difference |")
    print("|---|---|---|---|---|")
    for network, (module, shape) in NETWORKS.items():
        for tool, program in PROGRAMS.items():
            who = sys.executable if tool == "aieloom" else python
            with tempfile.TemporaryDirectory() as folder:
                version = run(who, VERSION.format(tool), Path(folder))[1] if tool != "aieloom" else ""
                seconds, said = run(who, GIVEN.format(module, shape) + program, Path(folder))
            try:
                shown = f"{np.float64(said):.3g}"
            except ValueError:
                shown = f"none: {said}"
            print(
                f"| {network} | {tool} {version} | {lines_of(program)} | {seconds:.1f} | {shown} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
