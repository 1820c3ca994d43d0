// A level of a row: spans that do not overlap, in order, as columns of numbers. What many spans have in common (the time
// in use, the kind that takes most of it, hits of a search) is asked of sums, not of every span.

const block = 64; // spans that share a line of sums by kind

export class Level {
  /** Time in use before each span, and before the end. */
  private readonly used: Float64Array;
  private readonly sums: Float32Array;
  private hits: Uint32Array | null = null;

  constructor(
    readonly starts: Float64Array,
    readonly ends: Float64Array,
    readonly names: Uint32Array,
    /** The place of the first span among those of all levels. */
    readonly first: number,
    private readonly kind_of_name: Uint8Array,
    private readonly kinds: number,
  ) {
    this.used = new Float64Array(starts.length + 1);
    this.sums = new Float32Array(Math.ceil(starts.length / block) * kinds);
    let used = 0;
    for (let at = 0; at < starts.length; ++at) {
      const long = ends[at]! - starts[at]!;
      this.sums[((at / block) | 0) * kinds + kind_of_name[names[at]!]!]! += long;
      this.used[at + 1] = used += long;
    }
  }

  get length(): number {
    return this.starts.length;
  }

  kind(at: number): number {
    return this.kind_of_name[this.names[at]!]!;
  }

  /** The first span that ends after `time`. */
  after(time: number): number {
    return first(this.ends, 0, this.length, (end) => end > time);
  }

  /** The first span from `from` on that starts at `time` or later: near ones are found at once. */
  starting(time: number, from: number): number {
    let step = 1;
    let high = from;
    while (high < this.length && this.starts[high]! < time) {
      from = high + 1;
      high += step;
      step *= 2;
    }
    return first(this.starts, from, Math.min(high, this.length), (start) => start >= time);
  }

  /** Time in use of spans from..to-1. */
  time(from: number, to: number): number {
    return this.used[to]! - this.used[from]!;
  }

  /** Time in use before `time`. */
  used_before(time: number): number {
    const at = this.after(time);
    return this.used[at]! + (at < this.length ? Math.max(0, time - this.starts[at]!) : 0);
  }

  /** The kind that takes most of spans from..to-1. `scratch` has a place per kind. */
  main_kind(from: number, to: number, scratch: Float64Array): number {
    if (to - from === 1) return this.kind(from);
    scratch.fill(0);
    let at = from;
    while (at < to) {
      if (at % block === 0 && at + block <= to) {
        const line = (at / block) * this.kinds;
        for (let kind = 0; kind < this.kinds; ++kind) scratch[kind]! += this.sums[line + kind]!;
        at += block;
      } else {
        scratch[this.kind(at)]! += Math.max(1e-3, this.ends[at]! - this.starts[at]!);
        ++at;
      }
    }
    let most = 0;
    for (let kind = 1; kind < this.kinds; ++kind) if (scratch[kind]! > scratch[most]!) most = kind;
    return most;
  }

  /** Marks the spans of these names; returns how many there are and their time. */
  search(is_hit: Uint8Array | null): { count: number; time: number } {
    if (is_hit === null) {
      this.hits = null;
      return { count: 0, time: 0 };
    }
    const hits = (this.hits ??= new Uint32Array(this.length + 1));
    let count = 0;
    let time = 0;
    for (let at = 0; at < this.length; ++at) {
      if (is_hit[this.names[at]!]) {
        ++count;
        time += this.ends[at]! - this.starts[at]!;
      }
      hits[at + 1] = count;
    }
    return { count, time };
  }

  /** How many of spans from..to-1 are hits; all are while nothing is searched for. */
  hits_in(from: number, to: number): number {
    return this.hits ? this.hits[to]! - this.hits[from]! : to - from;
  }

  /** The first hit from `from` on, or the last one before it; -1: none. */
  hit(from: number, backwards: boolean): number {
    if (!this.hits) return -1;
    const before = this.hits[from]!;
    const wanted = backwards ? before : before + 1;
    if (wanted < 1 || wanted > this.hits[this.length]!) return -1;
    return first(this.hits, 0, this.length + 1, (count) => count >= wanted) - 1;
  }
}

function first(values: Float64Array | Uint32Array, low: number, high: number, is_past: (value: number) => boolean): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (is_past(values[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
