// Marks of joints: a pin with its axis where something turns, a block where something slides, a ball
// elsewhere. They follow body 1. Faintly seen through bodies, since joints hide inside them.

import { BoxGeometry, CylinderGeometry, Object3D, SphereGeometry } from "three";
import type { Joint, Scene } from "./data.ts";
import { pointOn, rotate, type Instant } from "./motion.ts";
import { Rods } from "./rods.ts";

type Core = "pin" | "block" | "ball";

/** What a joint of this type looks like; null: it has no place of its own. */
export function coreOf(type: string): Core | null {
  switch (type) {
    case "revolute":
    case "cylindrical":
    case "screw":
    case "universal":
    case "constant-velocity":
      return "pin";
    case "translational":
    case "planar":
    case "point-in-plane":
    case "point-on-line":
    case "fixed":
      return "block";
    case "free":
    case "gear":
    case "coupler":
    case "rack-pinion":
    case "parallel":
    case "perpendicular":
      return null;
    default:
      return "ball";
  }
}

const along = (geometry: CylinderGeometry | BoxGeometry) =>
  geometry.rotateX(Math.PI / 2).translate(0, 0, 0.5);

export class JointMarks {
  readonly root = new Object3D();
  readonly positions: Float64Array; // of the joint points, 3 each, as of the last update
  private visible: Uint8Array;
  private joints: Joint[];
  private cores: Record<Core, Rods>;
  private axes: Rods;
  private rods: Rods; // distance joints
  private size: number;

  constructor(scene: Scene, size: number, seeThrough: boolean) {
    this.joints = scene.joints;
    this.size = size;
    const count = scene.joints.length;
    this.positions = new Float64Array(3 * count);
    this.visible = new Uint8Array(count).fill(1);
    const fine = count > 500 ? 8 : 20;
    this.cores = {
      pin: new Rods(along(new CylinderGeometry(1, 1, 1, fine)), count, seeThrough),
      block: new Rods(along(new BoxGeometry(2, 1, 2)), count, seeThrough),
      ball: new Rods(
        new SphereGeometry(1, fine, fine >> 1).scale(1, 1, 0.5).translate(0, 0, 0.5),
        count, seeThrough,
      ),
    };
    this.axes = new Rods(along(new CylinderGeometry(1, 1, 1, 6)), 2 * count, seeThrough);
    this.rods = new Rods(along(new CylinderGeometry(1, 1, 1, 10)), count, false);
    this.root.add(...this.all().map((rods) => rods.root));
  }

  private all(): Rods[] {
    return [this.cores.pin, this.cores.block, this.cores.ball, this.axes, this.rods];
  }

  isVisible(joint: number): boolean {
    return this.visible[joint] === 1;
  }

  setVisible(joint: number, visible: boolean): void {
    this.visible[joint] = visible ? 1 : 0;
  }

  setColor(color: string): void {
    for (const rods of this.all()) rods.setColor(color);
  }

  update(instant: Instant, selected: number): void {
    const point = [0, 0, 0];
    const other = [0, 0, 0];
    const d = [0, 0, 0];
    this.joints.forEach((joint, k) => {
      for (const rods of [this.cores.pin, this.cores.block, this.cores.ball, this.rods]) rods.hide(k);
      this.axes.hide(2 * k);
      this.axes.hide(2 * k + 1);
      pointOn(instant.poses, joint.body1, joint.at1, point);
      // Of a joint that slides the slider is marked, not the place where the guide was drawn.
      const slides = joint.type === "translational" || joint.type === "cylindrical";
      if (slides) pointOn(instant.poses, joint.body2, joint.at2, point);
      this.positions.set(point, 3 * k);
      const core = coreOf(joint.type);
      if (!core || this.visible[k] === 0) return;
      const r = this.size * (k === selected ? 1.7 : 1);
      if (joint.axis1) rotate(instant.poses, 7 * joint.body1, joint.axis1, d);
      else [d[0], d[1], d[2]] = [0, 0, 1];
      const half = core === "block" ? 1.6 * r : core === "pin" ? 2.2 * r : 1.25 * r;
      this.lay(this.cores[core], k, point, d, half, core === "ball" ? 1.25 * r : r);
      if (joint.axis1 && core !== "ball") this.lay(this.axes, 2 * k, point, d, 6 * r, 0.22 * r);
      if (joint.type === "universal" && joint.axis2) {
        rotate(instant.poses, 7 * joint.body2, joint.axis2, d);
        this.lay(this.axes, 2 * k + 1, point, d, 6 * r, 0.22 * r);
      }
      if (joint.type === "distance") {
        pointOn(instant.poses, joint.body2, joint.at2, other);
        const length = Math.hypot(
          other[0]! - point[0]!, other[1]! - point[1]!, other[2]! - point[2]!,
        );
        if (length > 1e-12) {
          for (let i = 0; i < 3; i++) d[i] = (other[i]! - point[i]!) / length;
          this.rods.set(
            k, point[0]!, point[1]!, point[2]!, d[0]!, d[1]!, d[2]!, length, 0.5 * r,
          );
        }
      }
    });
    for (const rods of this.all()) rods.commit();
  }

  private lay(rods: Rods, k: number, at: number[], d: number[], half: number, radius: number): void {
    rods.set(
      k, at[0]! - half * d[0]!, at[1]! - half * d[1]!, at[2]! - half * d[2]!,
      d[0]!, d[1]!, d[2]!, 2 * half, radius,
    );
  }
}
