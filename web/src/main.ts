// The page: one tab per result, each a dateline, a sentence, facts, bars that add up, then tables. The tab that is
// open is in the URL's fragment; nothing is stored.

import { draw_bar, draw_bars } from "./bar";
import { draw_blocks } from "./blocks";
import { draw_board } from "./board";
import { draw_dumbbell } from "./dumbbell";
import { read_page, type Bar, type Packed, type Result, type Table } from "./data";
import { element, mark, name, sentence, visible } from "./dom";
import { draw_graph } from "./graph";
import { with_unit } from "./numbers";
import { draw_lanes } from "./lanes";
import { draw_latency } from "./latency";
import { draw_plan_runs, draw_plans, draw_run_blocks, draw_search_blocks } from "./plans";
import { draw_carry, draw_errors, draw_evaluated, draw_groups, draw_kernels } from "./predictions";
import { draw_roofline } from "./roofline";
import { draw_runs } from "./runs";
import { tab_in_url } from "./spot";
import { draw_sweep } from "./sweep";
import { TableView } from "./table";
import { stretches_of, TimelineView } from "./timeline";
import { draw_verdicts } from "./verdicts";
import { WhatIfView } from "./what_if";

function dateline(result: Result): HTMLElement {
  const known = result.origin.filter((one) => one.value !== "");
  const first = known.filter((one) => one.label !== "command" && one.label !== "settings").slice(0, 6);
  const list = element("dl");
  for (const one of known) list.append(element("dt", {}, one.label), element("dd", {}, name(one.value)));
  const line = element("summary", {}, [...first.map((one) => visible(one.value)), "how it was made"].join(" · "));
  return element("details", { class: "dateline" }, line, list);
}

function facts(result: Result): HTMLElement | null {
  if (result.facts.length === 0) return null;
  const list = element("dl", { class: "facts" });
  for (const fact of result.facts) {
    const value = element("dd", { "data-key": fact.key }, with_unit(fact.value, fact.key));
    value.title = fact.value === null ? fact.meaning : `${fact.value}\n${fact.meaning}`;
    if (fact.value === null) value.classList.add("unknown");
    list.append(element("div", {}, element("dt", { title: `${fact.meaning}\n${fact.key}` }, fact.label), value));
  }
  return list;
}

/** A figure under its sentence. */
function section(view: string, title: string, figure: HTMLElement | null): HTMLElement[] {
  return figure ? [element("section", { class: `view view-${view}` }, element("h2", {}, visible(title)), figure)] : [];
}

/** Bars of one kind on one scale: view, title where no sentence decides, how to read them. */
const bar_views = [
  ["ranks", "Traces side by side", "A mean step of each trace by what it did; a row adds up to the step. What waits lies low."],
  ["steps", "Steps", "Each recorded step by what it did; a row adds up to the step. What waits lies low."],
  ["gpu", "Devices", "Each device from its first work to its last; a row adds up to that time."],
  ["work", "Work of the devices", "The work of the whole trace by kind; what overlaps counts each. A press on a kind picks it."],
  ["units", "Matrix units", "The time of all kernels: on matrix units (tensor cores), of kernels that could use them, of others."],
] as const;

/** A single bar has its figures in its legend; several have one scale. */
function bars_in(bars: Bar[], how: string, pick: (kind: string) => void): HTMLElement | null {
  const [only] = bars;
  return only === undefined ? null : bars.length === 1 ? draw_bar(only, pick) : draw_bars(bars, how, pick);
}

/** What is shown before the tables, in the order in which it is read. */
function views_of(result: Result, tables: Table[], pick: (kind: string) => void): HTMLElement[] {
  const of = (view: string) => result.bars.filter((bar) => bar.view === view);
  const table = (name: string) => tables.find((one) => one.name === name);
  const stations = result.board?.stations ?? [];
  const shown = of("").map((bar) => draw_bar(bar, pick));
  const verdicts = table("verdicts");
  const causes = verdicts ? section("verdicts", result.titles.verdicts ?? "Causes", draw_verdicts(verdicts, table("abstentions"))) : [];
  for (const [view, title, how] of bar_views) {
    shown.push(...section(view, result.titles[view] ?? title, bars_in(of(view), how, pick)));
    if (view === "ranks") shown.push(...causes);
  }
  shown.push(...section("execution", result.titles.execution ?? "Operators in the order of execution", draw_lanes(result.steps, pick)));
  shown.push(...section("blocks", result.titles.blocks ?? "Blocks of the model", draw_blocks(result.steps, result.blocks, pick)));
  shown.push(...section("graph", result.titles.graph ?? "Operators by level", draw_graph(result.steps, pick)));
  if (result.board) {
    const beside = of("path").map((bar) => draw_bar(bar, pick));
    const binds = result.board.binds ? element("p", { class: "said-beside" }, visible(result.board.binds)) : null;
    const board = section("board", result.titles.board ?? "Stages against the beat", draw_board(result.board, beside.length > 0));
    shown.push(beside.length ? element("div", { class: "two" }, ...board, element("div", {}, ...beside, binds)) : element("div", {}, ...board, binds));
  }
  if (of("devices").length) {
    const how = "Each device from the first start to the last end. Every moment has one cause, and a row adds up to the window of the run. What waits lies low.";
    shown.push(...section("devices", result.titles.devices ?? "Devices", draw_bars(of("devices"), how, pick)));
  }
  if (result.what_ifs.length) shown.push(new WhatIfView(result.what_ifs, result.what_if_command, stations, result.titles["what-if"]).root);
  const batches = table("batches");
  if (batches) shown.push(...section("latency", result.titles.latency ?? "Latency of batches", draw_latency(batches, stations, table("summary"))));
  const plans = table("plans");
  const blocks = table("blocks");
  const runs = table("plan_runs");
  const run_blocks = table("plan_run_blocks");
  if (runs && run_blocks) shown.push(...section("gantt", result.titles.gantt ?? "The best plan beside the best single unit", draw_run_blocks(runs, run_blocks)));
  if (runs) shown.push(...section("plans", result.titles.plans ?? "Plans that were run", draw_plan_runs(runs)));
  if (plans && blocks) shown.push(...section("gantt", result.titles.gantt ?? "The best plan beside the best single unit", draw_search_blocks(plans, blocks)));
  if (plans) shown.push(...section("plans", result.titles.plans ?? "Plans by time", draw_plans(plans)));
  const models = table("models");
  const errors = table("errors");
  const kernels = table("kernels");
  if (models) shown.push(...section("evaluated", result.titles.evaluated ?? "Predicted and measured", draw_evaluated(models)));
  if (errors) shown.push(...section("errors", result.titles.errors ?? "Errors of predictions", draw_errors(errors)));
  const groups = table("groups");
  if (groups) shown.push(...section("groups", result.titles.groups ?? "Errors by group of kernels", draw_groups(groups)));
  if (kernels) shown.push(...section("carry", result.titles.carry ?? "The longest kernels", draw_carry(kernels)));
  if (kernels) shown.push(...section("kernels", result.titles.kernels ?? "Kernels in the order of execution", draw_kernels(kernels)));
  if (result.points.length) shown.push(...section("sweep", result.titles.sweep ?? "Stages by size", draw_sweep(result.points)));
  return shown;
}

function panel(result: Result, place: number, bytes: Uint8Array): HTMLElement {
  const tables = result.tables.filter((table) => table.columns.length > 0);
  const kinds = new Map(result.bars.flatMap((bar) => bar.parts.map((part) => [part.label, part.kind] as const)));
  const views = tables.map((table) => new TableView(table));
  let picked = "";
  const root = element("article", { id: `result-${place}`, role: "tabpanel", "aria-labelledby": `tab-${place}` });
  const pick = (label: string) => {
    picked = picked === label ? "" : label;
    root.classList.toggle("picking", picked !== "");
    for (const one of root.querySelectorAll<Element>("[data-kind]")) {
      const is_it = one.getAttribute("data-kind") === picked;
      one.classList.toggle("picked", is_it);
      if (one instanceof HTMLButtonElement) one.setAttribute("aria-pressed", String(is_it));
    }
    for (const view of views) if (view.has("type") && view.has("name")) view.filter(picked && `type:${picked.replace(/\s+/g, " ").split(" ")[0]}`);
  };
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && picked) pick(picked);
  });
  root.append(dateline(result), element("h1", {}, visible(result.headline)));
  if (result.lede) root.append(element("p", { class: "lede" }, sentence(result.lede)));
  const figures = facts(result);
  if (figures) root.append(figures);
  root.append(...views_of(result, tables, pick));
  for (const missing of result.missing) root.append(element("p", { class: "missing" }, sentence(missing)));
  if (result.runs_us.length > 0) root.append(element("section", {}, element("h2", {}, "Runs"), draw_runs(result.runs_us, result.run_marks)));
  if (result.timeline) root.append(new TimelineView(result.timeline, bytes, stretches_of(tables, result.timeline), place).root);
  for (const [at, view] of views.entries()) {
    root.append(view.root);
    const table = tables[at];
    const figure = table && (draw_dumbbell(table) ?? draw_roofline(table, kinds, result.roofs));
    if (figure) view.root.querySelector(".how")?.after(figure);
  }
  return root;
}

/** What style sheets fill with: the hatch of time that is neither work nor a wait. */
function patterns(): SVGElement {
  const hatch = mark("pattern", { id: "hatch", width: 4, height: 4, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, mark("line", { x1: 0, x2: 0, y1: 0, y2: 4, class: "hatch-line" }));
  return mark("svg", { class: "patterns", "aria-hidden": "true" }, mark("defs", {}, hatch));
}

function show(page: Packed): void {
  const tabs = page.results.map((result, place) =>
    element("button", { type: "button", role: "tab", id: `tab-${place}`, "aria-controls": `result-${place}` }, name(result.name)),
  );
  const panels = page.results.map((result, place) => panel(result, place, page.bytes));
  const open = (chosen: number) => {
    tabs.forEach((tab, place) => {
      tab.setAttribute("aria-selected", String(place === chosen));
      tab.tabIndex = place === chosen ? 0 : -1;
    });
    panels.forEach((one, place) => one.classList.toggle("hidden", place !== chosen));
    document.title = visible(page.results[chosen]?.headline ?? "takt");
  };
  const asked = () => {
    const found = tab_in_url();
    return found >= 0 && found < tabs.length ? found : 0;
  };
  tabs.forEach((tab, place) => {
    tab.addEventListener("click", () => {
      location.hash = `tab=${place + 1}`;
      open(place);
    });
    tab.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? tabs.length - 1 : 0;
      if (step) {
        tabs[(place + step) % tabs.length]?.click();
        tabs[(place + step) % tabs.length]?.focus();
      }
    });
  });
  window.addEventListener("hashchange", () => open(asked()));
  const strip = element("div", { role: "tablist", "aria-label": "Results" }, ...tabs);
  document.body.replaceChildren(
    patterns(),
    element("header", {}, element("span", { class: "mark" }, "takt"), strip),
    element("main", {}, ...panels),
    element("footer", {}, element("code", {}, visible(page.command)), ` · takt ${page.takt_version} · one file, nothing is fetched`),
  );
  open(asked());
}

read_page().then(show, () => {
  document.body.replaceChildren(element("main", {}, element("p", {}, "The data of this page is damaged: the file was cut off or changed. Make it again with takt report.")));
});
