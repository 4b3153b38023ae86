"""Drawings with two logarithmic axes: work against precision, cost against size."""

import math
from xml.sax.saxutils import escape

# Okabe and Ito's colours.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#000000"]
LEFT, RIGHT, TOP, BOTTOM = 62, 168, 34, 58


def decades(low, high):
    return range(math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9) + 1)


def power(exponent):
    return f'10<tspan dy="-5" font-size="8">{exponent}</tspan><tspan dy="5">&#8203;</tspan>'


class Axis:
    """From values to places between `begin` and `end`."""

    def __init__(self, values, begin, end):
        low, high = min(values), max(values)
        self.low, self.high = math.log10(low) - 0.1, math.log10(high) + 0.1
        if self.high - self.low < 1:
            middle = 0.5 * (self.low + self.high)
            self.low, self.high = middle - 0.5, middle + 0.5
        self.begin, self.end = begin, end

    def place(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self):
        every = max(1, math.ceil((self.high - self.low) / 9))
        return [k for k in range(math.ceil(self.low), math.floor(self.high) + 1) if k % every == 0]


def mark(kind, x, y, colour, is_faint):
    style = f'fill="{colour}"' + (' opacity="0.35"' if is_faint else "")
    size = 2.4 if is_faint else 3.2
    if kind % 3 == 1:
        return (f'<rect x="{x - size:.1f}" y="{y - size:.1f}" width="{2 * size}" '
                f'height="{2 * size}" {style}/>')
    if kind % 3 == 2:
        return (f'<path d="M{x - size - .6:.1f} {y + size:.1f}h{2 * size + 1.2:.1f}l{-size - .6:.1f} '
                f'{-2 * size:.1f}z" {style}/>')
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" {style}/>'


def draw(title, x_label, y_label, series, foot="", width=640, height=400):
    """series: dictionaries with name, line (points joined), dots (points beside), colour, wide."""
    points = [point for one in series for point in one["line"] + one.get("dots", [])]
    if not points:
        return ""
    x_axis = Axis([point[0] for point in points], LEFT, width - RIGHT)
    y_axis = Axis([point[1] for point in points], height - BOTTOM, TOP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
           f'height="{height}" font-family="Helvetica,Arial,sans-serif" font-size="11" fill="#333">',
           f'<rect width="{width}" height="{height}" fill="#fff"/>',
           f'<text x="{LEFT}" y="20" font-size="13" font-weight="600">{escape(title)}</text>']
    for k in x_axis.ticks():
        x = x_axis.place(10.0 ** k)
        out.append(f'<path d="M{x:.1f} {TOP}V{height - BOTTOM}" stroke="#e3e3e3"/>'
                   f'<text x="{x:.1f}" y="{height - BOTTOM + 15}" text-anchor="middle">{power(k)}</text>')
    for k in y_axis.ticks():
        y = y_axis.place(10.0 ** k)
        out.append(f'<path d="M{LEFT} {y:.1f}H{width - RIGHT}" stroke="#e3e3e3"/>'
                   f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{power(k)}</text>')
    out.append(f'<path d="M{LEFT} {TOP}V{height - BOTTOM}H{width - RIGHT}" fill="none" stroke="#444"/>')
    out.append(f'<text x="{0.5 * (LEFT + width - RIGHT)}" y="{height - BOTTOM + 33}" '
               f'text-anchor="middle">{escape(x_label)}</text>')
    middle = 0.5 * (TOP + height - BOTTOM)
    out.append(f'<text transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">'
               f'{escape(y_label)}</text>')
    for k, one in enumerate(series):
        colour = COLOURS[one.get("colour", k) % len(COLOURS)]
        for x, y in one.get("dots", []):
            out.append(mark(k, x_axis.place(x), y_axis.place(y), colour, True))
        places = [(x_axis.place(x), y_axis.place(y)) for x, y in one["line"]]
        if len(places) > 1:
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
            out.append(f'<path d="M{path}" fill="none" stroke="{colour}" '
                       f'stroke-width="{2.4 if one.get("wide") else 1.4}"/>')
        out += [mark(k, x, y, colour, False) for x, y in places]
        y = TOP + 10 + 18 * k
        x = width - RIGHT + 14
        out.append(f'<path d="M{x} {y}h18" stroke="{colour}" '
                   f'stroke-width="{2.4 if one.get("wide") else 1.4}"/>' + mark(k, x + 9, y, colour, False))
        out.append(f'<text x="{x + 24}" y="{y + 4}">{escape(one["name"])}</text>')
    if foot:
        out.append(f'<text x="{LEFT - 50}" y="{height - 8}" font-size="9" fill="#777">{escape(foot)}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"
