// Two results beside each other, a row per operator: left the time before and after (what it is worth), right the change
// with its interval (how sure it is). Biggest first, by time and not by share. What the runs cannot tell is dashed and hollow.

import { framed, picture } from "./axis";
import type { Table, Value } from "./data";
import { fitted, label, mark, visible } from "./dom";
import { form_of, shown, with_unit } from "./numbers";

const most = 24;
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
  const percent = (value: number) => (value > 1000 ? "above +1\u2009000" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(Math.abs(value) < 99.95 ? 1 : 0)}`);
  const range = row.low === null || row.high === null ? "" : ` (${percent(row.low)} to ${percent(row.high)})`;
  return row.change === null ? visible(row.verdict) : `${class_of(row) === "unsure" ? "cannot tell: " : ""}${percent(row.change)}${range}`;
}

/** Where the parts of a row lie; on a phone its name and its words stand above them. */
interface Plan {
  narrow: boolean;
  line: number;
  name: number; // width
  time: [number, number];
  change: [number, number];
}

function plan_of(width: number): Plan {
  if (width < 700) return { narrow: true, line: 44, name: 150, time: [4, 164], change: [196, width - 4] };
  return { narrow: false, line: 26, name: width * 0.21, time: [width * 0.22, width * 0.53], change: [width * 0.575, width * 0.755] };
}

function draw(all: Row[], rows: Row[], width: number): SVGElement {
  const plan = plan_of(width);
  const longest = rows.reduce((long, row) => Math.max(long, row.before ?? 0, row.after ?? 0), 0);
  const reach = Math.min(furthest, Math.max(5, ...rows.flatMap((row) => [row.change, row.low, row.high].map((value) => Math.abs(value ?? 0)))));
  const time_x = (value: number) => plan.time[0] + (longest > 0 ? (Math.max(0, value) / longest) * (plan.time[1] - plan.time[0]) : 0);
  const change_x = (value: number) => plan.change[0] + ((value + reach) / (2 * reach)) * (plan.change[1] - plan.change[0]);
  const height = 30 + rows.length * plan.line + 20;
  const counts = ["slower", "faster", "same"].map((verdict) => `${all.filter((row) => row.verdict === verdict).length} ${verdict}`);
  const drawn = picture(width, height, `${all.length} operators before and after: ${counts.join(", ")}; the table below has the figures.`);
  drawn.append(label(plan.time[0], 14, "start", "time"), label(change_x(0), 14, "middle", "change, %"));
  const form = form_of({ key: "_us", values: [longest] });
  for (const share of plan.narrow ? [0, 1] : [0, 0.5, 1]) {
    const x = time_x(share * longest);
    drawn.append(mark("line", { x1: x, x2: x, y1: 24, y2: height - 18, class: share === 0 ? "axis" : "grid" }));
    drawn.append(label(x, height - 4, share === 0 ? "start" : plan.narrow ? "end" : "middle", share === 0 ? "0" : `${shown(share * longest, form)}\u00a0${form.unit}`, Infinity, "axis-text"));
  }
  for (const at of [-reach, 0, reach]) {
    drawn.append(mark("line", { x1: change_x(at), x2: change_x(at), y1: 24, y2: height - 18, class: at === 0 ? "axis" : "grid" }));
    drawn.append(label(change_x(at), height - 4, plan.narrow && at !== 0 ? (at < 0 ? "start" : "end") : "middle", `${at < 0 ? "−" : at > 0 ? "+" : ""}${Math.abs(at).toFixed(0)}`, Infinity, "axis-text"));
  }
  rows.forEach((row, place) => {
    const top = 30 + place * plan.line;
    const y = top + plan.line - (plan.narrow ? 12 : 13);
    const text_y = plan.narrow ? top + 14 : y + 4;
    const group = mark("g", { "data-operator": visible(row.name), "data-verdict": row.verdict }, label(0, text_y, "start", row.name, plan.name));
    group.append(...draw_time(row, y, time_x), ...draw_change(row, y, change_x, reach));
    group.append(label(width, text_y, "end", words_of(row), Infinity, "axis-text"));
    drawn.append(group);
  });
  return drawn;
}

/** null: the table compares nothing. */
export function draw_dumbbell(table: Table): HTMLElement | null {
  if (!["before_us", "after_us", "verdict"].every((key) => table.columns.some((column) => column.key === key))) return null;
  const all = rows_of(table);
  if (all.length < 2) return null;
  const rows = all.slice(0, most);
  const rest = all.length > rows.length ? ` ${all.length - rows.length} more, which changed less, are in the table.` : "";
  const how = `Left: the time before (grey) and after (coloured). Right: the change with its interval; dashed and hollow: the runs cannot tell. By the time that it is worth.${rest}`;
  return framed("dumbbell", how, fitted((width) => draw(all, rows, width)));
}
