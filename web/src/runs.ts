// The runs: each as a dot in the order taken, and the same counted on the same axis, with the percentiles that the result
// has of them.

import { element, fitted, mark } from "./dom";
import { with_unit } from "./numbers";

const height = 150;
const bins = 40;

export interface Mark {
  label: string;
  value: number;
}

/** Lines across the figure; a label that would lie on another moves up. */
function draw_marks(marks: Mark[], width: number, up: (value: number) => number): SVGElement[] {
  let free = Infinity;
  return [...marks]
    .sort((a, b) => a.value - b.value)
    .flatMap(({ label, value }) => {
      const y = up(value);
      const text_y = Math.min(y - 3, free);
      free = text_y - 13;
      const line = mark("line", { x1: 0, x2: width, y1: y, y2: y, class: "mark-line", "data-mark": label });
      return [line, mark("text", { x: width, y: text_y, "text-anchor": "end", class: "mark-text" }, `${label} ${with_unit(value, "_us")}`)];
    });
}

function draw(runs: number[], marks: Mark[], low: number, high: number, width: number): SVGElement {
  const dots_end = width * 0.7;
  const up = (run: number) => height - 10 - (high > low ? ((run - low) / (high - low)) * (height - 20) : height / 2 - 10);
  const drawn = mark("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
  drawn.setAttribute("aria-label", `${runs.length} runs, from ${with_unit(low, "_us")} to ${with_unit(high, "_us")}`);
  const counts = new Array<number>(bins).fill(0);
  runs.forEach((run, place) => {
    const bin = high > low ? Math.min(bins - 1, Math.floor(((run - low) / (high - low)) * bins)) : bins >> 1;
    counts[bin] = (counts[bin] ?? 0) + 1;
    if (runs.length > 2000 && place % Math.ceil(runs.length / 2000) !== 0) return;
    const x = 4 + (place / runs.length) * (dots_end - 8);
    drawn.append(mark("circle", { cx: x, cy: up(run), r: 2.5, class: "dot" }, mark("title", {}, with_unit(run, "_us"))));
  });
  const most = Math.max(...counts);
  counts.forEach((count, bin) => {
    if (count === 0) return;
    const y = height - 10 - ((bin + 1) / bins) * (height - 20);
    const long = (count / most) * (width - dots_end - 20);
    const bar = { x: dots_end + 20, y, width: long, height: (height - 20) / bins - 0.5, class: "dot" };
    drawn.append(mark("rect", bar, mark("title", {}, `${count} runs`)));
  });
  drawn.append(...draw_marks(marks, width, up));
  return drawn;
}

export function draw_runs(runs: number[], marks: Mark[]): HTMLElement {
  if (runs.length < 3) {
    const list = runs.map((run) => with_unit(run, "_us")).join(", ");
    return element("p", {}, `Runs were timed ${runs.length} times: ${list}.`);
  }
  const low = runs.reduce((least, run) => Math.min(least, run), Infinity);
  const high = runs.reduce((most, run) => Math.max(most, run), 0);
  const range = `${with_unit(low, "_us")} below to ${with_unit(high, "_us")} above`;
  const every = runs.length > 2000 ? ` Of the dots every ${Math.ceil(runs.length / 2000)}th is drawn; all are counted.` : "";
  return element(
    "figure",
    { class: "runs", "data-runs": String(runs.length) },
    fitted((width) => draw(runs, marks, low, high, width)),
    element("figcaption", {}, `Left: ${runs.length} runs in the order taken, ${range}. Right: how many took as long.${every}`),
  );
}
