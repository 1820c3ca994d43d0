// A sweep: a small panel per stage on one logarithmic scale, a dot per measured size and unit, and the line of the law that
// takt fits to them (src/report/results/sweep_points.h): where they part, the law misses.

import { framed, logarithmic, picture } from "./axis";
import type { Point } from "./data";
import { element, fitted, label, mark, name, visible } from "./dom";
import { with_unit } from "./numbers";
import { kinds_of_units } from "./plan_text";

const panels_at_most = 24;

function draw_panel(points: Point[], title: string, kinds: Map<string, string>, x_of: (value: number) => number, y_of: (value: number) => number, tall: number, wide: number): SVGElement {
  const panel = mark("g", { "data-stage": title }, label(0, 12, "start", title, wide, "mark-text strong"));
  panel.append(mark("line", { x1: 0, x2: wide, y1: tall, y2: tall, class: "axis" }));
  for (const [unit, kind] of kinds) {
    const own = points.filter((point) => point.unit === unit).sort((a, b) => a.size - b.size);
    for (const point of own) {
      const words = `${visible(point.unit)}, ${point.nodes} nodes, ${point.edges} edges: ${with_unit(point.measured, "_us")}${point.law === null ? "" : `; law ${with_unit(point.law, "_us")} (${with_unit(point.law_low, "_us")} to ${with_unit(point.law_high, "_us")})`}`;
      const x = x_of(point.size);
      if (point.law_low !== null && point.law_high !== null && point.law_low > 0) panel.append(mark("line", { x1: x, x2: x, y1: y_of(point.law_low), y2: y_of(point.law_high), class: "interval thin" }));
      if (point.law !== null && point.law > 0) panel.append(mark("circle", { cx: x, cy: y_of(point.law), r: 4.5, class: `ring stroke-${kind}` }));
      if (point.measured > 0) panel.append(mark("circle", { cx: x, cy: y_of(point.measured), r: 2.5, class: `fill-${kind}`, "data-exact": point.measured }, mark("title", {}, words)));
    }
  }
  return panel;
}

export function draw_sweep(points: Point[]): HTMLElement | null {
  const positive = points.filter((point) => point.measured > 0 && point.size > 0);
  if (positive.length < 3) return null;
  const kinds = kinds_of_units([...new Set(positive.map((point) => point.unit))]);
  const stages = [...new Set(positive.map((point) => point.stage))].slice(0, panels_at_most);
  const draw = (width: number) => {
    const in_a_line = Math.min(stages.length, width < 700 ? 2 : 7);
    const wide = (width - 64) / in_a_line - 14;
    const tall = 150;
    const lines = Math.ceil(stages.length / in_a_line);
    const drawn = picture(width, lines * (tall + 36), `${positive.length} measured sizes of ${stages.length} stages; the table measurements has the figures.`);
    const times = positive.flatMap((point) => [point.measured, point.law ?? 0]).filter((one) => one > 0);
    const y = logarithmic(times, tall, 22);
    const x = logarithmic(positive.map((point) => point.size), 6, wide - 6);
    for (let at = 0; at < lines; ++at)
      for (const tick of y.ticks) {
        const height = at * (tall + 36) + y.at(tick);
        drawn.append(mark("line", { x1: 60, x2: width, y1: height, y2: height, class: "grid" }), label(54, height + 4, "end", with_unit(tick, "_us"), Infinity, "axis-text"));
      }
    stages.forEach((stage, place) => {
      const left = 64 + (place % in_a_line) * (wide + 14);
      const top = Math.floor(place / in_a_line) * (tall + 36);
      const panel = draw_panel(positive.filter((point) => point.stage === stage), stage, kinds, x.at, y.at, tall, wide);
      panel.setAttribute("transform", `translate(${left} ${top})`);
      const first = x.ticks[0] ?? 1;
      const last = x.ticks[x.ticks.length - 1] ?? 1;
      panel.append(label(6, tall + 15, "start", short(first), Infinity, "axis-text"), label(wide - 6, tall + 15, "end", short(last), Infinity, "axis-text"));
      drawn.append(panel);
    });
    return drawn;
  };
  const legend = element("ul", { class: "kinds" });
  for (const [unit, kind] of kinds) legend.append(element("li", {}, element("span", { class: `swatch back-${kind}`, "aria-hidden": "true" }), name(unit)));
  return framed("sweep", "Mean time of a stage by nodes and edges together, both logarithmic, one scale for all stages. A dot is a measured size; the ring around it is the fitted law with its 90 % interval: where they part, the law misses.", fitted(draw), legend);
}

const short = (value: number) => (value >= 1e6 ? `${value / 1e6}\u00a0M` : value >= 1e3 ? `${value / 1e3}\u00a0k` : String(value));
