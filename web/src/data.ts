// What src/report puts into the page: columns of values, deflated, in base64. The page computes none of it.

export type Value = string | number | null;

export interface Column {
  key: string;
  title: string;
  meaning: string;
  values: Value[];
}

export interface Table {
  name: string;
  sentence: string;
  named_rows: Record<string, string>;
  columns: Column[];
}

export interface Part {
  label: string;
  kind: string;
  value: number;
}

/** Parts that add up to `whole`, all in microseconds. */
export interface Bar {
  view: string;
  title: string;
  whole: number;
  whole_label: string;
  parts: Part[];
}

/** The columns of numbers lie in Page.bytes; src/report/page/timeline_columns.h says how. */
export interface TimelineData {
  begin_ns: number;
  length_ns: number;
  unit_ns: number;
  left_out: number;
  note: string;
  kinds: { colour: string; label: string }[];
  names: string[];
  kind_of_name: number[];
  rows: { process: string; name: string; is_device: boolean; levels: number[] }[];
  ranks: { file: string; begin_ns: number }[]; // traces side by side; none: of one
  columns: { steps: number; durations: number; names: number; flows: number };
  flows: number;
  counters: { process: string; name: string; samples: number; is_whole: boolean; column: number }[];
}

/** A stage against the beat; times in microseconds. */
export interface Station {
  name: string;
  devices: string;
  kind: string;
  load: number;
  spare: number | null;
  queue_wait: number | null;
  held: number | null;
  parts: Part[];
}

export interface Board {
  cycle: number | null;
  stations: Station[];
  binds: string;
}

export interface Knob {
  key: string;
  label: string;
  values: string[];
  recorded: number;
}

/** A row of `answers` for each setting of the knobs, those of the last knob next to each other. */
export interface WhatIf {
  name: string;
  knobs: Knob[];
  answers: Table;
}

/** Operators in the order of execution: times in microseconds, bytes that results hold meanwhile, place in the graph. */
export interface Steps {
  name: string[];
  type: string[];
  kind: string[];
  time: number[];
  alive: (number | null)[];
  reads: number[][]; // steps before
  level: number[];
  on_chain: boolean[];
  block: (number | null)[]; // the innermost that it is in
}

/** Operators of a large model that stand together; `parent` is an earlier one. Time in microseconds. */
export interface Block {
  name: string;
  parent: number | null;
  steps: number;
  time: number;
}

/** A limit of the machine: 10^9 operations or bytes per second. */
export interface Roof {
  label: string;
  is_memory: boolean;
  giga_per_s: number;
}

/** A size of a sweep: times in microseconds, null where no law was fitted. */
export interface Point {
  stage: string;
  unit: string;
  nodes: number;
  edges: number;
  size: number;
  measured: number;
  law: number | null;
  law_low: number | null;
  law_high: number | null;
}

export interface Result {
  name: string;
  headline: string;
  lede: string;
  origin: { label: string; value: string }[];
  facts: { label: string; value: Value; key: string; meaning: string }[];
  board?: Board;
  bars: Bar[];
  steps: Steps;
  blocks: Block[];
  roofs: Roof[];
  points: Point[];
  what_ifs: WhatIf[];
  what_if_command: string;
  titles: Record<string, string>;
  runs_us: number[];
  run_marks: { label: string; value: number }[];
  timeline?: TimelineData;
  missing: string[];
  tables: Table[];
}

export interface Page {
  command: string;
  takt_version: string;
  results: Result[];
}

/** A page with the columns of its timelines. */
export type Packed = Page & { bytes: Uint8Array };

function bytes_of(base64: string): Uint8Array<ArrayBuffer> {
  const letters = atob(base64.trim());
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; ++at) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

export async function read_page(): Promise<Packed> {
  const packed = bytes_of(document.getElementById("takt-data")?.textContent ?? "");
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const data = new Uint8Array(await new Response(plain).arrayBuffer());
  const end = data.indexOf(0); // of the JSON, which has no NUL
  const text = new TextDecoder().decode(end < 0 ? data : data.subarray(0, end));
  return { ...(JSON.parse(text) as Page), bytes: end < 0 ? new Uint8Array() : data.subarray(end + 1) };
}
