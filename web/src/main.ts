// The page: one tab per result, each a dateline, a sentence, facts, bars that add up, then tables. The tab that is
// open is in the URL's fragment; nothing is stored.

import { draw_bar } from "./bar";
import { draw_dumbbell } from "./dumbbell";
import { read_page, type Packed, type Result } from "./data";
import { element, name, visible } from "./dom";
import { with_unit } from "./numbers";
import { draw_roofline } from "./roofline";
import { draw_runs } from "./runs";
import { tab_in_url } from "./spot";
import { TableView } from "./table";
import { stretches_of, TimelineView } from "./timeline";

function dateline(result: Result): HTMLElement {
  const known = result.origin.filter((one) => one.value !== "");
  const first = known.filter((one) => one.label !== "command" && one.label !== "settings").slice(0, 6);
  const list = element("dl");
  for (const one of known) list.append(element("dt", {}, one.label), element("dd", {}, name(one.value)));
  const line = element("summary", {}, first.map((one) => visible(one.value)).join(" · "), " · how it was made");
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
  if (result.lede) root.append(element("p", { class: "lede" }, visible(result.lede)));
  const figures = facts(result);
  if (figures) root.append(figures);
  for (const bar of result.bars) root.append(draw_bar(bar, pick));
  for (const missing of result.missing) root.append(element("p", { class: "missing" }, visible(missing)));
  if (result.runs_us.length > 0) root.append(element("section", {}, element("h2", {}, "Runs"), draw_runs(result.runs_us, result.run_marks)));
  if (result.timeline) root.append(new TimelineView(result.timeline, bytes, stretches_of(tables), place).root);
  for (const [at, view] of views.entries()) {
    root.append(view.root);
    const table = tables[at];
    const figure = table && (draw_dumbbell(table) ?? draw_roofline(table, kinds));
    if (figure) view.root.querySelector(".how")?.after(figure);
  }
  return root;
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
    element("header", {}, element("span", { class: "mark" }, "takt"), strip),
    element("main", {}, ...panels),
    element("footer", {}, element("code", {}, visible(page.command)), ` · takt ${page.takt_version} · one file, nothing is fetched`),
  );
  open(asked());
}

read_page().then(show, () => {
  document.body.replaceChildren(element("main", {}, element("p", {}, "The data of this page is damaged: the file was cut off or changed. Make it again with takt report.")));
});
