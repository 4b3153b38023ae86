// Plots beside the scene: one for each unit, any number of signals in it, one cursor for all of them
// and the scene. Drag zooms, double click shows all again, a click or a finger moves the time.

import uPlot from "uplot";
import { tellingRange, valueAt, type Channel, type Channels } from "./channels.ts";
import { digits, h, icon } from "./dom.ts";
import type { Player } from "./player.ts";
import type { Palette } from "./theme.ts";

const LINES_LIGHT = ["#2159cc", "#c2413b", "#1f7a5c", "#a8620d", "#7a4fc0", "#0f7d92"];
const LINES_DARK = ["#6ea0ff", "#f0807a", "#63c9a2", "#e0a458", "#b99af5", "#5cc4d8"];

interface Series {
  channel: Channel;
  time: Float64Array;
  values: Float64Array;
  second: { time: Float64Array; values: Float64Array } | null; // of the run compared with
  label: HTMLElement;
}
interface Plot {
  unit: string;
  series: Series[];
  box: HTMLElement;
  canvas: HTMLElement;
  legend: HTMLElement;
  chart: uPlot | null;
  marker: HTMLElement | null;
}

export class Plots {
  readonly plots: Plot[] = [];
  private holder: HTMLElement;
  private player: Player;
  private against: Channels | null;
  private palette: Palette;
  private empty: HTMLElement;
  private syncing = false;

  constructor(holder: HTMLElement, player: Player, against: Channels | null, palette: Palette) {
    this.holder = holder;
    this.player = player;
    this.against = against;
    this.palette = palette;
    this.empty = h("p", { class: "quiet" }, "Search a signal above to plot it.");
    holder.append(this.empty);
    new ResizeObserver(() => this.resize()).observe(holder);
  }

  paint(palette: Palette): void {
    this.palette = palette;
    for (const plot of this.plots) this.rebuild(plot);
  }

  has(name: string): boolean {
    return this.plots.some((plot) => plot.series.some((series) => series.channel.name === name));
  }

  add(channel: Channel): void {
    if (this.has(channel.name)) return;
    let plot = this.plots.find((known) => known.unit === channel.unit);
    if (!plot) {
      const canvas = h("div", { class: "chart" });
      const legend = h("ul", { class: "legend", "aria-label": "Signals in this plot" });
      const box = h("figure", { class: "plot" }, canvas, legend);
      plot = { unit: channel.unit, series: [], box, canvas, legend, chart: null, marker: null };
      this.plots.push(plot);
      this.holder.append(box);
    }
    const second = this.against?.find(channel.name) ?? null;
    plot.series.push({
      channel,
      ...channel.read(),
      second: second ? second.read() : null,
      label: h("output", {}),
    });
    this.rebuild(plot);
    this.empty.hidden = true;
  }

  remove(name: string): void {
    for (const plot of [...this.plots]) {
      plot.series = plot.series.filter((series) => series.channel.name !== name);
      if (plot.series.length === 0) {
        plot.chart?.destroy();
        plot.box.remove();
        this.plots.splice(this.plots.indexOf(plot), 1);
      } else this.rebuild(plot);
    }
    this.empty.hidden = this.plots.length > 0;
  }

  private color(index: number): string {
    const lines = this.palette.dark ? LINES_DARK : LINES_LIGHT;
    return lines[index % lines.length]!;
  }

  // Signals of one plot may lie on different times (motion and recorded): join them on all times.
  private rebuild(plot: Plot): void {
    plot.chart?.destroy();
    plot.chart = null;
    const tables: uPlot.AlignedData[] = [];
    const series: uPlot.Series[] = [{}];
    plot.series.forEach((entry, index) => {
      const stroke = this.color(index);
      tables.push([entry.time, entry.values]);
      series.push({ stroke, width: 1.6, points: { show: false }, spanGaps: true });
      if (entry.second) {
        tables.push([entry.second.time, entry.second.values]);
        series.push({
          stroke, width: 1.2, dash: [5, 4], points: { show: false }, spanGaps: true, alpha: 0.75,
        });
      }
    });
    const single = tables.length === 1;
    const data = single ? tables[0]! : uPlot.join(tables);
    plot.chart = new uPlot(this.options(plot, series), data, plot.canvas);
    plot.marker = h("div", { class: "now", "aria-hidden": "true" });
    plot.chart.over.append(plot.marker);
    this.listen(plot.chart);
    this.fillLegend(plot);
    this.show(this.player.time);
  }

  private options(plot: Plot, series: uPlot.Series[]): uPlot.Options {
    const axis: uPlot.Axis = {
      stroke: this.palette.text,
      font: "11px system-ui, sans-serif",
      labelFont: "11px system-ui, sans-serif",
      labelSize: 16,
      grid: { stroke: this.palette.faint, width: 1 },
      ticks: { stroke: this.palette.faint, width: 1, size: 4 },
    };
    const numbers = (_: uPlot, values: number[]) => values.map((value) => digits(value));
    return {
      width: Math.max(160, plot.canvas.clientWidth || this.holder.clientWidth - 16),
      height: 180,
      legend: { show: false },
      cursor: {
        sync: { key: "holon" }, drag: { x: true, y: false }, points: { size: 6 },
      },
      scales: { x: { time: false }, y: { range: this.rangeOf(plot) } },
      axes: [
        { ...axis, size: 34, label: "time (s)" },
        { ...axis, size: 54, label: plot.unit || "1", values: numbers },
      ],
      series,
      hooks: {
        setScale: [(chart, key) => key === "x" && this.shareZoom(chart)],
        draw: [() => this.show(this.player.time)], // sizes and scales are final only now
      },
    };
  }

  // All values, but for a spike in the last rows while the whole run is seen.
  private rangeOf(plot: Plot): uPlot.Range.Function {
    const runs = plot.series.flatMap((entry) => (entry.second ? [entry, entry.second] : [entry]));
    const ranges = runs.map((run) => tellingRange(run.time, run.values));
    const low = Math.min(...ranges.map((range) => range[0]));
    const high = Math.max(...ranges.map((range) => range[1]));
    const first = Math.min(...runs.map((run) => run.time[0] ?? 0));
    return (chart, min, max) => {
      if (min == null || max == null) return [null, null];
      const isWhole = !(chart.scales.x!.min! > first);
      if (isWhole && low <= high) [min, max] = [low, high];
      return uPlot.rangeNum(min, max, 0.1, true);
    };
  }

  private shareZoom(from: uPlot): void {
    if (this.syncing) return;
    this.syncing = true;
    const { min, max } = from.scales.x!;
    for (const { chart } of this.plots) {
      if (!chart || chart === from || min == null || max == null) continue;
      if (chart.scales.x!.min !== min || chart.scales.x!.max !== max) chart.setScale("x", { min, max });
    }
    this.syncing = false;
  }

  private listen(chart: uPlot): void {
    const over = chart.over;
    let startX = 0;
    const seek = (event: PointerEvent) => {
      const left = event.clientX - over.getBoundingClientRect().left;
      this.player.seek(chart.posToVal(left, "x"));
    };
    over.addEventListener("pointerdown", (event) => {
      startX = event.clientX;
      if (event.pointerType !== "mouse") seek(event);
    });
    over.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "mouse" && event.buttons > 0) seek(event);
    });
    over.addEventListener("pointerup", (event) => {
      if (event.button === 0 && Math.abs(event.clientX - startX) < 4) seek(event);
    });
  }

  private fillLegend(plot: Plot): void {
    plot.legend.replaceChildren(
      ...plot.series.map((series, index) =>
        h(
          "li",
          {},
          h("i", { style: `background:${this.color(index)}`, "aria-hidden": "true" }),
          h("span", { class: "name", title: series.channel.name }, series.channel.name),
          series.label,
          h(
            "button",
            {
              type: "button", class: "icon", "aria-label": `Remove ${series.channel.name}`,
              click: () => this.remove(series.channel.name),
            },
            icon("close"),
          ),
        ),
      ),
    );
  }

  /** Moves the common cursor and the numbers beside the names. */
  show(time: number): void {
    for (const { chart, marker, series, unit } of this.plots) {
      if (!chart || !marker) continue;
      const { min, max } = chart.scales.x!;
      const inside = min != null && max != null && time >= min && time <= max;
      marker.hidden = !inside;
      if (inside) marker.style.transform = `translateX(${chart.valToPos(time, "x")}px)`;
      for (const entry of series) {
        const value = valueAt(entry.time, entry.values, time);
        let text = Number.isNaN(value) ? "-" : `${digits(value)} ${unit}`;
        if (entry.second) {
          const other = valueAt(entry.second.time, entry.second.values, time);
          if (!Number.isNaN(other)) text += ` (${digits(other)})`;
        }
        if (entry.label.textContent !== text) entry.label.textContent = text;
      }
    }
  }

  private resize(): void {
    for (const { chart, canvas } of this.plots) {
      const width = canvas.clientWidth;
      if (chart && width > 0 && width !== chart.width) chart.setSize({ width, height: chart.height });
    }
  }
}

/** The search above the plots: type, then Enter, click, or arrows. */
export function plotSearch(channels: Channels, plots: Plots): HTMLElement {
  const results = h("ul", { class: "found", role: "listbox", id: "found", "aria-label": "Signals" });
  results.hidden = true;
  const input = h("input", {
    type: "search", placeholder: "Add a signal", "aria-label": "Search a signal to plot",
    autocomplete: "off", spellcheck: "false", role: "combobox", "aria-controls": "found",
    "aria-expanded": "false",
  });
  let marked = -1;
  const close = () => {
    results.hidden = true;
    input.setAttribute("aria-expanded", "false");
  };
  const choose = (channel: Channel) => {
    if (plots.has(channel.name)) plots.remove(channel.name);
    else plots.add(channel);
    fill();
  };
  const fill = () => {
    const found = channels.search(input.value, 60);
    marked = Math.min(marked, found.length - 1);
    results.replaceChildren(
      ...found.map((channel, index) => {
        const row = h(
          "li",
          {
            role: "option", class: index === marked ? "marked" : "", id: `found-${index}`,
            "aria-selected": plots.has(channel.name) ? "true" : "false",
            pointerdown: (event) => {
              event.preventDefault(); // keeps the focus in the search
              choose(channel);
            },
          },
          h("span", {}, channel.name),
          h("small", {}, channel.unit),
        );
        return row;
      }),
    );
    if (found.length === 0) {
      results.append(h("li", { class: "quiet", "aria-disabled": "true" }, "No signal has this name"));
    }
    results.hidden = false;
    input.setAttribute("aria-expanded", "true");
    if (marked >= 0) input.setAttribute("aria-activedescendant", `found-${marked}`);
    else input.removeAttribute("aria-activedescendant");
    results.children[marked]?.scrollIntoView({ block: "nearest" });
  };
  input.addEventListener("focus", fill);
  input.addEventListener("input", () => {
    marked = -1;
    fill();
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      close();
      input.blur();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      marked = Math.max(0, marked + (event.key === "ArrowDown" ? 1 : -1));
      fill();
      event.preventDefault();
    } else if (event.key === "Enter") {
      const channel = channels.search(input.value, 60)[Math.max(0, marked)];
      if (channel) choose(channel);
    }
    event.stopPropagation();
  });
  return h("div", { class: "search" }, input, results);
}
