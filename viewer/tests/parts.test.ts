// The parts behind the page that need no browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { Vector3 } from "three";
import { timeText } from "../src/bar.ts";
import { Bodies, segmentsFor } from "../src/bodies.ts";
import { anglesOf, speedOf } from "../src/card.ts";
import { Channels, tellingRange, valueAt } from "../src/channels.ts";
import { readScene, readSignals } from "../src/data.ts";
import { difference, largestDifferences } from "../src/difference.ts";
import { digits } from "../src/dom.ts";
import { codecsFor } from "../src/film.ts";
import { roundCell } from "../src/ground.ts";
import { createInstant, readMotion, sample } from "../src/motion.ts";
import { readParameters } from "../src/parameters.ts";
import { writeMp4 } from "../src/mp4.ts";
import { naturalSpeed, Player } from "../src/player.ts";
import { Pace } from "../src/quality.ts";
import { peaks } from "../src/report/peaks.ts";
import { fileName, frameCount } from "../src/save.ts";
import { geometryOf, partsOf } from "../src/shapes.ts";
import { path } from "../src/traces.ts";
import { fineLogTicks, linearTicks, logTicks, padded, power, rightAxis, tickLabels, unitText } from "../src/scales.ts";
import { filterItems, itemsOf } from "../src/tree.ts";
import { directionOf, extentOf, isHeld, mainBody, planeOf, seenFrom, upOf } from "../src/views.ts";
import { VIEWER } from "./browser.ts";
import { car, fourBar, fourBarAt, type Results } from "./machines.ts";

function read(results: Results) {
  const scene = readScene(JSON.stringify(results.scene), []);
  return { scene, motion: readMotion(scene, results.motion.slice().buffer as ArrayBuffer, []) };
}
const near = (a: number, b: number, tolerance = 1e-9) =>
  assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);

test("the player repeats or stops at the end", () => {
  const player = new Player(0, 5);
  player.play();
  player.time = 4.9;
  assert.ok(player.advance(0.2));
  near(player.time, 0.1, 1e-12);
  player.setLoop(false);
  player.time = 4.9;
  player.advance(0.2);
  assert.equal(player.time, 5);
  assert.equal(player.playing, false);
  player.play();
  assert.equal(player.time, 0);
});

test("the player stays within the run and ignores what is no time", () => {
  const player = new Player(1, 3);
  player.seek(9);
  assert.equal(player.time, 3);
  player.seek(NaN);
  assert.equal(player.time, 3);
  player.seek(-9);
  assert.equal(player.time, 1);
});

test("a page that slept does not leap ahead", () => {
  const player = new Player(0, 100);
  player.play();
  player.advance(60);
  assert.ok(player.time <= 0.25);
});

test("short runs are slowed down, long ones run in real time", () => {
  assert.equal(naturalSpeed(8), 1);
  assert.equal(naturalSpeed(1), 0.25);
  assert.equal(naturalSpeed(0.03), 0.01);
});

test("a run of one frame cannot be played", () => {
  const player = new Player(2, 2);
  player.play();
  assert.equal(player.playing, false);
});

test("speeds go up and down the list", () => {
  const player = new Player(0, 10);
  player.shiftSpeed(1);
  assert.equal(player.speed, 2);
  player.shiftSpeed(-2);
  assert.equal(player.speed, 0.5);
});

test("the address is read from query and hash", () => {
  const given = readParameters("?time=2.9&view=side&still=1", "#theme=dark&plot=a.b,c", undefined);
  assert.equal(given.time, 2.9);
  assert.equal(given.view, "side");
  assert.ok(given.still);
  assert.equal(given.theme, "dark");
  assert.deepEqual(given.plot, ["a.b", "c"]);
  const none = readParameters("?time=abc&view=inside&theme=pink", "", "embed");
  assert.equal(none.time, null);
  assert.equal(none.view, null);
  assert.equal(none.theme, null);
  assert.ok(none.embed);
});

test("data come only from folders beside the page", () => {
  const folder = (data: string) => readParameters(`?data=${encodeURIComponent(data)}`, "", undefined).data;
  assert.equal(folder("runs/iltis"), "runs/iltis/");
  for (const bad of ["https://x.org/", "//x.org", "../secret", "/etc", "a/../../b", "javascript:1"]) {
    assert.equal(folder(bad), "");
  }
});

test("up is against gravity; a plane without gravity stands upright", () => {
  assert.deepEqual(upOf([0, 0, -9.81], null).toArray(), [0, 0, 1]);
  assert.deepEqual(upOf([0, -9.81, 0], null).toArray(), [0, 1, 0]);
  assert.deepEqual(upOf([3, 0, 0.1], null).toArray(), [-1, 0, 0]);
  assert.deepEqual(upOf([0, 0, 0], null).toArray(), [0, 0, 1]);
  assert.deepEqual(upOf([0, 0, 0], new Vector3(0, 0, 1)).toArray(), [0, 1, 0]);
});

test("side shows forward to the right, top too", () => {
  for (const up of [new Vector3(0, 0, 1), new Vector3(0, 1, 0)]) {
    for (const view of ["side", "top"] as const) {
      const direction = directionOf(view, up, null);
      const screenUp = view === "side" ? up : new Vector3().crossVectors(up, new Vector3(1, 0, 0));
      const right = new Vector3().crossVectors(screenUp, direction);
      assert.ok(right.x > 0.99, `${view}: ${right.toArray()}`);
    }
    assert.deepEqual(directionOf("front", up, null).toArray(), [1, 0, 0]);
  }
});

test("the front of a plane mechanism is its plane", () => {
  const axis = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) };
  // up, normal, and what points right
  for (const [up, plane, right] of [[axis.z, axis.y, axis.x], [axis.z, axis.x, axis.y], [axis.y, axis.z, axis.x]] as const) {
    const front = directionOf("front", up, plane);
    near(Math.abs(front.dot(plane)), 1);
    assert.ok(new Vector3().crossVectors(up, front).dot(right) > 0.99, `${front.toArray()}`);
  }
  assert.ok(directionOf("front", axis.z, axis.z).z > 0.99); // a level one from above
});

test("what leaves its plane or turns out of it is not plane", () => {
  const change = (edit: (row: Float32Array, time: number) => void) => {
    const results = fourBar();
    const { stride, frames } = results.scene.motion;
    for (let k = 0; k < frames; k++) edit(results.motion.subarray(k * stride, (k + 1) * stride), k / frames);
    const { scene, motion } = read(results);
    return planeOf(scene, motion);
  };
  assert.ok(change(() => {}));
  assert.equal(change((row, time) => (row[2] = 0.05 * time)), null); // the crank drifts along y
  assert.equal(change((row, time) => row.set([Math.cos(time), Math.sin(time), 0, 0], 4)), null); // about x
  assert.ok(change((row) => (row[2] = 0.05))); // a link beside the others
});

test("a box is as large as it looks", () => {
  const sides = new Vector3(4, 2, 1);
  const up = new Vector3(0, 0, 1);
  const near2 = (seen: number[], height: number, width: number) => {
    near(seen[0]!, height, 0.01);
    near(seen[1]!, width, 0.01);
  };
  near2(seenFrom(sides, directionOf("side", up, null), up), 1, 4);
  near2(seenFrom(sides, directionOf("front", up, null), up), 1, 2);
  near2(seenFrom(sides, directionOf("top", up, null), up), 2, 4);
});

test("the four-bar is plane and stays; the car travels and is not plane", () => {
  const look = (results: Results) => {
    const { scene, motion } = read(results);
    const bodies = new Bodies(scene, { ghost: false, shadows: false, budget: 1e6 });
    return { scene, extent: extentOf(scene, motion, (body) => bodies.box(body)), plane: planeOf(scene, motion) };
  };
  const { extent: bar, plane } = look(fourBar());
  assert.deepEqual(plane?.toArray(), [0, 1, 0]);
  assert.equal(bar.travels, false);
  const hinged = look(fourBar()).scene;
  assert.ok(hinged.bodies.every((_, body) => isHeld(hinged, body)));
  const { scene, extent, plane: none } = look(car());
  assert.equal(none, null); // it moves along a plane, but is wide
  assert.equal(extent.travels, true);
  assert.equal(isHeld(scene, mainBody(scene)), false);
  assert.equal(scene.bodies[mainBody(scene)]!.name, "chassis");
  // 3.4 m long with bumper, 1.86 m wide with wheels, about 1.5 m high.
  assert.ok(extent.size > 3.8 && extent.size < 5, String(extent.size));
  // The box around a wheel turns with it: its corners reach 0.35 m (sqrt 2 - 1) below the road.
  assert.ok(extent.low.z > -0.146 && extent.low.z <= 0, String(extent.low.z));
});

test("parts of a body are put where its pose says", () => {
  const { scene, motion } = read(fourBar());
  const bodies = new Bodies(scene, { ghost: false, shadows: false, budget: 1e6 });
  const instant = createInstant(scene);
  sample(scene, motion, 1, instant);
  bodies.update(instant.poses);
  // The half sphere at the far end of the crank lies on the pin.
  const { pin } = fourBarAt(Math.PI + 0.4);
  let best = Infinity;
  for (const child of bodies.root.children as any[]) {
    const m = child.instanceMatrix.array;
    for (let k = 0; k < m.length; k += 16) {
      best = Math.min(best, Math.hypot(m[k + 12] - pin.x, m[k + 13], m[k + 14] - pin.z));
    }
  }
  assert.ok(best < 1e-5, String(best));
});

test("a hidden body has no size, a shown one has its own again", () => {
  const { scene, motion } = read(fourBar());
  const bodies = new Bodies(scene, { ghost: false, shadows: false, budget: 1e6 });
  const instant = createInstant(scene);
  sample(scene, motion, 0, instant);
  const sum = () =>
    (bodies.root.children as any[]).reduce((total, mesh) => {
      const m = mesh.instanceMatrix.array as Float32Array;
      for (let k = 0; k < m.length; k += 16) total += Math.abs(m[k]!) + Math.abs(m[k + 5]!);
      return total;
    }, 0);
  bodies.update(instant.poses);
  const all = sum();
  bodies.setVisible(2, false);
  bodies.update(instant.poses);
  assert.ok(sum() < all);
  bodies.setVisible(2, true);
  bodies.update(instant.poses);
  near(sum(), all, 1e-9);
});

test("every shape has a geometry of the size it says", () => {
  const { scene } = read(car());
  const size = new Vector3();
  for (const shape of scene.bodies.flatMap((body) => body.shapes)) {
    for (const part of partsOf({ ...shape, at: [0, 0, 0], rotation: [1, 0, 0, 0] }, 1)) {
      const geometry = geometryOf(part.key, scene, 48);
      geometry.applyMatrix4(part.local);
      geometry.computeBoundingBox();
      geometry.boundingBox!.getSize(size);
      const expected: Record<string, number[]> = {
        box: [3.4, 1.3, 0.4], cylinder: [0.2, 0.2, 0.6], sphere: [0.24, 0.24, 0.24],
        wheel: [0.7, 0.7, 0.22], extrusion: [2.2, 0.6, 1.2], "mesh 0": [0.6, 0.6, 0.3],
        tube: [0.12, 0.12, 1.2], cap: [0.12, 0.12, 0.06], under: [0.12, 0.12, 0.06],
      };
      const key = part.key.startsWith("extrusion") ? "extrusion" : part.key;
      if (key === "wheel") size.z = Math.min(size.z, 0.22); // the hub stands out a little
      size.toArray().forEach((value, i) => near(value, expected[key]![i]!, 0.004));
    }
  }
});

test("many round parts have fewer corners each", () => {
  assert.equal(segmentsFor(20, 1e6), 32);
  assert.equal(segmentsFor(20000, 1e6), 8);
  assert.equal(segmentsFor(20000, 4e4), 6);
});

test("a trace is the path of the point", () => {
  const { scene, motion } = read(fourBar());
  const { positions, times } = path(scene, motion, { body: 1, point: [0.25, 0, 0] });
  times.forEach((time, k) => {
    const { pin } = fourBarAt(Math.PI * time + 0.4);
    near(positions[3 * k]!, pin.x, 1e-5);
    near(positions[3 * k + 2]!, pin.z, 1e-5);
  });
});

test("signals of the run come first, the motion fills in what is not recorded", () => {
  const results = fourBar();
  const { scene, motion } = read(results);
  const signals = readSignals(results.signals!.header, results.signals!.records, []);
  const channels = new Channels(scene, motion, signals);
  assert.deepEqual(channels.outputs().map((c) => c.name), ["crank angle", "sine", "rocker angle"]);
  const x = channels.find("body.crank.position.x")!.read();
  near(x.values[0]!, fourBarAt(0.4).pin.x / 2, 1e-6);
  assert.equal(channels.find("force.spring.value")!.unit, "N");
  assert.equal(channels.search("joint.B reaction", 9).length, 3);
  assert.equal(channels.search("", 4).length, 4);
});

test("a value between samples is on the line between them", () => {
  const time = Float64Array.of(0, 1, 3);
  const values = Float64Array.of(0, 10, 30);
  assert.equal(valueAt(time, values, 0.5), 5);
  assert.equal(valueAt(time, values, 2), 20);
  assert.ok(Number.isNaN(valueAt(time, values, 4)));
});

test("a last row off the grid does not flatten a plot, a jump on the grid is shown", () => {
  const time = Float64Array.from({ length: 40 }, (_, k) => 0.1 * k);
  const values = Float64Array.from({ length: 40 }, (_, k) => Math.sin(k));
  values[39] = 1e15;
  assert.equal(tellingRange(time, values)[1], 1e15);
  time[39] = 3.83;
  assert.ok(tellingRange(time, values)[1] < 1.01);
  values[38] = 1e4;
  assert.ok(tellingRange(time, values)[1] < 1.01);
  values[39] = 2;
  values[38] = 1;
  assert.equal(tellingRange(time, values)[1], 2);
});

test("angles and speed of the card", () => {
  const half = Math.PI / 8;
  const [roll, pitch, yaw] = anglesOf([Math.cos(half), 0, 0, Math.sin(half)], 0);
  near(roll, 0);
  near(pitch, 0);
  near(yaw, 45);
  const { scene, motion } = read(car());
  near(speedOf(scene, motion, 1, 0.5), 4, 1e-3);
});

test("the list finds by name and type", () => {
  const items = itemsOf(read(car()).scene);
  assert.equal(filterItems(items, "wheel").length, 4);
  assert.equal(filterItems(items, "tyre 3").length, 1);
  assert.equal(filterItems(items, "REVOLUTE").length, 4);
  assert.equal(filterItems(items, "nothing").length, 0);
});

test("peaks are the first of equal values, and gaps are left out", () => {
  const one = {
    name: "z", unit: "m", time: Float64Array.of(0, 1, 2, 3, 4), values: Float64Array.of(NaN, -2, 5, 5, -2),
  };
  assert.deepEqual(peaks(one), { largest: { value: 5, time: 2 }, smallest: { value: -2, time: 1 } });
  assert.equal(peaks({ ...one, values: Float64Array.of(NaN, NaN, NaN, NaN, NaN) }), null);
});

test("numbers are short", () => {
  assert.equal(digits(0), "0");
  assert.equal(digits(3.14159265), "3.142");
  assert.equal(digits(-0.00001234), "-1.23e-5");
  assert.equal(digits(12345678), "1.23e7");
  assert.equal(timeText(1.23456, 8), "1.23");
  assert.equal(timeText(0.0123456, 0.03), "0.0123");
});

test("grid cells are round numbers", () => {
  assert.deepEqual([0.9, 1.2, 3, 4, 8, 0.034].map((v) => Number(roundCell(v).toPrecision(3))), [1, 1, 2, 5, 10, 0.02]);
});

test("slow drawing gives up shadows, then pixels, and no more than half of them", () => {
  const pace = new Pace(1, true, false);
  assert.deepEqual(pace.moving(), { shadows: true, ratio: 1 });
  for (let k = 0; k < 60; k++) pace.observe(16);
  assert.deepEqual(pace.moving(), { shadows: true, ratio: 1 });
  for (let k = 0; k < 20; k++) pace.observe(60);
  assert.equal(pace.moving().shadows, false);
  for (let k = 0; k < 100; k++) pace.observe(200);
  assert.equal(pace.moving().ratio, 0.5);
  assert.deepEqual(pace.resting(), { shadows: true, ratio: 1 });
});

test("software draws without shadows while things move, finer at rest if that is quick", () => {
  const pace = new Pace(1, true, true);
  assert.deepEqual(pace.moving(), { shadows: false, ratio: 1 });
  assert.deepEqual(pace.resting(), { shadows: true, ratio: 1.5 });
  assert.ok(pace.guesses);
  pace.begin(30);
  assert.ok(pace.worthRefining && !pace.guesses);
  pace.begin(400);
  assert.ok(!pace.worthRefining);
});

test("text can be read: contrast of at least 4.5 in both themes", () => {
  const css = readFileSync(resolve(VIEWER, "src/colors.css"), "utf8");
  const luminance = (hex: string) => {
    const [r, g, b] = [1, 3, 5].map((k) => {
      const v = parseInt(hex.slice(k, k + 2), 16) / 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  for (const block of css.match(/:root[^{]*\{[^}]*\}/g)!) {
    const value = (name: string) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(block)![1]!;
    const pairs = [
      ["text", "panel"], ["text", "back"], ["soft", "panel"], ["accent", "panel"], ["accent", "press"],
      ["green", "green-back"], ["amber", "amber-back"], ["red", "red-back"],
    ];
    for (const [ink, paper] of pairs as [string, string][]) {
      const [a, b] = [luminance(value(ink)), luminance(value(paper))];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      assert.ok(contrast >= 4.5, `${ink} on ${paper}: ${contrast.toFixed(2)}`);
    }
  }
});

// ---- axes ---------------------------------------------------------------------------------------

test("ticks are round, zero is 0, and what all labels share stands at the axis", () => {
  const of = (low: number, high: number) => {
    const { ticks, step } = linearTicks(low, high, 5);
    return tickLabels(ticks, step);
  };
  assert.deepEqual(of(-1, 1).labels, ["−1.0", "−0.5", "0", "0.5", "1.0"]);
  assert.deepEqual(of(0, 30000), { labels: ["0", "10000", "20000", "30000"], note: "" });
  assert.deepEqual(of(0, 3e6), { labels: ["0", "1", "2", "3"], note: "×10⁶" });
  assert.deepEqual(of(0, 4e-4), { labels: ["0", "100", "200", "300", "400"], note: "×10⁻⁶" });
  assert.deepEqual(of(-7e-40, 7e-40).labels.every((label) => label === "0"), true);
  const shifted = of(1.25, 1.25 + 4e-7);
  assert.match(shifted.note, /\+ 1\.25/);
  assert.equal(shifted.labels[0], "0");
});

test("ticks stand within their range, also where numbers cannot be exact", () => {
  for (const [low, high] of [[0.1, 0.7], [-3e9, 1e9], [1e-9, 3e-9], [99.9, 100.1]] as const) {
    const { ticks } = linearTicks(low, high, 6);
    assert.ok(ticks.length >= 3 && ticks.length <= 12, `${ticks}`);
    for (const tick of ticks) assert.ok(tick >= low - 1e-6 * (high - low) && tick <= high + 1e-6 * (high - low));
  }
  for (const [low, high] of [[0.55, 1.3], [0.6, 1.4], [-0.4, 0.4], [7, 13], [0.93, 1.97]] as const)
    assert.ok(linearTicks(low, high, 2).ticks.length >= 2, `one tick between ${low} and ${high}`);
  assert.deepEqual(logTicks(1e-15, 1e-3, 7).labels, ["10⁻¹⁵", "10⁻¹³", "10⁻¹¹", "10⁻⁹", "10⁻⁷", "10⁻⁵", "10⁻³"]);
  assert.deepEqual(fineLogTicks(3e-4, 3e-3, 7).labels, ["5·10⁻⁴", "10⁻³", "2·10⁻³"]);
  assert.deepEqual(fineLogTicks(1e-6, 1e-3, 7), logTicks(1e-6, 1e-3, 7));
  assert.equal(power(-12), "10⁻¹²");
  assert.equal(unitText("m/s^2"), "m/s²");
});

test("a line that would be flat goes to the right axis, others do not", () => {
  assert.deepEqual(rightAxis([[0, 50], [0.7, 0.9]]), [false, true]);
  assert.deepEqual(rightAxis([[0, 50], [0, 20]]), [false, false]);
  assert.deepEqual(rightAxis([[0, 50], [3, 3]]), [false, false]); // flat in any case
  assert.deepEqual(rightAxis([[0, 50]]), [false]);
  assert.deepEqual(rightAxis([[85, 86], [-1, 1]]), [true, false]); // both small, far apart
  assert.deepEqual(rightAxis([[0, 1], [50, 51], [100, 101]]), [false, false, false]); // three places
  // two small ones far apart would be flat together as well
  assert.deepEqual(rightAxis([[0, 50], [0, 1], [49, 50]]), [false, false, false]);
});

test("a range has room, also for a line that is flat or zero", () => {
  assert.deepEqual(padded(0, 0), [-1, 1]);
  assert.deepEqual(padded(1e-40, 2e-40), [-1, 1]);
  const [low, high] = padded(5, 5);
  assert.ok(low < 5 && high > 5);
  assert.ok(padded(0, 1)[0] < 0 && padded(0, 1)[1] > 1);
});

// ---- drawing ------------------------------------------------------------------------------------

test("opacity and looks are read, and results of earlier versions have usual ones", () => {
  const results = fourBar();
  results.scene.bodies[1].shapes[0].opacity = 0.3;
  results.scene.forces.push({ ...results.scene.forces[0], name: "shock", look: "damper" });
  results.scene.forces.push({ ...results.scene.forces[0], name: "odd", look: "banana" });
  const warnings: string[] = [];
  results.scene.motion.stride += 2;
  const scene = readScene(JSON.stringify(results.scene), warnings);
  assert.equal(scene.bodies[1]!.shapes[0]!.opacity, 0.3);
  assert.equal(scene.bodies[2]!.shapes[0]!.opacity, 1);
  assert.deepEqual(scene.forces.map((force) => force.look), ["spring", "damper", "spring"]);
  const bodies = new Bodies(scene, { ghost: false, shadows: false, budget: 1e5 });
  const materials = bodies.root.children.map((mesh) => (mesh as any).material);
  assert.deepEqual([...new Set(materials.filter((m) => m.transparent).map((m) => m.opacity))], [0.3]);
});

test("between frames a load goes straight, and stays where only one of them has it", () => {
  const results = car();
  const { stride, columns } = results.scene.motion;
  const second = stride + columns.loads;
  results.motion.fill(0, second + 6, second + 12); // the second tyre leaves the road
  const { scene, motion } = read(results);
  const instant = createInstant(scene);
  sample(scene, motion, motion.times[1]! / 4, instant);
  const [first, next] = [results.motion.subarray(columns.loads), results.motion.subarray(second)];
  for (let k = 0; k < 6; k++) near(instant.loads[k]!, 0.75 * first[k]! + 0.25 * next[k]!, 1e-3);
  for (let k = 6; k < 12; k++) near(instant.loads[k]!, first[k]!, 1e-9);
  sample(scene, motion, motion.times[1]!, instant);
  assert.deepEqual([...instant.loads.subarray(6, 12)], [0, 0, 0, 0, 0, 0]);
});

test("centers of pressure can be plotted, with gaps without contact", () => {
  const results = car();
  results.scene.loads[1].type = "contact";
  results.motion.fill(0, results.scene.motion.columns.loads + 6, results.scene.motion.columns.loads + 12);
  const { scene, motion } = read(results);
  const channels = new Channels(scene, motion, null);
  const place = channels.find("contact.tyre 2.center_of_pressure.y")!.read().values;
  assert.ok(Number.isNaN(place[0]));
  near(place[1]!, -0.75, 1e-6);
  assert.equal(channels.find("contact.tyre 1.center_of_pressure.y"), null);
});

test("the difference of two runs is taken at the times of the first, without what the second lacks", () => {
  const at = (times: number[], of: (t: number) => number) => ({
    time: Float64Array.from(times), values: Float64Array.from(times, of),
  });
  const { time, values } = difference(at([0, 1, 2, 3], (t) => 3 * t), at([0, 0.5, 2], (t) => t));
  assert.deepEqual([...time], [0, 1, 2, 3]);
  assert.deepEqual([...values].slice(0, 3), [0, 2, 4]);
  assert.ok(Number.isNaN(values[3]!));
});

test("signals that differ are listed, outputs first and the most different before", () => {
  const channels = (lag: number) => {
    const results = fourBar(4, lag);
    const { scene, motion } = read(results);
    return new Channels(scene, motion, readSignals(results.signals!.header, results.signals!.records, []));
  };
  assert.deepEqual(largestDifferences(channels(0), channels(0), 5), []);
  const found = largestDifferences(channels(0), channels(0.3), 100);
  const names = found.map(({ channel }) => channel.name);
  // Over the whole turns the sines differ by 2 sin(0.15) of a range of 2; the angles by 0.3 of 4 pi + 0.3.
  assert.deepEqual(names.slice(0, 3).sort(), ["crank angle", "rocker angle", "sine"]);
  const part = (name: string) => found.find(({ channel }) => channel.name === name)!.part;
  near(part("sine"), Math.sin(0.15), 1e-3);
  near(part("crank angle"), 0.3 / (4 * Math.PI + 0.3), 1e-9);
  assert.ok(names.indexOf("sine") < names.indexOf("crank angle"));
  // The bodies stay in the plane: their y, 0 in both runs, is not listed.
  assert.ok(names.includes("body.crank.position.x") && !names.includes("body.crank.position.y"));
});

/** Boxes of an MP4, by their paths, as [start, end] of their content. */
function boxesOf(bytes: Uint8Array, from = 0, to = bytes.length, path = "", found = new Map<string, [number, number]>()) {
  const view = new DataView(bytes.buffer);
  for (let at = from; at < to; ) {
    const size = view.getUint32(at);
    assert.ok(size >= 8 && at + size <= to, `${path} at ${at}`);
    const name = path + String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    found.set(name, [at + 8, at + size]);
    if (/(moov|trak|mdia|minf|dinf|stbl)$/.test(name)) boxesOf(bytes, at + 8, at + size, `${name}/`, found);
    at += size;
  }
  return found;
}

test("an MP4 holds its frames where its index says", () => {
  const frames = [[1, 2, 3], [4], [5, 6], [7, 8, 9, 10]].map((bytes, k) => ({ bytes: Uint8Array.from(bytes), isKey: k % 2 === 0 }));
  const bytes = writeMp4({ codec: "avc1.42001f", width: 640, height: 360, rate: 25, description: Uint8Array.of(1, 2) }, frames);
  const boxes = boxesOf(bytes);
  const view = new DataView(bytes.buffer);
  const words = (name: string): number[] => {
    const [start, end] = boxes.get(name)!;
    return Array.from({ length: (end - start) / 4 }, (_, k) => view.getUint32(start + 4 * k));
  };
  const table = "moov/trak/mdia/minf/stbl/";
  const sizes = words(`${table}stsz`).slice(3);
  assert.deepEqual(sizes, [3, 1, 2, 4]);
  let at = words(`${table}stco`)[2]!;
  assert.equal(at, boxes.get("mdat")![0]);
  frames.forEach((frame, k) => {
    assert.deepEqual([...bytes.subarray(at, at + sizes[k]!)], [...frame.bytes]);
    at += sizes[k]!;
  });
  assert.equal(at, bytes.length);
  assert.deepEqual(words(`${table}stss`).slice(2), [1, 3]);
  const [, , , clock, duration] = words("moov/trak/mdia/mdhd") as [number, number, number, number, number];
  assert.equal(duration / clock, 4 / 25);
});

test("films: codecs suit the size, names are plain, both ends are shown", () => {
  assert.equal(codecsFor(1280, 720, 30)[0], "avc1.42001f"); // 3600 macroblocks a frame: level 3.1
  assert.equal(codecsFor(1920, 1080, 30)[0], "avc1.420028"); // 8160: level 4
  assert.equal(codecsFor(3840, 2160, 30)[0], "avc1.420033"); // 32400: level 5.1
  assert.match(codecsFor(7680, 4320, 60)[0]!, /^vp09/);
  assert.equal(fileName("Car, on ramps (2)!"), "car-on-ramps-2");
  assert.equal(fileName("///"), "model");
  assert.equal(frameCount(4, 1, 25), 101);
  assert.equal(frameCount(4, 0.5, 30), 241);
  assert.equal(frameCount(0, 1, 30), 1);
});
