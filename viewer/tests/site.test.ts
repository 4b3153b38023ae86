// The site (scripts/make-site) in a real browser: wide and narrow, light and dark, from disk without a network.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { openBrowser, picture, ready, VIEWER } from "./browser.ts";

const ROOT = resolve(VIEWER, "..");
const PAGES = [
  "index", "gallery/index", "gallery/four-bar", "gallery/lane-change", "docs/index", "docs/howto/contact",
  "docs/reference/model-format", "docs/reference/javascript", "benchmarks/index", "comparison",
];

let browser: Browser;
let folder: string;
let site: string;

const make = (...words: string[]) => spawnSync(join(ROOT, "scripts/make-site"), words, { encoding: "utf8" });

before(async () => {
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), "holon-site-"));
  site = join(folder, "site");
  const made = make("--models", "four-bar,lane-change", site);
  assert.equal(made.status, 0, made.stdout + made.stderr);
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(width: number, scheme: "light" | "dark"): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: scheme, offline: true });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(pathToFileURL(site).href)) faults.push(request.url());
  });
  return { page, faults };
}
const show = (page: Page, name: string) => page.goto(`${pathToFileURL(site).href}/${name}.html`);

const brightness = (page: Page) =>
  page.evaluate(() => Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)![0]));

for (const [width, kind] of [[1280, "wide"], [390, "phone"]] as const) {
  for (const scheme of ["light", "dark"] as const) {
    test(`${kind}, ${scheme}: every kind of page fits, and asks for nothing elsewhere`, async () => {
      const { page, faults } = await open(width, scheme);
      for (const name of PAGES) {
        await show(page, name);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${name} is ${wide} pixels wide`);
        const light = await brightness(page);
        assert.ok(scheme === "light" ? light > 200 : light < 60, `${name}: ${light}`);
        assert.equal(await page.locator("h1").count(), 1, name);
        const broken = await page.evaluate(() => [...document.images].filter((image) => image.loading !== "lazy" && image.naturalWidth === 0).length);
        assert.equal(broken, 0, name);
        await picture(page, `site-${name.replaceAll("/", "-")}-${kind}-${scheme}`);
      }
      assert.deepEqual(faults, []);
      await page.context().close();
    });
  }
}

test("a model of the gallery runs in its page, from disk", async () => {
  const { page, faults } = await open(1100, "light");
  await show(page, "gallery/index");
  assert.equal(await page.locator(".card").count(), 2);
  await page.click(".card >> text=lane change");
  assert.match((await page.locator("pre").last().textContent())!, /lane|path/);
  await page.click("text=Run it live");
  await ready(page);
  await page.waitForFunction("holonLive.time > 0.2", null, { timeout: 60_000 });
  await picture(page, "site-live");
  assert.deepEqual(faults, []);
  await page.context().close();
});

test("the search finds pages, sections and keys, by mouse and keyboard", async () => {
  const { page, faults } = await open(1100, "light");
  await show(page, "docs/howto/contact");
  await page.keyboard.press("/");
  await page.keyboard.type("lane change");
  assert.equal(await page.locator("#found a").first().textContent(), "A lane change");
  await page.keyboard.press("Enter");
  await page.waitForURL(/tutorials\/lane-change\.html$/);
  await page.fill("#search", "restitution");
  const found = await page.locator("#found a").evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
  assert.ok(found.some((address) => /reference\/model\/contacts\.html/.test(address)), found.join(" "));
  await picture(page, "site-search");
  await page.fill("#search", "nothing of the kind");
  assert.equal(await page.locator("#found").textContent(), "Nothing found");
  await page.click("h1");
  assert.ok(await page.locator("#found").isHidden());
  assert.deepEqual(faults, []);
  await page.context().close();
});

test("the button changes the colors, and they stay", async () => {
  const { page } = await open(1100, "light");
  await show(page, "index");
  await page.click("#scheme");
  assert.ok((await brightness(page)) < 60);
  await page.reload();
  assert.ok((await brightness(page)) < 60);
  await page.context().close();
});

test("texts become pages: every page of the documentation, tables, lists, code, anchors", async () => {
  const below = (path: string): string[] =>
    readdirSync(join(ROOT, path), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? below(`${path}/${entry.name}`) : entry.name.endsWith(".md") ? [`${path}/${entry.name}`] : []);
  for (const source of below("docs")) {
    const text = readFileSync(join(ROOT, source), "utf8").replaceAll(/<!--[^]*?-->/g, "");
    const page = readFileSync(join(site, source.replace("docs/README", "docs/index").replace(/md$/, "html")), "utf8");
    const count = (pattern: RegExp, of: string) => (of.match(pattern) ?? []).length;
    const plain = text.replaceAll(/^ *```[^]*?^ *```/gm, "");
    assert.equal(count(/<h[1-6] /g, page), count(/^#{1,6} /gm, plain), source);
    assert.equal(count(/<table>/g, page), count(/^\|[ :|-]*-[ :|-]*\|?\n/gm, plain), source);
    const content = page.slice(page.indexOf("<main")).replaceAll(/<pre[^]*?<\/pre>|<code>[^]*?<\/code>/g, "");
    assert.doesNotMatch(content, /\]\(|\*\*|```|\x00/, source);
  }
});

test("a link that leads nowhere and a request elsewhere are found", () => {
  const copy = join(folder, "copy");
  cpSync(site, copy, { recursive: true });
  writeFileSync(join(copy, "bad.html"), '<a href="docs/nothing.html">a</a><a href="docs/index.html#nothing">b</a><script src="https://example.org/a.js"></script>');
  const made = make("--check", copy);
  assert.equal(made.status, 1);
  assert.match(made.stderr, /bad\.html links to docs\/nothing\.html, which is not there/);
  assert.match(made.stderr, /bad\.html links to docs\/index\.html#nothing, which has no such section/);
  assert.match(made.stderr, /bad\.html loads https:\/\/example\.org/);
});
