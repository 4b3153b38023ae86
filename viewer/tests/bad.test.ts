// Results that are damaged, cut off, foreign or missing: the page says so and is never blank.

import assert from "node:assert/strict";
import type { Server } from "node:http";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { openBrowser, PAGE, picture, ready } from "./browser.ts";
import { fourBar, type Results } from "./machines.ts";
import { filesOf, selfContained, serve, type Files } from "./serve.ts";

let browser: Browser;
let server: Server;
let url: string;
let folder: string;
const files: Files = {};

function results(name: string, change: (results: Results) => void): void {
  const changed = fourBar();
  change(changed);
  Object.assign(files, filesOf(changed, `${name}/`));
}

before(async () => {
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), "holon-viewer-"));
  ({ url, server } = await serve(PAGE, files));
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(address: string, script?: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 900, height: 600 } });
  const page = await context.newPage();
  page.on("pageerror", (error) => assert.fail(error.message));
  if (script) await page.addInitScript(script);
  await page.goto(address);
  await ready(page);
  return page;
}

// The whole page is the message: heading, what happened, what to do.
async function fatal(name: string, title: RegExp, detail: RegExp): Promise<void> {
  const page = await open(`${url}?draft=1&data=${name}`);
  assert.equal(await page.locator("[role=alert]").count(), 1);
  assert.match((await page.locator(".fatal h1").textContent())!, title);
  assert.match((await page.locator(".fatal").textContent())!, detail);
  assert.match((await page.locator(".fatal .hint").textContent())!, /holon|version/i);
  await picture(page, `bad-${name}`);
  await page.context().close();
}

// The machine is shown, with a banner above it.
async function warned(name: string, color: string, text: RegExp, address?: string): Promise<Page> {
  const page = await open(address ?? `${url}?draft=1&data=${name}`);
  assert.match((await page.locator(`.banner.${color}`).allTextContents()).join(" | "), text);
  assert.equal(await page.locator("body").getAttribute("data-state"), "shown");
  assert.ok(await page.locator("canvas").first().isVisible());
  await picture(page, `bad-${name}`);
  return page;
}

test("no scene", () => fatal("nothing", /scene\.json is missing/, /404/));

test("a scene cut off while it was written", async () => {
  results("cut-scene", () => {});
  files["cut-scene/scene.json"] = String(files["cut-scene/scene.json"]).slice(0, 700);
  await fatal("cut-scene", /cannot be read/, /not valid JSON.*cut off/);
});

test("a web page in place of a scene", async () => {
  files["html/scene.json"] = "<!doctype html><h1>Sign in</h1>";
  await fatal("html", /missing/, /sent a web page/);
});

test("a scene of a later version", async () => {
  results("later", ({ scene }) => Object.assign(scene, { format: 7, holon: "3.1.0" }));
  await fatal("later", /newer than this page/, /format 7, written by Holon 3\.1\.0/);
});

test("no motion", async () => {
  results("no-motion", () => {});
  delete files["no-motion/motion.bin"];
  await fatal("no-motion", /motion\.bin is missing/, /404/);
});

test("an empty motion", async () => {
  results("empty", (changed) => (changed.motion = new Float32Array(0)));
  await fatal("empty", /no motion to show/, /0 bytes/);
});

test("scene and motion of two models", async () => {
  results("mixed", ({ scene }) => (scene.motion.stride = 12));
  await fatal("mixed", /do not belong together/, /records of 12 numbers/);
});

test("a motion cut off is shown as far as it goes", async () => {
  results("cut-motion", (changed) => {
    changed.motion = changed.motion.slice(0, 121 * changed.scene.motion.stride + 5);
  });
  const page = await warned("cut-motion", "amber", /cut off: 121 of 241 frames.*2\.000 s of 4\.000 s/);
  assert.match((await page.locator("#clock").textContent())!, /\/ 2\.00 s/);
  await page.context().close();
});

test("not a number: the body stays at its last good place", async () => {
  results("nan", ({ motion, scene }) => {
    const { stride } = scene.motion;
    for (let frame = 90; frame < 241; frame++) motion.fill(NaN, frame * stride + 1, frame * stride + 8);
  });
  const page = await warned("nan", "amber", /From 1\.500 s on the position of body crank is not a number/);
  const place = async (time: number) =>
    page.evaluate((at) => {
      const { player, world } = (window as any).holonViewer;
      player.seek(at);
      world.show(at);
      return [...world.instant.poses.subarray(7, 14)];
    }, time);
  const [good, later] = [await place(89 / 60), await place(3)];
  good.forEach((value: number, k: number) => assert.ok(Math.abs(value - later[k]) < 1e-5));
  await page.context().close();
});

test("a run that failed says why", async () => {
  results("failed", ({ scene }) =>
    Object.assign(scene, { status: "failed", message: "The step became too small at joint B." }));
  const page = await warned("failed", "red", /failed at 4\.000 s.*joint B/);
  assert.match((await page.locator("#verdict").textContent())!, /failed/);
  assert.match((await page.locator("#verdict").getAttribute("class"))!, /red/);
  await page.context().close();
});

test("a run that was stopped", async () => {
  results("stopped", ({ scene }) => Object.assign(scene, { status: "interrupted" }));
  await (await warned("stopped", "amber", /stopped at 4\.000 s/)).context().close();
});

test("unknown shapes and missing meshes are left out", async () => {
  results("shapes", ({ scene }) => {
    scene.bodies[1].shapes = [{ type: "torus" }, { type: "mesh", mesh: 0 }];
  });
  const page = await warned("shapes", "amber", /torus.*mesh is not in the results/);
  await page.context().close();
});

test("many messages do not push the machine out of the page", async () => {
  results("many", ({ scene }) => {
    scene.bodies[1].shapes = Array.from({ length: 40 }, (_, k) => ({ type: `torus ${k >> 1}` }));
  });
  const page = await warned("many", "amber", /torus 0.*\(2 times\).*16 more/);
  assert.ok((await page.locator("#view").boundingBox())!.height > 250);
  await page.context().close();
});

test("damaged signals and certificate leave the machine", async () => {
  results("signals", () => {});
  files["signals/signals.json"] = "{";
  files["signals/certificate.json"] = "x";
  const page = await open(`${url}?draft=1&data=signals`);
  assert.equal(await page.locator("body").getAttribute("data-state"), "shown");
  assert.ok(await page.locator("#verdict").isHidden());
  await page.context().close();
});

test("a second run that cannot be read is named, the first is shown", async () => {
  results("pair", () => {});
  files["pair/against/scene.json"] = '{"format": 9}';
  await (await warned("pair", "amber", /Second run:.*format 9/)).context().close();
});

test("a name with markup stays a name", async () => {
  results("markup", ({ scene }) => {
    scene.title = '<img src=x onerror="document.title=\'broken\'">';
    scene.bodies[1].name = "</script><b>crank</b>";
  });
  const page = await open(`${url}?draft=1&data=markup`);
  assert.equal(await page.locator("#title").textContent(), '<img src=x onerror="document.title=\'broken\'">');
  assert.equal(await page.locator("#title img").count(), 0);
  await page.context().close();
});

test("no WebGL: the numbers and plots go on", async () => {
  results("plain", () => {});
  const page = await open(
    `${url}?draft=1&data=plain`,
    `HTMLCanvasElement.prototype.getContext = ((old) => function (kind, ...rest) {
       return String(kind).includes("webgl") ? null : old.call(this, kind, ...rest);
     })(HTMLCanvasElement.prototype.getContext)`,
  );
  assert.match((await page.locator(".fatal.inset").textContent())!, /no WebGL/);
  assert.equal(await page.locator(".plot").count(), 2);
  await page.click("#play");
  await page.waitForFunction(() => (window as any).holonViewer.player.time > 0.1);
  await picture(page, "bad-no-webgl");
  await page.context().close();
});

test("the page alone, opened from disk", async () => {
  const page = await open(pathToFileURL(PAGE).href);
  assert.match((await page.locator(".fatal h1").textContent())!, /holds no results/);
  assert.match((await page.locator(".fatal .hint").textContent())!, /holon view DIR --html/);
  await page.context().close();
});

test("a page from disk whose data are damaged", async () => {
  const file = join(folder, "damaged.html");
  const whole = selfContained(PAGE, fourBar());
  writeFileSync(file, whole.replace(/(id="holon-motion">)[^<]{40}/, "$1%%%"));
  const page = await open(pathToFileURL(file).href);
  assert.match((await page.locator(".fatal").textContent())!, /damaged or cut off/);
  await page.context().close();
});
