// Drawings of x against y as SVG: poles, paths, work against precision. Colors are those of the page.

import { h } from "../dom.ts";
import { fineLogTicks, linearTicks, padded, tickLabels } from "../scales.ts";

export interface XySeries {
  name: string;
  points: [number, number][];
  look: "line" | "dots" | "line+dots" | "dashed" | "faint" | "crosses";
  color: number; // of the page's line colors
  titles?: string[]; // of the points, under the pointer
}
export interface Xy {
  series: XySeries[];
  xLabel: string;
  yLabel: string;
  isLogX?: boolean;
  isLogY?: boolean;
  isEqual?: boolean; // the same scale in both directions
  height?: number;
  label: string; // for those who cannot see it
}

const SPACE = "http://www.w3.org/2000/svg";
// As wide as on the page, so that letters have the size of the page's.
const widthHere = (): number => Math.max(320, Math.min(760, window.innerWidth - 44));

export function svg(tag: string, attributes: Record<string, string | number>, ...children: Node[]): SVGElement {
  const element = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

export function words(content: string, attributes: Record<string, string | number>): SVGElement {
  const element = svg("text", attributes);
  element.textContent = content;
  return element;
}

export function withTitle(element: SVGElement, title: string): SVGElement {
  const child = svg("title", {});
  child.textContent = title;
  element.append(child);
  return element;
}

interface Axis {
  low: number;
  high: number;
  isLog: boolean;
  ticks: number[];
  labels: string[];
  note: string;
}

function axisOf(values: number[], isLog: boolean, wanted: number, range?: [number, number]): Axis {
  const used = values.filter((value) => Number.isFinite(value) && (!isLog || value > 0));
  const low = Math.min(...used);
  const high = Math.max(...used);
  if (isLog) {
    if (!(low > 0)) return { low: 0.1, high: 1, isLog, ticks: [0.1, 1], labels: ["10⁻¹", "10⁰"], note: "" };
    const room = Math.max(1.3, (high / low) ** 0.04);
    const ends = [low / room, high * room] as const;
    const { ticks, labels } = fineLogTicks(ends[0], ends[1], wanted);
    return { low: ends[0], high: ends[1], isLog, ticks, labels, note: "" };
  }
  const [from, to] = range ?? padded(low, high);
  const { ticks, step } = linearTicks(from, to, wanted);
  return { low: from, high: to, isLog, ticks, ...tickLabels(ticks, step) };
}

const place = (axis: Axis, value: number): number =>
  axis.isLog
    ? Math.log(value / axis.low) / Math.log(axis.high / axis.low)
    : (value - axis.low) / (axis.high - axis.low);

function mark(look: XySeries["look"], x: number, y: number, color: number): SVGElement {
  if (look === "crosses") {
    const d = `M${x - 4} ${y - 4}l8 8M${x - 4} ${y + 4}l8 -8`;
    return svg("path", { class: `cross c${color}`, d });
  }
  return svg("circle", { class: look === "faint" ? "faint" : `mark c${color}`, cx: x, cy: y, r: look === "faint" ? 2 : 3.4 });
}

export function xyPlot(spec: Xy): HTMLElement {
  const width = widthHere();
  const height = Math.min(spec.height ?? 380, 1.1 * width);
  const box = { left: width < 500 ? 58 : 70, top: 12, right: 16, bottom: 46 };
  const [w, t] = [width - box.left - box.right, height - box.top - box.bottom];
  const all = spec.series.flatMap((series) => series.points);
  let rangeX: [number, number] | undefined;
  let rangeY: [number, number] | undefined;
  if (spec.isEqual) {
    [rangeX, rangeY] = equal(all, w / t);
  }
  const x = axisOf(all.map((point) => point[0]), spec.isLogX === true, Math.max(3, width / 95), rangeX);
  const y = axisOf(all.map((point) => point[1]), spec.isLogY === true, Math.max(3, t / 50), rangeY);
  const px = (value: number) => box.left + w * place(x, value);
  const py = (value: number) => box.top + t * (1 - place(y, value));
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": spec.label, class: "xy" });
  x.ticks.forEach((tick, k) => {
    drawing.append(
      svg("path", { class: "grid", d: `M${px(tick)} ${box.top}v${t}` }),
      words(x.labels[k]!, { x: px(tick), y: box.top + t + 16, "text-anchor": "middle" }),
    );
  });
  y.ticks.forEach((tick, k) => {
    drawing.append(
      svg("path", { class: "grid", d: `M${box.left} ${py(tick)}h${w}` }),
      words(y.labels[k]!, { x: box.left - 7, y: py(tick) + 4, "text-anchor": "end" }),
    );
  });
  if (!x.isLog && x.low < 0 && x.high > 0) drawing.append(svg("path", { class: "zero", d: `M${px(0)} ${box.top}v${t}` }));
  if (!y.isLog && y.low < 0 && y.high > 0) drawing.append(svg("path", { class: "zero", d: `M${box.left} ${py(0)}h${w}` }));
  const name = (label: string, note: string) => [label, note].filter(Boolean).join("  ");
  drawing.append(
    words(name(spec.xLabel, x.note), { x: box.left + w / 2, y: height - 8, "text-anchor": "middle", class: "label" }),
    words(name(spec.yLabel, y.note), {
      transform: `translate(14 ${box.top + t / 2}) rotate(-90)`, "text-anchor": "middle", class: "label",
    }),
  );
  for (const series of spec.series) drawing.append(...drawn(series, px, py, x.isLog, y.isLog));
  const legend = spec.series.filter((series) => series.name !== "");
  return h(
    "figure", { class: "plot" },
    legend.length > 0
      ? h(
          "ul", { class: "legend top" },
          ...legend.map((series) =>
            h("li", {}, h("i", { class: `key ${series.look} k${series.color}`, "aria-hidden": "true" }), h("span", {}, series.name)),
          ),
        )
      : null,
    drawing,
  );
}

/** The same scale both ways: the smaller range is widened. */
function equal(points: [number, number][], ratio: number): [[number, number], [number, number]] {
  const range = (k: 0 | 1) => padded(Math.min(...points.map((p) => p[k])), Math.max(...points.map((p) => p[k])));
  const [a, b] = [range(0), range(1)];
  const scale = Math.max((a[1] - a[0]) / ratio, b[1] - b[0]);
  const around = (r: [number, number], span: number): [number, number] => {
    const middle = (r[0] + r[1]) / 2;
    return [middle - span / 2, middle + span / 2];
  };
  return [around(a, scale * ratio), around(b, scale)];
}

function drawn(
  series: XySeries, px: (v: number) => number, py: (v: number) => number, isLogX: boolean, isLogY: boolean,
): SVGElement[] {
  const points = series.points.map(([x, y], k) => ({ x, y, title: series.titles?.[k] ?? "" })).filter(
    ({ x, y }) => Number.isFinite(x) && Number.isFinite(y) && (!isLogX || x > 0) && (!isLogY || y > 0),
  );
  const elements: SVGElement[] = [];
  if (series.look.startsWith("line") || series.look === "dashed") {
    const d = points.map(({ x, y }, k) => `${k > 0 ? "L" : "M"}${px(x).toFixed(2)} ${py(y).toFixed(2)}`).join("");
    const kind = series.look === "dashed" ? "dashed" : `line c${series.color}`;
    if (points.length > 1) elements.push(svg("path", { class: kind, d }));
  }
  if (series.look === "line" || series.look === "dashed") return elements;
  for (const { x, y, title } of points) {
    const element = mark(series.look, px(x), py(y), series.color);
    elements.push(title ? withTitle(element, title) : element);
  }
  return elements;
}
