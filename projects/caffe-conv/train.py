"""Make the seeded weights and images of caffe-conv: there is nothing to learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

HERE = Path(__file__).parent
IMAGES = 2


def main() -> None:
    """Write weights.safetensors and samples.npz."""
    random = np.random.default_rng(23)
    weight = random.normal(0, 363**-0.5, (96, 3, 11, 11)).astype(np.float32)
    bias = random.normal(0, 0.1, 96).astype(np.float32)
    save_file({"conv.weight": weight, "conv.bias": bias}, HERE / "weights.safetensors")
    np.savez_compressed(HERE / "samples.npz", x=random.uniform(0, 1, (IMAGES, 3, 32, 32)).astype(np.float32))


if __name__ == "__main__":
    main()
