// One file: script and style go into the page, so that it opens from disk and fits into the command.

import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

function notices(): string {
  const licence = (name: string) =>
    readFileSync(new URL(`node_modules/${name}/LICENSE`, import.meta.url), "utf8").trim();
  const parts = ["three", "uplot"].map((name) => `${name}\n\n${licence(name)}`);
  return `<!--\nThis page contains three.js and uPlot.\n\n${parts.join("\n\n")}\n-->`;
}

function oneFile(): Plugin {
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
      page.source = html.replace("</title>", () => `</title>\n${notices()}`);
      page.fileName = "holon-viewer.html";
    },
  };
}

export default defineConfig({
  plugins: [oneFile()],
  build: {
    target: "es2022",
    copyPublicDir: false, // results to look at while developing
    modulePreload: false,
    assetsInlineLimit: 10_000_000,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 1500,
    rolldownOptions: { output: { codeSplitting: false } },
  },
});
