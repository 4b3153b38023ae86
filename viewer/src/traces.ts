// Paths of points of bodies: the whole run thin and pale, what has passed stronger.

import { Object3D } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Scene, Vec3 } from "./data.ts";
import { transform, type Motion } from "./motion.ts";
import { PALETTE } from "./shapes.ts";

export interface Trace {
  body: number;
  point: Vec3; // in the body frame
}
interface Drawn extends Trace {
  past: Line2;
  whole: Line2;
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
    const color = PALETTE[(trace.body + 4) % PALETTE.length]!;
    const line = (linewidth: number, opacity: number) => {
      const geometry = new LineGeometry().setPositions(positions);
      const material = new LineMaterial({ color, linewidth, opacity, transparent: opacity < 1 });
      const made = new Line2(geometry, material);
      made.frustumCulled = false;
      return made;
    };
    const past = line(2.5, 1);
    const whole = line(1.5, 0.35);
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
      // One instance for each piece between two points; without any the line is left out.
      past.geometry.instanceCount = Math.max(0, low - 1);
      past.visible = low > 1;
    }
  }
}
