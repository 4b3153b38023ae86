// Reactions of joints on body 2 and forces along their line as arrows. One scale for all arrows of the
// page, so that lengths can be compared.

import { ConeGeometry, CylinderGeometry, Object3D } from "three";
import type { Force, Scene } from "./data.ts";
import { createInstant, pointOn, rotate, sample, type Instant, type Motion } from "./motion.ts";
import { Rods } from "./rods.ts";

/** Forces whose value is a force in newton with a place and a direction. */
const LINEAR = new Set(["spring-damper", "leaf-spring"]);
export const unitOfForce = (type: string): string =>
  /torque|rotational/.test(type) ? "N m" : /joint-/.test(type) ? "" : "N";

export class Arrows {
  readonly root = new Object3D();
  private shafts: Rods;
  private heads: Rods;
  private size: number;
  constructor(count: number, size: number, seeThrough: boolean | number = true) {
    this.size = size;
    const fine = count > 300 ? 6 : 12;
    this.shafts = new Rods(
      new CylinderGeometry(1, 1, 1, fine).rotateX(Math.PI / 2).translate(0, 0, 0.5), count, seeThrough,
    );
    this.heads = new Rods(
      new ConeGeometry(1, 1, fine).rotateX(Math.PI / 2).translate(0, 0, 0.5), count, seeThrough,
    );
    this.root.add(this.shafts.root, this.heads.root);
  }
  setColor(color: string): void {
    this.shafts.setColor(color);
    this.heads.setColor(color);
  }
  hide(k: number): void {
    this.shafts.hide(k);
    this.heads.hide(k);
  }
  /** From `at` along (x, y, z), which is also its length. */
  set(k: number, at: number[], x: number, y: number, z: number): void {
    const length = Math.hypot(x, y, z);
    if (!(length > 0.2 * this.size)) {
      this.hide(k);
      return;
    }
    const [dx, dy, dz] = [x / length, y / length, z / length];
    const head = Math.min(3 * this.size, 0.45 * length);
    const body = length - head;
    this.shafts.set(k, at[0]!, at[1]!, at[2]!, dx, dy, dz, body, 0.28 * this.size);
    this.heads.set(
      k, at[0]! + body * dx, at[1]! + body * dy, at[2]! + body * dz, dx, dy, dz, head,
      Math.min(0.85 * this.size, 0.3 * head + 0.3 * this.size),
    );
  }
  commit(): void {
    this.shafts.commit();
    this.heads.commit();
  }
}

export class Loads {
  readonly root = new Object3D();
  scale = 1; // the reader's factor
  showReactions = false;
  showForces = false;
  private scene: Scene;
  private unit: number; // meters for one newton
  private limit: number;
  private reactions: Arrows;
  private forces: Arrows;

  constructor(scene: Scene, motion: Motion, size: number, extent: number) {
    this.scene = scene;
    this.unit = (0.22 * extent) / typicalLoad(scene, motion);
    this.limit = 1.5 * extent;
    this.reactions = new Arrows(scene.joints.length, size);
    this.forces = new Arrows(2 * scene.forces.length, size);
    this.root.add(this.reactions.root, this.forces.root);
  }

  setColors(reaction: string, force: string): void {
    this.reactions.setColor(reaction);
    this.forces.setColor(force);
  }

  /** Hidden joints and forces have no arrows; `chosen...` always has. */
  update(
    instant: Instant, jointVisible: (k: number) => boolean, forceVisible: (k: number) => boolean,
    chosenJoint: number, chosenForce: number,
  ): void {
    this.reactions.root.visible = this.showReactions || chosenJoint >= 0;
    this.forces.root.visible = this.showForces || chosenForce >= 0;
    if (this.reactions.root.visible) this.updateReactions(instant, jointVisible, chosenJoint);
    if (this.forces.root.visible) this.updateForces(instant, forceVisible, chosenForce);
  }

  /** Length of an arrow; one longer than the model is cut. */
  lengthOf(newtons: number): number {
    return Math.min(newtons * this.unit * this.scale, this.limit);
  }

  private updateReactions(
    instant: Instant, visible: (k: number) => boolean, chosen: number,
  ): void {
    const at = [0, 0, 0];
    this.scene.joints.forEach((joint, k) => {
      if (k !== chosen && !(this.showReactions && visible(k))) {
        this.reactions.hide(k);
        return;
      }
      pointOn(instant.poses, joint.body2, joint.at2, at);
      const o = 3 * joint.column;
      const [x, y, z] = [
        instant.reactions[o] ?? 0, instant.reactions[o + 1] ?? 0, instant.reactions[o + 2] ?? 0,
      ];
      const newtons = Math.hypot(x, y, z);
      const m = newtons > 0 ? this.lengthOf(newtons) / newtons : 0;
      this.reactions.set(k, at, m * x, m * y, m * z);
    });
    this.reactions.commit();
  }

  private updateForces(instant: Instant, visible: (k: number) => boolean, chosen: number): void {
    this.scene.forces.forEach((force, k) => {
      this.forces.hide(2 * k);
      this.forces.hide(2 * k + 1);
      if (k !== chosen && !(this.showForces && visible(k))) return;
      if (!LINEAR.has(force.type)) return;
      const value = instant.values[force.column] ?? 0;
      this.pull(instant, force, k, Math.sign(value) * this.lengthOf(Math.abs(value)));
    });
    this.forces.commit();
  }

  // Tension is positive: it pulls each end towards the other.
  private pull(instant: Instant, force: Force, k: number, m: number): void {
    const a = [0, 0, 0];
    const b = [0, 0, 0];
    pointOn(instant.poses, force.body1, force.at1, a);
    pointOn(instant.poses, force.body2, force.at2, b);
    const d = [b[0]! - a[0]!, b[1]! - a[1]!, b[2]! - a[2]!];
    // A leaf spring acts along its axis, whatever lies between its ends sideways.
    if (force.type === "leaf-spring" && force.axis1) {
      rotate(instant.poses, 7 * force.body1, force.axis1, d);
    }
    const length = Math.hypot(d[0]!, d[1]!, d[2]!);
    if (!(length > 1e-9)) return;
    const s = m / length;
    this.forces.set(2 * k, a, s * d[0]!, s * d[1]!, s * d[2]!);
    this.forces.set(2 * k + 1, b, -s * d[0]!, -s * d[1]!, -s * d[2]!);
  }
}

// Nine tenths of the loads of the run are below this: one spike does not make the rest invisible. Those
// of tyres and contacts count alone where there are any: they are always drawn.
function typicalLoad(scene: Scene, motion: Motion): number {
  if (motion.frames < 2) return weightOf(scene);
  const instant = createInstant(scene);
  const loads: number[] = [];
  const pushes: number[] = [];
  const steps = Math.min(motion.frames, scene.joints.length > 500 ? 5 : 60);
  for (let k = 0; k < steps; k++) {
    const part = steps > 1 ? k / (steps - 1) : 0;
    sample(scene, motion, motion.first + part * (motion.last - motion.first), instant);
    for (const { column: c } of scene.joints) {
      const [x = 0, y = 0, z = 0] = instant.reactions.subarray(3 * c, 3 * c + 3);
      loads.push(Math.hypot(x, y, z));
    }
    for (const { column } of scene.loads) {
      const [x = 0, y = 0, z = 0] = instant.loads.subarray(6 * column + 3, 6 * column + 6);
      pushes.push(Math.hypot(x, y, z));
    }
    for (const force of scene.forces) {
      if (LINEAR.has(force.type)) loads.push(Math.abs(instant.values[force.column] ?? 0));
    }
  }
  const nineTenths = (all: number[]): number | undefined => {
    const positive = all.filter((load) => load > 1e-9).sort((a, b) => a - b);
    return positive[Math.floor(0.9 * (positive.length - 1))];
  };
  return nineTenths(pushes) ?? nineTenths(loads) ?? 1;
}

// Before anything has moved: the weight, shared by the bodies that tyres and contacts carry.
function weightOf({ bodies, loads, gravity }: Scene): number {
  const mass = bodies.reduce((sum, body) => sum + body.mass, 0);
  const carried = new Set(loads.map(({ body }) => body)).size;
  return (mass * (Math.hypot(...gravity) || 9.81)) / Math.max(1, carried) || 1;
}
