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
  title: string;
  whole: number;
  whole_label: string;
  parts: Part[];
}

export interface Result {
  name: string;
  headline: string;
  lede: string;
  origin: { label: string; value: string }[];
  facts: { label: string; value: Value; key: string; meaning: string }[];
  bars: Bar[];
  runs_us: number[];
  missing: string[];
  tables: Table[];
}

export interface Page {
  command: string;
  takt_version: string;
  results: Result[];
}

export async function read_page(): Promise<Page> {
  const text = document.getElementById("takt-data")?.textContent ?? "";
  const packed = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return (await new Response(plain).json()) as Page;
}
