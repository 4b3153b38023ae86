// The ground below the model: an endless grid that fades with distance, shadows, and roads as strips
// with their profile. Purely for the eye; contact is the business of the solver.

import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, LineBasicMaterial, LineSegments, Mesh,
  MeshStandardMaterial, Object3D, PlaneGeometry, Quaternion, ShaderMaterial, ShadowMaterial, Vector3,
} from "three";
import type { Road } from "./data.ts";

const VERTEX = `
uniform float reach;
varying vec2 ground;
void main() {
  ground = position.xy * reach;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(ground, 0.0, 1.0);
}`;
// Lines one pixel wide at every distance: distance to the next line over its screen derivative.
const FRAGMENT = `
uniform vec3 color;
uniform vec2 offset;
uniform float cell;
uniform float reach;
uniform float facing;
varying vec2 ground;
float lines(vec2 at) {
  vec2 width = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-6));
  // Cells smaller than a few pixels fade instead of flickering.
  float dense = smoothstep(0.2, 0.6, max(width.x, width.y));
  return (1.0 - min(min(near.x, near.y), 1.0)) * (1.0 - dense);
}
void main() {
  vec2 at = (ground + offset) / cell;
  float strength = max(0.4 * lines(at), lines(at / 10.0));
  float fade = 1.0 - smoothstep(0.1, 1.0, length(ground) / reach);
  float alpha = strength * fade * facing * 0.45;
  if (alpha < 0.004) discard;
  gl_FragColor = vec4(color, alpha);
}`;

/** 1, 2 or 5 times a power of ten, near `value`. */
export function roundCell(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-12)));
  const digit = value / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

export class Ground {
  readonly root = new Object3D();
  readonly cell: number;
  private grid: Mesh<PlaneGeometry, ShaderMaterial>;
  private shadow: Mesh<PlaneGeometry, ShadowMaterial>;
  private up: Vector3;
  private level: number;
  private turn: Quaternion;

  constructor(up: Vector3, level: number, extent: number) {
    this.up = up;
    this.level = level;
    this.cell = roundCell(extent / 5);
    this.turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up);
    this.grid = new Mesh(
      new PlaneGeometry(2, 2),
      new ShaderMaterial({
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        transparent: true,
        depthWrite: false,
        side: DoubleSide,
        uniforms: {
          color: { value: new Color() },
          offset: { value: [0, 0] },
          cell: { value: this.cell },
          reach: { value: 1 },
          facing: { value: 1 },
        },
      }),
    );
    this.shadow = new Mesh(new PlaneGeometry(2, 2), new ShadowMaterial({ opacity: 0.16, depthWrite: false }));
    this.shadow.receiveShadow = true;
    for (const mesh of [this.grid, this.shadow]) {
      mesh.quaternion.copy(this.turn);
      mesh.frustumCulled = false;
      this.root.add(mesh);
    }
    this.grid.renderOrder = 1;
  }

  setColor(color: string, shadow: number): void {
    (this.grid.material.uniforms.color!.value as Color).set(color);
    this.shadow.material.opacity = shadow;
  }

  set visible(visible: boolean) {
    this.grid.visible = visible;
  }
  get visible(): boolean {
    return this.grid.visible;
  }

  /** Keeps the grid under the point of view. */
  update(target: Vector3, span: number, direction: Vector3): void {
    const reach = 12 * span;
    const below = target.clone().addScaledVector(this.up, this.level - target.dot(this.up));
    this.grid.position.copy(below);
    const uniforms = this.grid.material.uniforms;
    uniforms.reach!.value = reach;
    // Seen from the edge the lines would pile up.
    uniforms.facing!.value = Math.min(1, 6 * Math.abs(direction.dot(this.up)));
    const local = below.clone().applyQuaternion(this.turn.clone().invert());
    // Whole cells only, so that the shader's numbers stay small far from the origin.
    const decade = 10 * this.cell;
    uniforms.offset!.value = [local.x % decade, local.y % decade];
    this.shadow.position.copy(below).addScaledVector(this.up, -1e-4 * span);
    this.shadow.scale.setScalar(6 * span);
  }
}

/** Lowest and highest point of all roads along their normal. */
export function roadRange(roads: Road[]): [number, number] | null {
  const heights = roads.flatMap((road) => road.profile.map(([, z]) => z));
  return heights.length > 0 ? [Math.min(...heights), Math.max(...heights)] : null;
}

const alongOf = (road: Road, out: Vector3): Vector3 =>
  Math.abs(road.up[0]) > 0.9 ? out.set(0, 1, 0) : out.set(1, 0, 0);

export class Roads {
  readonly root = new Object3D();
  private surface = new MeshStandardMaterial({
    roughness: 0.95, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
  private edge = new LineBasicMaterial();
  private roads: Road[];
  private strips: Object3D[];

  constructor(roads: Road[], depth: number) {
    this.roads = roads;
    this.strips = roads.map((road) => new Object3D().add(...this.strip(road, depth)));
    if (this.strips.length > 0) this.root.add(...this.strips);
  }

  /** A road may move along x, as under a model that stays in place. */
  update(time: number): void {
    this.roads.forEach((road, k) => alongOf(road, this.strips[k]!.position).multiplyScalar(road.speed * time));
  }

  setColors(surface: string, edge: string): void {
    this.surface.color.set(surface);
    this.edge.color.set(edge);
  }

  // The top, and walls on both sides down to `depth` under the lowest point.
  private strip(road: Road, depth: number): Object3D[] {
    const up = new Vector3(...road.up);
    const along = alongOf(road, new Vector3());
    const across = new Vector3().crossVectors(up, along);
    const point = (x: number, z: number, side: number) =>
      new Vector3()
        .addScaledVector(along, x)
        .addScaledVector(up, z)
        .addScaledVector(across, road.y + (side * road.width) / 2);
    const base = Math.min(...road.profile.map(([, z]) => z)) - depth;
    const faces: number[] = [];
    const edges: number[] = [];
    const quad = (a: Vector3, b: Vector3, c: Vector3, d: Vector3) => {
      for (const corner of [a, b, c, a, c, d]) faces.push(...corner.toArray());
    };
    for (let k = 0; k + 1 < road.profile.length; k++) {
      const [x0, z0] = road.profile[k]!;
      const [x1, z1] = road.profile[k + 1]!;
      quad(point(x0, z0, -1), point(x1, z1, -1), point(x1, z1, 1), point(x0, z0, 1));
      for (const side of [-1, 1]) {
        quad(point(x0, base, side), point(x1, base, side), point(x1, z1, side), point(x0, z0, side));
        edges.push(...point(x0, z0, side).toArray(), ...point(x1, z1, side).toArray());
      }
      // A line across where the slope changes: stairs and corners are visible from above too.
      const before = k > 0 ? road.profile[k - 1]! : null;
      const slope = (z1 - z0) / Math.max(1e-9, x1 - x0);
      const last = before ? (z0 - before[1]) / Math.max(1e-9, x0 - before[0]) : slope;
      if (Math.abs(Math.atan(slope) - Math.atan(last)) > 0.15) {
        edges.push(...point(x0, z0, -1).toArray(), ...point(x0, z0, 1).toArray());
      }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(faces), 3));
    geometry.computeVertexNormals();
    const mesh = new Mesh(geometry, this.surface);
    mesh.receiveShadow = true;
    const outline = new BufferGeometry();
    outline.setAttribute("position", new BufferAttribute(new Float32Array(edges), 3));
    const line = new LineSegments(outline, this.edge);
    return [mesh, line];
  }
}
