// The protocol between a page and the worker that runs a model: every message, once.
//
//   page                                worker
//   ready <------------------------------  (started)
//   start {engine} ---------------------->
//   load {source} ----------------------->
//   loaded <-----------------------------  scene, inputs, parameters, signals; then a first frame
//   run ---------------------------------> state, frame, frame, ...
//   shown {frame.buffer} ----------------> for each frame that was read: its memory is used again
//
// A frame is due 60 times a second while the model runs, as long as the page gives frames back: a page
// that is busy for half a second loses some. Errors never end the worker: after one the
// model before stays.

export type Vec3 = [number, number, number];

/** Elements of a page with a model inside: base64 of the gzipped engine, the script of the worker, and a LivePage as JSON. */
export const ENGINE_ELEMENT = "holon-engine";
export const WORKER_ELEMENT = "holon-worker";
export const LIVE_ELEMENT = "holon-live";

/** What the command puts into a page. Other files than text are in base64. */
export interface LivePage {
  name: string;
  text: string;
  /** Results of a run are there too: the page shows them first. */
  has_results?: boolean;
  files: { name: string; text?: string; base64?: string }[];
  overlays: string[];
  settings: string[];
  packages: string[];
  options: SimulationOptions;
}

/** A model as text. Its name gives the format: .yaml, .yml, .json, .urdf, .xml, .mjcf, .sdf. */
export interface ModelSource {
  name: string;
  text: string;
  /** Other files that it names, under their paths relative to the model: components, meshes, tyres, tables. */
  files?: Record<string, string | Uint8Array>;
  /** Names of those among `files` that change the model before it is loaded (`--with`). */
  overlays?: string[];
  /** "NAME=VALUE", as `--set` takes them. */
  settings?: string[];
  /** "NAME=FOLDER": where package://NAME/ is among `files` (`--package`). */
  packages?: string[];
}

/** Options of the simulation by their names (docs/reference/model/simulation.md); open ones are the model's. */
export interface SimulationOptions {
  tol?: number;
  atol?: number;
  rtol?: number;
  step?: number; // fixed step, s
  max_step?: number;
  coordinates?: string;
  method?: string;
  formula?: string;
  /** false: no pull can be made; the equations are those of the model alone. Default true. */
  pulls?: boolean;
}

/** What went wrong and where, as the command prints it. Lines and columns from 1; 0: no place in a file. */
export interface Problem {
  status: string; // "model", "syntax", "assembly", ...
  element: string; // "joint 'toggle'"; empty: none
  message: string;
  hint: string;
  file: string;
  line: number;
  column: number;
}

/** A slider: a parameter of the model (changing it starts the run again) or an input (it does not). */
export interface Quantity {
  name: string;
  unit: string; // of `value`, empty: none
  value: number;
}

/** A signal that can be watched, by its name in results. */
export interface Signal {
  name: string;
  unit: string;
  is_output: boolean; // one of the model's own
}

/** What stays the same while a model runs. */
export interface Loaded {
  /** As scene.json (docs/reference/scene.md); `motion.columns` are the columns of Frame.record. */
  scene: string;
  text: string; // of the model
  name: string;
  step: number; // fixed step, s; 0: error control
  coordinates: string;
  method: string;
  formula: string;
  parameters: Quantity[];
  inputs: Quantity[];
  signals: Signal[];
  warnings: string[]; // as the command prints them
  milliseconds: number; // reading, assembly and the first state
}

/** Pull of Frame.pull: body, point of the body (3), target (3), force on the body (3), global axes. */
export const PULL_NUMBERS = 10;

/** One frame. The arrays are parts of `buffer`, which the page sends back by `shown`. */
export interface Frame {
  time: number;
  /** One record in the columns of scene.motion: time, poses, reactions, force values, tyres and contacts. */
  record: Float32Array;
  /** Watched signals, in the order of `watch`. */
  signals: Float64Array;
  /** Kinetic, potential, work of everything without potential, kinetic + potential - work - that at the start. */
  energy: Float64Array;
  /** PULL_NUMBERS; empty: nothing is pulled. */
  pull: Float64Array;
  /** Simulated seconds per second, over the last half second. */
  speed: number;
  /** The part of the time that computing takes: 1 and `speed` below the wish: the model is too slow. */
  busy: number;
  steps: number; // accepted since the start
  buffer: ArrayBuffer;
}

/** How a run is repeated: files, and the call of the command that gives the same bits. */
export interface Saved {
  files: { name: string; text: string }[];
  command: string;
  hash: string; // of the state, 16 digits, as `state_hash` of certificate.json
}

export type ToWorker =
  /** The engine: holon.wasm, as bytes (gzipped or not) or compiled. First of all messages. */
  | { type: "start"; engine: ArrayBuffer | WebAssembly.Module }
  /** Another model. `run`: starts at once. */
  | { type: "load"; source: ModelSource; options?: SimulationOptions; run?: boolean }
  /** The same model with another text, as edited; runs on if it ran. */
  | { type: "text"; text: string }
  | { type: "run" }
  | { type: "pause" }
  /** So many frames forward, then pause. Default 1. */
  | { type: "step"; frames?: number }
  /** Simulated seconds per second: 0.1 is slow motion. Default 1. */
  | { type: "speed"; factor: number }
  /** Back to the start; inputs get their first values. */
  | { type: "reset" }
  /**
   * A spring between a point of a body (from its center of mass, body axes) and a target (global).
   * Without stiffness (N/m) and damping (N s/m) they suit the body's mass.
   */
  | { type: "pull"; body: number; point: Vec3; target: Vec3; stiffness?: number; damping?: number }
  | { type: "pull-to"; target: Vec3 }
  | { type: "pull-end" }
  | { type: "input"; name: string; value: number }
  /** Builds the model again and starts from the beginning; runs on if it ran. */
  | { type: "parameter"; name: string; value: number }
  /** Signals that every frame carries from now on; unknown names become NaN. */
  | { type: "watch"; signals: string[] }
  | { type: "save" }
  | { type: "shown"; buffer: ArrayBuffer };

export type FromWorker =
  | { type: "ready" } // may be started
  | { type: "started"; version: string; milliseconds: number } // the engine is compiled
  | ({ type: "loaded" } & Loaded)
  | ({ type: "frame" } & Frame)
  | { type: "state"; running: boolean; time: number; factor: number }
  /** `during` "load", "text", "parameter": the model before stays; "run": it is paused. */
  | { type: "error"; during: ToWorker["type"]; problems: Problem[] }
  | ({ type: "saved" } & Saved);
