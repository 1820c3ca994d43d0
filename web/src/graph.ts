// The model's graph, level by level: a column is a level, whose operators read none of each other's results; the shade is the
// time. Levels follow each other in lines, like text. The ink below a cell marks the longest chain.

import { framed, picture } from "./axis";
import type { Steps } from "./data";
import { element, fitted, label, mark, visible } from "./dom";
import { with_unit } from "./numbers";

const most_steps = 1500;
const most_lanes = 12;
const cell = 16;
const pitch = 22; // of levels
const lane_pitch = 23;
const shades = [0.01, 0.02, 0.05, 0.1]; // of the whole: where the next shade begins

interface Place {
  level: number;
  lane: number;
}

/** Operators stay in the lane of what they read, where it is free in their level. null: it has no room for all of its level. */
function places_of(steps: Steps): (Place | null)[] {
  const taken = new Map<number, Set<number>>();
  const places: (Place | null)[] = [];
  steps.level.forEach((level, step) => {
    const lanes = taken.get(level) ?? new Set<number>();
    taken.set(level, lanes);
    const wanted = (steps.reads[step] ?? []).map((read) => places[read]?.lane ?? 0);
    let lane = wanted.find((one) => !lanes.has(one)) ?? 0;
    while (lanes.has(lane)) ++lane;
    lanes.add(lane);
    places.push(lane < most_lanes ? { level, lane } : null);
  });
  return places;
}

/** The levels of a line of text, and how many lanes it has. */
interface Line {
  first: number;
  lanes: number;
  hidden: Map<number, number>; // by level: operators that have no room
  y: number;
  height: number;
}

function lines_of(steps: Steps, places: (Place | null)[], columns: number): Line[] {
  const lines: Line[] = [];
  steps.level.forEach((level, step) => {
    const at = Math.floor(level / columns);
    while (lines.length <= at) lines.push({ first: lines.length * columns, lanes: 1, hidden: new Map(), y: 0, height: 0 });
    const line = lines[at]!;
    const place = places[step];
    if (place) line.lanes = Math.max(line.lanes, place.lane + 1);
    else line.hidden.set(level, (line.hidden.get(level) ?? 0) + 1);
  });
  let y = 0;
  for (const line of lines) {
    line.y = y + 20;
    line.height = line.lanes * lane_pitch + (line.hidden.size ? 14 : 0);
    y = line.y + line.height + 8;
  }
  return lines;
}

const shade_of = (share: number) => shades.filter((limit) => share >= limit).length;

function legend(): HTMLElement {
  const ends = shades.map((limit) => `${limit * 100}`);
  const words = [`under ${ends[0]} %`, ...shades.slice(1).map((_, place) => `${ends[place]} to ${ends[place + 1]} %`), `${ends[ends.length - 1]} % and more`];
  const list = element("ul", { class: "kinds" });
  words.forEach((text, place) => list.append(element("li", {}, element("span", { class: `swatch shade-${place}`, "aria-hidden": "true" }), text)));
  return list;
}

/** Shapes of edges: straight to the next level in the same line, else an arc above; a stub at the ends of lines between them. */
function edge(from: { x: number; y: number; line: Line }, to: { x: number; y: number; line: Line }, span: number, right: number, left: number): string {
  if (from.line === to.line) {
    if (span === 1) return `M${from.x + cell} ${from.y + cell / 2}L${to.x} ${to.y + cell / 2}`;
    const top = from.line.y - Math.min(16, 4 + span);
    return `M${from.x + cell / 2} ${from.y}V${top}H${to.x + cell / 2}V${to.y}`;
  }
  if (span === 1) return `M${from.x + cell} ${from.y + cell / 2}H${right}M${left} ${to.y + cell / 2}H${to.x}`;
  return `M${from.x + cell / 2} ${from.y}V${from.line.y - 8}H${right}M${left} ${to.line.y - 8}H${to.x + cell / 2}V${to.y}`;
}

/** `of` is what the steps are all of. */
export function draw_graph(steps: Steps, pick: (type: string) => void, of = "the run"): HTMLElement | null {
  const count = steps.level.length;
  if (count < 3 || !steps.reads.some((reads) => reads.length > 0)) return null;
  if (count > most_steps) return null; // they have blocks
  const whole = steps.time.reduce((sum, time) => sum + time, 0);
  const places = places_of(steps);
  const levels = steps.level.reduce((most, level) => Math.max(most, level), 0) + 1;
  const draw = (width: number) => {
    const left = width > 700 ? 56 : 30;
    const columns = Math.max(1, Math.floor((width - left - 8) / pitch));
    const lines = lines_of(steps, places, columns);
    const end = lines[lines.length - 1]!;
    const right = left + Math.min(columns, levels) * pitch;
    const drawn = picture(width, end.y + end.height + 8, `${count} operators in ${levels} levels; the table has their times.`);
    const spot = (step: number) => {
      const place = places[step];
      const line = place && lines[Math.floor(place.level / columns)];
      return place && line ? { x: left + (place.level - line.first) * pitch, y: line.y + place.lane * lane_pitch, line } : null;
    };
    const edges: [string, boolean][] = [];
    steps.reads.forEach((reads, step) => {
      for (const read of reads) {
        const from = spot(read);
        const to = spot(step);
        const chain = steps.on_chain[step] === true && steps.on_chain[read] === true;
        if (from && to) edges.push([edge(from, to, steps.level[step]! - steps.level[read]!, right, left - 6), chain]);
      }
    });
    for (const chain of [false, true]) drawn.append(mark("path", { d: edges.filter(([, is]) => is === chain).map(([path]) => path).join(""), class: chain ? "edge strong-edge" : "edge" }));
    for (const line of lines) {
      drawn.append(label(left - 10, line.y + 12, "end", String(line.first), Infinity, "axis-text"));
      for (const [level, more] of line.hidden) drawn.append(label(left + (level - line.first) * pitch, line.y + line.lanes * lane_pitch + 10, "start", `+${more}`, Infinity, "axis-text"));
    }
    steps.level.forEach((level, step) => {
      const at = spot(step);
      if (!at) return;
      const time = steps.time[step] ?? 0;
      const share = whole > 0 ? time / whole : 0;
      const type = steps.type[step] ?? "";
      const words = `${visible(steps.name[step] ?? "")}, ${visible(type)}: ${with_unit(time, "_us")}, ${(100 * share).toFixed(1)}\u00a0%; level ${level}${steps.on_chain[step] ? ", on the longest chain" : ""}`;
      const one = mark("rect", { x: at.x + 0.5, y: at.y + 0.5, width: cell - 1, height: cell - 1, class: `cell shade-${shade_of(share)}`, "data-kind": type, "data-operator": step, "data-level": level, "data-exact": time }, mark("title", {}, words));
      one.addEventListener("click", () => pick(type));
      drawn.append(one);
      if (steps.on_chain[step]) drawn.append(mark("rect", { x: at.x, y: at.y + cell + 1, width: cell, height: 3, class: "chain", "data-chain": step }));
    });
    return drawn;
  };
  const how = `A column is a level: its operators read none of each other's results, and the one on the left comes first. Shade is the share of ${of}; ink below marks the longest chain, lines lead from a result to its readers. A press on an operator picks its type.`;
  return framed("graph", how, legend(), fitted(draw));
}
