// The npm package as users get it: packed, unpacked, imported; arrays that outlive the growth of memory, states,
// errors, types.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import type * as Package from "../package/index.ts";
import type * as Node from "../package/node.ts";

const VIEWER = process.env.HOLON_VIEWER ?? fileURLToPath(new URL("../../..", import.meta.url));
const ROOT = resolve(VIEWER, "..");
const MODELS = join(ROOT, "models");
const COMMAND = join(ROOT, "build/holon");

let folder: string;
let packed: string; // the archive
let holon: Package.Engine;
let ModelError: typeof Package.ModelError;
let from_file: typeof Node.from_file;

const pack = (out: string): string => {
  execFileSync(join(ROOT, "scripts/make-npm"), [out], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  return join(out, readdirSync(out).find((name) => name.endsWith(".tgz"))!);
};

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "holon-package-"));
  packed = pack(join(folder, "first"));
  const installed = join(folder, "node_modules/holon");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["xzf", packed, "-C", installed, "--strip-components=1"]);
  const found = (await import(pathToFileURL(join(installed, "index.js")).href)) as typeof Package;
  ({ ModelError } = found);
  ({ from_file } = (await import(pathToFileURL(join(installed, "node.js")).href)) as typeof Node);
  holon = await found.load();
});
after(() => rmSync(folder, { recursive: true, force: true }));

const create = (name: string, options: Package.SimulationOptions = {}) =>
  holon.create(from_file(join(MODELS, name)), options);

test("the archive is the same from the same sources, of the version of the command, and complete", () => {
  const digest = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
  assert.equal(digest(pack(join(folder, "second"))), digest(packed));
  const version = execFileSync(COMMAND, ["--version"], { encoding: "utf8" });
  assert.match(version, new RegExp(`\\b${holon.version.replaceAll(".", "\\.")}\\b`));
  assert.match(packed, new RegExp(`holon-${holon.version}\\.tgz$`));
  const installed = join(folder, "node_modules/holon");
  for (const name of ["README.md", "LICENSE", "NOTICE", "holon.wasm", "types/index.d.ts"]) {
    assert.ok(existsSync(join(installed, name)), name);
  }
  assert.match(readFileSync(join(installed, "NOTICE"), "utf8"), /Louis-Dominique Dubeau/);
});

test("a file with the files it names gives the bits of the command", () => {
  const model = create("vehicles/car.yaml");
  model.advance(0.5);
  const made = spawnSync(COMMAND, ["run", "vehicles/car.yaml", "--time", "0.5", "--json", "--quiet"], { cwd: MODELS, encoding: "utf8" });
  assert.equal(model.hash(), JSON.parse(made.stdout).certificate.state_hash);
  model.free();
});

test("arrays taken once follow steps, growth of memory, reset, restore and parameters", () => {
  const model = create("examples/inputs.yaml");
  const { poses, energy, positions, velocities, record } = model;
  const start = poses.slice();
  model.set_input("pedal", 0.5);
  model.step(0.5);
  const state = model.save();
  const then = { poses: poses.slice(), energy: energy.slice(), time: model.time };
  assert.notDeepEqual(then.poses, start);
  // A large list of signals and a large state make the memory of the engine grow.
  const memory = (model as unknown as { x: { memory: WebAssembly.Memory; holon_allocate: (size: number) => number } }).x;
  const size = memory.memory.buffer.byteLength;
  memory.holon_allocate(4 * size);
  assert.ok(memory.memory.buffer.byteLength > size);
  model.step(0.5);
  assert.equal(model.poses, poses);
  assert.ok(poses.length > 7 && Math.abs(model.time - 1) < 1e-12);
  assert.notDeepEqual(poses, then.poses);
  assert.equal(record[0], Math.fround(model.time));
  model.restore(state);
  assert.deepEqual([poses, energy, model.time], [then.poses, then.energy, then.time]);
  model.reset();
  assert.deepEqual(poses, start);
  model.set_parameter("drag", 200);
  assert.deepEqual(poses, start);
  model.set_input("pedal", 0.5);
  model.step(0.5);
  assert.equal(model.poses, poses);
  assert.equal(model.positions, positions);
  assert.equal(model.velocities, velocities);
  assert.notDeepEqual(poses, then.poses);
  model.free();
  assert.ok(poses.length > 7);
  assert.throws(() => model.step(0.1), /freed/);
});

// Error control, fixed steps, events of contact, time stepping, states with delays and samples.
for (const [name, options] of [
  ["examples/inputs.yaml", {}], ["examples/inputs.yaml", { step: 0.002 }], ["contact/ball.yaml", {}],
  ["contact/stack.yaml", { step: 0.002 }], ["control/sampled-motor.yaml", {}], ["iltis/iltis.yaml", {}],
] as [string, Package.SimulationOptions][]) {
  test(`${name}${options.step ? " in fixed steps" : ""}: a restored state goes on bit for bit, under inputs and a pull`, () => {
    const model = create(name, options);
    const input = model.loaded.inputs[0]?.name;
    const go = (from: number) => {
      for (let k = from; k < from + 6; k++) {
        if (k === 9) model.release();
        else model.pull_to([1 + 0.1 * k, 0.2, 1]);
        if (input) model.set_input(input, 0.05 * k);
        model.step(1 / 60);
      }
      return model.hash();
    };
    model.grab(1, [0.05, 0, 0], [1, 0, 1], 50, 2);
    go(0);
    const state = model.save();
    assert.deepEqual(model.save(), state);
    const [hash, once] = [model.hash(), go(6)];
    assert.notEqual(once, hash);
    model.restore(state);
    assert.equal(model.hash(), hash);
    model.grab(1, [0.05, 0, 0], [1.5, 0.2, 1], 50, 2); // as it was: who restores says what is held
    assert.equal(go(6), once);
    // into another copy of the model
    const other = create(name, options);
    other.restore(state);
    assert.equal(other.hash(), hash);
    other.free();
    model.free();
  });
}

test("what is wrong is an exception with the messages of the command", () => {
  const wrong = (call: () => void, message: RegExp) => {
    assert.throws(call, (error) => {
      assert.ok(error instanceof ModelError && error instanceof Error);
      assert.match(error.message, message);
      assert.ok(error.problems.length > 0 && error.problems[0]!.message !== "");
      return true;
    });
  };
  wrong(() => holon.create("bodies: {bob: {mas: 1}}"), /^model\.yaml:1:16: body 'bob'.*\n {2}Did you mean 'mass'/);
  wrong(() => holon.create({ name: "a.yaml", text: "bodies: [" }), /^a\.yaml:1/);
  wrong(() => create("four-bar.yaml", { formula: "nothing" }), /nothing/);
  const model = create("examples/inputs.yaml");
  wrong(() => model.set_input("nothing", 1), /no input 'nothing'/);
  wrong(() => model.set_input("pedal", NaN), /pedal/);
  wrong(() => model.set_parameter("nothing", 1), /nothing/);
  wrong(() => model.step(0), /does not move time/);
  wrong(() => model.restore(new Uint8Array(10)), /10 bytes/);
  const state = model.save();
  state[state.length - 5]! ^= 1;
  wrong(() => model.restore(state), /./);
  const other = create("four-bar.yaml");
  wrong(() => model.restore(other.save()), /./);
  const hash = model.hash();
  model.step(0.1); // still runs
  assert.notEqual(model.hash(), hash);
  other.free();
  model.free();
});

test("types are those of the package", () => {
  writeFileSync(join(folder, "use.mts"), `import { load, ModelError, type Model, type Problem } from "holon";
import { from_file } from "holon/node";
const holon = await load();
const model: Model = holon.create(from_file("a.yaml"), { tol: 1e-8 });
const poses: Float64Array = model.poses;
const state: Uint8Array = model.save();
model.restore(state);
try { model.step(poses.length); } catch (error) {
  if (error instanceof ModelError) { const problem: Problem | undefined = error.problems[0]; console.log(problem?.line); }
}
// @ts-expect-error: a number is asked for
model.set_input("steer", "left");
`);
  symlinkSync(join(VIEWER, "node_modules/@types"), join(folder, "node_modules/@types"));
  const made = spawnSync(join(VIEWER, "node_modules/.bin/tsc"), [
    "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2023,dom", "--types", "node", "use.mts",
  ], { cwd: folder, encoding: "utf8" });
  assert.equal(made.stdout + made.stderr, "");
});

test("the example of the README runs", () => {
  const readme = readFileSync(join(folder, "node_modules/holon/README.md"), "utf8");
  const code = readme.split("```js\n")[1]!.split("```")[0]!;
  writeFileSync(join(folder, "readme.mjs"), code);
  const made = spawnSync(process.execPath, ["readme.mjs"], { cwd: folder, encoding: "utf8" });
  assert.equal(made.stderr, "");
  assert.ok(made.stdout.trim().split("\n").length > 500);
});
