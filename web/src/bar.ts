// The bar that adds up: parts of a time along one axis from zero to "= the whole". What waits lies low, what works
// stands; the legend lists every part with its figure and picks it in all views.

import type { Bar } from "./data";
import { element, mark, name, visible } from "./dom";
import { with_unit } from "./numbers";

const width = 1096;
const height = 56;

function share(value: number, whole: number): string {
  return whole > 0 ? `${((100 * value) / whole).toFixed(1)}\u00a0%` : "–";
}

export function draw_bar(bar: Bar, pick: (kind: string) => void): HTMLElement {
  const total = bar.parts.reduce((sum, part) => sum + Math.max(0, part.value), 0);
  const drawn = mark("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", preserveAspectRatio: "none" });
  drawn.setAttribute("aria-label", `${bar.title}: ${bar.whole_label}`);
  const legend = element("ul", { class: "legend" });
  let left = 0;
  for (const part of bar.parts) {
    const long = total > 0 ? (width * Math.max(0, part.value)) / total : 0;
    const waits = part.kind.startsWith("wait-");
    const text = `${visible(part.label)}: ${with_unit(part.value, "_us")}, ${share(part.value, bar.whole)}`;
    const block = mark(
      "rect",
      {
        x: left,
        y: waits ? height - 16 : 0,
        width: Math.max(0, long - (long > 2 ? 1 : 0)),
        height: waits ? 16 : height,
        class: `fill-${part.kind}`,
        "data-kind": part.label,
      },
      mark("title", {}, text),
    );
    block.addEventListener("click", () => pick(part.label));
    drawn.append(block);
    left += long;
    const entry = element(
      "button",
      { type: "button", "data-kind": part.label },
      element("span", { class: `swatch back-${part.kind}`, "aria-hidden": "true" }),
      name(part.label),
      element("b", { "data-exact": String(part.value), title: `${part.value} µs` }, with_unit(part.value, "_us")),
      element("i", {}, share(part.value, bar.whole)),
    );
    entry.addEventListener("click", () => pick(part.label));
    legend.append(element("li", {}, entry));
  }
  return element(
    "figure",
    { class: "sum" },
    element("figcaption", {}, bar.title),
    drawn,
    element("p", { class: "whole", "data-exact": String(bar.whole), title: `${bar.whole} µs` }, bar.whole_label),
    legend,
  );
}
