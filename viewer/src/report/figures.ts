// Plots over time in a report: a plot with title, names and values under the pointer. All plots
// of a page share the cursor and the zoom.

import uPlot from "uplot";
import { valueAt } from "../channels.ts";
import { chartOf, lineColor, sidesOf, type Line } from "../chart.ts";
import { h } from "../dom.ts";
import { unitText } from "../scales.ts";
import type { Palette, Theme } from "../theme.ts";
import { short, type Series } from "./facts.ts";

export interface Plotted {
  title: string;
  series: Series[];
  names?: string[]; // in the legend, when others than those of the series
  isLog?: boolean;
  isWide?: boolean;
  bar?: Series | null; // of the first series
  limit?: number; // a line that should not be crossed
}

const HEIGHT = 250;

class Figure {
  readonly box: HTMLElement;
  chart: uPlot | null = null;
  private spec: Plotted;
  private canvas = h("div", { class: "chart" });
  private values: HTMLElement[] = [];
  private palette: Palette;
  private moved: (figure: Figure) => void;

  constructor(spec: Plotted, palette: Palette, moved: (figure: Figure) => void) {
    this.spec = spec;
    this.palette = palette;
    this.moved = moved;
    this.values = spec.series.map(() => h("output", {}));
    const legend = h("ul", { class: "legend" });
    const title = h("figcaption", {}, h("b", {}, spec.title), legend);
    this.box = h("figure", { class: `plot${spec.isWide ? " wide" : ""}` }, title, this.canvas);
    this.fill(legend);
  }

  private fill(legend: HTMLElement): void {
    const right = sidesOf(this.lines(), this.spec.isLog === true);
    const several = this.spec.series.length > 1 || this.spec.limit !== undefined;
    const row = (kind: string, style: string, name: string, value: Node | null) =>
      h("li", { class: kind }, h("i", { style, "aria-hidden": "true" }), h("span", { class: "name" }, name), value);
    legend.replaceChildren(
      ...this.spec.series.map((one, k) =>
        row(
          several ? "" : "single", `background:${lineColor(this.palette, k)}`,
          `${this.spec.names?.[k] ?? one.name}${right[k] ? " (right)" : ""}`, this.values[k]!,
        ),
      ),
    );
    if (this.spec.limit !== undefined) legend.append(row("limit", "", "allowed", null));
    const bar = Math.max(0, ...(this.spec.bar?.values ?? []));
    if (bar > 0) {
      const name = `± ${short(bar, 2)} ${unitText(this.spec.series[0]!.unit)}`;
      legend.append(row("", `background:${lineColor(this.palette, 0)}55;height:8px`, name, null));
    }
  }

  private lines(): Line[] {
    const { series, bar, limit } = this.spec;
    const lines: Line[] = series.map((one, k) => ({
      time: one.time, values: one.values, color: lineColor(this.palette, k), bar: k === 0 ? (bar ?? null) : null,
    }));
    const first = series[0];
    if (limit !== undefined && first && first.time.length > 0) {
      const ends = Float64Array.of(first.time[0]!, first.time[first.time.length - 1]!);
      lines.push({ time: ends, values: Float64Array.of(limit, limit), color: this.palette.text, thin: true, leader: 0 });
    }
    return lines;
  }

  draw(palette = this.palette): void {
    this.palette = palette;
    const width = this.canvas.clientWidth;
    if (width < 40) return;
    this.chart?.destroy();
    const { options, data } = chartOf({
      lines: this.lines(), unit: this.spec.series[0]?.unit ?? "", xLabel: "time (s)",
      isLog: this.spec.isLog === true, width, height: HEIGHT, palette,
    });
    options.hooks = {
      setCursor: [(chart) => this.show(chart)],
      setScale: [(_, key) => key === "x" && this.moved(this)],
    };
    this.chart = new uPlot(options, data, this.canvas);
    this.fill(this.box.querySelector(".legend")!);
  }

  /** Values under the pointer, next to their names. */
  private show(chart: uPlot): void {
    const left = chart.cursor.left ?? -1;
    const at = left >= 0 ? chart.posToVal(left, "x") : NaN;
    this.spec.series.forEach((one, k) => {
      const value = Number.isNaN(at) ? NaN : valueAt(one.time, one.values, at);
      const size = one.values.reduce((most, v) => Math.max(most, Number.isFinite(v) ? Math.abs(v) : 0), 0);
      const shown = Math.abs(value) < 1e-9 * size && !this.spec.isLog ? 0 : value;
      this.values[k]!.textContent = Number.isNaN(value) ? "" : `${short(shown, 4)} ${unitText(one.unit)}`;
    });
  }
}

/** The plots of a page. */
export class Figures {
  private all: Figure[] = [];
  private theme: Theme;
  private moving = false;

  constructor(theme: Theme) {
    this.theme = theme;
    theme.onChange(() => this.draw());
    let width = window.innerWidth;
    window.addEventListener("resize", () => {
      if (window.innerWidth !== width) this.draw();
      width = window.innerWidth;
    });
    window.addEventListener("beforeprint", () => this.draw());
  }

  grid(plots: Plotted[]): HTMLElement {
    const figures = plots
      .filter((plot) => plot.series.length > 0 && plot.series[0]!.time.length > 0)
      .map((plot) => new Figure(plot, this.theme.palette, (figure) => this.zoom(figure)));
    this.all.push(...figures);
    return h("div", { class: "plots" }, ...figures.map((figure) => figure.box));
  }

  /** When the page is laid out. */
  draw(): void {
    for (const figure of this.all) figure.draw(this.theme.palette);
  }

  private zoom(from: Figure): void {
    if (this.moving || !from.chart) return;
    this.moving = true;
    const { min, max } = from.chart.scales.x!;
    for (const { chart } of this.all) {
      if (!chart || chart === from.chart || min == null || max == null) continue;
      if (chart.scales.x!.min !== min || chart.scales.x!.max !== max) chart.setScale("x", { min, max });
    }
    this.moving = false;
  }
}
