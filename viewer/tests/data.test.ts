// Reading of results: what is there is read, what is wrong is named.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DataError, readCertificate, readScene, readSignals } from "../src/data.ts";
import { frameAt, createInstant, readMotion, rotate, sample, transform } from "../src/motion.ts";
import { car, fourBar, fourBarAt } from "./machines.ts";

const text = (scene: unknown) => JSON.stringify(scene);
const buffer = (array: Float32Array) => array.slice().buffer as ArrayBuffer;

function read(results = fourBar()) {
  const warnings: string[] = [];
  const scene = readScene(text(results.scene), warnings);
  const motion = readMotion(scene, buffer(results.motion), warnings);
  return { scene, motion, warnings };
}

function fails(source: string, title: RegExp): void {
  assert.throws(
    () => readScene(source, []),
    (error) => error instanceof DataError && title.test(error.title) && error.hint.length > 0,
  );
}

test("a whole scene is read without warnings", () => {
  for (const results of [fourBar(), car()]) {
    const { scene, motion, warnings } = read(results);
    assert.deepEqual(warnings, []);
    assert.equal(scene.bodies.length, results.scene.bodies.length);
    assert.equal(scene.joints.length, 4);
    assert.equal(motion.gap, null);
    assert.equal(motion.frames, results.scene.motion.frames);
  }
});

test("what is no scene is named", () => {
  fails("", /cannot be read/);
  fails('{"format": 1, "bodi', /cannot be read/);
  fails("[1, 2]", /cannot be read/);
  fails("<!doctype html><p>404", /missing/);
  fails("{}", /cannot be read/);
  fails('{"format": 2, "holon": "0.9.0"}', /newer/);
  fails('{"format": 1, "bodies": []}', /no bodies/);
  fails('{"format": 1, "bodies": [{"name": "ground"}]}', /motion/);
});

test("records too short for the bodies do not belong to them", () => {
  const { scene } = fourBar();
  scene.motion.stride = 9;
  fails(text(scene), /belong together/);
});

test("results of earlier versions have no loads", () => {
  const { scene } = fourBar();
  delete scene.loads;
  delete scene.motion.columns.loads;
  const read = readScene(text(scene), []);
  assert.deepEqual(read.loads, []);
  assert.equal(createInstant(read).loads.length, 0);
  assert.equal(createInstant(read).values.length, 1);
});

test("unknown shapes, lost meshes and joints without bodies are left out with a warning", () => {
  const { scene } = fourBar();
  scene.bodies[1].shapes.push({ type: "torus", radius: 1 }, { type: "mesh", mesh: 3 });
  scene.joints[1].body2 = 99;
  const warnings: string[] = [];
  const read = readScene(text(scene), warnings);
  assert.equal(read.bodies[1]!.shapes.length, 1);
  assert.deepEqual(read.joints.map((joint) => joint.column), [0, 2, 3]);
  assert.equal(warnings.length, 3);
  assert.match(warnings.join(), /torus.*mesh is not in the results.*joint A/);
});

test("triangles of vertices that are not there are left out", () => {
  const { scene } = car();
  scene.meshes[0].triangles.push(0, 1, 77);
  const warnings: string[] = [];
  assert.equal(readScene(text(scene), warnings).meshes[0]!.triangles.length, 18);
  assert.match(warnings[0]!, /roof\.stl/);
});

test("a motion that was cut off is shown up to its last whole frame", () => {
  const results = fourBar();
  const { stride } = results.scene.motion;
  const warnings: string[] = [];
  const scene = readScene(text(results.scene), warnings);
  const motion = readMotion(scene, buffer(results.motion.subarray(0, 100 * stride + 3)), warnings);
  assert.equal(motion.frames, 100);
  assert.ok(Math.abs(motion.last - 99 / 60) < 1e-6);
  assert.match(warnings[0]!, /100 of 241 frames/);
  assert.throws(() => readMotion(scene, new ArrayBuffer(40), []), /no whole frame/);
});

test("bytes that do not fill a number are ignored", () => {
  const results = fourBar();
  const scene = readScene(text(results.scene), []);
  const bytes = buffer(results.motion).slice(0, 4 * scene.motion.stride * 5 + 3);
  assert.equal(readMotion(scene, bytes, []).frames, 5);
});

test("a body whose pose is not a number stays at its last good pose", () => {
  const results = fourBar();
  const { stride } = results.scene.motion;
  const at = (frame: number) => frame * stride + 1 + 7; // coupler
  for (let frame = 60; frame < 80; frame++) results.motion[at(frame) + 2] = NaN;
  results.motion[at(0) + 4] = Infinity;
  const { motion } = read(results);
  assert.deepEqual(motion.gap, { kind: "body", name: "coupler", time: 0 });
  const pose = (frame: number) => [...motion.records.subarray(at(frame), at(frame) + 7)];
  assert.deepEqual(pose(79), pose(59));
  assert.notDeepEqual(pose(80), pose(59));
  assert.deepEqual(pose(0), pose(1));
});

test("a load that is not a number becomes zero and is named", () => {
  const results = fourBar();
  const { stride, columns } = results.scene.motion;
  results.motion[30 * stride + columns.reactions + 3] = NaN;
  const { motion } = read(results);
  assert.deepEqual(motion.gap, { kind: "joint", name: "A", time: Math.fround(0.5) });
});

test("a time that is not a number ends the motion", () => {
  const results = fourBar();
  results.motion[50 * results.scene.motion.stride] = NaN;
  const { motion, warnings } = read(results);
  assert.equal(motion.frames, 50);
  assert.match(warnings[0]!, /Frame 50/);
});

test("the frame before a time is found everywhere", () => {
  const { motion } = read();
  for (let k = 0; k < 1000; k++) {
    const time = -0.1 + (k / 999) * 4.3;
    const frame = frameAt(motion, time);
    assert.ok(frame === 0 || motion.times[frame]! <= time);
    assert.ok(frame === motion.frames - 1 || motion.times[frame + 1]! > time);
  }
});

test("poses between frames lie on the motion of the four-bar", () => {
  const { scene, motion } = read();
  const instant = createInstant(scene);
  for (const time of [0, 0.008, 1.2345, 2.5, 3.999, 4]) {
    sample(scene, motion, time, instant);
    const { pin } = fourBarAt(Math.PI * time + 0.4);
    const tip = [0, 0, 0];
    transform(instant.poses, 7, [0.25, 0, 0], tip);
    // Straight between frames 1/60 s apart: error a w^2 h^2 / 8 = 1.7e-4.
    assert.ok(Math.hypot(tip[0]! - pin.x, tip[2]! - pin.z) < 2e-4, `at ${time}`);
  }
});

test("rotations go along the great arc at even speed, whatever the sign", () => {
  const results = fourBar(1 / 60);
  const { stride } = results.scene.motion;
  const turn = (angle: number) => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
  for (const sign of [1, -1]) {
    results.motion.set(turn(0.2), 4);
    results.motion.set(turn(2.2).map((e) => sign * e), stride + 4);
    const { scene, motion } = read(results);
    const instant = createInstant(scene);
    for (const part of [0.1, 0.25, 0.5, 0.9]) {
      sample(scene, motion, part * motion.last, instant);
      const x = [0, 0, 0];
      rotate(instant.poses, 7, [1, 0, 0], x);
      assert.ok(Math.abs(Math.atan2(x[1]!, x[0]!) - (0.2 + 2 * part)) < 1e-6);
    }
  }
});

test("signals are taken apart into columns, and cut off where the file ends", () => {
  const { signals } = fourBar();
  const read = readSignals(signals!.header, signals!.records, []);
  assert.equal(read.values.length, 3);
  assert.equal(read.time.length, 241);
  assert.equal(read.values[1]![60], Math.sin(Math.PI + 0.4));
  const warnings: string[] = [];
  assert.equal(readSignals(signals!.header, signals!.records.subarray(0, 42), warnings).time.length, 10);
  assert.match(warnings[0]!, /10 of 241/);
});

test("the verdict of the certificate is read", () => {
  assert.deepEqual(readCertificate('{"verdict": {"grade": "doubtful", "reasons": ["energy"]}}'), {
    grade: "doubtful", reasons: ["energy"],
  });
  assert.equal(readCertificate("{}").grade, null);
});
