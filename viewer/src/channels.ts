// Signals that can be plotted: those recorded by the run, and positions, reactions and forces taken
// from the motion where the run did not record them.

import type { Scene, Signals } from "./data.ts";
import { unitOfForce } from "./arrows.ts";
import type { Motion } from "./motion.ts";

export interface Channel {
  name: string;
  unit: string;
  read: () => { time: Float64Array; values: Float64Array };
}

const RECORDED_PARTS = /^(body|marker|joint|driver|force|contact|input|state|energy|constraint|step)\./;

export class Channels {
  readonly all: Channel[] = [];
  private byName = new Map<string, Channel>();

  constructor(scene: Scene, motion: Motion, signals: Signals | null) {
    signals?.names.forEach((name, index) =>
      this.add(name, signals.units[index] ?? "", () => ({
        time: signals.time, values: signals.values[index]!,
      })),
    );
    const column = (at: number) => () => {
      const values = new Float64Array(motion.frames);
      for (let k = 0; k < motion.frames; k++) values[k] = motion.records[k * motion.stride + at]!;
      return { time: motion.times, values };
    };
    const { columns } = scene.motion;
    scene.bodies.forEach((body, index) => {
      if (index === 0) return;
      ["x", "y", "z"].forEach((axis, i) =>
        this.add(
          `body.${body.name}.position.${axis}`, "m", column(columns.bodies + 7 * (index - 1) + i),
        ),
      );
    });
    for (const joint of scene.joints) {
      const at = columns.reactions + 3 * joint.column;
      ["x", "y", "z"].forEach((axis, i) =>
        this.add(`joint.${joint.name}.reaction.force.${axis}`, "N", column(at + i)),
      );
    }
    for (const force of scene.forces) {
      this.add(
        `force.${force.name}.value`, unitOfForce(force.type), column(columns.forces + force.column),
      );
    }
    // Recorded by the run as the nearest point only.
    for (const load of scene.loads) {
      if (load.type !== "contact") continue;
      const at = columns.loads + 6 * load.column;
      ["x", "y", "z"].forEach((axis, i) =>
        this.add(`contact.${load.name}.center_of_pressure.${axis}`, "m", () => {
          const { time, values } = column(at + i)();
          const forces = [3, 4, 5].map((k) => column(at + k)().values);
          return { time, values: values.map((value, k) => (forces.some((force) => force[k] !== 0) ? value : NaN)) };
        }),
      );
    }
  }

  private add(name: string, unit: string, read: Channel["read"]): void {
    if (this.byName.has(name)) return;
    const channel = { name, unit, read };
    this.all.push(channel);
    this.byName.set(name, channel);
  }

  find(name: string): Channel | null {
    return this.byName.get(name) ?? null;
  }

  /** The model's own outputs: what its author wanted to see. */
  outputs(): Channel[] {
    return this.all.filter((channel) => !RECORDED_PARTS.test(channel.name));
  }

  /** Those with every word of the query in their name, in their order. */
  search(query: string, limit: number): Channel[] {
    const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const found: Channel[] = [];
    for (const channel of this.all) {
      const name = channel.name.toLowerCase();
      if (!words.every((word) => name.includes(word))) continue;
      found.push(channel);
      if (found.length >= limit) break;
    }
    return found;
  }
}

/** The value at a time between two samples; NaN outside. */
export function valueAt(time: Float64Array, values: Float64Array, at: number): number {
  const count = time.length;
  if (count === 0 || at < time[0]! - 1e-6 || at > time[count - 1]! + 1e-6) return NaN;
  let low = 0;
  let high = count - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle]! <= at) low = middle;
    else high = middle;
  }
  const span = time[high]! - time[low]!;
  const part = span > 0 ? Math.min(1, Math.max(0, (at - time[low]!) / span)) : 0;
  return values[low]! + part * (values[high]! - values[low]!);
}

const SPIKE = 10;

/** The least and largest of the first values. */
function extremes(values: Float64Array, count: number): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (let k = 0; k < count; k++) {
    const value = values[k]!;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/**
 * The range of values that decides what a plot of the whole run shows. A run that ends at a dead center
 * has a last row of any size there, off the grid of the others: of the last rows those are left out
 * that would make everything before them a flat line.
 */
export function tellingRange(time: Float64Array, values: Float64Array): [number, number] {
  const n = values.length;
  let all = extremes(values, n);
  if (n < 20) return all;
  const step = time[n - 2]! - time[n - 3]!;
  if (!(Math.abs(time[n - 1]! - time[n - 2]! - step) > 1e-3 * Math.abs(step))) return all;
  for (let k = 1; k <= 3; k++) {
    const rest = extremes(values, n - k);
    if (!(all[1] - all[0] > SPIKE * (rest[1] - rest[0]))) break;
    all = rest;
  }
  return all;
}
