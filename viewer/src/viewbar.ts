// The buttons of the views at the lower edge of the picture.

import { h } from "./dom.ts";
import { VIEWS, type ViewName } from "./views.ts";

const LABELS: Record<ViewName, string> = { iso: "Oblique", front: "Front", side: "Side", top: "Top" };

export function viewButtons(holder: HTMLElement, view: (name: ViewName) => void, follow: () => void, isFollowing = false): void {
  VIEWS.forEach((name, index) =>
    holder.append(
      h("button", { type: "button", title: `${LABELS[name]} (${index + 1})`, click: () => view(name) }, LABELS[name]),
    ),
  );
  holder.append(
    h(
      "button",
      {
        type: "button", id: "follow", title: "Follow a body (f)", click: follow, "aria-pressed": String(isFollowing),
      },
      "Follow",
    ),
  );
}
