// Where the rows of a timeline lie: levels below each other, a folded row as one low lane; on a phone names stand above.

import type { Timeline } from "./timeline_data";

export const lane = 16;
const single_lane = 24;
const folded_lane = 12;
const counter_height = 40;
const gap = 10;
const usual_left = 136;
const wide_left = 196; // of ranks, whose names stand before those of their rows
const long_name = 22;
const label_line = 16;
const most_rows = 12;
const most_levels = 40;

export interface Place {
  top: number;
  height: number;
  lane: number;
  folded: boolean;
}

export interface Layout {
  left: number;
  height: number;
  rows: Place[];
  counters: Place[];
}

/** Rows are folded at first where there are many. */
export function folded_at_first(timeline: Timeline): boolean[] {
  const levels = timeline.rows.reduce((sum, row) => sum + row.levels.length, 0);
  const is_much = timeline.rows.length > most_rows || levels > most_levels;
  return timeline.rows.map((row) => is_much && (timeline.rows.length > most_rows || row.levels.length > most_levels / 4));
}

export function layout_of(timeline: Timeline, folded: boolean[], width: number): Layout {
  const are_long = timeline.rows.some((row) => row.name.length > long_name);
  const left = width < 640 ? 0 : are_long ? wide_left : usual_left;
  let top = 4;
  const rows = timeline.rows.map((row, at): Place => {
    const is_folded = folded[at] === true;
    if (left === 0) top += label_line;
    const high = is_folded ? folded_lane : row.levels.length === 1 ? single_lane : lane;
    const place = { top, height: is_folded ? high : high * row.levels.length, lane: high, folded: is_folded };
    top += Math.max(place.height, left > 0 ? label_line : 0) + gap;
    return place;
  });
  const counters = timeline.counters.map((): Place => {
    if (left === 0) top += label_line;
    const place = { top, height: counter_height, lane: counter_height, folded: false };
    top += counter_height + gap;
    return place;
  });
  return { left, height: Math.max(top, 40), rows, counters };
}

/** The row and level under a height; null: between rows. Of a folded row the outermost level. */
export function lane_at(layout: Layout, y: number): { row: number; level: number } | null {
  const row = layout.rows.findIndex((place) => y >= place.top && y < place.top + place.height);
  const place = layout.rows[row];
  if (!place) return null;
  return { row, level: place.folded ? 0 : Math.floor((y - place.top) / place.lane) };
}
