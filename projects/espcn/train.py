"""Trains ESPCN 2x on the photographs that ship inside scikit-image; writes weights.pt, training.json and data/.

Run it by `doit train`. Training and test photographs are different ones: TRAIN and TEST below. A sample is a crop of
32x32 pixels of a photograph's luminance; the network sees it reduced to 16x16 by bicubic interpolation and learns the
crop. The same seed on the same number of threads gives the same weights.
"""

from __future__ import annotations

import argparse
import json
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from rich.progress import track
from skimage import data as photographs

TRAIN = (
    "astronaut.png", "brick.png", "coins.png", "grass.png", "gravel.png", "horse.png", "hubble_deep_field.jpg",
    "ihc.png", "motorcycle_left.png", "page.png", "retina.jpg", "rocket.jpg",
)  # fmt: skip
TEST = ("camera.png", "chelsea.png", "coffee.png")
HERE = Path(__file__).resolve().parent
SIZE, SCALE = 32, 2
SEED = 7
THREADS = 2
PER_PHOTOGRAPH = 2000  # training crops
CROPS = 8  # test crops of each test photograph
LEAST_CONTRAST = 0.03  # standard deviation of a training crop's luminance; flat sky and walls teach nothing
LEAST_DETAIL = (
    0.025  # what bicubic interpolation loses of a test crop (root mean square): 32 dB, detail to be restored
)

Values = NDArray[np.float32]


def luminance(name: str) -> Image.Image:
    """Return a photograph of scikit-image as 8-bit luminance (ITU-R BT.601, as PIL's mode L)."""
    with Image.open(Path(photographs.__file__).parent / name) as photo:
        return photo.convert("L")


def crops(
    name: str, count: int, rng: np.random.Generator, good: Callable[[Image.Image], bool]
) -> list[Image.Image]:
    """Return `count` crops of SIZE x SIZE at random places that are `good`."""
    photo = luminance(name)
    found: list[Image.Image] = []
    while len(found) < count:
        x = int(rng.integers(photo.width - SIZE))
        y = int(rng.integers(photo.height - SIZE))
        crop = photo.crop((x, y, x + SIZE, y + SIZE))
        if good(crop):
            found.append(crop)
    return found


def has_contrast(crop: Image.Image) -> bool:
    """Tell whether a crop is worth training on."""
    return float(np.asarray(crop, np.float32).std()) >= 255 * LEAST_CONTRAST


def has_detail(crop: Image.Image) -> bool:
    """Tell whether a crop has detail that interpolation cannot restore: what super-resolution is for."""
    lost = np.asarray(crop, np.float32) - np.asarray(enlarged(reduced(crop)), np.float32)
    return float(np.sqrt((lost**2).mean())) >= 255 * LEAST_DETAIL


def reduced(crop: Image.Image) -> Image.Image:
    """Return a crop reduced by SCALE with bicubic interpolation."""
    return crop.resize((crop.width // SCALE, crop.height // SCALE), Image.Resampling.BICUBIC)


def enlarged(small: Image.Image) -> Image.Image:
    """Return a reduced crop at its first size by bicubic interpolation."""
    return small.resize((small.width * SCALE, small.height * SCALE), Image.Resampling.BICUBIC)


def batch(images: list[Image.Image]) -> torch.Tensor:
    """Return images as `(count, 1, height, width)` float32 in [0, 1]."""
    return torch.from_numpy(np.stack([np.asarray(i, np.float32) for i in images])[:, None] / 255)


def espcn() -> torch.nn.Sequential:
    """Return the network of network.yaml; its tensors have the layers' names."""
    return torch.nn.Sequential(
        OrderedDict(
            conv1=torch.nn.Conv2d(1, 64, 5, padding=2),
            tanh1=torch.nn.Tanh(),
            conv2=torch.nn.Conv2d(64, 32, 3, padding=1),
            tanh2=torch.nn.Tanh(),
            conv3=torch.nn.Conv2d(32, SCALE**2, 3, padding=1),
            shuffle=torch.nn.PixelShuffle(SCALE),
        )
    )


def psnr(y: torch.Tensor, expected: torch.Tensor) -> float:
    """Return the mean over images of the peak signal-to-noise ratio in dB, for values in [0, 1]."""
    error = ((y.clamp(0, 1) - expected) ** 2).mean(dim=(1, 2, 3))
    return float((-10 * torch.log10(error)).mean())


def train(epochs: int) -> tuple[torch.nn.Sequential, dict[str, object]]:
    """Return the trained network and the figures of its training."""
    torch.manual_seed(SEED)
    torch.set_num_threads(THREADS)
    torch.use_deterministic_algorithms(True)
    rng = np.random.default_rng(SEED)
    images = [crop for name in TRAIN for crop in crops(name, PER_PHOTOGRAPH, rng, has_contrast)]
    x, y = batch([reduced(i) for i in images]), batch(images)
    network = espcn()
    steps = -(-len(x) // 32)
    optimizer = torch.optim.Adam(network.parameters(), 1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, epochs * steps)
    for _ in track(range(epochs), description="training"):
        for chosen in torch.split(torch.randperm(len(x)), 32):
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(network(x[chosen]), y[chosen])
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    return network, {
        "photographs": list(TRAIN),
        "crops": len(x),
        "epochs": epochs,
        "seed": SEED,
        "threads": THREADS,
    }


def write_test_crops(folder: Path) -> list[Image.Image]:
    """Write the test crops, `<photograph>_<number>.png`, and return them."""
    folder.mkdir(exist_ok=True)
    found: list[Image.Image] = []
    for name in TEST:
        for i, crop in enumerate(crops(name, CROPS, np.random.default_rng(SEED), has_detail)):
            crop.save(folder / f"{Path(name).stem}_{i}.png")
            found.append(crop)
    return found


def test_figures(network: torch.nn.Sequential, images: list[Image.Image]) -> dict[str, object]:
    """Return the mean PSNR of bicubic enlargement and of the network on the test crops."""
    small = [reduced(i) for i in images]
    bicubic = [enlarged(i) for i in small]
    with torch.no_grad():
        y = network(batch(small))
    expected = batch(images)
    return {
        "photographs": list(TEST),
        "crops": len(images),
        "psnr_bicubic_db": round(psnr(batch(bicubic), expected), 3),
        "psnr_network_db": round(psnr(y, expected), 3),
    }


def main() -> None:
    """Train, test, and write weights.pt, training.json and data/."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--out", type=Path, default=HERE, help="the project's folder")
    options = parser.parse_args()
    network, training = train(options.epochs)
    test = test_figures(network, write_test_crops(options.out / "data"))
    torch.save(network.state_dict(), options.out / "weights.pt")
    figures = {"produced_by": f"train.py, PyTorch {torch.__version__}", "training": training, "test": test}
    (options.out / "training.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
