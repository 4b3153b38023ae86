// Reports in a real browser: what they show, light and dark, on a phone, on paper, from disk without a
// network, and when their data are wrong.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { openBrowser, PAGE, picture, ready, VIEWER } from "./browser.ts";
import { fourBar } from "./machines.ts";
import { compareFacts, importFacts, linearizeFacts, pageOf, runFacts, verifyFacts } from "./reports.ts";
import { selfContained } from "./serve.ts";

const TEMPLATE = resolve(VIEWER, "dist/holon-report.html");
let browser: Browser;
let folder: string;

before(async () => {
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), "holon-report-"));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Opened {
  page: Page;
  errors: string[];
}

async function open(facts: unknown, options: BrowserContextOptions = {}, frame: string | null = null): Promise<Opened> {
  const file = join(folder, "report.html");
  writeFileSync(file, typeof facts === "string" ? facts : pageOf(TEMPLATE, facts, frame));
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, offline: true, ...options });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|data|blob|about):/.test(request.url())) errors.push(`asks for ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  await ready(page);
  return { page, errors };
}

async function done({ page, errors }: Opened): Promise<void> {
  assert.deepEqual(errors, []);
  await page.context().close();
}

const headings = (page: Page) => page.locator("h2").allTextContents();
const isTooWide = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);

test("a report of a run shows everything it is given, in its order", async () => {
  const opened = await open(runFacts());
  const { page } = opened;
  assert.equal(await page.locator("h1").textContent(), "A car <b>& its spring</b>"); // text, not markup
  assert.equal(await page.locator("h1 b").count(), 0);
  assert.deepEqual(await headings(page), [
    "Model", "Path", "Outputs", "Energy", "Constraints and steps", "Real time", "Certificate", "Warnings", "Events",
    "Repeat this",
  ]);
  assert.match((await page.locator(".verdict").getAttribute("class"))!, /note/);
  assert.match((await page.locator(".verdict").textContent())!, /off by 3 J/);
  assert.match((await page.locator("header .quiet").textContent())!, /4 s simulated · relative · first-order · dopri5 · 0.02 s of CPU time, 200 × real time/);
  assert.equal(await page.locator(".plots canvas").count(), 2 + 2 + 4);
  assert.equal(await page.locator(".checks .dot.note").count(), 2); // energy balance, warning
  assert.equal(await page.locator("#events tbody tr").count(), 2);
  assert.match((await page.locator("#repeat-this pre").textContent())!, /holon run car.yaml/);
  assert.match((await page.locator("footer").textContent())!, /0123456789abcdef.*fedcba9876543210/);
  await picture(page, "report");
  await done(opened);
});

test("the joint graph has bodies in columns, redundant joints marked, forces dotted", async () => {
  const opened = await open(runFacts());
  const { page } = opened;
  const x = async (name: string) =>
    (await page.locator(".topology svg g", { hasText: name }).first().boundingBox())!.x;
  assert.ok((await x("ground")) < (await x("chassis")));
  assert.ok((await x("chassis")) < (await x("arm")));
  assert.equal(await page.locator(".topology .joint.redundant").count(), 1);
  assert.equal(await page.locator(".topology .joint").count(), 4);
  assert.equal(await page.locator(".topology .force").count() - await page.locator("i.force").count(), 1);
  await done(opened);
});

test("lines that would be flat get an axis of their own", async () => {
  const opened = await open(runFacts());
  const { page } = opened;
  const energy = page.locator("#energy .plot").first();
  // potential moves by 2 J beside 400 J
  assert.match((await energy.locator(".legend").textContent())!, /potential \(right\)/);
  assert.equal(await energy.locator(".u-axis").count(), 3);
  await done(opened);
});

test("the pointer tells values in all plots, and zero is 0", async () => {
  const opened = await open(runFacts());
  const { page } = opened;
  const plot = page.locator("#outputs .plot").first();
  await plot.scrollIntoViewIfNeeded();
  const area = (await plot.locator(".u-over").boundingBox())!;
  await page.mouse.move(area.x + area.width / 2, area.y + area.height / 2);
  const value = (await plot.locator("output").textContent())!;
  assert.match(value, / m$/);
  assert.ok(Math.abs(parseFloat(value) - 20) < 0.5, value); // x = 10 t at the middle of 4 s
  assert.match((await page.locator("#outputs .plot").nth(1).locator("output").textContent())!, /^0\.\d+ m$/);
  await page.mouse.move(5, 5);
  await done(opened);
});

test("a drag zooms every plot, a double click shows all", async () => {
  const opened = await open(runFacts());
  const { page } = opened;
  const over = (k: number) => page.locator(".plots .u-over").nth(k);
  await over(0).scrollIntoViewIfNeeded();
  const area = (await over(0).boundingBox())!;
  await page.mouse.move(area.x + 0.25 * area.width, area.y + 40);
  await page.mouse.down();
  await page.mouse.move(area.x + 0.5 * area.width, area.y + 40, { steps: 4 });
  await page.mouse.up();
  // x = 10 t: at the right edge of the zoomed plot t is 2 s
  await page.mouse.move(area.x + area.width - 2, area.y + 60);
  const value = parseFloat((await page.locator("#outputs output").first().textContent())!);
  assert.ok(Math.abs(value - 20) < 0.6, String(value));
  await over(0).dblclick();
  await page.mouse.move(area.x + area.width - 2, area.y + 60);
  const whole = parseFloat((await page.locator("#outputs output").first().textContent())!);
  assert.ok(Math.abs(whole - 40) < 0.6, String(whole));
  await done(opened);
});

test("the machine in 3-D takes the place of the still", async () => {
  const opened = await open(runFacts(), {}, selfContained(PAGE, fourBar()));
  const { page } = opened;
  await page.locator(".scene button").click();
  const frame = page.frameLocator(".scene iframe");
  await frame.locator("body[data-ready='1']").waitFor({ timeout: 20_000 });
  assert.equal(await page.locator(".scene img").count(), 0);
  await done(opened);
});

test("verify names the disagreement and draws the spread against what is allowed", async () => {
  const opened = await open(verifyFacts());
  const { page } = opened;
  assert.match((await page.locator(".verdict").textContent())!, /disagree/);
  assert.deepEqual(await headings(page), [
    "Disagreements", "Spread of formulations", "Spread over time", "Formulations", "Not compared", "No vote", "Repeat this",
  ]);
  assert.match((await page.locator("#disagreements").textContent())!, /The odd one: a\/b\/c/);
  assert.match((await page.locator("#spread-over-time .legend").textContent())!, /spread.*allowed/);
  assert.equal(await page.locator("#formulations tbody tr").count(), 2);
  await picture(page, "report-verify");
  await done(opened);
});

test("compare recommends, draws lines and the front, and tells what failed", async () => {
  const opened = await open(compareFacts());
  const { page } = opened;
  assert.match((await page.locator(".verdict").textContent())!, /3 of 4 runs reached the end/);
  assert.match((await page.locator("#what-to-take pre").first().textContent())!, /--formula dopri5 --tol 0.001/);
  assert.match((await page.locator("#what-to-take").textContent())!, /Accuracy 1e-9: none of the runs reaches it/);
  assert.equal(await page.locator("#work-against-precision .mark").count(), 3);
  assert.equal(await page.locator("#work-against-precision path.dashed").count(), 1);
  assert.equal(await page.locator("#pareto-front tbody tr").count(), 2);
  assert.match((await page.locator("#without-a-result").textContent())!, /Newton iteration fails/);
  assert.match((await page.locator("#do-not-exist").textContent())!, /has no tangent/);
  await picture(page, "report-compare");
  await done(opened);
});

test("linearize shows poles, modes and Bode diagrams", async () => {
  const opened = await open(linearizeFacts());
  const { page } = opened;
  assert.equal(await page.locator("#poles .cross").count(), 2);
  assert.match((await page.locator("#modes tbody").textContent())!, /1.6 Hz.*seat 100 %.*spring 100 %/);
  assert.equal(await page.locator("#bode-diagrams path.line").count(), 2);
  await picture(page, "report-linearize");
  await done(opened);
});

test("import tells what became of tags", async () => {
  const opened = await open(importFacts());
  const { page } = opened;
  assert.match((await page.locator(".verdict").textContent())!, /Nothing of the file is lost/);
  assert.match((await page.locator("#harmless-").textContent())!, /2.*gazebo.*is of another program/);
  await done(opened);
});

for (const colorScheme of ["dark", "light"] as const) {
  for (const [name, facts] of [["run", runFacts()], ["verify", verifyFacts()], ["compare", compareFacts()]] as const) {
    test(`${name} fits a phone, ${colorScheme}`, async () => {
      const opened = await open(facts, { viewport: { width: 375, height: 740 }, colorScheme });
      const { page } = opened;
      assert.equal(await isTooWide(page), false);
      const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = Number(/\d+/.exec(back)![0]) > 128;
      assert.equal(light, colorScheme === "light");
      await picture(page, `report-${name}-phone-${colorScheme}`);
      await done(opened);
    });
  }
}

test("the theme button turns dark to light, and plots follow", async () => {
  const opened = await open(runFacts(), { colorScheme: "dark" });
  const { page } = opened;
  await page.locator("#theme").click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
  assert.equal(await page.locator(".plots canvas").count(), 8);
  await done(opened);
});

test("a page without data, with other data, or of a later version says so", async () => {
  for (const [facts, words] of [
    [{ format: 1, kind: "else" }, /not those of a report/], [{ ...runFacts(), format: 2 }, /later version/],
    [pageOf(TEMPLATE, {}).replace("{}", "{"), /cannot be shown/],
  ] as const) {
    const opened = await open(facts);
    assert.match((await opened.page.locator(".verdict.bad").textContent())!, words);
    await done(opened);
  }
});

test("facts with parts missing still make a page", async () => {
  const opened = await open({ format: 1, kind: "report" });
  assert.match((await opened.page.locator(".verdict").textContent())!, /no quality grade/);
  await done(opened);
  for (const kind of ["verify", "compare", "linearize", "import"]) {
    const other = await open({ format: 1, kind, [kind]: {} });
    assert.equal(await other.page.locator("h1").count(), 1);
    await done(other);
  }
});
