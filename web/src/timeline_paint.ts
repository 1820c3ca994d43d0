// One frame of a timeline. What a frame costs depends on its pixels and lanes, not on the events: spans narrower than a
// pixel are found together by binary search and drawn as one column, as high as the share of the pixel's time that they
// take, in the colour of the kind that takes most of it.

import type { Timeline, Spot } from "./timeline_data";
import { level_of } from "./timeline_data";
import type { Layout, Place } from "./timeline_layout";
import type { Level } from "./timeline_level";
import { draw_arrows, draw_counter } from "./timeline_extras";
import { colour_of, is_wait, text_on, type Colours } from "./timeline_colours";

const narrow = 1.5; // pixels, of spans that are merged
const least_text = 28;
const letter = 6.4; // pixels of a letter of 11 px, on average
const strip = 4;

/** What is looked at: nanoseconds from..to on `width` pixels. */
export interface View {
  from: number;
  to: number;
  left: number;
  width: number;
}

export function x_of(view: View, time: number): number {
  return view.left + ((time - view.from) / (view.to - view.from)) * view.width;
}

interface Text {
  x: number;
  y: number;
  room: number;
  text: string;
  colour: string;
}

export class Painter {
  private readonly fills: string[];
  private readonly waits: boolean[];
  private readonly rects: number[][];
  private readonly pale: number[][];
  private readonly scratch: Float64Array;
  private texts: Text[] = [];

  constructor(
    private readonly timeline: Timeline,
    readonly colours: Colours,
  ) {
    this.fills = [...timeline.kinds.map((kind) => colour_of(kind.colour, colours)), colours.line];
    this.waits = timeline.kinds.map((kind) => is_wait(kind.colour));
    this.rects = this.fills.map(() => []);
    this.pale = this.fills.map(() => []);
    this.scratch = new Float64Array(timeline.kinds.length);
  }

  /** Draws what lies between `top` and `top + height` of the layout. */
  draw(context: CanvasRenderingContext2D, view: View, layout: Layout, top: number, height: number, chosen: Spot | null): void {
    context.fillStyle = this.colours.paper;
    context.fillRect(0, 0, view.left + view.width, height);
    layout.rows.forEach((place, row) => {
      if (place.top > top + height || place.top + place.height < top) return;
      context.fillStyle = this.colours.raise;
      context.fillRect(view.left, place.top - top, view.width, place.height);
      this.timeline.rows[row]!.levels.forEach((level, depth) => {
        const y = place.top - top + (place.folded ? 0 : depth * place.lane);
        if (y < height && y + place.lane > 0) this.level(level, view, y, place, place.folded && depth > 0);
      });
    });
    this.flush(context);
    layout.counters.forEach((place, at) => {
      if (place.top > top + height || place.top + place.height < top) return;
      context.fillStyle = this.colours.raise;
      context.fillRect(view.left, place.top - top, view.width, place.height);
      draw_counter(context, this.timeline.counters[at]!, view, place, top, this.colours);
    });
    if (chosen) draw_arrows(context, this.timeline, chosen, view, layout, top, this.colours);
    if (chosen) this.outline(context, view, layout, top, chosen);
  }

  private level(level: Level, view: View, y: number, place: Place, only_hits: boolean): void {
    if (only_hits && level.hits_in(0, level.length) === level.length) return; // nothing is searched for
    const scale = view.width / (view.to - view.from);
    const end = view.left + view.width;
    for (let at = level.after(view.from); at < level.length && level.starts[at]! < view.to; ) {
      const x = view.left + (level.starts[at]! - view.from) * scale;
      if ((level.ends[at]! - level.starts[at]!) * scale >= narrow) {
        if (!only_hits || level.hits_in(at, at + 1) > 0)
          this.block(level, at, Math.max(view.left, x), Math.min(end, view.left + (level.ends[at]! - view.from) * scale), y, place);
        ++at;
        continue;
      }
      const pixel = Math.floor(x);
      let next = level.starting(view.from + (pixel + 1 - view.left) / scale, at + 1);
      if (next - at > 1 && (level.ends[next - 1]! - level.starts[next - 1]!) * scale >= narrow) --next;
      if (pixel >= view.left) this.column(level, at, next, pixel, scale, y, place, only_hits);
      at = next;
    }
  }

  private block(level: Level, at: number, x: number, end: number, y: number, place: Place): void {
    const is_hit = level.hits_in(at, at + 1) > 0;
    const kind = is_hit ? level.kind(at) : this.fills.length - 1;
    const wide = Math.max(end - x - (end - x > 3 ? 0.5 : 0), 1);
    const high = place.lane - (place.folded ? 0 : 1);
    const is_low = is_hit && this.waits[kind] === true;
    if (is_low) this.pale[kind]!.push(x, y, wide, high);
    this.rects[kind]!.push(x, is_low ? y + high - strip : y, wide, is_low ? strip : high);
    if (wide < least_text || place.lane < 14) return;
    const colour = is_low || !is_hit ? this.colours.ink : text_on(this.fills[kind]!);
    this.texts.push({ x: x + 3, y: y + place.lane / 2, room: wide - 6, text: this.timeline.short_names[level.names[at]!] ?? "", colour });
  }

  private column(level: Level, from: number, to: number, x: number, scale: number, y: number, place: Place, only_hits: boolean): void {
    const hits = level.hits_in(from, to);
    if (only_hits && hits === 0) return;
    const grey = this.fills.length - 1;
    const kind = hits === 0 ? grey : hits === to - from ? level.main_kind(from, to, this.scratch) : level.kind(level.hit(from, false));
    const high = place.lane - (place.folded ? 0 : 1);
    const share = Math.min(1, level.time(from, to) * scale);
    const tall = this.waits[kind] === true ? strip : Math.max(hits > 0 && hits < to - from ? high / 2 : 2, share * high);
    this.rects[kind]!.push(x, y + high - tall, 1, tall);
  }

  private flush(context: CanvasRenderingContext2D): void {
    const fill = (lists: number[][]) =>
      lists.forEach((list, kind) => {
        context.fillStyle = this.fills[kind]!;
        for (let at = 0; at < list.length; at += 4) context.fillRect(list[at]!, list[at + 1]!, list[at + 2]!, list[at + 3]!);
        list.length = 0;
      });
    context.globalAlpha = 0.2;
    fill(this.pale);
    context.globalAlpha = 1;
    fill(this.rects);
    context.font = "11px ui-sans-serif, system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.direction = "ltr";
    for (const { x, y, room, text, colour } of this.texts) {
      const letters = Math.floor(room / letter);
      context.fillStyle = colour;
      context.fillText(text.length <= letters ? text : `${text.slice(0, Math.max(1, letters - 1))}…`, x, y, room);
    }
    this.texts = [];
  }

  private outline(context: CanvasRenderingContext2D, view: View, layout: Layout, top: number, spot: Spot): void {
    const place = layout.rows[spot.row];
    const level = level_of(this.timeline, spot);
    if (!place || level.ends[spot.at]! < view.from || level.starts[spot.at]! > view.to) return;
    const x = Math.max(view.left, x_of(view, level.starts[spot.at]!));
    const wide = Math.max(3, Math.min(view.left + view.width, x_of(view, level.ends[spot.at]!)) - x);
    context.strokeStyle = this.colours.ink;
    context.lineWidth = 2;
    context.strokeRect(x, place.top - top + (place.folded ? 0 : spot.level * place.lane), wide, place.lane - 1);
  }
}
