// Springs between two points as coils, dampers and actuators as a barrel with its rod, bushings as
// sleeves, other forces with two places as thin lines.

import {
  CatmullRomCurve3, CylinderGeometry, LatheGeometry, Object3D, TubeGeometry, Vector2, Vector3,
} from "three";
import type { Force, Scene } from "./data.ts";
import { pointOn, rotate, type Instant } from "./motion.ts";
import { Rods } from "./rods.ts";

const isCoiled = (force: Force): boolean => force.look === "spring" || force.look === "spring-damper";
const isDamped = (force: Force): boolean => force.look !== "" && force.look !== "spring";
// A line for these would only hide things: they act about an axis or between surfaces.
const NO_LINE = new Set([
  "tyre", "rolling-tyre", "torque", "rotational-spring-damper", "joint-spring-damper", "joint-friction",
  "joint-stop", "point-force", "contact",
]);

export class Springs {
  readonly root = new Object3D();
  private forces: Force[];
  private visible: Uint8Array;
  private coils: Rods;
  private lines: Rods;
  private barrels: Rods;
  private pistons: Rods;
  private rest: Float64Array; // length of each at the start
  private sleeves: Rods; // of bushings, whose two points are one
  private size: number;

  constructor(scene: Scene, start: Instant, size: number, seeThrough: boolean, coarse: boolean) {
    this.forces = scene.forces;
    this.size = size;
    const count = scene.forces.length;
    this.visible = new Uint8Array(count).fill(1);
    const lengths = scene.forces.filter(isCoiled)
      .map((force) => this.length(start, force)).sort((a, b) => a - b);
    const middle = lengths[lengths.length >> 1] ?? 1;
    const slender = middle / Math.max(1e-9, this.width(middle));
    this.coils = new Rods(coil(slender, coarse || count > 200), count, seeThrough);
    this.lines = new Rods(
      new CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5), count, seeThrough,
    );
    this.rest = Float64Array.from(scene.forces, (force) => this.length(start, force));
    const bar = () => new CylinderGeometry(1, 1, 1, coarse || count > 200 ? 8 : 20).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const dampers = scene.forces.some(isDamped) ? count : 0;
    this.barrels = new Rods(bar(), dampers, seeThrough);
    this.pistons = new Rods(bar(), dampers, false);
    this.root.add(this.barrels.root, this.pistons.root);
    const bushings = scene.forces.some((force) => force.type === "bushing");
    this.sleeves = new Rods(sleeve(coarse || count > 200), bushings ? count : 0, seeThrough);
    this.root.add(this.coils.root, this.lines.root, this.sleeves.root);
  }

  isVisible(force: number): boolean {
    return this.visible[force] === 1;
  }

  setVisible(force: number, visible: boolean): void {
    this.visible[force] = visible ? 1 : 0;
  }

  setColor(color: string): void {
    this.coils.setColor(color);
    this.lines.setColor(color);
    this.barrels.setColor("#6b7280");
    this.pistons.setColor("#c3c8d0");
    this.sleeves.setColor(color);
  }

  private width(length: number): number {
    return Math.min(3 * this.size, 0.12 * length);
  }

  private length(instant: Instant, force: Force): number {
    const a = [0, 0, 0];
    const b = [0, 0, 0];
    pointOn(instant.poses, force.body1, force.at1, a);
    pointOn(instant.poses, force.body2, force.at2, b);
    return Math.hypot(b[0]! - a[0]!, b[1]! - a[1]!, b[2]! - a[2]!);
  }

  update(instant: Instant, selected: number): void {
    const a = [0, 0, 0];
    const b = [0, 0, 0];
    this.forces.forEach((force, k) => {
      this.coils.hide(k);
      this.lines.hide(k);
      this.barrels.hide(k);
      this.pistons.hide(k);
      this.sleeves.hide(k);
      if (this.visible[k] === 0 || NO_LINE.has(force.type)) return;
      pointOn(instant.poses, force.body1, force.at1, a);
      pointOn(instant.poses, force.body2, force.at2, b);
      if (force.type === "bushing") this.sleeve(instant, force, k, k === selected);
      const length = Math.hypot(b[0]! - a[0]!, b[1]! - a[1]!, b[2]! - a[2]!);
      if (!(length > 0.3 * this.size)) return;
      const d = [(b[0]! - a[0]!) / length, (b[1]! - a[1]!) / length, (b[2]! - a[2]!) / length];
      const lay = (rods: Rods, from: number, size: number, wide: number) =>
        rods.set(
          k, a[0]! + from * d[0]!, a[1]! + from * d[1]!, a[2]! + from * d[2]!, d[0]!, d[1]!, d[2]!, size,
          k === selected ? 1.4 * wide : wide,
        );
      if (isCoiled(force)) lay(this.coils, 0, length, this.width(length));
      if (isDamped(force)) {
        // The barrel keeps its length, the rod comes out of it.
        const radius = (isCoiled(force) ? 0.5 : 0.7) * this.width(this.rest[k]!);
        const barrel = Math.min(0.55 * this.rest[k]!, 0.9 * length);
        lay(this.barrels, 0, barrel, radius);
        lay(this.pistons, 0.5 * barrel, length - 0.5 * barrel, 0.4 * radius);
      }
      if (force.look === "") lay(this.lines, 0, length, 0.3 * this.size);
    });
    this.coils.commit();
    this.lines.commit();
    this.barrels.commit();
    this.pistons.commit();
    this.sleeves.commit();
  }

  // It follows body 1, along the bushing's own axis.
  private sleeve(instant: Instant, force: Force, k: number, selected: boolean): void {
    const at = [0, 0, 0];
    const d = [0, 0, 1];
    pointOn(instant.poses, force.body1, force.at1, at);
    if (force.axis1) rotate(instant.poses, 7 * force.body1, force.axis1, d);
    const radius = (selected ? 1.4 : 1) * 1.2 * this.size;
    this.sleeves.set(
      k, at[0]! - radius * d[0]!, at[1]! - radius * d[1]!, at[2]! - radius * d[2]!,
      d[0]!, d[1]!, d[2]!, 2 * radius, radius,
    );
  }
}

// A thick tube of radius 1 from z = 0 to 1.
function sleeve(coarse: boolean) {
  const profile = [[0.55, 0], [1, 0], [1, 1], [0.55, 1], [0.55, 0]];
  const points = profile.map(([radius, z]) => new Vector2(radius!, z!));
  return new LatheGeometry(points, coarse ? 12 : 28).rotateX(Math.PI / 2);
}

// A coil of radius 1 from z = 0 to 1, straight at both ends. It is made at the default proportion of
// this machine (`slender`: length over radius), so that its wire is round there.
function coil(slender: number, coarse: boolean) {
  const turns = Math.round(Math.min(16, Math.max(4, 0.75 * slender)));
  const steps = turns * (coarse ? 8 : 20);
  const points: Vector3[] = [];
  for (let k = 0; k <= steps; k++) {
    const s = k / steps;
    const inside = Math.min(1, Math.max(0, (s - 0.08) / 0.84));
    const radius = Math.min(1, 12 * Math.min(inside, 1 - inside));
    const angle = 2 * Math.PI * turns * inside;
    points.push(new Vector3(radius * Math.cos(angle), radius * Math.sin(angle), slender * s));
  }
  const curve = new CatmullRomCurve3(points);
  return new TubeGeometry(curve, 2 * steps, 0.11, coarse ? 4 : 7).scale(1, 1, 1 / slender);
}
