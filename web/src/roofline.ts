// Operators by what they do per byte and how fast they do it, on two logarithmic axes; the area of a dot is its time.

import { framed, logarithmic, type Axis } from "./axis";
import type { Roof, Table, Value } from "./data";
import { fitted, label, mark, visible } from "./dom";
import { with_unit } from "./numbers";

const height = 320;
const plot = { left: 60, top: 26, bottom: 280 };

interface Dot {
  name: string;
  intensity: number;
  rate: number;
  time: number;
  bound: string;
  type: string;
}

const positive = (value: Value | undefined) => typeof value === "number" && Number.isFinite(value) && value > 0;

/** The rate in 10^9 operations a second: takt run has it so, takt analyze in operations. */
function dots_of(table: Table): { dots: Dot[]; rows: number } | null {
  const column = (...keys: string[]) => table.columns.find((one) => keys.includes(one.key))?.values;
  const intensity = column("intensity_flop_per_byte");
  const giga = column("gflops_per_s");
  const rate = giga ?? (column("bandwidth_bytes_per_s") ? column("flops") : undefined);
  if (!intensity || !rate) return null;
  const names = column("name") ?? [];
  const time = column("plain_mean_us", "time_us") ?? [];
  const bound = column("roofline") ?? [];
  const types = column("type") ?? [];
  const dots: Dot[] = [];
  intensity.forEach((value, at) => {
    if (!positive(value) || !positive(rate[at])) return;
    const long = time[at];
    dots.push({ name: visible(String(names[at] ?? "")), intensity: value as number, rate: (rate[at] as number) / (giga ? 1 : 1e9), time: positive(long) ? (long as number) : 0, bound: String(bound[at] ?? ""), type: String(types[at] ?? "") });
  });
  return { dots, rows: intensity.length };
}

const plain = (value: number) => (value >= 1e-3 && value < 1e5 ? String(Number(value.toPrecision(3))) : value.toExponential(0));

/** Of the types of numbers the least that is above all dots, and those below it. */
function flat_roofs(roofs: Roof[], fastest: number): Roof[] {
  const flat = roofs.filter((roof) => !roof.is_memory).sort((a, b) => a.giga_per_s - b.giga_per_s);
  const own = flat.find((roof) => roof.label === "float32");
  const first = own ? flat.indexOf(own) : 0;
  const above = flat.findIndex((roof, place) => place >= first && roof.giga_per_s >= fastest);
  return above < 0 ? flat.slice(first) : flat.slice(first, above + 1);
}

/** A level of memory rises until the highest flat roof that is drawn. */
function draw_roofs(roofs: Roof[], flat: Roof[], across: Axis, up: Axis, right: number): SVGElement[] {
  const top = flat[flat.length - 1];
  if (!top) return [];
  const least = across.ticks[0]!;
  const lowest = up.ticks[0]!;
  const marks: SVGElement[] = [];
  let knee = Infinity;
  for (const roof of roofs.filter((one) => one.is_memory)) {
    const from = Math.max(least, lowest / roof.giga_per_s);
    const to = top.giga_per_s / roof.giga_per_s;
    if (across.at(to) <= plot.left || across.at(from) >= right) continue;
    const end = Math.min(to, across.most);
    knee = Math.min(knee, end);
    const ends = { x1: across.at(from), y1: up.at(from * roof.giga_per_s), x2: across.at(end), y2: up.at(end * roof.giga_per_s) };
    marks.push(mark("line", { ...ends, class: "roof", "data-roof": roof.label }));
    const turn = (Math.atan2(ends.y2 - ends.y1, ends.x2 - ends.x1) * 180) / Math.PI;
    const words = label(0, -4, "start", `${roof.label} ${plain(roof.giga_per_s)} GB/s`, Infinity, "axis-text");
    words.setAttribute("transform", `translate(${ends.x1 + 4} ${ends.y1 - 2}) rotate(${turn})`);
    marks.push(words);
  }
  for (const roof of flat) {
    const y = up.at(roof.giga_per_s);
    marks.push(mark("line", { x1: Math.min(right - 120, Math.max(plot.left, across.at(Math.max(least, knee)))), x2: right, y1: y, y2: y, class: "roof", "data-roof": roof.label }));
    marks.push(label(right, y - 4, "end", `${roof.label} ${plain(roof.giga_per_s)} GFLOP/s`, Infinity, "axis-text"));
  }
  return marks;
}

function draw(dots: Dot[], flat: Roof[], roofs: Roof[], kinds: Map<string, string>, width: number): SVGElement {
  const right = width - 16;
  const across = logarithmic(dots.map((dot) => dot.intensity), plot.left, right, width < 700 ? 4 : 8);
  const up = logarithmic([...dots.map((dot) => dot.rate), ...flat.map((roof) => roof.giga_per_s)], plot.bottom, plot.top);
  const longest = Math.max(...dots.map((dot) => dot.time), 1e-9);
  const drawn = mark("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
  drawn.setAttribute("aria-label", `${dots.length} operators by operations per byte and rate; the table below has the figures.`);
  const text = (x: number, y: number, anchor: string, words: string) => mark("text", { x, y, "text-anchor": anchor, class: "axis-text" }, words);
  for (const tick of across.ticks)
    drawn.append(mark("line", { x1: across.at(tick), x2: across.at(tick), y1: plot.top, y2: plot.bottom, class: "grid" }), text(across.at(tick), plot.bottom + 16, "middle", plain(tick)));
  for (const tick of up.ticks)
    drawn.append(mark("line", { x1: plot.left, x2: right, y1: up.at(tick), y2: up.at(tick), class: "grid" }), text(plot.left - 8, up.at(tick) + 4, "end", plain(tick)));
  drawn.append(text(right, height - 6, "end", "FLOP per byte"), text(plot.left - 8, 12, "end", "GFLOP/s"));
  drawn.append(...draw_roofs(roofs, flat, across, up, right));
  const by_time = [...dots].sort((a, b) => b.time - a.time);
  for (const dot of by_time) {
    const words = `${dot.name}: ${plain(dot.rate)} GFLOP/s at ${plain(dot.intensity)} FLOP per byte, ${with_unit(dot.time, "_us")}${dot.bound && `, ${dot.bound} bound`}`;
    drawn.append(mark("circle", { cx: across.at(dot.intensity), cy: up.at(dot.rate), r: 2 + 12 * Math.sqrt(dot.time / longest), class: `dot-roof fill-${kinds.get(dot.type) ?? "k0"}`, "data-kind": dot.type, "data-operator": dot.name }, mark("title", {}, words)));
  }
  const first = by_time[0]!;
  drawn.append(label(Math.max(plot.left + 60, Math.min(right - 60, across.at(first.intensity))), up.at(first.rate) - 16, "middle", first.name, 260));
  return drawn;
}

/** null: the table has no intensities with rates. `kinds`: of types of operators, which are coloured and picked alike everywhere. */
export function draw_roofline(table: Table, kinds: Map<string, string>, roofs: Roof[]): HTMLElement | null {
  const found = dots_of(table);
  if (found === null || found.dots.length < 3) return null;
  const { dots, rows } = found;
  const flat = flat_roofs(roofs, Math.max(...dots.map((dot) => dot.rate)));
  const rest = rows > dots.length ? ` ${rows - dots.length} rows without operations or bytes have no place here.` : "";
  const limits = flat.length ? " Lines are the measured peaks of the machine: flat of its arithmetic, rising of what its memory reads." : "";
  const how = `Rate over operations per byte, both logarithmic; the area of a dot is its time.${limits}${rest}`;
  return framed("roofline", how, fitted((width) => draw(dots, flat, roofs, kinds, width)));
}
