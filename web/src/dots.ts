// Rows of dots on one axis: filled is measured, hollow is estimated or predicted, a line is an interval, which lies on both.
// Figures stand at the right, names at the left; on a phone both stand above their row.

import { linear, picture, tick_names } from "./axis";
import { label, mark, visible } from "./dom";

export interface DotRow {
  name: string;
  glyph?: (x: number, y: number, width: number, height: number) => SVGElement; // instead of the name
  filled: number | null;
  hollow: number | null;
  low: number | null;
  high: number | null;
  words: string[]; // under the heads
  kind?: string; // "worse", …; of the hollow dot and of its figures
  says: string; // the tooltip
  strong?: boolean;
}

export interface DotFigure {
  key: string; // of the quantity: its unit
  heads: string[];
  says: string;
  from_zero?: boolean;
  band?: [number, number] | null; // what no row can be below: noise
}

const line = 26;

function draw_row(row: DotRow, y: number, x: (value: number) => number): SVGElement[] {
  const marks: SVGElement[] = [];
  const hollow = row.hollow !== null && row.filled !== null ? [row.filled, row.hollow] : [];
  if (hollow.length === 2) marks.push(mark("line", { x1: x(hollow[0]!), x2: x(hollow[1]!), y1: y, y2: y, class: `missed ${row.kind ?? ""}` }));
  if (row.low !== null && row.high !== null) {
    const ends = { x1: x(row.low), x2: x(row.high), y1: y, y2: y };
    marks.push(mark("line", { ...ends, class: "halo" }), mark("line", { ...ends, class: "interval" }));
  }
  if (row.hollow !== null) marks.push(mark("circle", { cx: x(row.hollow), cy: y, r: 5.5, class: `estimated ${row.kind ?? ""}`, "data-exact": row.hollow }));
  if (row.filled !== null) marks.push(mark("circle", { cx: x(row.filled), cy: y, r: 3.5, class: "measured", "data-exact": row.filled }));
  return marks;
}

export function draw_dots(rows: DotRow[], figure: DotFigure, width: number): SVGElement {
  const narrow = width < 700;
  const each = narrow ? line + 20 : line;
  const column = narrow ? 76 : 92;
  const left = narrow ? 6 : 250;
  const right = narrow ? width - 8 : width - column * figure.heads.length - 20;
  const top = 26;
  const bottom = top + rows.length * each;
  const all = rows.flatMap((row) => [row.filled, row.hollow, row.low, row.high]).filter((value): value is number => value !== null);
  const most = all.reduce((one, other) => Math.max(one, other), figure.band?.[1] ?? 0);
  const least = all.reduce((one, other) => Math.min(one, other), 0);
  const axis = linear(least, most * 1.02, left, right, narrow ? 3 : 6);
  const drawn = picture(width, bottom + 24, figure.says);
  if (figure.band) drawn.append(mark("rect", { x: axis.at(figure.band[0]), y: top, width: Math.max(1, axis.at(figure.band[1]) - axis.at(figure.band[0])), height: bottom - top, class: "band" }));
  const names = tick_names(axis.ticks, figure.key);
  axis.ticks.forEach((tick, place) => {
    drawn.append(mark("line", { x1: axis.at(tick), x2: axis.at(tick), y1: top, y2: bottom, class: tick === 0 ? "axis" : "grid" }));
    drawn.append(label(axis.at(tick), bottom + 16, place === 0 && narrow ? "start" : axis.at(tick) > width - 30 ? "end" : "middle", names[place] ?? "", Infinity, "axis-text"));
  });
  figure.heads.forEach((head, place) => drawn.append(label(width - column * (figure.heads.length - 1 - place), 14, "end", head, column, "axis-text")));
  rows.forEach((row, place) => {
    const above = top + place * each;
    const y = above + (narrow ? each - line / 2 : each / 2);
    const text_y = narrow ? above + 14 : y + 4;
    const group = mark("g", { "data-row": row.name }, mark("title", {}, visible(row.says)));
    const kind = row.strong ? "mark-text strong" : "mark-text";
    if (row.glyph) group.append(row.glyph(0, narrow ? above + 2 : y - 9, narrow ? width - column * figure.heads.length - 12 : 224, narrow ? 14 : 18));
    else group.append(label(narrow ? 0 : left - 12, text_y, narrow ? "start" : "end", row.name, narrow ? width - column * figure.heads.length - 12 : left - 16, kind));
    group.append(...draw_row(row, y, axis.at));
    row.words.forEach((words, at) => group.append(label(width - column * (row.words.length - 1 - at), text_y, "end", words, column, at === row.words.length - 1 && row.kind ? `mark-text text-${row.kind}` : "mark-text")));
    drawn.append(group);
  });
  return drawn;
}
