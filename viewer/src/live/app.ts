// The page of a model that runs: the worker's frames drawn by the viewer's world, and everything by which
// a reader acts on the model.

import type { Frame, Loaded, ModelSource, Problem, Signal, SimulationOptions } from "../../engine/protocol.ts";
import { Card } from "../card.ts";
import { readScene, type Scene } from "../data.ts";
import { h, iconButton } from "../dom.ts";
import { fillHelp, listen } from "../keys.ts";
import { banner, noWebGL } from "../messages.ts";
import { createInstant, type Instant } from "../motion.ts";
import { optionsMenu } from "../options.ts";
import type { Parameters } from "../parameters.ts";
import type { Chosen, Kind } from "../pick.ts";
import { plotSearch } from "../plots.ts";
import { NoWebGL, type Place } from "../stage.ts";
import type { Theme } from "../theme.ts";
import { Tree } from "../tree.ts";
import { mainBody, type ViewName } from "../views.ts";
import { viewButtons } from "../viewbar.ts";
import { World } from "../world.ts";
import { LiveBar } from "./bar.ts";
import { Controls } from "./controls.ts";
import { listenToDrops, modelAmong, readChosen, type Dropped } from "./drop.ts";
import { Editor } from "./editor.ts";
import { History } from "./history.ts";
import { KEYS, keyActions } from "./keys.ts";
import { Panels } from "./panels.ts";
import { sourceOf, type LiveParts } from "./parts.ts";
import { LivePlots } from "./plots.ts";
import { PullTool } from "./pull.ts";
import { keep } from "./saved.ts";
import { Session } from "./session.ts";

const find = (id: string): HTMLElement => document.getElementById(id)!;

export class LiveApp {
  world: World | null = null;
  running = false;
  time = 0;
  frames = 0; // drawn
  first = 0; // ms from the start of the page to the first frame
  problems: Problem[] = []; // of the last thing that failed
  loaded: Loaded | null = null;
  readonly plots: LivePlots;
  readonly ready: Promise<void>; // a first frame, or an error, is on the page
  private session: Session;
  private parameters: Parameters;
  private theme: Theme;
  private panels: Panels;
  private bar: LiveBar;
  private controls: Controls;
  private editor: Editor;
  private pull: PullTool;
  private source: ModelSource; // that the reader sees
  private isForeign = true; // the worker does not have this file, perhaps the one before
  private options: SimulationOptions;
  private scene: Scene | null = null;
  private history: History | null = null;
  private instant: Instant | null = null;
  private tree: Tree | null = null;
  private card: Card | null = null;
  private chosen: Chosen | null = null;
  private seen: ViewName | null = null; // null: the reader has turned it
  private hasChosenFollow = false;
  private latest: Frame | null = null; // to be drawn
  private scheduled = false;
  private lastTick = 0;
  private restTimer = 0;
  private building: string | null = null; // parameter under way
  private wanted = new Map<string, number>(); // parameters to be set after it
  private isReady: () => void = () => {};
  // The world needs the first frame: bodies, and what is seen of them, lie where it says.
  private buildWorld: (() => void) | null = null;

  constructor(parts: LiveParts, parameters: Parameters, theme: Theme, hasRun: boolean) {
    this.parameters = parameters;
    this.theme = theme;
    this.source = sourceOf(parts.page);
    this.options = parts.page.options ?? {};
    this.ready = new Promise((done) => (this.isReady = done));
    // First of all: the engine is compiled while the page is built.
    this.session = new Session(
      parts,
      {
        ready: () => {},
        started: () => {},
        loaded: (message) => this.show(message),
        frame: (message) => this.take(message),
        state: ({ running, factor }) => {
          this.running = running;
          this.bar.state(running, factor);
        },
        error: ({ during, problems }) => this.failed(during, problems),
        saved: (saved) => keep(saved, { ...this.source, text: this.loaded?.text ?? this.source.text }, find("save")),
      },
      (text) => banner("red", `The engine does not run: ${text}`),
    );
    if (parameters.speed !== null) this.session.send({ type: "speed", factor: parameters.speed });
    this.load(this.source, parameters.run);
    document.body.classList.add("live");
    find("against").textContent = "live";
    this.panels = new Panels(() => this.fit());
    this.controls = new Controls(this.panels.body("controls"), {
      input: (name, value) => this.session.send({ type: "input", name, value }),
      parameter: (name, value) => this.setParameter(name, value),
    });
    this.editor = new Editor(this.panels.body("model"), (text) => this.edited(text));
    this.editor.show(this.source.text);
    this.plots = new LivePlots(find("charts"), theme.palette, (signals) => this.session?.send({ type: "watch", signals }));
    this.bar = new LiveBar(find("bar"), {
      toggle: () => this.toggle(), step: () => this.step(), reset: () => this.reset(),
      speed: (factor) => this.session.send({ type: "speed", factor }), save: () => this.session.send({ type: "save" }),
    });
    this.pull = new PullTool(find("canvas"), {
      grab: (body, point, target) => {
        this.session.send({ type: "pull", body, point, target });
        if (!this.running) this.session.send({ type: "run" });
      },
      move: (target) => this.session.send({ type: "pull-to", target }),
      release: () => this.session.send({ type: "pull-end" }),
      click: (x, y) => this.choose(this.world?.pickAt(x, y) ?? null),
    });
    this.build(hasRun);
  }

  // ---- the page ----------------------------------------------------------------------------------

  private build(hasRun: boolean): void {
    const { theme, panels } = this;
    const tools = find("tools");
    if (hasRun) {
      tools.append(h("button", { type: "button", class: "text", id: "results", click: () => leave() }, "Results"));
    }
    tools.append(
      panels.button("model", "edit", "Model as text (e)"), panels.button("parts", "parts", "Parts (b)"),
      panels.button("controls", "sliders", "Inputs and parameters (i)"), panels.button("plots", "plots", "Plots (p)"),
      iconButton("options", "What is shown", () => {}, { popovertarget: "options" }),
      iconButton("theme", "Dark or light (d)", () => theme.toggle(), { id: "theme" }),
      iconButton("help", "Help (?)", () => {}, { popovertarget: "help" }),
    );
    find("plots-head").append(
      plotSearch(
        {
          search: (query, limit) => searchSignals(this.loaded?.signals ?? [], query, limit),
        },
        this.plots,
      ),
    );
    viewButtons(find("views"), (name) => this.view(name), () => this.toggleFollow());
    theme.onChange((palette) => {
      this.world?.paint(palette);
      this.pull.paint(palette.accent);
      this.plots.paint(palette);
      this.schedule();
    });
    listen(
      keyActions({
        toggle: () => this.toggle(),
        step: () => this.step(),
        reset: () => this.reset(),
        shiftSpeed: (by) => this.session.send({ type: "speed", factor: this.bar.shift(by) }),
        save: () => this.session.send({ type: "save" }),
        view: (name) => this.view(name),
        follow: () => this.toggleFollow(),
        panel: (name) => panels.toggle(name),
        theme: () => theme.toggle(),
        help: () => find("help").togglePopover(),
        clear: () => this.choose(null),
      }),
    );
    listenToDrops((files) => this.open(files), (error) => banner("amber", `Not opened: ${(error as Error).message}`));
    this.openButton();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden && this.running) this.session.send({ type: "pause" });
    });
  }

  private openButton(): void {
    const input = h("input", {
      type: "file", id: "open-files", multiple: true, "aria-label": "Open a model",
      change: () => {
        const { files } = input;
        if (files && files.length > 0) void readChosen(files).then((read) => this.open(read));
        input.value = "";
      },
    });
    input.hidden = true;
    const button = h("button", { type: "button", class: "tool", id: "open", click: () => input.click() }, "Open…");
    find("model").querySelector(".close")!.before(button, input);
  }

  private open(files: Dropped): void {
    const source = modelAmong(files);
    if (source) this.load(source, true);
    else banner("amber", "None of these files is a model: .yaml, .json, .urdf, .mjcf, .xml, .sdf.");
  }

  private title(text: string): void {
    find("title").textContent = text;
    document.title = `${text} - Holon live`;
  }

  // ---- the model ---------------------------------------------------------------------------------

  load(source: ModelSource, run: boolean): void {
    this.source = source;
    this.isForeign = true;
    this.session.send({ type: "load", source, options: this.options, run });
  }

  private edited(text: string): void {
    this.source = { ...this.source, text };
    if (this.isForeign) this.load(this.source, this.running);
    else this.session.send({ type: "text", text });
  }

  // One at a time: a slider moves faster than models are built.
  private setParameter(name: string, value: number): void {
    this.wanted.set(name, value);
    this.sendParameter();
  }

  private sendParameter(): void {
    if (this.building !== null) return;
    for (const [name, value] of this.wanted) {
      this.wanted.delete(name);
      this.building = name;
      this.session.send({ type: "parameter", name, value });
      return;
    }
  }

  private show(loaded: Loaded): void {
    const before = this.loaded;
    const isSame = before !== null && before.scene === loaded.scene;
    this.loaded = loaded;
    this.isForeign = false;
    this.latest = null;
    if (!isSame) this.showScene(loaded, before);
    this.history?.clear();
    this.title(loaded.name || this.source.name);
    if (before?.text !== loaded.text && this.source.text === loaded.text) this.editor.show(loaded.text);
    this.editor.good(loaded.milliseconds, loaded.warnings);
    this.problems = [];
    if (this.building === null) this.controls.show(loaded.inputs, loaded.parameters);
    else this.controls.reset();
    if (before === null) this.startPanels();
    else this.plots.use(loaded.signals);
    this.building = null;
    this.sendParameter();
  }

  private showScene(loaded: Loaded, before: Loaded | null): void {
    const warnings: string[] = [];
    const scene = readScene(loaded.scene, warnings, "the scene of the model");
    const isSame = before !== null && isSameMachine(before.scene, loaded.scene);
    const camera = this.world && isSame ? this.world.stage.here : null;
    if (!isSame) this.seen = null;
    if (!isSame) this.hasChosenFollow = false;
    this.scene = scene;
    this.history = new History(scene.motion.stride);
    this.history.push(0, firstRecord(scene));
    this.instant = createInstant(scene);
    this.world?.dispose();
    this.world = null;
    this.chosen = null;
    this.buildWorld = () => this.makeWorld(scene, camera);
    warnings.forEach((text) => banner("amber", text));
  }

  private makeWorld(scene: Scene, camera: Place | null): void {
    const history = this.history!;
    const run = { scene, motion: history, signals: null };
    try {
      const world = new World({ run, against: null, certificate: null, warnings: [] }, this.instant!, find("canvas"), false, true);
      this.world = world;
      world.stage.onNeedsDraw = () => this.schedule();
      world.stage.canvas.setAttribute("role", "img");
      world.stage.canvas.setAttribute("aria-label", `The model ${this.loaded?.name ?? ""}`);
      world.paint(this.theme.palette);
      this.pull.use(world, 0.012 * world.extent.size, this.theme.palette.accent);
      if (scene.roads.length > 0) world.follow(mainBody(scene));
      this.markFollow();
      world.stage.controls.addEventListener("start", () => (this.seen = null));
      if (camera && !this.seen) world.stage.place(camera, false);
      else this.view(this.seen ?? this.parameters.view ?? world.firstView, false);
      find("options").replaceChildren();
      optionsMenu(find("options"), world, () => this.schedule());
      find("scale-note").textContent = `grid ${world.ground.cell} m`;
    } catch (error) {
      if (!(error instanceof NoWebGL)) throw error;
      if (!document.querySelector("#view .inset")) noWebGL(find("view"));
    }
    this.lists(scene);
    find("help").replaceChildren();
    fillHelp(find("help"), `Holon ${scene.holon}, running in this page.`, KEYS.keys, KEYS.pointer);
  }

  private lists(scene: Scene): void {
    find("parts-body").replaceChildren();
    document.getElementById("card")?.remove();
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
      follow: (body) => this.follow(this.world?.following === body ? -1 : body),
      plot: (chosen) => this.plot(chosen),
      hide: (chosen) => {
        this.holderOf(chosen.kind)?.setVisible(chosen.index, false);
        this.tree?.fill();
        this.choose(null);
      },
    });
  }

  // Plots of what the author of the model wanted to see, else of the energy.
  private startPanels(): void {
    const wide = window.innerWidth >= 1000;
    if (wide && !this.controls.isEmpty) this.panels.toggle("controls", true);
    if (wide || this.parameters.plot.length > 0) this.panels.toggle("plots", true);
  }

  private startPlots(loaded: Loaded): void {
    const { parameters } = this;
    const known = new Map(loaded.signals.map((signal) => [signal.name, signal]));
    const outputs = loaded.signals.filter((signal) => signal.is_output).slice(0, 3);
    const asked = parameters.plot.map((name) => known.get(name)).filter((signal) => signal !== undefined);
    const energies = ["energy.kinetic", "energy.potential"].map((name) => known.get(name)).filter((one) => one !== undefined);
    const chosen = asked.length > 0 ? asked : outputs.length > 0 ? outputs : energies;
    for (const signal of chosen) this.plots.add(signal);
  }

  private failed(during: string, problems: Problem[]): void {
    this.problems = problems;
    this.isReady();
    if (during === "run") {
      const [first] = problems;
      banner("red", `The run stopped at ${this.time.toPrecision(4)} s. ${first?.element ?? ""} ${first?.message ?? ""} ${first?.hint ?? ""}`);
      return;
    }
    if (during === "parameter") {
      this.building = null;
      const [first] = problems;
      banner("amber", `This value cannot be built. ${first?.element ?? ""} ${first?.message ?? ""}`);
      this.sendParameter();
      return;
    }
    if (during !== "load" && during !== "text") {
      banner("amber", problems.map(({ message }) => message).join(" "));
      return;
    }
    this.editor.show(this.source.text);
    this.editor.bad(problems, this.source.name, this.loaded !== null);
    this.panels.toggle("model", true);
    if (!this.loaded) this.title(this.source.name);
  }

  // ---- acting ------------------------------------------------------------------------------------

  toggle(): void {
    this.session.send({ type: this.running ? "pause" : "run" });
  }

  step(): void {
    this.session.send({ type: "step" });
  }

  reset(): void {
    this.session.send({ type: "reset" });
    this.controls.reset();
    this.history?.clear();
    this.plots.clear();
  }

  view(name: ViewName, smooth = true): void {
    this.seen = name;
    this.world?.view(name, smooth);
    this.schedule();
  }

  // The picture has another size: the same view again, unless the reader has turned it.
  private fit(): void {
    this.world?.stage.resize(find("canvas"));
    if (this.seen) this.view(this.seen, false);
    this.schedule();
  }

  // What leaves the picture is followed, until the reader decides about it.
  private keepInSight(): void {
    const { world, scene, instant } = this;
    if (!world || !scene || !instant || this.hasChosenFollow || world.following >= 0) return;
    const body = mainBody(scene);
    const { x, y, visible } = world.onScreen(instant.poses.subarray(7 * body, 7 * body + 3));
    const { clientWidth, clientHeight } = world.stage.canvas;
    if (body === 0 || (visible && x > 0 && y > 0 && x < clientWidth && y < clientHeight)) return;
    this.follow(body);
    const target = world.stage.target.clone().fromArray(instant.poses, 7 * body);
    world.stage.place({ ...world.stage.here, target }, true);
  }

  private holderOf(kind: Kind) {
    const { world } = this;
    if (!world) return null;
    return kind === "body" ? world.bodies : kind === "joint" ? world.joints : world.springs;
  }

  choose(chosen: Chosen | null): void {
    this.chosen = chosen;
    this.world?.choose(chosen);
    this.card?.choose(chosen, {
      following: chosen?.kind === "body" && this.world?.following === chosen.index, traced: false,
    });
    this.tree?.show(chosen);
    this.schedule();
  }

  follow(body: number): void {
    this.world?.follow(body);
    this.markFollow();
    this.choose(this.chosen);
  }

  private markFollow(): void {
    document.getElementById("follow")?.setAttribute("aria-pressed", String((this.world?.following ?? -1) >= 0));
  }

  private toggleFollow(): void {
    if (!this.world || !this.scene) return;
    this.hasChosenFollow = true;
    const picked = this.chosen?.kind === "body" ? this.chosen.index : -1;
    const wanted = picked > 0 ? picked : mainBody(this.scene);
    this.follow(this.world.following === wanted || (picked < 0 && this.world.following >= 0) ? -1 : wanted);
  }

  private plot(chosen: Chosen): void {
    const { scene, loaded } = this;
    if (!scene || !loaded) return;
    const axes = ["x", "y", "z"];
    const names =
      chosen.kind === "body"
        ? axes.map((axis) => `body.${scene.bodies[chosen.index]!.name}.position.${axis}`)
        : chosen.kind === "joint"
          ? axes.map((axis) => `joint.${scene.joints[chosen.index]!.name}.reaction.force.${axis}`)
          : [`force.${scene.forces[chosen.index]!.name}.value`];
    this.panels.toggle("plots", true);
    for (const signal of loaded.signals) if (names.includes(signal.name)) this.plots.add(signal);
  }

  // ---- frames ------------------------------------------------------------------------------------

  // Read at once and given back; drawn when the browser draws.
  private take(frame: Frame): void {
    const { buffer } = frame;
    if (frame.record.length === this.history?.stride) { // else of the model before
      this.history.push(frame.time, frame.record);
      this.plots.push(frame.time, frame.signals);
      this.latest = { ...frame, pull: frame.pull.slice() };
      this.schedule();
    }
    this.session.send({ type: "shown", buffer }, [buffer]);
  }

  schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number): void {
    this.scheduled = false;
    const elapsed = this.lastTick > 0 ? now - this.lastTick : 0;
    if (elapsed > 0 && elapsed < 1000) this.world?.stage.observe(elapsed);
    this.lastTick = now;
    const { latest } = this;
    this.latest = null;
    if (latest && this.buildWorld) {
      this.buildWorld();
      this.buildWorld = null;
    }
    if (latest) this.bring(latest);
    else if (this.history && this.world) this.world.show(this.history.last);
    if (this.world?.stage.fly()) this.schedule();
    this.world?.draw();
    if (latest) this.frames++;
    if (latest && this.first === 0) {
      this.first = performance.now();
      this.isReady();
      if (this.loaded) this.startPlots(this.loaded);
    }
    if (!this.running && !this.scheduled) this.rest();
  }

  private bring(frame: Frame): void {
    this.time = frame.time;
    this.world?.show(frame.time);
    this.keepInSight();
    this.pull.show(frame.pull);
    this.plots.draw(!this.running);
    this.bar.show(frame.time, frame.speed, frame.busy, this.running);
    if (this.instant && this.history) this.card?.update(this.history, this.instant, frame.time, null);
  }

  // When nothing moved for a moment, the same picture once more and finer.
  private rest(): void {
    this.lastTick = 0;
    window.clearTimeout(this.restTimer);
    if (this.parameters.draft) return;
    this.restTimer = window.setTimeout(() => {
      if (!this.scheduled && this.world?.stage.worthRefining) this.world.draw(true);
    }, 300);
  }

}

function leave(): void {
  location.hash = "";
  location.reload();
}

function searchSignals(signals: Signal[], query: string, limit: number): Signal[] {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return signals.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word))).slice(0, limit);
}

const namesOf = (scene: string): string =>
  JSON.stringify((JSON.parse(scene) as { bodies: { name: string }[] }).bodies.map(({ name }) => name));

/** The same bodies, perhaps of other sizes: the camera stays. */
const isSameMachine = (one: string, other: string): boolean => namesOf(one) === namesOf(other);

// Until the first frame comes.
function firstRecord(scene: Scene): Float32Array {
  const record = new Float32Array(scene.motion.stride);
  for (let body = 1; body < scene.bodies.length; body++) record[scene.motion.columns.bodies + 7 * (body - 1) + 3] = 1;
  return record;
}
