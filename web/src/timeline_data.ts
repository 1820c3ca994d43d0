// The events of a trace out of the page's columns: numbers of seven bits a byte (src/report/page/timeline_columns.h).

import type { TimelineData } from "./data";
import { visible } from "./dom";
import { Level } from "./timeline_level";

export interface Row {
  process: string;
  name: string;
  is_device: boolean;
  levels: Level[];
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
}

/** What is told of a name where there is little room: "vectorized_elementwise_kernel<4…", "conv2d". */
function short_name(text: string): string {
  return text.replace(/^(void |autograd::engine::evaluate_function: )/, "").replace(/^(\w+::)+(?=\w)/, "");
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
}

export function read_timeline(data: TimelineData, bytes: Uint8Array): Timeline {
  const places = data.columns ?? { steps: 0, durations: 0, names: 0 };
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
    return new Level(starts, ends, called, kind_of_name, data.kinds.length);
  };
  const rows = data.rows.map((row) => ({ ...row, levels: row.levels.map(level) }));
  return { length: Math.max(data.length_ns, 1), rows, kinds: data.kinds, names, short_names: names.map(short_name), kind_of_name, events };
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
