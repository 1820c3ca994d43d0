// The board of a pipeline: stations against the beat. A column per stage, as high as its load; what reaches the line sets
// the beat, the gap of the others is what they have to spare.

import { framed, linear, picture, tick_names } from "./axis";
import type { Board, Station } from "./data";
import { element, fitted, label, mark, visible } from "./dom";
import { with_unit } from "./numbers";

const height = 264;
const plot = { left: 56, top: 34, bottom: 190 };

function words_of(one: Station): string {
  const spare = one.spare === null ? "" : `, ${with_unit(one.spare, "_us")} to spare`;
  return `${visible(one.name)} on ${visible(one.devices)}: ${with_unit(one.load, "_us")} a batch${spare}`;
}

function draw_column(one: Station, left: number, wide: number, up: (value: number) => number): SVGElement {
  const group = mark("g", { "data-stage": one.name, "data-load": one.load }, mark("title", {}, words_of(one)));
  const block = (x: number, width: number, value: number, kind: string) =>
    mark("rect", { x, y: up(value), width: Math.max(1, width - 1), height: Math.max(0.5, plot.bottom - up(value)), class: kind });
  if (one.parts.length > 1) group.append(block(left, wide, one.load, "fill-wait-sync"));
  else group.append(block(left, wide, one.load, `fill-${one.kind}`));
  if (one.parts.length > 1)
    one.parts.forEach((part, place) => {
      const share = wide / one.parts.length;
      const drawn = block(left + place * share, share, Math.min(part.value, one.load), `fill-${part.kind}`);
      drawn.append(mark("title", {}, `${visible(part.label)}: ${with_unit(part.value, "_us")}`));
      group.append(drawn);
    });
  return group;
}

function draw(board: Board, width: number): SVGElement {
  const count = board.stations.length;
  const slot = Math.max(64, (width - plot.left - 8) / count);
  const wide = Math.min(110, slot * 0.55);
  const all = plot.left + slot * count + 8;
  const most = board.stations.reduce((one, station) => Math.max(one, station.load), board.cycle ?? 0);
  const up = linear(0, most * 1.05, plot.bottom, plot.top);
  const drawn = picture(all, height, `${count} stages against the beat: ${board.stations.map(words_of).join("; ")}`);
  if (all > width) drawn.style.minWidth = `${all}px`;
  const names = tick_names(up.ticks, "_us");
  up.ticks.forEach((tick, place) => {
    drawn.append(mark("line", { x1: plot.left, x2: all, y1: up.at(tick), y2: up.at(tick), class: place === 0 ? "axis" : "grid" }));
    drawn.append(label(plot.left - 8, up.at(tick) + 4, "end", names[place] ?? "", Infinity, "axis-text"));
  });
  board.stations.forEach((one, place) => {
    const middle = plot.left + slot * (place + 0.5);
    drawn.append(draw_column(one, middle - wide / 2, wide, up.at));
    const beat = board.cycle === null ? -Infinity : up.at(board.cycle);
    const is_under = up.at(one.load) > beat && up.at(one.load) - 20 < beat; // the figure would lie on the line
    const figure = is_under ? up.at(one.load) + 16 : up.at(one.load) - 6;
    drawn.append(label(middle, figure, "middle", with_unit(one.load, "_us"), slot, is_under ? `inside text-${one.kind}` : "mark-text"));
    drawn.append(label(middle, plot.bottom + 18, "middle", one.name, slot - 6, "mark-text strong"));
    drawn.append(label(middle, plot.bottom + 34, "middle", one.devices, slot - 6, "axis-text"));
    const waits = one.queue_wait === 0 ? "never waits" : `waits ${with_unit(one.queue_wait, "_us")}`;
    if (one.queue_wait !== null) drawn.append(label(middle, plot.bottom + 50, "middle", waits, slot - 6, "axis-text"));
    if (one.spare === null || board.cycle === null) return;
    const x = middle + wide / 2 + 4;
    drawn.append(mark("line", { x1: x, x2: x, y1: up.at(one.load), y2: beat, class: "mark-line" }));
    const words = with_unit(one.spare, "_us");
    if ((slot - wide) / 2 > 110) drawn.append(label(x + 4, Math.max((up.at(one.load) + beat) / 2 + 4, beat + 14), "start", `${words} to spare`, Infinity, "axis-text"));
    else drawn.append(label(middle, plot.bottom + 66, "middle", `spare ${words}`, slot - 2, "axis-text"));
  });
  if (board.cycle !== null) {
    const y = up.at(board.cycle);
    drawn.append(mark("line", { x1: plot.left, x2: all, y1: y, y2: y, class: "beat", "data-cycle": board.cycle }));
    drawn.append(label(plot.left, 14, "start", `the beat: a batch every ${with_unit(board.cycle, "_us")}`, Infinity, "mark-text strong"));
  }
  return drawn;
}

/** `beside`: something stands in a second column. */
export function draw_board(board: Board, beside: boolean): HTMLElement {
  const how = "Time that each stage needs for a batch, beside the beat of the whole pipeline: what reaches the line sets it. Below: device and mean wait in the queue.";
  const split = board.stations.some((one) => one.parts.length > 1) ? " A split stage has a column per device; the low colour above them waits for the later one, or splits and merges." : "";
  const scroll = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Stages against the beat" }, fitted((width) => draw(board, width), beside ? 672 : 1096));
  return framed("board", how + split, scroll);
}
