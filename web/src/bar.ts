// The bar that adds up: parts of a time along one axis from zero to "= the whole". What waits lies low, what works
// stands; the legend lists every part with its figure and picks it in all views.

import type { Bar } from "./data";
import { element, fitted, label, mark, name, visible } from "./dom";
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

function draw_row(bar: Bar, longest: number, left: number, right: number, y: number, pick: (kind: string) => void): SVGElement[] {
  const tall = 24;
  const x = (value: number) => left + (longest > 0 ? (value / longest) * (right - left) : 0);
  let sum = 0;
  return bar.parts.flatMap((part) => {
    const from = x(sum);
    sum += Math.max(0, part.value);
    const wide = x(sum) - from;
    if (wide <= 0) return [];
    const waits = part.kind.startsWith("wait-");
    const words = `${visible(bar.title)}, ${visible(part.label)}: ${with_unit(part.value, "_us")}, ${share(part.value, bar.whole)}`;
    const block = mark("rect", { x: from, y: waits ? y + tall - 10 : y, width: Math.max(0.5, wide - (wide > 2 ? 1 : 0)), height: waits ? 10 : tall, class: `fill-${part.kind}`, "data-kind": part.label, "data-exact": part.value }, mark("title", {}, words));
    block.addEventListener("click", () => pick(part.label));
    const has_room = (text: string) => wide > 7 * text.length + 10;
    const inside = [`${visible(part.label)} ${share(part.value, bar.whole)}`, share(part.value, bar.whole)].find(has_room);
    return waits || inside === undefined ? [block] : [block, mark("text", { x: from + 6, y: y + 16, class: `inside text-${part.kind}` }, inside)];
  });
}

/** Bars of one kind below each other on one scale, with one legend: devices of a pipeline. */
export function draw_bars(bars: Bar[], how: string, pick: (kind: string) => void): HTMLElement {
  const longest = bars.reduce((most, bar) => Math.max(most, bar.whole), 0);
  const draw = (width: number) => {
    const above = width < 700; // names stand above their rows on a phone
    const left = above ? 0 : 236;
    const line = above ? 52 : 34;
    const drawn = mark("svg", { viewBox: `0 0 ${width} ${line * bars.length}`, role: "img" });
    drawn.setAttribute("aria-label", bars.map((bar) => `${visible(bar.title)} ${bar.parts.map((part) => `${visible(part.label)} ${share(part.value, bar.whole)}`).join(", ")}, ${visible(bar.whole_label)}`).join("; "));
    bars.forEach((bar, place) => {
      const y = place * line + (above ? 20 : 4);
      const busy = bar.parts.find((part) => part.kind === "busy");
      const words = busy ? `${share(busy.value, bar.whole)} busy` : "";
      drawn.append(label(0, above ? y - 6 : y + 16, "start", bar.title, above ? 240 : 140, "mark-text"), label(above ? width : 226, above ? y - 6 : y + 16, "end", words, Infinity, "axis-text"));
      const row = mark("g", { "data-device": bar.title }, ...draw_row(bar, longest, left, width, y, pick));
      drawn.append(row);
    });
    return drawn;
  };
  const legend = element("ul", { class: "kinds" });
  const seen = new Map<string, { kind: string; any: boolean }>();
  for (const part of bars.flatMap((bar) => bar.parts)) {
    const before = seen.get(part.label);
    seen.set(part.label, { kind: part.kind, any: part.value > 0 || (before?.any ?? false) });
  }
  for (const [words, { kind, any }] of seen) {
    if (!any) continue;
    const button = element("button", { type: "button", "data-kind": words, "aria-pressed": "false" }, element("span", { class: `swatch back-${kind}`, "aria-hidden": "true" }), name(words));
    button.addEventListener("click", () => pick(words));
    legend.append(element("li", {}, button));
  }
  const absent = [...seen].filter(([, { any }]) => !any).map(([words]) => words);
  return element("figure", { class: "bars" }, element("figcaption", {}, how), fitted(draw), legend, absent.length ? element("p", { class: "how" }, `None of them: ${absent.join(", ")}.`) : null);
}
