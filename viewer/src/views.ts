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

const isUpright = (plane: Vector3, up: Vector3): boolean => Math.abs(plane.dot(up)) < 0.5;

// The camera that looks at a plane squarely: of an upright one so that a global axis points right, of a
// level one from above.
function facing(plane: Vector3, up: Vector3, left: Vector3): Vector3 {
  if (!isUpright(plane, up)) return up.clone().addScaledVector(left, -1e-3).normalize();
  return plane.dot(left) > 0 ? plane.clone().negate() : plane.clone();
}

/** Unit vector from the target to the camera. `planar`: normal of a plane mechanism. */
export function directionOf(view: ViewName, up: Vector3, planar: Vector3 | null): Vector3 {
  const forward = Math.abs(up.x) > 0.5 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
  const left = new Vector3().crossVectors(up, forward);
  switch (view) {
    case "front":
      return planar ? facing(planar, up, left) : forward;
    case "side":
      return left.negate();
    case "top":
      // A trace of the side view keeps forward pointing right.
      return up.clone().addScaledVector(left, -1e-3).normalize();
    case "iso":
      if (planar && isUpright(planar, up)) {
        // A plane mechanism is seen nearly square on.
        const square = facing(planar, up, left);
        const beside = new Vector3().crossVectors(up, square);
        return square.addScaledVector(beside, 0.3).addScaledVector(up, 0.25).normalize();
      }
      if (planar) return up.clone().addScaledVector(left, -0.5).normalize();
      return forward.multiplyScalar(0.75).sub(left).addScaledVector(up, 0.62).normalize();
  }
}

const THIN = 0.12; // of the model's size: bodies beside the plane
const ASIDE = 2e-3; // of the way of the bodies
const TILT = 0.01; // half the angle out of the plane

/**
 * The normal of a mechanism that moves in a plane along two axes, if this one does: all bodies stay at
 * their distance from it, turn about its normal, and lie near it. The same rule: src/output/scene_plane.c.
 */
export function planeOf(scene: Scene, motion: Motion): Vector3 | null {
  const start = createInstant(scene);
  const now = createInstant(scene);
  const first = new Box(); // centers of mass and joints at the start
  const centres = new Box(); // centers of mass over the run
  const aside = [0, 0, 0]; // largest way along each axis
  const tilt = [0, 0, 0]; // largest part of a rotation about each axis
  const at = new Vector3();
  sample(scene, motion, motion.first, start);
  for (const pair of [...scene.joints, ...scene.forces.filter(({ type }) => type === "spring-damper")]) {
    for (const [body, place] of [[pair.body1, pair.at1], [pair.body2, pair.at2]] as const) {
      const out = [0, 0, 0];
      pointOn(start.poses, body, place, out);
      first.add(at.fromArray(out));
    }
  }
  const steps = Math.min(motion.frames, scene.bodies.length > 1000 ? 8 : 40);
  for (let k = 0; k < steps; k++) {
    const part = steps > 1 ? k / (steps - 1) : 0;
    sample(scene, motion, motion.first + part * (motion.last - motion.first), now);
    for (let o = 7; o < now.poses.length; o += 7) {
      centres.add(at.fromArray(now.poses, o));
      if (k === 0) first.add(at);
      const turned = turnFrom(start.poses, now.poses, o + 3);
      for (let i = 0; i < 3; i++) {
        aside[i] = Math.max(aside[i]!, Math.abs(now.poses[o + i]! - start.poses[o + i]!));
        tilt[i] = Math.max(tilt[i]!, Math.abs(turned[i]!));
      }
    }
  }
  const way = Math.max(...aside, first.size.length());
  const sides = first.size.toArray();
  const spread = centres.size.toArray();
  const normals = [0, 1, 2].filter((k) => {
    const [i, j] = [(k + 1) % 3, (k + 2) % 3] as const;
    return (
      aside[k]! <= ASIDE * way && tilt[i]! <= TILT && tilt[j]! <= TILT &&
      spread[k]! <= THIN * Math.max(sides[i]!, sides[j]!, 1e-9)
    );
  });
  return normals.length === 1 && way > 0 ? new Vector3().setComponent(normals[0]!, 1) : null;
}

// The vector part of the rotation from one attitude to another, global axes: e2 times the inverse of e1.
function turnFrom(from: ArrayLike<number>, to: ArrayLike<number>, o: number): [number, number, number] {
  const [w, x, y, z] = [from[o]!, -from[o + 1]!, -from[o + 2]!, -from[o + 3]!];
  const [a, b, c, d] = [to[o]!, to[o + 1]!, to[o + 2]!, to[o + 3]!];
  return [a * x + b * w + c * z - d * y, a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w];
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
  const at = new Vector3();
  const corner = [0, 0, 0];
  const include = (body: number, starting: boolean) => {
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
      for (const each of [first, whole]) each.add(at);
    }
  }
  if (!Number.isFinite(first.low.x)) {
    for (const each of [first, whole]) {
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
    travels,
  };
}
