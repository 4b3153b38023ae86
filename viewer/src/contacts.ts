// Tyres and contacts: the force on the body as an arrow, and a dot where a contact pushes (its center of
// pressure).

import { Object3D, SphereGeometry } from "three";
import { Arrows } from "./arrows.ts";
import type { Load, Scene } from "./data.ts";
import type { Instant } from "./motion.ts";
import { Rods } from "./rods.ts";

// They act inside wheels and below bodies, and are seen there too.
const HIDDEN = 0.75;

export class Contacts {
  readonly root = new Object3D();
  private readonly loads: Load[];
  private dots: Rods;
  private arrows: Arrows;
  private radii: number[]; // of the dots

  /** `reach`: how far a body reaches from its center of mass. */
  constructor(scene: Scene, size: number, reach: (body: number) => number) {
    this.loads = scene.loads;
    this.radii = this.loads.map(({ body }) => Math.min(1.4 * size, 0.12 * (reach(body) || size)));
    this.dots = new Rods(
      new SphereGeometry(1, 14, 10).scale(1, 1, 0.5).translate(0, 0, 0.5), this.loads.length, HIDDEN,
    );
    this.arrows = new Arrows(this.loads.length, size, HIDDEN);
    this.root.add(this.dots.root, this.arrows.root);
  }

  get has(): { tyre: boolean; contact: boolean } {
    const some = (type: Load["type"]) => this.loads.some((load) => load.type === type);
    return { tyre: some("tyre"), contact: some("contact") };
  }

  setColor(color: string): void {
    this.dots.setColor(color);
    this.arrows.setColor(color);
  }

  /** `lengthOf`: meters of an arrow for a force. Loads of hidden bodies have none. */
  update(instant: Instant, lengthOf: (newtons: number) => number, visible: (load: Load) => boolean): void {
    if (this.loads.length === 0) return;
    this.loads.forEach((load, k) => {
      const o = 6 * load.column;
      const force = instant.loads.subarray(o + 3, o + 6);
      const newtons = Math.hypot(force[0]!, force[1]!, force[2]!);
      if (!(newtons > 0) || !visible(load)) {
        this.dots.hide(k);
        this.arrows.hide(k);
        return;
      }
      const at = [...instant.loads.subarray(o, o + 3)];
      const [x, y, z] = [force[0]! / newtons, force[1]! / newtons, force[2]! / newtons];
      const r = this.radii[k]!;
      if (load.type === "tyre") this.dots.hide(k);
      else this.dots.set(k, at[0]! - r * x, at[1]! - r * y, at[2]! - r * z, x, y, z, 2 * r, r);
      const length = lengthOf(newtons);
      this.arrows.set(k, at, length * x, length * y, length * z);
    });
    this.dots.commit();
    this.arrows.commit();
  }
}
