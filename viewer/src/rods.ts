// Many slender things drawn in one call: each instance of a unit geometry (along z from 0 to 1,
// radius 1) is laid from a point along a direction. Joint axes, springs and arrows are made of it.

import {
  BufferGeometry, DynamicDrawUsage, GreaterDepth, InstancedMesh, MeshStandardMaterial, Object3D,
  type ColorRepresentation,
} from "three";

export class Rods {
  readonly root = new Object3D();
  readonly mesh: InstancedMesh;
  private material: MeshStandardMaterial;
  private hidden: MeshStandardMaterial | null = null;

  /** `seeThrough`: how strongly it is shown where a body is in front (true: faintly). */
  constructor(geometry: BufferGeometry, count: number, seeThrough: boolean | number) {
    this.material = new MeshStandardMaterial({ roughness: 0.55, metalness: 0.1 });
    this.mesh = new InstancedMesh(geometry, this.material, Math.max(1, count));
    this.mesh.count = count;
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.root.add(this.mesh);
    if (seeThrough) {
      this.hidden = new MeshStandardMaterial({
        transparent: true, opacity: seeThrough === true ? 0.3 : seeThrough, depthFunc: GreaterDepth, depthWrite: false,
      });
      const behind = new InstancedMesh(geometry, this.hidden, Math.max(1, count));
      behind.count = count;
      behind.instanceMatrix = this.mesh.instanceMatrix;
      behind.frustumCulled = false;
      behind.renderOrder = 3;
      this.root.add(behind);
    }
  }

  setColor(color: ColorRepresentation): void {
    this.material.color.set(color);
    this.hidden?.color.set(color);
  }

  /** From (x, y, z) along the unit vector (dx, dy, dz). */
  set(
    k: number, x: number, y: number, z: number, dx: number, dy: number, dz: number,
    length: number, radius: number,
  ): void {
    const out = this.mesh.instanceMatrix.array as Float32Array;
    const o = 16 * k;
    // Two more directions without a division by zero (sign of z chooses the branch).
    const sign = dz >= 0 ? 1 : -1;
    const a = -1 / (sign + dz);
    const b = dx * dy * a;
    out[o] = radius * (1 + sign * dx * dx * a);
    out[o + 1] = radius * sign * b;
    out[o + 2] = -radius * sign * dx;
    out[o + 3] = 0;
    out[o + 4] = radius * b;
    out[o + 5] = radius * (sign + dy * dy * a);
    out[o + 6] = -radius * dy;
    out[o + 7] = 0;
    out[o + 8] = length * dx;
    out[o + 9] = length * dy;
    out[o + 10] = length * dz;
    out[o + 11] = 0;
    out[o + 12] = x;
    out[o + 13] = y;
    out[o + 14] = z;
    out[o + 15] = 1;
  }

  /** Positions without space are skipped. */
  hide(k: number): void {
    if (k >= this.mesh.count) return;
    const out = this.mesh.instanceMatrix.array as Float32Array;
    out.fill(0, 16 * k, 16 * k + 15);
    out[16 * k + 15] = 1;
  }

  commit(): void {
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}
