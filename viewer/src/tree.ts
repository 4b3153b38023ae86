// The list of all bodies, joints and forces: search, choose, show and hide. Of very long lists only
// the first rows are made; the search finds the others.

import { h } from "./dom.ts";
import type { Scene } from "./data.ts";
import type { Chosen, Kind } from "./pick.ts";

const ROWS = 250;

export interface Item {
  kind: Kind;
  index: number;
  name: string;
  type: string;
  note: string;
}

export function itemsOf(scene: Scene): Item[] {
  return [
    ...scene.bodies.map((body, index): Item => ({
      kind: "body", index, name: body.name, type: "body", note: index === 0 ? "fixed" : `${body.mass} kg`,
    })),
    ...scene.joints.map(({ name, type }, index): Item => ({
      kind: "joint", index, name, type, note: type,
    })),
    ...scene.forces.map(({ name, type }, index): Item => ({
      kind: "force", index, name, type, note: type,
    })),
  ];
}

/** Items with every word of the query in name or type. */
export function filterItems(items: Item[], query: string): Item[] {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return items.filter((item) => {
    const text = `${item.name} ${item.type}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export interface TreeActions {
  choose: (chosen: Chosen | null) => void;
  isVisible: (kind: Kind, index: number) => boolean;
  setVisible: (kind: Kind, indices: number[], visible: boolean) => void;
}

const TITLES: [Kind, string][] = [["body", "Bodies"], ["joint", "Joints"], ["force", "Forces"]];

export class Tree {
  private items: Item[];
  private actions: TreeActions;
  private list = h("div", { class: "groups" });
  private search: HTMLInputElement;
  private chosen: Chosen | null = null;
  private closed = new Set<Kind>();

  constructor(holder: HTMLElement, scene: Scene, actions: TreeActions) {
    this.items = itemsOf(scene);
    this.actions = actions;
    this.search = h("input", {
      type: "search", placeholder: "Search parts", "aria-label": "Search bodies, joints and forces",
      autocomplete: "off", spellcheck: "false",
      input: () => this.fill(),
      keydown: (event) => {
        if ((event as KeyboardEvent).key === "Escape") this.search.blur();
        event.stopPropagation();
      },
    });
    holder.append(h("div", { class: "search" }, this.search), this.list);
    this.fill();
  }

  show(chosen: Chosen | null): void {
    this.chosen = chosen;
    for (const row of this.list.querySelectorAll<HTMLElement>("[data-key]")) {
      const is = row.dataset.key === keyOf(chosen);
      row.classList.toggle("chosen", is);
      if (is) row.scrollIntoView({ block: "nearest" });
    }
  }

  /** Reads visibility again. */
  fill(): void {
    const found = filterItems(this.items, this.search.value);
    this.list.replaceChildren();
    for (const [kind, title] of TITLES) {
      const items = found.filter((item) => item.kind === kind);
      if (items.length > 0) this.list.append(this.group(kind, title, items));
    }
    if (found.length === 0) this.list.append(h("p", { class: "quiet" }, "No part has this name."));
  }

  private group(kind: Kind, title: string, items: Item[]): HTMLElement {
    const visible = items.filter((item) => this.actions.isVisible(kind, item.index)).length;
    const all = h("input", {
      type: "checkbox", "aria-label": `Show these ${title.toLowerCase()}`,
      click: (event) => event.stopPropagation(),
      change: () => {
        this.actions.setVisible(kind, items.map((item) => item.index), all.checked);
        this.fill();
      },
    });
    all.checked = visible === items.length;
    all.indeterminate = visible > 0 && visible < items.length;
    const details = h(
      "details",
      { toggle: () => (details.open ? this.closed.delete(kind) : this.closed.add(kind)) },
      h("summary", {}, all, h("span", {}, title), h("small", {}, String(items.length))),
      h("ul", {}, ...items.slice(0, ROWS).map((item) => this.row(item))),
      items.length > ROWS
        ? h("p", { class: "quiet" }, `${items.length - ROWS} more: search to find them.`)
        : null,
    );
    details.open = !this.closed.has(kind);
    return details;
  }

  private row(item: Item): HTMLElement {
    const box = h("input", {
      type: "checkbox", "aria-label": `Show ${item.name}`,
      change: () => this.actions.setVisible(item.kind, [item.index], box.checked),
    });
    box.checked = this.actions.isVisible(item.kind, item.index);
    const key = keyOf(item);
    return h(
      "li",
      { "data-key": key, class: key === keyOf(this.chosen) ? "chosen" : "" },
      box,
      h(
        "button",
        {
          type: "button",
          click: () => this.actions.choose({ kind: item.kind, index: item.index }),
        },
        h("span", {}, item.name), h("small", {}, item.note),
      ),
    );
  }
}

const keyOf = (chosen: { kind: Kind; index: number } | null): string =>
  chosen ? `${chosen.kind}-${chosen.index}` : "";
