// Paths of points of bodies: the whole run thin and pale, what has passed stronger.

import { BufferAttribute, BufferGeometry, Line, LineBasicMaterial, Object3D } from "three";
import type { Scene, Vec3 } from "./data.ts";
import { transform, type Motion } from "./motion.ts";
import { PALETTE } from "./shapes.ts";

export interface Trace {
  body: number;
  point: Vec3; // in the body frame
}
interface Drawn extends Trace {
  past: Line;
  whole: Line;
  times: Float64Array;
}

const POINTS = 4000;

/** Positions of a point over the run, at most POINTS of them, always with both ends. */
export function path(scene: Scene, motion: Motion, trace: Trace) {
  const count = Math.min(motion.frames, POINTS);
  const positions = new Float32Array(3 * count);
  const times = new Float64Array(count);
  const at = [0, 0, 0];
  for (let k = 0; k < count; k++) {
    const frame = count > 1 ? Math.round((k * (motion.frames - 1)) / (count - 1)) : 0;
    times[k] = motion.times[frame]!;
    if (trace.body === 0) positions.set(trace.point, 3 * k);
    else {
      const o = frame * motion.stride + scene.motion.columns.bodies + 7 * (trace.body - 1);
      transform(motion.records, o, trace.point, at);
      positions.set(at, 3 * k);
    }
  }
  return { positions, times };
}

export class Traces {
  readonly root = new Object3D();
  readonly drawn: Drawn[] = [];

  add(scene: Scene, motion: Motion, trace: Trace): void {
    const { positions, times } = path(scene, motion, trace);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(positions, 3));
    const behind = new BufferGeometry();
    behind.setAttribute("position", geometry.getAttribute("position"));
    const color = PALETTE[(trace.body + 4) % PALETTE.length]!;
    const past = new Line(behind, new LineBasicMaterial({ color }));
    const whole = new Line(
      geometry, new LineBasicMaterial({ color, transparent: true, opacity: 0.3 }),
    );
    for (const line of [past, whole]) line.frustumCulled = false;
    this.root.add(whole, past);
    this.drawn.push({ ...trace, past, whole, times });
  }

  has(body: number): boolean {
    return this.drawn.some((trace) => trace.body === body);
  }

  remove(body: number): void {
    for (const trace of this.drawn.filter((entry) => entry.body === body)) {
      this.root.remove(trace.past, trace.whole);
      trace.past.geometry.dispose();
      trace.whole.geometry.dispose();
      this.drawn.splice(this.drawn.indexOf(trace), 1);
    }
  }

  update(time: number): void {
    for (const { past, times } of this.drawn) {
      let low = 0;
      let high = times.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (times[middle]! <= time) low = middle + 1;
        else high = middle;
      }
      past.geometry.setDrawRange(0, low);
    }
  }
}
