// Two results beside each other, a row per operator: left the time before and after (what it is worth), right the change
// with its interval (how sure it is). Biggest first, by time and not by share. What the runs cannot tell is dashed and hollow.

import type { Table, Value } from "./data";
import { element, mark, visible } from "./dom";
import { form_of, shown, with_unit } from "./numbers";

const width = 1096;
const line = 26;
const most = 24;
const time = { left: 240, right: 580 };
const change = { left: 630, right: 830 };
const furthest = 100; // percent on the axis of changes at most

interface Row {
  name: string;
  before: number | null;
  after: number | null;
  change: number | null;
  low: number | null;
  high: number | null;
  verdict: string;
}

function rows_of(table: Table): Row[] {
  const column = (key: string) => table.columns.find((one) => one.key === key)?.values ?? [];
  const number = (value: Value | undefined) => (typeof value === "number" && Number.isFinite(value) ? value : null);
  const [name, before, after, percent, low, high, verdict] = ["name", "before_us", "after_us", "change_percent", "low_percent", "high_percent", "verdict"].map(column);
  const rows = name!.map((value, at) => ({
    name: String(value ?? ""),
    before: number(before![at]),
    after: number(after![at]),
    change: number(percent![at]),
    low: number(low![at]),
    high: number(high![at]),
    verdict: String(verdict![at] ?? ""),
  }));
  const worth = (row: Row) => Math.abs((row.after ?? 0) - (row.before ?? 0));
  return rows.filter((row) => row.before !== null || row.after !== null).sort((a, b) => worth(b) - worth(a));
}

const classes: Record<string, string> = { faster: "better", slower: "worse", same: "same" };
const class_of = (row: Row) => classes[row.verdict] ?? "unsure";

function draw_time(row: Row, y: number, x: (value: number) => number): SVGElement[] {
  const dot = (value: number, kind: string) => mark("circle", { cx: x(value), cy: y, r: 4.5, class: kind }, mark("title", {}, with_unit(value, "_us")));
  const marks: SVGElement[] = [];
  if (row.before !== null && row.after !== null)
    marks.push(mark("line", { x1: x(row.before), x2: x(row.after), y1: y, y2: y, class: `joined ${class_of(row)}` }));
  if (row.before !== null) marks.push(dot(row.before, "dot-before"));
  if (row.after !== null) marks.push(dot(row.after, `dot-${class_of(row)}`));
  return marks;
}

function draw_change(row: Row, y: number, x: (value: number) => number, reach: number): SVGElement[] {
  if (row.change === null) return [mark("text", { x: x(0) + 8, y: y + 4, class: "axis-text" }, row.before === null ? "added" : row.after === null ? "removed" : visible(row.verdict))];
  const marks: SVGElement[] = [];
  const inside = (value: number) => Math.max(-reach, Math.min(reach, value));
  if (row.low !== null && row.high !== null) {
    const ends = { x1: x(inside(row.low)), x2: x(inside(row.high)), y1: y, y2: y };
    marks.push(mark("line", { ...ends, class: `interval ${class_of(row)}` }));
    for (const [end, way] of [[row.low, -1], [row.high, 1]] as const)
      if (end * way > reach) marks.push(mark("path", { d: `M${x(way * reach)} ${y - 4}l${way * 6} 4l${-way * 6} 4`, class: "interval beyond" }));
  }
  marks.push(mark("circle", { cx: x(inside(row.change)), cy: y, r: 4, class: `dot-${class_of(row)}` }));
  return marks;
}

function words_of(row: Row): string {
  const percent = (value: number) => (value > 1000 ? "above +1\u2009000" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`);
  const range = row.low === null || row.high === null ? "" : ` (${percent(row.low)} to ${percent(row.high)})`;
  return row.change === null ? visible(row.verdict) : `${class_of(row) === "unsure" ? "cannot tell: " : ""}${percent(row.change)}${range}`;
}

/** null: the table compares nothing. */
export function draw_dumbbell(table: Table): HTMLElement | null {
  if (!["before_us", "after_us", "verdict"].every((key) => table.columns.some((column) => column.key === key))) return null;
  const all = rows_of(table);
  if (all.length < 2) return null;
  const rows = all.slice(0, most);
  const longest = rows.reduce((long, row) => Math.max(long, row.before ?? 0, row.after ?? 0), 0);
  const reach = Math.min(furthest, Math.max(5, ...rows.flatMap((row) => [row.change, row.low, row.high].map((value) => Math.abs(value ?? 0)))));
  const time_x = (value: number) => time.left + (longest > 0 ? (Math.max(0, value) / longest) * (time.right - time.left) : 0);
  const change_x = (value: number) => change.left + ((value + reach) / (2 * reach)) * (change.right - change.left);
  const height = 30 + rows.length * line + 20;
  const drawn = mark("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
  const counts = ["slower", "faster", "same"].map((verdict) => `${all.filter((row) => row.verdict === verdict).length} ${verdict}`);
  drawn.setAttribute("aria-label", `${all.length} operators before and after: ${counts.join(", ")}; the table below has the figures.`);
  const text = (x: number, y: number, anchor: string, words: string, kind: string) => mark("text", { x, y, "text-anchor": anchor, class: kind }, words);
  drawn.append(text(time.left, 14, "start", "time", "mark-text"), text(change_x(0), 14, "middle", "change, %", "mark-text"));
  const form = form_of({ key: "_us", values: [longest] });
  for (const share of [0, 0.5, 1]) {
    const x = time_x(share * longest);
    drawn.append(mark("line", { x1: x, x2: x, y1: 24, y2: height - 18, class: share === 0 ? "axis" : "grid" }));
    drawn.append(text(x, height - 4, "middle", share === 0 ? "0" : `${shown(share * longest, form)}\u00a0${form.unit}`, "axis-text"));
  }
  for (const at of [-reach, 0, reach]) {
    drawn.append(mark("line", { x1: change_x(at), x2: change_x(at), y1: 24, y2: height - 18, class: at === 0 ? "axis" : "grid" }));
    drawn.append(text(change_x(at), height - 4, "middle", `${at < 0 ? "−" : at > 0 ? "+" : ""}${Math.abs(at).toFixed(0)}`, "axis-text"));
  }
  rows.forEach((row, place) => {
    const y = 30 + place * line + line / 2;
    const called = visible(row.name);
    const label = text(0, y + 4, "start", called.length > 34 ? `${called.slice(0, 20)}…${called.slice(-12)}` : called, "mark-text");
    label.append(mark("title", {}, called));
    const group = mark("g", { "data-operator": called, "data-verdict": row.verdict }, label, ...draw_time(row, y, time_x), ...draw_change(row, y, change_x, reach));
    group.append(text(width, y + 4, "end", words_of(row), "axis-text"));
    drawn.append(group);
  });
  const rest = all.length > rows.length ? ` ${all.length - rows.length} more, which changed less, are in the table.` : "";
  const how = `Left: the time before (grey) and after (coloured). Right: the change with its interval; dashed and hollow: the runs cannot tell. By the time that it is worth.${rest}`;
  return element("figure", { class: "dumbbell" }, element("figcaption", {}, how), element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Operators before and after" }, drawn));
}
