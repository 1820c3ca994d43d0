// A table of a result: sorted by the head of a column, filtered by words and conditions (`type:Conv share>1`), with
// the columns that the reader chooses. Named rows ([unattributed]) stay below the others.

import type { Column, Table, Value } from "./data";
import { download, element, file_name, kernel_name, name } from "./dom";
import { form_of, shown } from "./numbers";

const rows_at_first = 14;
const rows_on_paper = 40;
const columns_at_first = 9;
const usually_one = /^(file|compared)$/; // said above the tables
const is_path = /^(file|compared|model)$/;
const names_kernels = /^(work|longest_kernel)$/;
const seldom = /^(id|kernel|fused|calls)$|(^|_)(low|high|stddev|min|total)_/;
const stamp = /^(from|to|start|end)_ns$/; // of a clock: for machines

function is_number(column: Column): boolean {
  return column.values.some((value) => typeof value === "number");
}

/** Of a wide table: those that say something and differ from row to row, in their order. */
function usual_columns(table: Table): Set<string> {
  const is_one = (column: Column) => usually_one.test(column.key) && new Set(column.values).size === 1;
  const told = table.columns.filter((column) => column.values.some((value) => value !== null) && !is_one(column));
  const readable = told.filter((column) => !stamp.test(column.key));
  const telling = readable.length >= 4 ? readable : told;
  const differing = telling.filter((column, place) => place === 0 || (new Set(column.values).size > 1 && !seldom.test(column.key)));
  const chosen = telling.length <= columns_at_first || differing.length < 4 ? telling : differing;
  return new Set((chosen.length ? chosen : table.columns).slice(0, columns_at_first).map((column) => column.key));
}

/** Paths whose last pieces distinguish them as well. */
function has_brief_names(column: Column): boolean {
  const values = new Set(column.values.map(String));
  return is_path.test(column.key) && new Set([...values].map((value) => value.split(/[/\\]/).pop())).size === values.size;
}

type Test = (row: number) => boolean;

function test_of(word: string, table: Table): Test {
  const parts = /^(\w+)([:<>=])(.+)$/.exec(word);
  const column = parts && table.columns.find((one) => one.key === parts[1] || one.key.startsWith(`${parts[1]}_`));
  if (!parts || !column) {
    const wanted = word.toLowerCase();
    const texts = table.columns.filter((one) => !is_number(one));
    return (row) => texts.some((one) => String(one.values[row] ?? "").toLowerCase().includes(wanted));
  }
  const wanted = parts[3] ?? "";
  const limit = Number(wanted);
  if (parts[2] === ":") return (row) => String(column.values[row] ?? "").toLowerCase().includes(wanted.toLowerCase());
  return (row) => {
    const value = column.values[row];
    if (typeof value !== "number") return false;
    return parts[2] === "<" ? value < limit : parts[2] === ">" ? value > limit : value === limit;
  };
}

function order(a: Value, b: Value): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === "number" && typeof b === "number") return b - a;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

function csv_of(table: Table): string {
  const cell = (value: Value) => {
    const text = value === null ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [table.columns.map((column) => cell(column.key)).join(",")];
  const rows = table.columns[0]?.values.length ?? 0;
  for (let row = 0; row < rows; ++row) lines.push(table.columns.map((column) => cell(column.values[row] ?? null)).join(","));
  return `${lines.join("\n")}\n`;
}

export class TableView {
  readonly root: HTMLElement;
  private readonly chosen: Set<string>;
  private readonly search: HTMLInputElement;
  private readonly frame = element("div", { class: "scroll", tabindex: "0" });
  private readonly count = element("p", { class: "count", role: "status" });
  private sorted: { key: string; backwards: boolean } | null = null;
  private all = false;

  constructor(private readonly table: Table) {
    this.chosen = usual_columns(table);
    const title = table.name.replaceAll("_", " ");
    this.frame.setAttribute("role", "region");
    this.frame.setAttribute("aria-label", title);
    this.search = element("input", { type: "search", "aria-label": `Filter ${title}`, placeholder: "filter: words, type:Conv, share>1" });
    this.search.addEventListener("input", () => this.draw());
    const data = element("button", { type: "button" }, "CSV");
    data.addEventListener("click", () => download(`${table.name}.csv`, "text/csv", csv_of(table)));
    this.root = element(
      "section",
      { class: "table", "data-table": table.name },
      element("h2", {}, title.charAt(0).toUpperCase() + title.slice(1)),
      element("p", { class: "how" }, table.sentence),
      element("div", { class: "tools" }, this.search, this.chooser(), data),
      this.frame,
      this.count,
    );
    addEventListener("beforeprint", () => this.draw(rows_on_paper));
    addEventListener("afterprint", () => this.draw());
    this.draw();
  }

  filter(text: string): void {
    this.search.value = text;
    this.draw();
  }

  has(key: string): boolean {
    return this.table.columns.some((column) => column.key === key);
  }

  private chooser(): HTMLElement {
    const list = element("div", { class: "choices" });
    for (const column of this.table.columns) {
      const box = element("input", { type: "checkbox", "data-column": column.key });
      box.checked = this.chosen.has(column.key);
      box.addEventListener("change", () => {
        if (box.checked) this.chosen.add(column.key);
        else this.chosen.delete(column.key);
        this.draw();
      });
      list.append(element("label", { title: column.meaning }, box, column.title));
    }
    const kept = `Columns (${this.table.columns.length})`;
    return element("details", {}, element("summary", {}, kept), list);
  }

  private rows(): number[] {
    const total = this.table.columns[0]?.values.length ?? 0;
    const tests = this.search.value.split(/\s+/).filter(Boolean).map((word) => test_of(word, this.table));
    const rows = Array.from({ length: total }, (_, row) => row).filter((row) => tests.every((test) => test(row)));
    const by = this.sorted && this.table.columns.find((column) => column.key === this.sorted?.key);
    const last = (row: number) => (this.named(row) ? 1 : 0);
    if (by) {
      const turn = this.sorted?.backwards ? -1 : 1;
      rows.sort((a, b) => last(a) - last(b) || turn * order(by.values[a] ?? null, by.values[b] ?? null) || a - b);
    }
    return rows;
  }

  private named(row: number): string | undefined {
    for (const column of this.table.columns.slice(0, 3)) {
      const value = column.values[row];
      if (typeof value === "string" && Object.hasOwn(this.table.named_rows, value)) return this.table.named_rows[value];
    }
    return undefined;
  }

  private head(column: Column, unit: string): HTMLElement {
    const button = element("button", { type: "button", title: `${column.meaning}\n${column.key}` }, column.title + (unit && !column.title.includes(unit) ? `, ${unit}` : ""));
    button.addEventListener("click", () => {
      const again = this.sorted?.key === column.key;
      this.sorted = { key: column.key, backwards: again ? !this.sorted?.backwards : false };
      this.draw();
      this.frame.querySelector<HTMLElement>(`th[data-column="${CSS.escape(column.key)}"] button`)?.focus();
    });
    const cell = element("th", { scope: "col", "data-column": column.key, class: is_number(column) ? "number" : "" }, button);
    if (this.sorted?.key === column.key) {
      const falls = is_number(column) !== this.sorted.backwards;
      cell.setAttribute("aria-sort", falls ? "descending" : "ascending");
    }
    return cell;
  }

  private draw(most = rows_at_first): void {
    const columns = this.table.columns.filter((column) => this.chosen.has(column.key));
    const forms = columns.map(form_of);
    const briefly = columns.map(has_brief_names);
    const rows = this.rows();
    const shown_rows = this.all && most === rows_at_first ? rows : rows.slice(0, most);
    const body = element("tbody");
    for (const row of shown_rows) {
      const meaning = this.named(row);
      const line = element("tr", meaning === undefined ? {} : { class: "named", title: meaning });
      columns.forEach((column, place) => {
        const value = column.values[row] ?? null;
        const cell = element("td", { "data-column": column.key });
        if (typeof value === "string" && briefly[place]) cell.append(file_name(value));
        else if (typeof value === "string") cell.append(names_kernels.test(column.key) ? kernel_name(value) : name(value));
        else cell.append(shown(value, forms[place] ?? form_of(column)));
        if (typeof value === "number") cell.title = String(value);
        if (is_number(column)) cell.classList.add("number");
        line.append(cell);
      });
      body.append(line);
    }
    const heads = element("tr", {}, ...columns.map((column, place) => this.head(column, forms[place]?.unit ?? "")));
    this.frame.replaceChildren(element("table", {}, element("thead", {}, heads), body));
    const total = this.table.columns[0]?.values.length ?? 0;
    const of = `${rows.length === total ? total : `${rows.length} of ${total}`} ${total === 1 ? "row" : "rows"}`;
    this.count.replaceChildren(rows.length > shown_rows.length ? `${shown_rows.length} of ${of} ` : of);
    if (rows.length > shown_rows.length) {
      const more = element("button", { type: "button", class: "more" }, `Show all ${rows.length}`);
      more.addEventListener("click", () => {
        this.all = true;
        this.draw();
        this.frame.focus();
      });
      this.count.append(more);
    }
  }
}
