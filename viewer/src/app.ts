// The page put together from loaded data: scene, bar, list, card, plots, menu, keys. Draws only when
// something changed.

import { playerBar } from "./bar.ts";
import { Card } from "./card.ts";
import { Channels } from "./channels.ts";
import type { Certificate, Scene, Vec3 } from "./data.ts";
import { differenceList } from "./difference.ts";
import { h, iconButton } from "./dom.ts";
import { fillHelp, KEYS, listen, POINTER, resultKeys } from "./keys.ts";
import { announce, banner, noWebGL } from "./messages.ts";
import { createInstant, sample, type Instant } from "./motion.ts";
import { optionsMenu } from "./options.ts";
import type { Parameters } from "./parameters.ts";
import type { Chosen, Kind } from "./pick.ts";
import { Player } from "./player.ts";
import { Plots, plotSearch } from "./plots.ts";
import { fileName, saveMenu } from "./save.ts";
import type { Loaded } from "./source.ts";
import { NoWebGL } from "./stage.ts";
import type { Theme } from "./theme.ts";
import { Tree } from "./tree.ts";
import { viewButtons } from "./viewbar.ts";
import { mainBody, type ViewName } from "./views.ts";
import { World } from "./world.ts";

const find = (id: string): HTMLElement => document.getElementById(id)!;

export class App {
  readonly player: Player;
  readonly world: World | null;
  readonly plots: Plots;
  readonly channels: Channels;
  private second: Channels | null; // of the run compared with
  frameTimes: number[] = []; // milliseconds of work for the latest frames
  private loaded: Loaded;
  private parameters: Parameters;
  private theme: Theme;
  private instant: Instant;
  private tree: Tree | null = null;
  private card: Card | null = null;
  private chosen: Chosen | null = null;
  private scheduled = false;
  private lastTick = 0;
  private restTimer = 0;
  private isHeld = false; // while a film is written
  private savePicture: () => void = () => {};
  private label = h("div", { class: "tag", "aria-hidden": "true" });

  constructor(loaded: Loaded, parameters: Parameters, theme: Theme) {
    this.loaded = loaded;
    this.parameters = parameters;
    this.theme = theme;
    const { scene, motion, signals } = loaded.run;
    this.instant = createInstant(scene);
    this.player = new Player(motion.first, motion.last);
    this.channels = new Channels(scene, motion, signals);
    const other = loaded.against;
    this.second = other ? new Channels(other.scene, other.motion, other.signals) : null;
    this.plots = new Plots(find("charts"), this.player, this.second, theme.palette);
    this.world = this.createWorld();
    this.build();
    this.start();
  }

  private get scene(): Scene {
    return this.loaded.run.scene;
  }

  private createWorld(): World | null {
    try {
      const world = new World(this.loaded, this.instant, find("canvas"), this.parameters.still);
      world.stage.onNeedsDraw = () => this.schedule();
      world.stage.canvas.setAttribute("role", "img");
      world.stage.canvas.setAttribute("aria-label", `The model ${this.scene.title}`);
      world.stage.canvas.addEventListener("webglcontextlost", () =>
        banner("amber", "The browser stopped the 3-D view. Reload the page."),
      );
      return world;
    } catch (error) {
      if (!(error instanceof NoWebGL)) throw error;
      noWebGL(find("view"));
      return null;
    }
  }

  private build(): void {
    const { world, parameters, player } = this;
    this.header();
    playerBar(find("bar"), player);
    this.theme.onChange((palette) => {
      world?.paint(palette);
      this.plots.paint(palette);
      this.schedule();
    });
    world?.paint(this.theme.palette);
    player.onChange(() => this.schedule());
    if (parameters.still) return;
    announce(this.scene, this.loaded.run.motion, this.loaded.warnings);
    if (world) {
      viewButtons(find("views"), (name) => this.view(name), () => this.toggleFollow(), world.following >= 0);
      find("scale-note").textContent = `grid ${world.ground.cell} m`;
      this.listenToPointer(world);
      find("view").append(this.label);
      this.label.hidden = true;
    }
    const { motion } = this.loaded.run;
    const frame = motion.frames > 1 ? (motion.last - motion.first) / (motion.frames - 1) : 0;
    listen(resultKeys(player, frame, {
      view: (name) => this.view(name),
      follow: () => this.toggleFollow(),
      trace: () => this.chosen && this.trace(this.chosen),
      parts: () => this.panel("parts"),
      plots: () => this.panel("plots"),
      reactions: () => this.toggleReactions(),
      save: () => this.savePicture(),
      theme: () => this.theme.toggle(),
      help: () => find("help").togglePopover(),
      clear: () => this.choose(null),
    }));
    fillHelp(find("help"), `Results of Holon ${this.scene.holon}.`, KEYS, POINTER);
    if (parameters.embed) return;
    this.panels();
  }

  private header(): void {
    const { scene, certificate } = { scene: this.scene, certificate: this.loaded.certificate };
    find("title").textContent = scene.title;
    find("title").title = scene.description;
    document.title = `${scene.title} - Holon`;
    const verdict = verdictOf(scene, certificate);
    if (verdict) {
      const badge = find("verdict");
      badge.hidden = false;
      badge.textContent = verdict.text;
      badge.className = `badge ${verdict.color}`;
      badge.setAttribute("aria-label", `Grade: ${verdict.text}`);
      find("reasons").append(
        h("h2", {}, verdict.text),
        verdict.reasons.length > 0
          ? h("ul", {}, ...verdict.reasons.map((reason) => h("li", {}, reason)))
          : h("p", {}, "All checks of the certificate passed."),
      );
    }
    if (this.loaded.against) {
      find("against").textContent = `against ${this.loaded.against.scene.title}`;
    }
  }

  private panels(): void {
    const { world, scene } = this;
    this.tree = new Tree(find("parts-body"), scene, {
      choose: (chosen) => this.choose(chosen),
      isVisible: (kind, index) => this.holderOf(kind)?.isVisible(index) ?? true,
      setVisible: (kind, indices, visible) => {
        for (const index of indices) this.holderOf(kind)?.setVisible(index, visible);
        this.schedule();
      },
    });
    this.card = new Card(find("view"), scene, {
      close: () => this.choose(null),
      follow: (body) => this.follow(world?.following === body ? -1 : body),
      trace: (chosen) => this.trace(chosen),
      plot: (chosen) => this.plot(chosen),
      hide: (chosen) => {
        this.holderOf(chosen.kind)?.setVisible(chosen.index, false);
        this.tree?.fill();
        this.choose(null);
      },
    });
    find("plots-head").append(plotSearch(this.channels, this.plots));
    this.comparison();
    const tools = find("tools");
    const panelButton = (name: "parts" | "plots", label: string) =>
      iconButton(name, label, () => this.panel(name), {
        id: `${name}-button`, "aria-controls": name, "aria-expanded": "false",
      });
    tools.append(panelButton("parts", "Parts (b)"), panelButton("plots", "Plots (p)"));
    if (world) {
      optionsMenu(find("options"), world, () => this.schedule());
      tools.append(iconButton("options", "What is shown", () => {}, { popovertarget: "options" }));
      this.savePicture = saveMenu(find("save"), {
        name: fileName(scene.title), world, player: this.player, palette: () => this.theme.palette,
        show: (time) => world.show(time),
        hold: (isHeld) => {
          this.isHeld = isHeld;
          this.schedule();
        },
      });
      tools.append(iconButton("save", "Save a picture (s) or film", () => {}, { popovertarget: "save" }));
    }
    tools.append(
      iconButton("theme", "Dark or light (d)", () => this.theme.toggle(), { id: "theme" }),
      iconButton("help", "Help (?)", () => {}, { popovertarget: "help" }),
    );
    for (const name of ["parts", "plots"] as const) {
      find(name).querySelector(".close")!.addEventListener("click", () => this.panel(name, false));
    }
  }

  // Of two runs: a button for the difference of the plotted signals, and a list of those that differ most.
  private comparison(): void {
    const { second } = this;
    if (!second) return;
    const button = h("button", {
      type: "button", id: "difference", "aria-pressed": "false", title: "First run less the second",
      click: () => {
        const isOn = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(isOn));
        this.plots.setDifference(isOn);
      },
    }, "Difference");
    const list = differenceList(this.channels, second, ({ channel, time }) => {
      this.plots.add(channel);
      this.player.seek(time);
    });
    find("plots-head").append(h("div", { class: "comparison" }, button, list));
  }

  // First look: time, view and plots as the address says, or what suits the run.
  private start(): void {
    const { parameters, world, player } = this;
    if (parameters.speed !== null) player.setSpeed(parameters.speed);
    if (parameters.time !== null) player.seek(parameters.time);
    if (!parameters.still && !parameters.embed) this.startPlots();
    this.bring();
    if (world) {
      world.stage.resize(find("canvas")); // plots may have taken space
      if (parameters.follow !== null) {
        const wanted = parameters.follow;
        this.follow(this.scene.bodies.findIndex((body) => body.name === wanted));
      }
      world.loads.showReactions = parameters.show.includes("reactions");
      world.loads.showForces = parameters.show.includes("forces");
      if (parameters.show.includes("nojoints")) world.joints.root.visible = false;
      if (parameters.show.includes("nogrid")) world.ground.visible = false;
      world.view(parameters.view ?? world.firstView, false);
    }
    this.bring();
    world?.draw();
    this.rest();
    if (parameters.play && !parameters.still) player.play();
  }

  private startPlots(): void {
    const asked = this.parameters.plot
      .map((name) => this.channels.find(name))
      .filter((channel) => channel !== null);
    const outputs = this.channels.outputs();
    const first = asked.length > 0 ? asked : outputs.slice(0, 3);
    const wide = window.innerWidth >= 1000 || !this.world;
    if (first.length === 0 || (!wide && asked.length === 0)) return;
    this.panel("plots", true);
    for (const channel of first) this.plots.add(channel);
  }

  private holderOf(kind: Kind) {
    const { world } = this;
    if (!world) return null;
    return kind === "body" ? world.bodies : kind === "joint" ? world.joints : world.springs;
  }

  panel(name: "parts" | "plots", open = find(name).hidden): void {
    find(name).hidden = !open;
    find(`${name}-button`)?.setAttribute("aria-expanded", String(open));
    // On a small screen one panel at a time.
    if (open && window.innerWidth < 760) {
      const other = name === "parts" ? "plots" : "parts";
      find(other).hidden = true;
      find(`${other}-button`)?.setAttribute("aria-expanded", "false");
    }
    this.schedule();
  }

  view(name: ViewName): void {
    this.world?.view(name, true);
    this.schedule();
  }

  choose(chosen: Chosen | null): void {
    this.chosen = chosen;
    this.world?.choose(chosen);
    this.card?.choose(chosen, {
      following: chosen?.kind === "body" && this.world?.following === chosen.index,
      traced: chosen?.kind === "body" && (this.world?.traces.has(chosen.index) ?? false),
    });
    this.card?.update(this.loaded.run.motion, this.instant, this.player.time, this.world?.ghost ?? null);
    this.tree?.show(chosen);
    this.schedule();
  }

  follow(body: number): void {
    if (!this.world) return;
    this.world.follow(body);
    const button = document.getElementById("follow");
    button?.setAttribute("aria-pressed", String(body >= 0));
    if (body >= 0 && !this.parameters.still) {
      const { stage } = this.world;
      const at = stage.target.clone().fromArray(this.instant.poses, 7 * body);
      stage.place({ ...stage.here, target: at }, true);
    }
    this.choose(this.chosen);
  }

  private toggleFollow(): void {
    if (!this.world) return;
    const picked = this.chosen?.kind === "body" ? this.chosen.index : -1;
    const wanted = picked > 0 ? picked : mainBody(this.scene);
    this.follow(this.world.following === wanted || (picked < 0 && this.world.following >= 0) ? -1 : wanted);
  }

  private toggleReactions(): void {
    if (!this.world) return;
    const on = !this.world.loads.showReactions;
    this.world.loads.showReactions = on;
    const box = document.getElementById("show-reactions") as HTMLInputElement | null;
    if (box) box.checked = on;
    this.schedule();
  }

  /** The path of the point that was clicked, or of the center of mass. */
  trace(chosen: Chosen): void {
    const { world } = this;
    if (!world || chosen.kind !== "body" || chosen.index === 0) return;
    if (world.traces.has(chosen.index)) world.traces.remove(chosen.index);
    else {
      const point = chosen.point ? this.inBody(chosen.index, chosen.point) : ([0, 0, 0] as Vec3);
      world.traces.add(this.scene, this.loaded.run.motion, { body: chosen.index, point });
    }
    this.choose(chosen);
  }

  private inBody(body: number, at: Vec3): Vec3 {
    const p = this.instant.poses;
    const o = 7 * body;
    const d = [at[0] - p[o]!, at[1] - p[o + 1]!, at[2] - p[o + 2]!];
    // The inverse turn: e1..e3 change sign.
    const [w, x, y, z] = [p[o + 3]!, -p[o + 4]!, -p[o + 5]!, -p[o + 6]!];
    const t = [
      2 * (y * d[2]! - z * d[1]!), 2 * (z * d[0]! - x * d[2]!), 2 * (x * d[1]! - y * d[0]!),
    ];
    return [
      d[0]! + w * t[0]! + y * t[2]! - z * t[1]!,
      d[1]! + w * t[1]! + z * t[0]! - x * t[2]!,
      d[2]! + w * t[2]! + x * t[1]! - y * t[0]!,
    ];
  }

  private plot(chosen: Chosen): void {
    const { scene } = this;
    const names =
      chosen.kind === "body"
        ? ["x", "y", "z"].map((axis) => `body.${scene.bodies[chosen.index]!.name}.position.${axis}`)
        : chosen.kind === "joint"
          ? ["x", "y", "z"].map(
              (axis) => `joint.${scene.joints[chosen.index]!.name}.reaction.force.${axis}`,
            )
          : [`force.${scene.forces[chosen.index]!.name}.value`];
    this.panel("plots", true);
    for (const name of names) {
      const channel = this.channels.find(name);
      if (channel) this.plots.add(channel);
    }
  }

  // A click without a drag picks; a drag turns the camera.
  private listenToPointer(world: World): void {
    const { canvas } = world.stage;
    let down: { x: number; y: number } | null = null;
    canvas.addEventListener("pointerdown", (event) => {
      down = event.isPrimary && event.button === 0 ? { x: event.clientX, y: event.clientY } : null;
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!down || Math.hypot(event.clientX - down.x, event.clientY - down.y) > 5) return;
      const frame = canvas.getBoundingClientRect();
      this.choose(world.pickAt(event.clientX - frame.left, event.clientY - frame.top));
    });
    canvas.addEventListener("dblclick", () => this.toggleFollow());
  }

  schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number): void {
    this.scheduled = false;
    if (this.isHeld) return;
    const elapsed = this.lastTick > 0 ? (now - this.lastTick) / 1000 : 0;
    if (elapsed > 0) this.world?.stage.observe(1000 * elapsed);
    this.lastTick = now;
    const begin = performance.now();
    this.player.advance(elapsed); // schedules the next frame itself while it plays
    if (this.world?.stage.fly()) this.schedule();
    this.bring();
    this.world?.draw();
    this.frameTimes.push(performance.now() - begin);
    if (this.frameTimes.length > 600) this.frameTimes.shift();
    if (!this.player.playing && !this.scheduled) this.rest();
  }

  // When nothing moved for a moment, the same picture once more and finer.
  private rest(): void {
    this.lastTick = 0;
    clearTimeout(this.restTimer);
    if (this.parameters.draft) return;
    this.restTimer = window.setTimeout(() => {
      if (!this.scheduled && !this.isHeld && this.world?.stage.worthRefining) this.world.draw(true);
    }, 300);
  }

  /** Everything on the page at the player's time. */
  private bring(): void {
    const { time } = this.player;
    const { scene, motion } = this.loaded.run;
    if (this.world) this.world.show(time);
    else sample(scene, motion, time, this.instant);
    this.plots.show(time);
    this.card?.update(motion, this.instant, time, this.world?.ghost ?? null);
    this.tag();
  }

  // The name of the picked item, next to it.
  private tag(): void {
    const { chosen, world, label } = this;
    if (!chosen || !world || chosen.kind === "force" || (chosen.kind === "body" && chosen.index === 0)) {
      label.hidden = true;
      return;
    }
    const body = chosen.kind === "body";
    const at = body
      ? this.instant.poses.subarray(7 * chosen.index, 7 * chosen.index + 3)
      : world.joints.positions.subarray(3 * chosen.index, 3 * chosen.index + 3);
    const place = world.onScreen(at);
    label.hidden = !place.visible;
    label.textContent = (body ? this.scene.bodies : this.scene.joints)[chosen.index]!.name;
    label.style.transform = `translate(${place.x + 10}px, ${place.y - 24}px)`;
  }
}

interface Verdict {
  text: string;
  color: "green" | "amber" | "red";
  reasons: string[];
}

/** The worse of how the run ended and what its certificate says. */
export function verdictOf(scene: Scene, certificate: Certificate | null): Verdict | null {
  const reasons = certificate?.reasons ?? [];
  if (scene.status === "failed") {
    return { text: "failed", color: "red", reasons: [scene.message, ...reasons].filter(Boolean) };
  }
  if (certificate?.grade === "unsound") return { text: "unsound", color: "red", reasons };
  if (scene.status === "interrupted") {
    return { text: "stopped", color: "amber", reasons: [scene.message, ...reasons].filter(Boolean) };
  }
  if (certificate?.grade === "sound") return { text: "sound", color: "green", reasons };
  if (certificate?.grade) return { text: certificate.grade, color: "amber", reasons };
  return null;
}

