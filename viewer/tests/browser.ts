// Debian's Chromium, headless, with software WebGL and a fresh profile; pictures as artefacts.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";

/** Folder of the viewer: tests run in viewer/build/tests/tests. */
export const VIEWER = process.env.HOLON_VIEWER ?? fileURLToPath(new URL("../../..", import.meta.url));
export const PAGE = process.env.HOLON_PAGE ?? resolve(VIEWER, "dist/holon-viewer.html");
export const ARTEFACTS = process.env.HOLON_ARTEFACTS ?? resolve(VIEWER, "../build/viewer-artefacts");

function executable(): string {
  if (process.env.HOLON_CHROMIUM) return process.env.HOLON_CHROMIUM;
  for (const name of ["/usr/bin/chromium", "/usr/bin/chromium-browser"]) {
    if (existsSync(name)) return name;
  }
  return execFileSync("sh", ["-c", "command -v chromium || command -v google-chrome"], {
    encoding: "utf8",
  }).trim();
}

export async function openBrowser(): Promise<Browser> {
  mkdirSync(ARTEFACTS, { recursive: true });
  return chromium.launch({
    executablePath: executable(),
    headless: true,
    args: [
      "--no-sandbox", "--disable-gpu-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader", "--hide-scrollbars", "--disable-dev-shm-usage",
    ],
  });
}

export const ready = (page: Page) =>
  page.waitForSelector("body[data-ready='1']", { timeout: 20_000 });

export async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: resolve(ARTEFACTS, `${name}.png`) });
}
