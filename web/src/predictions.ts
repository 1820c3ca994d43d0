// Predictions: models predicted and run, the errors of ways to predict, and kernels in the order of execution by where their
// time is from.

import { framed, linear, picture, tick_names } from "./axis";
import { Rows } from "./cells";
import type { Table } from "./data";
import { fitted, label, mark, visible } from "./dom";
import { draw_dots, type DotRow } from "./dots";
import { with_unit } from "./numbers";

const most = 40;

const last_part = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** Of `takt evaluate`. */
export function draw_evaluated(table: Table): HTMLElement | null {
  const rows = new Rows(table);
  if (!rows.has("model", "measured_ms", "predicted_ms", "error_percent")) return null;
  const known = rows.where((row) => rows.number("measured_ms", row) !== null || rows.number("predicted_ms", row) !== null);
  if (known.length === 0) return null;
  const us = (key: string, row: number) => (rows.number(key, row) === null ? null : rows.number(key, row)! * 1000);
  known.sort((a, b) => (us("measured_ms", b) ?? 0) - (us("measured_ms", a) ?? 0));
  const dots = known.slice(0, most).map((row): DotRow => {
    const off = rows.number("error_percent", row);
    const words = [with_unit(us("measured_ms", row), "_us"), with_unit(us("predicted_ms", row), "_us"), off === null ? "–" : `${off < 0 ? "−" : "+"}${Math.abs(off).toFixed(1)}\u00a0%`];
    const outside = rows.text("inside", row) === "no";
    const says = `${rows.text("model", row)}: measured ${words[0]}, predicted ${words[1]} (${with_unit(us("low_ms", row), "_us")} to ${with_unit(us("high_ms", row), "_us")})`;
    return { name: last_part(rows.text("model", row)), filled: us("measured_ms", row), hollow: us("predicted_ms", row), low: us("low_ms", row), high: us("high_ms", row), words, says, ...(outside ? { kind: "worse" } : {}) };
  });
  const says = `${dots.length} models, measured and predicted; the table models has the figures.`;
  const rest = known.length > most ? ` ${known.length - most} shorter ones are in the table.` : "";
  return framed("evaluated", `Filled: measured. Hollow: predicted, with the interval that should hold nine in ten; coloured where the measured time lies outside of it.${rest}`, fitted((width) => draw_dots(dots, { key: "_us", heads: ["measured", "predicted", "off"], says }, width)));
}

/** Of `takt fit`: mean errors of whole models that the training did not have. */
export function draw_errors(table: Table): HTMLElement | null {
  const rows = new Rows(table);
  if (!rows.has("split", "error_level", "method", "mape")) return null;
  const levels = new Set(Array.from({ length: rows.length }, (_, row) => rows.text("error_level", row)));
  const level = levels.has("model") ? "model" : [...levels][0];
  const known = rows.where((row) => rows.text("error_level", row) === level && rows.number("mape", row) !== null);
  if (known.length === 0) return null;
  const order = [...new Set(known.map((row) => rows.text("split", row)))];
  known.sort((a, b) => order.indexOf(rows.text("split", a)) - order.indexOf(rows.text("split", b)) || rows.number("mape", a)! - rows.number("mape", b)!);
  let noise = 0;
  const dots = known.slice(0, most).map((row): DotRow => {
    const error = rows.number("mape", row)!;
    const own = rows.text("method", row) === "takt";
    noise = Math.max(noise, rows.number("noise_floor_percent", row) ?? 0);
    return { name: `new ${rows.text("split", row)}: ${rows.text("method", row)}`, filled: own ? error : null, hollow: own ? null : error, low: null, high: null, words: [`${error.toFixed(1)}\u00a0%`], says: `${rows.text("method", row)}, ${rows.text("split", row)} held out: ${error} % off on average`, strong: own };
  });
  const says = `Mean errors by what was held out and by method; the table errors has the figures.`;
  return framed("errors", `Mean error of a ${level ?? "prediction"} by what the training had none of; filled is takt, hollow are other ways.${noise > 0 ? " The band is the noise of a measurement itself: no prediction gets below it." : ""}`, fitted((width) => draw_dots(dots, { key: "_percent", heads: ["mean error"], says, band: noise > 0 ? [0, noise] : null }, width)));
}

/** Of `takt predict`: kernels in order; full where measured elsewhere, outlined where trained, dashed where only peaks tell. */
export function draw_kernels(table: Table): HTMLElement | null {
  const rows = new Rows(table);
  if (!rows.has("kernel_number", "tier", "predicted_us")) return null;
  const models = [...new Set(rows.where((row) => rows.number("predicted_us", row) !== null).map((row) => rows.text("model", row)))];
  const model = models[0];
  const known = rows.where((row) => rows.text("model", row) === model && rows.number("predicted_us", row) !== null);
  if (known.length < 3) return null;
  const draw = (width: number) => {
    const plot = { left: 56, right: width - 4, top: 10, bottom: 150 };
    const slot = (plot.right - plot.left) / known.length;
    const top = known.reduce((one, row) => Math.max(one, rows.number("predicted_high_us", row) ?? 0, rows.number("predicted_us", row)!), 0);
    const up = linear(0, top, plot.bottom, plot.top, 4);
    const drawn = picture(width, 176, `${known.length} kernels in the order of execution by predicted time; the table kernels has the figures.`);
    const names = tick_names(up.ticks, "_us");
    up.ticks.forEach((tick, place) => {
      drawn.append(mark("line", { x1: plot.left, x2: plot.right, y1: up.at(tick), y2: up.at(tick), class: place === 0 ? "axis" : "grid" }));
      drawn.append(label(plot.left - 8, up.at(tick) + 4, "end", names[place] ?? "", Infinity, "axis-text"));
    });
    known.forEach((row, place) => {
      const value = Math.max(0, rows.number("predicted_us", row)!);
      const x = plot.left + place * slot;
      const tier = rows.text("tier", row);
      const words = `${visible(rows.text("kernel_name", row))}: ${with_unit(value, "_us")}, ${tier}`;
      const bar = mark("rect", { x: x + 0.5, y: up.at(value), width: Math.max(0.5, slot - 1), height: Math.max(0.5, plot.bottom - up.at(value)), class: tier === "measured" ? "fill-k1" : `hollow stroke-k1 ${tier === "roofline" ? "dashed" : ""}`, "data-kernel": row, "data-tier": tier }, mark("title", {}, words));
      drawn.append(bar);
      const low = rows.number("predicted_low_us", row);
      const high = rows.number("predicted_high_us", row);
      if (low !== null && high !== null && slot > 3) drawn.append(mark("line", { x1: x + slot / 2, x2: x + slot / 2, y1: up.at(low), y2: up.at(high), class: "interval" }));
    });
    drawn.append(label(plot.left, 170, "start", `kernel ${rows.text("kernel_number", known[0]!)}`, Infinity, "axis-text"), label(plot.right, 170, "end", rows.text("kernel_number", known[known.length - 1]!), Infinity, "axis-text"));
    return drawn;
  };
  const rest = models.length > 1 ? ` Of ${visible(last_part(model ?? ""))}; the other models are in the table.` : "";
  return framed("kernels", `Kernels in the order of execution: full where the same kernel was measured in another model, outlined where it is predicted, dashed where only the machine's peaks tell; lines are 90 % intervals.${rest}`, fitted(draw));
}

/** Of `takt evaluate`: mean errors of single kernels by group, most time first. */
export function draw_groups(table: Table): HTMLElement | null {
  const rows = new Rows(table);
  if (!rows.has("kernel_group", "mape", "bias_percent", "group_share_percent")) return null;
  const known = rows.where((row) => rows.number("mape", row) !== null);
  if (known.length === 0) return null;
  const percent = (key: string, row: number, sign = false) => {
    const value = rows.number(key, row);
    return value === null ? "–" : `${value < 0 ? "−" : sign ? "+" : ""}${Math.abs(value).toFixed(1)}\u00a0%`;
  };
  const dots = known.map((row): DotRow => {
    const words = [percent("mape", row), percent("bias_percent", row, true), percent("group_share_percent", row)];
    return { name: `${rows.text("kernel_group", row)}, ${rows.text("group_kernels", row)} kernels`, filled: rows.number("mape", row), hollow: null, low: null, high: null, words, says: `${rows.text("kernel_group", row)}: ${words[0]} off on average, ${words[1]} with its sign, in ${words[2]} of the time` };
  });
  const says = `${dots.length} groups of kernels by the mean error of their predictions; the table groups has the figures.`;
  return framed("groups", "Mean error of a kernel that was timed in its model, by group; beside it the error with its sign, and the group's share of the measured time.", fitted((width) => draw_dots(dots, { key: "_percent", heads: ["error", "signed", "of the time"], says }, width)));
}

/** Of `takt predict`: the longest kernels of the first model. */
export function draw_carry(table: Table): HTMLElement | null {
  const rows = new Rows(table);
  if (!rows.has("kernel_name", "tier", "predicted_us")) return null;
  const model = rows.text("model", 0);
  const known = rows.where((row) => rows.text("model", row) === model && (rows.number("predicted_us", row) ?? -1) >= 0);
  if (known.length < 3) return null;
  const whole = known.reduce((sum, row) => sum + rows.number("predicted_us", row)!, 0);
  known.sort((a, b) => rows.number("predicted_us", b)! - rows.number("predicted_us", a)! || a - b);
  const shown = known.slice(0, 12);
  const dots = shown.map((row): DotRow => {
    const time = rows.number("predicted_us", row)!;
    const tier = rows.text("tier", row);
    const words = [with_unit(time, "_us"), whole > 0 ? `${((100 * time) / whole).toFixed(1)}\u00a0%` : "–", tier];
    const ends = [with_unit(rows.number("predicted_low_us", row), "_us"), with_unit(rows.number("predicted_high_us", row), "_us")];
    return { name: `${rows.text("kernel_number", row)} ${rows.text("kernel_name", row)}`, filled: tier === "measured" ? time : null, hollow: tier === "measured" ? null : time, low: rows.number("predicted_low_us", row), high: rows.number("predicted_high_us", row), words, says: `kernel ${rows.text("kernel_number", row)}, ${rows.text("kernel_name", row)}: ${words[0]} (${ends[0]} to ${ends[1]}), ${tier}` };
  });
  const rest = known.length > shown.length ? ` ${known.length - shown.length} shorter ones are in the table.` : "";
  return framed("carry", `Filled: the same kernel was measured in another model. Hollow: predicted; lines are 90 % intervals.${rest}`, fitted((width) => draw_dots(dots, { key: "_us", heads: ["predicted", "of kernels", "source"], says: `The ${dots.length} longest of ${known.length} kernels; the table kernels has the figures.` }, width)));
}
