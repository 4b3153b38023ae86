// Live pages in a real browser: the model runs, is pulled, changed, edited. Pages are those that the
// command writes, opened from disk without a network.

import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
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
const until = (page: Page, what: string) => page.waitForFunction(what, null, { timeout: 60_000 });
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
