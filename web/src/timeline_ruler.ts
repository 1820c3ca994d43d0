// Above the rows: the whole trace with the window as a frame, and the ruler of what is looked at.

import type { Timeline } from "./timeline_data";
import type { Colours } from "./timeline_colours";
import { x_of, type View } from "./timeline_paint";

export const overview_height = 34;
export const ruler_height = 22;

const units: [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

/** The least of 1, 2 and 5 times a power of ten that is at least `value`. */
function round_step(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= value * 0.999) ?? value;
}

/** A moment or a length with all its digits: "249.345 ms". */
export function exact_time(ns: number): string {
  const [size, unit] = units.find(([one]) => Math.abs(ns) >= one) ?? [1, "ns"];
  const [whole = "", rest = ""] = (ns / size).toFixed(Math.round(Math.log10(size))).split(".");
  const digits = rest.replace(/0+$/, "");
  return `${whole.replace(/\B(?=(\d{3})+$)/g, "\u2009")}${digits && `.${digits}`}\u00a0${unit}`;
}

/** Of the rows of devices, or of all where there are none: their share in use, for each pixel. */
export function shares_of(timeline: Timeline, width: number): Float32Array {
  const devices = timeline.rows.filter((row) => row.is_device);
  const rows = devices.length > 0 ? devices : timeline.rows;
  const shares = new Float32Array(width);
  const step = timeline.length / width;
  for (const row of rows) {
    const level = row.levels[0]!;
    let before = 0;
    for (let x = 0; x < width; ++x) {
      const until = level.used_before((x + 1) * step);
      shares[x]! += (until - before) / step / rows.length;
      before = until;
    }
  }
  return shares;
}

export function draw_overview(context: CanvasRenderingContext2D, timeline: Timeline, shares: Float32Array, view: View, colours: Colours): void {
  context.fillStyle = colours.raise;
  context.fillRect(view.left, 0, view.width, overview_height);
  context.fillStyle = colours.busy;
  shares.forEach((share, x) => {
    const tall = Math.min(1, share) * (overview_height - 4);
    context.fillRect(view.left + (x * view.width) / shares.length, overview_height - tall, view.width / shares.length, tall);
  });
  const whole = { from: 0, to: timeline.length, left: view.left, width: view.width };
  const x = x_of(whole, view.from);
  context.strokeStyle = colours.ink;
  context.lineWidth = 2;
  context.strokeRect(Math.max(view.left + 1, x), 1, Math.max(3, Math.min(x_of(whole, view.to), view.left + view.width - 1) - x), overview_height - 2);
}

export function draw_ruler(context: CanvasRenderingContext2D, view: View, colours: Colours): void {
  const step = round_step(((view.to - view.from) / view.width) * 110);
  const [size, unit] = units.find(([one]) => view.to >= one && step * 1e3 >= one) ?? [1, "ns"];
  const decimals = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
  context.font = "12px ui-sans-serif, system-ui, sans-serif";
  context.textBaseline = "middle";
  context.fillStyle = colours.ink3;
  context.textAlign = "right";
  context.direction = "ltr";
  if (view.left > 0) context.fillText(unit, view.left - 10, overview_height + ruler_height / 2);
  context.textAlign = "center";
  for (let tick = Math.ceil(view.from / step); tick * step <= view.to; ++tick) {
    const x = x_of(view, tick * step);
    if (x < view.left + 16 || x > view.left + view.width - 16) continue;
    const label = ((tick * step) / size).toFixed(decimals);
    context.fillText(view.left > 0 ? label : `${label} ${unit}`, x, overview_height + ruler_height / 2);
    context.fillRect(x, overview_height + ruler_height - 3, 1, 3);
  }
}
