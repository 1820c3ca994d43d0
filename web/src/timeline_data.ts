// The events of a trace out of the page's columns: numbers of seven bits a byte (src/report/page/timeline_columns.h).

import type { TimelineData } from "./data";
import { short_name, visible } from "./dom";
import { Level } from "./timeline_level";

export interface Row {
  process: string;
  name: string;
  is_device: boolean;
  levels: Level[];
}

/** Steps: a value holds until the next. */
export interface Counter {
  process: string;
  name: string;
  times: Float64Array;
  values: Float64Array;
  low: number;
  high: number;
}

/** Times are nanoseconds from the timeline's begin. */
export interface Timeline {
  length: number;
  rows: Row[];
  kinds: { colour: string; label: string }[];
  names: string[];
  short_names: string[];
  kind_of_name: Uint8Array;
  events: number;
  /** Arrows: places of spans, in order of the first. */
  flows: { from: Uint32Array; to: Uint32Array };
  counters: Counter[];
}

class Column {
  constructor(private readonly bytes: Uint8Array, private at: number) {}

  next(): number {
    let byte = this.bytes[this.at++]!;
    if (byte < 128) return byte;
    let value = byte & 127;
    let size = 128;
    do {
      byte = this.bytes[this.at++]!;
      value += (byte & 127) * size; // beyond 31 bits: no shifts
      size *= 128;
    } while (byte >= 128);
    return value;
  }

  /** Its sign is the lowest bit. */
  difference(): number {
    const value = this.next();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  real(): number {
    const value = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.at, 8).getFloat64(0, true);
    this.at += 8;
    return value;
  }
}

function read_counter(of: TimelineData["counters"][number], unit: number, bytes: Uint8Array): Counter {
  const column = new Column(bytes, of.column);
  const times = new Float64Array(of.samples);
  const values = new Float64Array(of.samples);
  let [time, value, low, high] = [0, 0, 0, 0];
  for (let at = 0; at < of.samples; ++at) {
    times[at] = time += column.next() * unit;
    values[at] = value = of.is_whole ? value + column.difference() : column.real();
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return { process: of.process, name: visible(of.name), times, values, low, high };
}

function read_flows(data: TimelineData, bytes: Uint8Array): Timeline["flows"] {
  const column = new Column(bytes, data.columns.flows);
  const from = new Uint32Array(data.flows);
  const to = new Uint32Array(data.flows);
  for (let at = 0; at < data.flows; ++at) {
    from[at] = (from[at - 1] ?? 0) + column.next();
    to[at] = (to[at - 1] ?? 0) + column.difference();
  }
  return { from, to };
}

export function read_timeline(data: TimelineData, bytes: Uint8Array): Timeline {
  const places = data.columns;
  const steps = new Column(bytes, places.steps);
  const durations = new Column(bytes, places.durations);
  const name_places = new Column(bytes, places.names);
  const names = data.names.map(visible);
  const kind_of_name = Uint8Array.from(data.kind_of_name);
  let events = 0;
  const level = (count: number) => {
    const starts = new Float64Array(count);
    const ends = new Float64Array(count);
    const called = new Uint32Array(count);
    let time = 0;
    for (let at = 0; at < count; ++at) {
      starts[at] = time += steps.next() * data.unit_ns;
      ends[at] = time += durations.next() * data.unit_ns;
      called[at] = name_places.next();
    }
    events += count;
    return new Level(starts, ends, called, events - count, kind_of_name, data.kinds.length);
  };
  const rows = data.rows.map((row) => ({ ...row, levels: row.levels.map(level) }));
  return {
    length: Math.max(data.length_ns, 1),
    rows,
    kinds: data.kinds,
    names,
    short_names: names.map(short_name),
    kind_of_name,
    events,
    flows: read_flows(data, bytes),
    counters: data.counters.map((counter) => read_counter(counter, data.unit_ns, bytes)),
  };
}

/** A place in a timeline. */
export interface Spot {
  row: number;
  level: number;
  at: number;
}

export function level_of(timeline: Timeline, spot: Spot): Level {
  return timeline.rows[spot.row]!.levels[spot.level]!;
}

function spot_of(timeline: Timeline, place: number): Spot | null {
  for (const [row, one] of timeline.rows.entries())
    for (const [level, spans] of one.levels.entries()) if (place >= spans.first && place < spans.first + spans.length) return { row, level, at: place - spans.first };
  return null;
}

/** The arrows that end at an event, and those that begin there, as the events at their other ends. */
export function arrows_of(timeline: Timeline, spot: Spot): { from: Spot[]; to: Spot[] } {
  const place = level_of(timeline, spot).first + spot.at;
  const ends = (here: Uint32Array, there: Uint32Array) => {
    const found: Spot[] = [];
    for (let at = here.indexOf(place); at >= 0; at = here.indexOf(place, at + 1)) {
      const other = spot_of(timeline, there[at]!);
      if (other) found.push(other);
    }
    return found;
  };
  const { from, to } = timeline.flows;
  return { from: ends(to, from), to: ends(from, to) };
}

/** The next hit of a search after a time, or the one before it, over all rows; null: there is none. */
export function next_hit(timeline: Timeline, from: Spot | null, backwards: boolean): Spot | null {
  const time = from ? level_of(timeline, from).starts[from.at]! : backwards ? Infinity : -1;
  const order = (spot: Spot) => spot.row * 1e6 + spot.level;
  let best: Spot | null = null;
  let best_start = 0;
  timeline.rows.forEach((row, place) =>
    row.levels.forEach((level, depth) => {
      const here = { row: place, level: depth, at: 0 };
      // Of hits that start together the rows' order decides.
      const is_later = from !== null && order(here) > order(from);
      const is_same = from !== null && order(here) === order(from);
      let begin = is_same ? from.at + (backwards ? 0 : 1) : level.starting(time, 0);
      if (!is_same && !is_later) while (begin < level.length && level.starts[begin]! <= time) ++begin;
      here.at = level.hit(begin, backwards);
      if (here.at < 0) return;
      const start = level.starts[here.at]!;
      if (best === null || (backwards ? start >= best_start : start < best_start)) {
        best = here;
        best_start = start;
      }
    }),
  );
  return best;
}
