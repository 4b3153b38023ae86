// All bodies of one run, drawn with one call for each geometry (instancing). Each frame writes the
// matrices of the parts straight into the buffers: body pose times local map, nothing is allocated.

import {
  BufferGeometry, Color, DynamicDrawUsage, InstancedMesh, MeshStandardMaterial, Object3D,
  type Intersection, type Raycaster,
} from "three";
import type { Scene } from "./data.ts";
import { affineOf, geometryOf, partsOf, cornersOf, type Part } from "./shapes.ts";

interface Batch {
  mesh: InstancedMesh;
  bodies: Int32Array; // of each instance
  locals: Float64Array; // 12 for each instance
  colors: Color[];
}

export interface Look {
  ghost: boolean;
  shadows: boolean;
  budget: number; // of triangles for round parts
}

export class Bodies {
  readonly root = new Object3D();
  readonly parts: number;
  private batches: Batch[] = [];
  private geometries = new Map<string, BufferGeometry>();
  private visible: Uint8Array;
  private corners: Float64Array[];
  private rotation = new Float64Array(9);

  constructor(scene: Scene, look: Look) {
    this.visible = new Uint8Array(scene.bodies.length).fill(1);
    const groups = new Map<string, Part[]>();
    let count = 0;
    const all = scene.bodies.map((body, index) =>
      body.shapes.flatMap((shape) => partsOf(shape, index)),
    );
    // One call for each geometry; what can be seen through is apart.
    for (const part of all.flat()) {
      const name = part.opacity < 1 ? `${part.key}|${part.opacity}` : part.key;
      const group = groups.get(name);
      if (group) group.push(part);
      else groups.set(name, [part]);
      count++;
    }
    this.parts = count;
    const fine = segmentsFor(count, look.budget);
    for (const [{ key }] of groups.values() as Iterable<[Part]>) {
      if (!this.geometries.has(key)) this.geometries.set(key, geometryOf(key, scene, fine));
    }
    this.corners = all.map((parts) => cornersOf(parts, (key) => this.geometries.get(key)!));
    for (const parts of groups.values()) this.batches.push(this.batch(parts[0]!, parts, look));
  }

  private batch({ key, opacity }: Part, parts: Part[], look: Look): Batch {
    const material = new MeshStandardMaterial({
      roughness: 0.62,
      metalness: 0.08,
      vertexColors: key === "wheel",
      side: key.startsWith("mesh") || key.startsWith("extrusion") || key === "wheel" ? 2 : 0,
    });
    const isGlass = opacity < 1 || look.ghost;
    if (isGlass) {
      material.transparent = true;
      material.opacity = look.ghost ? 0.28 : opacity;
      material.depthWrite = false;
    }
    if (look.ghost) {
      // Where both runs agree the first one hides the second, without flicker.
      material.polygonOffset = true;
      material.polygonOffsetFactor = 2;
      material.polygonOffsetUnits = 4;
    }
    const mesh = new InstancedMesh(this.geometries.get(key)!, material, parts.length);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.castShadow = look.shadows && !isGlass;
    mesh.receiveShadow = mesh.castShadow;
    if (isGlass) mesh.renderOrder = 2;
    const colors = parts.map((part) => new Color(look.ghost ? "#8a93a6" : part.color));
    colors.forEach((color, index) => mesh.setColorAt(index, color));
    this.root.add(mesh);
    return {
      mesh,
      bodies: Int32Array.from(parts, (part) => part.body),
      locals: Float64Array.from(parts.flatMap((part) => affineOf(part.local))),
      colors,
    };
  }

  /** How far a body reaches from its center of mass. */
  reach(body: number): number {
    const corners = this.corners[body]!;
    let reach = 0;
    for (let k = 0; k < corners.length; k += 3) {
      reach = Math.max(reach, Math.hypot(corners[k]!, corners[k + 1]!, corners[k + 2]!));
    }
    return reach;
  }

  /** Corners of the box around a body, in its frame. */
  box(body: number): Float64Array {
    return this.corners[body]!;
  }

  isVisible(body: number): boolean {
    return this.visible[body] === 1;
  }

  setVisible(body: number, visible: boolean): void {
    this.visible[body] = visible ? 1 : 0;
  }

  /** Mixes the color of one body (or none, -1) with `color`. */
  highlight(body: number, color: Color): void {
    const mixed = new Color();
    for (const { mesh, bodies, colors } of this.batches) {
      bodies.forEach((owner, index) => {
        mixed.copy(colors[index]!);
        if (owner === body) mixed.lerp(color, 0.75);
        mesh.setColorAt(index, mixed);
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  /** Puts every part where the poses say. */
  update(poses: Float64Array): void {
    for (const { mesh, bodies, locals } of this.batches) {
      const out = mesh.instanceMatrix.array as Float32Array;
      let current = -1;
      for (let k = 0; k < bodies.length; k++) {
        const body = bodies[k]!;
        if (this.visible[body] === 0) {
          out.fill(0, 16 * k, 16 * k + 15);
          out[16 * k + 15] = 1;
          continue;
        }
        if (body !== current) {
          current = body;
          rotationMatrix(poses, 7 * body + 3, this.rotation);
        }
        multiply(this.rotation, poses, 7 * body, locals, 12 * k, out, 16 * k);
      }
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // otherwise the raycaster keeps the first one
    }
  }

  /** The nearest body under the ray. */
  /** `first`: bodies before this one are looked through. */
  pick(ray: Raycaster, first = 0): { body: number; hit: Intersection } | null {
    let best: { body: number; hit: Intersection } | null = null;
    for (const { mesh, bodies } of this.batches) {
      const hits = ray.intersectObject(mesh, false);
      const hit = hits.find(({ instanceId }) => instanceId !== undefined && bodies[instanceId]! >= first);
      if (!hit || hit.instanceId === undefined) continue;
      const body = bodies[hit.instanceId]!;
      if (this.visible[body] === 1 && (!best || hit.distance < best.hit.distance)) {
        best = { body, hit };
      }
    }
    return best;
  }
}

/** Segments of a circle, so that this many round parts stay within a number of triangles. */
export function segmentsFor(parts: number, budget: number): number {
  // A half sphere of n segments has about n n / 2 triangles, a tube 2 n.
  return [32, 24, 16, 12, 8].find((n) => parts * (n * n) * 0.4 < budget) ?? 6;
}

function rotationMatrix(e: Float64Array, o: number, m: Float64Array): void {
  const [w, x, y, z] = [e[o]!, e[o + 1]!, e[o + 2]!, e[o + 3]!];
  m[0] = 1 - 2 * (y * y + z * z);
  m[1] = 2 * (x * y - w * z);
  m[2] = 2 * (x * z + w * y);
  m[3] = 2 * (x * y + w * z);
  m[4] = 1 - 2 * (x * x + z * z);
  m[5] = 2 * (y * z - w * x);
  m[6] = 2 * (x * z - w * y);
  m[7] = 2 * (y * z + w * x);
  m[8] = 1 - 2 * (x * x + y * y);
}

// out (4x4 by columns) = pose * local (3x3 by rows, then offset).
function multiply(
  m: Float64Array, r: Float64Array, ro: number, l: Float64Array, lo: number,
  out: Float32Array, oo: number,
): void {
  for (let i = 0; i < 3; i++) {
    const a = m[3 * i]!;
    const b = m[3 * i + 1]!;
    const c = m[3 * i + 2]!;
    out[oo + i] = a * l[lo]! + b * l[lo + 3]! + c * l[lo + 6]!;
    out[oo + 4 + i] = a * l[lo + 1]! + b * l[lo + 4]! + c * l[lo + 7]!;
    out[oo + 8 + i] = a * l[lo + 2]! + b * l[lo + 5]! + c * l[lo + 8]!;
    out[oo + 12 + i] = a * l[lo + 9]! + b * l[lo + 10]! + c * l[lo + 11]! + r[ro + i]!;
  }
  out[oo + 3] = 0;
  out[oo + 7] = 0;
  out[oo + 11] = 0;
  out[oo + 15] = 1;
}
