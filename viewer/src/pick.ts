// The item under the pointer: a joint whose mark is near it on the screen, otherwise the nearest
// body. Joints first, since their marks are small and sit inside the bodies they join.

import { Raycaster, Vector2, Vector3, type Camera } from "three";
import type { Bodies } from "./bodies.ts";
import type { Vec3 } from "./data.ts";

export type Kind = "body" | "joint" | "force";
export interface Chosen {
  kind: Kind;
  index: number;
  point?: Vec3; // global, where a body was hit
}

const JOINT_PIXELS = 9;

/** Index of the joint whose mark lies nearest to a pixel, or -1. */
export function jointNear(
  positions: Float64Array, visible: (joint: number) => boolean, camera: Camera,
  width: number, height: number, x: number, y: number,
): number {
  const at = new Vector3();
  let best = -1;
  let nearest = JOINT_PIXELS;
  let depth = Infinity;
  for (let k = 0; 3 * k < positions.length; k++) {
    if (!visible(k)) continue;
    at.fromArray(positions, 3 * k).project(camera);
    if (at.z < -1 || at.z > 1) continue;
    const away = Math.hypot(((at.x + 1) / 2) * width - x, ((1 - at.y) / 2) * height - y);
    // Of marks on one pixel the front one counts.
    if (away < nearest - 0.5 || (away < nearest + 0.5 && away < JOINT_PIXELS && at.z < depth)) {
      best = k;
      nearest = Math.min(nearest, away);
      depth = at.z;
    }
  }
  return best;
}

export function pick(
  bodies: Bodies, positions: Float64Array, jointVisible: (joint: number) => boolean,
  camera: Camera, width: number, height: number, x: number, y: number,
): Chosen | null {
  const joint = jointNear(positions, jointVisible, camera, width, height, x, y);
  if (joint >= 0) return { kind: "joint", index: joint };
  const found = bodies.pick(rayAt(camera, { clientWidth: width, clientHeight: height }, x, y));
  if (!found) return null;
  const { x: px, y: py, z: pz } = found.hit.point;
  return { kind: "body", index: found.body, point: [px, py, pz] };
}

/** From the camera through a pixel of the canvas. */
export function rayAt(
  camera: Camera, { clientWidth, clientHeight }: { clientWidth: number; clientHeight: number }, x: number, y: number,
): Raycaster {
  const ray = new Raycaster();
  ray.setFromCamera(new Vector2((2 * x) / clientWidth - 1, 1 - (2 * y) / clientHeight), camera);
  return ray;
}
