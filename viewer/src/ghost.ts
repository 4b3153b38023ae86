// The second run of a comparison: the same model, gray and translucent, at the same time. Bodies
// only; its marks and arrows would be too much.

import { Object3D } from "three";
import { Bodies } from "./bodies.ts";
import { createInstant, sample, type Instant } from "./motion.ts";
import type { Run } from "./source.ts";

export class Ghost {
  readonly root: Object3D;
  readonly run: Run;
  readonly instant: Instant;
  private bodies: Bodies;

  constructor(run: Run, budget: number) {
    this.run = run;
    this.bodies = new Bodies(run.scene, { ghost: true, shadows: false, budget });
    this.bodies.setVisible(0, false); // the ground is there already
    this.root = this.bodies.root;
    this.instant = createInstant(run.scene);
  }

  update(time: number): void {
    sample(this.run.scene, this.run.motion, time, this.instant);
    if (this.root.visible) this.bodies.update(this.instant.poses);
  }

  /** Index of the body with this name in the second run, or -1. */
  bodyNamed(name: string): number {
    return this.run.scene.bodies.findIndex((body) => body.name === name);
  }
}
