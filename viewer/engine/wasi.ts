// What the engine asks of a system, in memory: files that were given, read only; a clock; nothing else.
// Every other call is answered by "not supported".

const OK = 0;
const BAD_FILE = 8;
const NOT_FOUND = 44;
const NOT_SUPPORTED = 52;
const ROOT = 3; // the folder that all paths start from
const DIRECTORY = 3;
const REGULAR = 4;

/** "./a/../b" -> "b"; what goes above the root starts with "../". */
export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split(/[/\\]+/)) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts[parts.length - 1] !== "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}

interface Open {
  bytes: Uint8Array;
  at: number;
}

export class Files {
  private all = new Map<string, Uint8Array>();
  private open = new Map<number, Open>();
  private next = ROOT + 1;
  private memory: WebAssembly.Memory | null = null;
  /** Finds a file that was not set. */
  find: (path: string) => string | Uint8Array | undefined = () => undefined;
  /** What the engine wrote to its standard output and error: nothing, unless something is wrong. */
  written = "";

  set(path: string, data: string | Uint8Array): void {
    this.all.set(normalize(path), typeof data === "string" ? new TextEncoder().encode(data) : data);
  }

  private get(path: string): Uint8Array | undefined {
    if (!this.all.has(path)) {
      const found = this.find(path);
      if (found !== undefined) this.set(path, found);
    }
    return this.all.get(path);
  }

  clear(): void {
    this.all.clear();
    this.open.clear();
  }

  attach(memory: WebAssembly.Memory): void {
    this.memory = memory;
  }

  private get view(): DataView {
    return new DataView(this.memory!.buffer);
  }

  private text(at: number, length: number): string {
    return new TextDecoder().decode(new Uint8Array(this.memory!.buffer, at, length).slice());
  }

  private stat(at: number, type: number, size: number): number {
    const { view } = this;
    for (let k = 0; k < 8; k++) view.setBigUint64(at + 8 * k, 0n, true);
    view.setUint8(at + 16, type);
    view.setBigUint64(at + 32, BigInt(size), true);
    return OK;
  }

  /** The functions of wasi_snapshot_preview1. */
  imports(): Record<string, (...words: never[]) => number> {
    const own: Record<string, (...words: never[]) => number> = {
      fd_prestat_get: (fd: number, at: number) => {
        if (fd !== ROOT) return BAD_FILE;
        this.view.setUint32(at, 0, true);
        this.view.setUint32(at + 4, 1, true);
        return OK;
      },
      fd_prestat_dir_name: (fd: number, at: number, length: number) => {
        if (fd !== ROOT || length < 1) return BAD_FILE;
        new Uint8Array(this.memory!.buffer)[at] = 0x2f;
        return OK;
      },
      path_open: (
        _: number, __: number, path: number, length: number, ___: number, ____: bigint, _____: bigint,
        ______: number, result: number,
      ) => {
        const bytes = this.get(normalize(this.text(path, length)));
        if (!bytes) return NOT_FOUND;
        this.open.set(this.next, { bytes, at: 0 });
        this.view.setUint32(result, this.next++, true);
        return OK;
      },
      path_filestat_get: (_: number, __: number, path: number, length: number, at: number) => {
        const name = normalize(this.text(path, length));
        const bytes = this.get(name);
        if (bytes) return this.stat(at, REGULAR, bytes.length);
        const is_folder = name === "" || [...this.all.keys()].some((key) => key.startsWith(`${name}/`));
        return is_folder ? this.stat(at, DIRECTORY, 0) : NOT_FOUND;
      },
      fd_filestat_get: (fd: number, at: number) => {
        const file = this.open.get(fd);
        return file ? this.stat(at, REGULAR, file.bytes.length) : BAD_FILE;
      },
      fd_fdstat_get: (fd: number, at: number) => {
        const { view } = this;
        if (fd > ROOT && !this.open.has(fd)) return BAD_FILE;
        view.setUint8(at, fd < ROOT ? 2 : fd === ROOT ? DIRECTORY : REGULAR);
        view.setUint16(at + 2, 0, true);
        view.setBigUint64(at + 8, 0xffffffffn, true);
        view.setBigUint64(at + 16, 0xffffffffn, true);
        return OK;
      },
      fd_read: (fd: number, vectors: number, count: number, result: number) => {
        const file = this.open.get(fd);
        if (!file) return BAD_FILE;
        const { view } = this;
        let total = 0;
        for (let k = 0; k < count; k++) {
          const part = file.bytes.subarray(file.at, file.at + view.getUint32(vectors + 8 * k + 4, true));
          new Uint8Array(this.memory!.buffer).set(part, view.getUint32(vectors + 8 * k, true));
          file.at += part.length;
          total += part.length;
        }
        view.setUint32(result, total, true);
        return OK;
      },
      fd_seek: (fd: number, offset: bigint, whence: number, result: number) => {
        const file = this.open.get(fd);
        if (!file) return BAD_FILE;
        const from = whence === 0 ? 0 : whence === 1 ? file.at : file.bytes.length;
        file.at = Math.min(file.bytes.length, Math.max(0, from + Number(offset)));
        this.view.setBigUint64(result, BigInt(file.at), true);
        return OK;
      },
      fd_close: (fd: number) => (this.open.delete(fd) ? OK : BAD_FILE),
      fd_write: (_: number, vectors: number, count: number, result: number) => {
        const { view } = this;
        let total = 0;
        for (let k = 0; k < count; k++) {
          const length = view.getUint32(vectors + 8 * k + 4, true);
          this.written += this.text(view.getUint32(vectors + 8 * k, true), length);
          total += length;
        }
        view.setUint32(result, total, true);
        return OK;
      },
      environ_sizes_get: (count: number, size: number) => {
        this.view.setUint32(count, 0, true);
        this.view.setUint32(size, 0, true);
        return OK;
      },
      environ_get: () => OK,
      clock_time_get: (_: number, __: bigint, at: number) => {
        this.view.setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
        return OK;
      },
      proc_exit: (code: number) => {
        throw new Error(`the engine ended itself (${code}) ${this.written}`);
      },
    } as Record<string, (...words: never[]) => number>;
    return new Proxy(own, {
      get: (target, name) => target[String(name)] ?? (() => NOT_SUPPORTED),
    });
  }
}
