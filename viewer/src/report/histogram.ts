// Steps of a run in real time by the time they took. Heights are logarithmic: the rare long step
// matters.

import { h } from "../dom.ts";
import { list, number, type Json } from "./facts.ts";
import { svg, withTitle, words } from "./xy.ts";

export function timeText(seconds: number): string {
  const digits = (value: number) => String(Number(value.toPrecision(3)));
  if (seconds < 0.9995e-3) return `${digits(1e6 * seconds)} µs`;
  return seconds < 0.9995 ? `${digits(1e3 * seconds)} ms` : `${digits(seconds)} s`;
}

export function histogram(facts: Json): HTMLElement | null {
  const bars = list(facts.histogram).map((bar) => list(bar).map((value) => number(value)));
  if (bars.length === 0) return null;
  const [width, height, left, right, top, bottom] = [760, 220, 20, 740, 14, 186];
  const low = bars[0]![0]!;
  const deadline = number(facts.deadline, 0);
  let high = bars[bars.length - 1]![1]!;
  if (deadline > high && deadline < 1e4 * high) high = 1.3 * deadline;
  const x = (seconds: number) => left + ((right - left) * Math.log(seconds / low)) / Math.log(high / low);
  const most = Math.max(...bars.map((bar) => bar[2]!));
  const tall = (count: number) => ((bottom - top - 14) * (0.3 + Math.log10(count))) / (0.3 + Math.log10(most));
  const drawing = svg("svg", {
    viewBox: `0 0 ${width} ${height}`, class: "xy", role: "img", "aria-label": "Steps by CPU time",
  });
  for (const [from, to, count] of bars) {
    const bar = svg("rect", {
      class: "bar", x: x(from!) + 0.5, y: bottom - tall(count!), width: Math.max(1, x(to!) - x(from!) - 1),
      height: tall(count!),
    });
    drawing.append(withTitle(bar, `${count} steps took ${timeText(from!)} to ${timeText(to!)}`));
  }
  drawing.append(svg("path", { class: "zero", d: `M${left} ${bottom}H${right}` }));
  for (let k = Math.ceil(Math.log10(low) - 1e-9); 10 ** k <= high; k++) {
    drawing.append(words(timeText(10 ** k), { x: x(10 ** k), y: bottom + 16, "text-anchor": "middle" }));
  }
  const mark = (seconds: number, name: string) => {
    if (!(seconds >= low && seconds <= high)) return;
    const at = x(seconds);
    const isRight = at > 0.85 * right;
    drawing.append(
      svg("path", { class: "dashed", d: `M${at} ${top}V${bottom}` }),
      words(name, { x: isRight ? at - 4 : at + 4, y: top + 9, "text-anchor": isRight ? "end" : "start" }),
    );
  };
  mark(number(facts.p9999, 0), "99.99 %");
  mark(deadline, "deadline");
  return h(
    "figure", { class: "plot wide" }, h("figcaption", {}, h("b", {}, "Steps by CPU time (logarithmic heights)")), drawing,
  );
}
