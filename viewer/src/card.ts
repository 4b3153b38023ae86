// The card of what was picked: name, type and numbers that live with the time, and what can be done
// with it.

import { unitOfForce } from "./arrows.ts";
import type { Scene } from "./data.ts";
import { digits, h, iconButton } from "./dom.ts";
import type { Ghost } from "./ghost.ts";
import { frameAt, pointOn, type Instant, type Motion } from "./motion.ts";
import type { Chosen } from "./pick.ts";

export type Row = [label: string, value: string];

const vector = (v: ArrayLike<number>, o = 0): string =>
  [v[o]!, v[o + 1]!, v[o + 2]!].map(digits).join("  ");

/** Roll, pitch, yaw in degrees: yaw about z, then pitch about the new y, then roll about the new x. */
export function anglesOf(poses: ArrayLike<number>, o: number): [number, number, number] {
  const [w, x, y, z] = [poses[o]!, poses[o + 1]!, poses[o + 2]!, poses[o + 3]!];
  const degrees = 180 / Math.PI;
  const sine = Math.min(1, Math.max(-1, 2 * (w * y - z * x)));
  return [
    degrees * Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    degrees * Math.asin(sine),
    degrees * Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ];
}

/** Speed of a body from the frames around a time. */
export function speedOf(scene: Scene, motion: Motion, body: number, time: number): number {
  if (body === 0 || motion.frames < 2) return 0;
  const frame = Math.min(frameAt(motion, time), motion.frames - 2);
  const column = scene.motion.columns.bodies + 7 * (body - 1);
  const a = frame * motion.stride + column;
  const b = a + motion.stride;
  const span = motion.times[frame + 1]! - motion.times[frame]!;
  const r = motion.records;
  const way = Math.hypot(r[b]! - r[a]!, r[b + 1]! - r[a + 1]!, r[b + 2]! - r[a + 2]!);
  return span > 0 ? way / span : 0;
}

export function rowsOf(
  scene: Scene, motion: Motion, instant: Instant, chosen: Chosen, time: number,
): Row[] {
  const { poses, reactions, values } = instant;
  if (chosen.kind === "body") {
    const body = scene.bodies[chosen.index]!;
    if (chosen.index === 0) return [["", "does not move"]];
    return [
      ["mass", `${digits(body.mass)} kg`],
      ["position", `${vector(poses, 7 * chosen.index)} m`],
      ["speed", `${digits(speedOf(scene, motion, chosen.index, time))} m/s`],
      ["roll pitch yaw", `${anglesOf(poses, 7 * chosen.index + 3).map((a) => a.toFixed(1)).join("  ")} °`],
    ];
  }
  const list = chosen.kind === "joint" ? scene.joints : scene.forces;
  const pair = list[chosen.index]!;
  const [name1, name2] = [scene.bodies[pair.body1]!.name, scene.bodies[pair.body2]!.name];
  const a = [0, 0, 0];
  const b = [0, 0, 0];
  pointOn(poses, pair.body1, pair.at1, a);
  pointOn(poses, pair.body2, pair.at2, b);
  const rows: Row[] = [["between", `${name1} and ${name2}`]];
  if (chosen.kind === "joint") {
    const o = 3 * pair.column;
    const size = Math.hypot(reactions[o] ?? 0, reactions[o + 1] ?? 0, reactions[o + 2] ?? 0);
    rows.push(
      ["place", `${vector(a)} m`],
      ["reaction", `${digits(size)} N`],
      ["components", `${vector(reactions, o)} N`],
    );
  } else {
    const length = Math.hypot(b[0]! - a[0]!, b[1]! - a[1]!, b[2]! - a[2]!);
    rows.push(["value", `${digits(values[pair.column] ?? 0)} ${unitOfForce(pair.type)}`]);
    const load = scene.loads.find(({ name, type }) => type === "tyre" && name === pair.name);
    if (load) rows.push(["force on the wheel", `${vector(instant.loads, 6 * load.column + 3)} N`]);
    else if (/spring-damper|bushing/.test(pair.type)) rows.push(["length", `${digits(length)} m`]);
  }
  return rows;
}

export interface CardActions {
  close: () => void;
  follow: (body: number) => void;
  trace?: (chosen: Chosen) => void;
  plot: (chosen: Chosen) => void;
  hide: (chosen: Chosen) => void;
}

export class Card {
  private box: HTMLElement;
  private table = h("dl", {});
  private cells: HTMLElement[] = [];
  private chosen: Chosen | null = null;
  private scene: Scene;
  private actions: CardActions;

  constructor(holder: HTMLElement, scene: Scene, actions: CardActions) {
    this.scene = scene;
    this.actions = actions;
    this.box = h("section", { class: "card", id: "card", "aria-label": "Picked part" });
    this.box.hidden = true;
    holder.append(this.box);
  }

  choose(chosen: Chosen | null, state: { following: boolean; traced: boolean }): void {
    this.chosen = chosen;
    this.box.hidden = chosen === null;
    if (!chosen) return;
    const { scene, actions } = this;
    const entry =
      chosen.kind === "body"
        ? { name: scene.bodies[chosen.index]!.name, type: "body" }
        : (chosen.kind === "joint" ? scene.joints : scene.forces)[chosen.index]!;
    const label = chosen.kind === "body" ? "body" : `${entry.type} ${chosen.kind}`;
    const button = (text: string, action: () => void, pressed?: boolean) =>
      h(
        "button",
        {
          type: "button", click: action,
          ...(pressed === undefined ? {} : { "aria-pressed": String(pressed) }),
        },
        text,
      );
    const moving = chosen.kind === "body" && chosen.index > 0;
    this.table.replaceChildren();
    this.cells = [];
    this.box.replaceChildren(
      h("header", {}, h("div", {}, h("h2", {}, entry.name), h("small", {}, label)),
        iconButton("close", "Close", actions.close)),
      this.table,
      h(
        "div",
        { class: "actions" },
        moving ? button("Follow", () => actions.follow(chosen.index), state.following) : null,
        moving && actions.trace ? button("Trace", () => actions.trace?.(chosen), state.traced) : null,
        chosen.kind !== "body" || moving ? button("Plot", () => actions.plot(chosen)) : null,
        button("Hide", () => actions.hide(chosen)),
      ),
    );
  }

  update(motion: Motion, instant: Instant, time: number, ghost: Ghost | null): void {
    if (!this.chosen) return;
    const rows = rowsOf(this.scene, motion, instant, this.chosen, time);
    if (ghost && this.chosen.kind === "body" && this.chosen.index > 0) {
      const other = ghost.bodyNamed(this.scene.bodies[this.chosen.index]!.name);
      if (other > 0) {
        const [p, q] = [instant.poses, ghost.instant.poses];
        const [i, j] = [7 * this.chosen.index, 7 * other];
        const away = Math.hypot(p[i]! - q[j]!, p[i + 1]! - q[j + 1]!, p[i + 2]! - q[j + 2]!);
        rows.push(["from second run", `${digits(away)} m`]);
      }
    }
    if (this.cells.length !== rows.length) {
      this.cells = rows.map(([label]) => {
        const cell = h("dd", {});
        this.table.append(h("dt", {}, label), cell);
        return cell;
      });
    }
    rows.forEach(([, value], k) => {
      if (this.cells[k]!.textContent !== value) this.cells[k]!.textContent = value;
    });
  }
}
