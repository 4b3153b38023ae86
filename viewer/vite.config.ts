// One file a page: script and style go into it, so that it opens from disk and fits into the command.
// `vite build` makes the viewer, `vite build --mode report` the template of reports.

import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

const PAGES = {
  viewer: { input: "index.html", output: "holon-viewer.html", holds: ["three", "uplot"] },
  report: { input: "report.html", output: "holon-report.html", holds: ["uplot"] },
};

function notices(holds: string[]): string {
  const licence = (name: string) =>
    readFileSync(new URL(`node_modules/${name}/LICENSE`, import.meta.url), "utf8").trim();
  const parts = holds.map((name) => `${name}\n\n${licence(name)}`);
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

export default defineConfig(({ mode }) => {
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
