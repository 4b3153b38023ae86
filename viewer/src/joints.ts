// Marks of joints: a pin with its axis where something turns, a block where something slides, a ball
// elsewhere. They follow body 1. Faintly seen through bodies, since joints hide inside them. Who goes
// nearer sees them as large as before: they never cover what they join.

import { BoxGeometry, CylinderGeometry, Object3D, SphereGeometry } from "three";
import type { Joint, Scene } from "./data.ts";
import { pointOn, rotate, type Instant } from "./motion.ts";
import { Rods } from "./rods.ts";

type Core = "pin" | "block" | "ball";

/** The mark of a joint of this type; null: it has no position of its own. */
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
  private cores: (Core | null)[];
  private slots: Int32Array; // where a joint's mark is among those of its kind
  private marks: Record<Core, Rods>;
  private axes: Rods;
  private rods: Rods; // distance joints
  private size: number;
  private zoomed = 1;
  scale = 1; // the reader's factor

  constructor(scene: Scene, size: number, seeThrough: boolean, coarse: boolean) {
    this.joints = scene.joints;
    this.size = size;
    const count = scene.joints.length;
    this.positions = new Float64Array(3 * count);
    this.visible = new Uint8Array(count).fill(1);
    this.cores = scene.joints.map((joint) => coreOf(joint.type));
    const used: Record<Core, number> = { pin: 0, block: 0, ball: 0 };
    this.slots = Int32Array.from(this.cores, (core) => (core ? used[core]++ : -1));
    const fine = count > 500 ? 6 : coarse ? 10 : 20;
    this.marks = {
      pin: new Rods(along(new CylinderGeometry(1, 1, 1, fine)), used.pin, seeThrough),
      block: new Rods(along(new BoxGeometry(2, 1, 2)), used.block, seeThrough),
      ball: new Rods(
        new SphereGeometry(1, fine, fine >> 1).scale(1, 1, 0.5).translate(0, 0, 0.5),
        used.ball, seeThrough,
      ),
    };
    const thin = along(new CylinderGeometry(1, 1, 1, count > 500 || coarse ? 3 : 6, 1, true));
    this.axes = new Rods(thin, this.many(2), seeThrough);
    this.rods = new Rods(along(new CylinderGeometry(1, 1, 1, 10)), this.many(1, "distance"), false);
    this.root.add(...this.all().map((rods) => rods.root));
  }

  // Capacity for `each` of every joint, or none when no joint is of the type.
  private many(each: number, type?: string): number {
    const wanted = type ? this.joints.some((joint) => joint.type === type) : true;
    const both = type !== undefined || this.joints.some((joint) => joint.type === "universal");
    return wanted ? this.joints.length * (both ? each : 1) : 0;
  }

  private all(): Rods[] {
    return [this.marks.pin, this.marks.block, this.marks.ball, this.axes, this.rods];
  }

  /** How much of the model is visible: 1 is all of it. True when the marks change by that. */
  zoom(part: number): boolean {
    const wanted = Math.min(1.5, Math.max(0.05, part)) * this.scale;
    if (Math.abs(wanted - this.zoomed) < 0.02 * this.zoomed) return false;
    this.zoomed = wanted;
    return true;
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
    const d = [0, 0, 0];
    const count = this.joints.length;
    this.joints.forEach((joint, k) => {
      const core = this.cores[k]!;
      // Of a joint that slides the slider is marked, not the place where the guide was drawn.
      const slides = joint.type === "translational" || joint.type === "cylindrical";
      if (slides) pointOn(instant.poses, joint.body2, joint.at2, point);
      else pointOn(instant.poses, joint.body1, joint.at1, point);
      this.positions.set(point, 3 * k);
      this.axes.hide(k);
      this.axes.hide(count + k);
      this.rods.hide(k);
      if (!core) return;
      if (this.visible[k] === 0) {
        this.marks[core].hide(this.slots[k]!);
        return;
      }
      const r = this.size * this.zoomed * (k === selected ? 1.7 : 1);
      if (joint.axis1) rotate(instant.poses, 7 * joint.body1, joint.axis1, d);
      else [d[0], d[1], d[2]] = [0, 0, 1];
      const half = core === "block" ? 1.6 * r : core === "pin" ? 2.2 * r : 1.25 * r;
      lay(this.marks[core], this.slots[k]!, point, d, half, core === "ball" ? 1.25 * r : r);
      if (joint.axis1 && core !== "ball") lay(this.axes, k, point, d, 4.5 * r, 0.2 * r);
      if (joint.type === "universal" && joint.axis2) {
        rotate(instant.poses, 7 * joint.body2, joint.axis2, d);
        lay(this.axes, count + k, point, d, 4.5 * r, 0.2 * r);
      }
      if (joint.type === "distance") this.distance(instant, joint, k, point, 0.5 * r);
    });
    for (const rods of this.all()) rods.commit();
  }

  // The rod that keeps two points apart.
  private distance(instant: Instant, joint: Joint, k: number, from: number[], radius: number): void {
    const to = [0, 0, 0];
    pointOn(instant.poses, joint.body2, joint.at2, to);
    const d = [to[0]! - from[0]!, to[1]! - from[1]!, to[2]! - from[2]!];
    const length = Math.hypot(d[0]!, d[1]!, d[2]!);
    if (!(length > 1e-12)) return;
    this.rods.set(
      k, from[0]!, from[1]!, from[2]!, d[0]! / length, d[1]! / length, d[2]! / length, length, radius,
    );
  }
}

function lay(rods: Rods, k: number, at: number[], d: number[], half: number, radius: number): void {
  rods.set(
    k, at[0]! - half * d[0]!, at[1]! - half * d[1]!, at[2]! - half * d[2]!,
    d[0]!, d[1]!, d[2]!, 2 * half, radius,
  );
}
