// Makes the folder of the npm package (scripts/make-npm): modules with all they need, types, engine, texts.
// usage: node package/build.mjs FOLDER WASM

import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { build } from "vite";

const [folder, wasm] = process.argv.slice(2);
const here = new URL(".", import.meta.url).pathname;
const root = join(here, "../..");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

await build({
  configFile: false, root: join(here, ".."), logLevel: "warn",
  build: {
    target: "es2022", outDir: folder, emptyOutDir: false, minify: false, copyPublicDir: false,
    lib: { entry: { index: join(here, "index.ts"), node: join(here, "node.ts") }, formats: ["es"] },
    rollupOptions: { external: /^node:/, output: { entryFileNames: "[name].js", chunkFileNames: "[name].js" } },
  },
  // The engine stays a file of its own.
  plugins: [{
    name: "keep-url", enforce: "pre",
    transform: (code) => code.replace('new URL("./holon.wasm", import.meta.url)', "new URL(/* @vite-ignore */ \"./holon.wasm\", import.meta.url)"),
  }],
});

const types = join(folder, "types");
execFileSync(join(here, "../node_modules/.bin/tsc"), ["-p", join(here, "tsconfig.json"), "--outDir", types]);
const used = ["package/index", "package/node", "engine/api", "engine/protocol"];
const kept = used.map((name) => [name, readFileSync(join(types, `${name}.d.ts`), "utf8")]);
const error = readFileSync(join(types, "engine/engine.d.ts"), "utf8").match(/export declare class ModelError[\s\S]*?\n}\n/)[0];
rmSync(types, { recursive: true });
for (const [name, text] of kept) {
  const file = join(types, `${name.replace("package/", "")}.d.ts`);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text.replaceAll('"../engine/', '"./engine/').replaceAll('.ts"', '.js"'));
}
// Of the code only the error is named in types.
writeFileSync(join(types, "engine/engine.d.ts"), `import type { ModelError as Failure } from "./api.js";
import type { Problem } from "./protocol.js";
${error}`);

cpSync(wasm, join(folder, "holon.wasm"));
chmodSync(join(folder, "holon.wasm"), 0o644);
cpSync(join(here, "README.md"), join(folder, "README.md"));
cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
const text_of = (name, file) => readFileSync(join(here, "../node_modules", name, file), "utf8").trim();
// saxes names its license (ISC, that of yaml) and its author, but has no file of it.
const { license, author } = JSON.parse(text_of("saxes", "package.json"));
if (license !== "ISC") throw new Error("saxes has another license");
const notices = {
  yaml: text_of("yaml", "LICENSE"),
  saxes: text_of("yaml", "LICENSE").replace(/^Copyright.*$/m, `Copyright ${author}`),
  xmlchars: text_of("xmlchars", "LICENSE"),
};
writeFileSync(join(folder, "NOTICE"), `Holon
Copyright the Holon authors

Licensed under the Apache License, Version 2.0 (see LICENSE). index.js contains yaml and saxes (with xmlchars);
holon.wasm contains wasi-libc (Apache-2.0 with LLVM exceptions, MIT) and builtins of compiler-rt (the same).

${Object.entries(notices).map(([name, text]) => `${name}\n\n${text}\n`).join("\n")}`);

const header = readFileSync(join(root, "include/holon/base.h"), "utf8");
const version = ["MAJOR", "MINOR", "PATCH"].map((part) => header.match(new RegExp(`#define HN_VERSION_${part} (\\d+)`))[1]).join(".");
writeFileSync(join(folder, "package.json"), `${JSON.stringify({
  name: "holon", version, description: "Multibody dynamics: mechanisms, vehicles, robots and contact, with an engine in WebAssembly",
  keywords: ["multibody", "dynamics", "simulation", "physics", "robotics", "vehicle", "wasm"],
  license: "Apache-2.0", type: "module", sideEffects: false, engines: { node: ">=18" },
  exports: {
    ".": { types: "./types/index.d.ts", default: "./index.js" },
    "./node": { types: "./types/node.d.ts", default: "./node.js" },
    "./holon.wasm": "./holon.wasm",
  },
  types: "./types/index.d.ts",
  files: ["index.js", "node.js", "holon.wasm", "types", "NOTICE"],
}, null, 2)}\n`);
