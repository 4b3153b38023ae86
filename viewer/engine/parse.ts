// Text of YAML and XML into records for the engine's readers (tools/engine/wasm/parse.c): what libyaml
// and expat are for the command. Places are lines and columns in characters, from 0.

import { SaxesParser } from "saxes";
import {
  isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments, type ParsedNode,
} from "yaml";

export enum Language { yaml, xml }

const encoder = new TextEncoder();

/** Lines and columns of places in a text, in characters; offsets in bytes. */
class Places {
  private starts = [0];
  private text: string;
  private isPlain: boolean; // one byte a character
  constructor(text: string) {
    this.text = text;
    this.isPlain = /^[\0-\x7f]*$/.test(text);
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.starts.push(at + 1);
  }
  at(index: number): { line: number; column: number; offset: number } {
    let low = 0;
    for (let high = this.starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if (this.starts[middle]! <= index) low = middle;
      else high = middle;
    }
    const start = this.starts[low]!;
    if (this.isPlain) return { line: low, column: index - start, offset: index };
    return {
      line: low, column: [...this.text.slice(start, index)].length,
      offset: encoder.encode(this.text.slice(0, index)).length,
    };
  }
}

/** Records one behind the other: six numbers, then the bytes, terminated and filled up to four. */
class Records {
  private bytes = new Uint8Array(1 << 14);
  private view = new DataView(this.bytes.buffer);
  private used = 0;
  private places: Places;
  constructor(places: Places) {
    this.places = places;
  }
  add(type: number, index: number, flags = 0, text = ""): void {
    const body = encoder.encode(text);
    const size = 24 + ((body.length + 4) & ~3);
    if (this.used + size > this.bytes.length) {
      const grown = new Uint8Array(2 * (this.used + size));
      grown.set(this.bytes.subarray(0, this.used));
      this.bytes = grown;
      this.view = new DataView(grown.buffer);
    }
    const { line, column, offset } = this.places.at(index);
    [type, line, column, offset, flags, body.length].forEach((number, k) =>
      this.view.setInt32(this.used + 4 * k, number, true));
    this.bytes.set(body, this.used + 24);
    this.used += size;
  }
  get all(): Uint8Array {
    return this.bytes.subarray(0, this.used);
  }
}

// ---- YAML ----------------------------------------------------------------------------------------

// yaml_event_type_t of tools/engine/wasm/yaml.h
enum Event {
  streamEnd = 2, documentStart = 3, documentEnd = 4, alias = 5, scalar = 6, listStart = 7, listEnd = 8,
  mapStart = 9, mapEnd = 10, error = 99,
}
const PROPERTY = 8;
const STYLES: Record<string, number> = {
  PLAIN: 0, QUOTE_SINGLE: 1, QUOTE_DOUBLE: 2, BLOCK_LITERAL: 3, BLOCK_FOLDED: 4,
};

function addNode(records: Records, text: string, node: ParsedNode | null | undefined, at: number): void {
  if (!node) {
    records.add(Event.scalar, at);
    return;
  }
  const own = node.range[0];
  const mark = isAlias(node) ? -1
    : node.anchor !== undefined ? text.lastIndexOf(`&${node.anchor}`, own)
    : node.tag !== undefined ? text.lastIndexOf("!", own) : -1;
  const start = mark >= 0 ? mark : own;
  if (isAlias(node)) {
    records.add(Event.alias, start);
    return;
  }
  const flags = node.anchor !== undefined || node.tag !== undefined ? PROPERTY : 0;
  if (isScalar(node)) {
    const style = STYLES[node.type ?? "PLAIN"] ?? 0;
    records.add(Event.scalar, start, flags | style, node.value === null ? "" : String(node.value));
  } else if (isSeq(node)) {
    records.add(Event.listStart, start, flags);
    for (const item of node.items) addNode(records, text, item as ParsedNode | null, start);
    records.add(Event.listEnd, node.range[1]);
  } else if (isMap(node)) {
    records.add(Event.mapStart, start, flags);
    for (const { key, value } of node.items) {
      const name = key as ParsedNode | null;
      addNode(records, text, name, start);
      addNode(records, text, value as ParsedNode | null, name?.range[1] ?? start);
    }
    records.add(Event.mapEnd, node.range[1]);
  }
}

// The words of libyaml for the mistakes that tree_yaml.c has advice for.
function wordsOf(code: string, message: string): [string, string] {
  const plain = message.replace(/ at line \d+, column \d+:?[\s\S]*$/, "").replace(/\.$/, "");
  switch (code) {
    case "MISSING_CHAR":
      if (/quote/.test(message)) return ["found unexpected end of stream", "while scanning a quoted scalar"];
      if (/flow|[\]}]/.test(message)) return [lower(plain), "while parsing a flow collection"];
      return [lower(plain), ""];
    case "BAD_INDENT":
      return /flow/i.test(message)
        ? [lower(plain), "while parsing a flow collection"]
        : ["did not find expected key", "while parsing a block mapping"];
    case "BLOCK_AS_IMPLICIT_KEY":
      return ["mapping values are not allowed in this context", ""];
    case "MULTILINE_IMPLICIT_KEY":
      return ["could not find expected ':'", "while scanning a simple key"];
    case "BLOCK_IN_FLOW":
    case "UNEXPECTED_TOKEN":
      return [lower(plain), /flow/i.test(message) ? "while parsing a flow collection" : ""];
    default:
      return [lower(plain), ""];
  }
}
const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

function recordsOfYaml(text: string, records: Records): void {
  const counter = new LineCounter();
  const documents = parseAllDocuments(text, {
    schema: "failsafe", version: "1.2", keepSourceTokens: false, lineCounter: counter, prettyErrors: false,
    uniqueKeys: false, strict: true, logLevel: "silent", merge: false,
  });
  if ("empty" in documents) {
    records.add(Event.streamEnd, text.length);
    return;
  }
  for (const document of documents) {
    const error = document.errors[0];
    if (error) {
      records.add(Event.error, error.pos[0], counter.linePos(error.pos[0]).line - 1,
        wordsOf(error.code, error.message).join("\0"));
      return;
    }
    const start = document.range[0];
    records.add(Event.documentStart, start);
    addNode(records, text, document.contents as ParsedNode | null, start);
    records.add(Event.documentEnd, document.range[1]);
  }
  records.add(Event.streamEnd, text.length);
}

// ---- XML -----------------------------------------------------------------------------------------

enum Piece { end, open, close, text, doctype, error }

function recordsOfXml(text: string, records: Records): void {
  const parser = new SaxesParser({ xmlns: false, position: true });
  let attributes: string[] = [];
  let opened = 0; // where the tag starts
  const open: { name: string }[] = [];
  let failed = false;
  const startOf = (word: string) => Math.max(0, text.lastIndexOf(word, Math.max(0, parser.position - 1)));
  parser.on("opentagstart", (tag) => {
    opened = startOf(`<${tag.name}`);
    attributes = [];
  });
  parser.on("attribute", ({ name, value }) => attributes.push(name, value));
  parser.on("opentag", (tag) => {
    open.push({ name: tag.name });
    records.add(Piece.open, opened, 0, [tag.name, ...attributes, ""].join("\0"));
  });
  parser.on("closetag", (tag) => {
    open.pop();
    records.add(Piece.close, tag.isSelfClosing ? opened : startOf("</"), 0, tag.name);
  });
  const words = (data: string) => {
    if (open.length > 0) records.add(Piece.text, Math.max(0, parser.position - 1), 0, data);
  };
  parser.on("text", words);
  parser.on("cdata", words);
  parser.on("doctype", () => records.add(Piece.doctype, startOf("<!DOCTYPE")));
  parser.on("error", (error) => {
    if (failed) return;
    failed = true;
    const message = error.message.replace(/^[^ ]*:?\d+:\d+: /, "").replace(/\.$/, "");
    const mismatch = /unexpected close tag|unmatched closing tag/i.test(message);
    records.add(Piece.error, mismatch ? startOf("</") : Math.max(0, parser.position - 1), mismatch ? 1 : 0, message);
  });
  try {
    parser.write(text).close();
  } catch (error) {
    if (!failed) records.add(Piece.error, 0, 0, (error as Error).message);
  }
  records.add(Piece.end, text.length);
}

/** The records of a text, as parse.c reads them. */
export function recordsOf(language: Language, text: string): Uint8Array {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const records = new Records(new Places(plain));
  if (language === Language.yaml) recordsOfYaml(plain, records);
  else recordsOfXml(plain, records);
  return records.all;
}
