"""Plots as SVG without any other package."""

from __future__ import annotations

import html
import math
import os
import tempfile
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._hints import need

_COLOURS = ["#0b6bcb", "#c94a00", "#12805c", "#8a3ab9", "#b3261e", "#5f6368", "#a66f00"]
_MOST_POINTS = 2000


def _ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Round numbers between low and high, at least two."""
    span = high - low
    raw = span / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * power >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def _range(values: Sequence[NDArray[np.float64]], padded: bool) -> tuple[float, float]:
    finite = [v[np.isfinite(v)] for v in values]
    finite = [v for v in finite if v.size]
    if not finite:
        return 0.0, 1.0
    low = float(min(v.min() for v in finite))
    high = float(max(v.max() for v in finite))
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        room = abs(high) * 0.05 or 1.0
        return low - room, high + room
    room = 0.04 * (high - low) if padded else 0.0
    return low - room, high + room


def _thin(x: NDArray[np.float64], y: NDArray[np.float64]) -> list[tuple[float, float]]:
    """Few enough points for a page: of every stretch the least and the largest value."""
    if len(x) <= _MOST_POINTS:
        return list(zip(x.tolist(), y.tolist()))
    keep: list[int] = []
    for part in np.array_split(np.arange(len(x)), _MOST_POINTS // 2):
        piece = y[part]
        if np.isfinite(piece).any():
            keep += sorted({int(part[int(np.nanargmin(piece))]), int(part[int(np.nanargmax(piece))])})
    return [(float(x[k]), float(y[k])) for k in keep]


class Plot:
    """Lines over a common axis. Shown by notebooks; `save` writes an SVG file."""

    def __init__(self, title: str = "", x_label: str = "time / s", width: int = 720,
                 height: int = 300) -> None:
        self.title = title
        self.x_label = x_label
        self.width = width
        self.height = height
        self._series: list[tuple[str, str, NDArray[np.float64], NDArray[np.float64]]] = []

    def line(self, x: Any, y: Any, name: str = "", unit: str = "") -> Plot:
        """Adds a line through the points (x, y)."""
        self._series.append((name, unit, np.asarray(x, dtype=float), np.asarray(y, dtype=float)))
        return self

    def svg(self) -> str:
        """The drawing as text."""
        left, right, top, bottom = 74.0, 16.0, 34.0, 44.0
        wide, high = self.width - left - right, self.height - top - bottom
        x0, x1 = _range([s[2] for s in self._series], False)
        y0, y1 = _range([s[3] for s in self._series], True)
        units = {s[1] for s in self._series if s[1]}

        def place(x: float, y: float) -> tuple[float, float]:
            return (left + wide * (x - x0) / (x1 - x0), top + high * (y1 - y) / (y1 - y0))

        out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
               f'width="{self.width}" height="{self.height}" role="img" '
               'font-family="system-ui, sans-serif" font-size="12">',
               f"<title>{html.escape(self.title or 'plot')}</title>",
               f'<rect width="{self.width}" height="{self.height}" fill="#ffffff"/>']
        for x in _ticks(x0, x1):
            at = place(x, y0)[0]
            out.append(f'<path d="M{at:.2f} {top}V{top + high}" stroke="#e3e5e8"/>'
                       f'<text x="{at:.2f}" y="{top + high + 16}" text-anchor="middle" '
                       f'fill="#444">{x:.6g}</text>')
        for y in _ticks(y0, y1):
            at = place(x0, y)[1]
            out.append(f'<path d="M{left} {at:.2f}H{left + wide}" stroke="#e3e5e8"/>'
                       f'<text x="{left - 6}" y="{at + 4:.2f}" text-anchor="end" '
                       f'fill="#444">{y:.6g}</text>')
        out.append(f'<text x="{left + wide / 2}" y="{self.height - 8}" text-anchor="middle" '
                   f'fill="#222">{html.escape(self.x_label)}</text>')
        if len(units) == 1:
            out.append(f'<text x="14" y="{top + high / 2}" text-anchor="middle" fill="#222" '
                       f'transform="rotate(-90 14 {top + high / 2})">'
                       f"{html.escape(next(iter(units)))}</text>")
        at = left
        for k, (name, unit, xs, ys) in enumerate(self._series):
            colour = _COLOURS[k % len(_COLOURS)]
            pieces, pen = [], "M"
            for x, y in _thin(xs, ys):
                if not (math.isfinite(x) and math.isfinite(y)):
                    pen = "M"
                    continue
                px, py = place(x, y)
                pieces.append(f"{pen}{px:.2f} {py:.2f}")
                pen = "L"
            out.append(f'<path d="{"".join(pieces)}" fill="none" stroke="{colour}" '
                       'stroke-width="1.6"/>')
            label = name if len(units) <= 1 or not unit else f"{name} / {unit}"
            out.append(f'<text x="{at:.0f}" y="20" fill="{colour}">{html.escape(label)}</text>')
            at += 7.2 * len(label) + 18
        return "\n".join([*out, "</svg>"])

    def _repr_svg_(self) -> str:
        return self.svg()

    def draw(self, ax: Any) -> Any:
        """Draws the lines into axes of matplotlib and returns them."""
        for name, unit, x, y in self._series:
            ax.plot(x, y, label=f"{name} / {unit}" if unit else name)
        ax.set_xlabel(self.x_label)
        ax.set_title(self.title)
        ax.legend()
        return ax

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the drawing and returns its path: .svg; .png and .pdf through matplotlib."""
        target = Path(path)
        if target.suffix in (".png", ".pdf"):
            figure = need("matplotlib.figure", f"a plot as {target.suffix}").Figure(
                figsize=(self.width / 100, self.height / 100), layout="constrained")
            self.draw(figure.subplots())
            figure.savefig(target, dpi=150)
        elif target.suffix == ".svg":
            target.write_text(self.svg(), encoding="utf-8")
        else:
            raise ValueError(f"'{target}' should end in .svg, .png or .pdf")
        return target

    def show(self) -> Path:
        """Opens the drawing in the browser; notebooks show it by themselves."""
        with tempfile.NamedTemporaryFile("w", suffix=".svg", delete=False, encoding="utf-8") as file:
            file.write(self.svg())
        webbrowser.open(Path(file.name).as_uri())
        return Path(file.name)
