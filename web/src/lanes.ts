// A run on one axis: its operators in the order in which they ran, and what their results hold in memory meanwhile.

import { framed, linear, picture, tick_names } from "./axis";
import type { Steps } from "./data";
import { fitted, label, mark, visible } from "./dom";
import { with_unit } from "./numbers";

const most_blocks = 2000;

interface Block {
  from: number;
  to: number;
  kind: string;
  type: string;
  words: string;
}

/** Neighbours of one type are one block where there are too many. null: there are still too many, or none. */
function blocks_of(steps: Steps): Block[] | null {
  const merges = steps.time.length > most_blocks;
  const blocks: Block[] = [];
  let end = 0;
  steps.time.forEach((time, place) => {
    const type = steps.type[place] ?? "";
    const before = blocks[blocks.length - 1];
    const from = end;
    end += time;
    if (merges && before?.type === type) {
      before.to = end;
      before.words = `${visible(type)}: ${with_unit(before.to - before.from, "_us")}`;
    } else blocks.push({ from, to: end, kind: steps.kind[place] ?? "k0", type, words: `${visible(steps.name[place] ?? "")}, ${visible(type)}: ${with_unit(time, "_us")}` });
  });
  return blocks.length > 0 && blocks.length <= most_blocks && end > 0 ? blocks : null;
}

/** The outline of the bytes over time, from zero and back to it. */
function outline(steps: Steps, across: (value: number) => number, up: (value: number) => number): string {
  let end = 0;
  let path = `M${across(0)} ${up(0)}`;
  steps.alive.forEach((bytes, place) => {
    path += `V${up(bytes ?? 0)}`;
    end += steps.time[place] ?? 0;
    path += `H${across(end)}`;
  });
  return `${path}V${up(0)}Z`;
}

export function draw_lanes(steps: Steps, pick: (type: string) => void): HTMLElement | null {
  const blocks = blocks_of(steps);
  if (blocks === null || blocks.length < 3) return null;
  const whole = blocks[blocks.length - 1]!.to;
  const known = steps.alive.every((bytes) => bytes !== null);
  const most = known ? steps.alive.reduce<number>((one, bytes) => Math.max(one, bytes ?? 0), 0) : 0;
  const draw = (width: number) => {
    const left = 72;
    const bottom = known ? 112 : 34;
    const across = linear(0, whole, left, width - 4, width > 700 ? 8 : 3);
    const says = `${steps.time.length} operators in the order of execution, ${with_unit(whole, "_us")}${known ? `; at most ${with_unit(most, "_bytes")} of results alive` : ""}`;
    const drawn = picture(width, bottom + 24, says);
    for (const block of blocks) {
      const one = mark("rect", { x: across.at(block.from), y: 4, width: Math.max(0.3, across.at(block.to) - across.at(block.from) - 0.3), height: 28, class: `fill-${block.kind}`, "data-kind": block.type, "data-step": block.to - block.from }, mark("title", {}, block.words));
      one.addEventListener("click", () => pick(block.type));
      drawn.append(one);
    }
    const names = tick_names(across.ticks, "_us");
    across.ticks.forEach((tick, place) => drawn.append(mark("line", { x1: across.at(tick), x2: across.at(tick), y1: 34, y2: bottom, class: "grid" }), label(across.at(tick), bottom + 16, across.at(tick) > width - 30 ? "end" : "middle", names[place] ?? "", Infinity, "axis-text")));
    if (known && most > 0) {
      const up = linear(0, most, bottom, 46, 3);
      const heights = tick_names(up.ticks, "_bytes");
      up.ticks.forEach((tick, place) => drawn.append(label(left - 8, up.at(tick) + 4, "end", heights[place] ?? "", Infinity, "axis-text")));
      drawn.append(mark("path", { d: outline(steps, across.at, up.at), class: "alive", "data-most": most }));
    }
    return drawn;
  };
  const how = `Operators one after the other, as they ran${known ? "; below, the bytes of their results that are still to be read, each in memory of its own" : ""}. A press on one picks its type.`;
  return framed("lanes", how, fitted(draw));
}
