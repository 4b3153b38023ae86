// The worker that runs a model for a page (protocol.ts): reads messages, computes frames at the pace of the
// clock and sends them. It never computes longer than a slice without looking for messages.

import type { Source } from "./api.ts";
import { load_engine, type HolonEngine, type RunningModel } from "./engine.ts";
import type { Frame, FromWorker, Problem, Quantity, SimulationOptions, ToWorker } from "./protocol.ts";
import { Recording } from "./recording.ts";

const RATE = 60; // frames a second
const SLICE = 12; // ms of computing between two looks at the messages
const BEHIND = 4; // frames the clock may be ahead before the wish for real time is given up
const BUFFERS = 32; // frames under way to the page, which may be busy drawing
const WINDOW = 500; // ms over which speed and load are averaged

/** Where messages go: a worker's scope, or a test. */
export interface Port {
  post(message: FromWorker, transfer?: ArrayBuffer[]): void;
  /** Calls back after pending messages were taken. */
  soon(call: () => void): void;
  later(call: () => void, milliseconds: number): void;
}

export class Runner {
  private engine: HolonEngine | null = null;
  private model: RunningModel | null = null;
  private options: SimulationOptions = {};
  private changed = new Map<string, Quantity>(); // parameters
  private recording = new Recording();
  private watched: string[] = [];
  private port: Port;
  private running = false;
  private stepsLeft = 0; // single frames
  private factor = 1;
  private inFrame = false;
  private due = 0; // clock time of the next frame
  private scheduled = false;
  private free: ArrayBuffer[] = [];
  private under = 0; // frames that the page has
  private stale = true; // the page has not seen the present state
  private spent: { clock: number; time: number; work: number }[] = [];
  private work = 0;

  constructor(port: Port) {
    this.port = port;
    port.post({ type: "ready" });
  }

  async take(message: ToWorker): Promise<void> {
    try {
      await this.handle(message);
    } catch (error) {
      this.fail(message.type, error);
    }
    this.schedule();
  }

  private async handle(message: ToWorker): Promise<void> {
    const { model } = this;
    switch (message.type) {
      case "start": {
        const began = performance.now();
        this.engine = await load_engine(message.engine);
        this.port.post({
          type: "started", version: this.engine.version, milliseconds: performance.now() - began,
        });
        return;
      }
      case "load":
        this.options = message.options ?? {};
        this.load(message.source, new Map());
        this.run(message.run === true);
        return;
      case "text": {
        if (!model) return;
        this.finishFrame();
        this.load({ ...model.source, text: message.text }, this.changed);
        return;
      }
      case "run":
        this.run(true);
        return;
      case "pause":
        this.run(false);
        return;
      case "step":
        this.running = false;
        this.stepsLeft = message.frames ?? 1;
        this.due = performance.now();
        this.state();
        return;
      case "speed":
        this.factor = Math.min(100, Math.max(1e-4, message.factor));
        this.state();
        return;
      case "reset":
        if (!model) return;
        this.inFrame = false;
        model.reset();
        this.started();
        this.state();
        return;
      case "pull":
        model?.grab(message.body, message.point, message.target, message.stiffness, message.damping);
        return;
      case "pull-to":
        model?.pull_to(message.target);
        return;
      case "pull-end":
        model?.release();
        return;
      case "input":
        model?.set_input(message.name, message.value);
        return;
      case "parameter": {
        if (!model) return;
        this.inFrame = false;
        try {
          model.set_parameter(message.name, message.value);
          const known = model.loaded.parameters.find(({ name }) => name === message.name);
          if (known) this.changed.set(message.name, { ...known, value: message.value });
        } finally {
          this.started();
          this.loaded();
        }
        return;
      }
      case "watch":
        this.watched = message.signals;
        model?.watch(message.signals);
        this.stale = true;
        return;
      case "save":
        if (!model) return;
        this.finishFrame();
        this.port.post({
          type: "saved", ...this.recording.save(model, this.options, [...this.changed.values()]),
        });
        return;
      case "shown":
        this.under--;
        if (message.buffer.byteLength > 0) this.free.push(message.buffer);
        return;
    }
  }

  // ---- models ------------------------------------------------------------------------------------

  private load(source: Source, changed: Map<string, Quantity>): void {
    if (!this.engine) throw new Error("the engine has not been started");
    const next = this.engine.create(source, this.options);
    for (const [name, { value }] of changed) {
      if (next.loaded.parameters.some((parameter) => parameter.name === name)) next.set_parameter(name, value);
      else changed.delete(name);
    }
    this.model?.free();
    this.model = next;
    this.changed = changed;
    this.inFrame = false;
    next.watch(this.watched);
    this.free = [];
    this.started();
    this.loaded();
  }

  private started(): void {
    this.recording.clear();
    this.spent = [];
    this.work = 0;
    this.due = performance.now();
    this.stale = true;
  }

  private loaded(): void {
    if (!this.model) return;
    this.port.post({ type: "loaded", ...this.model.loaded });
    this.state();
  }

  private run(on: boolean): void {
    if (on && !this.running) {
      this.due = performance.now();
      this.spent = [];
    }
    this.running = on && this.model !== null;
    this.stepsLeft = 0;
    this.state();
  }

  private state(): void {
    this.port.post({
      type: "state", running: this.running, time: this.model?.time ?? 0, factor: this.factor,
    });
  }

  private fail(during: ToWorker["type"], error: unknown): void {
    const problems = (error as { problems?: Problem[] }).problems ?? [{
      status: "failed", element: "", message: (error as Error).message ?? String(error), hint: "", file: "",
      line: 0, column: 0,
    }];
    this.port.post({ type: "error", during, problems });
  }

  // ---- frames ------------------------------------------------------------------------------------

  private schedule(): void {
    if (this.scheduled || !this.model) return;
    const wants = this.running || this.stepsLeft > 0 || this.inFrame;
    if (!wants) {
      if (this.stale) this.show();
      return;
    }
    const wait = this.inFrame || this.stepsLeft > 0 ? 0 : this.due - performance.now();
    this.scheduled = true;
    const go = () => {
      this.scheduled = false;
      this.slice();
      this.schedule();
    };
    if (wait > 1) this.port.later(go, wait);
    else this.port.soon(go);
  }

  // At most SLICE ms of work; a frame that needs longer continues in the next slice.
  private slice(): void {
    const { model } = this;
    if (!model) return;
    const began = performance.now();
    try {
      if (!this.inFrame) {
        if (!this.running && this.stepsLeft === 0) return;
        model.begin(this.factor / RATE);
        this.recording.add(model);
        this.inFrame = true;
      }
      let steps = 1;
      for (;;) {
        if (model.work(steps)) {
          this.endFrame(began);
          return;
        }
        if (performance.now() - began > SLICE) break;
        steps = Math.min(64, 2 * steps);
      }
      this.work += performance.now() - began;
    } catch (error) {
      this.running = this.inFrame = false;
      this.stepsLeft = 0;
      this.stale = true;
      this.fail("run", error);
      this.state();
    }
  }

  private endFrame(began: number): void {
    const now = performance.now();
    this.work += now - began;
    this.inFrame = false;
    this.due += 1000 / RATE;
    if (this.due < now - (BEHIND * 1000) / RATE) this.due = now;
    this.spent.push({ clock: now, time: this.model!.time, work: this.work });
    while (this.spent.length > 2 && this.spent[0]!.clock < now - WINDOW) this.spent.shift();
    if (this.stepsLeft > 0 && --this.stepsLeft === 0) this.state();
    this.stale = true;
    if (this.under < BUFFERS) this.show();
  }

  private finishFrame(): void {
    if (!this.inFrame || !this.model) return;
    while (!this.model.work(1000));
    this.inFrame = false;
    this.stale = true;
  }

  private show(): void {
    const { model } = this;
    if (!model) return;
    const { record, signals, energy, pull } = model;
    const pulled = model.is_pulled ? pull.length : 0;
    const size = 8 * (signals.length + energy.length + pulled) + 4 * record.length;
    let buffer = this.free.pop();
    if (!buffer || buffer.byteLength < size) buffer = new ArrayBuffer(size + 8 * pull.length);
    let at = 0;
    const put = (values: Float64Array): Float64Array => {
      const copy = new Float64Array(buffer, at, values.length);
      copy.set(values);
      at += 8 * values.length;
      return copy;
    };
    const frame: Frame = {
      time: model.time, signals: put(signals), energy: put(energy), pull: put(pull.subarray(0, pulled)),
      record: new Float32Array(buffer, at, record.length), ...this.pace(), steps: model.steps, buffer,
    };
    frame.record.set(record);
    this.stale = false;
    this.under++;
    this.port.post({ type: "frame", ...frame }, [buffer]);
  }

  // Of the last half second: simulated time and computing time against the clock.
  private pace(): { speed: number; busy: number } {
    const first = this.spent[0];
    const last = this.spent[this.spent.length - 1];
    if (!first || !last || last.clock <= first.clock) return { speed: 0, busy: 0 };
    const passed = last.clock - first.clock;
    return { speed: (1000 * (last.time - first.time)) / passed, busy: (last.work - first.work) / passed };
  }
}

