// The motion of all bodies: frames as read from motion.bin, repaired where numbers are missing, and
// the pose at any time between two frames. Positions go straight, rotations along the great arc.

import { DataError, type Scene } from "./data.ts";

/** First place where something was not a number. */
export interface Gap {
  name: string; // of body, joint or force
  kind: "body" | "joint" | "force" | "load";
  time: number;
}

export interface Motion {
  frames: number;
  stride: number;
  first: number;
  last: number;
  times: Float64Array;
  records: Float32Array;
  promised: number;
  gap: Gap | null;
}

/** Everything at one instant. Body k has its pose at 7 k (r, e0..e3), ground is body 0. */
export interface Instant {
  poses: Float64Array;
  reactions: Float64Array; // 3 for each joint of the file
  values: Float64Array; // 1 for each force of the file
  loads: Float64Array; // 6 for each load of the file: point and force, all 0 without contact
}

const HINT = "Run the model again: holon run MODEL -o DIR";

/** motion.bin, checked against the scene. A shorter file is cut to whole frames, with a warning. */
export function readMotion(scene: Scene, bytes: ArrayBuffer, warnings: string[]): Motion {
  const { stride, frames: promised, columns } = scene.motion;
  const numbers = Math.floor(bytes.byteLength / 4);
  const whole = Math.floor(numbers / stride);
  const records = readFloats(bytes, numbers);
  let frames = Math.min(whole, promised);
  // A time that is not a number or goes back ends what can be shown.
  const times = new Float64Array(frames);
  for (let k = 0; k < frames; k++) {
    const time = records[k * stride + columns.time]!;
    if (!Number.isFinite(time) || (k > 0 && time < times[k - 1]!)) {
      warnings.push(`Frame ${k} of the motion has no valid time; later frames are not shown.`);
      frames = k;
      break;
    }
    times[k] = time;
  }
  if (frames === 0) {
    throw new DataError(
      "There is no motion to show",
      `motion.bin holds no whole frame (${bytes.byteLength} bytes; one frame has ${4 * stride}).`,
      HINT,
    );
  }
  const last = times[frames - 1]!;
  if (whole < promised) {
    warnings.push(
      `The motion is cut off: ${whole} of ${promised} frames are there, up to ${last.toPrecision(4)} s of ${scene.motion.last.toPrecision(4)} s.`,
    );
  } else if (bytes.byteLength !== 4 * promised * stride) {
    warnings.push("motion.bin is longer than scene.json says: they may come from two runs.");
  }
  const motion: Motion = {
    frames,
    stride,
    first: times[0]!,
    last,
    times: times.subarray(0, frames),
    records,
    promised,
    gap: null,
  };
  motion.gap = repair(scene, motion);
  return motion;
}

// The file is little endian; so is nearly every computer this runs on.
function readFloats(bytes: ArrayBuffer, count: number): Float32Array {
  const little = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
  const floats = new Float32Array(bytes, 0, count);
  if (!little) {
    const view = new DataView(bytes.slice(0));
    for (let k = 0; k < count; k++) floats[k] = view.getFloat32(4 * k, true);
  }
  return floats;
}

// A pose that is not finite becomes the last good one (at the start: the first good one), a load
// becomes zero. Returns where this happened first.
function repair(scene: Scene, motion: Motion): Gap | null {
  const { records, stride, frames, times } = motion;
  const { columns } = scene.motion;
  let gap: Gap | null = null;
  const note = (kind: Gap["kind"], name: string, frame: number) => {
    const time = times[frame]!;
    if (!gap || time < gap.time || (time === gap.time && kind === "body" && gap.kind !== "body")) {
      gap = { kind, name, time };
    }
  };
  const finite = (start: number, count: number): boolean => {
    let sum = 0;
    for (let k = start; k < start + count; k++) sum += records[k]! * 0;
    return sum === 0; // 0 x anything finite is 0, 0 x NaN or infinity is NaN
  };
  // Nearly always all is valid, which one straight pass shows.
  if (finite(0, frames * stride)) return null;
  for (let body = 1; body < scene.bodies.length; body++) {
    const column = columns.bodies + 7 * (body - 1);
    let good = -1;
    for (let frame = 0; frame < frames; frame++) {
      const here = frame * stride + column;
      const turned = Math.hypot(
        records[here + 3]!, records[here + 4]!, records[here + 5]!, records[here + 6]!,
      );
      if (finite(here, 7) && turned > 1e-6) {
        // Frames before the first good one take its pose.
        if (good < 0) {
          for (let f = 0; f < frame; f++) {
            records.copyWithin(f * stride + column, here, here + 7);
          }
        }
        good = frame;
        continue;
      }
      note("body", scene.bodies[body]!.name, frame);
      if (good >= 0) records.copyWithin(here, good * stride + column, good * stride + column + 7);
    }
    if (good < 0) {
      for (let f = 0; f < frames; f++) {
        records.set([0, 0, 0, 1, 0, 0, 0], f * stride + column);
      }
    }
  }
  const clear = (kind: Gap["kind"], name: string, column: number, count: number) => {
    for (let frame = 0; frame < frames; frame++) {
      const here = frame * stride + column;
      if (finite(here, count)) continue;
      note(kind, name, frame);
      records.fill(0, here, here + count);
    }
  };
  for (const joint of scene.joints) {
    clear("joint", joint.name, columns.reactions + 3 * joint.column, 3);
  }
  for (const force of scene.forces) {
    clear("force", force.name, columns.forces + force.column, 1);
  }
  for (const load of scene.loads) clear("load", load.name, columns.loads + 6 * load.column, 6);
  return gap;
}

export function createInstant(scene: Scene): Instant {
  const { columns, stride } = scene.motion;
  const poses = new Float64Array(7 * scene.bodies.length);
  poses[3] = 1;
  return {
    poses,
    reactions: new Float64Array(Math.max(0, columns.forces - columns.reactions)),
    values: new Float64Array(Math.max(0, columns.loads - columns.forces)),
    loads: new Float64Array(Math.max(0, stride - columns.loads)),
  };
}

/** The frame at or before `time`. Frames lie evenly, so the guess is nearly always right. */
export function frameAt(motion: Motion, time: number): number {
  const { times, frames, first, last } = motion;
  if (frames < 2 || !(time > first)) return 0;
  if (time >= last) return frames - 1;
  let frame = Math.floor(((time - first) / (last - first)) * (frames - 1));
  while (frame > 0 && times[frame]! > time) frame--;
  while (frame + 1 < frames && times[frame + 1]! <= time) frame++;
  return frame;
}

/** Fills `instant` with the state at `time`, constant beyond both ends. */
export function sample(scene: Scene, motion: Motion, time: number, instant: Instant): void {
  const { records, stride, times, frames } = motion;
  const { columns } = scene.motion;
  const frame = frameAt(motion, time);
  const next = Math.min(frame + 1, frames - 1);
  const span = times[next]! - times[frame]!;
  const part = span > 0 ? Math.min(1, Math.max(0, (time - times[frame]!) / span)) : 0;
  const a = frame * stride;
  const b = next * stride;
  for (let body = 1; body < scene.bodies.length; body++) {
    const column = columns.bodies + 7 * (body - 1);
    interpolatePose(records, a + column, b + column, part, instant.poses, 7 * body);
  }
  const mix = (target: Float64Array, column: number) => {
    for (let k = 0; k < target.length; k++) {
      const from = records[a + column + k]!;
      target[k] = from + part * (records[b + column + k]! - from);
    }
  };
  mix(instant.reactions, columns.reactions);
  mix(instant.values, columns.forces);
  mixLoads(records, a + columns.loads, b + columns.loads, part, instant.loads);
}

// What is in contact at one end of a frame only has jumped: it stays as it was at the begin.
function mixLoads(
  from: Float32Array, a: number, b: number, part: number, to: Float64Array,
): void {
  const isThere = (o: number) => from[o + 3] !== 0 || from[o + 4] !== 0 || from[o + 5] !== 0;
  for (let o = 0; o < to.length; o += 6) {
    const share = isThere(a + o) && isThere(b + o) ? part : 0;
    for (let k = o; k < o + 6; k++) to[k] = from[a + k]! + share * (from[b + k]! - from[a + k]!);
  }
}

function interpolatePose(
  from: Float32Array, a: number, b: number, part: number, to: Float64Array, at: number,
): void {
  for (let k = 0; k < 3; k++) {
    to[at + k] = from[a + k]! + part * (from[b + k]! - from[a + k]!);
  }
  let cosine = 0;
  for (let k = 3; k < 7; k++) cosine += from[a + k]! * from[b + k]!;
  // e and -e are one rotation: take the nearer.
  const sign = cosine < 0 ? -1 : 1;
  cosine = Math.min(1, Math.abs(cosine));
  let weightA = 1 - part;
  let weightB = part;
  if (cosine < 0.9995) {
    const angle = Math.acos(cosine);
    const sine = Math.sin(angle);
    weightA = Math.sin((1 - part) * angle) / sine;
    weightB = Math.sin(part * angle) / sine;
  }
  weightB *= sign;
  let norm = 0;
  for (let k = 3; k < 7; k++) {
    const value = weightA * from[a + k]! + weightB * from[b + k]!;
    to[at + k] = value;
    norm += value * value;
  }
  norm = norm > 0 ? 1 / Math.sqrt(norm) : 0;
  for (let k = 3; k < 7; k++) to[at + k] = to[at + k]! * norm;
}

/** Global position of a point given in the frame of a body. */
export function pointOn(
  poses: ArrayLike<number>, body: number, at: ArrayLike<number>, out: Float64Array | number[],
): void {
  transform(poses, 7 * body, at, out);
}

/** The same for a pose that starts at `o` of any array (a record of the motion, say). */
export function transform(
  poses: ArrayLike<number>, o: number, at: ArrayLike<number>, out: Float64Array | number[],
): void {
  rotate(poses, o, at, out);
  out[0] = out[0]! + poses[o]!;
  out[1] = out[1]! + poses[o + 1]!;
  out[2] = out[2]! + poses[o + 2]!;
}

/** Turns a vector of a body into global axes: v + 2 e0 (e x v) + 2 e x (e x v). */
export function rotate(
  poses: ArrayLike<number>, o: number, v: ArrayLike<number>, out: Float64Array | number[],
): void {
  const w = poses[o + 3]!;
  const x = poses[o + 4]!;
  const y = poses[o + 5]!;
  const z = poses[o + 6]!;
  const [vx, vy, vz] = [v[0]!, v[1]!, v[2]!];
  const tx = 2 * (y * vz - z * vy);
  const ty = 2 * (z * vx - x * vz);
  const tz = 2 * (x * vy - y * vx);
  out[0] = vx + w * tx + y * tz - z * ty;
  out[1] = vy + w * ty + z * tx - x * tz;
  out[2] = vz + w * tz + x * ty - y * tx;
}
