// Files that are dropped onto the page, or chosen: a model, and what it needs beside it.

import type { ModelSource } from "../../engine/protocol.ts";

const MODELS = /\.(ya?ml|json|urdf|mjcf|xml|sdf)$/i;
const MOST = 400; // files
const LARGEST = 64e6; // bytes, all together

export type Dropped = Map<string, Uint8Array>;

/** The model among the files: not one that another one names. Null: there is none. */
export function modelAmong(files: Dropped): ModelSource | null {
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const names = [...files.keys()].filter((name) => MODELS.test(name)).sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
  const texts = new Map(names.map((name) => [name, decode(files.get(name)!)]));
  const base = (name: string) => name.split("/").pop()!;
  const isPart = (name: string) => names.some((other) => other !== name && texts.get(other)!.includes(base(name)));
  const name = names.find((one) => !isPart(one)) ?? names[0];
  if (name === undefined) return null;
  const text = texts.get(name)!;
  const others = Object.fromEntries([...files].filter(([other]) => other !== name));
  return { name, text, files: others, ...placed(text, name, others) };
}

const depth = (name: string) => name.split("/").length;

// Files that came without their folders are put where the model looks for them. Packages of ROS are the
// folders of that name, or get one.
function placed(text: string, model: string, files: Record<string, Uint8Array>): { packages: string[] } {
  const packages = new Map<string, string>();
  const folder = model.includes("/") ? `${model.slice(0, model.lastIndexOf("/"))}/` : "";
  for (const [, name = "", rest = ""] of text.matchAll(/(?:package|model):\/\/([\w.-]+)\/([^"'<>\s]+)/g)) {
    const found = Object.keys(files).find((path) => path.endsWith(rest)) ?? byName(files, rest);
    if (!found) continue;
    if (found.endsWith(rest) && found !== rest) packages.set(name, found.slice(0, found.length - rest.length - 1) || ".");
    else {
      files[`${folder}${name}/${rest}`] = files[found]!;
      packages.set(name, `${folder}${name}`);
    }
  }
  for (const [, path = ""] of text.matchAll(/["'\s:]((?:[\w.-]+\/)*[\w.-]+\.\w{2,4})\b/g)) {
    const found = byName(files, path);
    if (found && !(folder + path in files)) files[folder + path] = files[found]!;
  }
  return { packages: [...packages].map(([name, where]) => `${name}=${where}`) };
}

function byName(files: Record<string, Uint8Array>, path: string): string | undefined {
  const name = path.split("/").pop();
  return Object.keys(files).find((other) => other.split("/").pop() === name);
}

// ---- reading ---------------------------------------------------------------------------------------

async function readEntry(entry: FileSystemEntry, to: [string, File][]): Promise<void> {
  if (to.length >= MOST) return;
  if (entry.isFile) {
    const file = await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed));
    to.push([entry.fullPath.replace(/^\//, ""), file]);
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) return;
    for (const one of some) await readEntry(one, to);
  }
}

async function contents(list: [string, File][]): Promise<Dropped> {
  if (list.reduce((sum, [, file]) => sum + file.size, 0) > LARGEST) {
    throw new Error("These files are too large for a page (64 MB). Drop the model and what it needs.");
  }
  const files: Dropped = new Map();
  for (const [name, file] of list) files.set(name, new Uint8Array(await file.arrayBuffer()));
  return files;
}

async function dropped(transfer: DataTransfer): Promise<Dropped> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry != null);
  const list: [string, File][] = [];
  if (entries.length === 0) for (const file of transfer.files) list.push([file.name, file]);
  for (const entry of entries) await readEntry(entry, list);
  return contents(list);
}

/** Listens on the whole page; `open` gets the files, `failed` why they could not be read. */
export function listenToDrops(open: (files: Dropped) => void, failed: (error: unknown) => void): void {
  let depthInside = 0; // of elements that the pointer is in
  const mark = () => document.body.classList.toggle("dropping", depthInside > 0);
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  document.addEventListener("dragenter", (event) => {
    if (hasFiles(event)) depthInside++;
    mark();
  });
  document.addEventListener("dragleave", (event) => {
    if (hasFiles(event)) depthInside--;
    mark();
  });
  document.addEventListener("dragover", (event) => {
    if (hasFiles(event)) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    depthInside = 0;
    mark();
    if (!hasFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    dropped(event.dataTransfer).then(open, failed);
  });
}

/** Of a button: the files that the reader chooses. */
export function readChosen(list: FileList): Promise<Dropped> {
  return contents([...list].map((file) => [file.webkitRelativePath || file.name, file]));
}
