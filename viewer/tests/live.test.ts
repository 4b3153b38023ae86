// Live pages in a real browser: the model runs, is pulled, changed, edited. Pages are those that the
// command writes, opened from disk without a network.

import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { openBrowser, picture, ready, VIEWER } from "./browser.ts";

const ROOT = resolve(VIEWER, "..");
const COMMAND = join(ROOT, "build/holon");

let browser: Browser;
let folder: string;

before(async () => {
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), "holon-live-"));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The page of a model, written by the command. */
function pageOf(model: string): string {
  const file = join(folder, `${model.replaceAll("/", "-")}.html`);
  execFileSync(COMMAND, ["view", join(ROOT, "models", model), "--live", "--html", file]);
  return pathToFileURL(file).href;
}

interface Opened {
  page: Page;
  errors: string[];
}

async function open(url: string, hash = "draft=1", options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options,
  });
  await context.setOffline(url.startsWith("file:"));
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url()) && !request.url().startsWith(url)) errors.push(`request of ${request.url()}`);
  });
  await page.goto(`${url}#${hash}`);
  await ready(page);
  return { page, errors };
}

async function done({ page, errors }: Opened): Promise<void> {
  assert.deepEqual(errors, []);
  await page.context().close();
}

const time = (page: Page): Promise<number> => page.evaluate(() => (window as any).holonLive.time);
/** Asks from outside: the policy of a served page forbids the eval that Playwright's own wait polls with. */
async function until(page: Page, what: string): Promise<void> {
  for (const limit = Date.now() + 60_000; !(await page.evaluate(what)); await page.waitForTimeout(20))
    assert.ok(Date.now() < limit, `${what} did not hold within a minute`);
}
/** Position of a body as drawn. */
const position = (page: Page, body: number): Promise<number[]> =>
  page.evaluate((k) => [...(window as any).holonLive.world.instant.poses.subarray(7 * k, 7 * k + 3)], body);
/** Where a global point is on the page. */
const onPage = (page: Page, at: number[]): Promise<{ x: number; y: number }> =>
  page.evaluate((point) => {
    const { world } = (window as any).holonLive;
    const frame = world.stage.canvas.getBoundingClientRect();
    const place = world.onScreen(point);
    return { x: frame.left + place.x, y: frame.top + place.y };
  }, at);

test("a page from disk runs its model at once, pauses, steps, goes slowly and starts again", async () => {
  const opened = await open(pageOf("iltis/iltis.yaml"));
  const { page } = opened;
  await until(page, "holonLive.time > 0.3");
  await page.click("#play");
  await until(page, "!holonLive.running");
  await page.waitForTimeout(300); // what was under way is drawn
  const paused = await time(page);
  await page.waitForTimeout(200);
  assert.equal(await time(page), paused);
  await page.click("#step");
  await until(page, `holonLive.time > ${paused}`);
  assert.ok(Math.abs((await time(page)) - paused - 1 / 60) < 1e-6);
  await page.click("#reset");
  await until(page, "holonLive.time === 0");
  await page.selectOption("#speed", "0.01");
  await page.click("#play");
  await until(page, "holonLive.time > 0");
  const slow = await time(page);
  assert.ok(slow > 0 && slow < 0.1, `${slow}`);
  await page.selectOption("#speed", "1");
  await until(page, "holonLive.time > 1");
  await picture(page, "live-iltis");
  await page.click("#theme");
  await picture(page, "live-iltis-dark");
  await done(opened);
});

test("a body that is dragged is pulled by a spring, and let go of again", async () => {
  const opened = await open(pageOf("examples/inputs.yaml"));
  const { page } = opened;
  await until(page, "holonLive.time > 0.05");
  const before = await position(page, 3);
  const from = await onPage(page, before);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 60, from.y, { steps: 3 });
  await page.mouse.move(from.x + 200, from.y - 20, { steps: 5 });
  await page.waitForSelector(".tag.pull:not([hidden])");
  assert.match(await page.innerText(".tag.pull"), /^[\d.e+]+ (N|kN|mN)$/);
  await until(page, `Math.hypot(...[0, 1, 2].map((k) => holonLive.world.instant.poses[21 + k] - [${before}][k])) > 0.05`);
  await picture(page, "live-pull");
  await page.mouse.up();
  await page.waitForSelector(".tag.pull", { state: "hidden" });
  await done(opened);
});

test("beside all bodies a drag turns the view; a click picks", async () => {
  const opened = await open(pageOf("examples/inputs.yaml"), "draft=1&run=0");
  const { page } = opened;
  const from = await onPage(page, await position(page, 3));
  await page.mouse.click(from.x, from.y);
  await page.waitForSelector("#card:not([hidden])");
  const direction = () => page.evaluate(() => (window as any).holonLive.world.stage.here.direction.toArray() as number[]);
  const before = await direction();
  await page.mouse.move(30, 80);
  await page.mouse.down();
  await page.mouse.move(150, 120, { steps: 4 });
  await page.mouse.up();
  const now = await direction();
  assert.ok(Math.hypot(...now.map((x, k) => x - before[k]!)) > 0.05);
  assert.equal(await time(page), 0);
  await done(opened);
});

test("a slider of an input acts in the run, one of a parameter builds the model again", async () => {
  const opened = await open(pageOf("examples/inputs.yaml"));
  const { page } = opened;
  await until(page, "holonLive.time > 0.1");
  const x = async () => (await position(page, 1))[0]!;
  assert.ok(Math.abs(await x()) < 1e-3);
  await page.locator('.control[data-name="pedal"] input[type=range]').fill("1000");
  await until(page, "Math.abs(holonLive.world.instant.poses[7]) > 0.05");
  const late = await time(page);
  await page.locator('.control[data-name="thrust"] .number').fill("5");
  await page.keyboard.press("Enter");
  await until(page, `holonLive.time < ${late}`);
  await until(page, "holonLive.loaded.parameters.find(({name}) => name === 'thrust').value === 5");
  assert.equal(await page.locator('.control[data-name="pedal"] .number').inputValue(), "0");
  await done(opened);
});

test("edited text is assembled again; an error stands at its line, and the previous model continues", async () => {
  const opened = await open(pageOf("examples/inputs.yaml"));
  const { page } = opened;
  await page.keyboard.press("e");
  const text = await page.inputValue("#text");
  assert.match(text, /^# Inputs/);
  await page.fill("#text", text.replace("type: revolute", "type: revolt"));
  await page.waitForSelector(".problems .red");
  assert.match(await page.innerText(".problems"), /line 14:\d+[\s\S]*revolt/);
  assert.equal(await page.locator(".marks i").count(), 1);
  const before = await time(page);
  await until(page, `holonLive.time > ${before}`);
  await picture(page, "live-error");
  await page.fill("#text", text.replace("mass: 95", "mass: 120"));
  await page.waitForSelector(".status.good");
  assert.equal(await page.locator(".problems .red").count(), 0);
  assert.match(await page.evaluate(() => (window as any).holonLive.loaded.scene as string), /"mass": ?120/);
  await done(opened);
});

const URDF = `<robot name="arm">
  <link name="base"/>
  <link name="arm">
    <inertial><origin xyz="0 0 0.2"/><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="package://parts/meshes/arm.obj"/></geometry></visual>
  </link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>`;
const MJCF = `<mujoco><worldbody><body name="ball" pos="0 0 1"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
<geom type="plane" size="2 2 0.1"/></worldbody></mujoco>`;
const JSON_MODEL = '{"bodies": {"block": {"mass": 3, "inertia": [1, 1, 1], "position": [0, 0, 5]}}}';
const TRIANGLE = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0.4\nv 0 0 0.4\nf 1 2 3\nf 1 3 4\nf 1 4 2\nf 2 4 3\n";

async function drop(page: Page, files: Record<string, string>): Promise<void> {
  await page.evaluate((all) => {
    const transfer = new DataTransfer();
    for (const [name, text] of Object.entries(all)) transfer.items.add(new File([text], name));
    for (const type of ["dragenter", "dragover", "drop"]) {
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }
  }, files);
}

test("files dropped onto the page run: YAML, JSON, URDF with a mesh, MJCF; one with an error is told", async () => {
  const opened = await open(pageOf("examples/inputs.yaml"));
  const { page } = opened;
  const bodies = () => page.evaluate(() => JSON.parse((window as any).holonLive.loaded.scene).bodies.map((one: any) => one.name) as string[]);
  const runs = async (files: Record<string, string>, body: string) => {
    await drop(page, files);
    await until(page, `holonLive.loaded.scene.includes('"${body}"') && holonLive.time > 0.1`);
    assert.deepEqual(await page.evaluate(() => (window as any).holonLive.problems), []);
    assert.ok((await bodies()).includes(body));
  };
  await runs({ "block.json": JSON_MODEL }, "block");
  await runs({ "arm.urdf": URDF, "arm.obj": TRIANGLE }, "arm");
  assert.match(await page.evaluate(() => (window as any).holonLive.loaded.scene as string), /"triangles":\[0,1,2/);
  assert.match(await page.inputValue("#text"), /<robot/);
  await runs({ "ball.xml": MJCF }, "ball");
  await runs({ "drop.yaml": "bodies: {crate: {mass: 1, inertia: [1, 1, 1]}}\ngravity: [0, 0, -1]\n" }, "crate");
  await drop(page, { "bad.urdf": URDF.replace('type="continuous"', 'type="hinge"') });
  await page.waitForSelector(".problems .red");
  assert.match(await page.innerText(".problems"), /line 7/);
  assert.deepEqual(await bodies(), ["ground", "crate"]);
  await page.fill("#text", URDF);
  await until(page, `holonLive.loaded.scene.includes('"arm"')`);
  await drop(page, { "notes.txt": "no model" });
  await page.waitForSelector(".banner.amber");
  await done(opened);
});

test("a saved run is an archive that the command repeats bit for bit", async () => {
  const opened = await open(pageOf("examples/inputs.yaml"), "draft=1", { acceptDownloads: true });
  const { page } = opened;
  await until(page, "holonLive.time > 0.1");
  await page.locator('.control[data-name="pedal"] input[type=range]').fill("900");
  const from = await onPage(page, await position(page, 3));
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 30, from.y - 90, { steps: 6 });
  await page.waitForTimeout(400);
  await page.mouse.up();
  await page.waitForTimeout(300);
  const download = page.waitForEvent("download");
  await page.click("#save-run");
  const archive = await download;
  assert.equal(archive.suggestedFilename(), "inputs-live.zip");
  const where = join(folder, "saved");
  const file = join(folder, "saved.zip");
  await archive.saveAs(file);
  execFileSync("python3", ["-c", "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])", file, where]);
  const script = readFileSync(join(where, "repeat.sh"), "utf8");
  assert.match(readFileSync(join(where, "inputs-pulls.csv"), "utf8"), /^time,pull\.body,/);
  const hash = /^# ([0-9a-f]{16})$/m.exec(script)![1];
  const made = execFileSync("sh", ["repeat.sh", "--json", "--quiet"], {
    cwd: where, encoding: "utf8", env: { ...process.env, PATH: `${join(ROOT, "build")}:${process.env.PATH}` },
  });
  assert.equal(JSON.parse(made).certificate.state_hash, hash);
  await picture(page, "live-saved");
  await done(opened);
});

// Joint coordinates, a closed loop, a gyroscope, rigid contact, a vehicle on tyres.
const SAME = ["iftomm/a01.yaml", "four-bar.yaml", "gyroscope.yaml", "contact/ball.yaml", "iltis/iltis.yaml"];

test("five models have the bits of the command, with error control and with fixed steps", async () => {
  const opened = await open(pageOf("examples/inputs.yaml"), "draft=1&run=0");
  const { page } = opened;
  for (const name of SAME) {
    const text = readFileSync(join(ROOT, "models", name), "utf8");
    const beside = name.startsWith("iltis") ? { "iltis/corner.yaml": readFileSync(join(ROOT, "models/iltis/corner.yaml"), "utf8") } : {};
    for (const step of [undefined, 0.002]) {
      const saved = await page.evaluate(async ([model, content, fixed, files]) => {
        const app = (window as any).holonLive;
        const worker = app.session.worker as Worker;
        const next = (type: string, fits: (data: any) => boolean = () => true) => new Promise<any>((done, failed) => {
          setTimeout(() => failed(new Error(`no ${type} of ${model}`)), 20_000);
          const listen = ({ data }: MessageEvent) => {
            if (data.type === "error") failed(new Error(JSON.stringify(data.problems)));
            if (data.type !== type || !fits(data)) return;
            worker.removeEventListener("message", listen);
            done(data);
          };
          worker.addEventListener("message", listen);
        });
        const loaded = next("loaded");
        worker.postMessage({ type: "load", source: { name: model, text: content, files }, options: fixed ? { step: fixed } : {} });
        await loaded;
        const end = next("frame", ({ time }) => time > 0.63);
        worker.postMessage({ type: "step", frames: 40 });
        await end;
        const result = next("saved");
        worker.postMessage({ type: "save" });
        return result;
      }, [name, text, step, beside] as const);
      const where = join(folder, `same-${name.replaceAll("/", "-")}-${step ?? 0}`);
      const kept = Object.fromEntries(saved.files.map((file: { name: string; text: string }) => [file.name, file.text]));
      for (const [file, data] of Object.entries({ ...beside, ...kept }) as [string, string][]) {
        mkdirSync(dirname(join(where, file)), { recursive: true });
        writeFileSync(join(where, file), data);
      }
      const made = execFileSync("sh", ["-c", `${saved.command} --json --quiet`], {
        cwd: where, encoding: "utf8", env: { ...process.env, PATH: `${join(ROOT, "build")}:${process.env.PATH}` },
      });
      assert.equal(JSON.parse(made).certificate.state_hash, saved.hash, `${name} ${step}`);
    }
  }
  await done(opened);
});

test("a phone shows one panel at a time, and a finger pulls", async () => {
  const opened = await open(pageOf("examples/inputs.yaml"), "draft=1", {
    viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true,
  });
  const { page } = opened;
  await until(page, "holonLive.time > 0.05");
  await page.tap("#controls-button");
  assert.ok(await page.isVisible("#controls"));
  await picture(page, "live-phone");
  await page.tap("#model-button");
  assert.ok(!(await page.isVisible("#controls")));
  assert.ok(await page.isVisible("#model"));
  await picture(page, "live-phone-text");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide}`);
  await done(opened);
});

test("results of a run have a Live button, in a served page and in a file, and the way back", async () => {
  const out = join(folder, "run");
  execFileSync(COMMAND, ["run", join(ROOT, "models/examples/inputs.yaml"), "--time", "1", "--quiet", "-o", out]);
  const file = join(folder, "run.html");
  execFileSync(COMMAND, ["view", out, "--live", "--html", file]);
  const server = spawn(COMMAND, ["view", out, "--no-open"]);
  try {
    const url = await new Promise<string>((found) => server.stdout!.on("data", (data) => found(String(data).trim())));
    for (const address of [pathToFileURL(file).href, url]) {
      const { page, errors } = await open(address);
      assert.equal(await page.evaluate(() => (window as any).holonViewer.player.last), 1);
      await page.click("#live");
      await page.waitForSelector("body[data-state=live]");
      await page.click("#results");
      await page.waitForSelector("body[data-state=shown]");
      assert.deepEqual(errors.filter((text) => !text.includes("404")), []); // of the second run that is not there
      await page.context().close();
    }
  } finally {
    server.kill("SIGINT");
  }
});

test("holon live serves the page", async () => {
  const server: ChildProcess = spawn(COMMAND, ["live", join(ROOT, "models/contact/ball.yaml"), "--no-open"]);
  try {
    const url = await new Promise<string>((found) => server.stdout!.on("data", (data) => found(String(data).trim())));
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
    const opened = await open(url);
    await until(opened.page, "holonLive.time > 0.2");
    await done(opened);
  } finally {
    server.kill("SIGINT");
  }
});
