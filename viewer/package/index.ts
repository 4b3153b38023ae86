// The package `holon`: the engine for programs in JavaScript, in browsers and in node.
//
//   import { load } from "holon";
//   const holon = await load();
//   const model = holon.create(text);

import type { Engine } from "../engine/api.ts";
import { load_engine } from "../engine/engine.ts";

export { ModelError } from "../engine/engine.ts";
export type { Engine, Model, Source } from "../engine/api.ts";
export type { Loaded, ModelSource, Problem, Quantity, Signal, SimulationOptions, Vec3 } from "../engine/protocol.ts";

async function bytes_of(url: URL): Promise<BufferSource> {
  if (url.protocol === "file:") {
    const name = "node:fs/promises"; // not looked for by bundlers
    const { readFile } = (await import(/* @vite-ignore */ name)) as { readFile: (url: URL) => Promise<Uint8Array<ArrayBuffer>> };
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href} could not be loaded (${response.status})`);
  return response.arrayBuffer();
}

/** The engine: `holon.wasm` beside this file, or what is given (bytes, gzipped or not, or compiled). */
export async function load(engine?: BufferSource | WebAssembly.Module): Promise<Engine> {
  return load_engine(engine ?? (await bytes_of(new URL("./holon.wasm", import.meta.url))));
}
