// What a timeline shows beside its spans: counters as stepped areas, and the arrows of the event that is chosen.

import type { Colours } from "./timeline_colours";
import { arrows_of, level_of, type Counter, type Spot, type Timeline } from "./timeline_data";
import type { Layout, Place } from "./timeline_layout";
import { x_of, type View } from "./timeline_paint";

const most_arrows = 50;

/** The last sample at or before a time; -1: there is none. */
export function sample_at(counter: Counter, time: number): number {
  let low = 0;
  let high = counter.times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (counter.times[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** A column of each pixel, as high as the largest value in it. */
export function draw_counter(context: CanvasRenderingContext2D, counter: Counter, view: View, place: Place, top: number, colours: Colours): void {
  const range = counter.high - counter.low || 1;
  const bottom = place.top - top + place.height;
  const zero = bottom - ((0 - counter.low) / range) * place.height;
  const step = (view.to - view.from) / view.width;
  let at = sample_at(counter, view.from);
  context.fillStyle = colours.copy;
  context.globalAlpha = 0.45;
  for (let x = 0; x < view.width; ++x) {
    let value = at >= 0 ? counter.values[at]! : 0;
    const end = view.from + (x + 1) * step;
    while (at + 1 < counter.times.length && counter.times[at + 1]! < end) {
      const next = counter.values[++at]!;
      if (Math.abs(next) > Math.abs(value)) value = next;
    }
    const y = bottom - ((value - counter.low) / range) * place.height;
    if (value !== 0) context.fillRect(view.left + x, Math.min(y, zero), 1, Math.max(1, Math.abs(zero - y)));
  }
  context.globalAlpha = 1;
}

/** From the end of what launches to the start of what is launched; from its start where that was first. */
export function draw_arrows(context: CanvasRenderingContext2D, timeline: Timeline, chosen: Spot, view: View, layout: Layout, top: number, colours: Colours): void {
  const y_of = (spot: Spot) => {
    const place = layout.rows[spot.row]!;
    return place.top - top + (place.folded ? 0 : spot.level * place.lane) + place.lane / 2;
  };
  const { from, to } = arrows_of(timeline, chosen);
  const pairs = [...from.map((one) => [one, chosen] as const), ...to.map((one) => [chosen, one] as const)];
  context.save();
  context.beginPath();
  context.rect(view.left, 0, view.width, layout.height);
  context.clip();
  context.strokeStyle = context.fillStyle = colours.ink;
  context.lineWidth = 1.25;
  for (const [begin, end] of pairs.slice(0, most_arrows)) {
    const source = level_of(timeline, begin);
    const start = level_of(timeline, end).starts[end.at]!;
    const [x1, y1] = [x_of(view, Math.min(source.ends[begin.at]!, Math.max(start, source.starts[begin.at]!))), y_of(begin)];
    const [x2, y2] = [x_of(view, start), y_of(end)];
    const bend = Math.max(12, Math.abs(x2 - x1) / 2);
    context.beginPath();
    context.moveTo(x1, y1);
    context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    context.stroke();
    context.beginPath();
    context.moveTo(x2, y2);
    context.lineTo(x2 - 6, y2 - 3.5);
    context.lineTo(x2 - 6, y2 + 3.5);
    context.fill();
  }
  context.restore();
}
