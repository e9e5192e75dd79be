"""Makes data/photographs.jpg: 1280x720 pixels of luminance, of the photographs of scikit-image that ESPCN is tested on."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageOps
from skimage import data as photographs

SIZE = (1280, 720)
NAMES = ("coffee.png", "chelsea.png", "camera.png")  # projects/espcn/train.py, TEST
HERE = Path(__file__).resolve().parent


def luminance(name: str) -> Image.Image:
    """Return a photograph as 8-bit luminance."""
    with Image.open(Path(photographs.__file__).parent / name) as photo:
        return photo.convert("L")


def collage() -> Image.Image:
    """Return the photographs in rows beside their mirror images, at their own size."""
    sheet = Image.new("L", SIZE)
    top = number = 0
    while top < SIZE[1]:
        photo = luminance(NAMES[number % len(NAMES)])
        for i, left in enumerate(range(0, SIZE[0], photo.width)):
            sheet.paste(ImageOps.mirror(photo) if i % 2 else photo, (left, top))
        top, number = top + photo.height, number + 1
    return sheet


if __name__ == "__main__":
    (HERE / "data").mkdir(exist_ok=True)
    collage().save(HERE / "data" / "photographs.jpg", quality=90)
