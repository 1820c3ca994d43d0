// Axes of figures: from zero in round steps, or whole powers of ten.

import { element, mark, type Child } from "./dom";
import { form_of, shown } from "./numbers";

export interface Axis {
  at: (value: number) => number;
  ticks: number[];
  most: number; // where it ends
}

/** Round numbers from zero (or the first below `low`) to `high`; about `count` of them. */
export function round_steps(low: number, high: number, count: number): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const power = 10 ** Math.floor(Math.log10(span / count));
  const step = ([1, 2, 5, 10].find((one) => span / (one * power) <= count) ?? 10) * power;
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high * (1 + 1e-9); ++at) ticks.push(Number((at * step).toPrecision(12)));
  return ticks;
}

export function linear(low: number, high: number, from: number, to: number, count = 5): Axis {
  const end = high > low ? high : low + 1;
  return { at: (value) => from + ((Math.min(end, Math.max(low, value)) - low) / (end - low)) * (to - from), ticks: round_steps(low, end, count), most: end };
}

/** Positions on a logarithmic axis of whole powers of ten around the values. */
export function logarithmic(values: number[], from: number, to: number, most_ticks = 8): Axis {
  const least = values.reduce((one, other) => Math.min(one, other), Infinity);
  const most = values.reduce((one, other) => Math.max(one, other), 0);
  const low = Math.floor(Math.log10(least));
  const high = Math.max(low + 1, Math.ceil(Math.log10(most)));
  const each = Math.ceil((high - low) / most_ticks);
  const ticks = Array.from({ length: Math.floor((high - low) / each) + 1 }, (_, place) => 10 ** (low + place * each));
  return { at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from), ticks, most: 10 ** high };
}

/** Names of ticks in one unit, which the last one has. */
export function tick_names(ticks: number[], key: string): string[] {
  const form = form_of({ key, values: ticks });
  const step = ticks.length > 1 ? Math.abs((ticks[1] ?? 0) - (ticks[0] ?? 0)) / form.divisor : 1;
  const decimals = Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9)));
  return ticks.map((tick, place) => shown(tick, { ...form, decimals }) + (place === ticks.length - 1 && form.unit ? `\u00a0${form.unit}` : ""));
}

/** A figure with the line that says how to read it; what is wider than the window scrolls by itself. */
export function framed(kind: string, how: string, ...children: Child[]): HTMLElement {
  return element("figure", { class: kind }, element("figcaption", {}, how), ...children);
}

export function picture(width: number, height: number, says: string): SVGElement {
  const drawn = mark("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
  drawn.setAttribute("aria-label", says);
  return drawn;
}
