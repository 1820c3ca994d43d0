// What a recorded pipeline would do with changes. takt answered every setting of the knobs beforehand, with the replay of
// `takt pipeline whatif`; the page looks answers up and computes none. Under each knob lies the cycle over its whole range,
// coloured by the stage that sets the beat there: moving one knob redraws the others.

import { linear, tick_names } from "./axis";
import type { Column, Knob, Station, Value, WhatIf } from "./data";
import { element, label, mark, name, visible } from "./dom";
import { with_unit } from "./numbers";

const width = 340;
const height = 130;
const plot = { left: 52, right: 330, top: 12, bottom: 108 };

const told = [
  ["cycle_us", "cycle_low_us", "cycle_high_us"],
  ["throughput_per_s", "", ""],
  ["latency_us", "latency_low_us", "latency_high_us"],
  ["makespan_us", "makespan_low_us", "makespan_high_us"],
  ["bottleneck", "", ""],
] as const;

let knobs_drawn = 0;

export class WhatIfView {
  readonly root = element("section", { class: "what-if" });
  private readonly setting: number[][];
  private readonly knobs = element("div", { class: "knobs" });
  private readonly answer = element("dl", { class: "facts", "aria-live": "polite" });
  private readonly typed = element("code");
  private open = 0;

  constructor(private readonly groups: WhatIf[], private readonly command: string, private readonly stations: Station[], title: string | undefined) {
    this.setting = groups.map((group) => group.knobs.map((knob) => knob.recorded));
    const choices = element("div", { class: "chosen-of", role: "group", "aria-label": "What is changed" });
    groups.forEach((group, place) => {
      const button = element("button", { type: "button", "data-group": group.name }, name(group.name));
      button.addEventListener("click", () => this.show(place));
      choices.append(button);
    });
    const back = element("button", { type: "button", class: "as-recorded" }, "as recorded");
    back.addEventListener("click", () => {
      this.setting[this.open] = this.group().knobs.map((knob) => knob.recorded);
      this.show(this.open);
    });
    this.root.append(
      element("h2", {}, title ?? "What a change would bring"),
      element("p", { class: "how" }, "Turn a knob: every answer is that of takt pipeline whatif, computed beforehand; between the values of a knob nothing is said. The line is the time between batches over all values of the knob, coloured by the stage that sets the beat; the band holds 90 % of what is possible."),
      element("div", { class: "tools" }, choices, back),
      this.answer,
      this.knobs,
      element("p", { class: "how typed" }, "The same on the command line: ", this.typed),
    );
    const sets_beat = groups[0]?.answers.columns.find((column) => column.key === "bottleneck")?.values[this.row(0)];
    this.show(Math.max(0, groups.findIndex((group) => group.name === sets_beat)));
  }

  private group(): WhatIf {
    return this.groups[this.open]!;
  }

  /** The place of a group's answer; `knob` at `value` instead of where it is. */
  private row(group: number, knob = -1, value = 0): number {
    return this.groups[group]!.knobs.reduce((place, one, at) => place * one.values.length + (at === knob ? value : (this.setting[group]?.[at] ?? 0)), 0);
  }

  private column(key: string): Column | undefined {
    return this.group().answers.columns.find((column) => column.key === key);
  }

  private value(key: string, row: number): Value {
    return this.column(key)?.values[row] ?? null;
  }

  private show(group: number): void {
    this.open = group;
    for (const button of this.root.querySelectorAll<HTMLElement>("[data-group]")) button.setAttribute("aria-pressed", String(button.dataset.group === this.group().name));
    this.knobs.replaceChildren(...this.group().knobs.map((knob, place) => this.draw_knob(knob, place)));
    this.turned();
  }

  private draw_knob(knob: Knob, place: number): HTMLElement {
    const id = `knob-${++knobs_drawn}`;
    const slider = element("input", { type: "range", min: "0", max: String(knob.values.length - 1), step: "1", value: String(this.setting[this.open]?.[place] ?? 0), id, "data-knob": knob.key });
    slider.addEventListener("input", () => {
      const chosen = this.setting[this.open];
      if (chosen) chosen[place] = Number(slider.value);
      this.turned();
    });
    const what = `${this.group().name === "source" ? "" : `${visible(this.group().name)}: `}${knob.label}`;
    return element("div", { class: "knob" }, element("label", { for: id }, what, " ", element("b")), element("div", { class: "curve" }), slider);
  }

  /** Everything that follows from the setting. */
  private turned(): void {
    const row = this.row(this.open);
    const chosen = this.setting[this.open] ?? [];
    const changes: string[] = [];
    this.group().knobs.forEach((knob, place) => {
      const at = chosen[place] ?? 0;
      const part = this.knobs.children[place]!;
      const slider = part.querySelector("input")!;
      const value = `${knob.values[at] ?? ""}${at === knob.recorded ? " (as recorded)" : ""}`;
      slider.value = String(at);
      slider.setAttribute("aria-valuetext", value);
      part.querySelector("b")!.textContent = value;
      part.querySelector(".curve")!.replaceChildren(this.draw_curve(place, at));
      if (at !== knob.recorded) changes.push(` --set '${`${knob.key}=${knob.values[at] ?? ""}`.replaceAll("'", "'\\''")}'`);
    });
    this.typed.textContent = visible(this.command) + changes.join("");
    this.root.dataset.row = String(row);
    this.answer.replaceChildren(...told.map(([key, low, high]) => this.draw_figure(key, low, high, row)).filter((one) => one !== null));
  }

  private draw_figure(key: string, low: string, high: string, row: number): HTMLElement | null {
    const column = this.column(key);
    if (!column) return null;
    const value = this.value(key, row);
    const from = low ? this.value(low, row) : null;
    const to = high ? this.value(high, row) : null;
    const figure = element("dd", { "data-key": key }, typeof value === "string" ? name(value) : with_unit(value, key));
    if (value === null) figure.classList.add("unknown");
    else figure.title = String(value);
    const range = typeof from === "number" && typeof to === "number" ? element("dd", { class: "range", "data-range": key, title: `${from} to ${to}` }, `${with_unit(from, key)} to ${with_unit(to, key)}`) : null;
    return element("div", {}, element("dt", { title: `${column.meaning}\n${key}` }, column.title), figure, range);
  }

  private kind_of(stage: Value): string {
    return this.stations.find((one) => one.name === stage)?.kind ?? "k0";
  }

  /** The largest cycle of all settings ends the axis, so that curves can be compared while knobs turn. */
  private draw_curve(knob: number, at: number): SVGElement {
    const values = this.group().knobs[knob]!.values;
    const all = this.column("cycle_us")?.values ?? [];
    const most = all.reduce<number>((one, value) => (typeof value === "number" ? Math.max(one, value) : one), 0);
    const up = linear(0, most, plot.bottom, plot.top, 3);
    const x = (place: number) => plot.left + (values.length > 1 ? (place / (values.length - 1)) * (plot.right - plot.left) : 0);
    const drawn = mark("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    const names = tick_names(up.ticks, "_us");
    up.ticks.forEach((tick, place) => {
      drawn.append(mark("line", { x1: plot.left, x2: plot.right, y1: up.at(tick), y2: up.at(tick), class: place === 0 ? "axis" : "grid" }));
      drawn.append(label(plot.left - 6, up.at(tick) + 4, "end", names[place] ?? "", Infinity, "axis-text"));
    });
    const points = values.map((_, place) => {
      const row = this.row(this.open, knob, place);
      const number = (key: string) => {
        const value = this.value(key, row);
        return typeof value === "number" ? value : null;
      };
      return { x: x(place), cycle: number("cycle_us"), low: number("cycle_low_us"), high: number("cycle_high_us"), stage: this.value("bottleneck", row) };
    });
    const banded = points.filter((one) => one.low !== null && one.high !== null);
    if (banded.length > 1) {
      const upper = banded.map((one) => `${one.x} ${up.at(one.high!)}`);
      const lower = banded.map((one) => `${one.x} ${up.at(one.low!)}`).reverse();
      drawn.append(mark("path", { d: `M${[...upper, ...lower].join("L")}Z`, class: "band" }));
    }
    points.forEach((one, place) => {
      const next = points[place + 1];
      if (one.cycle === null) return;
      if (next && next.cycle !== null) drawn.append(mark("line", { x1: one.x, y1: up.at(one.cycle), x2: next.x, y2: up.at(next.cycle), class: `curve-line stroke-${this.kind_of(next.stage)}` }));
      drawn.append(mark("circle", { cx: one.x, cy: up.at(one.cycle), r: 2, class: `fill-${this.kind_of(one.stage)}` }));
    });
    const here = points[at];
    const recorded = this.group().knobs[knob]!.recorded;
    drawn.append(mark("line", { x1: x(recorded), x2: x(recorded), y1: plot.top, y2: plot.bottom, class: "recorded" }));
    if (here && here.cycle !== null) drawn.append(mark("circle", { cx: here.x, cy: up.at(here.cycle), r: 5.5, class: "handle" }));
    drawn.append(label(x(recorded), height - 6, recorded === 0 ? "start" : recorded === values.length - 1 ? "end" : "middle", "recorded", Infinity, "axis-text"));
    return drawn;
  }
}
