// Points of view: which way is up, how large the model is, the four views and which body a
// travelling camera follows. Geometry only, no drawing.

import { Vector3 } from "three";
import type { Scene } from "./data.ts";
import { createInstant, pointOn, sample, type Motion } from "./motion.ts";

export type ViewName = "iso" | "front" | "side" | "top";
export const VIEWS: ViewName[] = ["iso", "front", "side", "top"];

const NOWHERE = [0, 0, 0];

export interface Extent {
  centre: Vector3; // of the model at the start, or of its whole motion when it stays in place
  size: number; // diameter of what is framed
  sides: Vector3; // of the box around it
  low: Vector3; // of all bodies over the whole run
  high: Vector3;
  spread: Vector3; // of the centers of mass over the whole run, along the axes
  travels: boolean; // goes far from where it began: the camera goes along
}

/** Against gravity, along an axis. Without gravity: z, but a plane x-y is put upright. */
export function upOf(gravity: readonly number[], plane: Vector3 | null): Vector3 {
  const size = gravity.map(Math.abs);
  const largest = size.indexOf(Math.max(...size));
  if (!(size[largest]! > 0)) return plane?.z === 1 ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
  return new Vector3().setComponent(largest, gravity[largest]! > 0 ? -1 : 1);
}

/** Where the lowest point of the run lies along `up`, which is an axis. */
export function lowestOf(extent: Extent, up: Vector3): number {
  return Math.min(extent.low.dot(up), extent.high.dot(up));
}

/** Unit vector from the target to the camera. */
export function directionOf(view: ViewName, up: Vector3, planar: Vector3 | null): Vector3 {
  const forward = Math.abs(up.x) > 0.5 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
  const left = new Vector3().crossVectors(up, forward);
  switch (view) {
    case "front":
      return forward;
    case "side":
      return left.negate();
    case "top":
      // A trace of the side view keeps forward pointing right.
      return up.clone().addScaledVector(left, -1e-3).normalize();
    case "iso":
      if (planar && Math.abs(planar.dot(up)) < 0.5) {
        // A plane mechanism is seen nearly square on.
        const facing = planar.dot(left) > 0 ? planar.clone().negate() : planar.clone();
        const beside = new Vector3().crossVectors(up, facing);
        return facing.addScaledVector(beside, 0.3).addScaledVector(up, 0.25).normalize();
      }
      if (planar) return up.clone().addScaledVector(left, -0.5).normalize();
      return forward.multiplyScalar(0.75).sub(left).addScaledVector(up, 0.62).normalize();
  }
}

/** The normal of a mechanism that moves in a plane, if this one does. */
export function planeOf(spread: Vector3): Vector3 | null {
  const sizes = spread.toArray();
  const sorted = [...sizes].sort((a, b) => a - b);
  if (sorted[1]! <= 0 || sorted[0]! > 0.12 * sorted[1]!) return null;
  return new Vector3().setComponent(sizes.indexOf(sorted[0]!), 1);
}

/** The heaviest body: what a reader expects the camera to go along with. */
export function mainBody(scene: Scene): number {
  let best = 0;
  scene.bodies.forEach((body, index) => {
    if (index > 0 && body.mass > (best > 0 ? scene.bodies[best]!.mass : 0)) best = index;
  });
  return best;
}

// Joints along which nothing can leave: what hangs on ground by them stays near it.
const HOLDING = new Set([
  "revolute", "spherical", "universal", "fixed", "distance", "constant-velocity",
]);

/** True when a body hangs on ground by joints it cannot leave: then the camera stays. */
export function isHeld(scene: Scene, body: number): boolean {
  const reached = new Set([0]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const joint of scene.joints) {
      if (!HOLDING.has(joint.type)) continue;
      const one = reached.has(joint.body1);
      if (one === reached.has(joint.body2)) continue;
      reached.add(one ? joint.body2 : joint.body1);
      grown = true;
    }
  }
  return reached.has(body);
}

/** Height and width of the box as seen from a direction. */
export function seenFrom(sides: Vector3, direction: Vector3, up: Vector3): [number, number] {
  const right = new Vector3().crossVectors(up, direction).normalize();
  const above = new Vector3().crossVectors(direction, right);
  const along = (axis: Vector3) =>
    Math.abs(axis.x) * sides.x + Math.abs(axis.y) * sides.y + Math.abs(axis.z) * sides.z;
  return [along(above), along(right)];
}

class Box {
  low = new Vector3(Infinity, Infinity, Infinity);
  high = new Vector3(-Infinity, -Infinity, -Infinity);
  add(at: Vector3): void {
    this.low.min(at);
    this.high.max(at);
  }
  get centre(): Vector3 {
    return this.low.clone().add(this.high).multiplyScalar(0.5);
  }
  get size(): Vector3 {
    return this.high.clone().sub(this.low);
  }
}

/** Size of the model and of its motion, from up to 40 instants. `box`: corners around each body. */
export function extentOf(
  scene: Scene, motion: Motion, box: (body: number) => Float64Array,
): Extent {
  const instant = createInstant(scene);
  const first = new Box(); // everything at the start
  const whole = new Box(); // everything over the run
  const centres = new Box(); // centers of mass over the run
  const at = new Vector3();
  const corner = [0, 0, 0];
  const include = (body: number, starting: boolean) => {
    centres.add(at.fromArray(instant.poses, 7 * body));
    const corners = box(body);
    for (let k = 0; k < Math.max(3, corners.length); k += 3) {
      pointOn(instant.poses, body, corners.length > 0 ? corners.subarray(k, k + 3) : NOWHERE, corner);
      whole.add(at.fromArray(corner));
      if (starting) first.add(at);
    }
  };
  const followed = mainBody(scene);
  const start = new Vector3();
  let travel = 0;
  const steps = Math.min(motion.frames, scene.bodies.length > 1000 ? 8 : 40);
  for (let k = 0; k < steps; k++) {
    const part = steps > 1 ? k / (steps - 1) : 0;
    sample(scene, motion, motion.first + part * (motion.last - motion.first), instant);
    for (let body = 1; body < scene.bodies.length; body++) include(body, k === 0);
    at.fromArray(instant.poses, 7 * followed);
    if (k === 0) start.copy(at);
    travel = Math.max(travel, at.distanceTo(start));
  }
  // Joints and springs on the ground belong to the model.
  const springs = scene.forces.filter((force) => force.type === "spring-damper");
  for (const pair of [...scene.joints, ...springs]) {
    for (const [body, place] of [[pair.body1, pair.at1], [pair.body2, pair.at2]] as const) {
      if (body !== 0) continue;
      at.set(...place);
      for (const each of [first, whole, centres]) each.add(at);
    }
  }
  if (!Number.isFinite(first.low.x)) {
    for (const each of [first, whole, centres]) {
      each.add(at.set(-0.5, -0.5, -0.5));
      each.add(at.set(0.5, 0.5, 0.5));
    }
  }
  const travels = travel > 1.2 * first.size.length() && !isHeld(scene, followed);
  const framed = travels ? first : whole;
  return {
    centre: framed.centre,
    size: Math.max(framed.size.length(), 1e-6),
    sides: framed.size,
    low: whole.low,
    high: whole.high,
    spread: centres.size,
    travels,
  };
}
