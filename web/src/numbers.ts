// Numbers for people: three significant figures in sentences, one unit and one number of decimals down a column.
// The exact value is always in the tooltip.

import type { Column, Value } from "./data";

interface Form {
  divisor: number;
  unit: string;
  decimals: number;
}

const times: [number, string][] = [
  [1e6, "s"],
  [1e3, "ms"],
  [1, "µs"],
  [1e-3, "ns"],
];

const rates: [number, string][] = [
  [1e9, "GB/s"],
  [1e6, "MB/s"],
  [1e3, "kB/s"],
];

/** Operations, or operations a second. */
const operations: [number, string][] = [
  [1e12, "10¹²"],
  [1e9, "10⁹"],
  [1e6, "10⁶"],
];

function decimals_of(largest: number): number {
  if (largest === 0 || largest >= 100) return 0;
  return Math.min(6, 2 - Math.floor(Math.log10(largest)));
}

function scaled(largest: number, key: string): [number, string] {
  if (key_is_time(key)) return times.find(([size]) => largest >= size) ?? [1, "µs"];
  if (key.endsWith("_bytes")) {
    if (largest >= 2 ** 20) return [2 ** 20, "MiB"];
    return largest >= 2 ** 10 ? [2 ** 10, "KiB"] : [1, "B"];
  }
  if (key.endsWith("_bytes_per_s")) return rates.find(([size]) => largest >= size) ?? [1, "B/s"];
  if (/(^|_)(flops?|flo)$/.test(key)) return operations.find(([size]) => largest >= size) ?? [1, ""];
  return [1, /_percent$|^mape$|^within_\d+$/.test(key) ? "%" : ""];
}

function key_is_time(key: string): boolean {
  return key.endsWith("_us") || key.includes("_us.");
}

export function form_of(column: Pick<Column, "key" | "values">): Form {
  let largest = 0;
  let whole = true;
  for (const value of column.values) {
    if (typeof value !== "number") continue;
    largest = Math.max(largest, Math.abs(value));
    whole = whole && Number.isInteger(value);
  }
  const [divisor, unit] = scaled(largest, column.key);
  return { divisor, unit, decimals: whole && divisor === 1 && !key_is_time(column.key) ? 0 : decimals_of(largest / divisor) };
}

export function shown(value: Value, form: Form): string {
  if (value === null) return "–";
  if (typeof value === "string") return value;
  const text = (value / form.divisor).toFixed(form.decimals);
  const [digits = "", rest] = text.replace("-", "").split(".");
  const grouped = digits.replace(/\B(?=(\d{3})+$)/g, "\u2009");
  return (value < 0 && /[1-9]/.test(digits + (rest ?? "")) ? "−" : "") + grouped + (rest ? `.${rest}` : "");
}

export function with_unit(value: Value, key: string): string {
  if (typeof value !== "number") return value ?? "not known";
  const form = form_of({ key, values: [value] });
  return shown(value, form) + (form.unit ? `\u00a0${form.unit}` : "");
}
