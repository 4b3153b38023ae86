// Numbers on axes: where ticks stand, what they say, which lines share an axis. No drawing.

/** Below this every quantity of a model counts as zero. */
export const NOTHING = 1e-25;

const SUPERSCRIPTS: Record<string, string> = {
  "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸",
  "9": "⁹",
};

/** 10⁻³ */
export function power(exponent: number): string {
  return `10${[...String(exponent)].map((sign) => SUPERSCRIPTS[sign]).join("")}`;
}

/** "m/s^2" with a small two. */
export function unitText(unit: string): string {
  return unit.replace(/\^(-?\d+)/g, (_, digits: string) =>
    [...digits].map((sign) => SUPERSCRIPTS[sign]).join(""),
  );
}

/** A minus as long as a plus. */
const signed = (text: string): string => text.replace("-", "−");

export interface TickLabels {
  labels: string[];
  note: string; // what the labels leave out: "×10⁻³", "+ 1.25"; empty if nothing
}

/** Labels of ticks that stand `step` apart, as short as they can be. Zero is 0. */
export function tickLabels(ticks: readonly number[], step: number): TickLabels {
  const largest = Math.max(...ticks.map(Math.abs), 0);
  if (!(largest > NOTHING) || !(step > 0)) return { labels: ticks.map(() => "0"), note: "" };
  let offset = 0;
  if (step < 1e-5 * largest) offset = ticks[0]!;
  const rest = ticks.map((tick) => (Math.abs(tick - offset) < 1e-6 * step ? 0 : tick - offset));
  const size = Math.max(...rest.map(Math.abs), 0);
  // rounded up first: 999.99 is 1000
  let exponent = size > 0 ? Math.floor(Math.log10(size * (1 + 1e-9))) : 0;
  exponent = exponent >= 5 || exponent <= -3 ? 3 * Math.floor(exponent / 3) : 0;
  const scale = 10 ** exponent;
  const decimals = Math.max(0, Math.min(9, -Math.floor(Math.log10(step / scale) + 1e-9)));
  const fits = (digits: number) =>
    rest.every((value) => Math.abs(Number((value / scale).toFixed(digits)) * scale - value) < 1e-3 * step);
  const needed = fits(decimals) ? decimals : decimals + 1;
  const labels = rest.map((value) => (value === 0 ? "0" : signed((value / scale).toFixed(needed))));
  const notes: string[] = [];
  if (exponent !== 0) notes.push(`×${power(exponent)}`);
  if (offset !== 0) notes.push(`${offset < 0 ? "−" : "+"} ${Math.abs(Number(offset.toPrecision(8)))}`);
  return { labels, note: notes.join(" ") };
}

function multiples(low: number, high: number, step: number): number[] {
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) ticks.push(k * step);
  return ticks;
}

/** Round ticks within a range, about so many, and two at least: one alone says nothing of the scale. */
export function linearTicks(low: number, high: number, wanted: number): { ticks: number[]; step: number } {
  const raw = (high - low) / Math.max(1, wanted);
  if (!(raw > 0) || !Number.isFinite(raw)) return { ticks: [low], step: 1 };
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  const part = raw / magnitude;
  const factors = [10, 5, 2, 1, 0.5, 0.2];
  let k = factors.findLastIndex((factor) => part <= factor);
  while (k + 1 < factors.length && multiples(low, high, factors[k]! * magnitude).length < 2) k++;
  const step = factors[k]! * magnitude;
  return { ticks: multiples(low, high, step), step };
}

/** Powers of ten within a range, every so manieth; and their labels. */
export function logTicks(low: number, high: number, most: number): { ticks: number[]; labels: string[] } {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / most));
  const ticks: number[] = [];
  const labels: string[] = [];
  for (let k = first; k <= last; k += every) {
    ticks.push(10 ** k);
    labels.push(power(k));
  }
  return { ticks, labels };
}

/** The same with 2 and 5 between them where there are few. */
export function fineLogTicks(low: number, high: number, most: number): { ticks: number[]; labels: string[] } {
  const whole = logTicks(low, high, most);
  if (whole.ticks.length > 2) return whole;
  const made: [number, string][] = [];
  for (let k = Math.floor(Math.log10(low)); k <= Math.log10(high); k++) {
    for (const part of [1, 2, 5]) {
      const tick = part * 10 ** k;
      if (tick >= low && tick <= high) made.push([tick, part === 1 ? power(k) : `${part}·${power(k)}`]);
    }
  }
  return { ticks: made.map(([tick]) => tick), labels: made.map(([, label]) => label) };
}

/** A range with a margin, also for a line that is flat. */
export function padded(low: number, high: number, room = 0.06): [number, number] {
  if (!(low <= high)) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  const span = high - low;
  if (size < NOTHING) return [-1, 1];
  if (span < 1e-11 * size) return [low - 0.1 * size, high + 0.1 * size];
  return [low - room * span, high + room * span];
}

const spanOf = (ranges: readonly [number, number][]): number =>
  Math.max(...ranges.map((r) => r[1])) - Math.min(...ranges.map((r) => r[0]));

/**
 * Which lines go to the right axis: those that would be flat next to the others, because the others are
 * larger or far away. A second axis is worth having when it makes a line so many times taller.
 */
export function rightAxis(ranges: readonly [number, number][], times = 12): boolean[] {
  const whole = spanOf(ranges);
  const none = ranges.map(() => false);
  const isFlat = ranges.map(([low, high]) => high - low > NOTHING && (high - low) * times < whole);
  if (!isFlat.includes(true)) return none;
  if (!isFlat.includes(false)) return split(ranges, times) ?? none;
  // Together they must still be small compared with the others, or nothing is won.
  return spanOf(ranges.filter((_, k) => isFlat[k])) * 3 < whole ? isFlat : none;
}

/** Small ones around two far places: the upper ones go to the right. */
function split(ranges: readonly [number, number][], times: number): boolean[] | null {
  const order = ranges.map((_, k) => k).sort((a, b) => ranges[a]![0] - ranges[b]![0]);
  let gap = 0;
  let at = 0;
  for (let k = 1; k < order.length; k++) {
    const free = ranges[order[k]!]![0] - Math.max(...order.slice(0, k).map((i) => ranges[i]![1]));
    if (free > gap) [gap, at] = [free, k];
  }
  const upper = new Set(order.slice(at));
  const parts = [false, true].map((side) => ranges.filter((_, k) => upper.has(k) === side));
  if (at === 0 || parts.some((part) => spanOf(part) * times > spanOf(ranges))) return null;
  return ranges.map((_, k) => upper.has(k));
}
