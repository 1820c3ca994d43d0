// Plans: the best one beside the best single unit as blocks in time, and all of them by time. Hollow is estimated, filled is
// measured.

import { framed, linear, picture, tick_names } from "./axis";
import { Rows } from "./cells";
import type { Table } from "./data";
import { element, fitted, label, mark, name, visible } from "./dom";
import { draw_dots, type DotRow } from "./dots";
import { with_unit } from "./numbers";
import { blocks_of, draw_plan, kinds_of_units } from "./plan_text";

const most = 20;

function kinds_in(plans: string[]): Map<string, string> {
  return kinds_of_units(plans.flatMap((plan) => (blocks_of(plan) ?? []).flatMap((block) => block.units.map((unit) => unit.name))));
}

function legend_of(kinds: Map<string, string>, more: [string, string][] = []): HTMLElement {
  const list = element("ul", { class: "kinds" });
  for (const [words, kind] of [...kinds, ...more]) list.append(element("li", {}, element("span", { class: `swatch back-${kind}`, "aria-hidden": "true" }), name(words)));
  return list;
}

function glyph_of(plan: string, kinds: Map<string, string>): Pick<DotRow, "glyph"> {
  const blocks = blocks_of(plan);
  return blocks ? { glyph: (x, y, width, height) => draw_plan(blocks, plan, kinds, x, y, width, height) } : {};
}

function scroll_free(says: string, draw: (width: number) => Element): HTMLElement {
  const frame = fitted(draw);
  frame.setAttribute("data-figure", says);
  return frame;
}

/** Of `takt plan run`. */
export function draw_plan_runs(table: Table): HTMLElement | null {
  const rows = new Rows(table);
  if (!rows.has("plan", "estimated_us", "really_us")) return null;
  const known = rows.where((row) => rows.number("really_us", row) !== null || rows.number("estimated_us", row) !== null);
  if (known.length === 0) return null;
  const kinds = kinds_in(known.map((row) => rows.text("plan", row)));
  const dots = known.slice(0, most).map((row): DotRow => {
    const plan = rows.text("plan", row);
    const off = rows.number("estimate_off_percent", row);
    const wrong = rows.text("numbers", row) === "wrong";
    const measured = rows.number("really_us", row);
    const words = [rows.text("role", row), measured === null ? "–" : with_unit(measured, "_us"), wrong ? "outputs differ" : off === null ? "–" : `${off < 0 ? "−" : "+"}${Math.abs(off).toFixed(1)}\u00a0%`];
    const says = `${plan}: measured ${with_unit(measured, "_us")}, estimated ${with_unit(rows.number("estimated_us", row), "_us")}`;
    return { name: plan, ...glyph_of(plan, kinds), filled: measured, hollow: rows.number("estimated_us", row), low: rows.number("really_low_us", row), high: rows.number("really_high_us", row), words, says, ...(wrong ? { kind: "worse" } : {}) };
  });
  const says = `${dots.length} plans, estimated and measured; the table plan runs has the figures.`;
  const rest = known.length > most ? ` ${known.length - most} more are in the table.` : "";
  return framed("plan-runs", `A plan as a picture: a cell per stage, coloured by its unit; where a block is split, heights are shares. Hollow: estimated beforehand; filled: measured, with its 95 % interval.${rest}`, scroll_free("plan runs", (width) => draw_dots(dots, { key: "_us", heads: ["", "measured", "off"], says }, width)), legend_of(kinds));
}

/** Of `takt plan search`: latency of one batch, and the stream. */
export function draw_plans(table: Table): HTMLElement | null {
  const rows = new Rows(table);
  if (!rows.has("plan", "latency_ms", "throughput_per_s")) return null;
  const known = rows.where((row) => rows.number("latency_ms", row) !== null).slice(0, most);
  if (known.length === 0) return null;
  const kinds = kinds_in(known.map((row) => rows.text("plan", row)));
  const dots = known.map((row): DotRow => {
    const plan = rows.text("plan", row);
    const latency = rows.number("latency_ms", row)! * 1000;
    const rank = rows.number("plan_rank", row);
    const rate = rows.number("throughput_per_s", row);
    return { name: plan, ...glyph_of(plan, kinds), filled: null, hollow: latency, low: null, high: null, words: [rank === null ? rows.text("role", row) : `${rank}`, with_unit(latency, "_us"), rate === null ? "–" : with_unit(rate, "_per_s")], says: `${plan}: ${with_unit(latency, "_us")} a batch`, strong: rank === 1 };
  });
  const says = `${dots.length} plans by the estimated time of a batch; the table plans has the figures.`;
  return framed("plans", "A plan as a picture: a cell per stage, coloured by its unit; where a block is split, heights are shares. Hollow: estimated time of one batch; a stream may want another plan.", scroll_free("plans", (width) => draw_dots(dots, { key: "_us", heads: ["rank", "a batch", "batches/s"], says }, width)), legend_of(kinds));
}

interface Piece {
  lane: string;
  from: number;
  to: number;
  kind: string;
  words: string;
  inside: string;
  hollow: boolean;
}

interface Lanes {
  title: string;
  lanes: string[];
  pieces: Piece[];
  end: number | null; // as the result has it
  ends: string;
}

function draw_lanes(groups: Lanes[], width: number, says: string): SVGElement {
  const narrow = width < 700;
  const left = narrow ? 84 : 200;
  const line = 26;
  const height = groups.reduce((sum, group) => sum + group.lanes.length * line + 26, 0) + 26;
  const longest = groups.flatMap((group) => [group.end ?? 0, ...group.pieces.map((piece) => piece.to)]).reduce((one, other) => Math.max(one, other), 0);
  const axis = linear(0, longest * 1.01, left, width - 64, narrow ? 3 : 6);
  const drawn = picture(width, height, says);
  const names = tick_names(axis.ticks, "_us");
  axis.ticks.forEach((tick, place) => {
    drawn.append(mark("line", { x1: axis.at(tick), x2: axis.at(tick), y1: 6, y2: height - 22, class: place === 0 ? "axis" : "grid" }));
    drawn.append(label(axis.at(tick), height - 6, "middle", names[place] ?? "", Infinity, "axis-text"));
  });
  let y = 0;
  for (const group of groups) {
    drawn.append(label(0, y + 16, "start", group.title, width, "mark-text strong"));
    y += 22;
    for (const piece of group.pieces) {
      const top = y + group.lanes.indexOf(piece.lane) * line;
      const wide = Math.max(1, axis.at(piece.to) - axis.at(piece.from) - 1);
      const block = mark("rect", { x: axis.at(piece.from), y: top + 2, width: wide, height: line - 6, class: piece.hollow ? `hollow stroke-${piece.kind}` : `fill-${piece.kind}`, "data-block": piece.words }, mark("title", {}, visible(piece.words)));
      drawn.append(block);
      if (wide > 7 * piece.inside.length + 10) drawn.append(label(axis.at(piece.from) + wide / 2, top + 17, "middle", piece.inside, wide, piece.hollow ? "mark-text" : `inside text-${piece.kind}`));
    }
    group.lanes.forEach((lane, place) => drawn.append(label(left - 8, y + place * line + 17, "end", lane, left - 12, "axis-text")));
    if (group.end !== null) {
      const bottom = y + group.lanes.length * line;
      drawn.append(mark("line", { x1: axis.at(group.end), x2: axis.at(group.end), y1: y - 4, y2: bottom, class: "beat" }));
      drawn.append(label(axis.at(group.end) + 4, y + 8, "start", group.ends, 64, "mark-text strong"));
    }
    y += group.lanes.length * line + 4;
  }
  return drawn;
}

/** The best plan that was run, and the best single unit: estimated above measured, block by block. */
export function draw_run_blocks(plans: Table, blocks: Table): HTMLElement | null {
  const rows = new Rows(plans);
  const parts = new Rows(blocks);
  if (!rows.has("plan_number", "role", "plan", "latency_really_us") || !parts.has("plan_number", "plan_block", "estimated_us", "really_us")) return null;
  const found = rows.where((row) => rows.text("role", row) === "found")[0];
  const single = rows.where((row) => rows.text("role", row) === "single")[0];
  const chosen = [found, single].filter((row): row is number => row !== undefined);
  if (chosen.length === 0) return null;
  const kinds = kinds_in(chosen.map((row) => rows.text("plan", row)));
  const groups = chosen.map((row): Lanes => {
    const number_of_plan = rows.number("plan_number", row);
    const pieces: Piece[] = [];
    for (const [key, lane, hollow] of [["estimated_us", "estimated", true], ["really_us", "measured", false]] as const) {
      let time = 0;
      for (const part of parts.where((at) => parts.number("plan_number", at) === number_of_plan)) {
        const long = parts.number(key, part);
        if (long === null || long < 0) continue;
        const block = parts.text("plan_block", part);
        const unit = blocks_of(block)?.[0]?.units[0]?.name ?? "";
        pieces.push({ lane, from: time, to: time + long, kind: kinds.get(unit) ?? "k0", words: `${block}, ${lane}: ${with_unit(long, "_us")}`, inside: block, hollow });
        time += long;
      }
    }
    const end = rows.number("latency_really_us", row);
    return { title: row === found ? "best plan" : "best single unit", lanes: ["estimated", "measured"], pieces, end, ends: end === null ? "" : with_unit(end, "_us") };
  }).filter((group) => group.pieces.length > 0);
  if (groups.length === 0) return null;
  const says = groups.map((group) => `${group.title} ${group.ends} a batch`).join("; ");
  return framed("gantt", "One batch through the blocks of a plan, without contention. Outlined: estimated; filled: measured. The line is the measured latency of a batch, with what is between the blocks.", scroll_free("blocks", (width) => draw_lanes(groups, width, says)), legend_of(kinds));
}

/** The best plan of a search: what each unit does of a batch, and when; below it the best single unit. */
export function draw_search_blocks(plans: Table, blocks: Table): HTMLElement | null {
  const rows = new Rows(plans);
  const parts = new Rows(blocks);
  if (!rows.has("plan_rank", "latency_ms") || !parts.has("block", "block_stages", "block_unit", "part_time_us", "transfer_us", "block_partition_us", "merge_us")) return null;
  const best = rows.where((row) => rows.number("plan_rank", row) === 1)[0];
  const single = rows.where((row) => rows.text("role", row) === "single")[0];
  if (best === undefined || parts.length === 0) return null;
  const kinds = kinds_in([best, ...(single === undefined ? [] : [single])].map((row) => rows.text("plan", row)));
  const pieces: Piece[] = [];
  const units = [...new Set(Array.from({ length: parts.length }, (_, row) => parts.text("block_unit", row)))];
  let time = 0;
  for (const block of new Set(Array.from({ length: parts.length }, (_, row) => parts.number("block", row)))) {
    const of = parts.where((row) => parts.number("block", row) === block);
    const first = of[0]!;
    const stages = parts.text("block_stages", first);
    const put = (row: number, from: number, long: number, kind: string, what: string) => {
      if (long > 0) pieces.push({ lane: parts.text("block_unit", row), from, to: from + long, kind, words: `${what} of stages ${stages} on ${parts.text("block_unit", row)}: ${with_unit(long, "_us")}`, inside: kind === "copy" || kind === "wait-sync" ? "" : stages, hollow: false });
    };
    const move = parts.number("transfer_us", first) ?? 0;
    const split = parts.number("block_partition_us", first) ?? 0;
    const merge = parts.number("merge_us", first) ?? 0;
    const longest = of.reduce((one, row) => Math.max(one, parts.number("part_time_us", row) ?? 0), 0);
    for (const row of of) {
      put(row, time, move, "copy", "moving the batch");
      put(row, time + move, split, "wait-sync", "partition");
      put(row, time + move + split, parts.number("part_time_us", row) ?? 0, kinds.get(parts.text("block_unit", row)) ?? "k0", "work");
      put(row, time + move + split + longest, merge, "wait-sync", "merge");
    }
    time += move + split + longest + merge;
  }
  const ends = (row: number) => (rows.number("latency_ms", row) === null ? null : rows.number("latency_ms", row)! * 1000);
  const groups: Lanes[] = [{ title: "best plan", lanes: units, pieces, end: ends(best), ends: with_unit(ends(best), "_us") }];
  if (single !== undefined && ends(single) !== null) {
    const plan = rows.text("plan", single);
    const unit = blocks_of(plan)?.[0]?.units[0]?.name ?? plan;
    groups.push({ title: "best single unit", lanes: [unit], pieces: [{ lane: unit, from: 0, to: ends(single)!, kind: kinds.get(unit) ?? "k0", words: `${plan}: ${with_unit(ends(single), "_us")}`, inside: plan, hollow: false }], end: ends(single), ends: with_unit(ends(single), "_us") });
  }
  const says = groups.map((group) => `${group.title} ${group.ends} a batch`).join("; ");
  return framed("gantt", "One batch through the best plan, as estimated without contention; the line is its latency with all that slows it down.", scroll_free("blocks", (width) => draw_lanes(groups, width, says)), legend_of(kinds, [["moves between units", "copy"], ["partition, merge", "wait-sync"]]));
}
