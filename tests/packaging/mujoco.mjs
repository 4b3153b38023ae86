// node mujoco.mjs MACHINE.xml RESULTS.csv TOLERANCE: accelerations of the first row, joint by joint, against
// those that MuJoCo's mass matrix, forces and constraint Jacobian give with exact constraints.
import fs from "fs";
import loadMujoco from "@mujoco/mujoco";

const [, , machine, results, tolerance] = process.argv;
const mj = await loadMujoco();
const flags = '<flag frictionloss="disable" limit="disable" contact="disable"/>';
const text = fs.readFileSync(machine, "utf8").replace(/<option ([^>]*)\/>/, `<option $1 jacobian="dense">${flags}</option>`);
const m = mj.MjModel.from_xml_string(text);
const d = new mj.MjData(m);
if (m.nkey > 0) mj.mj_resetDataKeyframe(m, d, 0);
mj.mj_forward(m, d);

const nv = m.nv;
const v = Array.from(d.qvel);
const full = mj.DoubleBuffer.FromArray(new Array(nv * nv).fill(0));
mj.mj_fullM(m, d, full);
const mass = Array.from(full.GetView());
const force = v.map((_, i) => d.qfrc_passive[i] + d.qfrc_actuator[i] - d.qfrc_bias[i]);

// Rows of equalities.
function jacobian() {
  const rows = [];
  for (let i = 0; i < d.nefc; i++) if (d.efc_type[i] === 0) rows.push(Array.from(d.efc_J.slice(i * nv, (i + 1) * nv)));
  return rows;
}
const rows = jacobian();
const start = Array.from(d.qpos);
function jacobianAt(time) {
  const q = mj.DoubleBuffer.FromArray(start);
  mj.mj_integratePos(m, q, v, time);
  d.qpos.set(q.GetView());
  mj.mj_forward(m, d);
  return jacobian();
}
const h = 1e-5;
const after = jacobianAt(h);
const before = jacobianAt(-h);
const drift = rows.map((row, i) => row.reduce((sum, _, k) => sum + (after[i][k] - before[i][k]) * v[k], 0) / (2 * h));

// Gauss with complete pivoting; what is left of a redundant row is skipped.
function solve(a, b) {
  const n = b.length;
  const order = [...Array(n).keys()];
  let rank = 0;
  let first = 0;
  for (; rank < n; rank++) {
    let best = 0;
    let at = [rank, rank];
    for (let i = rank; i < n; i++)
      for (let j = rank; j < n; j++) if (Math.abs(a[i][j]) > best) [best, at] = [Math.abs(a[i][j]), [i, j]];
    if (rank === 0) first = best;
    if (best < 1e-11 * first) break;
    [a[rank], a[at[0]]] = [a[at[0]], a[rank]];
    [b[rank], b[at[0]]] = [b[at[0]], b[rank]];
    for (const row of a) [row[rank], row[at[1]]] = [row[at[1]], row[rank]];
    [order[rank], order[at[1]]] = [order[at[1]], order[rank]];
    for (let i = rank + 1; i < n; i++) {
      const f = a[i][rank] / a[rank][rank];
      if (f === 0) continue;
      for (let j = rank; j < n; j++) a[i][j] -= f * a[rank][j];
      b[i] -= f * b[rank];
    }
  }
  const x = new Array(n).fill(0);
  for (let i = rank - 1; i >= 0; i--) {
    let sum = b[i];
    for (let j = i + 1; j < rank; j++) sum -= a[i][j] * x[order[j]];
    x[order[i]] = sum / a[i][i];
  }
  return x;
}
const size = nv + rows.length;
const a = [...Array(size).keys()].map((i) =>
  [...Array(size).keys()].map((j) => (i < nv && j < nv ? mass[i * nv + j] : i < nv ? rows[j - nv][i] : j < nv ? rows[i - nv][j] : 0)),
);
const acceleration = solve(a, [...force, ...drift.map((x) => -x)]);

// The file has names, units, rows.
const lines = fs.readFileSync(results, "utf8").trim().split("\n");
const names = lines[0].split(",");
const values = lines[2].split(",").map(Number);
const known = new Map(names.map((name, k) => [name, values[k]]));
const largest = Math.max(1e-9, ...acceleration.slice(0, nv).map(Math.abs));
let compared = 0;
for (let j = 0; j < m.njnt; j++) {
  if (m.jnt_type[j] < 2) continue;
  const name = mj.mj_id2name(m, 3, j);
  const cut = name.lastIndexOf("_");
  const candidates = [`${name}.angle`, `${name}.displacement`, `${name.slice(0, cut)}.${name.slice(cut + 1)}`];
  const signal = candidates.map((c) => `joint.${c}_acceleration`).find((c) => known.has(c));
  if (signal === undefined) continue;
  compared++;
  const [want, got] = [known.get(signal), acceleration[m.jnt_dofadr[j]]];
  if (!(Math.abs(want - got) <= Number(tolerance) * largest)) {
    console.error(`${signal}: ${want}, MuJoCo ${got}`);
    process.exit(1);
  }
}
if (compared === 0) {
  console.error("nothing to compare");
  process.exit(1);
}
console.log(`${machine}: ${compared} joints`);
