// Results of a run, checked: the scene, its joints and forces, signals and certificate.
// Reading only; where the bytes come from is source.ts, the motion itself is motion.ts.
// A fault that leaves nothing to show is a DataError; one that leaves something is a warning.

export type Vec3 = [number, number, number];
export type Quaternion = [number, number, number, number]; // e0 (cosine) first

export const KNOWN_FORMAT = 1;

/** Nothing can be shown: what happened, and what to do next. */
export class DataError extends Error {
  readonly title: string;
  readonly hint: string;
  constructor(title: string, detail: string, hint: string) {
    super(detail);
    this.title = title;
    this.hint = hint;
  }
}

interface Placed {
  at: Vec3;
  rotation: Quaternion;
  color: string | null;
  opacity: number;
}
export type Shape = Placed &
  (
    | { type: "box"; size: Vec3 }
    | { type: "cylinder" | "capsule" | "link"; radius: number; length: number }
    | { type: "sphere"; radius: number }
    | { type: "wheel"; radius: number; width: number }
    | { type: "extrusion"; profile: [number, number][]; length: number }
    | { type: "mesh"; mesh: number }
  );

export interface Body {
  name: string;
  mass: number;
  shapes: Shape[];
  drawn: boolean; // shapes made from the joints, none in the model
}
export interface Mesh {
  name: string;
  vertices: number[];
  triangles: number[];
}
export interface Joint {
  name: string;
  type: string;
  body1: number;
  body2: number;
  at1: Vec3;
  at2: Vec3;
  axis1: Vec3 | null;
  axis2: Vec3 | null;
  column: number; // its place in motion.bin, also when joints before it were left out
}
/** Parts of a force along a line; empty: nothing to draw. */
export type LookOfForce = "spring" | "damper" | "spring-damper" | "actuator" | "";
export interface Force {
  name: string;
  type: string;
  look: LookOfForce;
  body1: number;
  body2: number;
  at1: Vec3;
  at2: Vec3;
  axis1: Vec3 | null;
  column: number;
}
/** A tyre or a contact of two shapes: where it pushes a body, and with which force. */
export interface Load {
  name: string;
  type: "tyre" | "contact";
  body: number;
  column: number;
}
export interface Road {
  name: string;
  profile: [number, number][];
  y: number;
  width: number;
  speed: number; // of the profile along x
  up: Vec3;
}
export interface MotionLayout {
  frames: number;
  rate: number;
  first: number;
  last: number;
  stride: number;
  columns: { time: number; bodies: number; reactions: number; forces: number; loads: number };
}
export interface Scene {
  format: number;
  holon: string;
  model: string;
  title: string;
  description: string;
  status: "ok" | "failed" | "interrupted";
  message: string;
  gravity: Vec3;
  bodies: Body[];
  meshes: Mesh[];
  joints: Joint[];
  forces: Force[];
  loads: Load[]; // of earlier versions: none
  roads: Road[];
  motion: MotionLayout;
}

export interface Signals {
  names: string[];
  units: string[];
  time: Float64Array;
  values: Float64Array[]; // one array for each name
}

const grades = ["sound", "locked", "sensitive", "doubtful", "unsound"] as const;
export type Grade = (typeof grades)[number];

export interface Certificate {
  grade: Grade | null;
  reasons: string[];
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown, otherwise = ""): string =>
  typeof value === "string" ? value : otherwise;
const finite = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value);
const number = (value: unknown, otherwise: number): number => (finite(value) ? value : otherwise);

function vector(value: unknown, otherwise: Vec3): Vec3 {
  return Array.isArray(value) && value.length === 3 && value.every(finite)
    ? ([...value] as Vec3)
    : otherwise;
}

function axis(value: unknown): Vec3 | null {
  const v = vector(value, [0, 0, 0]);
  const length = Math.hypot(...v);
  return length > 1e-9 ? [v[0] / length, v[1] / length, v[2] / length] : null;
}

function quaternion(value: unknown): Quaternion {
  if (!Array.isArray(value) || value.length !== 4 || !value.every(finite)) return [1, 0, 0, 0];
  const length = Math.hypot(...(value as number[]));
  if (!(length > 1e-9)) return [1, 0, 0, 0];
  return value.map((component: number) => component / length) as Quaternion;
}

function pairs(value: unknown): [number, number][] {
  return list(value).filter(
    (pair): pair is [number, number] =>
      Array.isArray(pair) && pair.length === 2 && pair.every(finite),
  );
}

/** A text that should be a JSON object; `what` names it to the reader. */
export function parseObject(source: string, what: string): Json {
  if (/^\s*(<!doctype|<html)/i.test(source)) {
    throw new DataError(
      `${what} is missing`,
      `The server sent a web page instead of ${what}.`,
      "Open the results with: holon view DIR",
    );
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(source);
  } catch (error) {
    throw new DataError(
      `${what} cannot be read`,
      `${what} is not valid JSON (${(error as Error).message}). It may have been cut off while it was written.`,
      "Run the model again: holon run MODEL -o DIR",
    );
  }
  if (!isObject(parsed)) {
    throw new DataError(
      `${what} cannot be read`,
      `${what} holds no JSON object.`,
      "Run the model again: holon run MODEL -o DIR",
    );
  }
  return parsed;
}

function readShape(raw: unknown, body: string, meshes: Mesh[], warnings: string[]): Shape | null {
  if (!isObject(raw)) return null;
  const placed: Placed = {
    at: vector(raw.at, [0, 0, 0]),
    rotation: quaternion(raw.rotation),
    color: /^#[0-9a-f]{6}$/i.test(text(raw.color)) ? text(raw.color) : null,
    opacity: Math.min(1, Math.max(0, number(raw.opacity, 1))),
  };
  const radius = number(raw.radius, 0);
  const length = number(raw.length, 0);
  const type = text(raw.type);
  const skip = (why: string): null => {
    warnings.push(`A shape of body ${body} is left out: ${why}.`);
    return null;
  };
  switch (type) {
    case "box": {
      const size = vector(raw.size, [0, 0, 0]);
      return Math.max(...size) > 0 ? { ...placed, type, size } : skip("the box has no size");
    }
    case "cylinder":
    case "capsule":
    case "link":
      return radius > 0 && length >= 0
        ? { ...placed, type, radius, length }
        : skip(`the ${type} has no radius`);
    case "sphere":
      return radius > 0 ? { ...placed, type, radius } : skip("the sphere has no radius");
    case "wheel": {
      const width = number(raw.width, 0);
      return radius > 0 && width > 0
        ? { ...placed, type, radius, width }
        : skip("the wheel has no size");
    }
    case "extrusion": {
      const profile = pairs(raw.profile);
      return profile.length >= 3 && length > 0
        ? { ...placed, type, profile, length }
        : skip("the extrusion needs three points and a length");
    }
    case "mesh": {
      const mesh = number(raw.mesh, -1);
      return meshes[mesh] ? { ...placed, type, mesh } : skip("its mesh is not in the results");
    }
    default:
      return skip(`this page does not know the type "${type}"`);
  }
}

function readMeshes(raw: unknown, warnings: string[]): Mesh[] {
  return list(raw).map((entry, index) => {
    const mesh = isObject(entry) ? entry : {};
    const name = text(mesh.name, `mesh ${index}`);
    const vertices = list(mesh.vertices).map((value) => number(value, 0));
    const count = Math.floor(vertices.length / 3);
    const corners = list(mesh.triangles).map((value) => number(value, -1));
    const triangles: number[] = [];
    for (let k = 0; k + 2 < corners.length; k += 3) {
      const corner = corners.slice(k, k + 3);
      if (corner.every((i) => Number.isInteger(i) && i >= 0 && i < count)) triangles.push(...corner);
    }
    if (triangles.length !== corners.length) {
      warnings.push(`Mesh ${name} names vertices it does not have; those triangles are left out.`);
    }
    return { name, vertices, triangles };
  });
}

const LOOKS: LookOfForce[] = ["spring", "damper", "spring-damper", "actuator"];

/** Results of an earlier version have no style: their springs are coils. */
const lookOf = (look: string, type: string): LookOfForce =>
  LOOKS.find((known) => known === look) ?? (type === "spring-damper" ? "spring" : "");

interface Pair {
  name: string;
  type: string;
  body1: number;
  body2: number;
  at1: Vec3;
  at2: Vec3;
  column: number;
  raw: Json;
}

// Joints and forces: both join two bodies. One with a body that is not there is left out.
function readPairs(raw: unknown, kind: string, bodies: number, warnings: string[]): Pair[] {
  const found: Pair[] = [];
  list(raw).forEach((entry, column) => {
    const pair = isObject(entry) ? entry : {};
    const name = text(pair.name, `${kind} ${column}`);
    const body1 = number(pair.body1, 0);
    const body2 = number(pair.body2, 0);
    const exists = (index: number) => Number.isInteger(index) && index >= 0 && index < bodies;
    if (!exists(body1) || !exists(body2)) {
      warnings.push(`The ${kind} ${name} names a body that is not there and is not shown.`);
      return;
    }
    found.push({
      name,
      type: text(pair.type, kind),
      body1,
      body2,
      at1: vector(pair.at1, [0, 0, 0]),
      at2: vector(pair.at2, [0, 0, 0]),
      column,
      raw: pair,
    });
  });
  return found;
}

function readLoads(raw: unknown, bodies: number): Load[] {
  return list(raw)
    .map((entry, column): Load => {
      const load = isObject(entry) ? entry : {};
      const type = text(load.type) === "tyre" ? "tyre" : "contact";
      return { name: text(load.name, `${type} ${column}`), type, body: number(load.body, -1), column };
    })
    .filter(({ body }) => Number.isInteger(body) && body >= 0 && body < bodies);
}

function readLayout(
  raw: unknown, bodies: number, joints: number, forces: number, loads: number,
): MotionLayout {
  const hint = "Run the model again: holon run MODEL -o DIR";
  if (!isObject(raw)) {
    throw new DataError(
      "The scene does not describe the motion",
      'scene.json has no "motion" entry.',
      hint,
    );
  }
  const columns = isObject(raw.columns) ? raw.columns : {};
  const poses = 7 * (bodies - 1);
  const layout: MotionLayout = {
    frames: number(raw.frames, 0),
    rate: number(raw.rate, 60),
    first: number(raw.first, 0),
    last: number(raw.last, 0),
    stride: number(raw.stride, 1 + poses + 3 * joints + forces + 6 * loads),
    columns: {
      time: number(columns.time, 0),
      bodies: number(columns.bodies, 1),
      reactions: number(columns.reactions, 1 + poses),
      forces: number(columns.forces, 1 + poses + 3 * joints),
      loads: number(columns.loads, 1 + poses + 3 * joints + forces),
    },
  };
  const { stride } = layout;
  const fits =
    Number.isInteger(stride) &&
    layout.columns.time < stride &&
    layout.columns.bodies + poses <= stride &&
    layout.columns.reactions + 3 * joints <= stride &&
    layout.columns.forces + forces <= stride &&
    layout.columns.loads + 6 * loads <= stride;
  if (!fits) {
    throw new DataError(
      "Scene and motion do not belong together",
      `${bodies} bodies, ${joints} joints and ${forces} forces do not fit into records of ${stride} numbers.`,
      hint,
    );
  }
  return layout;
}

/** scene.json as text, checked. Adds to `warnings` what had to be left out. */
export function readScene(source: string, warnings: string[], what = "scene.json"): Scene {
  const raw = parseObject(source, what);
  const format = raw.format;
  if (!finite(format)) {
    throw new DataError(
      `${what} cannot be read`,
      `${what} has no "format" number: it was not written by holon run.`,
      "Open a folder with results: holon view DIR",
    );
  }
  if (format > KNOWN_FORMAT) {
    throw new DataError(
      "These results are newer than this page",
      `${what} has format ${format}, written by Holon ${text(raw.holon, "of a later version")}; this page knows formats up to ${KNOWN_FORMAT}.`,
      "Open them with the version of Holon that wrote them.",
    );
  }
  const meshes = readMeshes(raw.meshes, warnings);
  const bodies = list(raw.bodies).map((entry, index): Body => {
    const body = isObject(entry) ? entry : {};
    const name = text(body.name, index === 0 ? "ground" : `body ${index}`);
    return {
      name,
      mass: number(body.mass, 0),
      shapes: list(body.shapes)
        .map((shape) => readShape(shape, name, meshes, warnings))
        .filter((shape) => shape !== null),
      drawn: body.drawn === true,
    };
  });
  if (bodies.length === 0) {
    throw new DataError(
      "The scene has no bodies",
      `${what} lists no body, not even the ground.`,
      "Run the model again: holon run MODEL -o DIR",
    );
  }
  const joints = readPairs(raw.joints, "joint", bodies.length, warnings);
  const forces = readPairs(raw.forces, "force", bodies.length, warnings);
  const status = text(raw.status, "ok");
  return {
    format,
    holon: text(raw.holon),
    model: text(raw.model, "model"),
    title: text(raw.title) || text(raw.model, "model"),
    description: text(raw.description),
    status: status === "failed" || status === "interrupted" ? status : "ok",
    message: text(raw.message),
    gravity: vector(raw.gravity, [0, 0, -9.81]),
    bodies,
    meshes,
    joints: joints.map(({ raw: joint, ...pair }) => ({
      ...pair,
      axis1: axis(joint.axis1),
      axis2: axis(joint.axis2),
    })),
    forces: forces.map(({ raw: force, ...pair }) => ({
      ...pair,
      axis1: axis(force.axis1),
      look: lookOf(text(force.look), pair.type),
    })),
    roads: list(raw.roads)
      .filter(isObject)
      .map((road) => ({
        name: text(road.name, "road"),
        profile: pairs(road.profile),
        y: number(road.y, 0),
        width: number(road.width, 3),
        speed: number(road.speed, 0),
        up: axis(road.up) ?? [0, 0, 1],
      }))
      .filter((road) => road.profile.length >= 2),
    loads: readLoads(raw.loads, bodies.length),
    motion: readLayout(
      raw.motion, bodies.length, list(raw.joints).length, list(raw.forces).length, list(raw.loads).length,
    ),
  };
}

/** signals.json and the records that belong to it (time first); less than promised is a warning. */
export function readSignals(
  header: Json,
  records: Float64Array | Float32Array,
  warnings: string[],
): Signals {
  const names = list(header.names).map((name) => text(name));
  const units = list(header.units).map((unit) => text(unit));
  while (units.length < names.length) units.push("");
  const stride = names.length + 1;
  const promised = number(header.samples, 0);
  const samples = Math.min(promised, Math.floor(records.length / stride));
  if (samples < promised) {
    warnings.push(`The signals are cut off: ${samples} of ${promised} samples are there.`);
  }
  const column = (index: number): Float64Array => {
    const values = new Float64Array(samples);
    for (let k = 0; k < samples; k++) values[k] = records[k * stride + index]!;
    return values;
  };
  return { names, units, time: column(0), values: names.map((_, index) => column(index + 1)) };
}

export function readCertificate(source: string): Certificate {
  const raw = parseObject(source, "certificate.json");
  const verdict = isObject(raw.verdict) ? raw.verdict : {};
  const grade = text(verdict.grade);
  return {
    grade: grades.find((word) => word === grade) ?? null,
    reasons: list(verdict.reasons).map((reason) =>
      isObject(reason) ? text(reason.message, JSON.stringify(reason)) : text(reason),
    ),
  };
}
