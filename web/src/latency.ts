// Where the latency of each batch went: a column per batch that adds up, and the same latencies counted on the same axis.

import { framed, linear, picture, tick_names } from "./axis";
import type { Station, Table, Value } from "./data";
import { element, fitted, label, mark, name } from "./dom";
import { with_unit } from "./numbers";

const height = 220;
const plot = { left: 56, top: 12, bottom: 190 };
const bins = 24;
const most_columns = 150;

interface Part {
  label: string;
  kind: string;
  values: number[];
}

function numbers_of(table: Table, key: string): number[] | null {
  const values = table.columns.find((column) => column.key === key)?.values;
  if (!values || values.some((value: Value) => typeof value !== "number" || !Number.isFinite(value) || value < 0)) return null;
  return values as number[];
}

/** By stage where a batch passes them one by one; else all stages together. null: not known. */
function parts_of(table: Table, stations: Station[]): Part[] | null {
  const of = (key: string, words: string, kind: string) => ({ label: words, kind, values: numbers_of(table, key) });
  const inside = of("in_stages_us", "in stages", "busy");
  const stages = stations.map((one) => of(`stage_time_us.${one.name}`, one.name, one.kind));
  const adds_up = inside.values !== null && stages.every((one) => one.values !== null) &&
    inside.values.every((sum, row) => Math.abs(stages.reduce((all, one) => all + (one.values?.[row] ?? 0), 0) - sum) < 1e-6 * Math.max(1, sum));
  const all = [of("source_wait_us", "waits at the source", "other"), of("queue_wait_us", "waits in queues", "k0"), of("batch_copy_us", "copies", "copy"), ...(adds_up ? stages : [inside]), of("held_us", "held", "wait-blocked")];
  const known = all.filter((part): part is Part => part.values !== null);
  return known.some((part) => part.label === "held") && known.length > 2 ? known.filter((part) => part.values.some((value) => value > 0)) : null;
}

function draw_counts(latencies: number[], warmup: number, up: (value: number) => number, high: number, x: number, right: number): SVGElement[] {
  const counts = new Array<number>(bins).fill(0);
  for (const one of latencies.slice(warmup)) {
    const bin = Math.min(bins - 1, Math.floor((one / high) * bins));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const most = Math.max(1, ...counts);
  return counts.flatMap((count, bin) => {
    if (count === 0) return [];
    const top = up(((bin + 1) / bins) * high);
    const tall = up((bin / bins) * high) - top;
    const words = `${count} of ${latencies.length - warmup} batches from ${with_unit((bin / bins) * high, "_us")} to ${with_unit(((bin + 1) / bins) * high, "_us")}`;
    return [mark("rect", { x, y: top, width: (count / most) * (right - x) * 0.6, height: Math.max(0.5, tall - 1), class: "dot", "data-count": count }, mark("title", {}, words))];
  });
}

function draw(parts: Part[], latencies: number[], warmup: number, summary: Table | undefined, width: number): SVGElement {
  const counted = width > 700 ? width * 0.78 : width * 0.72;
  const high = latencies.reduce((most, one) => Math.max(most, one), 0) * 1.02;
  const up = linear(0, high, plot.bottom, plot.top, 4);
  const mean = latencies.length > warmup ? with_unit(latencies.slice(warmup).reduce((a, b) => a + b, 0) / (latencies.length - warmup), "_us") : "not known";
  const drawn = picture(width, height, `Latency of ${latencies.length} batches by what it was spent on; mean ${mean}. The table of batches has the figures.`);
  const names = tick_names(up.ticks, "_us");
  up.ticks.forEach((tick, place) => {
    drawn.append(mark("line", { x1: plot.left, x2: width, y1: up.at(tick), y2: up.at(tick), class: place === 0 ? "axis" : "grid" }));
    drawn.append(label(plot.left - 8, up.at(tick) + 4, "end", names[place] ?? "", Infinity, "axis-text"));
  });
  const each = Math.ceil(latencies.length / most_columns);
  const columns = Math.ceil(latencies.length / each);
  const wide = (counted - plot.left - 12) / columns;
  for (let place = 0; place < columns; ++place) {
    const row = place * each;
    const column = mark("g", { class: row < warmup ? "warm-up" : "", "data-batch": row }, mark("title", {}, `batch ${row}: ${with_unit(latencies[row] ?? 0, "_us")}${row < warmup ? ", warm-up" : ""}`));
    let sum = 0;
    for (const part of parts) {
      const from = sum;
      sum += part.values[row] ?? 0;
      if (sum > from) column.append(mark("rect", { x: plot.left + place * wide, y: up.at(sum), width: Math.max(0.5, wide - 1), height: Math.max(0, up.at(from) - up.at(sum)), class: `fill-${part.kind}` }));
    }
    drawn.append(column);
  }
  drawn.append(label(plot.left, height - 10, "start", "batch 0", Infinity, "axis-text"), label(counted - 12, height - 10, "end", String(latencies.length - 1), Infinity, "axis-text"));
  drawn.append(...draw_counts(latencies, warmup, up.at, high, counted, width), label(width, height - 10, "end", `${latencies.length - warmup} batches`, Infinity, "axis-text"));
  let free = Infinity;
  for (const [key, words] of [["latency_mean_us", "mean"], ["latency_p99_us", "p99"]] as const) {
    const value = summary?.columns.find((column) => column.key === key)?.values[0];
    if (typeof value !== "number") continue;
    const y = up.at(value);
    const text_y = Math.min(y - 3, free);
    free = text_y - 13;
    drawn.append(mark("line", { x1: counted, x2: width, y1: y, y2: y, class: "mark-line", "data-mark": words }), label(width, text_y, "end", `${words} ${with_unit(value, "_us")}`));
  }
  return drawn;
}

/** null: the table has no latencies that add up, or fewer than three. */
export function draw_latency(table: Table, stations: Station[], summary: Table | undefined): HTMLElement | null {
  const latencies = numbers_of(table, "latency_us");
  const parts = parts_of(table, stations);
  if (latencies === null || parts === null || latencies.length < 3) return null;
  const told = summary?.columns.find((column) => column.key === "warmup_batches")?.values[0];
  const warmup = typeof told === "number" && told >= 0 && told < latencies.length ? told : 0;
  const each = Math.ceil(latencies.length / most_columns);
  const some = each > 1 ? ` Every ${each}th batch is drawn; all are counted.` : "";
  const how = `Every batch from admission to delivery: a column adds up. Right: the same latencies counted.${warmup ? " Warm-up is pale and in no figure." : ""}${some}`;
  const legend = element("ul", { class: "kinds" });
  for (const part of parts) legend.append(element("li", {}, element("span", { class: `swatch back-${part.kind}`, "aria-hidden": "true" }), name(part.label)));
  return framed("latency", how, fitted((width) => draw(parts, latencies, warmup, summary, width)), legend);
}
