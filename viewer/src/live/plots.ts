// Plots that run along: one for each unit, the last seconds of the signals that are watched.

import uPlot from "uplot";
import type { Signal } from "../../engine/protocol.ts";
import { chartOf, lineColor } from "../chart.ts";
import { digits, h, icon } from "../dom.ts";
import { padded } from "../scales.ts";
import type { Palette } from "../theme.ts";

const HEIGHT = 150;
const WINDOW = 10; // s of the simulation
const SAMPLES = 1200;
const PERIOD = 60; // ms between two drawings

interface Line {
  signal: Signal;
  values: number[];
  label: HTMLElement;
}
interface Plot {
  unit: string;
  lines: Line[];
  box: HTMLElement;
  canvas: HTMLElement;
  legend: HTMLElement;
  chart: uPlot | null;
}

export class LivePlots {
  private plots: Plot[] = [];
  private times: number[] = [];
  private holder: HTMLElement;
  private palette: Palette;
  private watch: (names: string[]) => void;
  private watched: string[] = [];
  private drawn = 0;
  private empty = h("p", { class: "quiet" }, "Search a signal above to plot it.");

  constructor(holder: HTMLElement, palette: Palette, watch: (names: string[]) => void) {
    this.holder = holder;
    this.palette = palette;
    this.watch = watch;
    holder.append(this.empty);
    new ResizeObserver(() => this.resize()).observe(holder);
  }

  paint(palette: Palette): void {
    this.palette = palette;
    for (const plot of this.plots) this.rebuild(plot);
  }

  has(name: string): boolean {
    return this.watched.includes(name);
  }

  /** Keeps those that the model still has. */
  use(signals: Signal[]): void {
    const known = new Map(signals.map((signal) => [signal.name, signal]));
    for (const name of [...this.watched]) if (known.get(name) === undefined) this.drop(name);
    this.clear();
    this.watch(this.watched);
  }

  add(signal: Signal): void {
    if (this.has(signal.name)) return;
    let plot = this.plots.find((one) => one.unit === signal.unit);
    if (!plot) {
      const canvas = h("div", { class: "chart" });
      const legend = h("ul", { class: "legend", "aria-label": "Signals in this plot" });
      plot = { unit: signal.unit, lines: [], box: h("figure", { class: "plot" }, canvas, legend), canvas, legend, chart: null };
      this.plots.push(plot);
      this.holder.append(plot.box);
    }
    plot.lines.push({ signal, values: this.times.map(() => NaN), label: h("output", {}) });
    this.changed();
    this.rebuild(plot);
  }

  remove(name: string): void {
    this.drop(name);
    this.changed();
  }

  private drop(name: string): void {
    for (const plot of [...this.plots]) {
      plot.lines = plot.lines.filter(({ signal }) => signal.name !== name);
      if (plot.lines.length > 0) this.rebuild(plot);
      else {
        plot.chart?.destroy();
        plot.box.remove();
        this.plots.splice(this.plots.indexOf(plot), 1);
      }
    }
    this.watched = this.watched.filter((other) => other !== name);
    this.empty.hidden = this.plots.length > 0;
  }

  private changed(): void {
    this.watched = this.plots.flatMap((plot) => plot.lines.map(({ signal }) => signal.name));
    this.empty.hidden = this.plots.length > 0;
    this.watch(this.watched);
  }

  clear(): void {
    this.times = [];
    for (const { lines } of this.plots) for (const line of lines) line.values = [];
    this.draw(true);
  }

  /** A frame: values in the order of what is watched. */
  push(time: number, values: Float64Array): void {
    const lines = this.plots.flatMap((plot) => plot.lines);
    if (values.length !== lines.length) return; // of what was watched before
    if (this.times.length > 0 && !(time > this.times[this.times.length - 1]!)) {
      if (time === this.times[this.times.length - 1]) this.times.pop();
      else this.times = [];
      for (const line of lines) line.values.length = this.times.length;
    }
    this.times.push(time);
    lines.forEach((line, k) => line.values.push(values[k]!));
    const isOld = this.times.length > 1.5 * SAMPLES || this.times[0]! < time - 1.5 * WINDOW;
    if (!isOld) return;
    let keep = Math.max(0, this.times.length - SAMPLES);
    while (this.times[keep]! < time - WINDOW) keep++;
    this.times.splice(0, keep);
    for (const line of lines) line.values.splice(0, keep);
  }

  draw(now = false): void {
    const clock = performance.now();
    if (!now && clock - this.drawn < PERIOD) return;
    this.drawn = clock;
    const last = this.times[this.times.length - 1] ?? 0;
    const first = Math.max(this.times[0] ?? 0, last - WINDOW);
    for (const { chart, lines, unit } of this.plots) {
      if (chart && this.holder.clientWidth > 0) {
        chart.setData([this.times, ...lines.map(({ values }) => values.map(gapless))], false);
        chart.setScale("x", { min: first, max: Math.max(last, first + 1e-6) });
      }
      for (const { values, label } of lines) {
        const value = values[values.length - 1] ?? NaN;
        const text = Number.isFinite(value) ? `${digits(value)} ${unit}` : "-";
        if (label.textContent !== text) label.textContent = text;
      }
    }
  }

  private rebuild(plot: Plot): void {
    plot.chart?.destroy();
    const none = new Float64Array(0);
    const { options } = chartOf({
      lines: plot.lines.map((_, k) => ({ time: none, values: none, color: lineColor(this.palette, k) })),
      unit: plot.unit, xLabel: null, palette: this.palette, height: HEIGHT,
      width: Math.max(160, plot.canvas.clientWidth || this.holder.clientWidth - 16),
    });
    options.scales = { x: { time: false, auto: false }, y: { range: (_, low, high) => (low == null || high == null ? [0, 1] : padded(low, high)) } };
    plot.chart = new uPlot(options, [[], ...plot.lines.map(() => [])] as uPlot.AlignedData, plot.canvas);
    plot.legend.replaceChildren(
      ...plot.lines.map(({ signal, label }, index) =>
        h(
          "li", {},
          h("i", { style: `background:${lineColor(this.palette, index)}`, "aria-hidden": "true" }),
          h("span", { class: "name", title: signal.name }, signal.name), label,
          h(
            "button",
            { type: "button", class: "icon", "aria-label": `Remove ${signal.name}`, click: () => this.remove(signal.name) },
            icon("close"),
          ),
        ),
      ),
    );
    this.draw(true);
  }

  private resize(): void {
    for (const { chart, canvas } of this.plots) {
      const width = canvas.clientWidth;
      if (chart && width > 0 && width !== chart.width) chart.setSize({ width, height: chart.height });
    }
  }
}

const gapless = (value: number): number | null => (Number.isFinite(value) ? value : null);
