// Results as a run would leave them, made by formulas: a four-bar, a car on a road with a step, and
// a field of any number of bodies. For the tests only; nothing here is dynamics.

export interface Results {
  scene: Record<string, any>;
  motion: Float32Array;
  signals: { header: Record<string, any>; records: Float64Array } | null;
  certificate: Record<string, any> | null;
}

const about = (axis: "x" | "y" | "z", angle: number): number[] => {
  const [c, s] = [Math.cos(angle / 2), Math.sin(angle / 2)];
  return [c, axis === "x" ? s : 0, axis === "y" ? s : 0, axis === "z" ? s : 0];
};

function layout(scene: Record<string, any>, frames: number, rate: number): number {
  const bodies = scene.bodies.length - 1;
  const loads = 1 + 7 * bodies + 3 * scene.joints.length + scene.forces.length;
  const stride = loads + 6 * scene.loads.length;
  scene.motion = {
    frames, rate, first: 0, last: (frames - 1) / rate, stride,
    columns: {
      time: 0, bodies: 1, reactions: 1 + 7 * bodies,
      forces: 1 + 7 * bodies + 3 * scene.joints.length, loads,
    },
  };
  return stride;
}

const common = (model: string, title: string) => ({
  format: 1, holon: "0.2.0", model, title, description: `${title}, made for tests`, status: "ok",
  message: "", gravity: [0, 0, -9.81], meshes: [], loads: [], roads: [],
});

const link = (length: number, color?: string) => ({
  type: "link", at: [0, 0, 0], rotation: about("y", Math.PI / 2), radius: 0.04, length,
  ...(color ? { color } : {}),
});

/** Where crank, coupler and rocker of the four-bar are at a crank angle. In the x-z plane. */
export function fourBarAt(angle: number) {
  const [a, b, c, d] = [0.5, 1.6, 1.2, 1.5];
  const pin = { x: a * Math.cos(angle), z: a * Math.sin(angle) };
  const [dx, dz] = [d - pin.x, -pin.z];
  const e = Math.hypot(dx, dz);
  const turn = Math.acos((b * b + e * e - c * c) / (2 * b * e));
  const coupler = Math.atan2(dz, dx) + turn;
  const end = { x: pin.x + b * Math.cos(coupler), z: pin.z + b * Math.sin(coupler) };
  const rocker = Math.atan2(end.z, end.x - d);
  return { pin, end, coupler, rocker, ground: { x: d, z: 0 }, lengths: { a, b, c, d } };
}

/** A crank that turns once in two seconds. `lag`: angle it starts behind, for a second run. */
export function fourBar(seconds = 4, lag = 0): Results {
  const rate = 60;
  const frames = Math.round(seconds * rate) + 1;
  const { lengths } = fourBarAt(0);
  const joint = (name: string, body1: number, at1: number[], body2: number, at2: number[]) => ({
    name, type: "revolute", body1, body2, at1, at2, axis1: [0, 1, 0], axis2: [0, 1, 0],
  });
  const scene: Record<string, any> = {
    ...common("four-bar", "Four-bar linkage"),
    bodies: [
      { name: "ground", mass: 0, shapes: [
        { type: "box", at: [lengths.d / 2, 0.2, 0], rotation: [1, 0, 0, 0], size: [1.9, 0.06, 0.16] },
      ] },
      { name: "crank", mass: 1, shapes: [link(lengths.a)] },
      { name: "coupler", mass: 3, shapes: [link(lengths.b, "#d9a05b")], drawn: true },
      { name: "rocker", mass: 2, shapes: [link(lengths.c)], drawn: true },
    ],
    joints: [
      joint("O", 0, [0, 0, 0], 1, [-lengths.a / 2, 0, 0]),
      joint("A", 1, [lengths.a / 2, 0, 0], 2, [-lengths.b / 2, 0, 0]),
      joint("B", 2, [lengths.b / 2, 0, 0], 3, [lengths.c / 2, 0, 0]),
      joint("C", 0, [lengths.d, 0, 0], 3, [-lengths.c / 2, 0, 0]),
    ],
    forces: [
      { name: "spring", type: "spring-damper", body1: 0, body2: 3, at1: [2.4, 0, 0.3], at2: [0.3, 0, 0] },
    ],
  };
  const stride = layout(scene, frames, rate);
  const motion = new Float32Array(frames * stride);
  const records = new Float64Array(frames * 4);
  for (let k = 0; k < frames; k++) {
    const time = k / rate;
    const angle = Math.PI * time + 0.4 - lag;
    const { pin, end, coupler, rocker, ground } = fourBarAt(angle);
    const pose = (x: number, z: number, turn: number) => [x, 0, z, ...about("y", -turn)];
    motion.set(
      [
        time,
        ...pose(pin.x / 2, pin.z / 2, angle),
        ...pose((pin.x + end.x) / 2, (pin.z + end.z) / 2, coupler),
        ...pose((ground.x + end.x) / 2, end.z / 2, rocker),
        10, 0, 20 * Math.sin(angle), 5 * Math.cos(angle), 0, 15, 12, 0, -8, 0, 0, 18,
        40 + 30 * Math.cos(angle),
      ],
      k * stride,
    );
    records.set([time, angle, Math.sin(angle), rocker], 4 * k);
  }
  return {
    scene, motion,
    signals: {
      header: { names: ["crank angle", "sine", "rocker angle"], units: ["rad", "", "rad"], samples: frames },
      records,
    },
    certificate: { verdict: { grade: "sound", reasons: [] } },
  };
}

/** A car with one of every shape, rolling along a road with a ramp and a step. */
export function car(): Results {
  const rate = 60;
  const frames = 481;
  const profile = [[-5, 0], [8, 0], [12, 0.4], [16, 0.4], [16.01, 0.25], [40, 0.25]];
  const height = (x: number) => {
    for (let k = 1; k < profile.length; k++) {
      const [[x0, z0], [x1, z1]] = [profile[k - 1] as number[], profile[k] as number[]] as any;
      if (x <= x1) return z0 + ((x - x0) / (x1 - x0)) * (z1 - z0);
    }
    return 0.25;
  };
  const radius = 0.35;
  const wheelAt = [[1.2, 0.75], [1.2, -0.75], [-1.2, 0.75], [-1.2, -0.75]];
  const identity = [1, 0, 0, 0];
  const scene: Record<string, any> = {
    ...common("car", "Car on a road"),
    bodies: [
      { name: "ground", mass: 0, shapes: [] },
      { name: "chassis", mass: 1200, shapes: [
        { type: "box", at: [0, 0, 0], rotation: identity, color: "#4f7d63", size: [3.4, 1.3, 0.4] },
        { type: "extrusion", at: [-0.2, 0, 0.45], rotation: about("x", Math.PI / 2), color: "#7fa58f",
          profile: [[-1.1, -0.25], [1.1, -0.25], [0.6, 0.35], [-0.9, 0.35]], length: 1.2 },
        { type: "cylinder", at: [-1.55, 0, 0.45], rotation: identity, color: "#8c8c94", radius: 0.1, length: 0.6 },
        { type: "sphere", at: [1.6, 0, 0.15], rotation: identity, color: "#d8c46a", radius: 0.12 },
        { type: "capsule", at: [1.72, 0, -0.1], rotation: about("x", Math.PI / 2), radius: 0.06, length: 1.2 },
        { type: "mesh", at: [-0.2, 0, 0.8], rotation: identity, color: "#b06a5a", mesh: 0 },
      ] },
      ...wheelAt.map((_, k) => ({
        name: `wheel ${k + 1}`, mass: 20,
        shapes: [{ type: "wheel", at: [0, 0, 0], rotation: about("x", Math.PI / 2), color: "#565b66", radius, width: 0.22 }],
      })),
    ],
    meshes: [{
      name: "roof.stl", vertices: [-0.3, -0.3, 0, 0.3, -0.3, 0, 0.3, 0.3, 0, -0.3, 0.3, 0, 0, 0, 0.3],
      triangles: [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4, 0, 2, 1, 0, 3, 2],
    }],
    joints: wheelAt.map(([x, y], k) => ({
      name: `axle ${k + 1}`, type: "revolute", body1: 1, body2: k + 2, at1: [x, y, -0.2],
      at2: [0, 0, 0], axis1: [0, 1, 0], axis2: [0, 1, 0],
    })),
    forces: wheelAt.flatMap(([x, y], k) => [
      { name: `tyre ${k + 1}`, type: "tyre", body1: 0, body2: k + 2, at1: [0, 0, 0], at2: [0, 0, 0] },
      { name: `strut ${k + 1}`, type: "spring-damper", body1: 1, body2: k + 2, at1: [x, y! * 0.8, 0.35], at2: [0, 0, 0] },
    ]),
    loads: wheelAt.map((_, k) => ({ name: `tyre ${k + 1}`, type: "tyre", body: k + 2 })),
    roads: [{ name: "road", profile, y: 0, width: 4, up: [0, 0, 1] }],
  };
  const stride = layout(scene, frames, rate);
  const motion = new Float32Array(frames * stride);
  for (let k = 0; k < frames; k++) {
    const time = k / rate;
    const x = 4 * time;
    const z = (height(x + 1.2) + height(x - 1.2)) / 2;
    const pitch = -Math.atan2(height(x + 1.2) - height(x - 1.2), 2.4);
    const row = [time, x, 0, z + radius + 0.2, ...about("y", pitch)];
    for (const [wx, wy] of wheelAt as [number, number][]) {
      row.push(x + wx, wy, height(x + wx) + radius, ...about("y", x / radius));
    }
    for (let j = 0; j < 4; j++) row.push(0, 0, -3000 - 200 * Math.sin(5 * time + j));
    for (let j = 0; j < 4; j++) row.push(3200 + 200 * Math.sin(5 * time + j), -2900);
    wheelAt.forEach(([wx, wy], j) =>
      row.push(x + wx!, wy!, height(x + wx!), 400, 0, 3200 + 200 * Math.sin(5 * time + j)),
    );
    motion.set(row, k * stride);
  }
  return { scene, motion, signals: null, certificate: { verdict: { grade: "doubtful", reasons: ["The energy balance is 0.02."] } } };
}

/** `count` small bodies that sway and turn, each a box with a link. */
export function field(count: number, frames = 121): Results {
  const side = Math.ceil(Math.sqrt(count));
  const scene: Record<string, any> = {
    ...common("field", `${count} bodies`),
    bodies: [
      { name: "ground", mass: 0, shapes: [] },
      ...Array.from({ length: count }, (_, k) => ({
        name: `part ${k + 1}`, mass: 1,
        shapes: [
          { type: "box", at: [0, 0, 0], rotation: [1, 0, 0, 0], size: [0.5, 0.3, 0.2] },
          { type: "link", at: [0, 0, 0.35], rotation: [1, 0, 0, 0], radius: 0.06, length: 0.5 },
        ],
      })),
    ],
    joints: Array.from({ length: count }, (_, k) => ({
      name: `joint ${k + 1}`, type: "revolute", body1: 0, body2: k + 1,
      at1: [k % side, Math.floor(k / side), 0.6], at2: [0, 0, 0], axis1: [0, 0, 1], axis2: [0, 0, 1],
    })),
    forces: [],
  };
  const rate = 60;
  const stride = layout(scene, frames, rate);
  const motion = new Float32Array(frames * stride);
  for (let f = 0; f < frames; f++) {
    const time = f / rate;
    motion[f * stride] = time;
    for (let k = 0; k < count; k++) {
      const angle = time * (1 + (k % 7)) + k;
      motion.set(
        [k % side, Math.floor(k / side), 0.6 + 0.2 * Math.sin(angle), ...about("z", angle)],
        f * stride + 1 + 7 * k,
      );
      motion[f * stride + 1 + 7 * count + 3 * k + 2] = 10;
    }
  }
  return { scene, motion, signals: null, certificate: null };
}
