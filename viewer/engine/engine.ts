// The engine in JavaScript: a model from text, steps, and arrays that stay valid.
//
//   const engine = await load_engine(bytes);                 // holon.wasm, gzipped or not
//   const model = engine.create({ name: "pendulum.yaml", text });
//   const { poses } = model;                                 // 7 numbers a body
//   while (model.time < 10) model.step(1 / 60);
//   model.free();
//
// Each model has a memory of its own. Growth detaches every view of a memory, so arrays are copies, written
// after each call that changes the model: a few hundred numbers, and only those that were asked for.

import type { Engine, LoadEngine, Model, ModelError as Failure, Source } from "./api.ts";
import {
  PULL_NUMBERS, type Loaded, type ModelSource, type Problem, type Quantity,
  type SimulationOptions, type Vec3,
} from "./protocol.ts";
import { recordsOf } from "./parse.ts";
import { Files, normalize } from "./wasi.ts";

type Exports = Record<string, (...words: (number | bigint)[]) => number> & {
  memory: WebAssembly.Memory;
};

// holon_array of tools/engine/engine.h.
enum View {
  head, poses, reactions, forces, energy, watched, pull, positions, velocities, inputs, next_inputs,
}
enum Head { time, steps, is_pulled }

const PULL_SHARE = 0.3; // of critical damping
const PULL_RATE = 10; // rad/s

export class ModelError extends Error implements Failure {
  override readonly name = "ModelError" as const;
  readonly problems: Problem[];
  constructor(problems: Problem[]) {
    const first = problems[0]!;
    const place = first.line > 0 ? `${first.file}:${first.line}:${first.column}: ` : "";
    const text = [first.element, first.message].filter((part) => part !== "").join(" ");
    super(place + text + (first.hint === "" ? "" : `\n  ${first.hint}`));
    this.problems = problems;
  }
}

class Running implements Model {
  loaded!: Loaded;
  bodies!: string[];
  readonly source: Source;
  private x: Exports;
  private files: Files;
  private given = 0; // the model's address; 0: freed
  private scratch: number; // 256 bytes
  private views = new Map<View, Float64Array>();
  private shown: Float32Array | null = null; // record
  private masses: number[] = [];
  private grabbed: { body: number; place: number[] } | null = null;
  private watching: string[] = [];

  constructor(instance: WebAssembly.Instance, files: Files, source: Source, options: SimulationOptions) {
    this.x = instance.exports as Exports;
    this.files = files;
    this.source = source;
    this.scratch = this.x.holon_allocate!(256);
    const began = performance.now();
    const words = [
      ...(source.overlays ?? []).map((name) => `with ${normalize(name)}`),
      ...(source.settings ?? []).map((setting) => `set ${setting}`),
      ...(source.packages ?? []).map((one) => `package ${one}`),
      ...Object.entries(options).filter(([name, value]) => name !== "pulls" && value !== undefined)
        .map(([name, value]) => `option ${name}=${value}`),
      ...(options.pulls === false ? [] : ["pulls"]),
    ];
    const name = this.put(normalize(source.name));
    const list = this.put(words.join("\0"));
    this.given = this.x.holon_create!(name.at, list.at, list.size);
    name.free();
    list.free();
    if (this.given === 0) throw new ModelError([no_memory()]);
    if (this.x.holon_status!(this.handle) !== 0) {
      const problems = this.problems();
      this.free();
      throw new ModelError(problems);
    }
    this.read_about(performance.now() - began);
  }

  // ---- memory ------------------------------------------------------------------------------------

  // A text in the engine's memory, terminated; `size` counts the end mark.
  private put(text: string): { at: number; size: number; free: () => void } {
    const bytes = new TextEncoder().encode(`${text}\0`);
    const at = this.x.holon_allocate!(bytes.length);
    new Uint8Array(this.x.memory.buffer).set(bytes, at);
    return { at, size: bytes.length, free: () => this.x.holon_release!(at) };
  }

  private text_at(at: number): string {
    const bytes = new Uint8Array(this.x.memory.buffer);
    let end = at;
    while (bytes[end] !== 0) end++;
    return new TextDecoder().decode(bytes.subarray(at, end));
  }

  private problems(): Problem[] {
    const raw = JSON.parse(this.text_at(this.x.holon_problems!(this.handle))) as Record<string, unknown>[];
    return raw.map((one) => ({
      status: String(one.code ?? ""), element: String(one.element ?? ""), message: String(one.message ?? ""),
      hint: String(one.hint ?? ""), file: String(one.file ?? ""), line: Number(one.line ?? 0),
      column: Number(one.column ?? 0),
    }));
  }

  private get handle(): number {
    if (this.given === 0) throw new Error("the model was freed; create it again");
    return this.given;
  }

  // In the engine's memory, until it grows.
  private raw(what: View): Float64Array {
    const at = this.x.holon_view!(this.handle, what, this.scratch);
    return new Float64Array(this.x.memory.buffer, at, new DataView(this.x.memory.buffer).getInt32(this.scratch, true));
  }

  private raw_record(): Float32Array {
    const at = this.x.holon_record!(this.handle, this.scratch);
    return new Float32Array(this.x.memory.buffer, at, new DataView(this.x.memory.buffer).getInt32(this.scratch, true));
  }

  private array(what: View): Float64Array {
    let view = this.views.get(what);
    if (!view) this.views.set(what, (view = this.raw(what).slice()));
    return view;
  }

  // Writes the numbers of all arrays that were asked for.
  private refresh(): void {
    for (const [what, view] of this.views) {
      const now = this.raw(what);
      if (now.length === view.length) view.set(now);
      else this.views.set(what, now.slice());
    }
    if (!this.shown) return;
    const now = this.raw_record();
    if (now.length === this.shown.length) this.shown.set(now);
    else this.shown = now.slice();
  }

  private check(status: number): void {
    this.refresh();
    if (status < 0) throw new ModelError(this.problems());
  }

  private read_about(milliseconds: number): void {
    const about = JSON.parse(this.text_at(this.x.holon_about!(this.handle))) as {
      scene: { bodies: { name: string; mass: number }[]; forces: unknown[] };
      pulls: number;
    } & Omit<Loaded, "scene" | "text" | "milliseconds">;
    const { scene, pulls, ...rest } = about;
    scene.forces.length -= pulls;
    this.bodies = scene.bodies.map((body) => body.name);
    this.masses = scene.bodies.map((body) => body.mass);
    this.loaded = { ...rest, scene: JSON.stringify(scene), text: this.source.text, milliseconds };
  }

  // ---- views -------------------------------------------------------------------------------------

  get time(): number {
    return this.array(View.head)[Head.time]!;
  }
  get steps(): number {
    return this.array(View.head)[Head.steps]!;
  }
  get is_pulled(): boolean {
    return this.array(View.head)[Head.is_pulled]! > 0;
  }
  get poses(): Float64Array {
    return this.array(View.poses);
  }
  get reactions(): Float64Array {
    return this.array(View.reactions);
  }
  get forces(): Float64Array {
    return this.array(View.forces);
  }
  get energy(): Float64Array {
    return this.array(View.energy);
  }
  get signals(): Float64Array {
    return this.array(View.watched);
  }
  get positions(): Float64Array {
    return this.array(View.positions);
  }
  get velocities(): Float64Array {
    return this.array(View.velocities);
  }
  get record(): Float32Array {
    return (this.shown ??= this.raw_record().slice());
  }
  get pull(): Float64Array {
    return this.array(View.pull);
  }
  /** Values of the inputs at the start and at the end of the last frame: rows of a table. */
  get inputs(): Float64Array {
    return this.array(View.inputs);
  }
  get next_inputs(): Float64Array {
    return this.array(View.next_inputs);
  }

  // ---- running -----------------------------------------------------------------------------------

  step(dt: number): void {
    this.begin(dt);
    while (!this.work(1000));
  }

  begin(dt: number): void {
    this.check(this.x.holon_start_frame!(this.handle, dt));
  }

  work(steps: number): boolean {
    const status = this.x.holon_work!(this.handle, steps);
    this.check(status);
    return status > 0;
  }

  advance(time: number): void {
    this.check(this.x.holon_advance!(this.handle, time));
  }

  reset(): void {
    this.grabbed = null;
    this.check(this.x.holon_reset!(this.handle));
    this.renew();
  }

  // After the model was built again.
  private renew(): void {
    this.read_about(this.loaded.milliseconds);
    this.watch(this.watching);
  }

  save(): Uint8Array {
    const size = this.x.holon_state_size!(this.handle);
    const at = this.x.holon_allocate!(size);
    const status = at === 0 ? -1 : this.x.holon_save!(this.handle, at, size);
    const state = new Uint8Array(this.x.memory.buffer, at, size).slice();
    this.x.holon_release!(at);
    if (at === 0) throw new ModelError([no_memory()]);
    this.check(status);
    return state;
  }

  restore(state: Uint8Array): void {
    const at = this.x.holon_allocate!(state.length);
    if (at === 0) throw new ModelError([no_memory()]);
    new Uint8Array(this.x.memory.buffer).set(state, at);
    const status = this.x.holon_restore!(this.handle, at, state.length);
    this.x.holon_release!(at);
    this.grabbed = null;
    this.check(status);
  }

  set_input(name: string, value: number): void {
    const text = this.put(name);
    const status = this.x.holon_set_input!(this.handle, text.at, value);
    text.free();
    this.check(status);
  }

  set_parameter(name: string, value: number): void {
    const known = this.loaded.parameters.find((parameter) => parameter.name === name);
    const text = this.put(name);
    const unit = this.put(known?.unit ?? "");
    const status = this.x.holon_set_parameter!(this.handle, text.at, value, unit.at);
    text.free();
    unit.free();
    const problems = status < 0 ? this.problems() : [];
    this.grabbed = null;
    this.renew();
    if (status < 0) throw new ModelError(problems);
  }

  watch(signals: readonly string[]): void {
    this.watching = [...signals];
    const list = this.put(signals.join("\0"));
    const status = this.x.holon_watch!(this.handle, list.at, signals.length > 0 ? list.size : 0);
    list.free();
    this.check(status);
  }

  // ---- pulling -----------------------------------------------------------------------------------

  grab(body: number | string, point: Vec3, target: Vec3, stiffness?: number, damping?: number): void {
    const index = typeof body === "string" ? this.bodies.indexOf(body) : body;
    const mass = this.masses[index];
    if (index < 1 || mass === undefined) throw new RangeError(`there is no body ${body}`);
    const all = this.masses.reduce((sum, one) => sum + one, 0);
    const moved = Math.sqrt(mass * all);
    const k = stiffness ?? PULL_RATE * PULL_RATE * moved;
    const d = damping ?? 2 * PULL_SHARE * Math.sqrt(k * moved);
    this.grabbed = { body: index, place: [...point, ...target, k, d] };
    this.send_pull(index, this.grabbed.place);
  }

  pull_to(target: Vec3): void {
    if (!this.grabbed) return;
    this.grabbed.place.splice(3, 3, ...target);
    this.send_pull(this.grabbed.body, this.grabbed.place);
  }

  release(): void {
    this.grabbed = null;
    this.send_pull(0, [0, 0, 0, 0, 0, 0, 0, 0]);
  }

  private send_pull(body: number, place: number[]): void {
    new Float64Array(this.x.memory.buffer, this.scratch, 8).set(place);
    const status = this.x.holon_pull!(this.handle, body, this.scratch);
    if (status < 0) throw new RangeError(`the pull of body ${body} is not valid`);
    this.refresh();
  }

  /** Body, point, target, stiffness and damping at the start or the end of the last frame: a row of a table. */
  pull_row(isNext = false): number[] {
    this.x.holon_pull_row!(this.handle, Number(isNext), this.scratch);
    return [...new Float64Array(this.x.memory.buffer, this.scratch, 9)];
  }

  // ---- the end -----------------------------------------------------------------------------------

  hash(): string {
    this.x.holon_hash!(this.handle, this.scratch);
    return this.text_at(this.scratch);
  }

  free(): void {
    if (this.given !== 0) this.x.holon_free!(this.given);
    this.given = 0;
    this.files.clear();
  }
}

export type RunningModel = Running;

function no_memory(): Problem {
  return {
    status: "memory", element: "", message: "out of memory for the model", hint: "", file: "", line: 0, column: 0,
  };
}

async function inflate(bytes: Uint8Array): Promise<ArrayBuffer> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

async function compile(engine: BufferSource | WebAssembly.Module): Promise<WebAssembly.Module> {
  if (engine instanceof WebAssembly.Module) return engine;
  const bytes = ArrayBuffer.isView(engine)
    ? new Uint8Array(engine.buffer, engine.byteOffset, engine.byteLength)
    : new Uint8Array(engine);
  const is_gzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return WebAssembly.compile(is_gzip ? await inflate(bytes) : (bytes as BufferSource));
}

function instantiate(module: WebAssembly.Module, files: Files): WebAssembly.Instance {
  const exports = {} as Exports;
  const parse = (language: number, at: number, size: number): number => {
    const text = new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at, size).slice());
    const records = recordsOf(language, text);
    const to = exports.holon_allocate!(records.length);
    if (to !== 0) new Uint8Array(exports.memory.buffer).set(records, to);
    return to;
  };
  const instance = new WebAssembly.Instance(module, {
    wasi_snapshot_preview1: files.imports() as WebAssembly.ModuleImports, holon: { parse },
  });
  Object.assign(exports, instance.exports);
  files.attach(exports.memory);
  exports._initialize!();
  return instance;
}

export interface HolonEngine extends Engine {
  create(source: Source | string, options?: SimulationOptions): RunningModel;
}

export const load_engine = (async (engine) => {
  const module = await compile(engine);
  const first = instantiate(module, new Files()).exports as Exports;
  const bytes = new Uint8Array(first.memory.buffer);
  let version = "";
  for (let at = first.holon_version!(); bytes[at] !== 0; at++) version += String.fromCharCode(bytes[at]!);
  return {
    version,
    create(source, options = {}) {
      const model = typeof source === "string" ? { name: "model.yaml", text: source } : source;
      const files = new Files();
      if (typeof model.files === "function") files.find = model.files;
      else for (const [path, data] of Object.entries(model.files ?? {})) files.set(path, data);
      files.set(model.name, model.text);
      return new Running(instantiate(module, files), files, model, options);
    },
  };
}) satisfies LoadEngine as (engine: BufferSource | WebAssembly.Module) => Promise<HolonEngine>;

export { PULL_NUMBERS };
export type { Engine, Loaded, Model, ModelSource, Problem, Quantity, SimulationOptions, Vec3 };
