// Where to look from: which way is up, how large the machine is, the four views and which body a
// travelling camera follows. Geometry only, no drawing.

import { Vector3 } from "three";
import type { Scene } from "./data.ts";
import { createInstant, pointOn, sample, type Motion } from "./motion.ts";

export type ViewName = "iso" | "front" | "side" | "top";
export const VIEWS: ViewName[] = ["iso", "front", "side", "top"];

const NOWHERE = [0, 0, 0];

export interface Extent {
  centre: Vector3; // at the start
  size: number; // diameter of the machine at the start
  spread: Vector3; // over the whole run, along the axes
  lowest: number; // along up, over the whole run
  travel: number; // of the followed body, over the whole run
}

/** Against gravity, along an axis; z where there is none. */
export function upOf(gravity: readonly number[]): Vector3 {
  const size = gravity.map(Math.abs);
  const largest = size.indexOf(Math.max(...size));
  const up = new Vector3(0, 0, 1);
  if (!(size[largest]! > 0)) return up;
  return up.set(0, 0, 0).setComponent(largest, gravity[largest]! > 0 ? -1 : 1);
}

/** Unit vector from what is looked at to the camera. */
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
    case "iso": {
      const direction = left.multiplyScalar(-1).addScaledVector(forward, 0.75);
      if (planar && Math.abs(planar.dot(up)) < 0.5) {
        // A plane mechanism is seen nearly square on.
        const facing = planar.dot(left) < 0 ? planar.clone().negate() : planar.clone();
        const beside = new Vector3().crossVectors(up, facing);
        return facing.addScaledVector(beside, 0.3).addScaledVector(up, 0.25).normalize();
      }
      if (planar) return up.clone().addScaledVector(left, 0.5).normalize();
      return direction.addScaledVector(up, 0.62).normalize();
    }
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

/** Size of the machine and of its motion, from up to 40 instants. `box`: corners around each body. */
export function extentOf(
  scene: Scene, motion: Motion, up: Vector3, box: (body: number) => Float64Array,
): Extent {
  const instant = createInstant(scene);
  const low = new Vector3(Infinity, Infinity, Infinity);
  const high = low.clone().negate();
  const lowAll = low.clone();
  const highAll = high.clone();
  const at = new Vector3();
  let lowest = Infinity;
  const corner = [0, 0, 0];
  const include = (body: number, first: boolean) => {
    at.fromArray(instant.poses, 7 * body);
    lowAll.min(at);
    highAll.max(at);
    const corners = box(body);
    for (let k = 0; k < Math.max(3, corners.length); k += 3) {
      pointOn(instant.poses, body, corners.length > 0 ? corners.subarray(k, k + 3) : NOWHERE, corner);
      at.fromArray(corner);
      lowest = Math.min(lowest, at.dot(up));
      if (!first) continue;
      low.min(at);
      high.max(at);
    }
  };
  const followed = mainBody(scene);
  const start = new Vector3();
  let travel = 0;
  const steps = Math.min(motion.frames, 40);
  for (let k = 0; k < steps; k++) {
    const part = steps > 1 ? k / (steps - 1) : 0;
    sample(scene, motion, motion.first + part * (motion.last - motion.first), instant);
    for (let body = 1; body < scene.bodies.length; body++) include(body, k === 0);
    at.fromArray(instant.poses, 7 * followed);
    if (k === 0) start.copy(at);
    travel = Math.max(travel, at.distanceTo(start));
  }
  // Joints on the ground belong to the machine.
  for (const joint of scene.joints) {
    for (const [body, place] of [[joint.body1, joint.at1], [joint.body2, joint.at2]] as const) {
      if (body !== 0) continue;
      at.set(...place);
      low.min(at);
      high.max(at);
      lowAll.min(at);
      highAll.max(at);
      lowest = Math.min(lowest, at.dot(up));
    }
  }
  if (!Number.isFinite(low.x)) {
    low.set(-0.5, -0.5, -0.5);
    high.set(0.5, 0.5, 0.5);
    lowAll.copy(low);
    highAll.copy(high);
    lowest = 0;
  }
  const size = Math.max(low.distanceTo(high), 1e-6);
  // A machine that swings within its place is framed with its whole motion.
  const centre = low.clone().add(high).multiplyScalar(0.5);
  const spread = highAll.clone().sub(lowAll);
  return { centre, size, spread, lowest, travel };
}
