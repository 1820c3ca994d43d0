// The timeline of a trace: it zooms, moves, is searched and walked by keys. What it shows is also a table: the rows of the
// trace with their events and their time in use.

import type { Table, TimelineData } from "./data";
import { element, name, visible } from "./dom";
import { is_wait } from "./timeline_colours";
import { arrows_of, level_of, next_hit, type Spot } from "./timeline_data";
import { Figure } from "./timeline_figure";
import { put_window, window_in_url } from "./spot";
import { handle_overview, handle_pointer } from "./timeline_pointer";
import { exact_time } from "./timeline_ruler";

const how =
  "Far out, the height of a column is the share of its time in use and its colour the kind that takes most; closer, blocks are events. What waits " +
  "lies low. Drag moves, Ctrl and the wheel zoom, a press chooses. Keys: arrows move, + and − zoom, 0 shows all, [ and ] go from event to event, " +
  "/ searches, n and N go from hit to hit.";

/** A piece of a trace that something is said of, in nanoseconds from the trace's base time. */
export interface Stretch {
  label: string;
  from: number;
  to: number;
}

/** The time in which the steps lie that a verdict is about. */
export function stretches_of(tables: Table[], timeline: TimelineData): Stretch[] {
  const verdicts = tables.find((table) => table.name === "verdicts");
  const column = (key: string) => verdicts?.columns.find((one) => one.key === key)?.values ?? [];
  const [causes, from, to, files] = [column("cause"), column("from_ns"), column("to_ns"), column("file")];
  const begins = new Map(timeline.ranks.map((rank) => [rank.file, timeline.begin_ns - rank.begin_ns]));
  return causes.flatMap((cause, at) => {
    const [begin, end] = [from[at], to[at]];
    const moved = begins.get(String(files[at])) ?? 0;
    return typeof begin === "number" && typeof end === "number" && end > begin ? [{ label: String(cause).replaceAll("_", " "), from: begin + moved, to: end + moved }] : [];
  });
}

export class TimelineView {
  readonly root = element("section", { class: "timeline" });
  private readonly figure: Figure;
  private readonly keys = element("div", { class: "keys", role: "group", tabindex: "0", "aria-label": "Timeline: arrows move, plus and minus zoom, brackets go from event to event, slash searches" });
  private readonly tip = element("div", { class: "tip away", "aria-hidden": "true" });
  private readonly said = element("p", { class: "said", role: "status" });
  private readonly found = element("span", { class: "count", role: "status" });
  private readonly kinds = element("ul", { class: "kinds" });
  private picked = -1;
  private readonly search = element("input", { type: "search", "aria-label": "Search events", placeholder: "search events, e.g. conv" });

  constructor(
    private readonly data: TimelineData,
    bytes: Uint8Array,
    spots: Stretch[],
    private readonly tab: number,
  ) {
    this.figure = new Figure(data, bytes, () => this.drawn());
    const button = (text: string, label: string, act: () => void) => {
      const made = element("button", { type: "button", "aria-label": label }, text);
      made.addEventListener("click", act);
      return made;
    };
    const zoom = (factor: number) => () => this.change(() => this.figure.window.zoom(factor));
    const stretches = spots.map(({ label, from, to }) =>
      button(visible(label), `Show the time of ${visible(label)}`, () => this.change(() => this.figure.window.set(from - data.begin_ns, to - data.begin_ns))),
    );
    const tools = [button("−", "Zoom out", zoom(2)), button("+", "Zoom in", zoom(0.5)), button("all", "Show the whole trace", () => this.change(() => this.figure.window.all()))];
    this.keys.append(this.figure.top, this.figure.frame, this.tip);
    this.root.append(
      element("h2", {}, "Timeline"),
      element("p", { class: "how" }, how),
      data.note ? element("p", { class: "missing" }, data.note) : "",
      element("div", { class: "tools" }, this.search, ...tools, ...stretches, this.found),
      this.keys,
      this.said,
      this.kinds,
    );
    this.legend();
    this.listen();
    this.go_to_url();
    window.addEventListener("hashchange", () => this.go_to_url());
  }

  private listen(): void {
    const figure = this.figure;
    this.search.addEventListener("input", () => this.look_for(this.search.value));
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.walk_hits(event.shiftKey);
    });
    this.keys.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.keys) return;
      if (this.key(event.key)) event.preventDefault();
    });
    handle_pointer(figure.picture, {
      window: figure.window,
      share: (event) => figure.share_at(event),
      width: () => figure.plot.width,
      changed: () => figure.ask(),
      press: (event) => this.choose(figure.spot_at(event)),
      hover: (event) => this.hover(event),
    });
    const centre = (share: number) => {
      const { window } = figure;
      const middle = share * Math.max(1, this.data.length_ns);
      this.change(() => window.set(middle - window.span / 2, middle + window.span / 2));
    };
    handle_overview(figure.top, centre, (event) => figure.share_at(event));
  }

  private go_to_url(): void {
    const asked = window_in_url(this.tab);
    if (asked) this.change(() => this.figure.window.set(...asked));
  }

  private key(key: string): boolean {
    const { window } = this.figure;
    const acts: Record<string, () => void> = {
      ArrowLeft: () => window.move(-0.1),
      ArrowRight: () => window.move(0.1),
      ArrowUp: () => (this.figure.frame.scrollTop -= 40),
      ArrowDown: () => (this.figure.frame.scrollTop += 40),
      "+": () => window.zoom(0.5),
      "=": () => window.zoom(0.5),
      "-": () => window.zoom(2),
      "0": () => window.all(),
      f: () => window.all(),
      "[": () => this.neighbour(-1),
      "]": () => this.neighbour(1),
      "/": () => this.search.focus(),
      n: () => this.walk_hits(false),
      N: () => this.walk_hits(true),
      Escape: () => this.leave(),
      Enter: () => this.zoom_to_chosen(),
    };
    const act = Object.hasOwn(acts, key) ? acts[key] : undefined;
    if (act) this.change(act);
    return act !== undefined;
  }

  /** First the event that is chosen, then what is searched for. */
  private leave(): void {
    if (this.figure.chosen) this.choose(null);
    else this.look_for((this.search.value = ""));
  }

  private change(act: () => void): void {
    act();
    this.figure.ask();
  }

  private choose(spot: Spot | null): void {
    this.figure.chosen = spot;
    this.said.replaceChildren(...(spot ? [...this.words(spot), ...this.arrow_words(spot)] : []));
    if (spot) {
      const level = level_of(this.figure.timeline, spot);
      this.figure.window.reveal(level.starts[spot.at]!, level.ends[spot.at]!);
      this.figure.reveal(spot);
    }
    this.figure.ask();
  }

  /** The next event of the level; where none is chosen, the first that starts in sight. */
  private neighbour(step: number): void {
    const { chosen, timeline, window } = this.figure;
    if (chosen) {
      const at = chosen.at + step;
      if (at >= 0 && at < level_of(timeline, chosen).length) this.choose({ ...chosen, at });
      return;
    }
    let first: Spot | null = null;
    timeline.rows.forEach((row, place) => {
      const at = row.levels[0]!.starting(window.from, 0);
      const spot = { row: place, level: 0, at };
      if (at < row.levels[0]!.length && (!first || row.levels[0]!.starts[at]! < level_of(timeline, first).starts[first.at]!)) first = spot;
    });
    this.choose(first);
  }

  private zoom_to_chosen(): void {
    const { chosen, timeline, window } = this.figure;
    if (!chosen) return;
    const level = level_of(timeline, chosen);
    const long = Math.max(20, level.ends[chosen.at]! - level.starts[chosen.at]!);
    window.set(level.starts[chosen.at]! - long, level.ends[chosen.at]! + long);
  }

  private look_for(text: string): void {
    const wanted = text.trim().toLowerCase();
    this.picked = -1;
    this.mark(wanted ? Uint8Array.from(this.figure.timeline.names, (one) => (one.toLowerCase().includes(wanted) ? 1 : 0)) : null);
  }

  /** A kind of work, as a search for all that is of it; again ends it. */
  private pick(kind: number): void {
    this.picked = this.picked === kind ? -1 : kind;
    this.search.value = "";
    this.mark(this.picked < 0 ? null : this.figure.timeline.kind_of_name.map((one) => (one === kind ? 1 : 0)));
  }

  /** Events of these names keep their colour; null: all do. */
  private mark(is_hit: Uint8Array | null): void {
    let count = 0;
    let time = 0;
    for (const row of this.figure.timeline.rows)
      for (const level of row.levels) {
        const found = level.search(is_hit);
        count += found.count;
        time += found.time;
      }
    this.root.dataset.hits = is_hit ? String(count) : "";
    this.found.replaceChildren(is_hit ? `${count} ${count === 1 ? "event" : "events"}, ${exact_time(time)} in all` : "");
    this.kinds.querySelectorAll("button").forEach((one, kind) => one.setAttribute("aria-pressed", String(kind === this.picked)));
    this.figure.ask();
  }

  private walk_hits(backwards: boolean): void {
    const found = next_hit(this.figure.timeline, this.figure.chosen, backwards);
    if (found) this.choose(found);
  }

  /** Name, kind, start, duration and row of an event. */
  private words(spot: Spot): (Node | string)[] {
    const { timeline } = this.figure;
    const level = level_of(timeline, spot);
    const start = level.starts[spot.at]!;
    const row = timeline.rows[spot.row]!;
    const kind = timeline.kinds[level.kind(spot.at)]?.label ?? "";
    const long = level.ends[spot.at]! - start;
    const called = element("b", {}, name(timeline.names[level.names[spot.at]!] ?? ""));
    return [called, ` ${kind}, ${exact_time(long)} at ${exact_time(start)}, on `, name(row.name)];
  }

  /** Where the arrows of an event come from and go to: the first of each. */
  private arrow_words(spot: Spot): (Node | string)[] {
    const { timeline } = this.figure;
    const start = (of: Spot) => level_of(timeline, of).starts[of.at]!;
    const words = (ends: Spot[], way: string): (Node | string)[] => {
      const [one] = ends;
      if (!one) return [];
      const far = start(one) - start(spot);
      const called = timeline.short_names[level_of(timeline, one).names[one.at]!] ?? "";
      const more = ends.length > 1 ? ` and ${ends.length - 1} more` : "";
      return [`; ${way} `, name(called), " on ", name(timeline.rows[one.row]!.name), `, ${exact_time(Math.abs(far))} ${far < 0 ? "before" : "after"}${more}`];
    };
    const { from, to } = arrows_of(timeline, spot);
    return [...words(from, "from"), ...words(to, "to")];
  }

  private hover(event: PointerEvent | null): void {
    const spot = event && this.figure.spot_at(event);
    const counted = event && !spot ? this.figure.counter_at(event) : null;
    this.tip.classList.toggle("away", !spot && counted === null);
    if (!event || (!spot && counted === null)) return;
    this.tip.replaceChildren(...(spot ? this.words(spot) : [counted ?? ""]));
    const box = this.keys.getBoundingClientRect();
    const left = Math.min(event.clientX - box.left + 12, box.width - this.tip.offsetWidth - 4);
    this.tip.style.left = `${Math.max(0, left)}px`;
    this.tip.style.top = `${event.clientY - box.top + 16}px`;
  }

  private legend(): void {
    this.data.kinds.forEach(({ colour, label }, kind) => {
      const swatch = element("span", { class: `swatch back-${colour}${is_wait(colour) ? " low" : ""}`, "aria-hidden": "true" });
      const entry = element("button", { type: "button", "aria-pressed": "false" }, swatch, name(label));
      entry.addEventListener("click", () => this.pick(kind));
      this.kinds.append(element("li", {}, entry));
    });
  }

  private drawn(): void {
    const { timeline, window, picture } = this.figure;
    const seen = `${exact_time(window.from)} to ${exact_time(window.to)}`;
    picture.setAttribute("aria-label", `${timeline.events} events on ${timeline.rows.length} rows in ${exact_time(timeline.length)}; shown is ${seen}. The table "rows" has the same in figures.`);
    const is_moved = this.root.dataset.from !== undefined && Number(this.root.dataset.from) !== window.from;
    if (is_moved || (this.root.dataset.to !== undefined && Number(this.root.dataset.to) !== window.to))
      put_window(this.tab, window.span < timeline.length ? [window.from, window.to] : null);
    Object.assign(this.root.dataset, { events: timeline.events, from: window.from, to: window.to });
  }
}
