// The engine in WebAssembly under node: the same bits as the command, messages with their places, arrays that
// stay where they are, saved runs that the command repeats.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { ModelError } from "../engine/api.ts";
import { load_engine, type HolonEngine, type RunningModel } from "../engine/engine.ts";
import type { FromWorker, Problem, SimulationOptions, ToWorker } from "../engine/protocol.ts";
import { Recording } from "../engine/recording.ts";
import { Runner } from "../engine/worker.ts";

const ROOT = resolve(process.env.HOLON_VIEWER ?? fileURLToPath(new URL("../../..", import.meta.url)), "..");
const COMMAND = join(ROOT, "build/holon");
const MODELS = join(ROOT, "models");
const WASM = join(ROOT, "build/wasm/holon.wasm.gz");
const LARGEST = 1.3e6; // bytes, compressed

let engine: HolonEngine;
let files: Record<string, Uint8Array>;
let folder: string;

function filesBelow(base: string, path = "", found: Record<string, Uint8Array> = {}): Record<string, Uint8Array> {
  for (const name of readdirSync(join(base, path))) {
    const below = path === "" ? name : `${path}/${name}`;
    if (statSync(join(base, below)).isDirectory()) filesBelow(base, below, found);
    else found[below] = readFileSync(join(base, below));
  }
  return found;
}

before(async () => {
  engine = await load_engine(readFileSync(WASM));
  files = filesBelow(MODELS);
  folder = mkdtempSync(join(tmpdir(), "holon-engine-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const textOf = (name: string) => new TextDecoder().decode(files[name]!);
const create = (name: string, options: SimulationOptions = {}): RunningModel =>
  engine.create({ name, text: textOf(name), files }, options);

function run(words: string[], where = MODELS): { status: string; certificate: { state_hash: string; steps: { accepted: number } } } {
  const made = spawnSync(COMMAND, ["run", ...words, "--json", "--quiet"], { cwd: where, encoding: "utf8" });
  return JSON.parse(made.stdout);
}

function problemsOf(name: string, text: string): readonly Problem[] {
  try {
    engine.create({ name, text, files }).free();
  } catch (error) {
    return (error as ModelError).problems;
  }
  return [];
}

test("the module is small and of this version", () => {
  assert.ok(statSync(WASM).size <= LARGEST, `${statSync(WASM).size} bytes`);
  const version = execFileSync(COMMAND, ["--version"], { encoding: "utf8" });
  assert.match(version, new RegExp(`\\b${engine.version.replaceAll(".", "\\.")}\\b`));
});

// Joint coordinates, loops, stiff tyres, a gyroscope, events of rigid contact; time stepping with --step.
for (const name of ["iftomm/a01", "iftomm/a04", "gyroscope", "examples/force-tyre", "contact/ball", "iltis/iltis"]) {
  test(`${name} has the bits of the command, with error control and with fixed steps`, () => {
    for (const step of [undefined, 0.002]) {
      const time = 1.5;
      const model = create(`${name}.yaml`, step ? { step } : {});
      model.advance(time);
      const { certificate } = run([`${name}.yaml`, "--time", String(time), ...(step ? ["--step", String(step)] : [])]);
      assert.equal(model.hash(), certificate.state_hash);
      assert.equal(model.steps, certificate.steps.accepted);
      model.free();
    }
  });
}

test("arrays stay valid while a model is stepped, pulled and given inputs", () => {
  const model = create("examples/inputs.yaml");
  const { poses, forces, energy, record, positions, reactions, pull } = model;
  const start = [...poses];
  model.grab(1, [0.1, 0, 0], [3, 0, 1]);
  model.set_input("pedal", 0.5);
  for (let k = 0; k < 300; k++) {
    model.pull_to([3 + 0.01 * k, 0, 1]);
    model.step(1 / 60);
  }
  for (const [old, now] of [
    [poses, model.poses], [forces, model.forces], [energy, model.energy], [positions, model.positions],
    [reactions, model.reactions], [pull, model.pull], [record, model.record],
  ] as const) {
    assert.equal(now, old);
    assert.ok(now.length > 0 && now.byteLength > 0);
  }
  assert.notDeepEqual([...poses], start);
  assert.ok(Math.abs(model.time - 5) < 1e-9);
  assert.equal(Math.fround(model.time), record[0]);
  assert.equal(Math.fround(poses[7]!), record[1]);
  model.free();
});

test("a pull is in the energy balance", () => {
  const model = create("examples/inputs.yaml", { tol: 1e-9 });
  model.grab(1, [0.1, 0, 0], [3, 0, 1], 2e4, 100);
  for (let k = 0; k < 60; k++) model.step(1 / 60);
  assert.ok(model.is_pulled);
  const [kinetic = 0, , work = 0, balance = 0] = model.energy;
  assert.ok(Math.abs(work) > 100 && kinetic > 1);
  assert.ok(Math.abs(balance) < 1e-4 * Math.abs(work), `${balance} of ${work}`);
  model.free();
});

test("frames have the loads of tyres and contacts, the reactions and forces of the command", () => {
  for (const name of ["iltis/iltis", "contact/ball", "examples/force-tyre"]) {
    const model = create(`${name}.yaml`, { step: 0.005, pulls: false });
    model.advance(1.2);
    const out = join(folder, name.replace("/", "-"));
    run([`${name}.yaml`, "--time", "1.2", "--step", "0.005", "-o", out]);
    const { motion, loads } = JSON.parse(readFileSync(join(out, "scene.json"), "utf8"));
    const records = new Float32Array(readFileSync(join(out, "motion.bin")).buffer.slice(0));
    const { record } = model;
    assert.ok(loads.length > 0 && record.length === motion.stride, name);
    // The last frame, at the same time.
    const last = records.subarray(records.length - motion.stride);
    assert.ok(Math.abs(last[0]! - 1.2) < 1e-6);
    last.forEach((value, k) => {
      assert.ok(Math.abs(record[k]! - value) <= 1e-4 * (1 + Math.abs(value)), `${name} ${k}: ${record[k]} instead of ${value}`);
    });
    if (name !== "contact/ball") assert.ok(record.subarray(motion.columns.loads).some((value) => Math.abs(value) > 1), name);
    model.free();
  }
});

// ---- messages ------------------------------------------------------------------------------------

const REPORTED = ["element", "message", "hint", "line", "column"] as const;

function problemsOfCommand(name: string, text: string): Record<string, unknown>[] {
  writeFileSync(join(folder, name), text);
  const made = spawnSync(COMMAND, ["check", name, "--json"], { cwd: folder, encoding: "utf8" });
  const { error } = JSON.parse(made.stdout) as { error: { more?: Record<string, unknown>[] } & Record<string, unknown> };
  return [error, ...(error.more ?? [])];
}

const PENDULUM = `bodies:
  bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}
joints:
  pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0], axis: y}
simulation: {time: 1}
`;

test("errors of a model are those of the command, with their lines and columns", () => {
  const wrong = {
    "key.yaml": PENDULUM.replace("axis: y", "axles: y"),
    "body.yaml": PENDULUM.replace("[ground, bob]", "[ground, bop]"),
    "unit.yaml": PENDULUM.replace("mass: 1,", "mass: 1 m,"),
    "several.yaml": PENDULUM.replace("mass: 1,", "mas: 1,").replace("revolute", "revolt"),
    "number.json": '{"bodies": {"bob": {"mass": 1,\n "inertia": [1, 1]}}}',
    "anchor.yaml": PENDULUM.replace("mass: 1,", "mass: &m 1,"),
    "twice.yaml": `${PENDULUM}bodies: {}\n`,
    "arm.urdf": '<robot name="arm">\n  <link name="a"/>\n  <joint name="j" type="hinge">\n  </joint>\n</robot>\n',
  };
  for (const [name, text] of Object.entries(wrong)) {
    const found = problemsOf(name, text);
    const expected = problemsOfCommand(name, text);
    assert.ok(found.length > 0 && found[0]!.line > 0, name);
    for (const key of REPORTED) assert.deepEqual(found[0]![key], expected[0]![key] ?? (typeof found[0]![key] === "number" ? 0 : ""), `${name} ${key}`);
  }
});

test("what is not well-formed is named with its line", () => {
  const wrong: [string, string, number, RegExp][] = [
    ["bracket.yaml", PENDULUM.replace("[0, 0, 0], axis", "[0, 0, 0, axis"), 4, /not well-formed YAML/],
    ["tab.yaml", PENDULUM.replace("  pin:", "\tpin:"), 4, /tab/],
    ["colon.yaml", "bodies:\n  bob: mass: 1\n", 2, /not well-formed YAML/],
    ["quote.yaml", 'title: "open\nbodies: {}\n', 1, /not well-formed YAML/],
    ["json.json", '{"bodies": {\n"bob": }}', 2, /JSON/],
    ["tag.urdf", '<robot name="a">\n<link name="b">\n</robot>\n', 3, /not well-formed/],
    ["root.urdf", "no tags\n", 1, /not well-formed|root/],
    ["type.urdf", '<!DOCTYPE robot>\n<robot name="a"/>\n', 1, /document type/],
  ];
  for (const [name, text, line, message] of wrong) {
    const [first] = problemsOf(name, text);
    assert.ok(first, name);
    assert.match(`${first.message} ${first.hint}`, message, name);
    assert.ok(Math.abs(first.line - line) <= (name === "quote.yaml" ? 3 : 1), `${name} line ${first.line}`);
  }
});

test("URDF, MJCF and SDF files are read", () => {
  const data = join(ROOT, "tests/data/import");
  const all = filesBelow(data);
  for (const name of ["planar_floating.urdf", "screw_gearbox_universal.sdf"]) {
    const model = engine.create({ name, text: new TextDecoder().decode(all[name]!), files: all }, { pulls: false });
    const made = spawnSync(COMMAND, ["run", name, "--time", "0.2", "--json", "--quiet"], { cwd: data, encoding: "utf8" });
    model.advance(0.2);
    assert.equal(model.hash(), JSON.parse(made.stdout).certificate.state_hash, name);
    model.free();
  }
  const mjcf = '<mujoco>\n <worldbody>\n  <body pos="0 0 1"><joint type="hinge" axis="0 1 0"/><geom size="0.1 0.3" type="capsule"/></body>\n </worldbody>\n</mujoco>';
  const model = engine.create({ name: "a.xml", text: mjcf });
  assert.equal(model.bodies.length, 2);
  model.free();
});

// ---- saved runs ----------------------------------------------------------------------------------

function keep(where: string, saved: (readonly [string, string | Uint8Array])[]): void {
  for (const [name, data] of saved) {
    mkdirSync(dirname(join(where, name)), { recursive: true });
    writeFileSync(join(where, name), data);
  }
}

for (const [what, name, options] of [
  ["error control", "examples/inputs.yaml", {}],
  ["fixed steps", "examples/inputs.yaml", { step: 0.002 }],
  ["rigid contact", "contact/ball.yaml", {}],
] as [string, string, SimulationOptions][]) {
  test(`holon run repeats a saved run of ${what} bit for bit`, () => {
    const model = create(name, options);
    const recording = new Recording();
    const hasInputs = model.loaded.inputs.length > 0;
    for (let k = 0; k < 120; k++) {
      if (k === 5) model.grab(1, [0.1, 0, 0], [1, 0, 1]);
      if (k > 5 && k < 60) model.pull_to([1 + 0.01 * k, Math.sin(0.1 * k), 1]);
      if (k === 60) model.release();
      if (k === 20 && hasInputs) model.set_input(model.loaded.inputs[0]!.name, 0.4);
      if (k === 90) model.grab(1, [0, 0.1, 0], [0, 1, 1], 500, 5);
      model.begin(k < 40 ? 1 / 60 : 1 / 240);
      recording.add(model);
      while (!model.work(3));
    }
    const saved = recording.save(model, options, []);
    const where = mkdtempSync(join(folder, "saved-"));
    const beside = Object.entries(files).filter(([path]) => dirname(path) === dirname(name));
    keep(where, [...beside, ...saved.files.map((file) => [file.name, file.text] as const)]);
    const made = spawnSync("sh", ["-c", `${saved.command.replace(/^holon/, COMMAND)} --json --quiet`], { cwd: where, encoding: "utf8" });
    assert.equal(JSON.parse(made.stdout).certificate.state_hash, saved.hash);
    model.free();
  });
}

// ---- the worker's loop ---------------------------------------------------------------------------

/** A runner whose messages are kept; frames are given back at once. */
class Page {
  messages: FromWorker[] = [];
  runner: Runner;
  constructor() {
    this.runner = new Runner({
      post: (message) => {
        this.messages.push(message);
        if (message.type === "frame") setImmediate(() => this.send({ type: "shown", buffer: message.buffer }));
      },
      soon: (call) => void setImmediate(call),
      later: (call, milliseconds) => void setTimeout(call, milliseconds),
    });
  }
  send(message: ToWorker): Promise<void> {
    return this.runner.take(message);
  }
  last<T extends FromWorker["type"]>(type: T): Extract<FromWorker, { type: T }> | undefined {
    return this.messages.findLast((message) => message.type === type) as Extract<FromWorker, { type: T }> | undefined;
  }
  async until(done: () => boolean): Promise<void> {
    for (let k = 0; k < 2000 && !done(); k++) await new Promise((next) => setTimeout(next, 5));
    assert.ok(done());
  }
}

async function open(name: string, options: SimulationOptions = {}): Promise<Page> {
  const page = new Page();
  const bytes = readFileSync(WASM);
  await page.send({ type: "start", engine: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer });
  await page.send({ type: "load", source: { name, text: textOf(name), files }, options });
  return page;
}

test("a worker shows the start, single steps, runs, pauses and resets", async () => {
  const page = await open("four-bar.yaml");
  await page.until(() => page.last("frame") !== undefined);
  assert.equal(page.last("frame")!.time, 0);
  await page.send({ type: "step", frames: 3 });
  await page.until(() => (page.last("frame")?.time ?? 0) > 0.049);
  assert.ok(Math.abs(page.last("frame")!.time - 0.05) < 1e-9);
  await page.send({ type: "speed", factor: 0.1 });
  await page.send({ type: "step" });
  await page.until(() => page.last("frame")!.time > 0.0516);
  assert.ok(Math.abs(page.last("frame")!.time - 0.05 - 1 / 600) < 1e-9);
  await page.send({ type: "watch", signals: ["energy.total", "nothing"] });
  await page.send({ type: "run" });
  await page.until(() => page.last("frame")!.time > 0.06 && page.last("frame")!.signals.length === 2);
  assert.ok(Number.isFinite(page.last("frame")!.signals[0]));
  assert.ok(Number.isNaN(page.last("frame")!.signals[1]));
  await page.send({ type: "pause" });
  assert.equal(page.last("state")!.running, false);
  await page.send({ type: "reset" });
  await page.until(() => page.last("frame")!.time === 0);
});

test("a text with an error leaves the model before; a right one replaces it", async () => {
  const page = await open("four-bar.yaml");
  const text = textOf("four-bar.yaml");
  const models = () => page.messages.filter((message) => message.type === "loaded").length;
  await page.send({ type: "text", text: text.replace(/^bodies:/m, "bodeis:") });
  assert.equal(page.last("error")!.during, "text");
  assert.ok(page.last("error")!.problems[0]!.line > 0);
  assert.equal(models(), 1);
  await page.send({ type: "text", text: text.replace(/mass: *([\d.]+)/, "mass: 7.5") });
  assert.equal(models(), 2);
  await page.send({ type: "step" });
  await page.until(() => page.last("frame")!.time > 0);
});

test("a parameter that was moved is part of the saved call", async () => {
  const page = await open("examples/inputs.yaml");
  await page.send({ type: "parameter", name: "drag", value: 55 });
  await page.send({ type: "input", name: "pedal", value: 0.3 });
  await page.send({ type: "step", frames: 30 });
  await page.until(() => page.last("frame")!.time > 0.49);
  await page.send({ type: "save" });
  const saved = page.last("saved")!;
  assert.match(saved.command, /--set 'drag=55 N\*s\/m'/);
  const where = join(folder, "parameter");
  keep(where, saved.files.map((file) => [file.name, file.text] as const));
  const made = spawnSync("sh", ["-c", `${saved.command.replace(/^holon/, COMMAND)} --json --quiet`], { cwd: where, encoding: "utf8" });
  assert.equal(JSON.parse(made.stdout).certificate.state_hash, saved.hash);
});
