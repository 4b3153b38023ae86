// Two runs of one model: the difference of a signal over time, and the signals that differ most.

import { valueAt, type Channel, type Channels } from "./channels.ts";
import type { Column } from "./chart.ts";
import { digits, h } from "./dom.ts";

/** The first less the second, at the times of the first; NaN where the second run has no value. */
export function difference(one: Column, other: Column): Column {
  const values = one.values.map((value, k) => value - valueAt(other.time, other.values, one.time[k]!));
  return { time: one.time, values };
}

export interface Different {
  channel: Channel;
  largest: number; // with its sign
  time: number;
  part: number; // of the range of both runs
}

interface Pair extends Different {
  range: number;
  size: number; // largest value
}

function compare(channel: Channel, other: Channel): Pair | null {
  const [one, two] = [channel.read(), other.read()];
  const { values } = difference(one, two);
  let low = Infinity;
  let high = -Infinity;
  for (const all of [one.values, two.values]) {
    for (const value of all) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  let at = -1;
  values.forEach((value, k) => {
    if (Number.isFinite(value) && (at < 0 || Math.abs(value) > Math.abs(values[at]!))) at = k;
  });
  if (at < 0) return null;
  return {
    channel, largest: values[at]!, time: one.time[at]!, part: 0, range: high - low,
    size: Math.max(Math.abs(low), Math.abs(high)),
  };
}

const NOISE = 1e-6; // of the largest value with the same unit: smaller ranges are rounding

/** Signals of both runs by their difference as a part of their range, the model's outputs before others. */
export function largestDifferences(first: Channels, second: Channels, limit: number): Different[] {
  const pairs = first.all.flatMap((channel) => {
    const other = second.find(channel.name);
    const pair = other ? compare(channel, other) : null;
    return pair ? [pair] : [];
  });
  const sizes = new Map<string, number>();
  for (const { channel, size } of pairs) {
    sizes.set(channel.unit, Math.max(size, sizes.get(channel.unit) ?? 0));
  }
  for (const pair of pairs) {
    const range = Math.max(pair.range, NOISE * sizes.get(pair.channel.unit)!);
    pair.part = range > 0 ? Math.abs(pair.largest) / range : 0;
  }
  const outputs = new Set(first.outputs().map((channel) => channel.name));
  const isOutput = ({ channel }: Different) => Number(outputs.has(channel.name));
  return pairs
    .filter(({ part }) => part > 0)
    .sort((a, b) => isOutput(b) - isOutput(a) || b.part - a.part)
    .slice(0, limit);
}

/** The list above the plots, made when it is opened first. */
export function differenceList(
  first: Channels, second: Channels, choose: (found: Different) => void,
): HTMLElement {
  const list = h("ul", { class: "differences", "aria-label": "Largest differences" });
  const box = h("details", { id: "differences" }, h("summary", {}, "Largest differences"), list);
  box.addEventListener("toggle", () => {
    if (!box.open || list.childElementCount > 0) return;
    const found = largestDifferences(first, second, 12);
    list.replaceChildren(
      ...found.map((one) =>
        h("li", {}, h(
          "button", { type: "button", title: `Plot, and go to ${digits(one.time)} s`, click: () => choose(one) },
          h("span", { class: "name" }, one.channel.name),
          h("small", {}, `${digits(one.largest)} ${one.channel.unit} at ${digits(one.time)} s`),
        ))),
    );
    if (found.length === 0) list.append(h("li", { class: "quiet" }, "The runs do not differ."));
  });
  return box;
}
