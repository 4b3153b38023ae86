// Everything drawn for a run, put together: bodies, joints, springs, arrows, traces, ground, ghost.
// One call of `show` brings all of it to an instant.

import { Color, Vector3 } from "three";
import { Loads } from "./arrows.ts";
import { Bodies } from "./bodies.ts";
import { Contacts } from "./contacts.ts";
import type { Load } from "./data.ts";
import { Ghost } from "./ghost.ts";
import { Ground, roadRange, Roads } from "./ground.ts";
import { JointMarks } from "./joints.ts";
import { createInstant, sample, type Instant } from "./motion.ts";
import { pick, rayAt, type Chosen } from "./pick.ts";
import { drawsInSoftware } from "./quality.ts";
import { Springs } from "./springs.ts";
import type { Loaded, Run } from "./source.ts";
import { Stage } from "./stage.ts";
import type { Palette } from "./theme.ts";
import { Traces } from "./traces.ts";
import { directionOf, extentOf, lowestOf, mainBody, planeOf, seenFrom, upOf, type Extent, type ViewName } from "./views.ts";

export class World {
  readonly stage: Stage;
  readonly bodies: Bodies;
  readonly joints: JointMarks;
  readonly springs: Springs;
  readonly loads: Loads;
  readonly contacts: Contacts;
  readonly traces = new Traces();
  readonly ground: Ground;
  readonly ghost: Ghost | null;
  readonly extent: Extent;
  readonly instant: Instant;
  following = -1;
  chosen: Chosen | null = null;
  private roads: Roads;
  private tyres: Map<string, number>; // forces by their names
  private run: Run;
  private up: Vector3;
  private plane: Vector3 | null;
  private followed = new Vector3();
  private accent = new Color();
  private home = 1; // height of the picture that contains the model
  private margin: number; // a traveling model also pitches and needs a piece of the road: a larger one

  /** `live`: the motion is not known yet. */
  constructor(loaded: Loaded, instant: Instant, holder: HTMLElement, still: boolean, live = false) {
    this.run = loaded.run;
    this.instant = instant;
    const { scene, motion } = this.run;
    const count = scene.bodies.length;
    const shadows = count <= 400;
    const software = drawsInSoftware();
    const coarse = software && !still;
    const budget = coarse ? 40_000 : 1_000_000;
    this.bodies = new Bodies(scene, { ghost: false, shadows, budget });
    this.extent = extentOf(scene, motion, (body) => this.bodies.box(body));
    const { size } = this.extent;
    this.plane = planeOf(scene, motion);
    this.up = upOf(scene.gravity, this.plane);
    const lowest = lowestOf(this.extent, this.up);
    this.stage = new Stage(holder, this.up, size, { shadows, still, software, live });
    const mark = markSize(size, scene.bodies.map((_, body) => this.bodies.reach(body)));
    const seeThrough = count <= 1000;
    this.joints = new JointMarks(scene, mark, seeThrough, coarse);
    // So many marks would only cover the model; the menu shows them.
    this.joints.root.visible = scene.joints.length <= 1500;
    sample(scene, motion, motion.first, instant);
    this.springs = new Springs(scene, instant, 1.4 * mark, seeThrough, coarse);
    this.loads = new Loads(scene, motion, 1.3 * mark, size);
    this.contacts = new Contacts(scene, 1.3 * mark, (body) => this.bodies.reach(body));
    this.tyres = new Map(scene.forces.map((pair, index) => [pair.name, index]));
    const road = roadRange(scene.roads);
    const isFree = live && scene.loads.length === 0; // what moves may go below where it begins
    const level = road ? road[0] - 0.02 * size : isFree ? lowest - 0.4 * size : lowest > -0.02 * size ? 0 : lowest;
    this.margin = this.extent.travels ? 1.45 : live ? 1.6 : 1.18;
    this.ground = new Ground(this.up, level, size);
    this.roads = new Roads(scene.roads, road ? Math.max(0.02 * size, 0.02 * (road[1] - road[0])) : 0);
    this.ghost = loaded.against ? new Ghost(loaded.against, budget) : null;
    this.stage.scene.add(
      this.ground.root, this.roads.root, this.bodies.root, this.joints.root, this.springs.root,
      this.loads.root, this.contacts.root, this.traces.root,
    );
    if (this.ghost) this.stage.scene.add(this.ghost.root);
    if (this.extent.travels) this.follow(mainBody(scene));
    this.view(this.firstView, false);
  }

  /** A plane mechanism squarely, others obliquely. */
  get firstView(): ViewName {
    return this.plane ? "front" : "iso";
  }

  paint(palette: Palette): void {
    this.stage.setBackground(palette.background, palette.dark);
    this.ground.setColor(palette.grid, palette.dark ? 0.45 : 0.16);
    this.roads.setColors(palette.road, palette.edge);
    this.joints.setColor(palette.joint);
    this.springs.setColor(palette.spring);
    this.loads.setColors(palette.reaction, palette.force);
    this.contacts.setColor(palette.reaction);
    this.accent.set(palette.accent);
    this.bodies.highlight(this.chosen?.kind === "body" ? this.chosen.index : -1, this.accent);
  }

  /** Everything at this time; the caller draws. */
  show(time: number): void {
    const { instant } = this;
    sample(this.run.scene, this.run.motion, time, instant);
    if (this.following >= 0) {
      const now = new Vector3().fromArray(this.instant.poses, 7 * this.following);
      this.stage.carry(now.clone().sub(this.followed));
      this.followed.copy(now);
    }
    this.bodies.update(this.instant.poses);
    const joint = this.chosen?.kind === "joint" ? this.chosen.index : -1;
    const force = this.chosen?.kind === "force" ? this.chosen.index : -1;
    if (this.joints.root.visible || joint >= 0) this.joints.update(this.instant, joint);
    this.springs.update(this.instant, force);
    this.loads.update(
      this.instant, (k) => this.joints.isVisible(k), (k) => this.springs.isVisible(k), joint, force,
    );
    if (this.contacts.root.visible) {
      this.contacts.update(instant, (newtons) => this.loads.lengthOf(newtons), (load) => this.showsLoad(load));
    }
    this.traces.update(time);
    this.roads.update(time);
    this.ghost?.update(time);
  }

  // A hidden tyre has no arrow; nor what pushes a hidden body.
  private showsLoad(load: Load): boolean {
    const tyre = load.type === "tyre" ? this.tyres.get(load.name) : undefined;
    return this.bodies.isVisible(load.body) && (tyre === undefined || this.springs.isVisible(tyre));
  }

  draw(fine?: boolean): void {
    const { target, span, here } = this.stage;
    if (this.joints.root.visible && this.joints.zoom(span / this.home)) {
      this.joints.update(this.instant, this.chosen?.kind === "joint" ? this.chosen.index : -1);
    }
    this.ground.update(target, span, here.direction);
    this.stage.draw(fine);
  }

  choose(chosen: Chosen | null): void {
    this.chosen = chosen;
    this.bodies.highlight(chosen?.kind === "body" ? chosen.index : -1, this.accent);
  }

  pickAt(x: number, y: number): Chosen | null {
    const { clientWidth, clientHeight } = this.stage.canvas;
    const joints = this.joints.root.visible;
    return pick(
      this.bodies, this.joints.positions, (k) => joints && this.joints.isVisible(k),
      this.stage.camera, clientWidth, clientHeight, x, y,
    );
  }

  /** The moving body under a pixel, also behind walls of the ground or the mark of a joint. */
  bodyAt(x: number, y: number): Chosen | null {
    const found = this.bodies.pick(rayAt(this.stage.camera, this.stage.canvas, x, y), 1);
    return found ? { kind: "body", index: found.body, point: found.hit.point.toArray() } : null;
  }

  /** Frees the canvas and its memory: another world takes its place. */
  dispose(): void {
    this.stage.dispose();
  }

  /** The camera goes along with a body; -1: it stays. */
  follow(body: number): void {
    this.following = body;
    if (body >= 0) this.followed.fromArray(this.instant.poses, 7 * body);
  }

  view(name: ViewName, smooth: boolean): void {
    const target = this.extent.centre.clone();
    if (this.following >= 0) {
      // The model has moved; its middle with it.
      const { scene, motion } = this.run;
      const start = createInstant(scene);
      sample(scene, motion, motion.first, start);
      target.sub(new Vector3().fromArray(start.poses, 7 * this.following)).add(this.followed);
    }
    const direction = directionOf(name, this.up, this.plane);
    const [height, width] = seenFrom(this.extent.sides, direction, this.up);
    this.home = Math.max(
      this.margin * this.stage.fit(height, width), 0.2 * this.extent.size,
    );
    this.stage.place(
      {
        target,
        direction,
        span: this.home,
        // Along the axes nearly parallel: what is in line looks in line.
        angle: name === "iso" ? 30 : 4,
      },
      smooth,
    );
  }

  /** Where something is on the canvas, for labels and tests. */
  onScreen(at: ArrayLike<number>): { x: number; y: number; visible: boolean } {
    const point = new Vector3(at[0], at[1], at[2]).project(this.stage.camera);
    return {
      x: ((point.x + 1) / 2) * this.stage.canvas.clientWidth,
      y: ((1 - point.y) / 2) * this.stage.canvas.clientHeight,
      visible: point.z > -1 && point.z < 1,
    };
  }
}

// Marks are small against the model and not larger than its parts.
function markSize(size: number, reaches: number[]): number {
  const sorted = reaches.filter((reach) => reach > 0).sort((a, b) => a - b);
  const middle = sorted[sorted.length >> 1] ?? size;
  return Math.max(1e-9, Math.min(0.0085 * size, 0.14 * middle));
}
