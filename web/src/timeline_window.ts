// The window of a timeline: what is looked at, which never leaves the trace.

const least = 20; // nanoseconds

export class Window {
  from = 0;
  to: number;

  constructor(private readonly length: number) {
    this.to = length;
  }

  get span(): number {
    return this.to - this.from;
  }

  set(from: number, to: number): void {
    const span = Math.min(this.length, Math.max(Math.min(least, this.length), to - from));
    this.from = Math.max(0, Math.min(from, this.length - span));
    this.to = this.from + span;
  }

  /** `factor` below 1 shows less; the time at `place` (0 left, 1 right) stays where it is. */
  zoom(factor: number, place = 0.5): void {
    const at = this.from + place * this.span;
    const span = Math.min(this.length, Math.max(Math.min(least, this.length), this.span * factor));
    this.set(at - place * span, at + (1 - place) * span);
  }

  /** By a share of the window. */
  move(share: number): void {
    this.set(this.from + share * this.span, this.to + share * this.span);
  }

  all(): void {
    this.set(0, this.length);
  }

  /** Moves only if the span is not in sight, and shows more only if it does not fit. */
  reveal(start: number, end: number): void {
    if (start >= this.from && end <= this.to) return;
    const span = Math.max(this.span, (end - start) * 1.5);
    const middle = (start + end) / 2;
    this.set(middle - span / 2, middle + span / 2);
  }
}
