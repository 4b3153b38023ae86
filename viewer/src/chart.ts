// Lines over time with uPlot, as the viewer and the reports draw them: round ticks, short numbers, a
// second axis for lines that would be flat, estimated errors as bands, lines at fractions of pixels.

import uPlot from "uplot";
import { tellingRange } from "./channels.ts";
import { linearTicks, logTicks, padded, rightAxis, tickLabels, unitText } from "./scales.ts";
import type { Palette } from "./theme.ts";

const LINES_LIGHT = ["#2159cc", "#c2413b", "#1f7a5c", "#a8620d", "#7a4fc0", "#0f7d92"];
const LINES_DARK = ["#6ea0ff", "#f0807a", "#63c9a2", "#e0a458", "#b99af5", "#5cc4d8"];

export function lineColor(palette: Palette, index: number): string {
  const lines = palette.dark ? LINES_DARK : LINES_LIGHT;
  return lines[index % lines.length]!;
}

export interface Column {
  time: Float64Array;
  values: Float64Array;
}
export interface Line extends Column {
  color: string;
  thin?: boolean; // of the run compared with, or a limit: thin and dashed
  leader?: number; // shares the axis of this line
  bar?: Column | null; // the value is known to bar.values[k] up to bar.time[k]
}
export interface ChartSpec {
  lines: Line[];
  unit: string;
  xLabel: string | null;
  isLog?: boolean;
  width: number;
  height: number;
  palette: Palette;
}

const FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

/** The bar at a time: that of the first moment not before it. */
function barAt(bar: Column, at: number): number {
  let low = 0;
  let high = bar.time.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bar.time[middle]! < at) low = middle + 1;
    else high = middle;
  }
  return bar.values[low] ?? NaN;
}

const gapless = (values: Float64Array, isLog: boolean): (number | null)[] =>
  Array.from(values, (value) => (Number.isFinite(value) && (!isLog || value > 0) ? value : null));

/** Whether each line belongs to the right axis. Lines with a leader go with it. */
export function sidesOf(lines: readonly Line[], isLog: boolean): boolean[] {
  if (isLog) return lines.map(() => false);
  const own = lines.filter((line) => line.leader === undefined);
  const right = rightAxis(own.map((line) => tellingRange(line.time, line.values)));
  const sides = new Map(own.map((line, k) => [line, right[k]!]));
  return lines.map((line) => sides.get(line.leader === undefined ? line : lines[line.leader]!) ?? false);
}

function rangeOf(lines: readonly Line[], first: number, isLog: boolean): uPlot.Range.Function {
  if (isLog) {
    return (_, min, max) => (min == null || max == null || !(min > 0) ? [1e-16, 1] : logRange(min, max));
  }
  const ranges = lines.map((line) => tellingRange(line.time, line.values));
  const low = Math.min(...ranges.map((range) => range[0]));
  const high = Math.max(...ranges.map((range) => range[1]));
  return (chart, min, max) => {
    // All values, but for a spike in the last rows while the whole run is seen.
    const isWhole = !(chart.scales.x!.min! > first);
    if (isWhole && low <= high) [min, max] = [low, high];
    if (min == null || max == null) return [null, null];
    return padded(min, max);
  };
}

function logRange(min: number, max: number): [number, number] {
  const low = 10 ** Math.floor(Math.log10(min) + 1e-9);
  const high = 10 ** Math.ceil(Math.log10(max) - 1e-9);
  return [low, high > low ? high : 10 * low];
}

function valueAxis(spec: ChartSpec, scale: string, color: string, isRight: boolean): uPlot.Axis {
  const { palette } = spec;
  let note = "";
  const splits = (_: uPlot, __: number, low: number, high: number): number[] =>
    spec.isLog
      ? logTicks(low, high, Math.max(2, Math.floor(spec.height / 34))).ticks
      : linearTicks(low, high, Math.max(2, Math.floor(spec.height / 44))).ticks;
  const values = (_: uPlot, ticks: number[]): string[] => {
    if (spec.isLog) return ticks.map((tick) => logTicks(tick, tick, 1).labels[0] ?? "");
    const step = ticks.length > 1 ? ticks[1]! - ticks[0]! : 1;
    const made = tickLabels(ticks, step);
    note = made.note;
    return made.labels;
  };
  return {
    scale, side: isRight ? 1 : 3, stroke: color, font: FONT, labelFont: FONT, labelSize: 18, labelGap: 2,
    grid: { show: !isRight, stroke: palette.faint, width: 1 },
    ticks: { stroke: palette.faint, width: 1, size: 4 },
    splits, values, filter: (_, ticks) => ticks,
    label: () => [unitText(spec.unit), note].filter(Boolean).join("  "),
    // as wide as the widest label
    size: (_, labels) => 14 + 6.2 * Math.max(2, ...(labels ?? []).map((label) => label.length)),
  };
}

interface Made {
  options: uPlot.Options;
  data: uPlot.AlignedData;
  index: number[]; // of each line among the series of the chart
}

/** Lines may lie on different times: they are joined on all of them. */
export function chartOf(spec: ChartSpec): Made {
  const { lines, palette } = spec;
  const isLog = spec.isLog === true;
  const right = sidesOf(lines, isLog);
  const first = Math.min(...lines.map((line) => line.time[0] ?? 0));
  const tables: uPlot.AlignedData[] = [];
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  const index: number[] = [];
  const add = (line: Line, values: (number | null)[], options: uPlot.Series): number => {
    tables.push([Array.from(line.time), values]);
    series.push({ pxAlign: 0, points: { show: false }, spanGaps: true, ...options });
    return series.length - 1;
  };
  lines.forEach((line, k) => {
    const scale = right[k] ? "y2" : "y";
    if (line.bar && line.bar.time.length > 0 && !isLog) {
      const bar = line.bar;
      const edge = (sign: number) =>
        Array.from(line.values, (value, i) => value + sign * barAt(bar, line.time[i]!));
      const hidden: uPlot.Series = { scale, width: 0, stroke: "transparent" };
      bands.push({
        series: [add(line, edge(1), hidden), add(line, edge(-1), hidden)], fill: `${line.color}38`,
      });
    }
    const style: uPlot.Series = line.thin
      ? { width: 1.2, dash: [5, 4], alpha: 0.8 }
      : { width: 1.6 };
    index.push(add(line, gapless(line.values, isLog), { ...style, scale, stroke: line.color }));
  });
  const scales: uPlot.Scales = { x: { time: false } };
  const onLeft = lines.filter((_, k) => !right[k]);
  const onRight = lines.filter((_, k) => right[k]);
  scales.y = { range: rangeOf(onLeft, first, isLog), distr: isLog ? 3 : 1 };
  if (onRight.length > 0) scales.y2 = { range: rangeOf(onRight, first, false) };
  const axes: uPlot.Axis[] = [timeAxis(spec)];
  const colorOf = (side: Line[]) => (onRight.length > 0 && side.length === 1 ? side[0]!.color : palette.text);
  axes.push(valueAxis(spec, "y", colorOf(onLeft), false));
  if (onRight.length > 0) axes.push(valueAxis(spec, "y2", colorOf(onRight), true));
  const options: uPlot.Options = {
    width: spec.width, height: spec.height, legend: { show: false }, scales, axes, series, bands,
    padding: [8, onRight.length > 0 ? 4 : 14, 0, 0],
    cursor: { sync: { key: "holon" }, drag: { x: true, y: false }, points: { size: 6 } },
  };
  return { options, data: tables.length === 1 ? tables[0]! : uPlot.join(tables), index };
}

function timeAxis(spec: ChartSpec): uPlot.Axis {
  const { palette } = spec;
  return {
    stroke: palette.text, font: FONT, labelFont: FONT, labelSize: 16, labelGap: 0, size: 26,
    grid: { stroke: palette.faint, width: 1 },
    ticks: { stroke: palette.faint, width: 1, size: 4 },
    splits: (_, __, low, high) => linearTicks(low, high, Math.max(2, spec.width / 90)).ticks,
    values: (_, ticks) => tickLabels(ticks, ticks.length > 1 ? ticks[1]! - ticks[0]! : 1).labels,
    ...(spec.xLabel !== null ? { label: spec.xLabel } : {}),
  };
}
