// Shapes of bodies as parts: a geometry of unit size that many parts share, and an affine map that
// stretches and places it in the body frame. A capsule is a tube and two half spheres, so
// that a few geometries serve any number of bodies and each is drawn in one call.

import {
  Box3, BoxGeometry, BufferAttribute, BufferGeometry, CylinderGeometry, ExtrudeGeometry,
  LatheGeometry, Matrix3, Matrix4, Quaternion, Shape as Outline, SphereGeometry, Vector2, Vector3,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Mesh, Scene, Shape } from "./data.ts";

/** Parts with the same key share one geometry. */
export interface Part {
  key: string;
  body: number;
  local: Matrix4;
  color: string;
  opacity: number;
}

/** Muted colors, distinct in hue and lightness; bodies without a color take them in turn. */
export const PALETTE = [
  "#5b8db8", "#d9a05b", "#6fa287", "#b5738f", "#8d84bd", "#c2785c", "#5fa3a6", "#a79a63",
];
const GROUND = "#9aa0a6";

export const colorOf = (shape: Shape, body: number): string =>
  shape.color ?? (body === 0 ? GROUND : PALETTE[(body - 1) % PALETTE.length]!);

function place(shape: Shape, offset: Vector3, scale: Vector3): Matrix4 {
  const [e0, e1, e2, e3] = shape.rotation;
  const rotation = new Quaternion(e1, e2, e3, e0);
  const at = new Vector3(...shape.at).add(offset.clone().applyQuaternion(rotation));
  return new Matrix4().compose(at, rotation, scale);
}

/** The parts of one shape. */
export function partsOf(shape: Shape, body: number): Part[] {
  const color = colorOf(shape, body);
  const centre = new Vector3();
  const part = (key: string, scale: Vector3, offset = centre): Part => ({
    key, body, color, opacity: shape.opacity, local: place(shape, offset, scale),
  });
  switch (shape.type) {
    case "box":
      return [part("box", new Vector3(...shape.size))];
    case "cylinder":
      return [part("cylinder", new Vector3(shape.radius, shape.radius, shape.length))];
    case "capsule":
    case "link": {
      const r = shape.radius;
      const ball = new Vector3(r, r, r);
      if (shape.length === 0) return [part("sphere", ball)];
      return [
        part("tube", new Vector3(r, r, shape.length)),
        part("cap", ball, new Vector3(0, 0, shape.length / 2)),
        part("under", ball, new Vector3(0, 0, -shape.length / 2)),
      ];
    }
    case "sphere":
      return [part("sphere", new Vector3(shape.radius, shape.radius, shape.radius))];
    case "wheel":
      return [part("wheel", new Vector3(shape.radius, shape.radius, shape.width))];
    case "extrusion":
      return [part(`extrusion ${JSON.stringify(shape.profile)}`, new Vector3(1, 1, shape.length))];
    case "mesh":
      return [part(`mesh ${shape.mesh}`, new Vector3(1, 1, 1))];
  }
}

/** The geometry behind a key. `fine` is the number of segments of a circle. */
export function geometryOf(key: string, scene: Scene, fine: number): BufferGeometry {
  if (key === "box") return new BoxGeometry(1, 1, 1);
  if (key === "cylinder") return new CylinderGeometry(1, 1, 1, fine).rotateX(Math.PI / 2);
  if (key === "tube") return new CylinderGeometry(1, 1, 1, fine, 1, true).rotateX(Math.PI / 2);
  if (key === "cap" || key === "under") {
    const half = new SphereGeometry(1, fine, Math.max(2, fine >> 2), 0, 2 * Math.PI, 0, Math.PI / 2);
    return half.rotateX(key === "cap" ? Math.PI / 2 : -Math.PI / 2);
  }
  if (key === "sphere") return new SphereGeometry(1, fine, Math.max(4, fine >> 1));
  if (key === "wheel") return wheel(fine);
  if (key.startsWith("extrusion ")) {
    const profile = JSON.parse(key.slice(10)) as [number, number][];
    const outline = new Outline(profile.map(([x, y]) => new Vector2(x, y)));
    return new ExtrudeGeometry(outline, { depth: 1, bevelEnabled: false }).translate(0, 0, -0.5);
  }
  return triangles(scene.meshes[Number(key.slice(5))]!);
}

function triangles(mesh: Mesh): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(mesh.vertices), 3));
  geometry.setIndex(mesh.triangles);
  // Flat faces: meshes of mechanisms have edges, and smoothed normals would hide them.
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

// Tyre, rim and hub of radius 1 and width 1 about z. The spokes make turning visible.
function wheel(fine: number): BufferGeometry {
  const rim = 0.62;
  const outline = [
    [rim, -0.42], [0.78, -0.5], [0.93, -0.46], [1, -0.3], [1, 0.3], [0.93, 0.46], [0.78, 0.5],
    [rim, 0.42], [rim - 0.05, 0.3], [rim - 0.05, -0.3], [rim, -0.42],
  ] as const;
  const tyre = new LatheGeometry(outline.map(([r, z]) => new Vector2(r, z)), fine).rotateX(
    Math.PI / 2,
  );
  const pieces: BufferGeometry[] = [shade(tyre, 0.42)];
  const disc = new CylinderGeometry(rim - 0.04, rim - 0.04, 0.3, fine).rotateX(Math.PI / 2);
  pieces.push(shade(disc, 1.0));
  for (let k = 0; k < 5; k++) {
    const spoke = new BoxGeometry(rim - 0.1, 0.14, 0.46);
    spoke.translate(rim / 2, 0, 0).rotateZ((2 * Math.PI * k) / 5);
    pieces.push(shade(spoke, 2.1));
  }
  pieces.push(shade(new CylinderGeometry(0.17, 0.17, 0.6, fine).rotateX(Math.PI / 2), 2.1));
  return mergeGeometries(pieces.map((piece) => (piece.index ? piece.toNonIndexed() : piece)));
}

// Color of all vertices, a factor on the color of the part.
function shade(geometry: BufferGeometry, factor: number): BufferGeometry {
  const count = geometry.getAttribute("position").count;
  geometry.setAttribute(
    "color", new BufferAttribute(new Float32Array(3 * count).fill(factor), 3),
  );
  return geometry;
}

/** The corners of the box around all parts of a body, in its frame; empty without parts. */
export function cornersOf(parts: Part[], geometry: (key: string) => BufferGeometry): Float64Array {
  const around = new Box3();
  for (const part of parts) {
    const shape = geometry(part.key);
    if (!shape.boundingBox) shape.computeBoundingBox();
    around.union(shape.boundingBox!.clone().applyMatrix4(part.local));
  }
  if (around.isEmpty()) return new Float64Array(0);
  const { min, max } = around;
  const corners: number[] = [];
  for (const x of [min.x, max.x]) {
    for (const y of [min.y, max.y]) for (const z of [min.z, max.z]) corners.push(x, y, z);
  }
  return Float64Array.from(corners);
}

/** The map of a part as numbers the hot loop can use: 3x3 by rows, then the offset. */
export function affineOf(local: Matrix4): number[] {
  const linear = new Matrix3().setFromMatrix4(local).transpose().elements;
  const e = local.elements;
  return [...linear, e[12]!, e[13]!, e[14]!];
}
