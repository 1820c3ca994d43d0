// "GPU[1-4] | CPU+NPU[5-7 0.30/0.70]" as a picture: a cell per stage, coloured by its unit; where a block is split, heights
// are shares. The text is its tooltip.

import { label, mark, visible } from "./dom";

export interface Block {
  first: number;
  last: number;
  units: { name: string; share: number }[];
}

/** null: not spelled as takt spells plans. */
export function blocks_of(plan: string): Block[] | null {
  const blocks: Block[] = [];
  for (const text of plan.split(" | ")) {
    const found = /^(.+)\[(\d{1,6})(?:-(\d{1,6}))?(?: ([\d./]+))?\]$/.exec(text.trim());
    if (!found) return null;
    const first = Number(found[2]);
    const last = Number(found[3] ?? found[2]);
    const names = found[1]!.split("+");
    const shares = found[4]?.split("/").map(Number) ?? names.map(() => 1 / names.length);
    if (last < first || shares.length !== names.length || shares.some((share) => !(share >= 0 && share <= 1))) return null;
    blocks.push({ first, last, units: names.map((name, place) => ({ name, share: shares[place]! })) });
  }
  return blocks.length > 0 && blocks.length < 400 ? blocks : null;
}

/** CPU, GPU and NPU have their colours on every page; other units those that are left. */
export function kinds_of_units(units: string[]): Map<string, string> {
  const kinds = new Map<string, string>();
  const free = ["k3", "k5", "k6", "k0"];
  for (const unit of units) {
    if (kinds.has(unit)) continue;
    const known = /GPU/i.test(unit) ? "k2" : /NPU/i.test(unit) ? "k4" : /CPU/i.test(unit) ? "k1" : null;
    kinds.set(unit, known !== null && ![...kinds.values()].includes(known) ? known : (free.shift() ?? "k0"));
  }
  return kinds;
}

export function draw_plan(blocks: Block[], plan: string, kinds: Map<string, string>, x: number, y: number, width: number, height: number): SVGElement {
  const drawn = mark("g", { class: "plan", "data-plan": plan }, mark("title", {}, visible(plan)));
  const first = blocks[0]!.first;
  const stages = blocks[blocks.length - 1]!.last - first + 1;
  const cell = width / Math.max(1, stages);
  for (const block of blocks) {
    const from = x + (block.first - first) * cell;
    const wide = (block.last - block.first + 1) * cell - 2;
    let sum = 0;
    for (const unit of block.units) {
      const tall = unit.share * height;
      drawn.append(mark("rect", { x: from, y: y + sum, width: Math.max(1, wide), height: Math.max(1, tall - (block.units.length > 1 ? 1 : 0)), class: `fill-${kinds.get(unit.name) ?? "k0"}` }));
      sum += tall;
    }
    if (block.units.length === 1 && height >= 16 && wide > 7 * block.units[0]!.name.length + 8) drawn.append(label(from + wide / 2, y + height / 2 + 4, "middle", block.units[0]!.name, wide, `inside text-${kinds.get(block.units[0]!.name) ?? "k0"}`));
  }
  return drawn;
}
