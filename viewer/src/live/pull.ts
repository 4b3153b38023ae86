// Pulling: a drag that begins on a body hangs a spring between that point and the pointer, in the plane
// through the point that faces the camera. A drag beside all bodies turns the camera as always.

import { Plane, Vector3 } from "three";
import type { Vec3 } from "../../engine/protocol.ts";
import { Arrows } from "../arrows.ts";
import { h } from "../dom.ts";
import { rotate } from "../motion.ts";
import { rayAt } from "../pick.ts";
import type { World } from "../world.ts";

export interface PullActions {
  grab: (body: number, point: Vec3, target: Vec3) => void;
  move: (target: Vec3) => void;
  release: () => void;
  click: (x: number, y: number) => void;
}

const SLACK = 4; // pixels: less is a click

/** The point, given in global axes, from the body's center of mass in its axes. */
export function inBody(poses: ArrayLike<number>, body: number, at: ArrayLike<number>): Vec3 {
  const o = 7 * body;
  const away = [at[0]! - poses[o]!, at[1]! - poses[o + 1]!, at[2]! - poses[o + 2]!];
  const back = [0, 0, 0, poses[o + 3]!, -poses[o + 4]!, -poses[o + 5]!, -poses[o + 6]!];
  const out: Vec3 = [0, 0, 0];
  rotate(back, 0, away, out);
  return out;
}

export class PullTool {
  private world: World | null = null;
  private mark: Arrows | null = null;
  private actions: PullActions;
  private holder: HTMLElement;
  private label = h("div", { class: "tag pull", "aria-hidden": "true" });
  private held: { body: number; at: Vector3; x: number; y: number; id: number; moved: boolean } | null = null;

  constructor(holder: HTMLElement, actions: PullActions) {
    this.holder = holder;
    this.actions = actions;
    this.label.hidden = true;
    holder.parentElement!.append(this.label);
    // Before the camera's own listeners, which sit on the canvas.
    holder.addEventListener("pointerdown", (event) => this.down(event), true);
    holder.addEventListener("pointermove", (event) => this.move(event), true);
    for (const type of ["pointerup", "pointercancel"] as const) {
      holder.addEventListener(type, (event) => this.up(event), true);
    }
  }

  /** The world of another model: what was held is gone. */
  use(world: World, size: number, color: string): void {
    this.world = world;
    this.mark = new Arrows(1, size, true);
    this.mark.hide(0);
    this.mark.commit();
    this.mark.setColor(color);
    world.stage.scene.add(this.mark.root);
    this.held = null;
    this.label.hidden = true;
  }

  paint(color: string): void {
    this.mark?.setColor(color);
  }

  private place(event: PointerEvent): { x: number; y: number } {
    const frame = this.holder.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  }

  private down(event: PointerEvent): void {
    const { world } = this;
    if (!world || !event.isPrimary || event.button !== 0 || event.shiftKey || event.ctrlKey) return;
    const { x, y } = this.place(event);
    const hit = world.bodyAt(x, y);
    if (!hit || hit.index === 0 || !hit.point) return;
    this.held = { body: hit.index, at: new Vector3(...hit.point), x, y, id: event.pointerId, moved: false };
    event.stopPropagation();
    event.preventDefault();
    this.holder.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    const { held, world } = this;
    if (!held || !world || event.pointerId !== held.id) return;
    event.stopPropagation();
    const { x, y } = this.place(event);
    if (!held.moved && Math.hypot(x - held.x, y - held.y) < SLACK) return;
    const target = this.target(x, y, held.at);
    if (!target) return;
    if (!held.moved) {
      held.moved = true;
      this.actions.grab(held.body, inBody(world.instant.poses, held.body, held.at.toArray()), target);
    } else this.actions.move(target);
  }

  private up(event: PointerEvent): void {
    const { held } = this;
    if (!held || event.pointerId !== held.id) return;
    event.stopPropagation();
    this.held = null;
    if (held.moved) this.actions.release();
    else if (event.type === "pointerup") this.actions.click(held.x, held.y);
  }

  // Where the pointer is in the plane through the first point.
  private target(x: number, y: number, through: Vector3): Vec3 | null {
    const { stage } = this.world!;
    const ray = rayAt(stage.camera, stage.canvas, x, y);
    const normal = stage.camera.getWorldDirection(new Vector3());
    const hit = ray.ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal, through), new Vector3());
    return hit ? [hit.x, hit.y, hit.z] : null;
  }

  get isHeld(): boolean {
    return this.held?.moved ?? false;
  }

  /** The spring and its force in a frame: PULL_NUMBERS, or none. */
  show(pull: ArrayLike<number>): void {
    const { mark, world, label } = this;
    if (!mark || !world) return;
    const newtons = pull.length > 0 ? Math.hypot(pull[7]!, pull[8]!, pull[9]!) : 0;
    if (pull.length === 0 || (!this.isHeld && newtons < 1e-9)) {
      mark.hide(0);
      label.hidden = true;
    } else {
      const [x, y, z] = [pull[1]!, pull[2]!, pull[3]!];
      mark.set(0, [x, y, z], pull[4]! - x, pull[5]! - y, pull[6]! - z);
      const at = world.onScreen([pull[4]!, pull[5]!, pull[6]!]);
      label.hidden = !at.visible;
      label.textContent = forceText(newtons);
      label.style.transform = `translate(${at.x + 12}px, ${at.y - 26}px)`;
    }
    mark.commit();
  }
}

export function forceText(newtons: number): string {
  if (newtons < 0.001) return `${(1e6 * newtons).toPrecision(3)} µN`;
  if (newtons < 1) return `${(1e3 * newtons).toPrecision(3)} mN`;
  return newtons < 1000 ? `${newtons.toPrecision(3)} N` : `${(newtons / 1000).toPrecision(3)} kN`;
}
