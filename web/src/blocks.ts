// A large model as blocks: layers and what is inside them, each with its time. A block opens on a press or Enter; what it holds is
// drawn then, so that thousands of operators cost nothing before they are looked at.

import { framed } from "./axis";
import type { Block, Steps } from "./data";
import { element, mark, name, visible } from "./dom";
import { draw_graph } from "./graph";
import { with_unit } from "./numbers";

const longest_operators = 8;
const open_above = 0.5; // of all operators: what holds more is open at first
const bar_width = 1000;

/** The steps that are in a block itself, not in blocks inside it; null: the whole model. */
function own_steps(steps: Steps, block: number | null): number[] {
  return steps.block.flatMap((one, step) => (one === block ? [step] : []));
}

/** A bar whose parts are the kinds of work inside. */
function bar(kinds: Map<string, number>, longest: number): SVGElement {
  const drawn = mark("svg", { viewBox: `0 0 ${bar_width} 12`, preserveAspectRatio: "none", "aria-hidden": "true" });
  let from = 0;
  for (const [kind, time] of [...kinds].sort(([, a], [, b]) => b - a)) {
    const long = longest > 0 ? (bar_width * time) / longest : 0;
    drawn.append(mark("rect", { x: from, y: 0, width: long, height: 12, class: `fill-${kind}` }));
    from += long;
  }
  return drawn;
}

/** Times by kind of work of each block, with those inside it. */
function kinds_of(steps: Steps, blocks: Block[]): Map<string, number>[] {
  const kinds = blocks.map(() => new Map<string, number>());
  steps.block.forEach((own, step) => {
    for (let at = own; at !== null; at = blocks[at]!.parent) {
      const kind = steps.kind[step] ?? "k0";
      kinds[at]!.set(kind, (kinds[at]!.get(kind) ?? 0) + (steps.time[step] ?? 0));
    }
  });
  return kinds;
}

export function draw_blocks(steps: Steps, blocks: Block[], pick: (type: string) => void): HTMLElement | null {
  if (blocks.length === 0) return null;
  const whole = steps.time.reduce((sum, time) => sum + time, 0);
  const kinds = kinds_of(steps, blocks);
  const share = (time: number) => (whole > 0 ? `${((100 * time) / whole).toFixed(1)}\u00a0%` : "–");
  const count = (operators: number) => `${operators} ${operators === 1 ? "operator" : "operators"}`;

  /** Those that take most, by name: what a press on the graph's cells would tell. */
  const operators = (own: number[]) => {
    const list = element("ul", { class: "operators" });
    const longest = [...own].sort((a, b) => steps.time[b]! - steps.time[a]! || a - b).slice(0, longest_operators);
    for (const step of longest)
      list.append(element("li", {}, name(steps.name[step] ?? ""), element("i", {}, visible(steps.type[step] ?? "")), element("b", { "data-exact": String(steps.time[step]) }, with_unit(steps.time[step] ?? 0, "_us"))));
    const rest = own.length - longest.length;
    if (rest > 0) list.append(element("li", { class: "rest-of" }, `and ${count(rest)} that ${rest === 1 ? "takes" : "take"} less`));
    return list;
  };
  const inside = (block: number | null): (Node | string)[] => {
    const inner = blocks.flatMap((one, at) => (one.parent === block ? [at] : []));
    const longest = inner.reduce((most, at) => Math.max(most, blocks[at]!.time), 0);
    const own = own_steps(steps, block);
    const shown: (Node | string)[] = inner.map((at) => row(at, longest));
    if (own.length === 0) return shown;
    if (inner.length > 0) shown.push(element("p", { class: "how" }, `Beside these blocks: ${count(own.length)}, ${with_unit(own.reduce((sum, step) => sum + steps.time[step]!, 0), "_us")}.`));
    const graph = draw_graph(part_of(steps, own), pick, inner.length > 0 ? "these operators" : "the block");
    return graph ? [...shown, operators(own), graph] : [...shown, operators(own)];
  };
  const row = (at: number, longest: number): HTMLElement => {
    const block = blocks[at]!;
    const words = element("b", { "data-exact": String(block.time), title: `${block.time} µs` }, with_unit(block.time, "_us"));
    const line = element("summary", {}, name(block.name), bar(kinds[at]!, longest), words, element("i", {}, share(block.time)), element("i", { class: "count" }, count(block.steps)));
    const made = element("details", { "data-block": String(at) }, line);
    const fill = () => {
      if (made.open && made.childElementCount === 1) made.append(element("div", {}, ...inside(at)));
    };
    made.addEventListener("toggle", fill);
    if (block.steps > open_above * steps.time.length && blocks.some((one) => one.parent === at)) {
      made.open = true;
      fill();
    }
    return made;
  };
  const how = "Operators by the part of the model that their names say, or by pieces that repeat, in the order of execution. A press opens a block. Bars beside each other have one scale; their colours are the kinds of work inside.";
  return framed("blocks", how, ...inside(null));
}

/** Steps alone: what they read of each other, and their levels among themselves. */
function part_of(steps: Steps, own: number[]): Steps {
  const places = new Map(own.map((step, at) => [step, at]));
  const levels = [...new Set(own.map((step) => steps.level[step]!))].sort((a, b) => a - b);
  const rank = new Map(levels.map((level, at) => [level, at]));
  const of = <T>(column: T[]) => own.map((step) => column[step]!);
  return {
    name: of(steps.name),
    type: of(steps.type),
    kind: of(steps.kind),
    time: of(steps.time),
    alive: of(steps.alive),
    reads: own.map((step) => (steps.reads[step] ?? []).flatMap((read) => places.get(read) ?? [])),
    level: own.map((step) => rank.get(steps.level[step]!)!),
    on_chain: of(steps.on_chain),
    block: of(steps.block),
  };
}
