// What a live run was given, frame by frame, and the tables from which `holon run` repeats it bit for bit.

import type { RunningModel } from "./engine.ts";
import type { Quantity, Saved, SimulationOptions } from "./protocol.ts";

const PULL_COLUMNS = [
  "pull.body", "pull.point.x", "pull.point.y", "pull.point.z", "pull.target.x", "pull.target.y",
  "pull.target.z", "pull.stiffness", "pull.damping",
];

/** Digits that give the same number when they are read again. */
const exact = (value: number): string => String(value);

/** A word for the shell. */
const word = (text: string): string => (/^[\w./=+:@%,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

export class Recording {
  private pulls: string[] = [];
  private inputs: string[] = [];
  private isPulled = false;

  /** After `model.begin`: the row of this frame. */
  add(model: RunningModel): void {
    const row = model.pull_row();
    if (row[7]! > 0 || row[8]! > 0) this.isPulled = true;
    this.pulls.push([model.time, ...row].map(exact).join(","));
    this.inputs.push([model.time, ...model.inputs].map(exact).join(","));
  }

  clear(): void {
    this.pulls = [];
    this.inputs = [];
    this.isPulled = false;
  }

  get frames(): number {
    return this.pulls.length;
  }

  /** The model, tables up to now, the end of a frame, and the call that repeats the run. */
  save(model: RunningModel, options: SimulationOptions, changed: Quantity[]): Saved {
    const { name: file, text, settings = [], overlays = [], packages = [] } = model.source;
    const stem = (file.split("/").pop() ?? file).replace(/\.[^.]*$/, "") || "model";
    const inputs = model.loaded.inputs.map((input) => input.name);
    const files = [{ name: file, text }];
    const call = ["holon", "run", file];
    for (const overlay of overlays) call.push("--with", overlay);
    for (const setting of settings) call.push("--set", setting);
    for (const one of packages) call.push("--package", one);
    for (const { name: parameter, value, unit } of changed) {
      call.push("--set", `${parameter}=${exact(value)}${unit === "" ? "" : ` ${unit}`}`);
    }
    call.push("--time", exact(model.time));
    for (const [option, value] of Object.entries(options)) {
      if (option !== "pulls" && value !== undefined) call.push(`--${option.replaceAll("_", "-")}`, String(value));
    }
    if (this.isPulled || model.is_pulled || this.frames > 0) {
      const last = [model.time, ...model.pull_row(true)].map(exact).join(",");
      files.push({ name: `${stem}-pulls.csv`, text: table(["time", ...PULL_COLUMNS], [...this.pulls, last]) });
      call.push("--pulls", `${stem}-pulls.csv`);
    }
    if (inputs.length > 0 && this.frames > 0) {
      const last = [model.time, ...model.next_inputs].map(exact).join(",");
      files.push({ name: `${stem}-inputs.csv`, text: table(["time", ...inputs], [...this.inputs, last]) });
      call.push("--input", `${stem}-inputs.csv`);
    }
    return { files, command: call.map(word).join(" "), hash: model.hash() };
  }
}

// Times increase: a row at the time of the next one, after a frame without a step, is left out.
function table(names: string[], rows: string[]): string {
  const time = (row: string) => row.slice(0, row.indexOf(","));
  const kept = rows.filter((row, k) => k + 1 >= rows.length || time(rows[k + 1]!) !== time(row));
  return `${names.join(",")}\n${kept.join("\n")}\n`;
}
