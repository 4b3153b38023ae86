// Section `live` of the benchmarks (bench/driver/live.py): the engine in WebAssembly next to the command.
// Prints rows as JSON: size, times to a first frame in node and in Chromium, CPU time of runs.
// usage: node bench/live.mjs HOLON PACKAGE QUICK      (PACKAGE: folder of scripts/make-npm)

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const [holon, folder, quick] = process.argv.slice(2);
const root = resolve(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..");
const rounds = quick === "1" ? 3 : 7;

// A model, its overlays, options, and seconds to simulate.
const MODELS = [
  ["models/iltis/iltis.yaml", [], {}, 8],
  ["models/negrut/hmmwv14.yaml", [], {}, 1.5],
  ["models/vehicles/passenger.yaml", ["models/manoeuvres/iso3888.yaml"], {}, 8],
  ["models/iftomm/a04.yaml", [], {}, 10],
  ["models/four-bar.yaml", [], {}, 10],
  ["models/gyroscope.yaml", [], {}, 5],
  ["models/negrut/chain.yaml", [], {}, 2],
  ["models/control/cart-pole.yaml", [], {}, 10],
  ["models/contact/gripper.yaml", [], {}, 2],
  ["models/robots/humanoid.yaml", [], {}, 1],
  ["models/contact/spheres.yaml", [], { step: 0.002 }, 0.4],
];

const rows = [];
const row = (name, program, more) => rows.push({ section: "live", machine: name, program, ...more });
const least = (values) => Math.min(...values);

// ---- size ----------------------------------------------------------------------------------------

const wasm = readFileSync(join(folder, "holon.wasm"));
row("module", "holon.wasm", { quantity: "size", bytes: gzipSync(wasm, { level: 9 }).length, note: `${wasm.length} bytes unpacked; gzip -9` });

// ---- speed ---------------------------------------------------------------------------------------

const { load } = await import(pathToFileURL(join(folder, "index.js")).href);
const { from_file } = await import(pathToFileURL(join(folder, "node.js")).href);

{
  const began = performance.now();
  const engine = await load();
  const compiled = performance.now();
  const model = engine.create(from_file(join(root, MODELS[0][0])));
  model.step(1 / 60);
  const seconds = (performance.now() - began) / 1000;
  row("first step", "node", {
    quantity: "time", seconds, note: `of the Iltis, from nothing; ${((compiled - began) / 1000).toFixed(3)} s of it read and compile the module`,
  });
  model.free();
}

// Overlays are found relative to the model, as by the command.
function source_of(path, overlays) {
  const source = from_file(join(root, path));
  const folder = path.slice(0, path.lastIndexOf("/"));
  const up = folder.split("/").map(() => "..").join("/");
  return overlays.length > 0 ? { ...source, overlays: overlays.map((name) => `${up}/${name}`) } : source;
}

const engine = await load();
for (const [path, overlays, options, time] of MODELS) {
  const words = ["run", path, ...overlays.flatMap((name) => ["--with", name]), "--time", String(time), "--json", "--quiet"];
  for (const [name, value] of Object.entries(options)) words.push(`--${name}`, String(value));
  const native = [];
  const web = [];
  let certificate, hash, steps;
  for (let k = 0; k < rounds; k++) {
    ({ certificate } = JSON.parse(execFileSync(holon, words, { cwd: root, encoding: "utf8", maxBuffer: 1e8 })));
    native.push(certificate.cpu_seconds);
    const model = engine.create(source_of(path, overlays), { ...options, pulls: false });
    const began = process.cpuUsage();
    model.advance(time);
    const { user, system } = process.cpuUsage(began);
    web.push((user + system) / 1e6);
    hash = model.hash();
    steps = model.steps;
    model.free();
  }
  const name = path.split("/").pop().replace(".yaml", "");
  const common = { setting: options.step ? `step=${options.step}` : "", quantity: "run", coordinates: certificate.coordinates, method: certificate.method, formula: certificate.formula };
  row(name, "holon", { ...common, cpu_s: least(native), steps: certificate.steps.accepted });
  row(name, "WebAssembly", {
    ...common, cpu_s: least(web), steps, ratio: least(native) / least(web), to: "holon",
    same_bits: Number(hash === certificate.state_hash), note: `${(time / least(web)).toPrecision(3)} x real time`,
  });
}

// ---- first frame in a browser ---------------------------------------------------------------------

async function first_frame() {
  let chromium;
  try {
    ({ chromium } = (await import(pathToFileURL(join(root, "viewer/node_modules/playwright-core/index.mjs")).href)));
  } catch {
    return "viewer/node_modules is not there";
  }
  const where = mkdtempSync(join(tmpdir(), "holon-bench-"));
  let browser;
  try {
    execFileSync(holon, ["view", MODELS[0][0], "--live", "--html", join(where, "live.html")], { cwd: root });
    browser = await chromium.launch({
      executablePath: process.env.HOLON_CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    });
    const found = [];
    for (let k = 0; k < rounds; k++) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
      await page.addInitScript(() => {
        const look = () => {
          if (window.holonLive?.time > 0) window.firstFrame ??= performance.now();
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      });
      await page.goto(pathToFileURL(join(where, "live.html")).href);
      await page.waitForFunction("window.firstFrame > 0", null, { timeout: 120_000 });
      found.push((await page.evaluate("window.firstFrame")) / 1000);
      await page.close();
    }
    row("first moving frame", "Chromium", {
      quantity: "time", seconds: least(found), note: `page of the Iltis from disk, WebGL in software, least of ${rounds}; largest ${Math.max(...found).toPrecision(3)} s`,
    });
    return "";
  } catch (error) {
    return String(error.message).split("\n")[0];
  } finally {
    await browser?.close();
    rmSync(where, { recursive: true, force: true });
  }
}
const skipped = await first_frame();
if (skipped) process.stderr.write(`skipped: first frame (${skipped})\n`);
process.stdout.write(JSON.stringify(rows));
