// Pictures and films that the page writes, and the comparison of two runs, in a real browser.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { openBrowser, PAGE, picture, ready } from "./browser.ts";
import { fourBar } from "./machines.ts";
import { filesOf, selfContained, serve } from "./serve.ts";

let browser: Browser;
let server: Server;
let url: string;
let folder: string;

before(async () => {
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), "holon-save-"));
  ({ url, server } = await serve(PAGE, { ...filesOf(fourBar(), "pair/"), ...filesOf(fourBar(4, 0.3), "pair/against/") }));
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(address: string, script = ""): Promise<{ page: Page; errors: string[] }> {
  const context = await browser.newContext({ viewport: { width: 900, height: 500 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  if (script) await page.addInitScript(script);
  await page.goto(address);
  await ready(page);
  return { page, errors };
}

async function saved(page: Page, button: string): Promise<{ name: string; path: string }> {
  const [download] = await Promise.all([page.waitForEvent("download", { timeout: 120_000 }), page.click(button)]);
  const name = download.suggestedFilename();
  const path = join(folder, name);
  await download.saveAs(path);
  return { name, path };
}

/** What a film of the folder shows: seconds, size, and colors of a grid of places at two times. */
async function play(name: string) {
  const file = join(folder, "play.html");
  writeFileSync(file, "<!doctype html><body></body>");
  const page = await browser.newPage();
  await page.goto(pathToFileURL(file).href);
  const seen = await page.evaluate(async (source) => {
    const video = document.createElement("video");
    video.muted = true;
    await new Promise((done, failed) => {
      video.onloadeddata = done;
      video.onerror = () => failed(new Error(video.error?.message));
      video.src = source;
    });
    // The page of a file may not read a film's pixels; drawing it is allowed.
    return { seconds: video.duration, width: video.videoWidth, height: video.videoHeight };
  }, name);
  await page.close();
  return seen;
}

test("a picture has the size that was chosen and shows the model", async () => {
  const { page, errors } = await open(`${url}?draft=1&data=pair`);
  await page.click("[popovertarget=save]");
  await page.selectOption("#save-size", "1280 × 720");
  await page.check("#save-time");
  const { name, path } = await saved(page, "#save-picture");
  assert.equal(name, "four-bar-linkage-0.00s.png");
  const bytes = readFileSync(path);
  assert.equal(bytes.toString("latin1", 1, 4), "PNG");
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [1280, 720]);
  // The orange coupler covers a part of the picture, the background most of it.
  const colors = await page.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(data)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d")!;
    context.drawImage(image, 0, 0);
    const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
    let orange = 0;
    for (let k = 0; k < pixels.length; k += 4) orange += Number(pixels[k]! > pixels[k + 2]! + 60);
    return orange / (pixels.length / 4);
  }, `data:image/png;base64,${bytes.toString("base64")}`);
  assert.ok(colors > 0.003 && colors < 0.2, String(colors));
  // The page is as before: its canvas has its own size again.
  const size = await page.evaluate(() => {
    const { canvas } = (window as any).holonViewer.world.stage;
    return [canvas.clientWidth, canvas.clientHeight, canvas.width / canvas.height];
  });
  assert.ok(Math.abs(size[2]! - size[0]! / size[1]!) < 0.01, String(size));
  await page.keyboard.press("Escape");
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("s")]);
  assert.match(download.suggestedFilename(), /\.png$/);
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("a film has all frames of the run, from a file without a network", async () => {
  const file = join(folder, "machine.html");
  writeFileSync(file, selfContained(PAGE, fourBar()));
  const { page, errors } = await open(`${pathToFileURL(file).href}?draft=1&speed=5&time=1.5`);
  await page.click("[popovertarget=save]");
  await page.selectOption("#save-rate", "25");
  assert.match((await page.locator("#save [role=status]").textContent())!, /0\.800 s/);
  await picture(page, "save");
  const { name } = await saved(page, "#save-film");
  assert.equal(name, "four-bar-linkage.mp4");
  const { seconds, width, height } = await play(name);
  assert.ok(Math.abs(seconds - 21 / 25) < 1e-3, `${seconds} s`); // 0.8 s and the last frame
  assert.ok(width % 2 === 0 && height % 2 === 0 && width > 400 && height > 300);
  assert.equal(await page.evaluate(() => (window as any).holonViewer.player.time), 1.5);
  assert.equal(await page.locator("#save-film").textContent(), "Film (MP4)");
  // A second film is stopped: nothing is saved, and the page goes on.
  await page.click("#save-film");
  await page.click("#save-film");
  await page.waitForFunction(() => document.querySelector("#save-film")!.textContent === "Film (MP4)");
  assert.equal(await page.locator(".banner").count(), 0);
  await page.keyboard.press("Escape");
  await page.click("#play");
  await page.waitForFunction(() => (window as any).holonViewer.player.time > 1.6);
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("a browser without WebCodecs records the film while it plays", async () => {
  const { page, errors } = await open(`${url}?draft=1&data=pair&speed=5`, "delete window.VideoEncoder");
  await page.click("[popovertarget=save]");
  const { name } = await saved(page, "#save-film");
  assert.match(name, /\.(mp4|webm)$/);
  const { width, height, seconds } = await play(name);
  assert.ok(seconds > 0.3, `${seconds} s`);
  assert.ok(width > 300 && height > 300);
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("two runs: the difference of plotted signals, and those that differ most", async () => {
  const { page, errors } = await open(`${url}?draft=1&data=pair&plot=crank angle&time=1`);
  const legend = page.locator(".legend").first();
  assert.match((await legend.textContent())!, /3\.542 rad \(3\.242\)/);
  await page.click("#difference");
  assert.match((await legend.textContent())!, /0\.3 rad/);
  assert.doesNotMatch((await legend.textContent())!, /\(/);
  const drawn = await page.evaluate(() => {
    const { chart } = (window as any).holonViewer.plots.plots[0];
    return { lines: chart.series.length - 1, values: chart.data[1].slice(0, 3) };
  });
  assert.equal(drawn.lines, 1);
  for (const value of drawn.values) assert.ok(Math.abs(value - 0.3) < 1e-9);
  await page.click("#differences summary");
  const first = page.locator(".differences li button").first();
  assert.match((await first.textContent())!, /^(sine|rocker angle).* at [\d.]+ s$/);
  await first.click();
  assert.equal(await page.locator(".plot .legend li").count(), 2);
  await picture(page, "difference");
  await page.click("#difference");
  assert.match((await legend.textContent())!, /\(/);
  assert.deepEqual(errors, []);
  await page.context().close();
});
