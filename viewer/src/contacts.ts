// Contacts: a dot at each contact point of two shapes, the force on the second body as an arrow. They are taken from
// the recorded signals contact.NAME.point, .normal, .force and .friction.

import { Object3D, SphereGeometry } from "three";
import { Arrows } from "./arrows.ts";
import type { Signals } from "./data.ts";
import { Rods } from "./rods.ts";

interface Contact {
  name: string;
  point: Float64Array[]; // x, y, z
  normal: Float64Array[];
  force: Float64Array;
}

/** The contacts whose places and forces were recorded. */
export function contactsOf(signals: Signals | null): Contact[] {
  if (!signals) return [];
  const column = new Map(signals.names.map((name, index) => [name, signals.values[index]!]));
  const found: Contact[] = [];
  for (const name of signals.names) {
    const match = /^(contact\..+)\.point\.x$/.exec(name);
    if (!match) continue;
    const get = (what: string) => column.get(`${match[1]}.${what}`);
    const point = ["x", "y", "z"].map((axis) => get(`point.${axis}`));
    const normal = ["x", "y", "z"].map((axis) => get(`normal.${axis}`));
    const force = get("force");
    if (!force || ![...point, ...normal].every((values) => values !== undefined)) continue;
    found.push({ name: match[1]!, point: point as Float64Array[], normal: normal as Float64Array[], force });
  }
  return found;
}

/** The latest sample not after a time: a contact jumps, so nothing is drawn between two places. */
export function sampleBefore(time: Float64Array, at: number): number {
  let low = 0;
  let high = time.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (time[middle]! <= at + 1e-9) low = middle;
    else high = middle - 1;
  }
  return low;
}

export class Contacts {
  readonly root = new Object3D();
  readonly all: Contact[];
  private time: Float64Array;
  private dots: Rods;
  private arrows: Arrows;
  private size: number;
  private largest: number; // force of the run

  constructor(signals: Signals | null, size: number) {
    this.all = contactsOf(signals);
    this.time = signals?.time ?? new Float64Array(0);
    this.size = size;
    this.dots = new Rods(
      new SphereGeometry(1, 14, 10).scale(1, 1, 0.5).translate(0, 0, 0.5), this.all.length, true,
    );
    this.arrows = new Arrows(this.all.length, size);
    const forces = this.all.flatMap(({ force }) => [...force].filter((value) => value > 0)).sort((a, b) => a - b);
    this.largest = forces[Math.floor(0.9 * (forces.length - 1))] ?? 1;
    this.root.add(this.dots.root, this.arrows.root);
  }

  setColor(color: string): void {
    this.dots.setColor(color);
    this.arrows.setColor(color);
  }

  /** `reach`: length of an arrow for a usual force. */
  update(at: number, reach: number): void {
    if (this.all.length === 0 || this.time.length === 0) return;
    const row = sampleBefore(this.time, at);
    this.all.forEach(({ point, normal, force }, k) => {
      const newtons = force[row]!;
      const place = point.map((values) => values[row]!);
      if (!(newtons > 0) || !place.every(Number.isFinite)) {
        this.dots.hide(k);
        this.arrows.hide(k);
        return;
      }
      const [x, y, z] = normal.map((values) => values[row]!);
      const r = 1.4 * this.size;
      this.dots.set(k, place[0]! - r * x!, place[1]! - r * y!, place[2]! - r * z!, x!, y!, z!, 2 * r, r);
      const length = reach * Math.min(2.5, newtons / this.largest);
      this.arrows.set(k, place, length * x!, length * y!, length * z!);
    });
    this.dots.commit();
    this.arrows.commit();
  }
}
