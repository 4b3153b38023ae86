// One file a page: script and style go into it, so that it opens from disk and fits into the command.
// `vite build` makes the viewer, `vite build --mode report` the template of reports.

import { existsSync, readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

const PAGES = {
  viewer: { input: "index.html", output: "holon-viewer.html", holds: ["three", "uplot"] },
  report: { input: "report.html", output: "holon-report.html", holds: ["uplot"] },
};

// saxes names its license, but has no file of it.
const ISC = `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is
hereby granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING
ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL,
DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS,
WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE
USE OR PERFORMANCE OF THIS SOFTWARE.`;

function licenceOf(name: string): string {
  const file = (path: string) => new URL(`node_modules/${name}/${path}`, import.meta.url);
  if (existsSync(file("LICENSE"))) return readFileSync(file("LICENSE"), "utf8").trim();
  const { license, author } = JSON.parse(readFileSync(file("package.json"), "utf8")) as Record<string, string>;
  if (license !== "ISC") throw new Error(`${name} has no license file`);
  return `ISC License\n\nCopyright (c) ${author}\n\n${ISC}`;
}

function notices(holds: string[]): string {
  const parts = holds.map((name) => `${name}\n\n${licenceOf(name)}`);
  return `<!--\nThis page contains ${holds.join(" and ")}.\n\n${parts.join("\n\n")}\n-->`;
}

function oneFile(output: string, holds: string[]): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = Object.values(bundle).find((file) => file.fileName.endsWith(".html"));
      if (page?.type !== "asset") throw new Error("no page in the bundle");
      let html = String(page.source);
      for (const file of Object.values(bundle)) {
        if (file === page) continue;
        if (file.type === "chunk") {
          // A closing tag inside a string would end the script.
          const code = file.code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
          html = html.replace(/<script[^>]*src="[^"]*"[^>]*><\/script>/, "");
          html = html.replace("</body>", () => `<script type="module">${code}</script>\n</body>`);
        } else if (file.fileName.endsWith(".css")) {
          html = html.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${file.source}</style>`);
        } else throw new Error(`${file.fileName} does not fit into one page`);
        delete bundle[file.fileName];
      }
      page.source = html.replace("</title>", () => `</title>\n${notices(holds)}`);
      page.fileName = output;
    },
  };
}

// The script of the worker, to stand as text in a page: a closing tag in it would end its element.
const WORKER = defineConfig({
  plugins: [{
    name: "as-text",
    enforce: "post",
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk") continue;
        const licences = ["yaml", "saxes", "xmlchars"].map((name) => `${name}\n\n${licenceOf(name)}`).join("\n\n");
        const notice = `/*\nThis script contains yaml, saxes and xmlchars.\n\n${licences}\n*/\n`;
        file.code = (notice + file.code).replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
      }
    },
  }],
  build: {
    target: "es2022", copyPublicDir: false, emptyOutDir: false,
    lib: { entry: "engine/worker-main.ts", formats: ["iife"], name: "holonWorker", fileName: () => "holon-worker.js" },
  },
});

export default defineConfig(({ mode }) => {
  if (mode === "worker") return WORKER;
  const page = mode === "report" ? PAGES.report : PAGES.viewer;
  return {
    plugins: [oneFile(page.output, page.holds)],
    build: {
      target: "es2022",
      copyPublicDir: false, // results to look at while developing
      emptyOutDir: false, // the other page stays
      modulePreload: false,
      assetsInlineLimit: 10_000_000,
      cssCodeSplit: false,
      chunkSizeWarningLimit: 1500,
      rollupOptions: { input: page.input, output: { inlineDynamicImports: true } },
    },
  };
});
