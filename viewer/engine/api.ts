// What a program can call (engine.ts has the code). Nothing here needs a page: node and workers alike.

import type { Loaded, ModelSource, Problem, SimulationOptions, Vec3 } from "./protocol.ts";

/** An error as the command reports it, with its place in the file; `problems` has all that were found. */
export interface ModelError extends Error {
  readonly name: "ModelError";
  readonly problems: readonly Problem[];
}

/** Other files that a model names: a table, or a function that finds them when they are asked for. */
export interface Source extends Omit<ModelSource, "files"> {
  files?: ModelSource["files"] | ((path: string) => string | Uint8Array | undefined);
}

/** The compiled engine: any number of models. */
export interface Engine {
  readonly version: string;
  /** Reads, checks and assembles a model. Throws a ModelError. */
  create(source: Source | string, options?: SimulationOptions): Model;
}

/**
 * A model that runs. The arrays belong to JavaScript and stay valid: every call that changes the model
 * writes their numbers again. They are replaced only if their length changes (by `watch`, or a parameter
 * that counts bodies).
 */
export interface Model {
  readonly loaded: Loaded;
  readonly time: number;
  readonly steps: number; // accepted
  readonly bodies: readonly string[]; // [0] is ground

  /** Of every body: position of the center of mass (3) and Euler parameters (4), ground first. */
  readonly poses: Float64Array;
  /** Reaction force of every joint on its second body, global axes (3). */
  readonly reactions: Float64Array;
  /** Value of every force: tension, torque, normal load. */
  readonly forces: Float64Array;
  /** Kinetic, potential, work, balance. */
  readonly energy: Float64Array;
  /** The values of `watch`, in its order. */
  readonly signals: Float64Array;
  /** The state itself, of the coordinates in use. */
  readonly positions: Float64Array;
  readonly velocities: Float64Array;
  /** The present frame in the columns of scene.motion (docs/reference/scene.md): tyres and contacts too. */
  readonly record: Float32Array;
  /** PULL_NUMBERS. */
  readonly pull: Float64Array;
  readonly is_pulled: boolean;

  /**
   * Goes on by dt seconds (of a fixed step: the nearest number of steps, at least one). Inputs and
   * pulls given before go from their present values to the new ones evenly over this time.
   */
  step(dt: number): void;
  /** The same in parts: begins; then `work` takes up to `steps` steps and says whether it is done. */
  begin(dt: number): void;
  work(steps: number): boolean;
  /** Error-controlled or fixed steps to a time, as `holon run --time` makes them. */
  advance(time: number): void;

  set_input(name: string, value: number): void;
  /** Builds the model again with this number (in its unit) and starts from the beginning. */
  set_parameter(name: string, value: number): void;
  /** Back to the start; inputs get their first values. */
  reset(): void;
  /** The state as bytes: everything that later steps depend on, inputs and pull among it. */
  save(): Uint8Array;
  /** Back to a state that this model saved: the same steps follow, bit for bit. */
  restore(state: Uint8Array): void;
  /** Chooses the signals of `signals`: that array is new. */
  watch(signals: readonly string[]): void;
  grab(body: number | string, point: Vec3, target: Vec3, stiffness?: number, damping?: number): void;
  pull_to(target: Vec3): void;
  release(): void;

  /** FNV-1a of time, positions and velocities: `state_hash` of the command's certificate. */
  hash(): string;
  free(): void;
}

/** engine.ts: compiles holon.wasm, given as bytes (gzipped or not) or compiled already. */
export type LoadEngine = (engine: BufferSource | WebAssembly.Module) => Promise<Engine>;
