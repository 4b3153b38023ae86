// Plots next to the scene: one for each unit, any number of signals in it, one cursor for all of them
// and the scene. Drag zooms, double click shows all again, a click or a finger moves the time.

import uPlot from "uplot";
import { valueAt, type Channel, type Channels } from "./channels.ts";
import { chartOf, lineColor, type Line } from "./chart.ts";
import { difference } from "./difference.ts";
import { digits, h, icon } from "./dom.ts";
import type { Player } from "./player.ts";
import type { Palette } from "./theme.ts";

const HEIGHT = 190;

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
  private isDifference = false; // of the two runs, not both

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

  /** Plots the first run less the second, or both. */
  setDifference(isDifference: boolean): void {
    this.isDifference = isDifference;
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
    return lineColor(this.palette, index);
  }

  private linesOf(plot: Plot): Line[] {
    if (this.isDifference) {
      return plot.series.map((entry, index) => ({
        ...(entry.second ? difference(entry, entry.second) : { time: entry.time, values: entry.values.map(() => NaN) }),
        color: this.color(index),
      }));
    }
    const lines: Line[] = plot.series.map((entry, index) => ({
      time: entry.time, values: entry.values, color: this.color(index),
    }));
    plot.series.forEach((entry, index) => {
      if (entry.second) lines.push({ ...entry.second, color: this.color(index), thin: true, leader: index });
    });
    return lines;
  }

  private rebuild(plot: Plot): void {
    plot.chart?.destroy();
    plot.chart = null;
    const { options, data } = chartOf({
      lines: this.linesOf(plot), unit: plot.unit, xLabel: "time (s)", palette: this.palette, height: HEIGHT,
      width: Math.max(160, plot.canvas.clientWidth || this.holder.clientWidth - 16),
    });
    options.hooks = {
      setScale: [(chart, key) => key === "x" && this.shareZoom(chart)],
      draw: [() => this.show(this.player.time)], // sizes and scales are final only now
    };
    plot.chart = new uPlot(options, data, plot.canvas);
    plot.marker = h("div", { class: "now", "aria-hidden": "true" });
    plot.chart.over.append(plot.marker);
    this.listen(plot.chart);
    this.fillLegend(plot);
    this.show(this.player.time);
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

  /** Moves the common cursor and the numbers next to the names. */
  show(time: number): void {
    for (const { chart, marker, series, unit } of this.plots) {
      if (!chart || !marker) continue;
      const { min, max } = chart.scales.x!;
      const inside = min != null && max != null && time >= min && time <= max;
      marker.hidden = !inside;
      if (inside) marker.style.transform = `translateX(${chart.valToPos(time, "x")}px)`;
      for (const entry of series) {
        const value = valueAt(entry.time, entry.values, time);
        const other = entry.second ? valueAt(entry.second.time, entry.second.values, time) : NaN;
        const shown = this.isDifference ? value - other : value;
        let text = Number.isNaN(shown) ? "-" : `${digits(shown)} ${unit}`;
        if (!this.isDifference && !Number.isNaN(other)) text += ` (${digits(other)})`;
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
export function plotSearch<T extends { name: string; unit: string }>(
  channels: { search: (query: string, limit: number) => T[] },
  plots: { has: (name: string) => boolean; add: (channel: T) => void; remove: (name: string) => void },
): HTMLElement {
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
  const choose = (channel: T) => {
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
