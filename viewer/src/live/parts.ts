// What a live page carries besides the viewer: the model, the engine and the script that runs it.

import { ENGINE_ELEMENT, LIVE_ELEMENT, WORKER_ELEMENT, type LivePage, type ModelSource } from "../../engine/protocol.ts";
import { DataError, parseObject } from "../data.ts";
import { decodeBase64 } from "../source.ts";

export interface LiveParts {
  page: LivePage;
  worker: string;
  engine: () => ArrayBuffer;
}

const HINT = "Write the page again: holon view MODEL --live --html FILE";

const textOf = (id: string): string | null => document.getElementById(id)?.textContent ?? null;

/** Null: no model is in this page. */
export function liveParts(): LiveParts | null {
  const model = textOf(LIVE_ELEMENT);
  if (model === null) return null;
  const worker = textOf(WORKER_ELEMENT);
  const engine = textOf(ENGINE_ELEMENT);
  if (!worker || !engine) {
    throw new DataError("The engine is missing", "The page has a model but not the engine that runs it.", HINT);
  }
  const page = parseObject(model, "the model in the page") as unknown as LivePage;
  return { page, worker, engine: () => decodeBase64(engine, "the engine") };
}

export function sourceOf(page: LivePage): ModelSource {
  const files: Record<string, string | Uint8Array> = {};
  for (const { name, text, base64 } of page.files ?? []) {
    files[name] = text ?? new Uint8Array(decodeBase64(base64 ?? "", name));
  }
  const { name, text, overlays = [], settings = [], packages = [] } = page;
  return { name, text, files, overlays, settings, packages };
}
