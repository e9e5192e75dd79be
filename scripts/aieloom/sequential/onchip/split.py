"""How a layer is cut for rows of chains that each own an image: bands of its output, blocks of pixels, sets of tiles."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.layout.channel_words import LANES, words_of
from aieloom.sequential.array import MOST_TOGETHER, TILE_M, group_words, passes_of, tap_words
from aieloom.sequential.onchip.engine import BAND_PIXELS, RowEngine
from aieloom.sequential.steps import ConvStep, Step
from aieloom.sequential.vector import VectorForm

MOST_BANDS, FEWEST_ROWS = 4, 4  # into which an image is cut that has room in one, and the rows of each


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A layer's image as its movers see it."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    size: tuple[int, int]  # of the input
    out: tuple[int, int]
    groups: int  # of channels that are gone through one after another
    words: int  # of a pixel that a group reads

    def seen(self, band: int, rows: int) -> int:
        """Return the words of the input that a band of `rows` rows sees within the image."""
        first = band * rows * self.stride[0] - self.padding[0]
        made = min(rows, self.out[0] - band * rows)
        last = first + (made - 1) * self.stride[0] + self.kernel[0]
        return max(0, min(last, self.size[0]) - max(first, 0)) * self.size[1] * self.words


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSplit:
    """Bands of `rows` rows of the output; `blocks` of TILE_M pixels of each band."""

    rows: int
    blocks: tuple[int, ...]
    seen: tuple[int, ...]  # words of the input of each band
    tiles: int  # of a group's output channels
    passes: int
    together: int  # tiles that share a load of the input


def flat_size(step: ConvStep, line_words: int) -> tuple[int, int] | None:
    """Return the rows and columns in which a layer that sees single pixels has them: rows so short that any band is one.

    A row has no more words than a mover keeps of a band, `line_words`.
    """
    window = step.window
    if window.kernel != (1, 1) or window.stride != (1, 1) or window.padding != (0, 0):
        return None
    pixels = step.y.pixels
    most = min(TILE_M, max(1, line_words // tap_words(step)))
    width = max(w for w in range(1, most + 1) if pixels % w == 0)
    return pixels // width, width


def view_of(step: ConvStep, line_words: int) -> View:
    """Return how a product's movers, which keep `line_words` of a band, see it."""
    flat = flat_size(step, line_words)
    return View(
        kernel=step.window.kernel,
        stride=step.window.stride,
        padding=step.window.padding,
        size=flat or (step.window.height, step.window.width),
        out=flat or (step.y.shape[1], step.y.shape[2]),
        groups=step.engine_groups,
        words=tap_words(step),
    )


def window_view(step: Step, form: VectorForm, line_words: int) -> View:
    """Return how the movers see a layer that rows fold themselves: as few groups of channels as leave room for a row."""
    words, (_, height, width) = words_of(step.x.shape[0]), step.x.shape
    views = (
        View(
            kernel=form.kernel,
            stride=form.stride,
            padding=form.padding,
            size=(height, width),
            out=(step.y.shape[1], step.y.shape[2]),
            groups=groups,
            words=words // groups,
        )
        for groups in range(1, words + 1)
        if words % groups == 0
    )
    return next(v for v in views if most_rows(v, line_words) > 0 or v.groups == words)


def most_rows(view: View, line_words: int) -> int:
    """Return the rows of the output that a band has at most: those for which there is room, 0 where one has none."""
    seen = line_words // (view.size[1] * view.words)  # rows of the input
    rows = (seen - view.kernel[0]) // view.stride[0] + 1 if seen >= view.kernel[0] else 0
    return min(view.out[0], BAND_PIXELS // view.out[1], rows)


def row_splits(step: ConvStep, engine: RowEngine) -> list[RowSplit]:
    """Return the ways to cut a product: bands of as few blocks as may be, sets of as many tiles as weights fit."""
    view = view_of(step, engine.line_words)

    def blocks(rows: int) -> tuple[int, ...]:
        whole, rest = divmod(view.out[0], rows)
        last = (-(-rest * view.out[1] // TILE_M),) if rest else ()
        return (-(-rows * view.out[1] // TILE_M),) * whole + last

    def count(rows: int) -> int:
        whole, rest = divmod(view.out[0], rows)
        return whole * -(-rows * view.out[1] // TILE_M) + -(-rest * view.out[1] // TILE_M)

    tiles = -(-group_words(step) * LANES // engine.tile_channels)
    passes = passes_of(step, engine.parts, engine.depth)
    most = max(1, min(tiles, MOST_TOGETHER, engine.cache_words // (passes * engine.weight_words)))
    room = range(1, max(1, most_rows(view, engine.line_words)) + 1)
    counts = [count(r) for r in room]
    fewest = min(counts)
    alike = [
        r for r, n in zip(room, counts, strict=True) if n == fewest
    ]  # short bands begin sooner, long ones begin seldom
    shorter = {-(-view.out[0] // bands) for bands in range(2, MOST_BANDS + 1)} & set(room)
    return [
        RowSplit(
            rows=rows,
            blocks=blocks(rows),
            seen=tuple(view.seen(b, rows) for b in range(-(-view.out[0] // rows))),
            tiles=tiles,
            passes=passes,
            together=together,
        )
        for rows in sorted({alike[0], alike[len(alike) // 2], alike[-1], *shorter})
        for together in sorted({-(-tiles // n) for n in range(1, tiles + 1)})
        if together <= most and (together == tiles or step.layer not in engine.whole)
    ]


def window_rows(view: View, line_words: int) -> int:
    """Return the rows of a band of a layer that its row folds itself: so few that the next band is loaded meanwhile."""
    return max(1, min(most_rows(view, line_words), max(FEWEST_ROWS, -(-view.out[0] // MOST_BANDS))))
