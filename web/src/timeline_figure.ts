// The picture of a timeline: two canvases (the overview with the ruler; the rows) and the names of the rows beside them.

import type { TimelineData } from "./data";
import { element, name } from "./dom";
import { with_unit } from "./numbers";
import { read_colours } from "./timeline_colours";
import { read_timeline, type Counter, type Spot, type Timeline } from "./timeline_data";
import { folded_at_first, lane_at, layout_of, type Layout } from "./timeline_layout";
import { Painter, type View } from "./timeline_paint";
import { sample_at } from "./timeline_extras";
import { draw_overview, draw_ruler, exact_time, overview_height, ruler_height, shares_of } from "./timeline_ruler";
import { Window } from "./timeline_window";

const tallest = 640; // pixels of rows; more scroll
const paper_width = 688; // of A4 within its margins

function context_of(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d", { alpha: false })!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

export class Figure {
  readonly top = element("canvas", { class: "ruler", "aria-hidden": "true" });
  readonly picture = element("canvas", { role: "img" });
  readonly window: Window;
  chosen: Spot | null = null;
  private readonly inner = element("div", { class: "rows" }, this.picture);
  readonly frame = element("div", { class: "lanes" }, this.inner);
  private read: Timeline | null = null;
  private folded: boolean[] = [];
  private layout: Layout = { left: 0, height: 0, rows: [], counters: [] };
  private painter: Painter | null = null;
  private shares = new Float32Array();
  private width = 0;
  private is_asked = false;

  constructor(
    private readonly data: TimelineData,
    private readonly bytes: Uint8Array,
    private readonly drawn: () => void,
  ) {
    this.window = new Window(Math.max(1, data.length_ns));
    new ResizeObserver(() => this.measure()).observe(this.frame);
    this.frame.addEventListener("scroll", () => this.ask());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour(false));
    window.addEventListener("beforeprint", () => this.print(true));
    window.addEventListener("afterprint", () => this.print(false));
  }

  /** Decoded when it is first looked at. */
  get timeline(): Timeline {
    if (this.read === null) {
      this.read = read_timeline(this.data, this.bytes);
      this.folded = folded_at_first(this.read);
    }
    return this.read;
  }

  get plot(): { left: number; width: number } {
    return { left: this.layout.left, width: this.width - this.layout.left };
  }

  /** One frame, however often it is asked for. */
  ask(): void {
    if (this.is_asked || this.width === 0) return;
    this.is_asked = true;
    requestAnimationFrame(() => {
      this.is_asked = false;
      this.draw();
    });
  }

  share_at(event: MouseEvent): number {
    const { left, width } = this.plot;
    return (event.clientX - this.top.getBoundingClientRect().left - left) / width;
  }

  /** The span under the pointer, or the nearest within three pixels. */
  spot_at(event: MouseEvent): Spot | null {
    const found = lane_at(this.layout, event.clientY - this.inner.getBoundingClientRect().top);
    const share = this.share_at(event);
    if (found === null || share < 0 || share > 1) return null;
    const level = this.timeline.rows[found.row]!.levels[found.level]!;
    const time = this.window.from + share * this.window.span;
    const reach = (3 / this.plot.width) * this.window.span;
    const at = level.after(time - reach);
    return at < level.length && level.starts[at]! <= time + reach ? { ...found, at: nearest(time, at, level) } : null;
  }

  /** Opens the row of a span and scrolls to it. */
  reveal(spot: Spot): void {
    if (this.folded[spot.row] && spot.level > 0) this.fold(spot.row, false);
    const place = this.layout.rows[spot.row];
    if (!place) return;
    const y = place.top + (place.folded ? 0 : spot.level * place.lane);
    if (y < this.frame.scrollTop || y > this.frame.scrollTop + this.frame.clientHeight - 20) this.frame.scrollTop = y - 60;
  }

  private measure(): void {
    const width = this.frame.clientWidth;
    if (width === 0 || width === this.width) return;
    this.lay_out(width);
    this.draw();
  }

  private lay_out(width: number): void {
    this.width = width;
    this.layout = layout_of(this.timeline, this.folded, width);
    this.inner.style.height = `${this.layout.height}px`;
    this.frame.style.maxHeight = `${tallest}px`;
    this.shares = shares_of(this.timeline, Math.max(1, Math.floor(this.plot.width)));
    const counters = this.timeline.counters.map((_, at) => this.counter_label(at));
    this.inner.replaceChildren(this.picture, ...this.timeline.rows.map((_, row) => this.label(row)), ...counters);
  }

  private fold(row: number, is_folded: boolean): void {
    this.folded[row] = is_folded;
    this.lay_out(this.width);
    this.draw();
  }

  private label(row: number): HTMLElement {
    const { name: text, process, levels } = this.timeline.rows[row]!;
    const is_folded = this.folded[row] === true;
    const made = element("button", { type: "button", class: "row", "aria-expanded": String(!is_folded) }, name(text));
    made.title = `${text}\n${process}`;
    this.put(made, this.layout.rows[row]!.top);
    if (levels.length === 1 && !is_folded) made.removeAttribute("aria-expanded");
    made.addEventListener("click", () => {
      this.fold(row, !is_folded);
      this.inner.querySelectorAll<HTMLElement>(".row")[row]?.focus();
    });
    return made;
  }

  /** Beside what begins at `top`; on a phone above it. */
  private put(made: HTMLElement, top: number): void {
    const { left } = this.layout;
    made.style.top = `${top - (left === 0 ? 17 : 1)}px`;
    made.style.width = left === 0 ? "100%" : `${left - 8}px`;
  }

  private counter_label(at: number): HTMLElement {
    const counter = this.timeline.counters[at]!;
    const made = element("div", { class: "row" }, name(counter.name), element("br"), element("i", {}, `to ${this.value_of(counter, counter.high)}`));
    made.title = `${counter.name}\n${counter.process}`;
    this.put(made, this.layout.counters[at]!.top);
    return made;
  }

  /** Memory in bytes, anything else as it was counted. */
  private value_of(counter: Counter, value: number): string {
    return with_unit(value, counter.process.startsWith("memory") ? "_bytes" : "");
  }

  /** What a counter under the pointer says; null: there is none. */
  counter_at(event: MouseEvent): string | null {
    const y = event.clientY - this.inner.getBoundingClientRect().top;
    const found = this.layout.counters.findIndex((place) => y >= place.top && y < place.top + place.height);
    const counter = this.timeline.counters[found];
    const share = this.share_at(event);
    if (!counter || share < 0 || share > 1) return null;
    const time = this.window.from + share * this.window.span;
    const at = sample_at(counter, time);
    return at < 0 ? null : `${counter.name}: ${this.value_of(counter, counter.values[at]!)} at ${exact_time(Math.round(time))}`;
  }

  private recolour(on_paper: boolean): void {
    this.painter = new Painter(this.timeline, read_colours(on_paper));
    this.ask();
  }

  /** At once, on paper in the light colours: no frame runs before a page is printed. */
  private print(on_paper: boolean): void {
    const width = on_paper ? paper_width : this.frame.clientWidth;
    if (width > 0) this.lay_out(width);
    this.recolour(on_paper);
    this.draw();
  }

  private draw(): void {
    if (this.width === 0) return;
    this.painter ??= new Painter(this.timeline, read_colours(false));
    const view: View = { from: this.window.from, to: this.window.to, ...this.plot };
    const { colours } = this.painter;
    const context = context_of(this.top, this.width, overview_height + ruler_height);
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, this.width, overview_height + ruler_height);
    draw_overview(context, this.timeline, this.shares, view, colours);
    draw_ruler(context, view, colours);
    const height = Math.min(this.layout.height, tallest);
    const rows = context_of(this.picture, this.width, height);
    this.painter.draw(rows, view, this.layout, this.frame.scrollTop, height, this.chosen);
    this.drawn();
  }
}

function nearest(time: number, at: number, level: { starts: Float64Array; ends: Float64Array; length: number }): number {
  const far = (one: number) => Math.max(level.starts[one]! - time, time - level.ends[one]!, 0);
  while (at + 1 < level.length && far(at + 1) < far(at)) ++at;
  return at;
}
