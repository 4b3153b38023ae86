// Models from disk, for node: `import { from_file } from "holon/node"`.

import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Source } from "../engine/api.ts";

/** A model file. Others that it names are read when the model is made, relative to it. */
export function from_file(path: string): Source {
  const folder = dirname(path);
  return {
    name: basename(path),
    text: readFileSync(path, "utf8"),
    files: (name) => {
      try {
        return readFileSync(join(folder, name));
      } catch {
        return undefined;
      }
    },
  };
}
