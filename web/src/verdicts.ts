// Verdicts on a trace: each with its price as the piece of a step that it would take away, its evidence, and what to do.

import { picture } from "./axis";
import { Rows } from "./cells";
import type { Table } from "./data";
import { element, fitted, mark, sentence, visible } from "./dom";
import { with_unit } from "./numbers";

const most = 8;

/** A step, without the piece that the cause costs. */
function price(share: number, words: string): HTMLElement {
  return fitted((width) => {
    const long = Math.min(width, 760);
    const piece = Math.min(1, Math.max(0, share)) * long;
    const drawn = picture(width, 16, words);
    drawn.append(mark("rect", { x: 0, y: 0, width: Math.max(0, long - piece - 1), height: 16, class: "rest" }));
    drawn.append(mark("rect", { x: long - piece, y: 0, width: Math.max(1, piece), height: 16, class: "price", "data-exact": share }));
    return drawn;
  });
}

/** null: the table has none. `missing`: causes that could not be looked for. */
export function draw_verdicts(table: Table, missing: Table | undefined): HTMLElement | null {
  const rows = new Rows(table);
  if (!rows.has("cause", "step_share", "saved_ms_per_step", "evidence", "fix") || rows.length === 0) return null;
  const several = new Set(Array.from({ length: rows.length }, (_, row) => rows.text("file", row))).size > 1;
  const list = element("ol");
  for (let row = 0; row < Math.min(most, rows.length); ++row) {
    const saved = rows.number("saved_ms_per_step", row);
    const share = rows.number("step_share", row);
    const cause = visible(rows.text("cause", row).replaceAll("_", " "));
    const worth = saved === null ? "" : `${with_unit(saved * 1000, "_us")} a step${share === null ? "" : `, ${(100 * share).toFixed(1)}\u00a0%`}`;
    const steps = rows.text("in_steps", row);
    const where = [several ? (rows.text("file", row).split("/").pop() ?? "") : "", steps && `steps ${steps}`].filter(Boolean).map((one) => visible(one)).join(", ");
    const one = element("li", { "data-cause": rows.text("cause", row) }, element("b", {}, cause), ` ${worth}`, where ? element("i", {}, ` ${where}`) : null);
    if (share !== null && share > 0) one.append(price(share, `${cause}: ${worth}`));
    one.append(element("p", {}, sentence(rows.text("evidence", row))), element("p", {}, element("b", {}, "Do: "), sentence(rows.text("fix", row))));
    list.append(one);
  }
  const rest = rows.length > most ? element("p", { class: "how" }, `${rows.length - most} more are in the table.`) : null;
  const none = missing && new Rows(missing);
  const names = none?.has("cause", "missing") ? Array.from({ length: none.length }, (_, row) => `${visible(none.text("cause", row).replaceAll("_", " "))} (needs ${visible(none.text("missing", row))})`) : [];
  return element("div", { class: "verdicts" }, element("p", { class: "how" }, "Causes by what they cost, most first. The bar is a mean step; the filled end is what would go."), list, rest, names.length ? element("p", { class: "how" }, `Could not be looked for: ${names.slice(0, most).join("; ")}.`) : null);
}
