// The page in a real browser: load, play, scrub, views, pick, plot, compare, keyboard, phone,
// pictures, and one page from disk without a network.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { openBrowser, PAGE, picture, ready } from "./browser.ts";
import { car, field, fourBar, fourBarAt } from "./machines.ts";
import { filesOf, selfContained, serve } from "./serve.ts";

let browser: Browser;
let server: Server;
let url: string;
let folder: string;

before(async () => {
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), "holon-viewer-"));
  const files = {
    ...filesOf(fourBar(), "bar/"),
    ...filesOf(fourBar(), "pair/"),
    ...filesOf(fourBar(4, 0.3), "pair/against/"),
    ...filesOf(car(), "car/"),
    ...filesOf(field(100), "hundred/"),
    ...filesOf(field(5000, 11), "thousands/"),
  };
  ({ url, server } = await serve(PAGE, files));
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Opened {
  page: Page;
  errors: string[];
}

async function open(query: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1100, height: 700 }, reducedMotion: "reduce", ...options,
  });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(/^\w+:/.test(query) ? query : `${url}?draft=1&${query}`);
  await ready(page);
  return { page, errors };
}

async function done({ page, errors }: Opened): Promise<void> {
  assert.deepEqual(errors, []);
  await page.context().close();
}

const time = (page: Page): Promise<number> =>
  page.evaluate(() => (window as any).holonViewer.player.time);
/** Position of a body as drawn. */
const position = (page: Page, body: number): Promise<number[]> =>
  page.evaluate(
    (k) => [...(window as any).holonViewer.world.instant.poses.subarray(7 * k, 7 * k + 3)], body,
  );
/** Where a global point is on the page. */
const onPage = (page: Page, at: number[]): Promise<{ x: number; y: number }> =>
  page.evaluate((point) => {
    const { world } = (window as any).holonViewer;
    const frame = world.stage.canvas.getBoundingClientRect();
    const place = world.onScreen(point);
    return { x: frame.left + place.x, y: frame.top + place.y };
  }, at);
/** Colour of the drawing at a global point. */
const colorAt = (page: Page, at: number[]): Promise<number[]> =>
  page.evaluate((point) => {
    const { world } = (window as any).holonViewer;
    world.draw();
    const gl = world.stage.renderer.getContext();
    const place = world.onScreen(point);
    const ratio = gl.drawingBufferWidth / world.stage.canvas.clientWidth;
    const pixel = new Uint8Array(4);
    gl.readPixels(
      Math.round(place.x * ratio), Math.round(gl.drawingBufferHeight - place.y * ratio), 1, 1,
      gl.RGBA, gl.UNSIGNED_BYTE, pixel,
    );
    return [...pixel];
  }, at);
const scrub = (page: Page, part: number) =>
  page.locator("#scrub").evaluate((element, value) => {
    (element as HTMLInputElement).value = String(10000 * value);
    element.dispatchEvent(new Event("input"));
  }, part);
const settle = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

test("a run is loaded and drawn: title, verdict, time, bodies where they belong", async () => {
  const opened = await open("data=bar");
  const { page } = opened;
  assert.equal(await page.locator("#title").textContent(), "Four-bar linkage");
  assert.match((await page.locator("#verdict").textContent())!, /sound/);
  assert.match((await page.locator("#verdict").getAttribute("class"))!, /green/);
  assert.match((await page.locator("#clock").textContent())!, /0\.00 \/ 4\.00 s/);
  assert.equal(await page.locator("#head-time").textContent(), "t = 0.00 s");
  assert.equal(await page.locator(".banner").count(), 0);
  // The coupler is drawn in its own colour (orange: red above blue), the air beside it is not.
  const [r, , b] = (await colorAt(page, await position(page, 2))) as [number, number, number];
  assert.ok(r > b + 40, `${r} ${b}`);
  const air = (await colorAt(page, [0.5, 0, 1.6])) as [number, number, number];
  assert.ok(Math.abs(air[0] - air[2]) < 20);
  await picture(page, "four-bar");
  await done(opened);
});

test("play moves the machine, pause holds it", async () => {
  const opened = await open("data=bar");
  const { page } = opened;
  const start = await position(page, 1);
  await page.click("#play");
  await page.waitForFunction(() => (window as any).holonViewer.player.time > 0.2);
  assert.notDeepEqual(await position(page, 1), start);
  assert.match((await page.locator("#play").getAttribute("aria-label"))!, /Pause/);
  await page.click("#play");
  const held = await time(page);
  await page.waitForTimeout(200);
  assert.equal(await time(page), held);
  await done(opened);
});

test("scrubbing shows the machine at that time", async () => {
  const opened = await open("data=bar");
  const { page } = opened;
  for (const part of [0.25, 0.6137, 1]) {
    await scrub(page, part);
    await settle(page);
    const at = await time(page);
    assert.ok(Math.abs(at - 4 * part) < 1e-3);
    const { pin } = fourBarAt(Math.PI * at + 0.4);
    const [x, , z] = (await position(page, 1)) as [number, number, number];
    assert.ok(Math.hypot(x - pin.x / 2, z - pin.z / 2) < 2e-4);
  }
  assert.match((await page.locator("#clock").textContent())!, /^4\.00/);
  await done(opened);
});

test("speed and loop do what they say", async () => {
  const opened = await open("data=bar&speed=20");
  const { page } = opened;
  assert.equal(await page.locator("#speed").inputValue(), "20");
  await page.click("#loop");
  await page.click("#play");
  await page.waitForFunction(() => !(window as any).holonViewer.player.playing);
  assert.equal(await time(page), 4);
  await done(opened);
});

test("a clicked body tells its name and numbers, and they change with time", async () => {
  const opened = await open("data=bar");
  const { page } = opened;
  const at = await onPage(page, await position(page, 2));
  await page.mouse.click(at.x, at.y);
  assert.equal(await page.locator("#card h2").textContent(), "coupler");
  assert.match((await page.locator("#card").textContent())!, /mass3 kg/);
  await settle(page);
  const before = await page.locator("#card dd").nth(1).textContent();
  await scrub(page, 0.3);
  await settle(page);
  assert.notEqual(await page.locator("#card dd").nth(1).textContent(), before);
  await picture(page, "picked-body");
  await page.keyboard.press("Escape");
  assert.ok(await page.locator("#card").isHidden());
  await done(opened);
});

test("a clicked joint tells its reaction", async () => {
  const opened = await open("data=bar");
  const { page } = opened;
  const { end } = fourBarAt(0.4);
  const at = await onPage(page, [end.x, 0, end.z]);
  await page.mouse.click(at.x, at.y);
  assert.equal(await page.locator("#card h2").textContent(), "B");
  const card = (await page.locator("#card").textContent())!;
  assert.match(card, /revolute joint/);
  assert.match(card, /coupler and rocker/);
  assert.match(card, /14\.42 N/); // |12, 0, -8|
  await done(opened);
});

test("follow, trace and hide from the card", async () => {
  const opened = await open("data=bar");
  const { page } = opened;
  await page.evaluate(() => (window as any).holonViewer.choose({ kind: "body", index: 3 }));
  await page.click("#card button:text('Trace')");
  await page.click("#card button:text('Follow')");
  const state = () =>
    page.evaluate(() => {
      const { world } = (window as any).holonViewer;
      return { following: world.following, traces: world.traces.drawn.length };
    });
  assert.deepEqual(await state(), { following: 3, traces: 1 });
  // The camera keeps its distance to what it follows.
  const away = () =>
    page.evaluate(() => {
      const { world } = (window as any).holonViewer;
      const p = world.instant.poses;
      return Math.hypot(
        world.stage.camera.position.x - p[21], world.stage.camera.position.y - p[22],
        world.stage.camera.position.z - p[23],
      );
    });
  await settle(page);
  const distance = await away();
  await scrub(page, 0.4);
  await settle(page);
  assert.ok(Math.abs((await away()) - distance) < 1e-9);
  await picture(page, "trace");
  await page.click("#card button:text('Hide')");
  assert.equal(await page.evaluate(() => (window as any).holonViewer.world.bodies.isVisible(3)), false);
  await done(opened);
});

test("drag turns, right drag moves, the wheel goes nearer, and none of them picks", async () => {
  const opened = await open("data=bar");
  const { page } = opened;
  const camera = () =>
    page.evaluate(() => {
      const { here, distance } = (window as any).holonViewer.world.stage;
      return { target: here.target.toArray(), direction: here.direction.toArray(), distance };
    });
  const at = await onPage(page, await position(page, 2));
  const drag = async (button: "left" | "right") => {
    await page.mouse.move(at.x, at.y);
    await page.mouse.down({ button });
    await page.mouse.move(at.x + 80, at.y + 30, { steps: 3 });
    await page.mouse.up({ button });
  };
  const start = await camera();
  await drag("left");
  const turned = await camera();
  turned.target.forEach((value: number, k: number) =>
    assert.ok(Math.abs(value - start.target[k]) < 1e-9));
  assert.notDeepEqual(turned.direction, start.direction);
  await drag("right");
  const moved = (await camera()).target;
  assert.ok(Math.hypot(...moved.map((value: number, k: number) => value - start.target[k])) > 0.05);
  await page.mouse.wheel(0, -300);
  await page.waitForFunction(
    (far) => (window as any).holonViewer.world.stage.distance < 0.98 * far, turned.distance,
  );
  assert.ok(await page.locator("#card").isHidden());
  await done(opened);
});

test("the list finds parts, shows and hides them, and picks", async () => {
  const opened = await open("data=car");
  const { page } = opened;
  await page.click("#parts-button");
  assert.match((await page.locator("#parts-body").textContent())!, /Bodies6.*Joints4.*Forces8/s);
  await page.fill("#parts-body input[type=search]", "wheel 2");
  assert.equal(await page.locator("#parts-body li").count(), 1);
  await page.uncheck("#parts-body li input");
  assert.equal(await page.evaluate(() => (window as any).holonViewer.world.bodies.isVisible(3)), false);
  await page.click("#parts-body li button");
  assert.equal(await page.locator("#card h2").textContent(), "wheel 2");
  await page.fill("#parts-body input[type=search]", "zzz");
  assert.match((await page.locator("#parts-body").textContent())!, /No part/);
  await page.fill("#parts-body input[type=search]", "");
  await picture(page, "parts");
  await done(opened);
});

test("signals are plotted with units and a cursor that goes with the scene", async () => {
  const opened = await open("data=bar");
  const { page } = opened;
  // The outputs of the model are there at once: two in rad, one without unit.
  assert.equal(await page.locator(".plot").count(), 2);
  await page.fill("#plots-head input", "spring value");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(".plot").count(), 3);
  await page.keyboard.press("Escape");
  const over = page.locator(".plot").first().locator(".u-over");
  const box = (await over.boundingBox())!;
  await page.mouse.click(box.x + box.width * 0.75, box.y + 40);
  assert.ok(Math.abs((await time(page)) - 3) < 0.05, String(await time(page)));
  await settle(page);
  assert.match((await page.locator(".legend").first().textContent())!, /9\.8\d+ rad/); // 3 pi + 0.4
  await settle(page);
  const marker = (await page.locator(".now").first().boundingBox())!;
  assert.ok(Math.abs(marker.x - (box.x + box.width * 0.75)) < 3);
  // A drag zooms all plots, a double click shows all again.
  const range = () =>
    page.evaluate(() =>
      (window as any).holonViewer.plots.plots.map((plot: any) => plot.chart.scales.x.max),
    );
  await page.mouse.move(box.x + box.width * 0.25, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 40, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() =>
    (window as any).holonViewer.plots.plots.every((plot: any) => plot.chart.scales.x.max < 2.1),
  );
  await page.mouse.dblclick(box.x + box.width * 0.5, box.y + 40);
  await page.waitForFunction(() =>
    (window as any).holonViewer.plots.plots.every((plot: any) => plot.chart.scales.x.max === 4),
  );
  assert.deepEqual(await range(), [4, 4, 4]);
  await picture(page, "plots");
  await page.click(".plot button >> nth=0");
  assert.equal(await page.locator(".legend").first().locator("li").count(), 1);
  await done(opened);
});

test("a second run is a ghost, with its signals dashed and its distance in numbers", async () => {
  const opened = await open("data=pair");
  const { page } = opened;
  assert.match((await page.locator("#against").textContent())!, /against Four-bar/);
  await page.evaluate(() => (window as any).holonViewer.choose({ kind: "body", index: 1 }));
  await settle(page);
  const [a, b] = [fourBarAt(0.4).pin, fourBarAt(0.1).pin];
  const away = Math.hypot(a.x - b.x, a.z - b.z) / 2;
  const shown = (await page.locator("#card dd").last().textContent())!;
  assert.ok(Math.abs(parseFloat(shown) - away) < 1e-4, shown);
  assert.match((await page.locator(".legend").first().textContent())!, /0\.4 rad \(0\.1\)/);
  // The ghost can be seen where the first run is not: it darkens the background.
  const at = [b.x * 0.7, 0, b.z * 0.7];
  const shown1 = await colorAt(page, at);
  await page.evaluate(() => ((window as any).holonViewer.world.ghost.root.visible = false));
  const shown2 = await colorAt(page, at);
  assert.notDeepEqual(shown1, shown2);
  await page.evaluate(() => {
    const viewer = (window as any).holonViewer;
    viewer.world.ghost.root.visible = true;
    viewer.schedule();
  });
  await settle(page);
  await picture(page, "compare");
  await done(opened);
});

test("keys", async () => {
  const opened = await open("data=car&time=1");
  const { page } = opened;
  const key = (name: string) => page.keyboard.press(name);
  await key("ArrowRight");
  assert.ok(Math.abs((await time(page)) - 1 - 1 / 60) < 1e-6);
  await key("Shift+ArrowLeft");
  assert.ok(Math.abs((await time(page)) - 0.2 - 1 / 60) < 1e-6);
  await key("End");
  assert.equal(await time(page), 8);
  await key("Home");
  assert.equal(await time(page), 0);
  await key(" ");
  assert.ok(await page.evaluate(() => (window as any).holonViewer.player.playing));
  await key(" ");
  const direction = () =>
    page.evaluate(() => {
      const { here } = (window as any).holonViewer.world.stage;
      return here.direction.toArray().map((v: number) => Math.round(10 * v) / 10 + 0);
    });
  const views: [string, number[]][] = [["2", [1, 0, 0]], ["3", [0, -1, 0]], ["4", [0, 0, 1]]];
  for (const [name, expected] of views) {
    await key(name);
    await settle(page);
    assert.deepEqual(await direction(), expected);
  }
  const following = () => page.evaluate(() => (window as any).holonViewer.world.following);
  assert.equal(await following(), 1);
  await key("f");
  assert.equal(await following(), -1);
  await key("?");
  assert.ok(await page.locator("#help").isVisible());
  await key("Escape");
  assert.ok(await page.locator("#help").isHidden());
  await key("d");
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  await key("1");
  await settle(page);
  await picture(page, "car-dark");
  await done(opened);
});

test("arrows show loads and can be scaled", async () => {
  const opened = await open("data=car&time=2");
  const { page } = opened;
  await page.click("[popovertarget=options]");
  await page.check("#show-reactions");
  await page.check("#show-forces");
  // Lengths of the shafts: of the reaction of an axle, of a strut, of the tyre (drawn without being asked for).
  const lengths = () =>
    page.evaluate(() => {
      const { world } = (window as any).holonViewer;
      world.show(2);
      const of = (arrows: any, k: number) =>
        Math.hypot(...arrows.shafts.mesh.instanceMatrix.array.slice(16 * k + 8, 16 * k + 11));
      return [of(world.loads.reactions, 0), of(world.loads.forces, 2), of(world.contacts.arrows, 0)];
    });
  const first = await lengths();
  assert.ok(first.every((length) => length > 0.05), String(first));
  await page.locator("#arrow-scale").fill("0.3");
  const scaled = await lengths();
  scaled.forEach((length, k) => assert.ok(length > first[k]! && Math.abs(length / first[k]! / 10 ** 0.3 - 1) < 0.35));
  await page.uncheck("#show-contacts");
  assert.equal(await page.evaluate(() => (window as any).holonViewer.world.contacts.root.visible), false);
  await page.check("#show-contacts");
  await page.keyboard.press("Escape");
  await settle(page);
  await picture(page, "arrows");
  await done(opened);
});

test("the page follows the system's dark setting", async () => {
  const opened = await open("data=bar", { colorScheme: "dark" });
  assert.equal(await opened.page.locator("html").getAttribute("data-theme"), "dark");
  await picture(opened.page, "four-bar-dark");
  await done(opened);
});

test("a phone: nothing sticks out, panels open and close", async () => {
  const opened = await open("data=car&time=2", { viewport: { width: 360, height: 640 }, hasTouch: true });
  const { page } = opened;
  const inside = async () => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 360, `${wide} pixels wide`);
    for (const box of await page.locator("#head button:visible, #bar :is(button, select, input):visible").all()) {
      const { x, width } = (await box.boundingBox())!;
      assert.ok(x >= 0 && x + width <= 360);
    }
  };
  await inside();
  await picture(page, "phone");
  await page.tap("#plots-button");
  await page.fill("#plots-head input", "chassis z");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await inside();
  await settle(page);
  const over = (await page.locator(".u-over").boundingBox())!;
  const now = (await page.locator(".now").boundingBox())!;
  assert.ok(Math.abs(now.x - (over.x + over.width / 4)) < 2, "the cursor is at 2 s of 8 s");
  await picture(page, "phone-plots");
  await page.tap("#parts-button");
  assert.ok(await page.locator("#plots").isHidden());
  await inside();
  await picture(page, "phone-parts");
  await page.tap("#parts .close");
  await settle(page); // the view has its whole height again
  const at = await onPage(page, await position(page, 1));
  await page.touchscreen.tap(at.x, at.y);
  assert.equal(await page.locator("#card h2").textContent(), "chassis");
  await inside();
  await done(opened);
});

test("every control has a name", async () => {
  const opened = await open("data=pair");
  const { page } = opened;
  await page.click("#parts-button");
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, input, select")]
      .filter((element) => {
        const named = element.getAttribute("aria-label") || element.textContent?.trim();
        return !named && !(element as HTMLInputElement).labels?.[0]?.textContent?.trim();
      })
      .map((element) => element.outerHTML),
  );
  assert.deepEqual(nameless.filter((html) => !html.includes('id="verdict"')), []);
  await done(opened);
});

test("a still has no controls and says when it is drawn", async () => {
  const opened = await open("data=car&still=1&time=2.9&view=side", { viewport: { width: 800, height: 450 } });
  const { page } = opened;
  for (const id of ["head", "bar", "views"]) assert.ok(await page.locator(`#${id}`).isHidden());
  assert.equal(await time(page), 2.9);
  assert.equal(await page.locator("html").getAttribute("data-ready"), "1");
  await picture(page, "still");
  await done(opened);
});

test("inside another page it is small: play and scrub only", async () => {
  const embedded = selfContained(PAGE, fourBar()).replace("<body>", '<body data-mode="embed">');
  const file = join(folder, "report.html");
  const quoted = embedded.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  writeFileSync(file, `<!doctype html><p>report</p><iframe width="600" height="380" srcdoc="${quoted}"></iframe>`);
  const context = await browser.newContext({ viewport: { width: 700, height: 500 }, offline: true });
  const page = await context.newPage();
  await page.goto(pathToFileURL(file).href);
  const frame = page.frameLocator("iframe");
  await frame.locator("body[data-ready='1']").waitFor();
  assert.ok(await frame.locator("#head").isHidden());
  await frame.locator("#play").click();
  await frame.locator("#play[aria-label^='Pause']").waitFor();
  await picture(page, "embedded");
  await context.close();
});

test("one page from disk, with the network off, asks for nothing", async () => {
  const file = join(folder, "machine.html");
  writeFileSync(file, selfContained(PAGE, fourBar(), fourBar(4, 0.3)));
  const context = await browser.newContext({ viewport: { width: 1100, height: 700 }, offline: true });
  const page = await context.newPage();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const begin = Date.now();
  await page.goto(pathToFileURL(file).href);
  await ready(page);
  console.log(`# opened from disk in ${Date.now() - begin} ms`);
  assert.deepEqual(asked, [pathToFileURL(file).href]);
  assert.equal(await page.locator("#title").textContent(), "Four-bar linkage");
  assert.equal(await page.locator(".plot").count(), 2);
  assert.match((await page.locator("#against").textContent())!, /against/);
  await page.click("#play");
  await page.waitForFunction(() => (window as any).holonViewer.player.time > 0.1);
  await picture(page, "from-disk");
  await context.close();
});

test("a hundred bodies take few calls and little work; thousands can be used", async () => {
  for (const [name, bodies, calls] of [["hundred", 100, 20], ["thousands", 5000, 20]] as const) {
    const opened = await open(`data=${name}`);
    const { page } = opened;
    const work = await page.evaluate(() => {
      const { world } = (window as any).holonViewer;
      const begin = performance.now();
      for (let k = 0; k < 10; k++) world.show(0.01 * k);
      return { milliseconds: (performance.now() - begin) / 10, calls: world.stage.calls };
    });
    console.log(`# ${bodies} bodies: ${work.milliseconds.toFixed(2)} ms for a frame before drawing`);
    // Drawing is instanced: the number of calls does not grow with the number of bodies.
    assert.ok(work.calls <= calls, `${work.calls} calls`);
    await page.click("#parts-button");
    await page.fill("#parts-body input[type=search]", `part ${bodies}`);
    await page.click("#parts-body li button");
    assert.equal(await page.locator("#card h2").textContent(), `part ${bodies}`);
    await picture(page, name);
    await done(opened);
  }
});

test("the page is one small file with its notices", () => {
  const page = readFileSync(PAGE, "utf8");
  assert.ok(statSync(PAGE).size < 1.5e6);
  assert.equal(page.split("<!--holon-data-->").length, 2);
  assert.equal(page.split("<body>").length, 2);
  assert.match(page, /three\.js authors/);
  assert.match(page, /Leon Sorokin/);
  assert.doesNotMatch(page, /<(script|link|img)[^>]+(src|href)="(?!data:)/);
});
